"""Texts set in columns of about equal height, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import ceil

__all__ = ["balanced"]

# Definitions of a group, which no page break divides, and the columns that it is set in. The first
# group fills one row: so little room below a chapter holds the heading and the first definitions.
GROUP, COLUMNS = 12, 3
# Letters of a line in a column, and the room between two definitions. [lines]
_LINE, _BETWEEN = 40, 0.25


def balanced(definitions: Sequence[Mapping[str, str]]) -> list[list[list[Mapping[str, str]]]]:
    """Return groups of definitions, each in columns of which the highest is as low as can be.

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
    edges = [0, *range(COLUMNS, len(definitions), GROUP), len(definitions)]
    return [_columns(definitions[start:end]) for start, end in pairwise(edges) if start < end]


def _columns(group: Sequence[Mapping[str, str]]) -> list[list[Mapping[str, str]]]:
    heights = [ceil(len(f"{item['term']} {item['text']}") / _LINE) + _BETWEEN for item in group]
    count = min(COLUMNS, len(group))

    def highest(cuts: Sequence[int]) -> float:
        ends = [0, *cuts, len(group)]
        return max(sum(heights[a:b]) for a, b in pairwise(ends))

    best = min(combinations(range(1, len(group)), count - 1), key=highest)
    ends = [0, *best, len(group)]
    return [list(group[a:b]) for a, b in pairwise(ends)]
