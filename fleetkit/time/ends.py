"""Two ends of a span of time, either of which may be open."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from fleetkit.time.calendar import in_utc

__all__ = ["Ends", "Span", "widened"]

# Whether the bounds are inclusive and what a bare date covers is not shown (reference, 4.4.8):
# sources are asked for a day more on both sides, and the answer is cut here.
_MARGIN = timedelta(days=1)


class Span(Protocol):
    """What has two ends, such as a `Period`; None is an open one."""

    @property
    def since(self) -> datetime | None:
        """Start, within."""

    @property
    def until(self) -> datetime | None:
        """End, not within."""


class Ends(NamedTuple):
    """``[since, until)``; None is an open end."""

    since: datetime | None = None
    until: datetime | None = None

    def within(self, span: Span) -> Ends:
        """Return what lies in a span too."""
        since = [end for end in (self.since, span.since) if end is not None]
        until = [end for end in (self.until, span.until) if end is not None]
        return Ends(max(since, default=None, key=in_utc), min(until, default=None, key=in_utc))


def widened(span: Span) -> Ends:
    """Return the ends to ask a service for, in UTC: those of a span, a day further out.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> [end.date().isoformat() for end in widened(Period.read("2026-10"))]
    ['2026-09-30', '2026-11-02']
    """
    since, until = span.since, span.until
    return Ends(since and in_utc(since) - _MARGIN, until and in_utc(until) + _MARGIN)
