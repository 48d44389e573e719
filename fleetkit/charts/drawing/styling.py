"""A user's own colours and title on a chart that is drawn: every house colour can be swapped.

A chart uses each house colour under one name only, so that it can be told from what is drawn which
name a colour stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import is_color_like, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from fleetkit.arguments import refuse_unknown
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.lettering import printable

__all__ = ["Colours", "add_title", "is_dark", "palette", "recolour", "root"]

# Names of house colours → colours; colours of series, in their order; "dark", "light" or "style".
Colours: TypeAlias = Mapping[str, str] | Sequence[str] | str | None
# Between what is drawn highest and a title [pt]; and what a title takes of our own figure [inch].
_ABOVE, _ROOM = 5.0, 0.3


def palette(
    colours: Colours,
    *,
    light: Mapping[str, str],
    dark: Mapping[str, str],
    series: Sequence[str],
    on_dark: bool,
) -> dict[str, str]:
    """Return name → colour of the house colours that another one stands for.

    Parameters
    ----------
    colours : dict, list of colours, str or None
        As a chart takes them.
    light, dark : dict
        Names of the house colours → colours, on either page.
    series : sequence of str
        Names of the colours of series, in their order.
    on_dark : bool
        Whether the Axes are dark: then the colours of the dark page are meant.

    Raises
    ------
    InvalidValue
        For what is not a colour, or not the name of one.
    """
    chosen = dict(dark) if on_dark else {}
    if colours is None:
        return chosen
    if isinstance(colours, str) and colours in {"dark", "light"}:
        return dict(dark if colours == "dark" else light)
    if isinstance(colours, str) and colours == "style":
        return _of_style(series)
    if isinstance(colours, Mapping):
        refuse_unknown(map(str, colours), light, "colour of charts")
        return chosen | {str(name): _checked(value) for name, value in colours.items()}
    values = [colours] if isinstance(colours, str) else colours
    if not isinstance(values, Sequence) or not values:
        raise InvalidValue(f"colours={brief(colours)} is not a colour.", advice=_ADVICE)
    return chosen | dict(zip(series, map(_checked, values), strict=False))


_ADVICE = (
    'Write one, such as "#0b6e4f" or "teal", a list of them, a dict such as {"accent": "teal"}, '
    '"dark", or "style" for those of matplotlib\'s style.'
)


def _checked(value: Any) -> str:
    if not is_color_like(value):
        raise InvalidValue(f"{brief(value)} is not a colour.", advice=_ADVICE)
    return matplotlib.colors.to_hex(value)


def _of_style(series: Sequence[str]) -> dict[str, str]:
    """Return the colours of the style that matplotlib is set to."""
    values: Any = matplotlib.rcParams
    cycle = values["axes.prop_cycle"].by_key().get("color", [])
    named = {
        "paper": values["figure.facecolor"],
        "ink": values["text.color"],
        "muted": values["xtick.color"],
        "line": values["grid.color"],
    }
    return {
        name: _checked(value)
        for name, value in {**dict(zip(series, cycle, strict=False)), **named}.items()
        if is_color_like(value)
    }


def root(ax: Axes) -> Figure:
    """Return the figure that `ax` stands on."""
    return cast("Figure", ax.get_figure(root=True))


def is_dark(ax: Axes) -> bool:
    """Whether what a chart is drawn on is dark: the Axes, or the figure where they are clear."""
    figure = root(ax)
    faces = [to_rgba(ax.get_facecolor()), to_rgba(cast("Any", figure.get_facecolor()))]
    red, green, blue, _ = next((face for face in faces if face[3] > 0), (1.0, 1.0, 1.0, 1.0))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def recolour(ax: Axes, before: Mapping[str, str], after: Mapping[str, str], *, own: bool) -> None:
    """Give all that is drawn on Axes other colours.

    Parameters
    ----------
    ax : Axes
    before, after : dict
        Name → colour; names without another colour keep theirs.
    own : bool
        Whether the figure is ours, so that its paper changes too.
    """
    swaps = {to_rgba(before[name])[:3]: to_rgba(value)[:3] for name, value in after.items()}
    figure = root(ax)

    def swapped(colour: Any) -> Any:
        red, green, blue, alpha = to_rgba(colour)
        return (*swaps.get((red, green, blue), (red, green, blue)), alpha)

    panels = (ax, *ax.child_axes)
    artists = [artist for axes in panels for artist in axes.findobj()]
    for artist in [*artists, figure.patch] if own else artists:
        _recolour(artist, swapped)
    for axes in panels:
        for axis in (axes.xaxis, axes.yaxis):
            tick = axis.get_tick_params()
            colours = {name: tick[name] for name in ("labelcolor", "color") if name in tick}
            usable = {name: value for name, value in colours.items() if is_color_like(value)}
            if usable:
                axis.set_tick_params(**{name: swapped(value) for name, value in usable.items()})


def _recolour(artist: Artist, swapped: Callable[[Any], Any]) -> None:
    """Give a line, an area or a text the colours that take the place of its own."""
    if isinstance(artist, Line2D):
        artist.set_color(swapped(artist.get_color()))
        for name in ("markerfacecolor", "markeredgecolor"):
            value = getattr(artist, f"get_{name}")()
            if is_color_like(value):
                getattr(artist, f"set_{name}")(swapped(value))
    elif isinstance(artist, Patch):
        hatch = getattr(artist, "get_hatchcolor", None)
        if hatch is not None and artist.get_hatch():
            cast("Any", artist).set_hatchcolor(swapped(hatch()))
        artist.set_edgecolor(swapped(artist.get_edgecolor()))
        artist.set_facecolor(swapped(artist.get_facecolor()))
    elif isinstance(artist, Collection):
        artist.set_edgecolor([swapped(colour) for colour in cast("Any", artist.get_edgecolor())])
        artist.set_facecolor([swapped(colour) for colour in cast("Any", artist.get_facecolor())])
    elif isinstance(artist, Text) and is_color_like(artist.get_color()):
        artist.set_color(swapped(artist.get_color()))
        behind = artist.get_bbox_patch()
        if behind is not None:
            _recolour(behind, swapped)


def add_title(ax: Axes, text: str, *, own: bool, **style: Any) -> None:
    """Write a title above all that is drawn; our own figure gets the room for it."""
    figure = root(ax)
    if own:
        width, height = figure.get_size_inches()
        place = ax.get_position()
        figure.set_size_inches(width, height + _ROOM)
        share = height / (height + _ROOM)
        figure.subplots_adjust(bottom=place.y0 * share, top=place.y1 * share)
    figure.draw_without_rendering()
    box = ax.get_tightbbox()
    above = 0.0 if box is None else (box.y1 - ax.get_window_extent().y1) / figure.dpi * 72
    ax.set_title(printable(text, instead=" "), loc="left", pad=max(above, 0.0) + _ABOVE, **style)
