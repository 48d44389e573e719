"""Frames of any engine in, frames of the same kind out; what is wrong with one is said in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar, cast

import narwhals as nw
import pandas as pd
from narwhals.typing import IntoDataFrame, IntoLazyFrame

from fleetkit.context import hand_on
from fleetkit.errors import InvalidValue
from fleetkit.interface import did_you_mean
from fleetkit.schema import COLUMNS

__all__ = [
    "Frame",
    "FrameT",
    "Lazy",
    "alike",
    "count",
    "hours",
    "hours_of",
    "in_narwhals",
    "opened",
    "returned",
    "seconds",
    "small",
    "timed",
]

SECONDS_PER_HOUR = 3600

# A frame of any engine, as the engine has it.
Frame: TypeAlias = IntoDataFrame | IntoLazyFrame
# What comes back is of the kind that went in: pandas of pandas, a Polars LazyFrame of one.
FrameT = TypeVar("FrameT", bound=IntoDataFrame | IntoLazyFrame)
# What metrics are computed with, whatever the engine.
Lazy: TypeAlias = nw.LazyFrame[Any]


def in_narwhals(frame: Frame) -> Any:
    """Return a frame as Narwhals has it: eager or lazy, which types can't tell beforehand."""
    return nw.from_native(frame)


def opened(frame: Frame, name: str, columns: Iterable[str], *, beside: Lazy | None = None) -> Lazy:
    """Take a frame of any engine, and only the columns that are asked for.

    Parameters
    ----------
    frame : frame of any engine that Narwhals takes
    name : str
        What to call it in an error: ``flights``.
    columns : iterable of str
        Columns that must be there; others are left behind, whatever their names.
    beside : LazyFrame, optional
        The frame that this one will be joined to: it must be of the same engine.

    Raises
    ------
    InvalidValue
        For what is not a frame, for columns that are missing, for numbers, booleans or timestamps
        that came as something else, such as text, and for a frame of another engine than `beside`.
    """
    try:
        given = in_narwhals(frame)
    except TypeError:
        raise InvalidValue(
            f"{name} is a {type(frame).__name__}, not a frame.",
            advice=_what_to_pass(frame, name),
        ) from None
    wanted = list(dict.fromkeys(columns))
    present = given.collect_schema().names()
    missing = [each for each in wanted if each not in present]
    if missing:
        raise InvalidValue(
            f"{name} lacks {', '.join(missing)}. {did_you_mean(missing[0], map(str, present))}",
            advice=f"It has: {', '.join(map(str, present)) or 'no columns'}.",
        )
    schema = given.collect_schema()
    for each in wanted:
        if each in _KINDS and not _KINDS[each][0](schema[each]):
            raise InvalidValue(
                f"{name}.{each} is {schema[each]}, not a {_KINDS[each][1]}.",
                advice=f"Convert it, or hand over {name} as a fleet returns them.",
            )
    if beside is not None and given.implementation is not beside.implementation:
        raise InvalidValue(
            f"{name} is a frame of {given.implementation.value}, the flights of "
            f"{beside.implementation.value}.",
            advice="Hand over both as frames of one engine.",
        )
    chosen: Lazy = given.lazy().select(*wanted)
    return chosen


def _what_to_pass(given: Any, name: str) -> str:
    call = {"bridge": "flight_equipment"}.get(name, name)
    if callable(getattr(given, call, None)):
        return f"Hand over what its {call}() returns."
    return "Hand over a pandas, Polars, DuckDB, Dask or PySpark frame."


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric())


def _is_timestamp(dtype: Any) -> bool:
    return isinstance(dtype, nw.Datetime)


def _is_boolean(dtype: Any) -> bool:
    return isinstance(dtype, nw.Boolean)


