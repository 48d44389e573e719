"""An open mirror: one state of the organisation, offline."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

import pandas as pd

from fleetkit import schema
from fleetkit.errors import Forbidden, InvalidValue, MirrorError
from fleetkit.mirror import syncs
from fleetkit.mirror.layout import DETAILS, KEYS, MONTH, month_of, restore
from fleetkit.mirror.store import Store, query
from fleetkit.mirror.syncs import Sync

__all__ = ["Mirror", "open_mirror"]


def open_mirror(path: str | Path, version: int | None = None) -> Mirror:
    """Open a mirror at one of its versions.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL that `write` filled.
    version : int, optional
        Number of a sync; default: the newest. The state stays the same while others sync.

    Raises
    ------
    MirrorError
        There is no mirror, it was written by a newer fleetkit, or it has no such version.
    """
    store = Store(path)
    table, newest = syncs.find(store)
    if newest is None:
        begun = table is not None or any(store.table(name) is not None for name in KEYS)
        raise MirrorError(
            f"The first sync into {store.path} was never finished."
            if begun
            else f"There is no mirror at {store.path}.",
            advice=f"Make one with: fleetkit sync {path}.",
        )
    chosen = newest if version is None else syncs.find(store, version)[1]
    return Mirror(store, newest, chosen or newest)


class Mirror:
    """One state of an organisation, as a sync left it.

    Attributes
    ----------
    path : str
        Folder or object-store URL.
    version : int
        Number of the sync.
    fetched_at : datetime
        When it was written, UTC.
    source, tz : str
        Address that the data come from; IANA time zone of the fleet's months.
    requests : int
        HTTP requests that the sync took.
    missing : dict of str → str
        Tables that the key couldn't read → the scope that it lacked. Rows of an earlier sync, if
        any, are still there.
    versions : dict of str → int
        Version of each Delta table.
    fingerprint : str
        Hash over all current rows: the same for the same data, whenever and wherever they were
        written.
    has_details : bool
        Whether projects have ``client_account_email`` and ``crm_deal_name``.
    """

    def __init__(self, store: Store, newest: Sync, chosen: Sync) -> None:
        self._store, self._newest, self._chosen = store, newest, chosen
        self.path = store.path
        self.version = chosen.version
        self.fetched_at = chosen.fetched_at
        self.source, self.tz, self.requests = chosen.source, chosen.tz, chosen.requests
        self.missing = chosen.missing
        self.versions = {
            name: pin.version for name, pin in chosen.tables.items() if pin.version is not None
        }
        self.fingerprint = chosen.fingerprint
        self.has_details = chosen.details

    def table(
        self, name: str, since: datetime | None = None, until: datetime | None = None
    ) -> pd.DataFrame:
        """Return a table, sorted by its key, with the contract's columns and dtypes.

        Parameters
        ----------
        name : str
            One of the seven tables.
        since, until : datetime, optional
            Flights only: those in ``[since, until)``; naive moments are UTC. Only the months in
            question are read.

        Returns
        -------
        DataFrame
            As `fleetkit.tables` gave it to the sync.

        Raises
        ------
        Forbidden
            The key could never read this table.
        InvalidValue
            There is no such table, or `since` or `until` for another table than flights.
        MirrorError
            Files are missing or damaged.
        """
        if name not in KEYS:
            raise InvalidValue(f"{name!r} is no table.", advice=f"Tables are: {', '.join(KEYS)}.")
        if name != "flights" and (since is not None or until is not None):
            raise InvalidValue(f"Table {name} can't be cut by time; only flights can.")
        pin = self._chosen.tables[name]
        if pin.version is None:
            raise Forbidden(
                f"The mirror {self.path} holds no {name}: the key that synced it lacked "
                f"{pin.scope}.",
                scope=pin.scope,
                status=403,
                advice="Sync with a key that has this scope.",
            )
        # Rows never lose their history, so the newest table tells every earlier state too.
        table = self._store.table(name, self._newest.tables[name].version)
        if table is None:
            raise MirrorError(f"The mirror {self.path} is damaged: table {name} is gone.")
        stored = {each.name for each in table.schema().fields}
        wanted = [*self._columns(name), *(each for each in pin.further if each in stored)]
        with self._store.doing("read"):
            rows = query(table, wanted, " AND ".join([self._standing(), *_between(since, until)]))
        return restore(name, rows, pin.further)

    def _columns(self, name: str) -> list[str]:
        known = [each.name for each in schema.COLUMNS[name]]
        return [*known, *DETAILS] if name == "projects" and self.has_details else known

    def _standing(self) -> str:
        if self._chosen.version == self._newest.version:
            return "valid_to IS NULL"
        moment = _sql(self.fetched_at)
        return f"valid_from <= {moment} AND (valid_to IS NULL OR valid_to > {moment})"

    def __repr__(self) -> str:
        lacking = f", without {', '.join(self.missing)}" if self.missing else ""
        return (
            f"<Mirror {self.path}, version {self.version} of "
            f"{self.fetched_at:%Y-%m-%d %H:%M} UTC{lacking}>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:right'>{pin.rows:,}</td>"
            f"<td style='text-align:left'>{escape(_state(pin.scope))}</td></tr>"
            for name, pin in self._chosen.tables.items()
        )
        return (
            f"<div>{escape(repr(self).strip('<>'))}<table><thead><tr><th>table</th><th>rows</th>"
            f"<th></th></tr></thead><tbody>{rows}</tbody></table></div>"
        )


def _state(scope: str) -> str:
    return f"the key lacks {scope}" if scope else ""


def _between(since: datetime | None, until: datetime | None) -> list[str]:
    """Return conditions on the month, which skips whole files, and on the moment."""
    conditions = []
    if since is not None:
        start = _utc(since)
        conditions += [f"{MONTH} >= '{month_of(start)}'", f"flight_date >= {_sql(start)}"]
    if until is not None:
        end = _utc(until)
        conditions += [f"{MONTH} <= '{month_of(end)}'", f"flight_date < {_sql(end)}"]
    return conditions


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _sql(moment: datetime) -> str:
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return f"""arrow_cast({micros}, 'Timestamp(Microsecond, Some("UTC"))')"""
