"""Which aircraft, pilots, types of flight and projects made hours rise or fall."""

from __future__ import annotations

import narwhals as nw
import pandas as pd

from fleetkit.blanks import without_blanks
from fleetkit.metrics._flown import read_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, in_narwhals, to_kind_of
from fleetkit.metrics.aircraft_hours import aircraft_hours
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.unassigned import shown_name

__all__ = ["contributions"]

# Dimension → the columns of flights that hold its keys and their names.
_OF_FLIGHTS = {
    "pilot": ("pilot_id", "pilot_name"),
    "flight type": ("flight_type", "flight_type"),
    "project": ("project_id", "project_title"),
}
_NEEDED = ["flight_id", *(column for pair in _OF_FLIGHTS.values() for column in pair)]


def contributions(flights: FrameT, earlier: Frame, bridge: Frame, aircraft: Frame) -> FrameT:
    """Compare the hours of two periods by aircraft, pilot, flight type and project.

    Parameters
    ----------
    flights : frame of any engine
        Of a period: ``flight_id``, ``duration_seconds`` [s], ``pilot_id``, ``pilot_name``,
        ``flight_type``, ``project_id``, ``project_title``. With ``flight_date`` too, a name is the
        last one that came with a flight.
    earlier : frame of the same engine
        The same columns, of the period that it is compared with.
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``, of both.
    aircraft : frame of any engine
        With ``equipment_id`` and ``name``; see :func:`aircraft`.

    Returns
    -------
    frame of the kind of `flights`
        One row per key that flew in either: ``dimension`` (aircraft, pilot, flight type,
        project), ``key`` (null for flights without one), ``name``, ``hours`` [h],
        ``hours_before`` [h], ``change`` [h]; in each dimension the largest change first. The hours
        of aircraft need not add up to the fleet's.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Contribution
        By how many hours an aircraft, pilot, flight type or project flew more, or less, than in
        the period that is compared.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"], "duration_seconds": [7200, 3600],
    ...     "pilot_id": ["a", "b"], "pilot_name": ["Ada", "Bo"],
    ...     "flight_type": "COMMERCIAL", "project_id": "p", "project_title": "Roof",
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d"], "name": ["Kestrel"]})
    >>> both = contributions(flights, flights.tail(1), bridge, fleet)
    >>> both[both["dimension"] == "pilot"][["name", "hours", "hours_before", "change"]]
      name  hours  hours_before  change
    1  Ada    2.0           0.0     2.0
    2   Bo    1.0           1.0     0.0
    """
    now, before = (
        _by_dimension(frame, bridge, aircraft, name)
        for name, frame in {"flights": flights, "earlier": earlier}.items()
    )
    keys = ["dimension", "key"]
    both = now.merge(before, on=keys, how="outer", suffixes=("", "_before"), sort=False)
    both["name"] = both["name"].fillna(both.pop("name_before"))
    both[["hours", "hours_before"]] = both[["hours", "hours_before"]].fillna(0.0)
    both["change"] = both["hours"] - both["hours_before"]
    order = {name: place for place, name in enumerate(["aircraft", *_OF_FLIGHTS])}
    both = both.assign(place=both["dimension"].map(order), size=-both["change"].abs())
    both = both.sort_values(["place", "size", "key"], kind="stable", ignore_index=True)
    columns = ["dimension", "key", "name", "hours", "hours_before", "change"]
    return to_kind_of(both[columns], flights)


def _by_dimension(flights: Frame, bridge: Frame, aircraft: Frame, name: str) -> pd.DataFrame:
    """Return ``dimension, key, name, hours`` of those that flew; an error calls flights `name`."""
    is_dated = "flight_date" in in_narwhals(flights).collect_schema().names()
    dates = ["flight_date"] if is_dated else []
    frame = read_flights(flights, *_NEEDED, *dates, name=name)
    flown = collect(nw.from_native(aircraft_hours(flights, bridge, aircraft)).lazy())
    pieces = flown.rename(columns={"equipment_id": "key"})
    of_aircraft = pieces[pieces["flights"] > 0].assign(dimension="aircraft")
    named = [
        frame.select(
            nw.lit(dimension).alias("dimension"),
            nw.col(key).cast(nw.String).alias("key"),
            nw.col(name).cast(nw.String).alias("name"),
            "_seconds",
            *dates,
        )
        for dimension, (key, name) in _OF_FLIGHTS.items()
    ]
    grouped = [
        rows.group_by("dimension", "key", "name").agg(
            nw.col("_seconds").sum(), *(nw.col(name).max() for name in dates)
        )
        for rows in named
    ]
    parts = (of_aircraft, _under_last_names(collect(nw.concat(grouped)), dates))
    rows = [part.astype({"key": "str", "name": "str"}) for part in parts]
    table: pd.DataFrame = pd.concat(rows, ignore_index=True)
    spent = table["_seconds"].astype("float64") / SECONDS_PER_HOUR
    table = table.assign(hours=table["hours"].fillna(spent))
    return table[["dimension", "key", "name", "hours"]]


def _under_last_names(rows: pd.DataFrame, dates: list[str]) -> pd.DataFrame:
    """Add up what was flown under each key, by the name of its last flight, if these are dated."""
    rows = rows.astype({"key": "str", "name": "str", "_seconds": "float64"})
    rows["name"] = without_blanks(rows["name"])
    if dates:
        names = rows["name"].map(shown_name, na_action="ignore").where(rows["key"].notna())
        rows["name"] = rows["name"].where(rows["dimension"] == "flight type", names)
    in_order = rows.sort_values([*dates, "name"], na_position="first")
    by_key = in_order.groupby(["dimension", "key"], dropna=False, sort=False)
    return by_key.agg({"name": "last", "_seconds": "sum"}).reset_index()
