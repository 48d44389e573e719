"""Whether the values of a filter occur: one that no record has would select nothing, silently."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.areas import written
from fleetkit.errors import FleetkitError, Forbidden, InvalidValue
from fleetkit.exclusion import named_values
from fleetkit.filters import OF_EQUIPMENT, Filter
from fleetkit.interface import brief, did_you_mean, recognisable, shortened, shortened_list, worded
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT
from fleetkit.unassigned import UNASSIGNED

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = [
    "FIELDS",
    "check_area",
    "check_flown",
    "check_values",
    "fields_of",
    "flown_values",
    "reader",
    "values_of",
]

# Table → field of a filter → the column that holds its values. Flights are searched last: a value
# that is in a short table saves reading a long one.
FIELDS: Mapping[str, Mapping[str, str]] = {
    "equipment": OF_EQUIPMENT,
    "projects": {"client": "client_account_name", "project": "project_id", "status": "status"},
    "flights": {
        "flight_type": "flight_type",
        "operation_type": "operation_type",
        "pilot": "pilot_id",
        "project": "project_id",
    },
}
_NOUNS = {"equipment": EQUIPMENT.nouns, "projects": PROJECT.nouns, "flights": FLIGHT.nouns}
# Field that is given by an id → the column of its name, and the table that holds both.
_NAMES = {
    "equipment": ("name", "equipment"),
    "project": ("title", "projects"),
    "pilot": ("pilot_name", "flights"),
}
# Fields of which "Unassigned" means the flights that have none.
_ASSIGNED = ("pilot", "project")
# Values that a message lists at most.
MOST = 12


def values_of(frame: pd.DataFrame, table: str) -> dict[str, list[str]]:
    """Return the values that occur in a table, for each field of a filter that selects by them."""
    columns = FIELDS[table]
    return {
        field: sorted(frame[column].dropna().astype("str").unique())
        for field, column in columns.items()
    }


def fields_of(filter_: Filter, table: str) -> list[str]:
    """Return the fields of a filter that are set and whose values a table must have.

    Examples
    --------
    >>> chosen = Filter(client="Fjord", project="proj_1")
    >>> fields_of(chosen, "projects"), fields_of(chosen, "flights")  # a flight's may not be listed
    (['client'], ['project'])
    """
    elsewhere = () if table == "flights" else FIELDS["flights"]
    fields = [field for field in FIELDS[table] if field not in elsewhere]
    return [field for field in fields if getattr(filter_, field)]


def check_values(
    filter_: Filter,
    table: str,
    occurring: Mapping[str, Iterable[str]],
    fields: Iterable[str],
    error: type[FleetkitError] = InvalidValue,
    *,
    read: Callable[[str], Any] | None = None,
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
        The fields to check.
    error : type
        What to raise.
    read : callable, optional
        Returns a table of the whole organisation, in which a name is looked for that stands in the
        place of an id.

    Raises
    ------
    InvalidValue
        Or another `error`: a value occurs nowhere; the message names those that do.
    """
    for field in fields:
        known = dict.fromkeys(occurring[field])  # a project may be listed, and flown for
        for value in named_values(getattr(filter_, field)):
            is_unassigned = value == UNASSIGNED
            if value not in known and not (is_unassigned and field in _ASSIGNED):
                raise error(
                    f"No {_NOUNS[table][0]} has {field}={brief(value)}. "
                    + (
                        (f"Only {' and '.join(_ASSIGNED)} can be so." if is_unassigned else "")
                        or _named_so(value, field, read)
                        or _of_same_letters(value, known)
                        or did_you_mean(value, known)
                        or _elsewhere(value, field, occurring)
                    ),
                    advice=f"{_listed(value, known, field)} {_way_out()}",
                )


def check_area(
    filter_: Filter,
    fleet: Fleet,
    error: type[FleetkitError] = InvalidValue,
) -> None:
    """Refuse a filter with an area in which no flight of all time took off.

    Parameters
    ----------
    filter_, error
        As for `check_values`.
    fleet : Fleet
        The whole one; of a mirror, an engine counts its flights.

    Raises
    ------
    InvalidValue
        Or another `error`: there is no such flight.
    """
    if not filter_.take_off:
        return
    flights = _all_flights(fleet)
    there = metrics.flight_totals(Filter(take_off=filter_.take_off).of_flights(flights))
    if not metrics.collect(there)["flights"].item():
        order = "Write south, west, north and east: latitudes first."
        raise error(
            f"No flight took off in take_off={written(filter_.take_off)}.",
            advice=f"{order} {_way_out()}",
        )


