"""The house style of every chart: colours, type, sizes in millimetres, empty frames.

A chart draws on the Axes it is given, or on new ones that a notebook shows by itself. Nothing here
touches pyplot, so no figure stays behind, and the user's own settings stay as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from math import isfinite
from threading import RLock
from typing import Any, Literal, TypeVar, cast
from zlib import crc32

import matplotlib
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Affine2DBase, ScaledTranslation, Transform

from fleetkit import rounding
from fleetkit.arguments import is_finite
from fleetkit.charts.drawing.fonts import BOLD, FAMILIES, SMALL, TEXT
from fleetkit.charts.drawing.lines import fit, fit_note, text_width
from fleetkit.charts.drawing.styling import Colours, add_title, is_dark, palette, recolour, root
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.kinds import ASIDE
from fleetkit.language import message, say, say_count
from fleetkit.language.texts import and_others
from fleetkit.lettering import single_line

__all__ = [
    "COLOURS",
    "COLUMN",
    "DARK",
    "FOOT",
    "HALF",
    "MILLIMETRE",
    "Canvas",
    "Drawing",
    "SelfShowing",
    "axes",
    "canvas",
    "clean",
    "number",
    "series_styles",
    "settings",
    "short",
    "signed",
    "status_colours",
]

# One accent, greys, and the other colours of petroff6 where several series must be told apart.
# Each is used nowhere under another name, so a page can swap every hex value for a CSS variable.
COLOURS = {
    "paper": "#ffffff",
    "ink": "#1b2129",
    "muted": "#5d6775",
    "line": "#dfe3e9",
    "quiet": "#c5cedb",
    "accent": "#5790fc",
    "amber": "#f89c20",
    "red": "#e42536",
    "purple": "#964a8b",
    "grey": "#9c9ca1",
    "violet": "#7a21dd",
}
# The same names on a dark page.
DARK = {
    "paper": "#12161c",
    "ink": "#e9ecf0",
    "muted": "#9ba6b4",
    "line": "#2b333e",
    "quiet": "#465366",
    "accent": "#6f9ffc",
    "amber": "#f9ab42",
    "red": "#ff5f6b",
    "purple": "#c07ab5",
    "grey": "#83838a",
    "violet": "#a866f5",
}
SERIES = ("accent", "amber", "purple", "grey", "violet", "red")

# Room below the plot for the line that counts what a chart leaves out. [mm]
FOOT = 4.2
# From here on a number is written in three figures.
_LONGEST_NUMBER = 1e9
_THOUSAND = 1e3
# From where on, by what it is divided, and how it is written.
_SCALES = (
    (999.5e6, 1e9, message("{number}bn")),
    (999.5e3, 1e6, message("{number}M")),
    (999.5, _THOUSAND, message("{number}k")),
)
Rows = TypeVar("Rows", pd.DataFrame, list[str])

# A column of an A4 page, and half of one beside another. [mm]
COLUMN, HALF = 180.0, 88.0
# Two figures of less than this width may stand beside each other. [mm]
_NARROW = 120.0
MM = 1 / 25.4  # [inch]
MILLIMETRE = 72 * MM  # [pt]
_RC: Any = {
    "font.family": FAMILIES,
    "font.size": TEXT,
    "text.color": COLOURS["ink"],
    # A name from the API may hold dollar signs; it is text, never a formula.
    "text.parse_math": False,
    "figure.facecolor": COLOURS["paper"],
    "figure.edgecolor": COLOURS["paper"],
    # Charts set their own margins and hairlines, whatever style a notebook has chosen.
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "axes.grid": False,
    "axes.facecolor": "none",
    "axes.edgecolor": COLOURS["muted"],
    "axes.linewidth": 0.6,
    "axes.unicode_minus": True,
    "patch.linewidth": 0.0,
    "hatch.color": COLOURS["paper"],
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",
}


# Explorers draw in threads of their own.
_LOCK = RLock()
# Begins the SVG id of a text that is a name which was cut.
_WHOLE = "whole-"


@contextmanager
def settings(values: Any) -> Iterator[None]:
    """Give matplotlib these settings for a block, in one thread at a time.

    They are those of the whole process: of two blocks that overlap, the one that ends last would
    leave the settings of the other behind. Others than these are not copied, which takes longer.
    """
    with _LOCK:
        before = {name: matplotlib.rcParams[name] for name in values}
        try:
            matplotlib.rcParams.update(values)
            yield
        finally:
            matplotlib.rcParams.update(before)


class SelfShowing(Axes):
    """Axes that a notebook shows when they are a cell's last value."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        figure = root(self)
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=192)
        width, height = figure.get_size_inches() * 96
        return buffer.getvalue(), {"width": round(width), "height": round(height)}


