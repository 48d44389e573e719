"""The work in hand: projects and money by stage and currency, and what it should earn.

Money is never added across currencies: every sum has its currency beside it, and projects
without one are a row of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fleetkit.context import setting, zone_of
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.metrics._days import local_days
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._statuses import order_statuses
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["completion_ratio", "margins", "pipeline_totals", "project_pipeline"]

GROUPS = ("open", "backlog", "to invoice", "awaiting payment")
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

    Examples
    --------
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
        if status not in PROJECT_STATUSES:
            raise InvalidValue(
                f"{status!r} is not a project status. "
                + did_you_mean(str(status), PROJECT_STATUSES),
                advice=f"Statuses are: {', '.join(PROJECT_STATUSES)}.",
            )
        if not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise InvalidValue(
                f"{probability!r} is not the probability of {status}.", advice="Write 0 to 1."
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


def pipeline_totals(projects: FrameT) -> FrameT:
    """Count projects and sum their prices in four groups, by currency.

    Open is neither COMPLETED nor CANCELLED; backlog is CONFIRMED, SCHEDULED and IN_PROGRESS; to
    invoice is DELIVERED; awaiting payment is INVOICED. Open holds the other three.

    Parameters
    ----------
    projects : frame of any engine
        With ``status``, ``currency``, ``agreed_price``.

    Returns
    -------
    frame of the kind of `projects`
        One row per group and currency that occurs: ``group`` (ordered categorical), ``currency``
        (null last), ``projects``, ``value`` (in that currency; null where nothing is priced),
        ``priced`` (projects with a price).

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "status": ["DRAFT", "DELIVERED"], "currency": ["EUR", "EUR"],
    ...     "agreed_price": [100.0, 900.0],
    ... })
    >>> pipeline_totals(projects)
            group currency  projects   value  priced
    0        open      EUR         2  1000.0       2
    1  to invoice      EUR         1   900.0       1
    """
    rows = to_pandas(projects, "projects", ["status", "currency", "agreed_price"])
    status = rows["status"].astype("str")
    members = {
        "open": ~status.isin(["COMPLETED", "CANCELLED"]),
        "backlog": status.isin(["CONFIRMED", "SCHEDULED", "IN_PROGRESS"]),
        "to invoice": status == "DELIVERED",
        "awaiting payment": status == "INVOICED",
    }
    grouped = pd.concat([rows[members[group]].assign(group=group) for group in GROUPS])
    grouped["group"] = pd.Categorical(grouped["group"], GROUPS, ordered=True)
    by = grouped.groupby(["group", "currency"], dropna=False, observed=True)
    result = by.agg(projects=("status", "size"), priced=("agreed_price", "count"))
    result["value"] = by["agreed_price"].sum(min_count=1).astype("float64")
    result = result.reset_index().sort_values(["group", "currency"], ignore_index=True)
    return to_kind_of(result[["group", "currency", "projects", "value", "priced"]], projects)


def margins(projects: FrameT) -> FrameT:
    """Sum estimated margins by currency: agreed price − estimated cost where both stand.

    The percentage is Σ margin / Σ price of those projects, never a mean of ratios. All projects
    passed count, whatever their status.

    Parameters
    ----------
    projects : frame of any engine
        With ``currency``, ``agreed_price``, ``estimated_cost``.

    Returns
    -------
    frame of the kind of `projects`
        One row per currency, null last: ``currency``, ``projects``, ``compared`` (projects with
        price and cost), ``price``, ``cost``, ``margin`` (sums over those, in that currency; null
        where there are none), ``margin_percent`` [%], null where the price is 0.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "currency": ["EUR", "EUR", "EUR"], "agreed_price": [100.0, 900.0, 500.0],
    ...     "estimated_cost": [50.0, 750.0, None],
    ... })
    >>> margins(projects)
      currency  projects  compared   price   cost  margin  margin_percent
    0      EUR         3         2  1000.0  800.0   200.0            20.0
    """
    rows = to_pandas(projects, "projects", ["currency", "agreed_price", "estimated_cost"])
    both = rows["agreed_price"].notna() & rows["estimated_cost"].notna()
    rows["price"] = rows["agreed_price"].where(both).astype("float64")
    rows["cost"] = rows["estimated_cost"].where(both).astype("float64")
    by = rows.groupby("currency", dropna=False)
    result = by.agg(projects=("price", "size"), compared=("price", "count"))
    result["price"] = by["price"].sum(min_count=1)
    result["cost"] = by["cost"].sum(min_count=1)
    result["margin"] = result["price"] - result["cost"]
    result["margin_percent"] = 100 * result["margin"] / result["price"].where(result["price"] != 0)
    return to_kind_of(result.reset_index().sort_values("currency", ignore_index=True), projects)


def completion_ratio(projects: FrameT, *, tz: str | None = None) -> FrameT:
    """Return COMPLETED / (COMPLETED + CANCELLED) of the projects created in each month.

    No win rate: projects still under way are in neither number.

    Parameters
    ----------
    projects : frame of any engine
        With ``status`` and ``created_at``.
    tz : str, optional
        IANA time zone of the months; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `projects`
        One row per month in which projects were created: ``month`` (``YYYY-MM``; null last),
        ``projects``, ``completed``, ``cancelled``, ``ratio`` (0 … 1; null where none has ended).

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "status": ["COMPLETED", "CANCELLED", "DRAFT"],
    ...     "created_at": pd.to_datetime(["2026-10-01T08:00Z"] * 3),
    ... })
    >>> completion_ratio(projects)
         month  projects  completed  cancelled  ratio
    0  2026-10         3          1          1    0.5
    """
    rows = to_pandas(projects, "projects", ["status", "created_at"])
    zone = zone_of(projects, tz=tz)
    status = rows["status"].astype("str")
    ended = pd.DataFrame(
        {
            "month": local_days(rows["created_at"], zone).dt.strftime("%Y-%m").astype("str"),
            "completed": (status == "COMPLETED").astype("int64"),
            "cancelled": (status == "CANCELLED").astype("int64"),
        }
    )
    by = ended.groupby("month", dropna=False)
    result = by.agg(
        projects=("completed", "size"),
        completed=("completed", "sum"),
        cancelled=("cancelled", "sum"),
    ).reset_index()
    both = result["completed"] + result["cancelled"]
    result["ratio"] = result["completed"] / both.where(both > 0)
    return to_kind_of(result.sort_values("month", ignore_index=True), projects, zone)
