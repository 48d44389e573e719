"""One side of a comparison: what a period, a filter, a fleet or a frame hands to a metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit import metrics
from fleetkit.areas import in_words
from fleetkit.arguments import is_whole_number, refuse_unknown
from fleetkit.columns import PIECE_COLUMNS
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import IS, NOT
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import covered, first_day
from fleetkit.interface import brief
from fleetkit.time import Period, PeriodLike, in_utc, instant, so_far
from fleetkit.views import is_view

__all__ = ["Side", "measured", "sides"]

# Words that need a table beside the flights → which of them.
_NEEDED = {
    "bridge": {"equipment", *PIECE_COLUMNS},
    "equipment": {*PIECE_COLUMNS},
    "projects": {"client"},
}
_OF_PERIODS = {"flights", "bridge", "period"}
_TABLES = {"equipment", "projects", "services", "tiers"}
# What a metric may take first of a fleet.
_OF_FLEETS = {"flights", "bridge", "aircraft"} | _TABLES

# Advice where an option is a filter, which no metric takes.
_BY_FILTERS = "fleet=fleet.where(…) narrows by client, type, night and more."


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes
    ----------
    title : str
        What it is called: ``October 2026``.
    fleet : Fleet or None
        Whose tables are measured; None where `frame` is.
    period : Period or None
        Of which days; None for all.
    frame : frame or None
        What the metric is given first.
    note : str
        Why nothing is known of it; empty where something is.
    """

    title: str
    fleet: Fleet | None = None
    period: Period | None = None
    frame: Any = None
    note: str = ""


def sides(
    one: Any, other: Any, fleet: Fleet | None, period: PeriodLike | None
) -> tuple[Side, Side]:
    """Return both sides; of a period that isn't over, the other one's same days.

    Raises
    ------
    InvalidValue
        There is no fleet where one is needed, no such view, or something isn't a period, filter,
        fleet or frame.
    """
    first, second = _with_moments(*(_side(value, fleet, period) for value in (one, other)))
    if first.period and second.period:
        second = _same_days(first.period, second)
        first = _same_days(second.period, first) if second.period else first
    spans = {side.period.whole for side in (first, second) if side.period is not None}
    if len(spans) <= 1:
        return first, second  # what the data don't reach, they don't on either side
    return _with_coverage(first), _with_coverage(second)


def _with_moments(first: Side, second: Side) -> tuple[Side, Side]:
    """Name two fleets that one filter narrows by the moments of which they are."""
    if first.title != second.title or first.fleet is None or second.fleet is None:
        return first, second
    moments = [instant(fleet.fetched_at, fleet.tz) for fleet in (first.fleet, second.fleet)]
    if moments[0] == moments[1]:
        return first, second
    titles = [f"{first.title}, as of {moment:%Y-%m-%d %H:%M:%S}" for moment in moments]
    return replace(first, title=titles[0]), replace(second, title=titles[1])


def _side(value: Any, fleet: Fleet | None, period: PeriodLike | None) -> Side:
    if isinstance(value, Fleet):
        part = _period(value, period)
        return Side(_filter_title(value.filter), value, part)
    if is_view(value):
        of = _needed_fleet(fleet, "a view")
        return Side(value.strip(), of.where(of.view(value)), _period(of, period))
    if isinstance(value, Filter | Mapping):
        chosen = Filter.read(value)
        of = _needed_fleet(fleet, "a filter")
        return Side(_filter_title(chosen), of.where(chosen), _period(of, period))
    if _is_frame(value):
        return Side("", frame=value)
    if not _is_period(value):
        raise InvalidValue(
            f"fk.compare measures a period, filter, view, fleet or frame, not {brief(value)}.",
            advice='Write a period such as "2026-10", or pass the table that the metric takes '
            "first, such as fleet.flights().",
        )
    if period is not None:
        raise InvalidValue(
            "period= says of which days two filters are compared.",
            advice="Leave it out where two periods are compared.",
        )
    of = _needed_fleet(fleet, "a period")
    part = _period(of, value)
    return Side(part.title if part else "", of, part)


def _period(fleet: Fleet, period: PeriodLike | None) -> Period | None:
    return None if period is None else so_far(fleet.period(period), fleet.fetched_at)


def _needed_fleet(fleet: Fleet | None, what: str) -> Fleet:
    if isinstance(fleet, Fleet):
        return fleet
    raise InvalidValue(
        f"fk.compare is given {what}, and no fleet to measure.",
        advice="Pass fleet=fleet, or frames or fleets to compare.",
    )


def _is_frame(value: Any) -> bool:
    try:
        nw.from_native(value)
    except TypeError:
        return False
    except nw.exceptions.DuplicateError:
        return True  # the metric says which frame has two columns of one name
    return True


def _is_period(value: Any) -> bool:
    """Whether a value is of a kind that a period is written in; None means all days."""
    is_dated = isinstance(value, str | date | np.datetime64 | pd.Period | Period)
    return value is None or is_dated or is_whole_number(value)


def _filter_title(chosen: Filter) -> str:
    parts = [_field_title(name, value) for name, value in chosen.to_parameters().items()]
    return " · ".join(parts) or "all"


