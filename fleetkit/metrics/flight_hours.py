"""Flights and flown hours: by month, pilot, type, project, client, equipment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import narwhals as nw

from fleetkit.errors import InvalidValue
from fleetkit.filters import UNASSIGNED
from fleetkit.interface import did_you_mean
from fleetkit.metrics._flown import SUMMED, count, hours, read_bridge, read_flights, sum_flights
from fleetkit.metrics._frames import Frame, FrameT, Lazy, to_kind_of, to_lazy
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Clock

__all__ = ["flight_hours"]


# The word that a user writes → the column of flights that leads to its key.
Key = Literal[
    "month",
    "week",
    "day",
    "pilot",
    "flight_type",
    "operation_type",
    "project",
    "client",
    "equipment",
]


KEYS: dict[Key, str] = {
    "month": "flight_date",
    "week": "flight_date",
    "day": "flight_date",
    "pilot": "pilot_id",
    "flight_type": "flight_type",
    "operation_type": "operation_type",
    "project": "project_id",
    "client": "project_id",
    "equipment": "flight_id",
}
_DATED: dict[Key, Callable[[], nw.Expr]] = {
    "month": Clock.month,
    "week": Clock.week,
    "day": Clock.day,
}
_JOINED = ("client", "equipment")
_MAY_BE_UNASSIGNED = ("pilot", "project", "client")


def flight_hours(
    flights: FrameT,
    by: Key | Iterable[Key] = "month",
    *,
    tz: str | None = None,
    bridge: Frame | None = None,
    projects: Frame | None = None,
) -> FrameT:
    """Count flights and sum their hours, by one word or several crossed.

    A flight whose duration is null or not above 0 counts as a flight and adds no hours; where no
    flight of a row has a duration, its hours are null: they were not recorded. Every
    row of `flights` counts: pass one row per flight id, as :meth:`Fleet.flights` returns
    them. By equipment, a flight counts under each piece of equipment that flew it, so those rows
    need not add up to the fleet's.

    Parameters
    ----------
    flights : frame of any engine
        With ``duration_seconds`` [s] and the columns behind the words.
    by : str or iterable of str
        ``month`` (``YYYY-MM``), ``week`` (ISO, ``YYYY-Www``), ``day`` (``YYYY-MM-DD``), ``pilot``
        (id), ``flight_type``, ``operation_type``, ``project`` (id), ``client`` (name),
        ``equipment`` (id).
    tz : str, optional
        IANA time zone of months, weeks and days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.
    bridge : frame of the same engine, optional
        ``flight_id``, ``equipment_id``; needed by ``equipment``.
    projects : frame of the same engine, optional
        ``project_id``, ``client_account_name``; needed by ``client``.

    Returns
    -------
    frame of the kind of `flights`
        The words as columns, then ``flights`` (integer) and ``hours`` (float64) [h]; sorted by the
        words. Flight types keep the reference's order (section 2.2), unknown ones after them.
        Flights without pilot, project or client are the row "Unassigned", after the others; other
        keys that are null stay null, last of all.

    Raises
    ------
    InvalidValue
        An unknown word or zone, a missing column, or a word without the frame it needs.

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
    """
    words = _words(by)
    clock = Clock.of(flights, tz=tz)
    keyed = _keyed(flights, words, clock, bridge, projects)
    keys = [*_plain(words), *(["_day"] if _dated(words) else [])]
    counted = sum_flights(keyed, *keys)
    texts = [_DATED[word]().alias(word) for word in _dated(words)]
    summed = (
        counted.select(*_plain(words), *texts, *SUMMED)
        .group_by(*words)
        .agg(nw.col(SUMMED).sum())
        .select(*(_shown(word) for word in words), *SUMMED)
    )
    ordered = _sorted(summed, words)
    return to_kind_of(
        ordered.select(*words, count("_flights").alias("flights"), hours().alias("hours")),
        flights,
        clock,
    )


def _words(by: Key | Iterable[Key]) -> list[Key]:
    names = by if isinstance(by, Iterable) and not isinstance(by, str) else [by]
    texts = list(dict.fromkeys(map(str, names)))
    unknown = [text for text in texts if text not in KEYS]
    words = [key for text in texts for key in KEYS if key == text]
    if unknown or not words:
        raise InvalidValue(
            f"by={by!r} is not a word that flight hours are counted by. "
            + (did_you_mean(unknown[0], KEYS) if unknown else ""),
            advice=f"Write one or several of: {', '.join(KEYS)}.",
        )
    return words


def _shown(word: str) -> nw.Expr:
    key = nw.col(word)
    return key.cast(nw.String).fill_null(UNASSIGNED) if word in _MAY_BE_UNASSIGNED else key


def _dated(words: list[Key]) -> list[Key]:
    return [word for word in words if word in _DATED]


def _plain(words: list[Key]) -> list[Key]:
    return [word for word in words if word not in _DATED]


def _keyed(
    flights: Frame, words: list[Key], clock: Clock, bridge: Frame | None, projects: Frame | None
) -> Lazy:
    """Return one row per flight: what `timed` adds, ``_day``, and the words that aren't dates."""
    frame = read_flights(flights, *(KEYS[word] for word in words))
    if _dated(words):
        frame = clock.localize(frame)
    if "equipment" in words:
        frame = _with_equipment(frame, bridge)
    if "client" in words:
        frame = _with_client(frame, projects)
    keys = [nw.col(word if word in _JOINED else KEYS[word]).alias(word) for word in _plain(words)]
    return frame.select("_seconds", "_recorded", *keys, *(["_day"] if _dated(words) else []))


def _with_equipment(frame: Lazy, bridge: Frame | None) -> Lazy:
    if bridge is None:
        raise InvalidValue(
            "by='equipment' needs the bridge between flights and equipment.",
            advice="Pass bridge=fleet.flight_equipment().",
        )
    pairs = read_bridge(bridge, frame)
    return frame.join(pairs.rename({"equipment_id": "equipment"}), on="flight_id", how="left")


def _with_client(frame: Lazy, projects: Frame | None) -> Lazy:
    if projects is None:
        raise InvalidValue(
            "by='client' needs the projects, whose clients they are.",
            advice="Pass projects=fleet.projects().",
        )
    clients = to_lazy(projects, "projects", ["project_id", "client_account_name"], beside=frame)
    clients = clients.rename({"client_account_name": "client"}).unique("project_id", keep="any")
    return frame.join(clients, on="project_id", how="left")


def _sorted(frame: Lazy, words: list[Key]) -> Lazy:
    order: list[str] = []
    for word in words:
        if word == "flight_type":
            frame = frame.with_columns(_rank(word, FLIGHT_TYPES).alias(f"_{word}"))
            order.append(f"_{word}")
        elif word in _MAY_BE_UNASSIGNED:
            last = (nw.col(word) == UNASSIGNED).cast(nw.Int64)
            frame = frame.with_columns(last.alias(f"_{word}"))
            order.append(f"_{word}")
        order.append(word)
    return frame.sort(*order, nulls_last=True)


def _rank(column: str, tokens: tuple[str, ...]) -> nw.Expr:
    """Return the place of each token in the reference's order; unknown ones after it."""
    text = nw.col(column).cast(nw.String)
    rank = nw.lit(len(tokens))
    for place, token in enumerate(tokens):
        rank = nw.when(text == token).then(nw.lit(place)).otherwise(rank)
    return rank
