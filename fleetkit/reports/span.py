"""From the last report to this one, in the states of a mirror.

Both ends are chosen from the mirror's syncs and the report's period alone: the same state and the
same arguments give the same report, whenever and wherever it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fleetkit.fleet.restating import state_at
from fleetkit.mirror import Mirror
from fleetkit.mirror.syncs import Sync
from fleetkit.time import Moment, Period, instant

__all__ = ["Span", "last_before", "last_sync", "span"]


@dataclass(frozen=True)
class Span:
    """From the last report to the state that is reported.

    Attributes
    ----------
    version : int
        The state of the mirror that the last report is taken to show.
    since, until : datetime
        The moments of that state and of the one that is reported, UTC.
    before : datetime
        Flights before this moment count as reported then.
    is_first : bool
        Whether it starts with the mirror's first sync.
    is_chosen : bool
        Whether the caller chose its start.
    """

    version: int
    since: datetime
    until: datetime
    before: datetime
    is_first: bool
    is_chosen: bool

    @property
    def is_empty(self) -> bool:
        """Whether no sync lies after its start."""
        return self.since >= self.until


def span(mirror: Mirror, period: Period, changed_since: Moment | int | None = None) -> Span:
    """Find the state that the last report shows.

    Parameters
    ----------
    mirror : Mirror
        At the state that is reported.
    period : Period
        What is reported. The last report is on the period before, which could first be made from
        the first sync at or after its end; a mirror whose history begins later starts there.
    changed_since : str, date, datetime or int, optional
        Take the newest state until this moment instead, or the state of this version. Then the
        months that were over count as reported, the period itself too.

    Raises
    ------
    InvalidValue
        It is not a valid moment.
    MirrorError
        The mirror has no such version.
    """
    known = mirror.states
    if changed_since is None:
        later = (state for state in known if state.written_at >= period.since)
        start, before = next(later, known[-1]), period.since
    else:
        start = state_at(mirror, changed_since, period.tz) or known[0]
        local = instant(start.fetched_at, period.tz)
        before = instant(f"{local:%Y-%m}", period.tz)
    return Span(
        version=start.version,
        since=start.fetched_at,
        until=mirror.moment,
        before=before,
        is_first=start.version == known[0].version,
        is_chosen=changed_since is not None,
    )


def last_before(mirror: Mirror, period: Period) -> Sync | None:
    """Return the state before that of the report, where no sync ran in the whole period.

    The last report can't have been made from a state between the two: it was made from that one,
    while its period wasn't over, or from the one that is reported, or not at all. None where the
    period isn't over, or the mirror has a state of it, or none before it.
    """
    *earlier, _ = mirror.states
    if not earlier or earlier[-1].written_at >= period.since or mirror.moment < period.until:
        return None
    return earlier[-1]


def last_sync(mirror: Mirror, period: Period) -> datetime | None:
    """Return when that state was read, in the period's time zone."""
    before = last_before(mirror, period)
    return None if before is None else instant(before.fetched_at, period.tz)
