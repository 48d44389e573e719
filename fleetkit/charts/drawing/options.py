"""The arguments that charts share: what can't be drawn so is refused in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from numbers import Integral, Real
from types import NoneType
from typing import Any

from fleetkit.arguments import check_switches, checked_number, is_finite, refuse_unknown
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.time import Period

__all__ = ["check_options"]

# Between them there is room for a plot, and memory for its picture. [mm]
NARROWEST, WIDEST = 20.0, 2_000.0


def check_options(chart: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse what a chart can't be drawn with: names of arguments, sizes, titles, periods.

    Raises
    ------
    InvalidValue
        Says which argument it is, and what to write.
    """
    names = signature(chart).parameters
    refuse_unknown(options, names, f"argument of fk.charts.{chart.__name__}")
    check_switches(chart, options)
    defaults = chart.__kwdefaults__ or {}
    given = {name: value for name, value in options.items() if name in defaults}
    for name in {"title", "measure"} & given.keys():
        if not isinstance(given[name], str):
            raise _wrong(name, given[name], "a text")
    if "most" in given:
        is_whole = isinstance(defaults["most"], int)
        checked_number(given["most"], "most", kind=Integral if is_whole else Real)
        if is_whole and given["most"] < 1:
            raise _wrong("most", given["most"], "a whole number above 0")
    width = given.get("width", WIDEST)
    if not (is_finite(width) and NARROWEST <= width <= WIDEST):
        raise _wrong("width", width, f"a width from {NARROWEST:g} to {WIDEST:g} mm")
    if not isinstance(given.get("covered"), Period | NoneType):
        raise _wrong("covered", given["covered"], "a Period")


def _wrong(name: str, value: Any, what: str) -> InvalidValue:
    return InvalidValue(
        f"{name}={brief(value)} is not {what}.", advice=f"Write one, or no {name}=."
    )
