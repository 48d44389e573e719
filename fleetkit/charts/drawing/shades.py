"""Amounts as shades of one colour, in a few steps of round size, and what each step means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np
from matplotlib.colors import to_rgba

from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.legends import BESIDE, legend
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.style import COLOURS, Canvas, number
from fleetkit.language import say

__all__ = ["Shades", "decimals_of_step"]

# Steps of an amount, round multiples of a power of ten, and the palest shade.
_STEPS, _ROUND, _PALEST = 5, (1.0, 2.0, 5.0, 10.0), 0.24
# Height of the names above the plot. [pt]
_ABOVE = 8.0
# Largest rounding error of a whole step, and of a power of ten.
_NOISE = 1e-9


def decimals_of_step(step: float) -> int:
    """Return the decimals of round numbers that are a step apart.

    Examples
    --------
    >>> [decimals_of_step(step) for step in (20.0, 1.0, 0.5, 0.02)]
    [0, 0, 1, 2]
    """
    return max(0, -floor(log10(step) + _NOISE))


@dataclass(frozen=True)
class Shades:
    """Steps from 0 up: the more, the darker. Nothing is darker than the last step.

    Parameters
    ----------
    step : float
        Size of a step.
    count : int
        How many there are.

    Examples
    --------
    >>> shades = Shades.of([0.0, 3.5, 17.0])
    >>> shades.step, shades.names("h")
    (5.0, ['0', 'to 5', 'to 10', 'to 15', 'to 20 h'])
    """

    step: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float], *, least: float = 0.0) -> Shades:
        """Return steps that reach the largest value; none is smaller than `least`."""
        known = [float(value) for value in values if isfinite(value) and value > 0]
        most = max(known, default=1.0)
        power = 10.0 ** floor(log10(most / _STEPS))
        sizes = (factor * power for factor in _ROUND)
        step = next(size for size in sizes if size * _STEPS >= most * (1 - _NOISE))
        step = max(step, least)
        return cls(step, min(_STEPS, max(1, ceil(most / step - _NOISE))))

    def style(self, value: float) -> dict[str, Any]:
        """Return how a mark of an amount looks; an unknown one is an outline."""
        if np.isnan(value):
            return {"facecolor": "none", "edgecolor": COLOURS["quiet"], "linewidth": 0.6}
        if value <= 0:
            return {"facecolor": COLOURS["line"]}
        place = min(self.count, max(1, ceil(value / self.step - _NOISE))) / self.count
        # Not `alpha`, which makes the whole mark transparent: a PDF would hold a bitmap of it.
        shade = _PALEST + (1 - _PALEST) * (place - 1 / self.count) / max(1 - 1 / self.count, 0.1)
        return {"facecolor": to_rgba(COLOURS["accent"], shade)}

    def names(self, unit: str = "") -> list[str]:
        """Return what 0 and each step mean, the last one with its unit."""
        ends = [self.step * place for place in range(1, self.count + 1)]
        decimals = decimals_of_step(self.step)
        texts = ["0", *(say("to {amount}", amount=number(end, decimals)) for end in ends)]
        return [*texts[:-1], f"{texts[-1]} {say(unit)}".strip()]

    def explain(
        self, page: Canvas, unit: str, values: Iterable[float], *, zero: bool = True
    ) -> None:
        """Name the steps above the plot: all of them, or some where room is short.

        Parameters
        ----------
        page : Canvas
        unit : str
            Of the amounts.
        values : iterable of float
            What is drawn; a null among it is explained too.
        zero : bool
            Whether 0 is drawn.
        """
        ends = [self.step * place for place in range(self.count + 1)]
        styles = dict(zip(self.names(unit), map(self.style, ends), strict=True))
        values = [*values]
        unknown = {say("not recorded"): self.style(np.nan)} if np.isnan(values).any() else {}
        steps = [*styles][1:] if any(value > 0 for value in values) else []
        nothing = [*styles][:zero]
        names = [*nothing, *steps]
        room = page.figure_width - _legend_width(unknown)
        choices = (names, [*nothing, *steps[::-2][::-1]], [*names[:1], *names[-1:]])
        shown = next((part for part in choices if _legend_width(part) <= room), choices[-1])
        legend(page, [*((name, styles[name]) for name in shown), *unknown.items()], height=_ABOVE)


def _legend_width(names: Iterable[str]) -> float:
    return sum(text_width(name, SMALL) + BESIDE for name in names)
