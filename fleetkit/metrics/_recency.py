"""What counts for the recency of pilots on each day, and until when it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.blanks import are_blank
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._flown import ones, seconds
from fleetkit.metrics._frames import Frame, Lazy, collect, in_narwhals, to_lazy, to_pandas
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, with_utc
from fleetkit.unassigned import shown_name

__all__ = ["counted_days", "counted_flights", "lapse_days", "last_names", "summed_days"]

_KEYS = ["pilot_id", "pilot_name", "day"]
_SUMS = ["flights", "seconds"]
_NIGHTS = ["night_flights", "night_seconds"]
_DTYPES = {
    "pilot_id": "str",
    "pilot_name": "str",
    "day": "datetime64[us]",
    "last_flight": "datetime64[us]",
}


def summed_days(
    flights: Frame, clock: Clock, *, nights: bool, name: str = "flights"
) -> pd.DataFrame:
    """Return what `flown_days` does, for pandas; ``last_flight`` has no zone.

    Without `nights`, flights need not say which were by night. `name` is what an error calls them.
    """
    columns = ["pilot_id", "pilot_name", "flight_date", "duration_seconds"]
    frame = to_lazy(flights, name, columns + (["night_flight"] if nights else []))
    recorded = ones(~nw.col("duration_seconds").is_null())
    counts = {"flights": nw.lit(1), "seconds": seconds(), "recorded": recorded}
    if nights:
        by_night = nw.when(nw.col("night_flight"))
        counts |= {
            f"night_{name}": by_night.then(value).otherwise(nw.lit(0))
            for name, value in counts.items()
        }
    flown = frame.with_columns(**counts).filter(~nw.col("pilot_id").is_null())
    moments = with_utc(clock.localize(flown)).rename({"_day": "day", "_utc": "last_flight"})
    by_day = moments.group_by(_KEYS).agg(nw.col(*counts).sum(), nw.col("last_flight").max())
    dtypes = {name: "float64" if "seconds" in name else "int64" for name in counts}
    days = collect(by_day).astype(_DTYPES | dtypes)
    for count, spent in (_SUMS, _NIGHTS) if nights else (_SUMS,):
        is_known = (days[spent.replace("seconds", "recorded")] > 0) | (days[count] == 0)
        days[spent] = days[spent].where(is_known)
    columns = [name for name in counts if "recorded" not in name]
    return _in_order(days[[*_KEYS, "last_flight", *columns]])


def counted_days(
    flights: Frame, rule: RecencyRule, clock: Clock, name: str = "flights"
) -> pd.DataFrame:
    """Return the days of flights, or of `flown_days`, with what counts for a rule on each.

    ``flights`` and ``seconds`` are those that count. In the order of pilots, whom ``_pilot``
    numbers, then of days and moments; a row for each name that a pilot had on a day. An error calls
    what lacks a column `name`.

    Raises
    ------
    InvalidValue
        A missing column, or a rule without one window and at least one minimum.
    """
    _check(rule)
    if not _are_days(flights):
        days = summed_days(flights, clock, nights=rule.night_only, name=name)
    else:
        needed = [*_KEYS, "last_flight", *(_NIGHTS if rule.night_only else _SUMS)]
        days = to_pandas(flights, name, needed)
        days = _in_order(days.assign(last_flight=days["last_flight"].dt.tz_localize(None)))
    if rule.night_only:
        days = days.assign(**{name: days[f"night_{name}"] for name in _SUMS})
    return days.assign(_pilot=_numbers(days["pilot_id"]))


def counted_flights(flights: Frame, rule: RecencyRule, clock: Clock) -> tuple[Lazy, Clock]:
    """Return what counts for a rule, of flights or of `flown_days`, and the clock of its dates.

    ``pilot_id``, ``flight_date``, ``flights``, ``seconds`` [s].

    Raises
    ------
    InvalidValue
        As for `counted_days`.
    """
    _check(rule)
    if _are_days(flights):
        names = dict(zip(_NIGHTS if rule.night_only else _SUMS, _SUMS, strict=True))
        days = to_pandas(flights, "flights", ["pilot_id", "day", *names])
        dated = days.rename(columns={"day": "flight_date", **names})
        dated["seconds"] = dated["seconds"].fillna(0.0)
        return in_narwhals(dated).lazy(), replace(clock, dates_only=True)
    columns = ["pilot_id", "flight_date", "duration_seconds"]
    frame = to_lazy(flights, "flights", columns + (["night_flight"] if rule.night_only else []))
    frame = frame.filter(~nw.col("pilot_id").is_null())
    if rule.night_only:
        frame = frame.filter(nw.col("night_flight"))
    counted = frame.with_columns(flights=nw.lit(1), seconds=seconds())
    return counted.select("pilot_id", "flight_date", *_SUMS), clock


def _check(rule: RecencyRule) -> None:
    if not isinstance(rule, RecencyRule):
        raise InvalidValue(
            f"{brief(rule)} is not a recency rule.",
            advice="Pass one of fleet.settings.recency, or fk.settings.RecencyRule(…).",
        )
    if rule.problem:
        raise InvalidValue(f"The recency rule {brief(rule.name)} {rule.problem}.")


def lapse_days(days: pd.DataFrame, rule: RecencyRule) -> pd.Series[Any]:
    """Return for each day that a pilot flew when recency lapses by the flights up to that day.

    That is the first day on which the rule no longer holds without another flight; null where it
    never held. For each day flown, look for the last day that must still count for the minima to
    be reached. The rule held where that day lies within the window, and until it leaves the window.

    Parameters
    ----------
    days : DataFrame
        As `counted_days` returns them, or such rows of it that each pilot's stand together, in
        the order of their days.
    rule : RecencyRule
    """
    dates = pd.DatetimeIndex(days["day"])
    if not len(dates):
        return pd.Series(dates, index=days.index)
    is_first = days["_pilot"].ne(days["_pilot"].shift()).to_numpy()
    first = np.maximum.accumulate(np.where(is_first, np.arange(len(days)), 0))
    needed = np.minimum(
        _last_start(days["flights"], rule.flights),
        _last_start(days["seconds"].fillna(0.0), rule.seconds),
    )
    places, distinct = pd.factorize(dates)  # many pilots fly on the same days
    calendar = pd.DatetimeIndex(distinct)
    is_satisfied = (needed >= first) & (dates[needed] > (calendar - rule.window)[places])
    # Where it lies before the pilot's first day, it is another pilot's.
    latest = np.maximum.accumulate(np.where(is_satisfied, needed, -1))
    lapses = calendar + rule.window
    while (is_early := lapses - rule.window < calendar).any():
        # 30 November + 3 months: February is too short.
        lapses = lapses.where(~is_early, lapses + pd.Timedelta(days=1))
    return pd.Series(lapses[places[latest]], index=days.index).where(latest >= first)


def last_names(days: pd.DataFrame) -> pd.Series[str]:
    """Return what to call each pilot, by number: the last name that came, or the id without any.

    Parameters
    ----------
    days : DataFrame
        As for `lapse_days`.
    """
    ids = days.drop_duplicates("_pilot", keep="last").set_index("_pilot")["pilot_id"]
    named = days.loc[~are_blank(days["pilot_name"]), ["_pilot", "pilot_name"]]
    named = named.drop_duplicates("_pilot", keep="last")
    names = named.set_index("_pilot")["pilot_name"].reindex(ids.index)
    return names.fillna(ids).map(shown_name)


def _last_start(amounts: pd.Series[Any], minimum: float) -> np.ndarray:
    """Return for each row the last row from which the sum up to it is the minimum; -1: none."""
    # What is more than enough adds nothing, and would round off the flights of all that follow.
    enough = np.minimum(amounts.to_numpy(dtype="float64"), minimum)
    total = np.concatenate([[0.0], enough.cumsum()])
    return np.searchsorted(total, total[1:] - minimum, side="right") - 1


def _are_days(flights: Frame) -> bool:
    """Whether a frame is what `flown_days` returns."""
    try:
        frame = in_narwhals(flights)
    except (TypeError, nw.exceptions.DuplicateError):  # `to_lazy` says what is wrong with it
        return False
    names = frame.collect_schema().names()
    return "day" in names and "flight_date" not in names


def _in_order(days: pd.DataFrame) -> pd.DataFrame:
    """Return days in the order of pilots, of days, of moments and of names."""
    moments = [np.asarray(days[name]).view("int64") for name in ("day", "last_flight")]
    keys = [_numbers(days["pilot_id"]), *moments, _numbers(days["pilot_name"])]
    if _is_ordered(keys):  # a sort takes much longer
        return days
    return days.take(np.lexsort(keys[::-1])).reset_index(drop=True)


def _is_ordered(keys: list[np.ndarray]) -> bool:
    """Whether rows stand in the order of their keys, of which the first decides."""
    steps = [np.diff(key) for key in keys]
    is_later = steps[-1] >= 0
    for step in steps[-2::-1]:
        is_later = (step > 0) | ((step == 0) & is_later)
    return bool(is_later.all())


def _numbers(texts: pd.Series[Any]) -> np.ndarray:
    """Return a number for each text, in their order: numbers sort and group faster."""
    numbers: np.ndarray = pd.factorize(texts, sort=True)[0]
    return numbers
