"""How wide a printed table's columns are, from their texts.

A printed table has columns of fixed width, in which any word breaks at last: one long word can't
make the table wider than the page, which would shrink every page. Browsers lay the table out
themselves, for it can be scrolled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fleetkit.lettering import em
from fleetkit.reports.cutting import read_name

__all__ = ["shares"]

# What the style sheet gives a printed table, and half of the page's width of one. [em]
PAGE, HALF = 62.0, 29.0
# Widest word that a column makes room for; a longer one breaks. [em]
_LONGEST = 13.0
# Room between columns, for a bar beside a number, and for the frame of a label. [em]
_GAP, _BAR, _FRAME = 1.4, 7.0, 1.2


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
    words = [min(_longest_word(texts), _LONGEST) for texts in cells]
    # A head may take two lines where names and days of the rows then take one.
    rows = [max(map(em, texts[1:]), default=0.0) for texts in cells]
    texts = [max(map(em, texts)) for texts in cells]
    room = (HALF if half else PAGE) - sum(beside)
    if sum(words) > room:
        inside = _levelled(words, room)
    else:
        inside = _widened(_widened(words, rows, room), texts, room)
    widths = [sum(pair) for pair in zip(inside, beside, strict=True)]
    return [round(100 * width / sum(widths), 1) for width in widths]


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


def _levelled(widths: Sequence[float], room: float) -> list[float]:
    """Cut the widest down to one width, so that all fit; narrow columns stay as they are.

    Examples
    --------
    >>> _levelled([4.0, 20.0, 10.0, 30.0], 44.0)
    [4.0, 15.0, 10.0, 15.0]
    """
    level = room
    for place, width in enumerate(sorted(widths)):
        level = room / (len(widths) - place)
        if width > level:
            break
        room -= width
    return [min(width, level) for width in widths]


def _texts(block: Mapping[str, Any], index: int, column: Mapping[str, Any]) -> list[str]:
    rows = [*block["rows"], *block["totals"]]
    texts = (column["label"], *(row["texts"][index] for row in rows))
    return [read_name(text) for text in texts]


def _longest_word(texts: Iterable[str]) -> float:
    return max((em(word) for text in texts for word in text.split()), default=0.0)


def _beside(column: Mapping[str, Any]) -> float:
    """Return the room that a column needs beside its text [em]."""
    bar, label = column["style"] == "bar", isinstance(column["style"], Mapping)
    return _GAP + (_BAR if bar else 0.0) + (_FRAME if label else 0.0)
