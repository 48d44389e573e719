"""Lists of projects that wait for somebody, longest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from fleetkit.clock import local_day, local_days

__all__ = ["PRICE", "WHO", "days_since", "list_longest_first"]

WHO = ["project_id", "title", "status", "client_account_name", "assigned_pilot_name"]
PRICE = ["agreed_price", "currency"]


def days_since(column: pd.Series[Any], as_of: str | date | datetime, tz: str) -> pd.Series[Any]:
    passed: pd.Series[Any] = (local_day(as_of, tz) - local_days(column, tz)).dt.days
    return passed.astype("Int64")


def list_longest_first(rows: pd.DataFrame, days: str, columns: Sequence[str]) -> pd.DataFrame:
    ordered = rows.sort_values([days, "project_id"], ascending=[False, True], ignore_index=True)
    return ordered[[*columns, *PRICE]]
