"""The history of a mirror's tables that a report shows, and since when there is one."""

from __future__ import annotations

from datetime import datetime

import pandas as pd

from fleetkit import tables
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.language import say
from fleetkit.mirror.layout import VALIDITY
from fleetkit.reports.scope import is_for_one_client
from fleetkit.reports.texts import moment
from fleetkit.schema import TableName

__all__ = ["has_history", "history", "history_note"]


def has_history(fleet: Fleet, table: TableName, until: datetime | None = None) -> bool:
    """Whether a mirror has synced a table more than once, and for the first time by then.

    Parameters
    ----------
    fleet : Fleet
        One that reads from the service has no history.
    table : str
        One of the seven tables.
    until : datetime, optional
        Default: any time.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> has_history(fleet, "projects")  # after one sync there is no history
    False
    """
    if fleet.mirror is None or table not in fleet.mirror.readable:
        return False
    begun = fleet.mirror.watched_since(table)
    return begun < fleet.mirror.moment and (until is None or begun < until)


def history_note(
    fleet: MirroredFleet, what: str, table: TableName, until: datetime | None = None
) -> str:
    """Say since when a mirror has the history that a figure needs.

    Parameters
    ----------
    fleet : MirroredFleet
    what : str
        The figure, as a sentence begins with it.
    table, until
        As for `has_history`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> history_note(fleet, "Stage moves", "projects")
    'Stage moves need a mirror with a history; that of this one begins on 20 Nov ...'
    """
    since = moment(fleet.watched_since(table), fleet.tz)
    if not has_history(fleet, table, until):
        return say(
            "{what} need a mirror with a history; that of this one begins on {since}.",
            what=say(what),
            since=since,
        )
    return say(
        "{what} are known since {since}, when the mirror's history begins.",
        what=say(what),
        since=since,
    )


def history(fleet: MirroredFleet, table: TableName) -> pd.DataFrame:
    """Return the row versions of a table that a report shows.

    None of a table that no sync could read; in a report of one client no version of a project that
    was another one's then: ``attrs["known_before"]`` has the projects that were another's at first.

    Parameters
    ----------
    fleet : MirroredFleet
        Its filter is the report's.
    table : str
        One of the seven tables.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> len(history(fleet, "projects")) == len(fleet.projects())  # after one sync
    True
    """
    if table not in fleet.mirror.readable:
        never = pd.Series([], dtype="datetime64[us, UTC]")
        return tables.empty(table).assign(**dict.fromkeys(VALIDITY, never))
    rows = fleet.history(table)
    if table == "projects" and is_for_one_client(fleet.filter):
        return _of_client(rows, fleet.filter)
    return rows


def _of_client(rows: pd.DataFrame, filter_: Filter) -> pd.DataFrame:
    theirs = Filter(client=filter_.client).of_projects(rows)
    first = rows[~rows["project_id"].duplicated()]
    others = first[~first.index.isin(theirs.index)]
    theirs.attrs = {**rows.attrs, "known_before": others["project_id"].tolist()}
    return theirs
