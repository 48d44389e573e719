"""Project statuses as an ordered categorical."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.schema import PROJECT_STATUSES

__all__ = ["order_statuses"]


def order_statuses(status: pd.Series[Any]) -> pd.Series[Any]:
    """Return statuses in the reference's order (section 3), unknown ones after, by name."""
    text = status.astype("str")
    unknown = sorted(set(text.dropna()).difference(PROJECT_STATUSES))
    return text.astype(pd.CategoricalDtype([*PROJECT_STATUSES, *unknown], ordered=True))
