"""What was flown for each project."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._flown import as_hours, read_flights, sum_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_pandas
from fleetkit.metrics._stages import order_statuses

__all__ = ["project_effort"]

PROJECT_COLUMNS = [
    "project_id",
    "title",
    "status",
    "client_account_name",
    "agreed_price",
    "currency",
]


def project_effort(projects: FrameT, flights: Frame) -> FrameT:
    """Count the flights and sum the hours that were flown for each project.

    Parameters
    ----------
    projects : frame of any engine
        With ``project_id``, ``title``, ``status``, ``client_account_name``, ``agreed_price``,
        ``currency``.
    flights : frame of any engine
        With ``project_id`` and ``duration_seconds`` [s]. Flights of no project are left out.

    Returns
    -------
    frame of the kind of `projects`
        One row per project with flights: ``project_id``, ``title``, ``status`` (ordered
        categorical), ``client_account_name``, ``flights``, ``hours`` [h] (null where
        no duration was recorded), ``agreed_price``,
        ``currency``, ``price_per_hour`` (null without price or hours); most hours first. A project
        that flights name and `projects` lacks has an id only.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Flown effort
        Flights and flown hours of a project; flights of no project are left out.
    Flown hours
        See `flight_hours`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "title": ["Quarry"], "status": ["IN_PROGRESS"],
    ...     "client_account_name": ["Fjord"], "agreed_price": [900.0], "currency": ["EUR"],
    ... })
    >>> flights = pd.DataFrame({"project_id": ["p", "p"], "duration_seconds": [1800, 3600]})
    >>> project_effort(projects, flights)[["project_id", "flights", "hours", "price_per_hour"]]
      project_id  flights  hours  price_per_hour
    0          p        2    1.5           600.0
    """
    rows = to_pandas(projects, "projects", PROJECT_COLUMNS)
    assigned = read_flights(flights, "project_id").filter(~nw.col("project_id").is_null())
    summed = collect(sum_flights(assigned, "project_id")).rename(columns={"_flights": "flights"})
    flown = summed.astype({"project_id": "str", "flights": "int64"})
    flown["hours"] = as_hours(flown)
    effort = flown.merge(rows, on="project_id", how="left")
    effort["status"] = order_statuses(effort["status"])
    effort["price_per_hour"] = effort["agreed_price"] / effort["hours"].where(effort["hours"] > 0)
    order = effort.sort_values(["hours", "project_id"], ascending=[False, True], ignore_index=True)
    columns = [*PROJECT_COLUMNS[:4], "flights", "hours", *PROJECT_COLUMNS[4:], "price_per_hour"]
    return to_kind_of(order[columns], projects)
