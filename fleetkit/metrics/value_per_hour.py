"""The quoted value of a flown hour."""

from __future__ import annotations

from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._money import sum_compared
from fleetkit.metrics._project_words import sort_projects
from fleetkit.metrics.project_effort import PROJECT_COLUMNS, project_effort

__all__ = ["value_per_hour"]


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

    Definitions
    -----------
    Value per hour
        Agreed prices / flown hours of the projects that have both, each currency by itself;
        never a mean of ratios.
    Flown hours
        See `flight_hours`.

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
    effort = project_effort(to_pandas(projects, "projects", PROJECT_COLUMNS), flights)
    effort["flown"] = effort["hours"].where(effort["hours"] > 0)
    result = sort_projects(sum_compared(effort, price="agreed_price", hours="flown"), [])
    return to_kind_of(result.assign(price_per_hour=result["price"] / result["hours"]), projects)
