"""Charts as SVG, with what a pointer shows on them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import Any

from matplotlib.text import Text

from fleetkit.charts.drawing.style import settings
from fleetkit.errors import InvalidValue
from fleetkit.lettering import MOST_TITLE, cut, printable

__all__ = ["to_svg"]

_GROUP = re.compile(r'<g id="([^"]+)">')
# The group of a text of several lines, and one of them.
_LINES = re.compile(r'<g id="(lines-\d+)">.*?</g>', re.DOTALL)
_LINE = re.compile(r'(<text style="[^"]*)(fill: [^"]*" transform="translate\()[-\d.]+( )')
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_POINTS = 72  # of an inch


def to_svg(ax: Any, alt: str) -> str:
    """Return the figure of `ax` as SVG: the same bytes from the same figure.

    Bars, and names that the chart has cut, have titles of their own, which a pointer shows.

    Parameters
    ----------
    ax : matplotlib Axes or Figure
    alt : str
        What the picture shows, in words; becomes its ``<title>``, with where the most is, if the
        chart notes that.

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
    drawing = getattr(ax, "drawing", None)
    most = getattr(drawing, "most", "")
    alt = f"{alt.rstrip('.')}. {most}" if most else alt
    buffer, texts = BytesIO(), _of_several_lines(figure)
    names = {name: text.get_gid() for name, text in texts.items()}
    for name, text in texts.items():
        text.set_gid(name)
    # Text stays text; the salt makes ids repeatable.
    with (
        settings({"svg.fonttype": "none", "svg.hashsalt": "fleetkit"}),
        warnings.catch_warnings(),
    ):
        # The text stays text: the page's fonts show it, and the PDF says what they can't.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": alt})
    titles = getattr(drawing, "titles", {})

    def titled(group: re.Match[str]) -> str:
        title = titles.get(names.get(group[1], group[1]))
        return (
            f"{group[0]}\n   <title>{escape(cut(title, MOST_TITLE))}</title>" if title else group[0]
        )

    picture = _LINES.sub(lambda group: _anchored(group, texts), buffer.getvalue().decode())
    for name, text in texts.items():  # the figure may be drawn again, of other texts
        text.set_gid(names[name])
    return printable(_GROUP.sub(titled, picture))


def _of_several_lines(figure: Any) -> dict[str, Text]:
    """Return the level texts of several lines, by the ids that their groups are to get."""

    def has_lines(artist: Any) -> bool:
        return type(artist) is Text and "\n" in artist.get_text() and not artist.get_rotation()

    return {f"lines-{number}": text for number, text in enumerate(figure.findobj(has_lines))}


def _anchored(group: re.Match[str], texts: Mapping[str, Text]) -> str:
    """Anchor the lines of a text where all of it stands, as matplotlib does with single lines.

    In a page's wider font, names would else run over the axis that they end at.
    """
    text = texts[group[1]]
    x, _ = text.get_transform().transform(text.get_unitless_position())
    x *= _POINTS / text.figure.dpi
    anchor = _ANCHORS[text.get_horizontalalignment()]
    return _LINE.sub(rf"\g<1>text-anchor: {anchor}; \g<2>{x:f}\g<3>", group[0])
