"""What the reference doesn't know in a table: fields, and tokens of closed sets.

It is shown as it came, and the report's last page says so. Read from the data, not from the
messages of loading, so that the same state gives the same warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw

from fleetkit import metrics, schema
from fleetkit.columns import table_columns
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, recognisable
from fleetkit.language import message, say, say_count
from fleetkit.reports.sentences import first_listed, of_records
from fleetkit.rounding import number

__all__ = ["unknown"]

# Fields and tokens that one warning names; the others are counted.
MOST = 6
# Table → column → the tokens that the reference has.
_CLOSED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "flights": {"flight_type": schema.FLIGHT_TYPES},
    "projects": {"status": schema.PROJECT_STATUSES},
}


def unknown(table: str, frame: Any, orders: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return a sentence on each kind of thing in a table that the reference doesn't know.

    Parameters
    ----------
    table : str
        One of `fleetkit.schema.TABLES`.
    frame : frame of any engine
        Its rows.
    orders : mapping, optional
        Column → the order of severity of its tokens: others can't be graded.

    Raises
    ------
    InvalidValue
        What is not a frame, or not the name of a table.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"flight_type": ["TRAINING", "AEROBATIC"], "colour": "red"})
    >>> for sentence in unknown("flights", rows):
    ...     print(sentence)
    The field colour of flights is not in the reference; it is kept.
    flight_type holds AEROBATIC (1 of 2 flights), which the reference doesn't have; shown last.
    """
    sentences = [*_fields(table, frame)]
    for column, tokens in _CLOSED.get(table, {}).items():
        sentences += _tokens(
            table,
            frame,
            column,
            tokens,
            message(
                "{column} holds {tokens} ({of}), which the reference doesn't have; shown last."
            ),
        )
    for column, order in (orders or {}).items():
        sentences += _tokens(
            table,
            frame,
            column,
            order,
            message(
                "{column} holds {tokens} ({of}), which the order of severity doesn't have; "
                "shown last, and not graded."
            ),
        )
    return sentences


def _fields(table: str, frame: Any) -> Iterator[str]:
    known = {column.name for column in table_columns(table, detail=True)}
    try:
        columns = nw.from_native(frame).collect_schema().names()
    except TypeError:
        raise InvalidValue(
            f"The table {table} is a {type(frame).__name__}, not a frame.",
            advice=f"Pass what fleet.{table}() returns.",
        ) from None
    names = sorted(str(name) for name in columns if name not in known)
    if names:
        yield say_count(
            len(names),
            "The field {names} of {table} is not in the reference; it is kept.",
            "The fields {names} of {table} are not in the reference; they are kept.",
            names=_named(names),
            table=say(table.replace("_", " ")),
        )


def _tokens(
    table: str, frame: Any, column: str, known: Sequence[str], sentence: str
) -> Iterator[str]:
    rows = nw.from_native(frame).lazy()
    if column not in rows.collect_schema().names():
        raise InvalidValue(
            f"The table {table} lacks the column {brief(column)}.",
            advice=f"Pass all columns that fleet.{table}() returns.",
        )
    tokens = rows.select(nw.col(column).cast(nw.String).alias("token"))
    counts = metrics.collect(tokens.group_by("token").agg(nw.len().alias("rows")).to_native())
    strange = counts[counts["token"].notna() & ~counts["token"].isin(known)]
    if len(strange):
        count, total = int(strange["rows"].sum()), int(counts["rows"].sum())
        of = f"{number(count)} {of_records(table, total)}"
        yield say(sentence, column=column, tokens=_named(sorted(strange["token"])), of=of)


def _named(names: list[str]) -> str:
    return first_listed([recognisable(name) for name in names], MOST)
