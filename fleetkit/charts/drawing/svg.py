"""Charts as SVG, with what a pointer shows on them."""

from __future__ import annotations

import re
import warnings
from html import escape
from io import BytesIO
from typing import Any

from fleetkit.charts.drawing.style import settings
from fleetkit.errors import InvalidValue
from fleetkit.lettering import MOST_TITLE, cut, printable

__all__ = ["to_svg"]

_GROUP = re.compile(r'<g id="([^"]+)">')


def to_svg(ax: Any, alt: str) -> str:
    """Return the figure of `ax` as SVG: the same bytes from the same figure.

    Bars, and names that the chart has cut, have titles of their own, which a pointer shows.

    Parameters
    ----------
    ax : matplotlib Axes or Figure
    alt : str
        What the picture shows, in words; becomes its ``<title>``.

    Raises
    ------
    InvalidValue
        When `ax` can't be drawn.
    """
    figure = ax.get_figure(root=True) if hasattr(ax, "get_figure") else ax
    if not hasattr(figure, "savefig"):
        raise InvalidValue(
            f"A section's figure is made from matplotlib Axes, not {type(ax).__name__}.",
            advice="Pass what fk.charts returns.",
        )
    buffer = BytesIO()
    # Text stays text; the salt makes ids repeatable.
    with (
        settings({"svg.fonttype": "none", "svg.hashsalt": "fleetkit"}),
        warnings.catch_warnings(),
    ):
        # The text stays text: the page's fonts show it, and the PDF says what they can't.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": alt})
    titles = getattr(getattr(ax, "drawing", None), "titles", {})

    def titled(group: re.Match[str]) -> str:
        title = titles.get(group[1])
        return (
            f"{group[0]}\n   <title>{escape(cut(title, MOST_TITLE))}</title>" if title else group[0]
        )

    return printable(_GROUP.sub(titled, buffer.getvalue().decode()))
