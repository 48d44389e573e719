"""Where two columns differ."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["is_another", "is_different"]


def is_different(old: pd.Series[Any], new: pd.Series[Any]) -> pd.Series[bool]:
    """Say where two columns differ; two nulls are equal.

    Examples
    --------
    >>> is_different(pd.Series(["a", None, "b"]), pd.Series(["a", None, None])).tolist()
    [False, False, True]
    """
    if isinstance(old.dtype, pd.CategoricalDtype):
        old, new = old.astype("str"), new.astype("str")
    is_equal = old.eq(new).fillna(False).astype(bool)
    return ~(is_equal | (old.isna() & new.isna()))


def is_another(created: pd.Series[Any], now: pd.Series[Any]) -> pd.Series[bool]:
    """Say where records of one id are two, by when they were created; a null tells nothing.

    Examples
    --------
    >>> times = pd.Series(["2026-01-01", "2026-01-01", None])
    >>> is_another(times, pd.Series(["2026-01-01", "2026-09-07", "2026-09-07"])).tolist()
    [False, True, False]
    """
    return created.notna() & now.notna() & created.ne(now)
