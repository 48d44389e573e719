"""Where two columns differ."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["is_different"]


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
