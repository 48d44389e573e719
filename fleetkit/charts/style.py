"""The house style of every chart: colours, type, sizes in millimetres, empty frames.

A chart draws on the Axes it is given, or on new ones that a notebook shows by itself. Nothing here
touches pyplot, so no figure stays behind, and the user's own settings stay as they were.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, cast

import matplotlib
import narwhals as nw
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.transforms import Affine2D, Affine2DBase, ScaledTranslation, Transform

from fleetkit.errors import InvalidValue
from fleetkit.rounding import number

__all__ = [
    "COLOURS",
    "COLUMN",
    "DARK",
    "HALF",
    "Canvas",
    "SelfShowing",
    "axes",
    "canvas",
    "clean",
    "number",
    "read",
    "series_styles",
    "text_width",
    "wrap",
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

# A column of an A4 page, and half of one beside another. [mm]
COLUMN, HALF = 180.0, 88.0
MM = 1 / 25.4  # [inch]
MILLIMETRE = 72 * MM  # [pt]
# Type sizes. [pt]
TEXT, SMALL = 8.0, 7.2
BOLD = 700

_OTHER_SCRIPTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Arial Unicode MS", "Hiragino Sans")


def _families() -> list[str]:
    """Inter from the package's own templates, and what this machine has for other scripts."""
    package = Path(__file__).parents[1]
    for folder in (package / "_data" / "templates", package.parent / "templates"):
        for weight, name in ((400, "Regular"), (BOLD, "SemiBold")):
            font = folder / "fonts" / f"Inter-{name}.ttf"
            if font.is_file():
                fontManager.addfont(font)
                # A page knows both as one family; so must the SVG text.
                entry = replace(fontManager.ttflist[-1], name="Inter", weight=weight)
                fontManager.ttflist[-1] = entry
    known = set(fontManager.get_font_names())
    return [name for name in ("Inter", "DejaVu Sans", *_OTHER_SCRIPTS) if name in known]


FAMILIES = _families()
_RC: Any = {
    "font.family": FAMILIES,
    "font.size": TEXT,
    "text.color": COLOURS["ink"],
    # A name from the API may hold dollar signs; it is text, never a formula.
    "text.parse_math": False,
    "figure.facecolor": COLOURS["paper"],
    "figure.edgecolor": COLOURS["paper"],
    "axes.facecolor": "none",
    "axes.edgecolor": COLOURS["muted"],
    "axes.linewidth": 0.6,
    "axes.unicode_minus": True,
    "patch.linewidth": 0.0,
    "hatch.color": COLOURS["paper"],
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",
}


def root(ax: Axes) -> Figure:
    """Return the figure that `ax` stands on."""
    return cast("Figure", ax.get_figure(root=True))


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

    Examples
    --------
    >>> ax = axes(HALF, 40)
    >>> (ax.figure.get_size_inches() * 25.4).round().tolist()
    [88.0, 40.0]
    """
    with matplotlib.rc_context(_RC):
        figure = Figure(figsize=(width * MM, height * MM))
        return cast("SelfShowing", figure.add_subplot(axes_class=SelfShowing))


class Canvas:
    """Where a chart is drawn: its Axes, and sizes that only a figure of our own takes on."""

    def __init__(self, ax: Axes) -> None:
        self.ax = ax
        self.own = isinstance(ax, SelfShowing)
        self.figure = root(ax)

    def adopt(self) -> None:
        """Bring Axes that were made in another style to ours, without clearing them."""
        self.ax.set_axisbelow(True)
        self.ax.tick_params(labelsize=SMALL, labelcolor=COLOURS["muted"], labelfontfamily=FAMILIES)

    @property
    def figure_width(self) -> float:
        """Width of the figure [pt]."""
        return float(self.figure.get_size_inches()[0]) * 72

    @property
    def width(self) -> float:
        """Width of the plot itself [pt]."""
        return float(self.ax.get_window_extent().width) / self.figure.dpi * 72

    @property
    def height(self) -> float:
        """Height of the plot itself [pt]."""
        return float(self.ax.get_window_extent().height) / self.figure.dpi * 72

    def size(self, height: float) -> None:
        """Set the height of our own figure [mm]."""
        if self.own:
            self.figure.set_size_inches(self.figure.get_size_inches()[0], height * MM)

    def margins(self, left: float, right: float, top: float, bottom: float) -> None:
        """Set what stays free around the plot [mm] in our own figure."""
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
        place = ScaledTranslation(x, y, cast("Affine2DBase", self.ax.transAxes))
        return points + self.figure.dpi_scale_trans + place

    def unit(self, text: str, *, axis: str) -> None:
        """Name the unit above the plot's upper left corner, as the label of `axis`."""
        named = self.ax.yaxis if axis == "y" else self.ax.xaxis
        look: Any = {"fontsize": SMALL, "family": FAMILIES, "color": COLOURS["muted"]}
        named.set_label_text(text, rotation=0, ha="left", va="bottom", **look)
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
        said = self.ax.text(0.5, 0.5, text, ha="center", va="center", color=COLOURS["muted"])
        said.set_transform(self.ax.transAxes)


