"""Frames of any engine in, frames of the same kind out, and errors that name what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar, cast

import narwhals as nw
import pandas as pd
from narwhals.typing import IntoDataFrame, IntoLazyFrame
from pandas.api.types import is_object_dtype

from fleetkit.blanks import stripped, without_blanks
from fleetkit.columns import COLUMNS
from fleetkit.context import carry_over
from fleetkit.engines import categorized, from_pandas, is_spark, shuffle_by_tasks, to_arrow
from fleetkit.errors import InvalidValue
from fleetkit.interface import did_you_mean, shortened_list
from fleetkit.metrics._normalisation import IDS, MOMENTS, in_utc, normalised
from fleetkit.metrics._noticing import notice_all_equipment, notice_repeated
from fleetkit.origins import record_columns
from fleetkit.time import Clock, Lazy

__all__ = [
    "Frame",
    "FrameT",
    "Lazy",
    "collect",
    "in_narwhals",
    "to_kind_of",
    "to_lazy",
    "to_pandas",
]


# A frame of any engine, as the engine has it.
Frame: TypeAlias = IntoDataFrame | IntoLazyFrame
# The result is of the kind of the input: pandas from pandas, a Polars LazyFrame from one.
FrameT = TypeVar("FrameT", bound=IntoDataFrame | IntoLazyFrame)


def in_narwhals(frame: Frame) -> Any:
    """Return a frame as Narwhals has it: eager or lazy, which types can't tell beforehand."""
    return nw.from_native(frame)


def to_lazy(frame: Frame, name: str, columns: Iterable[str], *, beside: Lazy | None = None) -> Lazy:
    """Return a frame of any engine as a lazy one, with only the columns that are asked for.

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
        that came as something else, such as text, and for a frame of another engine than `beside`,
        or one with numbers for ids where `beside` has texts.
    """
    names = list(dict.fromkeys(columns))
    source, schema = _opened(frame, name, names)
    record_columns(name, names)
    _check_columns(name, names, schema)
    if beside is not None:
        _check_engine(name, source, beside)
        _check_ids(name, schema, beside)
    # Beside flights a project is looked up by its id, however many rows it has.
    is_counted = name in {"flights", "bridge"} or (name == "projects" and beside is None)
    if is_counted and isinstance(source, nw.DataFrame):
        notice_repeated(source, name)
    elif name == "aircraft":
        notice_all_equipment(frame)
    if source.implementation.is_dask():
        shuffle_by_tasks()
        rows = categorized(source.to_native())
        if rows.index.name is not None:  # a column may be called so, too: which one to join by?
            rows = rows.reset_index(drop=True)
        source = in_narwhals(rows)
    if source.implementation.is_pandas():
        rows = normalised(source.to_native(), names)
        source = in_narwhals(rows)
        if not any(isinstance(dtype, pd.Float64Dtype) for dtype in rows.dtypes):
            return cast("Lazy", source.lazy())  # other dtypes have nulls, and no NaN beside them
    lazy: Lazy = source.lazy().select(_read(column, schema[column]) for column in names)
    if beside is not None and source.implementation.is_polars():
        return _with_keys_of(beside, lazy)
    return lazy


def _with_keys_of(other: Lazy, frame: Lazy) -> Lazy:
    """Return a frame of Polars, which joins no floats to integers, and no texts to categories."""
    known, kinds = other.collect_schema(), frame.collect_schema()
    keys = [key for key in ("flight_id", *IDS) if key in kinds and key in known]
    others = [key for key in keys if kinds[key] != known[key]]
    return frame.with_columns(nw.col(key).cast(known[key]) for key in others) if others else frame


