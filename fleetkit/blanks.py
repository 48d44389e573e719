"""What says nothing, and what stands in its place: the id of what has no name."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.lettering import printable

__all__ = ["are_blank", "is_blank", "name_or_id", "names_or_ids"]


def is_blank(value: Any) -> bool:
    r"""Return whether a value is null, or a text of which nothing would be seen.

    Examples
    --------
    >>> is_blank(None), is_blank(" \x00"), is_blank(" EUR"), is_blank(0)
    (True, True, False, False)
    """
    return bool(pd.isna(value)) or not printable(str(value), instead=" ").strip()


def are_blank(column: pd.Series[Any]) -> pd.Series[bool]:
    """Return the same of each value of a column.

    Examples
    --------
    >>> are_blank(pd.Series(["EUR", " ", None])).tolist()
    [False, True, True]
    """
    blanks = {value for value in column.dropna().unique() if is_blank(value)}
    return column.isna() | column.isin(blanks)


def name_or_id(name: Any, identifier: Any) -> Any:
    """Return a name; where it is blank, the id of what it would name.

    Examples
    --------
    >>> name_or_id("Ada", "prof_1"), name_or_id(" ", "prof_1"), name_or_id(None, "prof_1")
    ('Ada', 'prof_1', 'prof_1')
    """
    return identifier if is_blank(name) else name


def names_or_ids(names: pd.Series[Any], ids: pd.Series[Any]) -> pd.Series[Any]:
    """Return the same of each name of a column.

    Examples
    --------
    >>> names_or_ids(pd.Series(["Kestrel", " ", None]), pd.Series(["a", "b", "c"])).tolist()
    ['Kestrel', 'b', 'c']
    """
    without_name = are_blank(names)
    if not without_name.any():
        return names
    return names.astype("object").mask(without_name, ids).infer_objects()  # no category is an id
