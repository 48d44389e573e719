"""What a sync did, for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape

from fleetkit.html import html_table
from fleetkit.lettering import single_line
from fleetkit.mirror.comparing import FieldChange
from fleetkit.mirror.syncs import Sync
from fleetkit.schema import EQUIPMENT
from fleetkit.settings import Settings

__all__ = ["CLOCKS_APART", "SyncReport", "TableChange", "remarks", "report_of"]

# How many changes a sync names; the others it counts.
MOST_NAMED = 20
# Each is so said of one piece of equipment, and of several.
_WHY = {
    "full": "because all was asked for",
    "new": "new to the mirror",
    "moved": "that moved",
    "uncounted": "without any counter",
    "audit": "in turn",
    "shared": "sharing a changed flight",
    "resumed": "that an interrupted sync had read",
}


@dataclass(frozen=True)
class TableChange:
    """How many rows of a table a sync added, changed and closed, and how many are current."""

    rows: int
    inserted: int
    updated: int
    vanished: int
    missing_scope: str = ""


@dataclass(frozen=True)
class SyncReport:
    """What a sync did.

    Attributes
    ----------
    path : str
        The mirror.
    version : int
        Number of the sync: ``open(path, version=…)`` shows this state again.
    fetched_at : datetime
        When it began to read, UTC.
    requests : int
        HTTP requests made.
    tables : dict of str → TableChange
        One entry for each table.
    fingerprint : str
        Hash over all current rows.
    read : dict of str → int
        Why flights were read → pieces of equipment: ``full``, ``new``, ``moved``, ``uncounted``
        (no counter to compare), ``audit``, ``shared`` (it logged a flight that changed elsewhere);
        ``resumed`` were read before, by a first sync that was interrupted.
    skipped : int
        Pieces of equipment whose flights were not read: ``totalFlights``, ``totalFlightHours`` and
        ``updatedAt`` are what they were then.
    field_changes : tuple of FieldChange
        Projects that changed stage, conditions and statuses of equipment, prices: ``table, id,
        label, field, old, new``.
    remarks : tuple of str
        What else a person should know: repairs, a clock that went back, another time zone.
    """

    path: str
    version: int
    fetched_at: datetime
    requests: int
    tables: dict[str, TableChange]
    fingerprint: str
    read: dict[str, int]
    skipped: int
    field_changes: tuple[FieldChange, ...]
    remarks: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether any row was inserted, updated or has vanished."""
        changes = self.tables.values()
        return any(change.inserted or change.updated or change.vanished for change in changes)

    def __repr__(self) -> str:
        width = max(len(name) for name in self.tables)
        lines = [f"  {name:<{width}}  {_words(change)}" for name, change in self.tables.items()]
        return "\n".join([self._title(), *lines, *(f"  {line}" for line in self._remarks())])

    def _repr_html_(self) -> str:
        rows = [(name, _words(change)) for name, change in self.tables.items()]
        remarks = "<br>".join(escape(line) for line in self._remarks())
        return f"<div>{escape(self._title())}{html_table(rows)}{remarks}</div>"

    def _title(self) -> str:
        what = "" if self.changed else ", nothing changed"
        return (
            f"Mirror {self.path}: version {self.version}{what} "
            f"({self.fetched_at:%Y-%m-%d %H:%M} UTC, {self.requests:,} requests)"
        )

    def _remarks(self) -> list[str]:
        lines = list(self.remarks)
        if self.read or self.skipped:
            lines.append(f"Flights read whole: {_pieces(self.read)}.")
        if self.skipped:
            lines.append(
                f"Skipped: {_counted(self.skipped)}, whose totalFlights, totalFlightHours and "
                "updatedAt are what they were when their flights were read."
            )
        lines += [_sentence(change) for change in self.field_changes[:MOST_NAMED]]
        if len(self.field_changes) > MOST_NAMED:
            lines.append(
                f"and {len(self.field_changes) - MOST_NAMED:,} more; fleet.changes() has them all"
            )
        return lines


def _pieces(read: dict[str, int]) -> str:
    parts = [f"{_counted(count)} {_WHY[why]}" for why, count in read.items() if count]
    return ", ".join(parts) or "of no equipment"


def _counted(pieces: int) -> str:
    return f"{pieces:,} {EQUIPMENT.nouns[pieces != 1]}"


def _sentence(change: FieldChange) -> str:
    old, new = ("nothing" if value is None else value for value in (change.old, change.new))
    what = change.field.replace("_", " ").capitalize()
    return single_line(f"{what} of {change.label} ({change.id}): {old} → {new}")


def _words(change: TableChange) -> str:
    if change.missing_scope:
        stay = "stays" if change.rows == 1 else "stay"
        earlier = f"; {_rows(change)} of an earlier sync {stay}" if change.rows else ""
        return f"not read: the key lacks {change.missing_scope}{earlier}"
    counts = {"new": change.inserted, "changed": change.updated, "vanished": change.vanished}
    words = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    return _rows(change) + (f": {words}" if words else "")


def _rows(change: TableChange) -> str:
    return f"{change.rows:,} row{'' if change.rows == 1 else 's'}"


def report_of(
    path: str, sync: Sync, field_changes: Iterable[FieldChange], remarks: Iterable[str]
) -> SyncReport:
    """Return the report of a sync's row, of the changes worth naming and of what else there is."""
    read = {why: len(ids) for why, ids in sync.read.flights.items()}
    pieces = sync.tables["equipment"]
    return SyncReport(
        path=path,
        version=sync.version,
        fetched_at=sync.written_at,
        requests=sync.requests,
        tables={
            name: TableChange(pin.rows, pin.inserted, pin.updated, pin.vanished, pin.scope)
            for name, pin in sync.tables.items()
        },
        fingerprint=sync.fingerprint,
        read=read,
        skipped=0 if pieces.scope else pieces.rows - sum(read.values()),
        field_changes=tuple(field_changes),
        remarks=tuple(remarks),
    )


# Clocks of two machines may differ by as much; more is said.
CLOCKS_APART = timedelta(minutes=5)


def remarks(newest: Sync | None, *, clock: datetime, tz: str, has_zone: bool) -> list[str]:
    """Return a sentence for each thing about clocks and zones that a person should know of.

    Parameters
    ----------
    newest : Sync or None
        The sync before.
    clock : datetime
        The time of the clock when this sync began to read.
    tz : str
        IANA time zone of the fleet that synced.
    has_zone : bool
        Whether that was set: UTC by default is no other zone than the mirror's.
    """
    sentences: list[str] = []
    if newest is None:
        return sentences
    if newest.written_at - clock > CLOCKS_APART:
        sentences.append(
            f"The sync before has a time that is {_ahead(newest.written_at - clock)} ahead of "
            "this clock: its clock was wrong, or this one is. Its rows keep that time, and changes "
            "are dated after it until then. If it was wrong, and what it saw can be spared, move "
            "the mirror aside and sync anew."
        )
    if tz != newest.tz and (has_zone or tz != Settings.tz):
        sentences.append(
            f"The mirror keeps its time zone, {newest.tz}; that of the fleet, {tz}, changes "
            "nothing in it."
        )
    return sentences


def _ahead(span: timedelta) -> str:
    """Write how far a moment is in the future.

    Examples
    --------
    >>> _ahead(timedelta(days=364, hours=3)), _ahead(timedelta(minutes=90))
    ('364 d', '1 h')
    """
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h")):
        if span >= unit:
            return f"{span // unit} {name}"
    return f"{span // timedelta(minutes=1)} min"
