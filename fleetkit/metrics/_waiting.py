"""Lists of projects that wait for somebody, longest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._stages import order_statuses

__all__ = ["list_waiting"]

_WHO = ["project_id", "title", "status", "client_account_name", "assigned_pilot_name"]
_PRICE = ["agreed_price", "currency"]


def list_waiting(
    projects: FrameT,
    is_waiting: Callable[[pd.DataFrame], pd.Series[Any]],
    *,
    since: str,
    days: str,
    as_of: str | date | datetime,
    tz: str | None,
    others: Sequence[str] = (),
) -> FrameT:
    """List the projects that wait, with the days from their column `since` until `as_of`.

    `is_waiting` looks at the columns of the result and at `others`.
    """
    rows = to_pandas(projects, "projects", [*_WHO, *others, since, *_PRICE])
    clock = clock_of(projects, tz=tz)
    rows["status"] = order_statuses(rows["status"])
    passed: pd.Series[Any] = (clock.day_of(as_of) - clock.days(rows[since])).dt.days
    rows[days] = passed.astype("Int64")
    waiting = rows[is_waiting(rows)]  # a null selects nothing
    ordered = waiting.sort_values([days, "project_id"], ascending=[False, True], ignore_index=True)
    return to_kind_of(ordered[[*_WHO, since, days, *_PRICE]], projects, clock)
