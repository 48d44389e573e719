"""What equipment needs: registrations, maintenance, records that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from fleetkit.language import counted, localized, say, say_count
from fleetkit.metrics.reconciliation import hours_contradict
from fleetkit.reports.attention.lines import (
    Line,
    Thresholds,
    line,
    named_of,
    named_rows,
    of_them,
    short_name,
    with_distinct_names,
    within_days,
)
from fleetkit.reports.sentences import during, hours_moved
from fleetkit.reports.texts import shown
from fleetkit.rounding import ROUNDING_ERROR, number
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period, to_local_time

__all__ = ["equipment"]


def equipment(
    registrations: pd.DataFrame,
    expired: pd.DataFrame,
    reconciliation: pd.DataFrame,
    contradictions: pd.DataFrame,
    idle: pd.DataFrame,
    *,
    maintenance_due: pd.DataFrame,
    aircraft: Iterable[str],
    period: Period,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade what equipment needs.

    Parameters
    ----------
    registrations : DataFrame
        As `metrics.registrations` returns it, of equipment in service.
    expired : DataFrame
        As `metrics.flown_while_expired` returns it, of the period's flights and equipment of any
        status.
    reconciliation : DataFrame
        As `metrics.reconciliation` returns it.
    contradictions : DataFrame
        As `metrics.contradictions` returns it, of the period's flights and equipment of any
        status.
    idle, maintenance_due : DataFrame
        As the metrics of these names return them, of equipment in service.
    aircraft : iterable of str
        The ids of equipment that is aircraft.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Yields
    ------
    dict
        What `Section.attention` takes.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> nothing = pd.DataFrame(columns=["equipment_id", "name", "severity", "flights", "idle_days",
    ...     "days_left", "verdict"])
    >>> flown = pd.DataFrame({
    ...     "equipment_id": ["d", "d"], "name": ["Kestrel"] * 2, "flight_id": ["1", "2"],
    ...     "registration_expiry": pd.to_datetime(["2026-09-20"] * 2), "days_expired": [12, 20],
    ...     "pilot_name": ["Ada", "Ada"],
    ... })
    >>> bands = pd.DataFrame({"band": [], "days_left": [], "name": []})
    >>> [line] = equipment(bands, flown, nothing, nothing, nothing, maintenance_due=nothing,
    ...     aircraft=["d"], period=Period.read("2026-10"))
    >>> line["severity"], line["text"], line["who"], line["when"]
    ('high', '1 aircraft flew on an expired registration, 2 flights in October 2026: Kestrel (2)', 'Ada', 'expired on 20 Sep 2026')
    """  # noqa: E501 - the line is written as it is printed
    ids = set(aircraft)
    registrations, expired = to_local_time(registrations), to_local_time(expired)
    registrations, expired, reconciliation, contradictions, idle, maintenance_due = (
        with_distinct_names(
            registrations, expired, reconciliation, contradictions, idle, maintenance_due
        )
    )
    yield from _flown_while_expired(expired, ids, period)
    yield from _expired(registrations)
    yield from _expiring(registrations, thresholds)
    yield from _worst_condition(contradictions[contradictions["flights"].isna()])
    yield from _counters(reconciliation, thresholds["counter_percent"])
    yield from _never_flown(idle[idle["equipment_id"].isin(ids)])
    yield from _out_of_use(contradictions[contradictions["flights"].notna()], period)
    yield from _due(maintenance_due, thresholds["service_days"])


def _flown_while_expired(expired: pd.DataFrame, ids: set[str], period: Period) -> Iterator[Line]:
    if expired.empty:
        return
    pieces = expired.groupby("equipment_id", as_index=False).agg(
        name=("name", "first"),
        flights=("flight_id", "nunique"),
        expiry=("registration_expiry", "min"),
        days=("days_expired", "max"),
    )
    pieces = pieces.sort_values(["flights", "days"], ascending=False, kind="stable")
    one = many = "{count} aircraft flew on an expired registration, {flights} {when}"
    if not set(pieces["equipment_id"]) <= ids:
        one = "{count} piece of equipment flew on an expired registration, {flights} {when}"
        many = "{count} pieces of equipment flew on an expired registration, {flights} {when}"
    flights = counted(expired["flight_id"].nunique(), "flight")
    pilots = expired[expired["equipment_id"].isin(named_of(pieces)["equipment_id"])]["pilot_name"]
    yield line(
        "high",
        say_count(len(pieces), one, many, flights=flights, when=during(period)),
        [f"{short_name(row.name)} ({number(row.flights)})" for row in named_rows(pieces)],
        of=len(pieces),
        who=pilots.value_counts().sort_index().sort_values(ascending=False, kind="stable").index,
        when=say_count(
            len(pieces),
            "expired on {day}",
            "first expired on {day}",
            day=shown(pieces["expiry"].min()),
        ),
        days=pieces["days"].max(),
    )


def _expired(registrations: pd.DataFrame) -> Iterator[Line]:
    expired = registrations[registrations["band"] == "expired"]
    if expired.empty:
        return
    yield line(
        "high",
        counted(
            len(expired),
            "registration of equipment in service has expired",
            "registrations of equipment in service have expired",
        ),
        [
            f"{short_name(row.name)} ({shown(row.registration_expiry)})"
            for row in named_rows(expired)
        ],
        of=len(expired),
        when=say("since {day}", day=shown(expired["registration_expiry"].iloc[0])),
        days=-expired["days_left"].iloc[0],
    )