def _opened(frame: Frame, name: str, columns: list[str]) -> tuple[Any, nw.Schema]:
    """Return a frame as Narwhals has it, which counts over Arrow's by Polars, and its schema."""
    try:
        source = in_narwhals(frame)
        if source.implementation.is_pyarrow():
            source = source.lazy("polars")
        elif source.implementation.is_pandas() or source.implementation.is_dask():
            source = in_narwhals(in_utc(source.to_native(), columns))
        return source, source.collect_schema()
    except TypeError:
        raise InvalidValue(
            f"{name} is a {type(frame).__name__}, not a frame.",
            advice=_what_to_pass(frame, name),
        ) from None
    except nw.exceptions.DuplicateError:
        raise InvalidValue(
            f"{name} has two columns of one name.",
            advice="Rename or drop one: frame.loc[:, ~frame.columns.duplicated()]",
        ) from None


def _check_engine(name: str, source: Any, beside: Lazy) -> None:
    """Refuse a frame of another engine than the one that it will be joined to."""
    if source.implementation is not beside.implementation:
        raise InvalidValue(
            f"{name} is a frame of {source.implementation.value}, the flights of "
            f"{beside.implementation.value}.",
            advice="Pass both as frames of one engine.",
        )


def _check_ids(name: str, schema: nw.Schema, beside: Lazy) -> None:
    """Refuse ids of flights that are numbers here and texts in the frame that this is joined to."""
    kind, other = (kinds.get("flight_id") for kinds in (schema, beside.collect_schema()))
    if kind and other and kind.is_numeric() != other.is_numeric():
        raise InvalidValue(
            f"{name}.flight_id is {kind}, that of the flights {other}.",
            advice="Make texts of both, such as by astype(str).",
        )


def _check_columns(name: str, columns: Iterable[str], schema: nw.Schema) -> None:
    """Refuse a frame that lacks a column, or has it as another kind."""
    present = schema.names()
    missing = [column for column in columns if column not in present]
    if missing:
        raise InvalidValue(
            f"{name} lacks {', '.join(missing)}. {did_you_mean(missing[0], map(str, present))}",
            advice="Pass row versions, as fleet.history(…) of a mirror returns them."
            if "valid_from" in missing
            else f"It has: {shortened_list(present) or 'no columns'}.",
        )
    for column in columns:
        if column in _KINDS and not _KINDS[column][0](schema[column]):
            _, kind, conversion = _KINDS[column]
            raise InvalidValue(
                f"{name}.{column} is {schema[column]}, not a {kind}.",
                advice=f"Convert it, in pandas by {conversion}, or pass {name} as a fleet returns"
                " them.",
            )


def _read(column: str, dtype: Any) -> nw.Expr:
    """Return a column whose numbers are floats or integers, and those that are none null.

    Ids are texts, as in `normalised`.
    """
    if column in IDS and dtype.is_integer():
        return nw.col(column).cast(nw.String)
    if column in IDS and dtype.is_float():
        return nw.col(column).fill_nan(None).cast(nw.String).str.replace_all(r"\.0$", "")
    if isinstance(dtype, nw.Decimal):
        return nw.col(column).cast(nw.Float64())
    return nw.col(column).fill_nan(None) if dtype.is_float() else nw.col(column)


def _what_to_pass(value: Any, name: str) -> str:
    call = {"bridge": "flight_equipment"}.get(name, name)
    if callable(getattr(value, call, None)):
        return f"Pass what its {call}() returns."
    return "Pass a pandas, Polars, DuckDB, Dask or PySpark frame."


_NAMES = ("client_account_name", "assigned_pilot_name")
_CURRENCY = "currency"
# Dtype of a column → how one of its engine is told, what it holds, and what makes it of others.
_NUMBER: tuple[Callable[[Any], bool], str, str] = (
    lambda dtype: bool(dtype.is_numeric()),
    "number",
    "pd.to_numeric(…)",
)
_BY_DTYPE: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "Int64": _NUMBER,
    "float64": _NUMBER,
    "datetime64[us, UTC]": (
        lambda dtype: isinstance(dtype, nw.Datetime),
        "timestamp",
        'pd.to_datetime(…, utc=True, format="ISO8601")',
    ),
    "boolean": (lambda dtype: isinstance(dtype, nw.Boolean), "boolean", '.astype("boolean")'),
}
_KINDS = {
    column.name: _BY_DTYPE[column.dtype]
    for table in COLUMNS.values()
    for column in table
    if column.dtype in _BY_DTYPE
} | dict.fromkeys(MOMENTS, _BY_DTYPE["datetime64[us, UTC]"])