@contextmanager
def canvas(ax: Axes | None, *, width: float = COLUMN, height: float = 60.0) -> Iterator[Canvas]:
    """Apply the house style while a chart is drawn, on `ax` or on new Axes [mm]."""
    with matplotlib.rc_context(_RC):
        page = Canvas(axes(width, height) if ax is None else ax)
        page.adopt()
        yield page


def read(frame: Any, chart: str, *needed: str) -> pd.DataFrame:
    """Return the small frame as pandas, whatever engine it came from, after checking its columns.

    Raises
    ------
    InvalidValue
        When it isn't a frame, or lacks a column that the chart draws.
    """
    try:
        small = nw.from_native(frame).lazy().collect(backend="pandas").to_native()
    except TypeError:
        raise InvalidValue(
            f"charts.{chart} draws a DataFrame, not {type(frame).__name__}.",
            advice=f"Pass what metrics.{chart} returns.",
        ) from None
    missing = [name for name in needed if name not in small.columns]
    if missing:
        raise InvalidValue(
            f"charts.{chart} misses the column {', '.join(missing)}.",
            advice=f"Pass what metrics.{chart} returns.",
        )
    return pd.DataFrame(small).reset_index(drop=True)


def clean(value: Any, null: str = "not given") -> str:
    r"""Return a name as one line of text that any picture format can hold.

    Control characters break SVG, direction overrides turn the text around them; null becomes
    `null`.

    Examples
    --------
    >>> clean(" Fjord\n\x00Ísafjörður "), clean(None)
    ('Fjord Ísafjörður', 'not given')
    """
    if pd.isna(value):
        return null
    kept = "".join(
        letter if unicodedata.category(letter) not in {"Cc", "Cs", "Cn"} else " "
        for letter in str(value)
        if letter not in "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    return " ".join(kept.split()) or null


# A canvas that is only measured on, as coarse as a screen: there, letters are widest.
_DPI = 100
_MEASURE = FigureCanvasAgg(Figure(figsize=(0.1, 0.1), dpi=_DPI)).get_renderer()


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = TEXT) -> float:
    """Return the width of text in the house type [pt], the widest of its lines."""
    kind = FontProperties(family=FAMILIES, size=size)
    with warnings.catch_warnings():
        # A glyph that no font has is reported when the chart is drawn.
        warnings.simplefilter("ignore")
        widths = [
            _MEASURE.get_text_width_height_descent(line, kind, ismath=False)[0] * 72 / _DPI
            for line in text.split("\n")
        ]
    return max(widths)


def wrap(text: str, width: float, size: float = TEXT) -> str:
    r"""Break text into lines no wider than `width`: at spaces and hyphens, in a word if need be.

    Parameters
    ----------
    width, size : float
        Longest line, type size. [pt]

    Examples
    --------
    >>> wrap("Rooftop survey of the old harbour", 80).count("\n")
    1
    """
    if text_width(text, size) <= width:
        return text
    lines = [""]
    for piece in re.findall(r"[^\s-]*-*\s*", text):
        if text_width((lines[-1] + piece).rstrip(), size) <= width:
            lines[-1] += piece
            continue
        lines += [""] * bool(lines[-1])
        for letter in piece:
            if lines[-1] and text_width((lines[-1] + letter).rstrip(), size) > width:
                lines.append("")
            lines[-1] += letter
    return "\n".join(line.strip() for line in lines if line.strip())


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
