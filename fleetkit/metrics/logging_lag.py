"""How long after a flight its log is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_lazy
from fleetkit.metrics._words import Key, Keys, clock_for, key_words, whole_keys
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.time import in_one_zone

__all__ = ["logging_lag"]

_MOMENTS = ("flight_date", "created_at")


def logging_lag(
    flights: FrameT,
    by: Key | Iterable[Key] | None = None,
    *,
    tz: str | None = None,
    bridge: Frame | None = None,
    projects: Frame | None = None,
    equipment: Frame | None = None,
    names: bool = False,
) -> FrameT:
    """Return the lag from a flight's end to its log: ``created_at`` − (``flight_date`` + duration).

    Known only of flights with both moments and a duration above 0; of none where flight dates are
    dates, which don't tell when a flight ended. A log written before the flight's end counts with
    its negative lag.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_date``, ``duration_seconds`` [s], ``created_at`` and the columns behind the
        words.
    by : str or iterable of str, optional
        One or several of the words of :func:`flight_hours`; default: all flights in one row.
    tz : str, optional
        IANA time zone of all that is read off dates; default: that of the frame's fleet, or UTC.
    bridge, projects, equipment : frames of the same engine, optional
        What some words need, as :func:`flight_hours` takes them.
    names : bool
        Add the names behind the ids, as :func:`flight_hours` does.

    Returns
    -------
    frame of the kind of `flights`
        One row, or one per key, named and sorted as by :func:`flight_hours`: the words, then
        ``flights``, ``known`` (flights whose lag is known), ``median_hours`` [h], ``p90_hours``
        [h] (linear interpolation); null where none is known.

    Raises
    ------
    InvalidValue
        A missing column, an unknown word or zone, or a word without the frame it needs.

    Definitions
    -----------
    Logging lag
        From the end of a flight, its date and duration, until its log was created. Of
        flights with both moments and a duration above 0.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_date": pd.to_datetime(["2026-10-01T08:00Z", "2026-10-01T09:00Z"]),
    ...     "duration_seconds": [3600, 3600],
    ...     "created_at": pd.to_datetime(["2026-10-01T10:00Z", "2026-10-01T13:00Z"]),
    ... })
    >>> logging_lag(flights)
       flights  known  median_hours  p90_hours
    0        2      2           2.0        2.8
    >>> logging_lag(flights, by="day")
              day  flights  known  median_hours  p90_hours
    0  2026-10-01        2      2           2.0        2.8
    """
    words = [] if by is None else key_words(by)
    clock = clock_for(words, flights, tz).judge(to_lazy(flights, "flights", ["flight_date"]))
    keys = Keys(words, clock, bridge=bridge, projects=projects, equipment=equipment, names=names)
    keyed = in_one_zone(keys.under(flights, *_MOMENTS), *_MOMENTS)
    moments = collect(keys.shown(keyed, "_seconds", *_MOMENTS))
    lags = _lags(moments, dates_only=bool(clock.dates_only))
    if not words:
        return to_kind_of(pd.DataFrame([_measured(lags, len(moments))]), flights)
    ordered = collect(keys.finish(keys.shown(keyed).unique(keys.words), flights))
    columns = [moments[word] for word in words]
    groups: Any = lags.groupby(columns, dropna=False, observed=True, sort=False)
    measured = pd.DataFrame(_measured(groups, groups.size())).reset_index()
    # Keys that are all null come out of groups as numbers.
    measured = measured.astype(dict(ordered.dtypes[words]))
    result = ordered[keys.columns].merge(measured, on=words, how="left")
    return to_kind_of(whole_keys(result), flights, clock)


def _lags(moments: pd.DataFrame, *, dates_only: bool) -> pd.Series[float]:
    """Return the lag of each flight [s]; null where it isn't known."""
    written = moments["created_at"] - moments["flight_date"]
    spent = moments["_seconds"].astype("float64")
    lags = written.dt.total_seconds() - spent
    return lags.where((spent > 0) & (not dates_only)).astype("float64")


def _measured(lags: Any, flights: Any) -> dict[str, Any]:
    """Return what is measured of lags, those of all flights or in groups."""
    return {
        "flights": flights,
        "known": lags.count(),
        "median_hours": lags.quantile(0.5) / SECONDS_PER_HOUR,
        "p90_hours": lags.quantile(0.9) / SECONDS_PER_HOUR,
    }
