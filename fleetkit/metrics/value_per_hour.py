"""The quoted value of a flown hour."""

from __future__ import annotations

from collections.abc import Iterable

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._money import sum_compared
from fleetkit.metrics._noticing import notice_later_only
from fleetkit.metrics._project_words import (
    PROJECT_COLUMN,
    ProjectKey,
    project_words,
    sort_projects,
    with_words,
)
from fleetkit.metrics.project_effort import PROJECT_COLUMNS, project_effort

__all__ = ["value_per_hour"]


@of_all_flights
def value_per_hour(
    projects: FrameT, flights: Frame, by: ProjectKey | Iterable[ProjectKey] | None = None
) -> FrameT:
    """Return the quoted value of a flown hour, by currency: Σ price / Σ hours.

    Of the projects with a price and flown hours; never a mean of ratios.

    Parameters
    ----------
    projects, flights : frames of any engine
        As :func:`project_effort` takes them, and the columns of the words. Pass all flights: a
        price is for all that was flown.
    by : str or iterable of str, optional
        ``client``, ``pilot`` (the assigned one), ``project_type``, ``status``; default: by
        currency alone.

    Returns
    -------
    frame of the kind of `projects`
        One row per currency, or per word and currency: the words, as :func:`margins` has them,
        ``currency`` (null last), ``projects`` (with flights), ``compared`` (with price and hours),
        ``price``, ``hours`` [h], ``price_per_hour``: sums over the compared, null without any.

    Raises
    ------
    InvalidValue
        A missing column, or an unknown word.

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
    >>> value_per_hour(projects, flights, by="client")[["client", "currency", "price_per_hour"]]
      client currency  price_per_hour
    0  Fjord      EUR           900.0
    1   Kirk      EUR           150.0
    """
    notice_later_only(flights, "value_per_hour")  # a price is of all that was flown for it
    words = project_words(by)
    columns = dict.fromkeys([*PROJECT_COLUMNS, *(PROJECT_COLUMN[word] for word in words)])
    table = to_pandas(projects, "projects", list(columns))
    effort = project_effort(table, flights)
    effort["flown"] = effort["hours"].where(effort["hours"] > 0)
    further = [name for word in words if (name := PROJECT_COLUMN[word]) not in effort]
    own = table[["project_id", *further]].drop_duplicates("project_id")
    effort = effort.merge(own, "left", "project_id")
    rows = with_words(effort, words)
    result = sum_compared(rows, *words, price="agreed_price", hours="flown")
    result["price_per_hour"] = result["price"] / result["hours"]
    return to_kind_of(sort_projects(result, words), projects)