def axes(width: float = COLUMN, height: float = 60.0) -> SelfShowing:
    """Return new Axes in the house style, on a figure of their own that pyplot doesn't know.

    Parameters
    ----------
    width, height : float
        Size of the figure. [mm]

    Raises
    ------
    InvalidValue
        A size that is not a number above 0.

    Notes
    -----
    Charts take ``colours=``: one colour; a list of them, for series; a dict of names in
    `fleetkit.charts.COLOURS` to colours; ``"dark"`` or ``"light"``, those of such a page; or
    ``"style"``, those of the style that matplotlib is set to, by ``plt.style.use``. On dark Axes of
    one's own the colours of a dark page are taken by themselves.

    Examples
    --------
    >>> ax = axes(HALF, 40)
    >>> (ax.figure.get_size_inches() * 25.4).round().tolist()
    [88.0, 40.0]
    """
    for name, size in {"width": width, "height": height}.items():
        if not (is_finite(size) and size > 0):
            raise InvalidValue(
                f"{name}={brief(size)} is not a size in mm.", advice=f"Write one, or no {name}=."
            )
    with settings(_RC):
        figure = Figure(figsize=(width * MM, height * MM))
        return cast("SelfShowing", figure.add_subplot(axes_class=SelfShowing))


@dataclass
class Drawing:
    """What a chart tells about itself beside its picture; its Axes carry it as ``drawing``.

    Attributes
    ----------
    frame : DataFrame
        What it draws, with the rows that lie beyond its bounds.
    left_out : list of str
        What it leaves out, counted: ``"838 more pilots"``.
    titles : dict
        SVG id of a bar, or of a name that is cut → what a pointer shows there.
    keys : dict
        SVG id of a bar → what it is of: its slot or row, and its series.
    most : str
        What is said, beside its alt text, of the mark of the largest amount; empty for nothing.
    chart : str
        Name of the chart, where it is one of `fk.charts`.
    measured : frame
        What the chart was given.
    narrow : callable, optional
        Draws it again, as wide as a phone.
    """

    frame: pd.DataFrame
    left_out: list[str] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    keys: dict[str, tuple[str, str]] = field(default_factory=dict)
    most: str = ""
    chart: str = ""
    measured: Any = None
    narrow: Callable[[], Axes] | None = None


class _Cut(str):
    """A text that is cut, with its whole: two names may be cut to the same letters."""

    whole: str

    def __str__(self) -> str:
        """Return itself, as which matplotlib keeps a text."""
        return self


def _shown(text: str, whole: str) -> str:
    """Return a text with its whole, if it is cut, perhaps once more."""
    if text == whole or "…" not in text:  # it may have an id behind it
        return text
    cut = _Cut(text)
    cut.whole = whole.whole if isinstance(whole, _Cut) else whole
    return cut