def _expiring(registrations: pd.DataFrame, thresholds: Thresholds) -> Iterator[Line]:
    near, later = int(thresholds["expiry_days"]), int(thresholds["expiry_later_days"])
    left = registrations["days_left"].astype("float64")
    due = registrations[left.between(0, later)]
    if due.empty:
        return
    soon = int((due["days_left"] <= near).sum())
    expire = say_count(
        len(due),
        "{count} registration expires {within}",
        "{count} registrations expire {within}",
        within=within_days(near if soon == len(due) else later),
    )
    if 0 < soon < len(due):
        count, days = number(soon), number(near)
        expire += ", " + say("{count} of them within {days}", count=count, days=days)
    yield line(
        "medium" if soon else "low",
        expire,
        [f"{short_name(row.name)} ({shown(row.registration_expiry)})" for row in named_rows(due)],
        of=len(due),
        when=say("from {day}", day=shown(due["registration_expiry"].iloc[0])),
        days=later - float(due["days_left"].iloc[0]),
    )


def _worst_condition(pieces: pd.DataFrame) -> Iterator[Line]:
    """Name ACTIVE equipment in the worst condition that any has."""
    if pieces.empty:
        return
    pieces = pieces.sort_values("name", kind="stable")
    yield line(
        "high",
        say_count(
            len(pieces),
            "{count} piece of equipment in condition {condition} is {status}",
            "{count} pieces of equipment in condition {condition} are {status}",
            condition=pieces["condition"].iloc[0],
            status="ACTIVE",
        ),
        [short_name(row.name) for row in named_rows(pieces)],
        of=len(pieces),
    )


def _out_of_use(flown: pd.DataFrame, period: Period) -> Iterator[Line]:
    """Name equipment that flew in the period and is out of use today: a question."""
    if flown.empty:
        return
    after = of_them(
        int((flown["severity"] == "error").sum()),
        len(flown),
        say("still after the record last changed"),
    )
    yield line(
        "low",
        say_count(
            len(flown),
            "{count} piece of equipment out of use today flew {when}{after}{flights}",
            "{count} pieces of equipment out of use today flew {when}{after}{flights}",
            when=during(period),
            after=after,  # of pieces: behind the flights it would be of these
            flights=_flights_of(flown),
        ),
        [
            f"{short_name(row.name)} ({row.status}: {number(row.flights)})"
            for row in named_rows(flown)
        ],
        of=len(flown),
    )


def _flights_of(flown: pd.DataFrame) -> str:
    """Count the flights of several pieces, each once; nothing where not all of their ids are known.

    A drone and its camera fly together.
    """
    ids = [name for text in flown["flight_ids"] for name in text.split(", ")]
    if len(ids) < flown["flights"].sum():
        return ""
    return f", {counted(len({*ids}), 'flight')}"


def _due(due: pd.DataFrame, within: float) -> Iterator[Line]:
    """Name equipment whose service interval is used up, or soon will be."""
    soon = due[due["days_left"].astype("float64") <= within]
    if soon.empty:
        return
    used_up = int((soon["days_left"] <= 0).sum())
    is_due = say_count(
        len(soon),
        "{count} piece of equipment is due for maintenance {within}",
        "{count} pieces of equipment are due for maintenance {within}",
        within=within_days(int(within)),
    )
    named = [
        say(
            "{name} ({day}, by {measure})",
            name=short_name(row.name),
            day=shown(row.due),
            measure=by,
        )
        for row in named_rows(soon)
        for by in [say(row.due_by)]
    ]
    yield line(
        "low",
        is_due + of_them(used_up, len(soon), say("already")),
        named,
        of=len(soon),
        when=say("since {day}" if used_up else "from {day}", day=shown(soon["due"].iloc[0])),
        days=within - float(soon["days_left"].iloc[0]),
    )


def _counters(reconciliation: pd.DataFrame, percent: float) -> Iterator[Line]:
    differing = reconciliation[reconciliation["verdict"].isin(["counter higher", "logs higher"])]
    if differing.empty:
        return
    differing = differing.assign(**_contradiction(differing))
    differing = differing.sort_values("share", ascending=False, kind="stable")
    grave = int((differing["share"] > percent / 100 + ROUNDING_ERROR).sum())
    size = say("by more than {percent} %", percent=localized(f"{percent:g}"))
    contradict = say_count(
        len(differing),
        "{count} counter contradicts the logs",
        "{count} counters contradict the logs",
    )
    yield line(
        "medium" if grave else "low",
        contradict + of_them(grave, len(differing), size),
        [f"{short_name(row.name)} ({_gap(row)})" for row in named_rows(differing)],
        of=len(differing),
    )


def _contradiction(rows: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return by which share of the logs the counters are off, and whether in hours or in flights.

    It is the larger share of both. Hours that match contradict nothing, however few they are.
    """
    hours = _off(rows["counter_hours"], rows["logged_hours"]).where(hours_contradict(rows))
    flights = _off(rows["counter_flights"], rows["logged_flights"])
    share = pd.concat([hours, flights], axis=1).max(axis=1)
    return {"share": share, "is_by_hours": hours == share}


def _off(counter: pd.Series[Any], logged: pd.Series[Any]) -> pd.Series[float]:
    counter, logged = counter.astype("float64"), logged.astype("float64")
    return (counter - logged).abs() / logged


def _gap(row: Any) -> str:
    """Write by how many hours a counter is off, or flights where these are what graded it."""
    if row.is_by_hours:
        return hours_moved(row.hours_difference)
    flights = int(row.counter_flights - row.logged_flights)
    return f"{'+' if flights > 0 else '−'}{counted(abs(flights), 'flight')}"


def _never_flown(idle: pd.DataFrame) -> Iterator[Line]:
    idle = idle[idle["flights"] == 0].sort_values("name", kind="stable")
    if idle.empty:
        return
    yield line(
        "low",
        say_count(
            len(idle),
            "{count} aircraft in service never flew",
            "{count} aircraft in service never flew",
        ),
        [short_name(row.name) for row in named_rows(idle)],
        of=len(idle),
    )
