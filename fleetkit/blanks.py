"""What says nothing, and what stands in its place: the id of what has no name."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Any
from unicodedata import normalize

import narwhals as nw
import pandas as pd

from fleetkit.lettering import printable

__all__ = [
    "are_blank",
    "count_known",
    "distinct_names",
    "is_blank",
    "known_or_null",
    "name_or_id",
    "named_or_null",
    "names_or_ids",
    "namesakes",
    "printable_name",
    "stripped",
    "without_blanks",
]

# The characters that `is_blank` sees nothing of, but halves of characters, which no frame holds:
# spaces, what is not printed, and what has no width, such as a zero-width space.
_RANGES = (
    range(0x00, 0x21),
    range(0x7F, 0xA1),
    range(0x2000, 0x2010),
    range(0x2028, 0x2030),
    range(0x205F, 0x2070),
    range(0xFDD0, 0xFDF0),
    range(0xFE00, 0xFE10),
    (0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x1680, 0x180E, 0x2800, 0x3000, 0x3164),
    (0xFEFF, 0xFFA0, 0xFFFE, 0xFFFF),
)
_UNSEEN = "".join(map(chr, chain.from_iterable(_RANGES)))
# Columns in which metrics take a blank for none; in others, such as ids, it is a value.
_NAMES = frozenset(
    [
        *("assigned_pilot_name", "client_account_name", "currency", "name", "pilot_name"),
        *("project_title", "registration_number", "serial_number", "tier_name", "title"),
    ]
)


def is_blank(value: Any) -> bool:
    r"""Return whether a value is null, or a text of which nothing would be seen.

    Examples
    --------
    >>> is_blank(None), is_blank(" \x00"), is_blank("\u200b"), is_blank(" EUR"), is_blank(0)
    (True, True, True, False, False)
    """
    return bool(pd.isna(value)) or not printable(str(value)).strip(_UNSEEN)


def are_blank(column: pd.Series[Any]) -> pd.Series[bool]:
    """Return the same of each value of a column.

    Examples
    --------
    >>> are_blank(pd.Series(["EUR", " ", None])).tolist()
    [False, True, True]
    """
    if isinstance(column.dtype, pd.StringDtype):  # a million ids at once
        return column.isna() | (column.str.strip(_UNSEEN) == "")
    blanks = {value for value in column.dropna().unique() if is_blank(value)}
    return column.isna() | column.isin(blanks)


def without_blanks(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column with null where a value is blank.

    Examples
    --------
    >>> without_blanks(pd.Series(["EUR", " "])).isna().tolist()
    [False, True]
    """
    return column.mask(are_blank(column))


def stripped(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts without blanks at their ends, null where nothing else is in one.

    Examples
    --------
    >>> stripped(pd.Series([" EUR", " "])).tolist()
    ['EUR', nan]
    """
    return without_blanks(texts.astype("str").str.strip())


def name_or_id(name: Any, identifier: Any) -> Any:
    """Return a name; where it is blank, the id of what it would name.

    Examples
    --------
    >>> name_or_id("Ada", "prof_1"), name_or_id(" ", "prof_1"), name_or_id(None, "prof_1")
    ('Ada', 'prof_1', 'prof_1')
    """
    return identifier if is_blank(name) else name


def printable_name(name: Any, identifier: Any) -> str:
    r"""Return the same as pages show it: without direction marks, and what they can't hold.

    Examples
    --------
    >>> printable_name("\u202eAda", "prof_1"), printable_name("\u202e", "prof_1")
    ('Ada', 'prof_1')
    """
    return printable(name_or_id(name, identifier))


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


def namesakes(names: pd.Series[Any], ids: pd.Series[Any]) -> set[Any]:
    """Return the names that several ids have, or that look alike on a page.

    Examples
    --------
    >>> namesakes(pd.Series(["Ada", "Ada", "Bo", "Bo"]), pd.Series(["a", "b", "c", "c"]))
    {'Ada'}
    >>> sorted(namesakes(pd.Series(["Ada", "Ada ", "Bo"]), pd.Series(["a", "b", "c"])))
    ['Ada', 'Ada ']
    """
    return _shared(names_or_ids(names, ids), ids)


def _shared(called: pd.Series[Any], ids: pd.Series[Any]) -> set[Any]:
    pairs = pd.DataFrame({"name": called, "id": ids}).dropna().drop_duplicates()
    # A page shows no blanks at the ends of a name, one for several within it, and Å as A and ring.
    seen = [" ".join(normalize("NFC", str(name)).split()) for name in pairs["name"].tolist()]
    if len(set(seen)) == len(seen):
        return set()
    owners = pairs["id"].groupby(seen).transform("nunique")
    return set(pairs["name"][owners > 1])


def distinct_names(
    names: pd.Series[Any], ids: pd.Series[Any], others: Collection[Any] = ()
) -> pd.Series[Any]:
    """Return what `names_or_ids` does, each with its id where another id has that name, too.

    Parameters
    ----------
    names, ids : Series
    others : collection
        Names that have `namesakes` elsewhere.

    Examples
    --------
    >>> names = pd.Series(["Ada", "Ada", "Ada", "Bo"])
    >>> distinct_names(names, pd.Series(["prof_1", "prof_1", "prof_2", "prof_3"])).tolist()
    ['Ada (prof_1)', 'Ada (prof_1)', 'Ada (prof_2)', 'Bo']
    """
    called = names_or_ids(names, ids)
    shared = _shared(called, ids).union(others)
    if not shared:
        return called
    both = called.astype("object").astype("str") + " (" + ids.astype("str") + ")"
    return called.astype("object").mask(called.isin(shared) & ids.notna(), both)


def named_or_null(column: str) -> nw.Expr:
    """Return the texts of a column of any engine, null where one is blank.

    Examples
    --------
    >>> names = nw.from_native(pd.DataFrame({"client": ["Fjord", " ", None]}))
    >>> names.select(named_or_null("client"))["client"].is_null().to_list()
    [False, True, True]
    """
    text = nw.col(column).cast(nw.String)
    return nw.when(text.str.strip_chars(_UNSEEN) != "").then(text).alias(column)


def known_or_null(column: str) -> nw.Expr:
    """Return a column of any engine, null where a blank is none to metrics.

    Examples
    --------
    >>> rows = nw.from_native(pd.DataFrame({"name": ["Kestrel", " "], "pilot_id": [None, " "]}))
    >>> known = rows.select(*map(known_or_null, rows.columns))
    >>> [known[name].is_null().to_list() for name in rows.columns]
    [[False, True], [True, False]]
    """
    return named_or_null(column) if column in _NAMES else nw.col(column)


def count_known(column: pd.Series[Any]) -> int:
    """Return how many rows have a value in a column, as metrics have it.

    Examples
    --------
    >>> rows = pd.DataFrame({"name": ["Kestrel", " "], "pilot_id": ["prof_1", " "]})
    >>> count_known(rows["name"]), count_known(rows["pilot_id"])
    (1, 2)
    """
    return int((~are_blank(column) if column.name in _NAMES else column.notna()).sum())