def _field_title(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if name == "take_off" and value:
        return f"take-off {in_words(value)}"
    if isinstance(value, dict):
        selected = _field_title(name, value[IS]) + "," if IS in value else name.replace("_", " ")
        return f"{selected} not {_listed(value[NOT])}"
    return f"{name.replace('_', ' ')} {_listed(value if isinstance(value, list) else [value])}"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(str(value) or '""' for value in values) or "none"


def _same_days(current: Period, side: Side) -> Side:
    """Cut the period before one that isn't over, or the year before, to the same days."""
    period = side.period
    if period is None or current.whole == current:
        return side
    for earlier, whole in (
        (current.previous(), current.whole.previous()),
        (current.year_before(), current.whole.year_before()),
    ):
        if period == whole:
            return Side(earlier.title, side.fleet, earlier)
    return side


def _with_coverage(side: Side) -> Side:
    """Note on a side why nothing is known of it, where filter or data don't reach all its days."""
    if side.period is None or side.fleet is None:
        return side
    why = _filtered_out(side.fleet, side.period) or _not_covered(side.fleet.whole(), side.period)
    return replace(side, note=f"{side.title}: {why}") if why else side


def _filtered_out(fleet: Fleet, period: Period) -> str:
    """Say which end of the fleet's filter lies within a period or leaves it out; else nothing."""
    since, until = (
        instant(end, fleet.tz) if end is not None else None
        for end in (fleet.filter.since, fleet.filter.until)
    )
    if since is not None and in_utc(since) > in_utc(period.since):
        return f"the filter leaves out what was before {since:%Y-%m-%d}"
    if until is not None and in_utc(until) < in_utc(period.until):
        return f"the filter leaves out what was from {until:%Y-%m-%d} on"
    return ""


def _not_covered(whole: Fleet, period: Period) -> str:
    """Say why the data don't reach back to the beginning of a period; nothing where they do."""
    known = covered(whole)
    if known is None:
        if first_day(whole) is None:
            return "there are no flights"
        return "every flight is dated after the data were fetched"
    if in_utc(known.since) <= in_utc(period.since):
        return ""
    return f"no data before {known.since:%Y-%m-%d}"


def measured(
    metric: str, side: Side, options: Mapping[str, Any], period: PeriodLike | None = None
) -> pd.DataFrame:
    """Return what a metric measures of a side, as pandas; of a frame, in a period if it takes one.

    Raises
    ------
    InvalidValue
        The metric needs what neither the fleet nor the options have, takes no such option, or would
        measure an option in place of both sides.
    """
    function = getattr(metrics, metric)
    names = list(inspect.signature(function).parameters)
    refuse_unknown(options, names, f"argument of fk.metrics.{metric}", _BY_FILTERS)
    if names[0] in options:
        raise InvalidValue(
            f"{names[0]}= would be measured on both sides, whatever is compared.",
            advice="Compare two frames of it.",
        )
    if side.fleet is None and period is not None:
        options = {**options, "period": _taken(metric, names, period)}
    given = _arguments(metric, function, side, options, period)
    result = function(**{**given, **options})
    if not _is_frame(result):
        raise InvalidValue(
            f"fk.metrics.{metric} returns a number, not rows.",
            advice="Compare a metric with rows, such as utilisation.",
        )
    frame: pd.DataFrame = nw.from_native(result).lazy().collect("pandas").to_native()
    return frame.reset_index(drop=True)


def _taken(metric: str, names: Iterable[str], period: PeriodLike) -> PeriodLike:
    """Return the period for a metric of frames, unless that measures all that it is given."""
    if "period" in names:
        return period
    raise InvalidValue(
        f"fk.metrics.{metric} takes no period: it measures all rows of a frame.",
        advice="Leave period= out, and compare frames of these days: fleet.flights(period).",
    )


def _arguments(
    metric: str,
    function: Callable[..., Any],
    side: Side,
    options: Mapping[str, Any],
    period: PeriodLike | None,
) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters
    first, *others = parameters
    if side.fleet is not None and first not in _OF_FLEETS:
        raise _not_given(metric, first, "fleet")
    why = ""
    if _is_of_all_flights(metric) and "period" not in parameters:
        why = "needs all flights, not those of a period"
    elif not _OF_PERIODS & set(parameters):
        why = "is of a state, not of days: periods make no difference to it"
    if side.period is not None and why:
        raise InvalidValue(
            f"fk.metrics.{metric} {why}.",
            advice="Compare two filters, or two states of a mirror."
            if period is None
            else "Leave period= out.",
        )
    needed = [
        name
        for name, parameter in parameters.items()
        if name not in options
        and (parameter.default is parameter.empty or _is_needed(name, options))
    ]
    if side.fleet is not None:
        return {name: _table(metric, name, side.fleet, side.period) for name in needed}
    for name in others:
        if name in needed and parameters[name].default is parameters[name].empty:
            raise _not_given(metric, name, "frame")
    return {first: side.frame}


def _not_given(metric: str, name: str, kind: str) -> InvalidValue:
    is_measured = name == next(iter(inspect.signature(getattr(metrics, metric)).parameters))
    return InvalidValue(
        f"fk.metrics.{metric} needs {name}, which a {kind} doesn't say.",
        advice="Compare two frames of it." if is_measured else f"Pass {name}= to fk.compare too.",
    )


def _is_needed(name: str, options: Mapping[str, Any]) -> bool:
    by = options.get("by", ())
    words = {by} if isinstance(by, str) else set(by) if isinstance(by, Iterable) else set()
    named = name == "equipment" and options.get("names") and "equipment" in words
    return bool(words & _NEEDED.get(name, set()) or named)


def _table(metric: str, name: str, fleet: Fleet, period: Period | None) -> Any:
    of_flights = None if _is_of_all_flights(metric) else period
    if name == "flights":
        return fleet.flights(of_flights)
    if name == "bridge":
        return fleet.flight_equipment(of_flights)
    if name == "aircraft":
        return aircraft_of(fleet)
    if name in _TABLES:
        return getattr(fleet, name)()
    if name == "period" and period is not None:
        return period
    raise _not_given(metric, name, "fleet")


def _is_of_all_flights(metric: str) -> bool:
    return getattr(getattr(metrics, metric), "is_of_all_flights", False)