class Canvas:
    """Where a chart is drawn: its Axes, and sizes that only a figure of our own takes on."""

    def __init__(self, ax: Axes, drawing: Drawing) -> None:
        self.ax = ax
        self.own = isinstance(ax, SelfShowing)
        self.figure = root(ax)
        self.drawing = drawing
        self._below = FOOT

    def adopt(self) -> None:
        """Bring Axes that were made in another style to ours, without clearing them."""
        self.ax.set_axisbelow(True)
        self.ax.tick_params(labelsize=SMALL, labelcolor=COLOURS["muted"], labelfontfamily=FAMILIES)

    @property
    def figure_width(self) -> float:
        """Width of the figure [pt]."""
        return float(self.figure.get_size_inches()[0]) * 72

    @property
    def is_narrow(self) -> bool:
        """Whether the figure stands beside another one on a page."""
        return self.figure_width < _NARROW * MILLIMETRE

    @property
    def width(self) -> float:
        """Width of the plot itself [pt]."""
        return float(self.ax.get_window_extent().width) / self.figure.dpi * 72

    @property
    def height(self) -> float:
        """Height of the plot itself [pt]."""
        return float(self.ax.get_window_extent().height) / self.figure.dpi * 72

    @property
    def foot(self) -> float:
        """Height of the line below the plot, from its lower edge [pt]."""
        return (1.3 - self._below) * MILLIMETRE

    @property
    def others(self) -> str:
        """What is written below the plot of what isn't drawn; blank where everything is."""
        return and_others(self.drawing.left_out)

    def first(self, rows: Rows, most: int, one: str, many: str = "") -> Rows:
        """Return the first rows, and count the others, under their name, below the plot."""
        self.leave_out(len(rows) - most, one, many)
        return rows[:most]

    def leave_out(self, count: int, one: str, many: str = "", *, how: str = "more") -> None:
        """Count below the plot what isn't drawn, where anything is; say so before `margins`."""
        if count > 0:
            forms = (
                " ".join(filter(None, ("{count}", how, noun))) for noun in (one, many or f"{one}s")
            )
            self.drawing.left_out.append(say_count(count, *forms))

    def fit(self, name: str, width: float, size: float = TEXT, lines: int = 1) -> str:
        """Return a name in lines no wider than `width` [pt], cut where it takes more than `lines`.

        The whole of a name that is cut is kept for the page that the chart will stand on.
        """
        return _shown(fit(name, width, size, lines), name)

    def fit_note(self, note: str, width: float) -> str:
        """Return a note in a line no wider than `width` [pt], cut in no number; see `fit`."""
        return _shown(fit_note(note, width), note)

    def entitle(
        self,
        artists: Iterable[Artist],
        titles: Sequence[str],
        keys: Iterable[tuple[str, str]],
    ) -> None:
        """Say what a pointer shows on each of some artists; nothing where its title is empty."""
        for artist, name in zip(artists, self.name(titles, keys), strict=True):
            if name:
                artist.set_gid(name)

    def name(
        self, titles: Sequence[str], keys: Iterable[tuple[str, str]] | None = None
    ) -> list[str]:
        """Return an SVG id for each mark that has a title, and note both; else a blank."""
        names = []
        for title, key in zip(titles, [None] * len(titles) if keys is None else keys, strict=True):
            name = f"titled-{len(self.drawing.titles)}" if title else ""
            names.append(name)
            if title:
                self.drawing.titles[name] = title
                if key is not None:
                    self.drawing.keys[name] = key
        return names

    def panel(self, left: float, width: float) -> Canvas:
        """Return a part of the plot [shares of its width]."""
        return Canvas(self.ax.inset_axes((left, 0, width, 1)), self.drawing)

    def finish(self) -> None:
        """Write what is left out below the plot, and note where names are cut."""
        if self.others:
            # Below a narrow plot it starts further left, so that it ends inside.
            self.ax.text(
                min(0.0, self.width - text_width(self.others, SMALL)),
                self.foot,
                self.others,
                transform=self.from_corner(0, 0),
                fontsize=SMALL,
                color=COLOURS["muted"],
            )
        for text in self.ax.findobj(Text):
            shown = text.get_text()
            if isinstance(shown, _Cut):
                # The same name has the same id in every figure, and so the same bytes.
                text.set_gid(f"{_WHOLE}{crc32(shown.whole.encode()):08x}")
                self.drawing.titles[str(text.get_gid())] = shown.whole
            elif str(text.get_gid()).startswith(_WHOLE):  # of a chart that was here before
                text.set_gid(None)

    def size(self, height: float) -> None:
        """Set the height of our own figure [mm]; what is left out takes a line more."""
        height += FOOT if self.drawing.left_out else 0
        if self.own:
            self.figure.set_size_inches(self.figure.get_size_inches()[0], height * MM)

    def margins(self, left: float, right: float, top: float, bottom: float) -> None:
        """Set what stays free around the plot [mm] in our own figure."""
        bottom += FOOT if self.drawing.left_out else 0
        self._below = bottom
        if self.own:
            width, height = self.figure.get_size_inches() / MM
            self.figure.subplots_adjust(
                left=left / width,
                right=1 - right / width,
                top=1 - top / height,
                bottom=bottom / height,
            )

    def from_corner(self, x: float, y: float, right: float = 0, up: float = 0) -> Transform:
        """Return a transform whose unit is the point, from a place given in shares of the plot."""
        points = Affine2D().translate(right, up).scale(1 / 72)
        origin = ScaledTranslation(x, y, cast("Affine2DBase", self.ax.transAxes))
        return points + self.figure.dpi_scale_trans + origin

    def unit(self, text: str, *, axis: str) -> None:
        """Name the unit above the plot's upper left corner, as the label of `axis`."""
        named = self.ax.yaxis if axis == "y" else self.ax.xaxis
        style: Any = {"fontsize": SMALL, "family": FAMILIES, "color": COLOURS["muted"]}
        named.set_label_text(say(text), rotation=0, ha="left", va="bottom", **style)
        named.set_label_coords(0, 5, transform=self.from_corner(0, 1))

    def hairlines(self, axis: Literal["x", "y"]) -> None:
        """Draw thin lines at the ticks of one axis."""
        self.ax.grid(axis=axis, color=COLOURS["line"], linewidth=0.6, linestyle="-", alpha=1)

    def bare(self) -> None:
        """Take away the frame, the ticks and their labels."""
        self.ax.spines[:].set_visible(False)
        self.ax.tick_params(length=0)
        self.ax.set(xticks=[], yticks=[])

    def message(self, text: str) -> None:
        """Say in words that there is nothing to draw."""
        self.bare()
        self.size(24)
        self.margins(0, 0, 0, 0)
        label = self.ax.text(0.5, 0.5, say(text), ha="center", va="center", color=COLOURS["muted"])
        label.set_transform(self.ax.transAxes)