def _way_out() -> str:
    allow = worded(
        python=", or pass allow_empty=True to fleet.where, fleet.export or fk.report",
        command_line="; a report or an export allows it with --allow-empty",
        page="",
    )
    return f"Leave the filter out{allow}."


def check_flown(fleet: Fleet) -> None:
    """Refuse a filter with a value that no flight has, of a fleet that has no flights by it.

    Parameters
    ----------
    fleet : Fleet
        One that was narrowed so on purpose, with ``allow_empty``, is left as it is.

    Raises
    ------
    InvalidValue
        A value occurs nowhere; the message names those that do.
    """
    named = fields_of(fleet.filter, "flights")
    if fleet._allow_empty or not (named or fleet.filter.take_off):
        return
    whole = fleet.whole()
    check_area(fleet.filter, whole)
    values = flown_values(whole, named)
    check_values(fleet.filter, "flights", values, named, read=reader(whole))


def flown_values(whole: Fleet, fields: Collection[str]) -> dict[str, list[str]]:
    """Return the values of flights in some fields; a project that is listed only is one, too."""
    mirror, columns = whole.mirror, FIELDS["flights"]
    if mirror is None:
        values = values_of(whole.flights(), "flights")
    else:
        values = {field: mirror.values("flights", columns[field]) for field in fields}
    if "project" in fields and "projects" not in whole.missing:
        values["project"] += whole.projects()["project_id"].tolist()
    return values


def _all_flights(fleet: Fleet) -> Any:
    return fleet.flights() if fleet.mirror is None else fleet.flights(engine="polars")


def reader(whole: Fleet) -> Callable[[str], Any]:
    """Return what reads the tables of a fleet for `check_values`."""
    return lambda table: _all_flights(whole) if table == "flights" else getattr(whole, table)()


def _named_so(value: str, field: str, read: Callable[[str], Any] | None) -> str:
    """Say which ids have a name that was given in their place."""
    if read is None or field not in _NAMES:
        return ""
    name, table = _NAMES[field]
    column = FIELDS[table][field]
    try:
        rows = nw.from_native(read(table)).lazy()
    except Forbidden:
        return ""
    rows = rows.filter(nw.col(name).str.to_lowercase() == value.lower()).select(column)
    ids = sorted(metrics.collect(rows.drop_nulls().unique().to_native())[column])
    return f"That is the name of {shortened_list(ids)}." if ids else ""


def _of_same_letters(value: str, known: Iterable[str]) -> str:
    """Say which value looks the same and is written with other accents."""
    for other in known:
        if normalize("NFC", other) == normalize("NFC", value):
            return f"Its accents are other characters there: write {other!a}."
    return ""


def _elsewhere(value: str, field: str, occurring: Mapping[str, Iterable[str]]) -> str:
    """Say under which other field a value occurs."""
    others = (
        f"{other}={brief(known)}"
        for other, values in occurring.items()
        for known in values
        if other != field and known.casefold() == value.casefold()
    )
    match = next(others, "")
    return f"Did you mean {match}?" if match else ""


def _listed(value: str, known: Collection[str], field: str) -> str:
    """List the values that occur, near ones first."""
    if not known:
        return "None has any."
    nearest = get_close_matches(value, known, n=MOST, cutoff=0.4)
    first = [*nearest, *(value_ for value_ in known if value_ not in nearest)][:MOST]
    shown = ", ".join(map(_in_a_list, first))
    more = f" and {len(known) - MOST:,} more" if len(known) > MOST else ""
    name, table = _NAMES.get(field, ("", ""))
    ids = f" ids, which stand beside {name} in the table {table}" if name else ""
    return f"Values of {field} are{ids}: {shown}{more}."


def _in_a_list(value: str) -> str:
    """Return a value among others: its beginning where it is long, escaped where it can't print."""
    return recognisable(shortened(value)) if value.isprintable() else brief(value)
