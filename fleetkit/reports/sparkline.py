"""Twelve months as a line the size of a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["sparkline"]

WIDTH, HEIGHT, MARGIN = 96.0, 24.0, 3.0  # [px]


def sparkline(values: Sequence[float | None]) -> dict[str, Any] | None:
    """Return the line's points and its last dot; None where there is nothing to draw.

    A null leaves a gap; months without neighbours are drawn as a dot.

    Examples
    --------
    >>> sparkline([1, 3])["lines"], sparkline([2, 2])["lines"]
    (['3,21 93,3'], ['3,12 93,12'])
    >>> rare = sparkline([1, None, 3, None])
    >>> rare["dots"], rare["last"]
    ([['3', '21'], ['63', '3']], None)
    >>> sparkline([None, None]) is None
    True
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    low, high = min(known), max(known)
    step = (WIDTH - 2 * MARGIN) / (len(values) - 1)
    # A line without any change runs through the middle.
    scale = (HEIGHT - 2 * MARGIN) / (high - low) if high > low else 0.0
    floor = HEIGHT - MARGIN if high > low else HEIGHT / 2
    runs: list[list[str]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            x, y = MARGIN + index * step, floor - (value - low) * scale
            runs[-1].append(f"{round(x, 1):g},{round(y, 1):g}")
    return {
        "width": f"{WIDTH:g}",
        "height": f"{HEIGHT:g}",
        "lines": [" ".join(run) for run in runs if len(run) > 1],
        "dots": [run[0].split(",") for run in runs if len(run) == 1],
        "last": runs[-1][-1].split(",") if runs[-1] else None,
        "low": low,
        "high": high,
    }
