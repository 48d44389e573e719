"""Conditions on the rows of a frame of any engine, as Narwhals has them; None: no condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import narwhals as nw

from fleetkit import areas
from fleetkit.areas import Area
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import Excluding, Values, named_values
from fleetkit.interface import brief, shortened_list
from fleetkit.unassigned import UNASSIGNED

__all__ = [
    "UNKNOWN",
    "Answer",
    "Condition",
    "FrameT",
    "has_answer",
    "is_assigned",
    "is_in",
    "is_within",
    "selected",
]

# Stands for flights that say neither yes nor no (null).
UNKNOWN: Literal["unknown"] = "unknown"
Answer = bool | Literal["unknown"] | tuple[()] | None
# A frame of any engine that Narwhals takes, or Narwhals' own; what comes back is of the same kind.
FrameT = TypeVar("FrameT")


class Condition(NamedTuple):
    """What is true of rows to select, and the kind that the columns which it reads must have."""

    expression: nw.Expr
    kind: Literal["text", "boolean", "number"]
    columns: tuple[str, ...]


def selected(frame: FrameT, *conditions: Condition | None) -> FrameT:
    """Return the rows of a frame of which all conditions are true; None is none."""
    rows = whole = _wrapped(frame)
    given = [condition for condition in conditions if condition is not None]
    _check_columns(rows, given)
    for condition in given:
        rows = rows.filter(condition.expression)
    native: FrameT = rows if whole is frame else nw.to_native(rows)
    return native


def _wrapped(frame: Any) -> Any:
    try:
        return nw.from_native(frame)
    except TypeError:
        raise _not_a_table(f"{brief(frame)} is not a frame.") from None
    except nw.exceptions.DuplicateError:
        raise _not_a_table("Two columns of the frame have one name.") from None


def _check_columns(rows: Any, conditions: Sequence[Condition]) -> None:
    """Refuse a column that is missing, or can't have any of a filter's values.

    Engines fail over either in words of their own, some only where rows are read, or select none.
    """
    schema = rows.collect_schema() if conditions else {}
    for _, kind, columns in conditions:
        for column in columns:
            if column not in schema:
                present = shortened_list(schema) or "no columns"
                raise _not_a_table(f"The frame lacks {column}. It has: {present}.")
            if _is_another(rows, column, kind, schema[column]):
                raise InvalidValue(
                    f"The frame's {column} is {schema[column]}, not a {kind}.",
                    advice="Convert it, or pass the frame as a fleet returns it.",
                )


def _is_another(rows: Any, column: str, kind: str, dtype: Any) -> bool:
    values = rows.to_native()[column] if rows.implementation.is_pandas() else None
    if values is None or not values.isna().all():
        return _IS_ANOTHER[kind](dtype)
    # pandas has nulls alone as numbers, as texts, or as nothing; Arrow alone minds which.
    is_arrow = type(values.dtype).__name__ == "ArrowDtype"
    return kind == "text" and is_arrow and not _is_text(dtype)


def _is_text(dtype: Any) -> bool:
    return isinstance(dtype, nw.String | nw.Categorical | nw.Enum)


_IS_ANOTHER: dict[str, Callable[[Any], bool]] = {
    "text": lambda dtype: dtype.is_numeric() or isinstance(dtype, nw.Boolean),
    "boolean": _is_text,  # 1 and 0, as databases have it, are true and false everywhere
    "number": _is_text,
}


def _not_a_table(message: str) -> InvalidValue:
    return InvalidValue(message, advice="Pass the frame as a fleet returns it.")


def is_in(column: str, values: Values) -> Condition | None:
    """Return what is true where a column has one of the values; None where there is no filter.

    A null is none of the values that are left out.
    """
    if values is None:
        return None
    if isinstance(values, Excluding):
        if values.of is not None:  # none of these is left out
            return is_in(column, values.of)
        is_other = nw.col(column).is_null() | ~nw.col(column).is_in(values.values)
        return Condition(is_other, "text", (column,))
    return Condition(nw.col(column).is_in(values) if values else _never(column), "text", (column,))


def is_assigned(column: str, values: Values) -> Condition | None:
    """Return the same where `UNASSIGNED` stands for a null."""
    condition = is_in(column, values)
    if condition is None or UNASSIGNED not in named_values(values):
        return condition
    if isinstance(values, Excluding):
        return condition._replace(expression=~nw.col(column).is_null() & condition.expression)
    # In some engines a comparison with a null is null, and in others "or" with a null is.
    return condition._replace(expression=nw.col(column).is_null() | condition.expression)


def has_answer(column: str, answer: Answer) -> Condition | None:
    """Return what is true where a column says yes, says no, or is null for `UNKNOWN`."""
    if answer is None:
        return None
    if answer == UNKNOWN:
        expression = nw.col(column).is_null()
    else:
        expression = nw.col(column) == answer if isinstance(answer, bool) else _never(column)
    return Condition(expression, "boolean", (column,))


def is_within(area: Area | tuple[()] | None) -> Condition | None:
    """Return what is true of take-offs in an area."""
    if area is None:
        return None
    latitude, longitude = "takeoff_lat", "takeoff_lng"
    expression: nw.Expr = (
        areas.is_within(nw.col(latitude), nw.col(longitude), area) if area else _never(latitude)
    )
    return Condition(expression, "number", (latitude, longitude))


def _never(column: str) -> nw.Expr:
    """Return what is false of every row; not every engine can filter by the word alone."""
    return nw.col(column).is_null() & ~nw.col(column).is_null()
