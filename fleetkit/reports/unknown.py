"""What the reference doesn't know in a table: fields, and tokens of closed sets.

It is shown as it came, and the report's last page says so. Read from the data, not from the
messages of loading, so that the same state gives the same warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from fleetkit import schema
from fleetkit.columns import table_columns
from fleetkit.reports.sentences import counted, listed
from fleetkit.rounding import number

__all__ = ["unknown"]

# Fields and tokens that one warning names; the others are counted.
MOST = 6
# Table → column → the tokens that the reference has.
_CLOSED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "flights": {"flight_type": schema.FLIGHT_TYPES},
    "projects": {"status": schema.PROJECT_STATUSES},
}
_ROWS = {"equipment": schema.EQUIPMENT.nouns}


def unknown(
    table: str, frame: pd.DataFrame, orders: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Return a sentence on each kind of thing in a table that the reference doesn't know.

    Parameters
    ----------
    table : str
        One of `fleetkit.schema.TABLES`.
    frame : DataFrame
        Its rows.
    orders : mapping, optional
        Column → the order of severity of its tokens: others can't be graded.

    Examples
    --------
    >>> rows = pd.DataFrame({"flight_type": ["TRAINING", "AEROBATIC"], "colour": "red"})
    >>> for sentence in unknown("flights", rows):
    ...     print(sentence)
    The field colour of flights is not in the reference; it is kept.
    flight_type holds AEROBATIC (1 of 2 flights), which the reference doesn't have; shown last.
    """
    sentences = [*_fields(table, frame)]
    for column, tokens in _CLOSED.get(table, {}).items():
        why = "which the reference doesn't have; shown last"
        sentences += _tokens(table, frame, column, tokens, why)
    for column, order in (orders or {}).items():
        why = "which the order of severity doesn't have; shown last, and not graded"
        sentences += _tokens(table, frame, column, order, why)
    return sentences


def _fields(table: str, frame: pd.DataFrame) -> Iterator[str]:
    known = {column.name for column in table_columns(table, detail=True)}
    names = sorted(str(name) for name in frame.columns if name not in known)
    if names:
        noun, are = ("field", "is") if len(names) == 1 else ("fields", "are")
        they = "it" if len(names) == 1 else "they"
        what = f"The {noun} {_named(names)} of {table.replace('_', ' ')}"
        yield f"{what} {are} not in the reference; {they} {are} kept."


def _tokens(
    table: str, frame: pd.DataFrame, column: str, known: Sequence[str], why: str
) -> Iterator[str]:
    tokens = frame[column].astype("str").dropna()
    strange = tokens[~tokens.isin(known)]
    if len(strange):
        nouns = _ROWS.get(table, (table.removesuffix("s"), table))
        of = f"{number(len(strange))} of {counted(len(frame), *nouns)}"
        yield f"{column} holds {_named(sorted(strange.unique()))} ({of}), {why}."


def _named(names: list[str]) -> str:
    rest = len(names) - MOST
    return listed([*names[:MOST], f"{number(rest)} more"] if rest > 0 else names)