_NUMBER, _TIMESTAMP, _BOOLEAN = (
    (_is_number, "number"),
    (_is_timestamp, "timestamp"),
    (_is_boolean, "boolean"),
)
_BY_DTYPE = {
    "Int64": _NUMBER,
    "float64": _NUMBER,
    "datetime64[us, UTC]": _TIMESTAMP,
    "boolean": _BOOLEAN,
}
_KINDS = {
    column.name: _BY_DTYPE[column.dtype]
    for table in COLUMNS.values()
    for column in table
    if column.dtype in _BY_DTYPE
}


def returned(result: Lazy, original: FrameT, tz: str | None = None) -> FrameT:
    """Return a result as a frame of the kind of `original`: eager for eager, lazy for lazy.

    It carries what the original does, and the zone `tz` that its days are in.
    """
    given = in_narwhals(original)
    if isinstance(given, nw.LazyFrame):
        return cast("FrameT", result.to_native())
    collected = nw.maybe_reset_index(result.collect(given.implementation)).to_native()
    if not given.implementation.is_pandas():
        return cast("FrameT", collected)
    masked = collected.select_dtypes("Float64").columns
    plain = collected.astype(dict.fromkeys(masked, "float64"))
    return cast("FrameT", hand_on(plain, original, tz))


def small(frame: Frame, name: str, columns: Iterable[str]) -> pd.DataFrame:
    """Return the columns of a small table as a pandas DataFrame of its own."""
    collected = opened(frame, name, columns).collect("pandas").to_native().reset_index(drop=True)
    zoned = collected.select_dtypes("datetimetz").columns
    rows: pd.DataFrame = collected.astype(dict.fromkeys(zoned, "datetime64[us, UTC]"))
    return rows


def alike(result: pd.DataFrame, original: FrameT, tz: str | None = None) -> FrameT:
    """Return a finished pandas frame as one of the kind of `original`; see `returned`."""
    given = in_narwhals(original)
    if given.implementation.is_pandas():
        return cast("FrameT", hand_on(result, original, tz))
    made: Any = nw.from_native(result)
    if given.implementation.is_pyspark():
        back = made.lazy(given.implementation, session=given.to_native().sparkSession)
    elif isinstance(given, nw.LazyFrame):
        back = made.lazy(given.implementation)
    else:
        back = nw.from_arrow(made, backend=given.implementation)
    return cast("FrameT", back.to_native())


def timed(frame: Lazy) -> Lazy:
    """Add what hours are summed from: ``_seconds`` [s], and ``_recorded``, 1 where there are any.

    A sum over flights none of which has a duration is not 0 but unknown: `hours` makes it null.
    """
    recorded = nw.when(nw.col("duration_seconds").is_null()).then(nw.lit(0)).otherwise(nw.lit(1))
    return frame.with_columns(seconds().alias("_seconds"), recorded.alias("_recorded"))


def seconds() -> nw.Expr:
    """Flown time of a flight that has one; 0 where the duration is null or not above 0. [s]."""
    duration = nw.col("duration_seconds")
    return nw.when(duration > 0).then(duration).otherwise(nw.lit(0))


def count(column: str) -> nw.Expr:
    """Whole numbers of a column that was summed: some engines widen them."""
    return nw.col(column).cast(nw.Int64)


def hours(
    seconds: str = "_seconds", *, recorded: str = "_recorded", flights: str = "_flights"
) -> nw.Expr:
    """Return summed seconds as hours; null where there are flights and no duration. [h]."""
    known = (nw.col(recorded) > 0) | (nw.col(flights) == 0)
    return nw.when(known).then(nw.col(seconds).cast(nw.Float64) / SECONDS_PER_HOUR)


def hours_of(flown: pd.DataFrame, seconds: str = "_seconds") -> pd.Series[float]:
    """Return what `hours` does, of a pandas frame with ``_recorded``; rows are groups of flights.

    A group without any flight has null there, and 0 hours.
    """
    spent = flown[seconds].astype("float64").fillna(0.0) / SECONDS_PER_HOUR
    return spent.where(flown["_recorded"].astype("float64").fillna(1.0) > 0)
