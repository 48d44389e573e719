"""Whom several reports are about: the clients, pilots, categories or projects of a fleet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, get_args

import pandas as pd

from fleetkit import metrics
from fleetkit.arguments import refuse_unknown
from fleetkit.blanks import distinct_names, is_blank
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.rows import is_in
from fleetkit.interface import recognisable
from fleetkit.kinds import is_open
from fleetkit.language import alphabetical
from fleetkit.time import Period
from fleetkit.unassigned import UNASSIGNED

__all__ = ["Dimension", "Group", "checked_dimension", "groups", "hours_of", "hours_of_groups"]

Dimension = Literal["client", "pilot", "category", "project"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


@dataclass(frozen=True)
class Group:
    """One client, pilot, category or project.

    Parameters
    ----------
    name : str
        As readers know it.
    filter : Filter
        What selects its records.
    flight_ids : frozenset of str
        Of the period.
    hours : float or None
        Of the period; None where no flight has a duration. [h].
    is_open : bool
        Whether it has a project that is neither completed nor cancelled.
    """

    name: str
    filter: Filter
    flight_ids: frozenset[str] = field(repr=False)
    hours: float | None
    is_open: bool

    @property
    def flights(self) -> int:
        """How many flights of the period there are."""
        return len(self.flight_ids)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to report."""
        return not (self.flights or self.is_open)


def checked_dimension(by: str) -> Dimension:
    """Return what reports are made by, if it is a dimension.

    Raises
    ------
    InvalidValue
        It isn't; the message suggests a similar one.
    """
    refuse_unknown([by], DIMENSIONS, "kind of report")
    return next(dimension for dimension in DIMENSIONS if dimension == by)


def groups(fleet: Fleet, by: Dimension, period: Period, engine: str | None = None) -> list[Group]:
    """Return the groups of a fleet, sorted by name.

    Parameters
    ----------
    fleet : Fleet
        Its filter holds.
    by : {"client", "pilot", "category", "project"}
    period : Period
        Of the flights that are counted.
    engine : optional
        What looks for pilots in all flights, as for `Fleet.flights`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=200)
    >>> [group.name for group in groups(fleet, "category", fleet.period("2026-10"))][:2]
    ['FIXED_WING', 'GROUND_STATION']
    """
    flights, open_keys = fleet.flights(period), _open(fleet, by)
    pairs = _pairs(fleet, by, flights, period)
    flown = {key: frozenset(rows) for key, rows in pairs.groupby("key")["flight"]}
    hours = hours_of_groups(pairs, flights)
    made = [
        Group(
            name,
            Filter.from_parameters({by: [key]}),
            flown.get(key, frozenset()),
            hours.get(key, 0.0),
            key in open_keys,
        )
        for key, name in _names(fleet, by, engine).items()
    ]
    return sorted(made, key=lambda group: alphabetical(group.name))


def hours_of_groups(pairs: pd.DataFrame, flights: pd.DataFrame) -> dict[str, float | None]:
    """Return key → hours of its flights as `hours_of` has them, of many keys at once.

    Parameters
    ----------
    pairs : DataFrame
        ``flight``, ``key``; a pair may stand several times.
    flights : DataFrame
    """
    durations = flights[["flight_id", "flight_date", "duration_seconds"]]
    named = durations.rename(columns={"flight_id": "flight"})
    logged = pairs.dropna().drop_duplicates().merge(named, on="flight")
    # By number: some keys would be called otherwise in the place of ids.
    numbers, keys = pd.factorize(logged["key"])
    sums = metrics.flight_hours(logged.assign(project_id=numbers.astype("str")), by="project")
    return {
        keys[int(number)]: None if pd.isna(hours) else float(hours)
        for number, hours in zip(sums["project"], sums["hours"], strict=True)
    }


def hours_of(flights: pd.DataFrame, ids: Collection[str]) -> float | None:
    """Return the hours of some flights; None where none of them has a duration. [h]."""
    rows = flights[is_in(flights["flight_id"], pd.Series(list(ids), dtype="str"))]
    totals = metrics.flight_totals(rows)
    hours = totals["hours"].item()
    return None if pd.isna(hours) else float(hours)


def _names(fleet: Fleet, by: Dimension, engine: str | None) -> dict[str, str]:
    """Return the key of each group that there is → its name."""
    if by == "client":
        return _distinguished(fleet.projects()["client_account_name"])
    if by == "category":
        return _distinguished(fleet.equipment()["category"].astype("str"))
    if by == "project":
        projects = fleet.projects()
        return _labelled(projects["project_id"], projects["title"])
    pilots = metrics.collect(metrics.pilots(fleet.flights(engine=engine)))
    known = pilots[pilots["pilot_id"] != UNASSIGNED]
    return _labelled(known["pilot_id"], known["pilot_name"])


def _distinguished(names: pd.Series[str]) -> dict[str, str]:
    """Return each name → what to call it; of some that look alike also how Python writes them."""
    keys = pd.Series([name for name in names.unique() if not is_blank(name)], dtype="str")
    called = distinct_names(keys.map(recognisable), keys.map(ascii))
    return dict(zip(keys, called, strict=True))


def _labelled(keys: pd.Series[str], names: pd.Series[str]) -> dict[str, str]:
    """Return key → name; the key itself where there is no name, and with it where names repeat."""
    return dict(zip(keys, distinct_names(names, keys), strict=True))


def _pairs(fleet: Fleet, by: Dimension, flights: pd.DataFrame, period: Period) -> pd.DataFrame:
    """Return ``flight`` and ``key``: a row for each group that a flight belongs to."""
    if by == "category":
        bridge = fleet.flight_equipment(period).merge(
            fleet.equipment()[["equipment_id", "category"]], on="equipment_id"
        )
        pairs = bridge[["flight_id", "category"]]
    elif by == "client":
        projects = fleet.projects()[["project_id", "client_account_name"]]
        merged = flights[["flight_id", "project_id"]].merge(projects, on="project_id")
        pairs = merged[["flight_id", "client_account_name"]]
    else:
        pairs = flights[["flight_id", f"{by}_id"]]
    return pairs.set_axis(["flight", "key"], axis=1)


def _open(fleet: Fleet, by: Dimension) -> set[str]:
    """Return the keys of groups with an open project."""
    if by not in {"client", "project"}:
        return set()
    projects = fleet.projects()
    column = "client_account_name" if by == "client" else "project_id"
    return set(projects.loc[is_open(projects["status"]), column].dropna())
