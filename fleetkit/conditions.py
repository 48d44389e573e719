"""Conditions on the rows of a frame of any engine, as Narwhals has them; None: no condition."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar

import narwhals as nw

from fleetkit import areas
from fleetkit.areas import Area
from fleetkit.engines import is_spark
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, one_line
from fleetkit.unassigned import UNASSIGNED

__all__ = [
    "UNKNOWN",
    "Answer",
    "FrameT",
    "Values",
    "has_answer",
    "is_assigned",
    "is_in",
    "is_within",
    "selected",
]

# Stands for flights that say neither yes nor no (null).
UNKNOWN: Literal["unknown"] = "unknown"
_SPARK_LACKS = re.compile(r"\[UNRESOLVED_COLUMN[^`]*`(.+?)`")
# None: not filtered; a tuple: any of these; the empty tuple: none, so nothing at all.
Values = tuple[str, ...] | None
Answer = bool | Literal["unknown"] | tuple[()] | None
# A frame of any engine that Narwhals takes, or Narwhals' own; what comes back is of the same kind.
FrameT = TypeVar("FrameT")


def selected(frame: FrameT, *conditions: nw.Expr | None) -> FrameT:
    """Return the rows of a frame of which all conditions are true; None is none."""
    rows = whole = _wrapped(frame)
    try:
        for condition in conditions:
            if condition is not None:
                rows = rows.filter(condition)
        if rows is not whole and (rows.implementation.is_polars() or is_spark(rows)):
            rows.collect_schema()  # Polars and Spark look for columns here at the earliest
    except Exception as problem:
        message = _about_missing(problem)
        if message is None:
            raise
        raise _not_a_table(message) from None
    native: FrameT = rows if whole is frame else nw.to_native(rows)
    return native


def _about_missing(problem: Exception) -> str | None:
    """Return what an engine said of a column that is missing; None of anything else.

    Of Spark's error Narwhals tells only which columns there are.
    """
    for cause in (problem, problem.__context__):
        if lacking := _SPARK_LACKS.search(str(cause)):
            return f"The frame lacks {lacking[1]}."
    is_known = isinstance(problem, nw.exceptions.ColumnNotFoundError)
    return one_line(str(problem)) if is_known else None


def _wrapped(frame: Any) -> Any:
    try:
        return nw.from_native(frame)
    except TypeError:
        raise _not_a_table(f"{brief(frame)} is not a frame.") from None
    except nw.exceptions.DuplicateError:
        raise _not_a_table("Two columns of the frame have one name.") from None


def _not_a_table(message: str) -> InvalidValue:
    return InvalidValue(message, advice="Pass the frame as a fleet returns it.")


def is_in(column: str, values: Values) -> nw.Expr | None:
    """Return what is true where a column has one of the values; None where there is no filter."""
    if values is None:
        return None
    return nw.col(column).is_in(values) if values else _never(column)


def is_assigned(column: str, values: Values) -> nw.Expr | None:
    """Return the same where `UNASSIGNED` stands for a null."""
    condition = is_in(column, values)
    if condition is None or UNASSIGNED not in (values or ()):
        return condition
    # In some engines a comparison with a null is null, and in others "or" with a null is.
    return nw.col(column).is_null() | condition


def has_answer(column: str, answer: Answer) -> nw.Expr | None:
    """Return what is true where a column says yes, says no, or is null for `UNKNOWN`."""
    if answer is None:
        return None
    if answer == UNKNOWN:
        return nw.col(column).is_null()
    return nw.col(column) == answer if isinstance(answer, bool) else _never(column)


def is_within(area: Area | tuple[()] | None) -> nw.Expr | None:
    """Return what is true of take-offs in an area."""
    if area is None:
        return None
    if not area:
        return _never("takeoff_lat")
    within: nw.Expr = areas.is_within(nw.col("takeoff_lat"), nw.col("takeoff_lng"), area)
    return within


def _never(column: str) -> nw.Expr:
    """Return what is false of every row; not every engine can filter by the word alone."""
    return nw.col(column).is_null() & ~nw.col(column).is_null()
