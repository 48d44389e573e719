"""Does the answer fit the question? A well-formed answer may still belong to another request.

A proxy or cache that mixes up addresses, a connection that is an answer behind, two processes that
share a connection: each gives good pages of the wrong list, which nothing else would notice.

What the reference leaves open is never held against an answer: fields that are missing, null,
renamed or unknown, identifiers without the prefix of their kind, dates in another form.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from functools import cache
from typing import Any

import msgspec

from fleetkit.client.request import Request
from fleetkit.schema import ENDPOINTS, RECORDS, Record

__all__ = ["FilteredRow", "Row", "misfit"]

# Whether bounds are inclusive, and in which zone a service tells its days, is not shown (4.4.8).
_MARGIN = timedelta(days=1)
# How much must point to another kind, and nothing to the right one, before it counts as that.
_EVIDENCE = 2


class Row(msgspec.Struct, rename="camel", gc=False):
    """What checking a list takes of each record; the rest is skipped unread."""

    id: str
    created_at: str | float | None = None
    updated_at: str | float | None = None

    def appeared_since(self, moment: str, *, by_edit: bool) -> bool:
        """Whether it was created (or `by_edit`, also changed) at or after a moment in ISO form."""
        created, updated = self.created_at, self.updated_at
        return (isinstance(created, str) and created >= moment) or (
            by_edit and isinstance(updated, str) and updated >= moment
        )


class FilteredRow(Row, rename="camel", gc=False):
    """The same of a list that was asked for in part: also what the filters speak of."""

    flight_type: Any = None
    flight_date: Any = None
    status: Any = None


class _Page(msgspec.Struct):
    data: list[dict[str, msgspec.Raw]]


def misfit(request: Request, rows: list[Row], body: bytes) -> str:
    """Say how the records of a list don't fit what was asked for; empty where they do.

    Parameters
    ----------
    request : Request
        What was asked.
    rows : list of Row
        The records that came; `FilteredRow` where the request filters.
    body : bytes
        The answer that they stand in.
    """
    record = request.endpoint.record
    prefix = f"{record.prefix}_"
    if not all(row.id.startswith(prefix) for row in rows):
        try:
            records = msgspec.json.decode(body, type=_Page).data
        except msgspec.DecodeError:  # half a surrogate pair: JSON to all but msgspec
            records = []
        for row, fields in zip(rows, records, strict=False):
            other = _other_kind(row.id, set(fields), record)
            if other:
                return f"{row.id} is a record of {other.name}, not of {record.name}"
    return _outside(request, rows) if request.filters else ""


def _other_kind(identifier: str, names: set[str], expected: Record) -> Record | None:
    """Return the kind that a record clearly is of, where that isn't the expected one."""
    if identifier.startswith(f"{expected.prefix}_") or names & _telling(expected):
        return None
    for other in _listed():
        evidence = len(names & _telling(other)) + identifier.startswith(f"{other.prefix}_")
        if other is not expected and evidence >= _EVIDENCE:
            return other
    return None


@cache
def _listed() -> tuple[Record, ...]:
    """Kinds of records that stand in lists of their own."""
    listed = {endpoint.record for endpoint in ENDPOINTS.values() if endpoint.many}
    return tuple(record for record in RECORDS if record in listed)


@cache
def _telling(record: Record) -> set[str]:
    """Return the fields that only this kind of record has."""
    others = {field.name for other in _listed() if other is not record for field in other.fields}
    return {field.name for field in record.fields} - others


def _outside(request: Request, rows: list[Any]) -> str:
    """Say which record the filters of the request leave out."""
    for name, attribute in (("flightType", "flight_type"), ("status", "status")):
        asked = request.filters.get(name)
        for row in rows if asked else ():
            value = getattr(row, attribute)
            if value is not None and value != asked:
                return f"{row.id} has {name} {value!r}, where {asked} was asked for"
    first, last = _day(request, "dateFrom", -_MARGIN), _day(request, "dateTo", _MARGIN)
    for row in rows if first or last else ():
        day = _day_of(row.flight_date)
        if day and ((first and day < first) or (last and day > last)):
            return f"{row.id} has flightDate {row.flight_date}, outside the time asked for"
    return ""


def _day(request: Request, name: str, margin: timedelta) -> str:
    asked = request.filters.get(name)
    with suppress(OverflowError):  # the first and the last day of the calendar bound nothing
        return (date.fromisoformat(asked[:10]) + margin).isoformat() if asked else ""
    return ""


def _day_of(moment: Any) -> str:
    """Return the day of an ISO time; empty where it is none."""
    if isinstance(moment, str) and moment[4:5] == moment[7:8] == "-":
        return moment[:10]
    return ""
