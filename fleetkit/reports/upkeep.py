"""What the chapter on equipment shows of maintenance, value and contradictions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from fleetkit.blanks import distinct_names
from fleetkit.language import localized, message, say
from fleetkit.lettering import cut
from fleetkit.reports.sentences import first_listed, with_rest
from fleetkit.reports.texts import shown
from fleetkit.settings import Settings
from fleetkit.upkeep import interval_names

__all__ = ["by_contradiction", "upkeep", "upkeep_note"]

# Types and models, equipment, and ids of flights, that are named; the others are counted.
MOST_INTERVALS, MOST_PIECES, MOST_IDS = 3, 2, 2
# Columns that a name takes.
MOST_NAME = 30


def upkeep(
    maintenance: pd.DataFrame,
    maintenance_due: pd.DataFrame,
    age_and_value: pd.DataFrame,
    *,
    aircraft: Iterable[str],
) -> pd.DataFrame:
    """Join what was flown since maintenance, when it is due, and age and value.

    Parameters
    ----------
    maintenance, maintenance_due, age_and_value : DataFrame
        As the metrics of these names return them, of the same equipment.
    aircraft : iterable of str
        The ids of equipment that is aircraft.

    Returns
    -------
    DataFrame
        A row per piece of equipment: first what is due, the soonest first, then aircraft, then
        others, by hours since maintenance.

    Examples
    --------
    >>> both = {"equipment_id": ["d", "e"], "name": ["Kestrel", "Merlin"]}
    >>> maintenance = pd.DataFrame({**both, "hours_since": [9.0, 1.0]})
    >>> due = pd.DataFrame({"equipment_id": ["e"], "due_by": ["days"], "days_left": [4]})
    >>> age = pd.DataFrame({**both, "age_years": [2.0, 3.0]})
    >>> rows = upkeep(maintenance, due.assign(due="2026-11-04"), age, aircraft=["d"])
    >>> rows[["name", "days_left", "age_years"]]
          name  days_left  age_years
    0   Merlin        4.0        3.0
    1  Kestrel        NaN        2.0
    """
    others = age_and_value.columns.difference(maintenance.columns)
    rows = maintenance.merge(age_and_value[["equipment_id", *others]], on="equipment_id")
    forecast = maintenance_due[["equipment_id", "due", "due_by", "days_left"]]
    rows = rows.merge(forecast, on="equipment_id", how="left")
    rows["is_aircraft"] = rows["equipment_id"].isin(list(aircraft))
    order = {"days_left": True, "is_aircraft": False, "hours_since": False, "name": True}
    return rows.sort_values([*order], ascending=[*order.values()], ignore_index=True)


def upkeep_note(
    settings: Settings, maintenance_due: pd.DataFrame, equipment: pd.DataFrame | None = None
) -> str:
    """Say what maintenance and value are counted from, and where they are set.

    Parameters
    ----------
    settings : Settings
        The fleet's.
    maintenance_due : DataFrame
        As the metric of this name returns it.
    equipment : DataFrame, optional
        What that is forecast of: ``type``, ``model``. Intervals that none of it has are named.

    Examples
    --------
    >>> print(upkeep_note(Settings(), pd.DataFrame()))
    Since the last MAINTENANCE flight (a proxy), or the purchase. No service interval is set:
    [service_intervals] in fleetkit.toml gives a forecast. Book value over 5 years to 0 % of the
    cost, which is as reported.
    """
    years, residual = (settings.depreciation[part] for part in ("years", "residual_percent"))
    if years == 1:
        text = message(
            "Since the last MAINTENANCE flight (a proxy), or the purchase. {forecast} Book value "
            "over 1 year to {residual} % of the cost, which is as reported."
        )
    else:
        text = message(
            "Since the last MAINTENANCE flight (a proxy), or the purchase. {forecast} Book value "
            "over {years} years to {residual} % of the cost, which is as reported."
        )
    return say(
        text,
        forecast=_forecast(settings.service_intervals, maintenance_due, equipment),
        years=localized(f"{years:g}"),
        residual=localized(f"{residual:g}"),
    )


def _forecast(
    intervals: Mapping[str, object], due: pd.DataFrame, equipment: pd.DataFrame | None
) -> str:
    if not intervals:
        return say(
            "No service interval is set: [service_intervals] in fleetkit.toml gives a forecast."
        )
    names = list(intervals)
    if due.empty:
        return say(
            "No equipment in service is of a type or model with an interval: {names}.",
            names=first_listed(names, MOST_INTERVALS),
        )
    used = names
    if equipment is not None:
        chosen = {*interval_names(equipment["model"], equipment["type"], intervals)}
        used = [name for name in names if name in chosen]
    forecast = say(
        "Due at the average use of 90 days, by the intervals of {names}.",
        names=first_listed(used, MOST_INTERVALS),
    )
    unused = [name for name in names if name not in used]
    if not unused:
        return forecast
    others = first_listed(unused, MOST_INTERVALS)
    return f"{forecast} {say('Used for no equipment in service: {names}.', names=others)}"


def by_contradiction(contradictions: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each condition that contradicts a status, and for equipment that flew.

    Parameters
    ----------
    contradictions : DataFrame
        As the metric of this name returns it.

    Returns
    -------
    DataFrame
        ``contradiction``, ``pieces`` (of equipment), ``names`` (of the first ones), ``flights``
        (the latest), ``equipment_ids`` and ``flight_ids`` (of all of them); errors first.

    Examples
    --------
    >>> rows = pd.DataFrame({
    ...     "equipment_id": ["eq_1"], "name": ["Kestrel"], "contradiction": ["flew, and is LOST"],
    ...     "flights": [3], "flight_ids": ["fl_3, fl_2, fl_1"],
    ... })
    >>> by_contradiction(rows)[["names", "flights"]].to_numpy().tolist()
    [['Kestrel', 'fl_3, fl_2 and 1 more']]
    """
    of_condition: dict[str, list[dict[Hashable, Any]]] = {}
    flew: list[list[dict[Hashable, Any]]] = []
    called = distinct_names(contradictions["name"], contradictions["equipment_id"])
    for row in contradictions.assign(name=called).to_dict("records"):
        if pd.isna(row["flights"]):
            of_condition.setdefault(row["contradiction"], []).append(row)
        else:
            flew.append([row])
    dtypes = {"contradiction": "str", "pieces": "int64"}
    dtypes |= dict.fromkeys(["names", "flights", "equipment_ids", "flight_ids"], "str")
    rows = [_row(group) for group in [*of_condition.values(), *flew]]
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def _row(group: list[dict[Hashable, Any]]) -> dict[str, Any]:
    first = group[0]
    ids = [text for text in first["flight_ids"].split(", ") if text]
    names = [cut(shown(row["name"]), MOST_NAME) for row in group[:MOST_PIECES]]
    return {
        "contradiction": first["contradiction"],
        "pieces": len(group),
        "names": _with_rest(names, MOST_PIECES, len(group)),
        "flights": _with_rest(ids, MOST_IDS, int(first["flights"]) if ids else 0),
        "equipment_ids": ", ".join(row["equipment_id"] for row in group),
        "flight_ids": first["flight_ids"],
    }


def _with_rest(names: list[str], most: int, of: int = 0) -> str:
    """Name the first ones, and count the others."""
    return with_rest(names[:most], max(of, len(names)) - len(names[:most]))
