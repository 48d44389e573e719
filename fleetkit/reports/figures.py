"""Charts as SVG: written by matplotlib, then made fit to stand inside a page."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.lettering import cut, printable
from fleetkit.reports.cutting import MOST_TITLE

__all__ = ["inline", "show", "to_svg", "width"]

_ROOT = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]+)"[^>]*>')
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r'\s*<defs>\s*<style type="text/css">.*?</style>\s*</defs>', re.DOTALL)
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^)"]+)')
_COLOUR = re.compile(r"(fill|stroke|stop-color): (#[0-9a-f]{6})\b")
_STYLE_ATTRIBUTE = re.compile(r'style="([^"]*)"')
_FAMILY = re.compile(r"font(-family)?: ((?:[\d.]+px|\d{3}|bold|italic|normal|oblique| )*)[^;]*")
_DIGITS = re.compile(r"(\d+\.\d{3})\d+")


def to_svg(ax: Any, alt: str) -> str:
    """Return the figure of `ax` as SVG: the same bytes from the same figure.

    A name that the chart has cut is whole in a title of its own, which a pointer shows.

    Parameters
    ----------
    ax : matplotlib Axes or Figure
    alt : str
        What the picture shows, in words; becomes its ``<title>``.
    """
    import matplotlib  # noqa: PLC0415 - only notebooks draw; the report's process doesn't

    figure = ax.get_figure(root=True) if hasattr(ax, "get_figure") else ax
    if not hasattr(figure, "savefig"):
        raise InvalidValue(
            f"A section's figure is made from matplotlib Axes, not {type(ax).__name__}.",
            advice="Pass what fk.charts returns.",
        )
    buffer = BytesIO()
    # Text stays text; the salt makes ids repeatable.
    with (
        matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "fleetkit"}),
        warnings.catch_warnings(),
    ):
        # The text stays text: the page's fonts show it, and the PDF says what they can't.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": alt})
    svg = printable(buffer.getvalue().decode())
    for anchor, whole in getattr(getattr(ax, "drawing", None), "whole", {}).items():
        title = f'<g id="{anchor}">\n   <title>{escape(cut(whole, MOST_TITLE))}</title>'
        svg = svg.replace(f'<g id="{anchor}">', printable(title))
    return svg


def show(svg: str) -> None:
    """Show a figure below the notebook cell that makes it; outside of notebooks do nothing."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display({"image/svg+xml": svg}, raw=True)


def width(svg: str) -> float:
    """Return the width of a figure, in [mm]."""
    return float(_root(svg)[1]) / 72 * 25.4


def inline(svg: str, prefix: str, colours: Mapping[str, str]) -> str:
    """Return the SVG as an element of a page.

    Its ids start with `prefix` and so stay unique in the page, its text takes the page's font, and
    the house colours become CSS variables, so that a dark page can change them.

    Parameters
    ----------
    svg : str
        As `to_svg` gave it.
    prefix : str
        An id that no other figure of the page has.
    colours : dict
        Colour (``#rrggbb``) → name of the CSS variable.
    """
    root = _root(svg)
    body = _STYLE.sub("", _METADATA.sub("", svg[root.end() :]))
    title = _TITLE.search(body)
    body = _TITLE.sub("", body, count=1) if title else body
    used = {name for _, name in _REFERENCE.findall(body)}
    body = _ID.sub(lambda m: f' id="{prefix}-{m[1]}"' if m[1] in used else "", body)
    body = _REFERENCE.sub(rf"\g<1>{prefix}-\g<2>", body)
    body = _DIGITS.sub(r"\1", body)
    body = _STYLE_ATTRIBUTE.sub(lambda m: f'style="{_restyled(m[1], colours)}"', body)
    width, height, box = root.groups()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width}pt" '
        f'height="{height}pt" viewBox="{box}" role="img" aria-labelledby="{prefix}-alt">'
        f'<title id="{prefix}-alt">{title[1] if title else ""}</title>{body.rstrip()}'
    )


def _root(svg: str) -> re.Match[str]:
    root = _ROOT.search(svg)
    if root is None:
        raise InvalidValue("A figure is not an SVG that matplotlib wrote.")
    return root


def _restyled(style: str, colours: Mapping[str, str]) -> str:
    style = _COLOUR.sub(
        lambda m: f"{m[1]}: var(--{colours[m[2]]})" if m[2] in colours else m[0], style
    )
    return _FAMILY.sub(_without_family, style).replace("; ;", ";")


def _without_family(font: re.Match[str]) -> str:
    """Keep size and weight of ``font: 600 8px 'Inter', …``; the family is the page's."""
    if font[1]:
        return ""
    size = re.search(r"[\d.]+px", font[2])
    weight = re.search(r"\b(\d{3}|bold)\b(?!px)", font[2])
    declarations = [f"font-size: {size[0]}"] if size else []
    return "; ".join([*declarations, *([f"font-weight: {weight[1]}"] if weight else [])])
