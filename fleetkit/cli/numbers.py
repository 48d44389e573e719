"""Numbers that options take, and how one that isn't such a number is refused."""

from __future__ import annotations

import math
from typing import Any

import click

from fleetkit.interface import brief

__all__ = ["NumberRange", "WholeNumber", "WholeRange"]


class WholeNumber(click.types.IntParamType):
    """Whole numbers."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text of a number."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{brief(value)} is not a whole number.", param, ctx)


class WholeRange(click.IntRange):
    """Whole numbers within bounds."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text of a number."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{brief(value)} is not a whole number{_bounds(self)}.", param, ctx)


class NumberRange(click.FloatRange):
    """Numbers within bounds; click's own takes NaN for one of them, and infinity."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the text of a number."""
        try:
            number = float(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"{brief(value)} is not a number{_bounds(self)}.", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{brief(value)} is not a finite number.", param, ctx)
        return number


def _bounds(kind: click.IntRange | click.FloatRange) -> str:
    """Return the bounds of a range in words, in front of a full stop."""
    if kind.max is None:
        return f" above {kind.min}" if kind.min_open else f" of {kind.min} or more"
    least = f"above {kind.min}, up" if kind.min_open else f"from {kind.min}"
    return f" {least} to {kind.max}"
