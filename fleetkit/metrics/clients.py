"""What each client's projects are worth, what was flown for them, and what waits."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd

from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._project_words import with_words
from fleetkit.metrics.client_shares import client_shares
from fleetkit.metrics.late_projects import late_projects
from fleetkit.metrics.project_effort import PROJECT_COLUMNS, project_effort

__all__ = ["clients"]

_BY = ["currency", "client"]
_COLUMNS = [*PROJECT_COLUMNS, "assigned_pilot_name", "scheduled_date"]


def clients(
    projects: FrameT, flights: Frame, as_of: str | date | datetime, *, tz: str | None = None
) -> FrameT:
    """Count each client's projects, their value, their flown hours, and what of them waits.

    All projects passed count, whatever their status. A client with projects in two currencies is
    two rows.

    Parameters
    ----------
    projects : frame of any engine
        With the columns of :func:`late_projects`.
    flights : frame of any engine
        As :func:`project_effort` takes them; flights of other projects are left out.
    as_of : date, datetime or str
        The day on which a project is late; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `projects`
        ``client`` (or "Unassigned"), ``currency``, ``projects``, ``flown`` (projects with
        flights), ``hours`` [h] (0 without flights; null where no duration of them was recorded),
        ``value`` (in that currency; null where nothing is priced), ``priced`` (projects with a
        price), ``share`` (as :func:`client_shares` has it), ``to_invoice`` (value of the delivered
        ones; null without any that is priced), ``late`` (projects). First the most valuable
        client of each currency, the currency of most projects first; then the second ones, and so
        on; without a value last.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Client's share
        See `client_shares`.
    Flown hours
        See `flight_hours`.
    Late
        See `late_projects`.
    To invoice
        See `pipeline_totals`.
    Value
        See `project_pipeline`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p", "q"], "title": ["Quarry", "Roof"],
    ...     "status": ["DELIVERED", "DRAFT"], "client_account_name": ["Fjord", "Fjord"],
    ...     "agreed_price": [900.0, 300.0], "currency": ["EUR", "EUR"],
    ...     "assigned_pilot_name": ["Ada", "Ada"],
    ...     "scheduled_date": pd.to_datetime(["2026-10-01", "2026-10-29"], utc=True),
    ... })
    >>> flights = pd.DataFrame({"project_id": ["p"], "duration_seconds": [5400]})
    >>> shown = ["client", "projects", "hours", "value", "to_invoice", "late"]
    >>> clients(projects, flights, "2026-10-31")[shown]
      client  projects  hours   value  to_invoice  late
    0  Fjord         2    1.5  1200.0       900.0     1
    """
    rows = with_words(to_pandas(projects, "projects", _COLUMNS), ["client"])
    rows["currency"] = rows["currency"].astype("str")
    clock = clock_of(projects, tz=tz)
    late = late_projects(rows, as_of, tz=clock.tz)["project_id"]
    effort = project_effort(rows.drop_duplicates("project_id"), flights).set_index("project_id")
    rows["hours"] = rows["project_id"].map(effort["hours"])
    rows["flown"] = rows["project_id"].isin(effort.index)
    rows["late"] = rows["project_id"].isin(late)
    delivered = rows["agreed_price"].where(rows["status"].astype("str") == "DELIVERED")
    rows["to_invoice"] = delivered.astype("float64")
    by = rows.groupby(_BY, dropna=False)
    result = client_shares(rows).set_index(_BY)
    result[["flown", "late"]] = by[["flown", "late"]].sum().astype("int64")
    result["to_invoice"] = by["to_invoice"].sum(min_count=1)
    # Only as a column of the result it has the place of a null currency.
    result["hours"] = by["hours"].sum(min_count=1).astype("float64")
    result["hours"] = result["hours"].where(result["flown"] > 0, 0.0)
    ordered = _take_turns(result.reset_index())
    columns = ["client", "currency", "projects", "flown", "hours", "value", "priced", "share"]
    return to_kind_of(ordered[[*columns, "to_invoice", "late"]], projects, clock)


def _take_turns(rows: pd.DataFrame) -> pd.DataFrame:
    """Order rows so that the first ones are of every currency: amounts of two don't compare.

    Within a currency they are sorted already.
    """
    by = rows.groupby("currency", dropna=False, sort=False)
    rows = rows.assign(
        _unknown=rows["value"].isna(), _turn=by.cumcount(), _size=by["projects"].transform("sum")
    )
    order = ["_unknown", "_turn", "_size", "currency"]
    return rows.sort_values(order, ascending=[True, True, False, True], ignore_index=True)
