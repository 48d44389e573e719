"""Projects and money by stage and currency, and what they should earn.

Money is never added across currencies: every sum has its currency beside it, and projects
without one are a row of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fleetkit.arguments import check_tokens
from fleetkit.context import setting
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._stages import order_statuses
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["project_pipeline"]

_MONEY = ["status", "currency", "agreed_price", "estimated_cost"]


def project_pipeline(
    projects: FrameT, *, probabilities: Mapping[str, float] | None = None
) -> FrameT:
    """Count the projects and sum their money, by status and currency.

    A snapshot by stage, no conversion funnel.

    Parameters
    ----------
    projects : frame of any engine
        With ``status``, ``currency``, ``agreed_price``, ``estimated_cost``.
    probabilities : mapping, optional
        Status → probability 0 … 1; default: those of the frame's fleet, a guess where nobody set
        them.

    Returns
    -------
    frame of the kind of `projects`
        One row per status and currency that occurs: ``status`` (ordered categorical, in the
        reference's order, unknown ones after), ``currency`` (null last), ``projects``, ``value``
        (Σ agreed price), ``priced`` (projects with a price), ``cost`` (Σ estimated cost),
        ``margin`` (Σ price − cost where both stand), ``margin_of`` (projects with both),
        ``weighted_value`` (value × probability; null for a status without one), ``probability``.
        Money is in the row's currency; a sum of nothing is null.

    Raises
    ------
    InvalidValue
        A missing column, a status that there isn't, or a probability outside of 0 … 1.

    Definitions
    -----------
    Value
        Sum of agreed prices, each currency by itself: money is never added across
        currencies.
    Weighted value
        Value × the probability of its stage, which is an assumption of the settings.
    Estimated margin
        See `margins`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "status": ["DRAFT", "DRAFT"], "currency": ["EUR", "EUR"],
    ...     "agreed_price": [1000.0, None], "estimated_cost": [600.0, 50.0],
    ... })
    >>> project_pipeline(projects).drop(columns="status").T
                          0
    currency            EUR
    projects              2
    value            1000.0
    priced                1
    cost              650.0
    margin            400.0
    margin_of             1
    weighted_value    200.0
    probability         0.2
    """
    if probabilities is None:
        probabilities = setting(projects, "stage_probabilities")
    _check_probabilities(probabilities)
    rows = to_pandas(projects, "projects", _MONEY)
    rows["status"] = order_statuses(rows["status"])
    rows["margin"] = rows["agreed_price"] - rows["estimated_cost"]
    grouped = rows.groupby(["status", "currency"], dropna=False, observed=True)
    result = grouped.agg(projects=("status", "size"), priced=("agreed_price", "count"))
    sums = {"value": "agreed_price", "cost": "estimated_cost", "margin": "margin"}
    for name, column in sums.items():
        result[name] = grouped[column].sum(min_count=1).astype("float64")
    result["margin_of"] = grouped["margin"].count()
    result = result.reset_index().sort_values(["status", "currency"], ignore_index=True)
    statuses = result["status"].astype("str")
    result["probability"] = statuses.map(dict(probabilities)).astype("float64")
    result["weighted_value"] = result["value"] * result["probability"]
    return to_kind_of(result[_PIPELINE], projects)


def _check_probabilities(probabilities: Any) -> None:
    if not isinstance(probabilities, Mapping):
        raise InvalidValue(
            f"{brief(probabilities)} is not a mapping of statuses to probabilities.",
            advice='Write a dict, such as {"DRAFT": 0.2}.',
        )
    for status, probability in probabilities.items():
        check_tokens([status], PROJECT_STATUSES, "project status", "Statuses")
        if not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise InvalidValue(
                f"{brief(probability)} is not the probability of {status}.", advice="Write 0 to 1."
            )


_PIPELINE = [
    "status",
    "currency",
    "projects",
    "value",
    "priced",
    "cost",
    "margin",
    "margin_of",
    "weighted_value",
    "probability",
]
