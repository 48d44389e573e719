"""A figure beside an earlier one: by how much it changed, or why that is not known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime

import narwhals as nw
import pandas as pd

from fleetkit.metrics._days import with_utc
from fleetkit.metrics._frames import Frame, to_lazy
from fleetkit.periods import Period

__all__ = ["Change", "change", "covered_since"]


@dataclass(frozen=True)
class Change:
    """How a figure changed.

    Attributes
    ----------
    difference : float or None
        Now less before, in the figure's own unit.
    percent : float or None
        The difference in per cent of the earlier figure. [%]
    reason : str
        Why one of them is blank; empty where both stand.
    """

    difference: float | None
    percent: float | None
    reason: str = ""


def change(
    now: float | None,
    before: float | None,
    *,
    earlier: Period | None = None,
    since: datetime | None = None,
) -> Change:
    """Compare a figure with the same figure of an earlier period.

    Blank, with the reason, where the earlier period is not wholly covered by the data.

    Parameters
    ----------
    now, before : float or None
        The figure of this period and of the earlier one; None where there is none.
    earlier : Period, optional
        The earlier period.
    since : datetime, optional
        Where the data starts (see :func:`covered_since`): an `earlier` that starts on a day
        before it is not wholly covered.

    Returns
    -------
    Change
        ``difference``, ``percent`` and, where one of them is None, the ``reason``.

    Examples
    --------
    >>> change(120.0, 100.0)
    Change(difference=20.0, percent=20.0, reason='')
    >>> change(3, 0)
    Change(difference=3.0, percent=None, reason='the earlier figure is 0')
    >>> from fleetkit.periods import parse
    >>> may = parse("2026-05")
    >>> change(3, 2, earlier=may, since=datetime(2026, 5, 14, tzinfo=UTC)).reason
    'the data starts on 14 May 2026, after May 2026 began'
    """
    if earlier is not None and (since is None or earlier.since.date() < _day(since, earlier)):
        return Change(None, None, _uncovered(earlier, since))
    if _blank(now) or _blank(before):
        which = "earlier figure" if _blank(before) else "figure"
        return Change(None, None, f"there is no {which}")
    difference = float(now) - float(before)  # type: ignore[arg-type]
    if before == 0:
        return Change(difference, None, "the earlier figure is 0")
    return Change(difference, 100 * difference / abs(float(before)))  # type: ignore[arg-type]


def _blank(value: float | None) -> bool:
    return value is None or math.isnan(value)


def _uncovered(earlier: Period, since: datetime | None) -> str:
    if since is None:
        return f"there is no data of {earlier.title}"
    start = _day(since, earlier)
    return f"the data starts on {start.day} {start:%B %Y}, after {earlier.title} began"


def _day(moment: datetime, period: Period) -> date:
    return moment.astimezone(period.since.tzinfo).date()


def covered_since(flights: Frame) -> datetime | None:
    """Return the moment of the first flight: from there on the data covers what happened.

    Parameters
    ----------
    flights : frame of any engine
        All flights that there are, with ``flight_date``.

    Returns
    -------
    datetime or None
        With a time zone; None where there are no flights.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> days = pd.to_datetime(["2026-10-01T08:00Z", "2026-09-02T09:30Z"])
    >>> covered_since(pd.DataFrame({"flight_date": days})).isoformat()
    '2026-09-02T09:30:00+00:00'
    """
    frame = to_lazy(flights, "flights", ["flight_date"])
    first = with_utc(frame).select(nw.col("_utc").min()).collect("pandas").item()
    return None if pd.isna(first) else pd.Timestamp(first).tz_localize(UTC).to_pydatetime()
