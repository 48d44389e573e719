"""Texts set in columns of about equal height, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from fleetkit.reports.widths import lines

__all__ = ["balanced"]

COLUMNS = 3
# Most definitions of a group, which no page break divides. The first group fills one row: so little
# room below a chapter holds the heading and the first definitions.
MOST = 9
# Width of a column in the style sheet, in the type of its texts [em], and the room between two of
# them [lines].
_WIDTH, _BETWEEN = 21.1, 0.25


def balanced(definitions: Sequence[Mapping[str, str]]) -> list[list[list[Mapping[str, str]]]]:
    """Return groups of definitions, each in columns, that are as low as can be together.

    Parameters
    ----------
    definitions : sequence of dict
        ``term`` and ``text``.

    Examples
    --------
    >>> texts = [{"term": t, "text": "long " * 40 * (t == "D")} for t in "ABCDEFGH"]
    >>> [[len(column) for column in group] for group in balanced(texts)]
    [[1, 1, 1], [1, 1, 3]]
    """
    heights = [lines(f"{item['term']} {item['text']}", _WIDTH) + _BETWEEN for item in definitions]
    return [
        [list(definitions[start:end]) for start, end in pairwise(_columns(heights, *group))]
        for group in pairwise(_groups(heights))
    ]


def _groups(heights: Sequence[float]) -> list[int]:
    """Return where groups begin, and where the last one ends; each fills all columns."""
    count = len(heights)
    if count < 2 * COLUMNS:
        return [0, count] if count else []
    # Of the definitions from a place on: how high they are at least, and where their groups begin.
    least: dict[int, tuple[float, list[int]]] = {count: (0.0, [count])}
    for start in range(count - COLUMNS, COLUMNS - 1, -1):
        groups = [
            _columns(heights, start, start + size)
            for size in range(COLUMNS, MOST + 1)
            if start + size in least
        ]
        least[start] = min(
            (_height(heights, group) + least[group[-1]][0], [start, *least[group[-1]][1]])
            for group in groups
        )
    return [0, *least[COLUMNS][1]]


def _columns(heights: Sequence[float], start: int, end: int) -> list[int]:
    """Return where columns begin, and the last one ends: the highest is as low as can be."""
    cuts = combinations(range(start + 1, end), min(COLUMNS, end - start) - 1)
    return min(([start, *cut, end] for cut in cuts), key=lambda ends: _height(heights, ends))


def _height(heights: Sequence[float], ends: Sequence[int]) -> float:
    return max(sum(heights[start:end]) for start, end in pairwise(ends))
