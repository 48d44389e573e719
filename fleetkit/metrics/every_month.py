"""Flights and hours of every month of a period, also of those without flights."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import notice_uncovered
from fleetkit.time import Clock, Period

__all__ = ["every_month"]


def every_month(hours: FrameT, period: Any, covered: Any = None) -> FrameT:
    """Return flights and hours of every calendar month that a period touches.

    Parameters
    ----------
    hours : frame of any engine
        As :func:`flight_hours` returns it by month: ``month``, ``flights``, ``hours`` [h].
    period : str, int, date, pandas.Period or Period
    covered : str, int, date, pandas.Period or Period, optional
        What the data cover. Of a month that lies outside nothing is known: it is null, not 0.

    Returns
    -------
    frame of the kind of `hours`
        ``month`` (``YYYY-MM``), ``flights`` (Int64), ``hours`` (float64) [h]: 0 where nobody flew.

    Raises
    ------
    InvalidValue
        A missing column, or several rows of one month.

    Definitions
    -----------
    No data
        Before the day of the first flight, and after the data were fetched, nothing is
        known: blank, not 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from fleetkit.time import Period
    >>> counted = pd.DataFrame({"month": ["2026-11"], "flights": [3], "hours": [1.5]})
    >>> every_month(counted, Period.read("2026-Q4"), covered=Period.read("2026-11"))
         month  flights  hours
    0  2026-10     <NA>    NaN
    1  2026-11        3    1.5
    2  2026-12     <NA>    NaN
    """
    counted = to_pandas(hours, "hours", ["month", "flights", "hours"]).set_index("month")
    if not counted.index.is_unique:
        repeated = counted.index[counted.index.duplicated()][0]
        raise InvalidValue(
            f"hours has several rows of {repeated}.",
            advice='Pass one row per month, as flight_hours(flights, by="month") returns it.',
        )
    span = Period.read(period, Clock.of(hours).tz)
    months = pd.Index(span.months(), dtype="str", name="month")
    if covered is None and not set(months) <= set(counted.index):
        notice_uncovered(hours, "every_month", span)
    rows = counted.reindex(months)
    rows["hours"] = rows["hours"].astype("float64").where(rows["flights"].notna(), 0.0)
    rows["flights"] = rows["flights"].astype("Int64").fillna(0)
    if covered is not None:
        known = months.isin(Period.read(covered, span.tz).months())
        rows = rows.where(pd.Series(known, index=months))
    dtypes = {"month": "str", "flights": "Int64", "hours": "float64"}
    return to_kind_of(rows.reset_index().astype(dtypes), hours)
