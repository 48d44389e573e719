"""What was flown for each project, and what an hour of it is worth."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._frames import (
    Frame,
    FrameT,
    as_hours,
    to_kind_of,
    to_lazy,
    to_pandas,
    with_seconds,
)
from fleetkit.metrics._statuses import order_statuses

__all__ = ["project_effort", "value_per_hour"]

_PROJECT = ["project_id", "title", "status", "client_account_name", "agreed_price", "currency"]


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
    rows = to_pandas(projects, "projects", _PROJECT)
    flown = (
        with_seconds(to_lazy(flights, "flights", ["project_id", "duration_seconds"]))
        .filter(~nw.col("project_id").is_null())
        .group_by("project_id")
        .agg(nw.len().alias("flights"), nw.col("_seconds", "_recorded").sum())
        .collect("pandas")
        .to_native()
    )
    flown["project_id"] = flown["project_id"].astype("str")
    flown["flights"] = flown["flights"].astype("int64")
    flown["hours"] = as_hours(flown)
    effort = flown.merge(rows, on="project_id", how="left")
    effort["status"] = order_statuses(effort["status"])
    effort["price_per_hour"] = effort["agreed_price"] / effort["hours"].where(effort["hours"] > 0)
    order = effort.sort_values(["hours", "project_id"], ascending=[False, True], ignore_index=True)
    columns = [*_PROJECT[:4], "flights", "hours", *_PROJECT[4:], "price_per_hour"]
    return to_kind_of(order[columns], projects)


def value_per_hour(projects: FrameT, flights: Frame) -> FrameT:
    """Return the quoted value of a flown hour, by currency: Σ price / Σ hours.

    Of the projects with a price and flown hours; never a mean of ratios.

    Parameters
    ----------
    projects, flights : frames of any engine
        As :func:`project_effort` takes them.

    Returns
    -------
    frame of the kind of `projects`
        ``currency`` (null last), ``projects`` (with flights), ``compared`` (with price and hours),
        ``price``, ``hours`` [h], ``price_per_hour``: sums over the compared, null without any.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p", "q"], "title": ["Quarry", "Roof"], "status": ["DELIVERED"] * 2,
    ...     "client_account_name": ["Fjord", "Kirk"], "agreed_price": [900.0, 300.0],
    ...     "currency": ["EUR", "EUR"],
    ... })
    >>> flights = pd.DataFrame({"project_id": ["p", "q"], "duration_seconds": [3600, 7200]})
    >>> value_per_hour(projects, flights)
      currency  projects  compared   price  hours  price_per_hour
    0      EUR         2         2  1200.0    3.0           400.0
    """
    effort = project_effort(to_pandas(projects, "projects", _PROJECT), flights)
    both = effort["price_per_hour"].notna()
    effort["price"] = effort["agreed_price"].where(both)
    effort["hours"] = effort["hours"].where(both)
    by = effort.groupby("currency", dropna=False)
    result = by.agg(projects=("project_id", "size"), compared=("price", "count"))
    result["price"] = by["price"].sum(min_count=1)
    result["hours"] = by["hours"].sum(min_count=1)
    result["price_per_hour"] = result["price"] / result["hours"]
    return to_kind_of(result.reset_index().sort_values("currency", ignore_index=True), projects)
