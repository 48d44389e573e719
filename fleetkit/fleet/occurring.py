"""Whether the values of a filter occur: one that no record has would show nothing, silently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.filters import UNASSIGNED, Filter
from fleetkit.near import near

__all__ = ["FIELDS", "check_values", "values_of"]

# Table → field of a filter → the column that holds its values. Flights are looked at last: a value
# that stands in a short table needs no long one to be read.
FIELDS: Mapping[str, Mapping[str, str]] = {
    "equipment": {"equipment": "equipment_id", "type": "type", "category": "category"},
    "projects": {"client": "client_account_name", "project": "project_id", "status": "status"},
    "flights": {
        "flight_type": "flight_type",
        "operation_type": "operation_type",
        "pilot": "pilot_id",
        "project": "project_id",
    },
}
_KINDS = {"equipment": "piece of equipment", "projects": "project", "flights": "flight"}
# Values that a message lists at most.
MOST = 12


def values_of(frame: pd.DataFrame, table: str) -> dict[str, list[str]]:
    """Return the values that occur in a table, for each field of a filter that looks there."""
    columns = FIELDS[table]
    return {
        field: sorted(frame[column].dropna().astype("str").unique())
        for field, column in columns.items()
    }


def check_values(
    filter_: Filter, table: str, occurring: Mapping[str, Iterable[str]], fields: Iterable[str]
) -> None:
    """Refuse a filter with a value that no record of a table has.

    Parameters
    ----------
    filter_ : Filter
    table : str
        A key of `FIELDS`.
    occurring : mapping
        Field → the values that occur.
    fields : iterable of str
        The fields to look at.

    Raises
    ------
    InvalidValue
        A value occurs nowhere; the message names near ones, and those that occur.
    """
    for field in fields:
        known = list(occurring[field])
        for value in getattr(filter_, field) or ():
            if value not in known and value != UNASSIGNED:
                raise InvalidValue(
                    f"No {_KINDS[table]} has {field}={value!r}."
                    + (near(value, known) or _elsewhere(value, field, occurring)),
                    advice=f"{_listed(known, field)} Leave the filter out, or allow an empty "
                    "answer with allow_empty=True.",
                )


def _elsewhere(value: str, field: str, occurring: Mapping[str, Iterable[str]]) -> str:
    """Say under which other field a value occurs."""
    others = (
        f"{other}={known!r}"
        for other, values in occurring.items()
        for known in values
        if other != field and known.casefold() == value.casefold()
    )
    found = next(others, "")
    return f" Did you mean {found}?" if found else ""


def _listed(known: list[str], field: str) -> str:
    if not known:
        return "None has any."
    shown = ", ".join(known[:MOST])
    more = f" and {len(known) - MOST:,} more" if len(known) > MOST else ""
    return f"Values of {field} are: {shown}{more}."
