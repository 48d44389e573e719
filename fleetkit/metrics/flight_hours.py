"""Flights and flown hours: by month, pilot, type, project, client, equipment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.arguments import checked_words
from fleetkit.metrics._flown import SUMMED, as_hours, count, hours, read_flights, sum_flights
from fleetkit.metrics._frames import Frame, FrameT, Lazy, collect, to_kind_of
from fleetkit.metrics._measures import (
    DISTANCE,
    Measure,
    distance,
    measure_words,
    minutes,
    quantiles,
    with_distance,
)
from fleetkit.metrics._running import check_rolling, cumulative_sums, rolling_sums, time_word
from fleetkit.metrics._words import Key, Keys, clock_for, key_words, whole_keys
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["flight_hours"]


def flight_hours(
    flights: FrameT,
    by: Key | Iterable[Key] = "month",
    *,
    tz: str | None = None,
    bridge: Frame | None = None,
    projects: Frame | None = None,
    equipment: Frame | None = None,
    names: bool = False,
    measures: Measure | Iterable[Measure] = ("flights", "hours"),
    share: bool | Key | Iterable[Key] = False,
    rolling: int | None = None,
    cumulative: bool = False,
) -> FrameT:
    """Count flights and sum their hours, by one word or several crossed.

    A flight whose duration is null or not above 0 counts as a flight and adds no hours; where no
    flight of a row has a duration, its hours are null: they were not recorded. Every
    row of `flights` counts: pass one row per flight id, as :meth:`Fleet.flights` returns
    them. By equipment, a flight counts under each piece of equipment that flew it, and by type,
    category, registration, manufacturer or model once under each of theirs, so those rows need not
    add up to the fleet's.

    Parameters
    ----------
    flights : frame of any engine
        With ``duration_seconds`` [s] and the columns behind the words.
    by : str or iterable of str
        ``year`` (``YYYY``), ``quarter`` (``YYYY-Qn``), ``month`` (``YYYY-MM``), ``week`` (ISO,
        ``YYYY-Www``), ``day`` (``YYYY-MM-DD``), ``weekday`` (1 is Monday), ``hour`` (0 … 23, null
        where flight dates are dates), ``pilot`` (id), ``flight_type``, ``operation_type``,
        ``night``, ``bvlos``, ``project`` (id), ``client`` (name), ``equipment`` (id), ``type``,
        ``category``, ``registration``, ``manufacturer``, ``model`` (of equipment).
    tz : str, optional
        IANA time zone of all that is read off dates; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.
    bridge : frame of the same engine, optional
        ``flight_id``, ``equipment_id``; needed by ``equipment``, ``type``, ``category``,
        ``registration``, ``manufacturer`` and ``model``.
    projects : frame of the same engine, optional
        ``project_id``, ``client_account_name``; needed by ``client``.
    equipment : frame of the same engine, optional
        ``equipment_id`` and ``type``, ``category``, ``registration_number``, ``manufacturer``,
        ``model`` or ``name``; needed by the words of these names, and by the names of equipment.
    names : bool
        Add ``pilot_name``, ``project_title`` and the ``name`` of equipment behind the ids. A name
        is the last one that came with a flight, or the id where none did.
    measures : str or iterable of str
        ``flights``, ``hours``, ``distance`` (as reported), ``median`` and ``p90`` of the durations.
    share : bool, str or iterable of str
        Add ``flights_share`` and ``hours_share`` (0 … 1), of all that was counted; for a word of
        `by`, such as ``"month"``, of all that was counted in the same month.
    rolling : int, optional
        Add ``rolling_flights`` and ``rolling_hours``: of so many years, quarters, months, weeks or
        days, the row's own the last.
    cumulative : bool
        Add ``cumulative_flights`` and ``cumulative_hours``, from the first row on.

    Returns
    -------
    frame of the kind of `flights`
        The words as columns, then what `measures` says: ``flights`` (integer), ``hours`` (float64)
        [h], ``distance`` (null where none was recorded), ``median_minutes``, ``p90_minutes`` [min]
        (linear interpolation; of flights with a duration above 0). Sorted by the
        words. Flight types keep the reference's order (section 2.2), unknown ones after them.
        Flights without pilot, project or client are the row "Unassigned", after the others; one
        that is called so gets quotation marks. Other keys that are null stay null, last of all.
        Rolling and cumulative sums go along the time of each of the other keys; a window that
        begins before the first row is null.

    Raises
    ------
    InvalidValue
        An unknown word or zone, a missing column, or a word without the frame it needs; `rolling`
        or `cumulative` without a word of time; `share` of a word that isn't counted by.

    Definitions
    -----------
    Flight
        One flight log. It counts once for the fleet, a pilot or a project, also where a
        drone and its camera both list it; each piece of equipment counts it too.
    Flown hours
        Seconds in the logs / 3,600. A flight whose duration is missing or not above 0
        counts as a flight and adds no hours.
    Not recorded
        There are flights, and none of them has a duration. Where some have one, hours are
        theirs.

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({
    ...     "flight_date": pd.to_datetime(["2026-09-30T23:30Z", "2026-10-02T09:00Z"]),
    ...     "duration_seconds": [1800, 5400],
    ... })
    >>> flight_hours(flights, by="month", tz="Europe/London")
         month  flights  hours
    0  2026-10        2    2.0
    >>> flight_hours(flights, by="day", measures=["hours", "median"], share=True)
              day  hours  median_minutes  flights_share  hours_share
    0  2026-09-30    0.5            30.0            0.5         0.25
    1  2026-10-02    1.5            90.0            0.5         0.75
    """
    words, shown = key_words(by), measure_words(measures)
    within = _share_words(share, words)
    time = _check_running(list(words), rolling=rolling, cumulative=cumulative)
    clock = clock_for(words, flights, tz)
    frames: dict[str, Any] = {"bridge": bridge, "projects": projects, "equipment": equipment}
    keys = Keys(words, clock, **frames, names=names)
    further = DISTANCE if "distance" in shown else []
    keyed = keys.under(flights, *(["traveled_distance"] if further else []))
    ordered = keys.finish(_summed(keyed, keys, words, further), flights)
    expressions = {
        "flights": count("_flights").alias("flights"),
        "hours": hours().alias("hours"),
        "distance": distance().alias("distance"),
    }
    plain = [expressions[word] for word in shown if word in expressions]
    if within is None and not (time or minutes(shown)):
        return whole_keys(to_kind_of(ordered.select(*keys.columns, *plain), flights, clock))
    table = collect(ordered.select(*keys.columns, *SUMMED, *plain)).reset_index(drop=True)
    sums = table[SUMMED].astype("float64")
    if minutes(shown):
        table = quantiles(table, collect(keys.shown(keyed, "_seconds")), list(words), shown)
    parts = [table[[*keys.columns, *shown.values()]]]
    if within is not None:
        whole = _whole(flights, Keys(within, clock, **frames)) if within else _all(flights)
        how = {"how": "left", "on": within} if within else {"how": "cross"}
        parts.append(_shares(sums, table[within].merge(whole, **how)))
    running = pd.concat([table[words], sums], axis=1)
    if rolling is not None and time:
        parts.append(rolling_sums(running, list(words), time, rolling))
    if cumulative and time:
        parts.append(cumulative_sums(running, list(words), time))
    return to_kind_of(whole_keys(_unmasked(pd.concat(parts, axis=1))), flights, clock)


def _summed(keyed: Lazy, keys: Keys, words: Iterable[str], further: Sequence[str]) -> Lazy:
    """Sum flights by their keys and days, and these sums by the keys as they are shown.

    So the text of a month is written for each day, not for each flight.
    """
    sums = [*SUMMED, *further]
    flown = with_distance(keyed) if further else keyed
    by_key = sum_flights(flown, *keys.summed, also=further).select(*keys.summed, *sums)
    by_word = keys.shown(by_key, *sums).group_by(*words).agg(nw.col(*sums).sum())
    return by_word.select(*words, *sums)


def _check_running(words: list[str], *, rolling: Any, cumulative: bool) -> str:
    """Return the word along which sums run; empty where none does."""
    if rolling is not None:
        check_rolling(rolling)
        return time_word(words, "rolling")
    return time_word(words, "cumulative") if cumulative else ""


def _share_words(share: Any, words: list[Key]) -> list[Key] | None:
    """Return the words that shares are within, none for those of all; None for no shares."""
    if isinstance(share, bool | np.bool_):
        return [] if share else None
    named = checked_words(share, "share", words, "True, False or a word of by=")
    return [word for word in words if word in named]


def _all(flights: Frame) -> pd.DataFrame:
    """Return what all flights sum up to, each of which counts once."""
    return collect(
        read_flights(flights).select(nw.len().alias("_flights"), nw.col("_seconds").sum())
    )


def _whole(flights: Frame, keys: Keys) -> pd.DataFrame:
    """Return what flights sum up to under each key, where each of them counts once."""
    return collect(keys.finish(_summed(keys.under(flights), keys, keys.words, []), flights))


def _shares(sums: pd.DataFrame, whole: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of rows in what stands beside them."""
    known = whole[["_flights", "_seconds"]].astype("float64")
    known = known.where(known > 0)
    return pd.DataFrame(
        {
            "flights_share": sums["_flights"] / known["_flights"],
            "hours_share": as_hours(sums) * SECONDS_PER_HOUR / known["_seconds"],
        }
    )


def _unmasked(table: pd.DataFrame) -> pd.DataFrame:
    """Return floats as NumPy has them, as they are where nothing but sums was asked for."""
    return table.astype(dict.fromkeys(table.select_dtypes("Float64").columns, "float64"))
