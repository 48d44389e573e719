"""What a sync did, for people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

from fleetkit.mirror.syncs import Pin, Sync

__all__ = ["SyncReport", "TableChange", "report_of"]


@dataclass(frozen=True)
class TableChange:
    """What a sync found new, different and gone in one table, and how many rows stand now."""

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
        When it was written, UTC.
    requests : int
        HTTP requests made.
    tables : dict of str → TableChange
        One entry for each table.
    fingerprint : str
        Hash over all current rows.
    """

    path: str
    version: int
    fetched_at: datetime
    requests: int
    tables: dict[str, TableChange]
    fingerprint: str

    @property
    def changed(self) -> bool:
        """Whether any row was inserted, updated or has vanished."""
        return any(each.inserted or each.updated or each.vanished for each in self.tables.values())

    def __repr__(self) -> str:
        width = max(len(each) for each in self.tables)
        lines = [f"  {name:<{width}}  {_words(change)}" for name, change in self.tables.items()]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(_words(change))}</td></tr>"
            for name, change in self.tables.items()
        )
        return f"<div>{escape(self._title())}<table>{rows}</table></div>"

    def _title(self) -> str:
        what = "" if self.changed else ", nothing changed"
        return (
            f"Mirror {self.path}: version {self.version}{what} "
            f"({self.fetched_at:%Y-%m-%d %H:%M} UTC, {self.requests:,} requests)"
        )


def _words(change: TableChange) -> str:
    if change.missing_scope:
        kept = f"; {change.rows:,} rows kept from before" if change.rows else ""
        return f"not read: the key lacks {change.missing_scope}{kept}"
    counts = [
        f"{count:,} {word}"
        for count, word in (
            (change.inserted, "new"),
            (change.updated, "changed"),
            (change.vanished, "vanished"),
        )
        if count
    ]
    return f"{change.rows:,} rows" + (f": {', '.join(counts)}" if counts else "")


def report_of(path: str, sync: Sync) -> SyncReport:
    """Return the report of a sync's row."""
    return SyncReport(
        path=path,
        version=sync.version,
        fetched_at=sync.fetched_at,
        requests=sync.requests,
        tables={name: _change(pin) for name, pin in sync.tables.items()},
        fingerprint=sync.fingerprint,
    )


def _change(pin: Pin) -> TableChange:
    return TableChange(pin.rows, pin.inserted, pin.updated, pin.vanished, pin.scope)
