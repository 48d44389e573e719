"""Lists of projects that wait for somebody, longest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from fleetkit.metrics._frames import Frame, to_pandas
from fleetkit.metrics._stages import order_statuses
from fleetkit.time import Clock

__all__ = ["WHO", "list_longest_first", "read_waiting"]

WHO = ["project_id", "title", "status", "client_account_name", "assigned_pilot_name"]
PRICE = ["agreed_price", "currency"]


def read_waiting(
    projects: Frame,
    moment: str,
    days: str,
    as_of: str | date | datetime,
    tz: str | None,
    *,
    others: Sequence[str] = (),
) -> tuple[pd.DataFrame, Clock]:
    """Return projects, with the days from the column `moment` until `as_of`, and the clock."""
    rows = to_pandas(projects, "projects", [*WHO, *others, moment, *PRICE])
    clock = Clock.of(projects, tz=tz)
    rows["status"] = order_statuses(rows["status"])
    passed: pd.Series[Any] = (clock.day_of(as_of) - clock.days(rows[moment])).dt.days
    rows[days] = passed.astype("Int64")
    return rows, clock


def list_longest_first(rows: pd.DataFrame, days: str, columns: Sequence[str]) -> pd.DataFrame:
    ordered = rows.sort_values([days, "project_id"], ascending=[False, True], ignore_index=True)
    return ordered[[*columns, *PRICE]]
