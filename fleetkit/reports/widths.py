"""How wide a printed table's columns are, and how high the labels of key figures, by their texts.

A printed table has columns of fixed width, in which any word breaks at last: one long word can't
make the table wider than the page, which would shrink every page. Browsers lay the table out
themselves, for it can be scrolled.

A number that breaks is read as another one. Where numbers lack room in half of the page's width,
the table takes all of it; where they lack room there, its type is smaller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

from fleetkit.lettering import em
from fleetkit.reports.cutting import read_name

__all__ = ["fits_half", "label_lines", "lines", "shares", "type_size"]

# Width of a printed table in the style sheet, and of one that takes half of the page. [em]
PAGE, HALF = 62.0, 29.0
# Widest word that a column makes room for; a longer one breaks, into pieces at the least. [em]
_LONGEST, _PIECE = 13.0, 4.0
# Type of a printed table, and the smallest that numbers make of it. [pt]
TYPE, _LEAST_TYPE = 8.2, 6.2
# Digits and what stands between them in the report's font, bold too, a little more than the true
# width: what holds for all capital letters would take room that numbers don't need. [em]
_DIGIT, _BETWEEN = 0.66, 0.33
_DIGITS = frozenset("0123456789+−-")
_NUMBER = re.compile(r"[\d.,'’\xa0\u202f+−-]*\d[\d.,'’\xa0\u202f]*")
# Numbers of many languages hold blanks at which no line ends.
_WORD = re.compile(r"[^ \t\r\n]+")
# Room between columns, for a bar beside a number, and for the frame of a label. [em]
_GAP, _BAR, _FRAME = 1.4, 7.0, 1.2
# Cards of key figures in a row, the width of all, and what each takes for its edges and the gap to
# the next one, in the type of their labels. [em]
_CARDS, _ALL_CARDS, _AROUND = 6, 62.8, 1.6
# How much wider `em` takes labels to be than they are.
_TOO_WIDE = 1.12


def shares(block: Mapping[str, Any], *, half: bool) -> list[float]:
    """Return each column's share of the table's width [%].

    Each column has room for its longest word, and where there is more, for more of its text.

    Parameters
    ----------
    block : mapping
        A table as `Section.table` describes it.
    half : bool
        Whether it takes half of the page's width.

    Examples
    --------
    >>> columns = [{"label": "Name", "align": "start", "style": ""}]
    >>> columns += [{"label": "Hours", "align": "end", "style": ""}]
    >>> rows = [{"texts": ["Kestrel 1, the spare one", "1.5"]}]
    >>> shares({"columns": columns, "rows": rows, "totals": []}, half=True)
    [75.6, 24.4]

    A bar takes room beside its numbers, and a frame around them a little.

    >>> for columns[1]["style"] in ("bar", {"1.5": "good"}):
    ...     shares({"columns": columns, "rows": rows, "totals": []}, half=True)
    [54.8, 45.2]
    [71.0, 29.0]
    """
    cells = [_texts(block, index, column) for index, column in enumerate(block["columns"])]
    beside = [_beside(column) for column in block["columns"]]
    longest_words = [min(max(map(em, _words(texts)), default=0.0), _LONGEST) for texts in cells]
    # A head may take two lines where names and days of the rows then take one.
    unbroken_rows = [max(map(em, texts[1:]), default=0.0) for texts in cells]
    unbroken = [max(map(em, texts)) for texts in cells]
    room = (HALF if half else PAGE * TYPE / type_size(block)) - sum(beside)
    if sum(longest_words) > room:
        inside = _levelled(longest_words, _least(block), room)
    else:
        begun = (longest_words, *_one_first(longest_words, unbroken_rows, room))
        every = [_widened(_widened(least, unbroken_rows, room), unbroken, room) for least in begun]
        inside = min(every, key=lambda widths: _height(cells, widths))
    widths = [sum(pair) for pair in zip(inside, beside, strict=True)]
    return [round(100 * width / sum(widths), 1) for width in widths]


def fits_half(block: Mapping[str, Any]) -> bool:
    """Whether no word of a table must break in half of the page's width.

    Examples
    --------
    >>> names = ("Value", "Cost", "Margin")
    >>> columns = [{"label": name, "align": "end", "style": ""} for name in names]
    >>> [
    ...     fits_half({"columns": columns, "rows": [{"texts": [text] * 3}], "totals": []})
    ...     for text in ("12,345,678", "112,345,678,901")
    ... ]
    [True, False]
    """
    return _needed(block) <= HALF


def type_size(block: Mapping[str, Any]) -> float:
    """Return the size in which no number of a table of the page's width breaks [pt].

    Not below a size that can be read: then numbers break after all.

    Examples
    --------
    >>> columns = [{"label": str(year), "align": "end", "style": ""} for year in range(2020, 2028)]
    >>> [
    ...     type_size({"columns": columns, "rows": [{"texts": [text] * 8}], "totals": []})
    ...     for text in ("345,678", "345,678,901", "12,345,678,901,234,567")
    ... ]
    [8.2, 7.9, 6.2]
    """
    needed = _needed(block)
    return TYPE if needed <= PAGE else max(int(10 * TYPE * PAGE / needed) / 10, _LEAST_TYPE)


def lines(text: str, width: float) -> int:
    """Return how many lines a printed text takes, at least one.

    Parameters
    ----------
    text : str
    width : float
        Of a line, in the type of the text [em].

    Examples
    --------
    >>> lines("Kestrel 1, the spare one", 12), lines("Kestrel 1, the spare one", 6)
    (1, 3)

    A word that is wider than a line is broken.

    >>> lines("Kestrel" * 10, 12)
    3
    """
    line, count, end = width * _TOO_WIDE, 1, 0.0
    for word in map(em, _WORD.findall(text)):
        if end and end + word > line:
            count, end = count + 1, 0.0
        full = ceil(word / line) - 1
        count, end = count + full, end + word - full * line + em(" ")
    return count


def label_lines(labels: Iterable[str]) -> int:
    """Return the lines that the highest of the printed labels takes, of key figures in a row.

    Examples
    --------
    >>> label_lines(["Flights", "Hours"]), label_lines(["Idle for three months or longer"] * 4)
    (1, 2)
    """
    labels = list(labels)
    room = _ALL_CARDS / min(len(labels), _CARDS) - _AROUND
    return max(ceil(em(read_name(label)) / _TOO_WIDE / room) for label in labels)


def _needed(block: Mapping[str, Any]) -> float:
    """Return the width in which no word breaks that may not [em]."""
    return sum(_least(block)) + sum(map(_beside, block["columns"]))


def _least(block: Mapping[str, Any]) -> list[float]:
    """Return the width below which a word of each column breaks that may not [em]."""
    return [
        max(map(_unbroken, _words(_texts(block, index, column))), default=0.0)
        for index, column in enumerate(block["columns"])
    ]


def _unbroken(word: str) -> float:
    if _NUMBER.fullmatch(word):
        return min(sum(_DIGIT if sign in _DIGITS else _BETWEEN for sign in word), _LONGEST)
    width = em(word)
    return width if width <= _LONGEST else _PIECE


def _widened(widths: Sequence[float], texts: Sequence[float], room: float) -> list[float]:
    """Widen columns towards their texts, each by the same share of what it lacks.

    Examples
    --------
    >>> _widened([4.0, 8.0], [8.0, 6.0], 14.0), _widened([4.0, 8.0], [8.0, 6.0], 20.0)
    ([6.0, 8.0], [8.0, 8.0])
    """
    lacking = [max(text - width, 0.0) for width, text in zip(widths, texts, strict=True)]
    spare = min(1.0, (room - sum(widths)) / max(sum(lacking), 1.0))
    return [width + spare * more for width, more in zip(widths, lacking, strict=True)]


def _one_first(widths: Sequence[float], rows: Sequence[float], room: float) -> list[list[float]]:
    """Return widths of which one column's are as wide as its rows, as far as there is room.

    Examples
    --------
    >>> _one_first([4.0, 8.0], [8.0, 20.0], 14.0)
    [[6.0, 8.0], [4.0, 10.0]]
    """
    spare = room - sum(widths)
    return [
        [*widths[:place], width + min(max(rows[place] - width, 0.0), spare), *widths[place + 1 :]]
        for place, width in enumerate(widths)
    ]


def _height(cells: Sequence[Sequence[str]], widths: Sequence[float]) -> int:
    """Return how many lines the rows of a table take together.

    Examples
    --------
    >>> _height([["Name", "Kestrel 1", "Kestrel"], ["Hours", "1.5", "2"]], [4.0, 3.0])
    4
    """
    return sum(
        max(lines(text, width) for text, width in zip(row, widths, strict=True))
        for row in zip(*cells, strict=True)
    )


def _levelled(widths: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Cut the widest down to one width, so that all fit; narrow columns stay as they are.

    None is cut below its least width, where there is room for these.

    Examples
    --------
    >>> _levelled([4.0, 20.0, 10.0, 30.0], [0.0] * 4, 44.0)
    [4.0, 15.0, 10.0, 15.0]
    >>> _levelled([4.0, 20.0, 10.0, 30.0], [0.0, 0.0, 0.0, 20.0], 44.0)
    [4.0, 10.0, 10.0, 20.0]
    """
    if sum(least) > room:
        least = [0.0] * len(widths)
    # Above the level: columns that stay at their least width.
    firm: set[int] = set()
    while True:
        rest = room - sum(least[place] for place in firm)
        level = _level([width for place, width in enumerate(widths) if place not in firm], rest)
        below = {place for place, width in enumerate(least) if width > level} - firm
        if not below:
            break
        firm |= below
    return [
        least[place] if place in firm else min(width, level) for place, width in enumerate(widths)
    ]


def _level(widths: Sequence[float], room: float) -> float:
    """Return the width that the widest are cut down to, so that all fit."""
    level = room
    for place, width in enumerate(sorted(widths)):
        level = room / (len(widths) - place)
        if width > level:
            break
        room -= width
    return level


def _texts(block: Mapping[str, Any], index: int, column: Mapping[str, Any]) -> list[str]:
    rows = [*block["rows"], *block["totals"]]
    texts = (column["label"], *(row["texts"][index] for row in rows))
    return [read_name(text) for text in texts]


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text)]


def _beside(column: Mapping[str, Any]) -> float:
    """Return the room that a column needs beside its text [em]."""
    bar, label = column["style"] == "bar", isinstance(column["style"], Mapping)
    return _GAP + (_BAR if bar else 0.0) + (_FRAME if label else 0.0)