def to_kind_of(result: Lazy | pd.DataFrame, original: FrameT, clock: Clock | None = None) -> FrameT:
    """Return a result as a frame of the kind of `original`: eager for eager, lazy for lazy.

    It carries what the original does, and the clock that its days are counted by.
    """
    source = in_narwhals(original)
    engine, is_lazy = source.implementation, isinstance(source, nw.LazyFrame)
    if isinstance(result, nw.LazyFrame):
        if is_lazy:
            return cast("FrameT", result.to_native())
        collected = nw.maybe_reset_index(result.collect(engine)).to_native()
        if not engine.is_pandas():
            return cast("FrameT", collected)
        result = _with_dtypes(collected, {pd.Float64Dtype: "float64"})
    if engine.is_pandas():
        return cast("FrameT", carry_over(result, original, clock))
    eager: Any = nw.from_native(result)
    if is_spark(source):  # which can't tell the types of a list without rows
        session = source.to_native().sparkSession
        return cast("FrameT", from_pandas(eager.to_pandas(), session))
    converted = eager.lazy(engine) if is_lazy else nw.from_arrow(eager, backend=engine)
    if engine.is_polars():  # whose categories have no order of their own
        kinds = eager.schema.items()
        ordered = {name: kind for name, kind in kinds if isinstance(kind, nw.Enum)}
        converted = converted.with_columns(nw.col(name).cast(ordered[name]) for name in ordered)
    return cast("FrameT", converted.to_native())


def collect(frame: Lazy) -> pd.DataFrame:
    """Return a small result of any engine as a pandas DataFrame."""
    # Spark's own way to pandas leaves instants without their zone, in the session's.
    rows: pd.DataFrame = (
        to_arrow(frame).to_pandas() if is_spark(frame) else frame.collect("pandas").to_native()
    )
    kinds = {} if frame.implementation.is_pandas() else frame.collect_schema()
    texts = [name for name, kind in kinds.items() if _has_lost_kind(kind, rows[name].dtype)]
    return rows.astype(dict.fromkeys(texts, "str")) if texts else rows


def _has_lost_kind(kind: Any, dtype: Any) -> bool:
    """Return whether nothing in pandas says that a column is text, where it holds no value.

    DuckDB's texts come as objects, and Polars' categories, where there are none, too.
    """
    if isinstance(dtype, pd.CategoricalDtype):
        return dtype.categories.empty
    return bool(kind == nw.String and is_object_dtype(dtype))


def to_pandas(frame: Frame, name: str, columns: Iterable[str]) -> pd.DataFrame:
    """Return the columns of a small table as a pandas DataFrame of its own.

    A currency stands without blanks at its ends, and one of blanks is none, as a client and an
    assigned pilot of blanks are: what they name would be summed apart from the rest.
    """
    lazy = to_lazy(frame, name, columns)
    rows = collect(lazy)
    if _CURRENCY in rows:
        rows[_CURRENCY] = stripped(rows[_CURRENCY])
    for column in _NAMES:
        if column in rows:
            rows[column] = without_blanks(rows[column])
    # Dask's texts have a null of their own, with which a comparison gives what can't be summed.
    return rows if lazy.implementation.is_pandas() else normalised(rows, rows.columns)


def _with_dtypes(frame: pd.DataFrame, dtypes: Mapping[type[Any], str]) -> pd.DataFrame:
    """Return a frame whose columns of some kinds of dtypes have the one that is named."""
    others = {
        name: dtypes[type(dtype)]
        for name, dtype in frame.dtypes.items()
        if dtype != dtypes.get(type(dtype), dtype)
    }
    return frame.astype(others) if others else frame
