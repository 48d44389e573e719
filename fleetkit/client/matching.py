"""Whether an answer belongs to its request. A well-formed one may still belong to another.

A proxy or cache that mixes up addresses, a connection that is an answer behind, two processes that
share a connection: each gives good pages of the wrong list, which nothing else would notice.

What the reference leaves open never counts as a mismatch: fields that are missing, null,
renamed or unknown, identifiers without the prefix of their kind, dates in another form.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from functools import cache
from typing import Annotated, Any

import msgspec

from fleetkit.client.request import Request
from fleetkit.interface import brief
from fleetkit.schema import ENDPOINTS, RECORDS, Record

__all__ = ["Row", "mismatch"]

# Whether bounds are inclusive, and in which zone a service tells its days, is not shown (4.4.8).
_MARGIN = timedelta(days=1)
# How many signs of another kind a record must have, and none of the right one, to count as that.
_EVIDENCE = 2


class Row(msgspec.Struct, rename="camel", gc=False):
    """The fields of a record that are needed to check a list; the others are skipped unread.

    The last three are those that filters compare.
    """

    id: Annotated[str, msgspec.Meta(min_length=1)]
    created_at: Any = None
    updated_at: Any = None
    flight_type: Any = None
    flight_date: Any = None
    status: Any = None

    def appeared_since(self, since: str, *, by_edit: bool) -> bool:
        """Whether it was created (or `by_edit`, also changed) at or after an ISO time."""
        created, updated = self.created_at, self.updated_at
        return (isinstance(created, str) and created >= since) or (
            by_edit and isinstance(updated, str) and updated >= since
        )


class _Page(msgspec.Struct):
    data: list[dict[str, msgspec.Raw]]


def mismatch(request: Request, rows: list[Row], body: bytes) -> str:
    """Say how the records of an answer don't match its request; empty where they do.

    Parameters
    ----------
    request : Request
        What was requested.
    rows : list of Row
        The records of the answer.
    body : bytes
        The answer that holds them.
    """
    if not request.endpoint.many:
        return "" if rows[0].id == request.id else "another record than the one asked for"
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
    return _filter_mismatch(request, rows) if request.filters else ""


def _other_kind(identifier: str, names: set[str], expected: Record) -> Record | None:
    """Return the kind of a record where that is clearly not the expected one."""
    if identifier.startswith(f"{expected.prefix}_") or names & _distinctive_fields(expected):
        return None
    for other in _listed_records():
        evidence = len(names & _distinctive_fields(other)) + identifier.startswith(
            f"{other.prefix}_"
        )
        if other is not expected and evidence >= _EVIDENCE:
            return other
    return None


@cache
def _listed_records() -> tuple[Record, ...]:
    """Return the kinds of records that have lists of their own."""
    listed = {endpoint.record for endpoint in ENDPOINTS.values() if endpoint.many}
    return tuple(record for record in RECORDS if record in listed)


@cache
def _distinctive_fields(record: Record) -> set[str]:
    """Return the fields that only this kind of record has."""
    others = [other.field_names for other in _listed_records() if other is not record]
    return record.field_names.difference(*others)


def _filter_mismatch(request: Request, rows: list[Any]) -> str:
    """Say which record the filters of the request should have left out."""
    for name, attribute in (("flightType", "flight_type"), ("status", "status")):
        requested = request.filters.get(name)
        for row in rows if requested else ():
            value = getattr(row, attribute)
            if value is not None and value != requested:
                return f"{row.id} has {name} {brief(value)}, where {requested} was asked for"
    first, last = _day(request, "dateFrom", -_MARGIN), _day(request, "dateTo", _MARGIN)
    for row in rows if first or last else ():
        day = _day_of(row.flight_date)
        if day and ((first and day < first) or (last and day > last)):
            return f"{row.id} has flightDate {row.flight_date}, outside the time asked for"
    return ""


def _day(request: Request, name: str, margin: timedelta) -> str:
    requested = request.filters.get(name)
    with suppress(OverflowError):  # the first and the last day of the calendar bound nothing
        return (date.fromisoformat(requested[:10]) + margin).isoformat() if requested else ""
    return ""


def _day_of(time: Any) -> str:
    """Return the day of an ISO time; empty where it is not a time."""
    if isinstance(time, str) and time[4:5] == time[7:8] == "-":
        return time[:10]
    return ""
