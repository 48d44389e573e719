"""How far the records can be trusted: one table of checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_list
from fleetkit.context import setting
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._collecting import collected
from fleetkit.metrics._frames import Frame, FrameT, in_narwhals, to_kind_of
from fleetkit.metrics._quality import Records
from fleetkit.metrics._quality_checking import Checking
from fleetkit.time import PeriodLike

__all__ = ["data_quality", "data_quality_of_parts"]


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
    had ended: the later one is counted. That is in whole seconds, as durations are, and until the
    end of the day (UTC) after the one on which the earlier one began. Nothing is corrected.

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
        The last day on which anything can have been flown, or the moment from which on nothing
        can.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
    shortest, longest : float
        Durations that are usual. [s]
    aircraft : frame of any engine, optional
        ``equipment_id`` of aircraft; default: as :func:`aircraft` finds them by this bridge.
    most : int
        Ids that a row names.
    copies : frame of any engine, optional
        ``flight_id`` of flights of which copies differ, as `Fleet.differing_copies` gives them;
        without it that is not known.

    Returns
    -------
    frame of the kind of `flights`
        One row per check: ``check``, ``severity`` (ordered categorical: error, warning, info),
        ``records`` (the table that it counts), ``count``, ``of`` (how many it could look at),
        ``share`` (null where that is 0), ``ids`` (of the first ones, separated by commas),
        ``note``, which names unknown tokens too; gravest first, then by count.

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
        longest=longest, aircraft=aircraft, copies=copies, orders=_orders(equipment),
    )  # fmt: skip
    checking = Checking(records, most)
    if isinstance(in_narwhals(flights), nw.DataFrame):
        checking.add_part(flights, bridge)
    else:
        checking.add(records)
    return to_kind_of(checking.table(), flights, records.clock)


def data_quality_of_parts(
    parts: Sequence[tuple[Frame, Frame]],
    equipment: Frame,
    projects: Frame,
    periods: Iterable[PeriodLike],
    *,
    as_of: str | date | datetime,
    aircraft: Frame,
    tz: str | None = None,
    shortest: float = 30.0,
    longest: float = 10_800.0,
    most: int = 20,
    copies: Frame | None = None,
    load: bool | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Count what `data_quality` does of flights in parts, in all and in a period, and sound ones.

    Each flight is looked at once. Of several parts each is loaded in turn, and no other beside it.

    Parameters
    ----------
    parts : list of two frames each
        Flights and bridge, as for `data_quality`: one part, or several of whole days (UTC), the
        earliest first; flights without a date are in any of them.
    equipment, projects, as_of, shortest, longest, most, copies
        As for `data_quality`.
    periods : iterable of str, int, date, pandas.Period or Period
        As for `sound_totals`; checks are counted of the first one too.
    aircraft : frame of any engine
        ``equipment_id`` of aircraft.
    tz : str, optional
        As for `data_quality`. Whether flight dates are dates, the first part tells, where a zone
        that a fleet carries doesn't.
    load : bool, optional
        Whether parts are loaded; default: where there are several.

    Returns
    -------
    tuple of three DataFrames
        What `data_quality` returns; the same of the flights of the first period, one of which may
        overlap one of an earlier day; and `sound_totals`.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, no part or no period.

    Definitions
    -----------
    Data quality
        See `data_quality`.
    Sound flight
        See `flagged_flights`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> records = {"equipment": fleet.equipment(), "projects": fleet.projects()}
    >>> records |= {"aircraft": records["equipment"], "as_of": "2026-11-20", "tz": "UTC"}
    >>> parts = [(fleet.flights(), fleet.flight_equipment())]
    >>> checks, of_period, totals = data_quality_of_parts(parts, periods=["2026-10"], **records)
    >>> len(checks) == len(of_period), totals["flights"].tolist()
    (True, [2])
    """
    pairs = checked_list(parts, "parts")
    if not pairs:
        raise InvalidValue("There is no part of the flights.", advice="Pass at least one.")
    for part in pairs:
        if not isinstance(part, list | tuple) or len(part) != 2:
            raise InvalidValue(
                f"parts= holds {brief(part)}, not flights and bridge.",
                advice="Pass a list of both: parts=[(flights, bridge)].",
            )
    spans = checked_list(periods, "periods")
    if not spans:
        raise InvalidValue("There is no period.", advice="Pass at least one.")
    flights, bridge = pairs[0]
    records = Records.read(
        flights, bridge, equipment, projects, as_of=as_of, tz=tz, shortest=shortest,
        longest=longest, aircraft=aircraft, copies=copies, orders=_orders(equipment), periods=spans,
    )  # fmt: skip
    checking = Checking(records, most)
    if len(pairs) > 1 if load is None else load:
        for flights, bridge in pairs:
            checking.add_part(flights, bridge)
    else:
        checking.add(records)
    tables = checking.table(), checking.table(in_period=True), checking.totals()
    checks, of_period, totals = (collected(table, records.clock.zone) for table in tables)
    return checks, of_period, totals


def _orders(equipment: Frame) -> dict[str, Sequence[str]]:
    return {name: setting(equipment, f"{name}_order") for name in ("status", "condition")}
