"""The charts of a record as pictures, which viewers of notebooks show.

Those that don't trust a notebook, as JupyterLab that of a colleague, leave no ``<svg>`` of its HTML
but the texts in it; of pictures they leave those that the notebook itself holds.
"""

from __future__ import annotations

import re
from base64 import b64encode

from fleetkit.charts import COLOURS, DARK
from fleetkit.explore.screen import palette

__all__ = ["as_pictures"]

_CHART = re.compile(r'<svg [^>]*aria-label="([^"]*)"[^>]*>.*?</svg>', re.DOTALL)
_WIDTH = re.compile(r'width="([\d.]+)pt"')
# Not needed in a picture: what bars choose, what a pointer shows, and space between tags.
_UNUSED = re.compile(
    r' (?:role|tabindex|aria-[a-z]+|data-[a-z]+)="[^"]*"|<title>[^<]*</title>|(?<=>)\s+(?=<)'
)
# A picture sees nothing of the page but whether it is dark.
_STYLE = (
    f"{palette('svg', COLOURS)} @media (prefers-color-scheme: dark) {{ {palette('svg', DARK)} }}"
)


def as_pictures(html: str) -> str:
    """Return a pane with each chart as a picture that holds all it needs, dark on a dark page.

    Parameters
    ----------
    html : str
        Of the pane.

    Examples
    --------
    >>> as_pictures('<svg aria-label="A bar" width="72pt"><g role="button"></g></svg>')[:64]
    '<img class="chart" alt="A bar" width="96" src="data:image/svg+xm'
    """
    return _CHART.sub(_picture, html)


def _picture(chart: re.Match[str]) -> str:
    root, end, rest = _UNUSED.sub("", chart[0]).partition(">")
    root = root.replace("<svg ", '<svg font-family="sans-serif" ', 1)
    drawing = f"{root}{end}<style>{_STYLE}</style>{rest}"
    width = _WIDTH.search(chart[0])
    pixels = f' width="{round(float(width[1]) * 96 / 72)}"' if width else ""
    held = b64encode(drawing.encode()).decode()
    return f'<img class="chart" alt="{chart[1]}"{pixels} src="data:image/svg+xml;base64,{held}">'
