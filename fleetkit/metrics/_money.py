"""Sums of money by currency: never across currencies, and null where no amount is known."""

from __future__ import annotations

import pandas as pd

__all__ = ["sum_compared", "sum_prices"]


def sum_prices(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return how many projects each group has, how many ``priced``, and their ``value``."""
    by = rows.groupby(keys, dropna=False, observed=True)["agreed_price"]
    value = by.sum(min_count=1).astype("float64")
    return pd.DataFrame({"projects": by.size(), "priced": by.count(), "value": value}).reset_index()


def sum_compared(rows: pd.DataFrame, *keys: str, **columns: str) -> pd.DataFrame:
    """Sum columns by keys and currency over the rows in which all of them stand.

    These are ``compared``.
    """
    by_all = [*keys, "currency"]
    amounts = pd.DataFrame({name: rows[column] for name, column in columns.items()})
    amounts = amounts.astype("float64")[amounts.notna().all(axis=1)].reindex(rows.index)
    by = amounts.groupby([rows[key] for key in by_all], dropna=False, observed=True)
    result = by.sum(min_count=1)
    result.insert(0, "projects", by.size())
    result.insert(1, "compared", by[next(iter(columns))].count())
    return result.reset_index()
