"""Flights of several periods, and how many of them are sound: flagged by no grave check."""

from __future__ import annotations

from collections.abc import Iterable

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_list
from fleetkit.engines import semi_join
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_lazy
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._slices import Slices
from fleetkit.metrics._slices import sound_totals as totals
from fleetkit.time import Period, PeriodLike

__all__ = ["sound_totals"]


def sound_totals(
    flights: FrameT, flagged: Frame, periods: Iterable[PeriodLike], *, tz: str | None = None
) -> FrameT:
    """Count flights, and sound ones among them, of several periods, which may overlap.

    However many flights are flagged, no list of them is loaded.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id``, ``flight_date``.
    flagged : frame of the same engine
        As :func:`flagged_flights` returns it: a flight that is in it is not sound.
    periods : iterable of str, int, date, pandas.Period or Period
        In any order.
    tz : str, optional
        IANA time zone of periods that aren't a `Period`; default: that of the frame's fleet, or
        UTC.

    Returns
    -------
    frame of the kind of `flights`
        One row per period, in their order: ``period`` (its name), ``flights``, ``sound``
        (integers), ``sound_share`` (0 … 1; null without flights).

    Raises
    ------
    InvalidValue
        A missing column, what is not a period, or an unknown zone.

    Definitions
    -----------
    Sound flight
        See `flagged_flights`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"],
    ...     "flight_date": pd.to_datetime(["2026-10-03T10:00Z", "2026-11-03T10:00Z"]),
    ... })
    >>> flagged = pd.DataFrame({"flight_id": ["2"], "check": ["Very short flight"]})
    >>> sound_totals(flights, flagged, ["2026-10", "2026-Q4"])
        period  flights  sound  sound_share
    0  2026-10        1      1          1.0
    1  2026-Q4        2      1          0.5
    """
    clock = clock_of(flights, tz=tz)
    spans = [Period.read(period, clock.tz) for period in checked_list(periods, "periods")]
    dated = to_lazy(flights, "flights", ["flight_id", "flight_date"])
    slices = Slices(dated, spans, clock)
    rows = slices.flights().select("flight_id", "_slice")
    ids = to_lazy(flagged, "flagged", ["flight_id"], beside=dated)
    counts = [
        collect(part.group_by("_slice").agg(nw.len())).set_index("_slice")
        for part in (rows, semi_join(rows, ids, "flight_id"))
    ]
    return to_kind_of(totals(slices, pd.concat(counts, axis=1)), flights, clock)
