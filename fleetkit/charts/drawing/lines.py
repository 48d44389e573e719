"""Names set in lines of a given width, and cut where they take too many."""

from __future__ import annotations

import re
import unicodedata
import warnings
from bisect import bisect_right
from functools import lru_cache
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from fleetkit.charts.drawing.fonts import FAMILIES, TEXT, known_letters
from fleetkit.lettering import columns, cut, id_at_end, letters

__all__ = ["fit", "fit_note", "text_width", "wrap"]

# Longest name that is measured letter by letter; a longer one is cut first. [columns]
_LONGEST = 160
# Longest line that is measured as a whole. [letters]
_EXACT = 48
# What joins the parts of a note: before "…" nothing follows that it could join.
_BETWEEN = " ·,("
# A canvas that is only measured on, as coarse as a screen: there, letters are widest.
_DPI = 100
_CANVAS: Any = FigureCanvasAgg(Figure(figsize=(0.1, 0.1), dpi=_DPI))  # partly without types
_MEASURE = _CANVAS.get_renderer()


def text_width(text: str, size: float = TEXT) -> float:
    """Return the width of text in the house type [pt], the widest of its lines."""
    return max(_line_width(line, size) for line in text.split("\n"))


@lru_cache(maxsize=8192)
def _line_width(line: str, size: float) -> float:
    if len(line) > _EXACT:
        # Measuring letter by letter is fast, and gives too much rather than too little.
        return sum(_line_width(letter, size) for letter in letters(line))
    kind = FontProperties(family=FAMILIES, size=size)
    with warnings.catch_warnings():
        # A glyph that no font has is reported when the chart is drawn.
        warnings.simplefilter("ignore")
        widths = [
            _MEASURE.get_text_width_height_descent(variant, kind, ismath=False)[0]
            for variant in {line, _with_substitutes(line)}
        ]
    return float(max(widths)) * 72 / _DPI


def _with_substitutes(line: str) -> str:
    """Replace letters that no font here has by ones as wide: a reader's machine may have them.

    Matplotlib 3.10 would measure a box that is narrower than an ideograph.
    """
    if line.isascii():
        return line
    known = known_letters()
    return "".join(letter if ord(letter) in known else _substitute(letter) for letter in line)


def _substitute(letter: str) -> str:
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return ""
    return "W" if columns(letter) == 2 else "D"


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
    return "\n".join(_lines(text, width, size))


def _lines(text: str, width: float, size: float, most: int = 1_000) -> list[str]:
    """Return the first lines of a text, one more than `most` where there are more."""
    lines = [""]
    for piece in re.findall(r"[^\s-]*-*\s*", text):
        if text_width((lines[-1] + piece).rstrip(), size) <= width:
            lines[-1] += piece
            continue
        # A word that no line holds starts where the last one ended.
        start = lines.pop() if text_width(piece.rstrip(), size) > width else ""
        rest = letters(start + piece)
        while len(lines) <= most and text_width("".join(rest).rstrip(), size) > width:
            count = max(1, _fitting(rest, width, size))
            lines.append("".join(rest[:count]))
            rest = rest[count:]
        lines.append("".join(rest))
        if len(lines) > most:
            break
    return [line.strip() for line in lines if line.strip()]


def _fitting(line: list[str], width: float, size: float, end: str = "") -> int:
    """Return how many letters of a line, followed by `end`, fit into a width."""
    counts = range(1, len(line) + 1)
    return bisect_right(
        counts, width, key=lambda count: text_width("".join(line[:count]).rstrip() + end, size)
    )


def fit(text: str, width: float, size: float = TEXT, lines: int = 1) -> str:
    r"""Return text in at most so many lines no wider than `width`, cut with "…" where it has more.

    An id in brackets at its end stays, where it fits.

    Parameters
    ----------
    width, size : float
        Longest line, type size. [pt]
    lines : int

    Examples
    --------
    >>> fit("Heron 1", 80), fit("Rooftop survey of the old harbour", 80)
    ('Heron 1', 'Rooftop survey of…')
    >>> fit("Rooftop survey of the old harbour (proj_7)", 100)
    'Rooftop surve… (proj_7)'
    """
    if text_width(text, size) <= width:
        return text
    wrapped = _lines(cut(text, _LONGEST), width, size, lines)
    if len(wrapped) <= lines:
        return "\n".join(wrapped)
    last, end = letters(wrapped[lines - 1]), f"…{id_at_end(text)}"
    end = end if text_width(end, size) <= width else "…"
    start = "".join(last[: _fitting(last, width, size, end)]).rstrip()
    return "\n".join([*wrapped[: lines - 1], f"{start}{end}"])


def fit_note(text: str, width: float, size: float = TEXT) -> str:
    """Return a line no wider than `width`, cut with "…" where it is, but in no number.

    A number without its last digits would read as another one. Its groups of digits, and what
    counts it in thousands, are joined to it by no-break spaces. Parameters as `wrap`.

    Examples
    --------
    >>> fit("12 days · 12 standing", 52), fit_note("12 days · 12 standing", 52)
    ('12 days · 1…', '12 days…')
    """
    shown = fit(text, width, size)
    start = shown.removesuffix("…")
    if shown == text or text.startswith(f"{start} ") or not text.startswith(start):
        return shown
    whole, _, last = start.rpartition(" ")
    if not whole or not any(letter.isdigit() for letter in last):
        return shown
    return f"{whole.rstrip(_BETWEEN)}…"
