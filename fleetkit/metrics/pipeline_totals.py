"""What is open, in the backlog, to be invoiced and awaiting payment, by currency."""

from __future__ import annotations

import pandas as pd

from fleetkit.kinds import BACKLOG, is_open
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._money import sum_prices

__all__ = ["pipeline_totals"]

GROUPS = ("open", "backlog", "to invoice", "awaiting payment")


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

    Definitions
    -----------
    Open
        Neither COMPLETED nor CANCELLED.
    Backlog
        CONFIRMED, SCHEDULED or IN_PROGRESS.
    To invoice
        DELIVERED.
    Awaiting payment
        INVOICED.
    Value
        See `project_pipeline`.

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
        "open": is_open(status),
        "backlog": status.isin(BACKLOG),
        "to invoice": status == "DELIVERED",
        "awaiting payment": status == "INVOICED",
    }
    grouped = pd.concat([rows[members[group]].assign(group=group) for group in GROUPS])
    grouped["group"] = pd.Categorical(grouped["group"], GROUPS, ordered=True)
    keys = ["group", "currency"]
    result = sum_prices(grouped, keys).sort_values(keys, ignore_index=True)
    return to_kind_of(result[["group", "currency", "projects", "value", "priced"]], projects)