# Matplotlib's own: bars and texts are bent on them, or take other arguments.
_OTHER_PROJECTIONS = {"3d", "polar", "aitoff", "hammer", "lambert", "mollweide"}


def _check_axes(ax: Any) -> None:
    """Refuse what no chart can be drawn on."""
    if not isinstance(ax, Axes | None):
        problem = "is not Axes of matplotlib"
    elif ax is not None and ax.get_figure() is None:
        problem = "was removed from its figure"
    elif ax is not None and ax.name in _OTHER_PROJECTIONS:
        problem = f"is {ax.name}, and charts are drawn on straight Axes"
    else:
        return
    raise InvalidValue(
        f"ax={brief(ax)} {problem}.",
        advice="Pass what plt.subplots() returns second, of several one, such as axes[0], or leave"
        " it out.",
    )


@contextmanager
def canvas(
    frame: pd.DataFrame,
    ax: Axes | None,
    *,
    width: float = COLUMN,
    height: float = 60.0,
    title: str,
    colours: Colours,
) -> Iterator[Canvas]:
    """Apply the house style while a chart of `frame` is drawn, on `ax` or on new Axes [mm].

    Then write its title, and change its colours to those that are given, or that a dark page needs.
    """
    _check_axes(ax)
    on_dark = ax is not None and is_dark(ax)
    chosen = palette(colours, light=COLOURS, dark=DARK, series=SERIES, on_dark=on_dark)
    with settings(_RC):
        page = Canvas(axes(width, height) if ax is None else ax, Drawing(frame))
        page.adopt()
        yield page
        page.finish()
        if title != "":
            style = {"family": FAMILIES, "color": COLOURS["ink"], "fontsize": TEXT + 1.5}
            add_title(page.ax, title, own=page.own, fontweight=BOLD, **style)
        if chosen:
            recolour(page.ax, COLOURS, chosen, own=page.own)
        cast("Any", page.ax).drawing = page.drawing


_NOT_GIVEN = message("not given")


def clean(value: Any, null: str = _NOT_GIVEN) -> str:
    r"""Return a name as one line of text that any picture format can hold.

    Control characters break SVG, direction overrides turn the text around them; null becomes
    `null`.

    Examples
    --------
    >>> clean(" Fjord\n\x00Ísafjörður "), clean(None)
    ('Fjord Ísafjörður', 'not given')
    """
    if pd.isna(value):
        return say(null)
    return single_line(str(value)) or say(null)


def number(value: Any, decimals: int = 0) -> str:
    """Write a number for people; one of ten digits and more in three figures.

    Examples
    --------
    >>> number(1795.25), number(2.5e9, 1), number(None)
    ('1,795', '2.50bn', '–')
    """
    if pd.isna(value) or abs(float(value)) < _LONGEST_NUMBER:
        return rounding.number(value, decimals)
    return short(float(value))


def short(value: float) -> str:
    """Write an amount of many digits in three figures: the table beside a chart has them all.

    Examples
    --------
    >>> short(950.4), short(9500), short(124_300), short(1_250_000), short(float("nan"))
    ('950', '9.5k', '124k', '1.25M', '–')
    >>> short(999.7e6), short(2.5e9), short(27.105e9), short(-1e300)
    ('1.00bn', '2.50bn', '27.1bn', '−1.0e300')
    """
    size = abs(value)
    if isfinite(value) and size >= 999.5e9:
        return rounding.format_number(value, ".1e").replace("e+", "e")
    for limit, factor, form in _SCALES:
        if size >= limit:
            scaled = value / factor
            decimals = int(abs(scaled) < (99.95 if factor > _THOUSAND else 9.95))
            decimals += factor > _THOUSAND and abs(scaled) < 9.995
            return say(form, number=rounding.number(scaled, decimals))
    return rounding.number(value)


def signed(value: float, text: str) -> str:
    """Return a written number with a plus where it is above 0, also as it is written.

    Examples
    --------
    >>> signed(1.2, "1.2"), signed(0.04, "0.0"), signed(-1.2, "−1.2")
    ('+1.2', '0.0', '−1.2')
    """
    return f"+{text}" if value > 0 and text.strip("0.,") else text


def status_colours(names: Iterable[str]) -> list[str]:
    """Return the colour of each bar: a quiet one for statuses beside the order of the work."""
    return [COLOURS["quiet" if name in ASIDE else "accent"] for name in names]


def series_styles(names: list[str]) -> dict[str, dict[str, Any]]:
    """Return colour and hatch of each series; from the seventh on a hatch tells it apart."""
    return {
        name: {
            "facecolor": COLOURS[SERIES[index % len(SERIES)]],
            # A thin seam of paper parts what is stacked.
            "edgecolor": COLOURS["paper"],
            "linewidth": 0.5,
            "hatch": "////" if index >= len(SERIES) else None,
        }
        for index, name in enumerate(names)
    }
