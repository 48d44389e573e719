"""Options that a table offers: the values that occur in its columns."""

from __future__ import annotations

import pandas as pd

from fleetkit.blanks import are_blank, distinct_names, printable_name
from fleetkit.explore.fields import Options, shown_token
from fleetkit.unassigned import UNASSIGNED, shown_name

__all__ = ["named", "occurring"]


def occurring(column: pd.Series) -> Options:
    """Return the values of a column, each its own label where anything of it would be seen."""
    return [(shown_token(value), value) for value in sorted(column.dropna().astype(str).unique())]


def named(frame: pd.DataFrame, key: str, name: str) -> Options:
    """Return name and identifier of what a column holds, by name, Unassigned last.

    Of several names the last one counts that isn't blank.
    """
    known = frame[[key, name]].dropna(subset=[key])
    is_blank = are_blank(known[name])
    pairs = pd.concat([known[is_blank], known[~is_blank]]).drop_duplicates(key, keep="last")
    called = [shown_name(printable_name(text, id_)) for id_, text in pairs.to_numpy()]
    ids = pairs[key].astype("str").reset_index(drop=True)
    options = [*zip(distinct_names(pd.Series(called, dtype="str"), ids), ids, strict=True)]
    options.sort(key=lambda option: (option[0].casefold(), option[1]))
    return [*options, (UNASSIGNED, UNASSIGNED)] if frame[key].isna().any() else options
