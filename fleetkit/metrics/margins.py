"""Estimated margins by currency."""

from __future__ import annotations

from collections.abc import Iterable

from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._money import sum_compared
from fleetkit.metrics._project_words import (
    PROJECT_COLUMN,
    ProjectKey,
    project_words,
    sort_projects,
    with_words,
)

__all__ = ["margins"]


def margins(projects: FrameT, by: ProjectKey | Iterable[ProjectKey] | None = None) -> FrameT:
    """Sum estimated margins by currency: agreed price − estimated cost where both stand.

    The percentage is Σ margin / Σ price of those projects, never a mean of ratios. All projects
    passed count, whatever their status.

    Parameters
    ----------
    projects : frame of any engine
        With ``currency``, ``agreed_price``, ``estimated_cost`` and the columns of the words.
    by : str or iterable of str, optional
        ``client``, ``pilot`` (the assigned one: two of one name are one row), ``project_type``,
        ``status``; default: by currency alone.

    Returns
    -------
    frame of the kind of `projects`
        One row per currency, null last, or per word and currency: the words (clients and
        pilots also "Unassigned", last; statuses in the reference's order), ``currency``,
        ``projects``, ``compared`` (projects with price and cost), ``price``, ``cost``, ``margin``
        (sums over those, in that currency; null where there are none), ``margin_percent`` [%], null
        where the price isn't above 0.

    Raises
    ------
    InvalidValue
        A missing column, or an unknown word.

    Definitions
    -----------
    Estimated margin
        Agreed price − estimated cost of projects that have both; in per cent of the sum of
        their prices.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "currency": ["EUR", "EUR", "EUR"], "agreed_price": [100.0, 900.0, 500.0],
    ...     "estimated_cost": [50.0, 750.0, None],
    ... })
    >>> margins(projects)
      currency  projects  compared   price   cost  margin  margin_percent
    0      EUR         3         2  1000.0  800.0   200.0            20.0
    >>> projects["client_account_name"] = ["Fjord", "Kirk", "Kirk"]
    >>> margins(projects, by="client")[["client", "currency", "margin", "margin_percent"]]
      client currency  margin  margin_percent
    0  Fjord      EUR    50.0       50.000000
    1   Kirk      EUR   150.0       16.666667
    """
    words = project_words(by)
    columns = ["currency", "agreed_price", "estimated_cost"]
    columns += [PROJECT_COLUMN[word] for word in words]
    rows = with_words(to_pandas(projects, "projects", columns), words)
    result = sum_compared(rows, *words, price="agreed_price", cost="estimated_cost")
    result["margin"] = result["price"] - result["cost"]
    result["margin_percent"] = 100 * result["margin"] / result["price"].where(result["price"] > 0)
    return to_kind_of(sort_projects(result, words), projects)
