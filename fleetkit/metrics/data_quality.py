"""How far the records can be trusted: one table of checks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import pandas as pd

from fleetkit.context import setting
from fleetkit.metrics import _quality_flights, _quality_overlaps, _quality_tables
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._quality import (
    Answer,
    Check,
    Checked,
    Records,
    Rule,
    answer_of,
    answers_of_rules,
    count_rows,
)

__all__ = ["data_quality"]

SEVERITIES = ("error", "warning", "info")
CHECKS = (*_quality_flights.CHECKS, *_quality_overlaps.CHECKS, *_quality_tables.CHECKS)


def data_quality(
    flights: FrameT,
    bridge: Frame,
    equipment: Frame,
    projects: Frame,
    *,
    as_of: str | date | datetime,
    tz: str | None = None,
    shortest: float = 30.0,
    longest: float = 10_800.0,
    aircraft: Frame | None = None,
    most: int = 20,
    copies: Frame | None = None,
) -> FrameT:
    """Count the records that can't be true, or that lack what figures are made of.

    Each check says of how many records it could look at; one that could look at none has no share
    and says so in its note. Two flights overlap where the later one began before the earlier one
    had ended: the later one is counted. Nothing is corrected.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id``, ``flight_date``, ``flight_type``, ``duration_seconds`` [s],
        ``takeoff_lat``, ``takeoff_lng``, ``landing_lat``, ``landing_lng`` [deg], ``pilot_id``,
        ``pilot_name``, ``project_id``, ``created_at``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    equipment : frame of any engine
        ``equipment_id``, ``type``, ``status``, ``condition``, ``serial_number``,
        ``registration_number``, ``purchase_date``.
    projects : frame of any engine
        ``project_id``, ``status``, ``agreed_price``, ``currency``, ``assigned_pilot_name``.
    as_of : str, date or datetime
        The day, or the moment, after which nothing can have been flown.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
    shortest, longest : float
        Durations that are usual. [s]
    aircraft : frame of any engine, optional
        ``equipment_id`` of aircraft; default: as :func:`aircraft` finds them by this bridge.
    most : int
        Ids that a row names.
    copies : frame of any engine, optional
        ``flight_id`` of copies of a flight that differ, as `fleetkit.tables.FlightReader` has them
        in its ``conflicts``.

    Returns
    -------
    frame of the kind of `flights`
        One row per check: ``check``, ``severity`` (ordered categorical: error, warning, info),
        ``records`` (the table that it counts), ``count``, ``of`` (how many it could look at),
        ``share`` (null where that is 0), ``ids`` (of the first ones, separated by commas),
        ``note``; gravest first, then by count.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Data quality
        What checks count in the records: an error can't be true, a warning hardly ever is, an
        info is worth knowing. The share is of the records that a check could look at.

    Examples
    --------
    >>> moments = pd.to_datetime(["2026-10-01T08:00Z", "2026-10-01T08:10Z"])
    >>> blank = dict.fromkeys(["takeoff_lng", "landing_lat", "landing_lng"], [float("nan")] * 2)
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"], "flight_date": moments, "flight_type": ["TRAINING"] * 2,
    ...     "duration_seconds": [1200, 20], "takeoff_lat": [59.9, float("nan")], **blank,
    ...     "pilot_id": ["a", "a"], "pilot_name": ["Ada", "Ada"], "project_id": ["p", "q"],
    ...     "created_at": moments,
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "type": ["DRONE"], "status": ["ACTIVE"], "condition": ["GOOD"],
    ...     "serial_number": ["A1"], "registration_number": ["N1"],
    ...     "purchase_date": pd.to_datetime(["2026-01-01T00:00Z"]),
    ... })
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "status": ["DELIVERED"], "agreed_price": [900.0],
    ...     "currency": ["EUR"], "assigned_pilot_name": ["Ada"],
    ... })
    >>> checks = data_quality(flights, bridge, equipment, projects, as_of="2026-10-31")
    >>> checks.loc[checks["count"] > 0, ["check", "count", "of", "ids"]]
                                          check  count  of ids
    0                           Half a position      1   1   1
    1   Overlaps another flight of its aircraft      1   2   2
    2      Overlaps another flight of its pilot      1   2   2
    3                  Project that no list has      1   2   2
    11                        Very short flight      1   2   2
    """
    records = Records.read(
        flights, bridge, equipment, projects, as_of=as_of, tz=tz, shortest=shortest,
        longest=longest, aircraft=aircraft, copies=copies,
        orders={name: setting(equipment, f"{name}_order") for name in ("status", "condition")},
    )  # fmt: skip
    totals = {
        "flights": count_rows(records.flights),
        "equipment": len(records.equipment),
        "projects": len(records.projects),
    }
    rows = [
        {
            "check": check.name,
            "severity": check.severity,
            "records": check.records,
            "count": answer.count,
            "of": answer.of,
            "share": answer.count / answer.of if answer.of else None,
            "ids": ", ".join(answer.ids[:most]),
            "note": check.note(answer, totals[check.records]),
        }
        for check, answer in _answers(records, most)
    ]
    table = pd.DataFrame(rows).astype({"share": "float64"})
    table["severity"] = pd.Categorical(table["severity"], SEVERITIES, ordered=True)
    order = ["severity", "count", "check"]
    table = table.sort_values(order, ascending=[True, False, True], ignore_index=True)
    return to_kind_of(table, flights, records.clock)


def _answers(records: Records, most: int) -> Iterator[tuple[Check, Answer]]:
    """Run all checks; those of a flight by itself in one query."""
    results = [(check, check.run(records)) for check in CHECKS]
    rules = [(check.name, result) for check, result in results if isinstance(result, Rule)]
    answers = answers_of_rules(records.flights, rules, most)
    for check, result in results:
        if isinstance(result, Rule):
            yield check, answers[check.name]
        elif isinstance(result, Checked):
            yield check, answer_of(result, most)
        else:
            yield check, result
