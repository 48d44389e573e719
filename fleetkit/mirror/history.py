"""The row versions of one table, and the changes that follow from them.

A record that changed at a sync was closed and opened at one moment; one that was only closed
vanished, one that was only opened is new. Changes are derived from that, never stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit import tables
from fleetkit.columns import table_columns
from fleetkit.mirror.layout import (
    KEYS,
    MONTH,
    TIME,
    VALIDITY,
    last_month,
    month_of,
    without_point,
)
from fleetkit.time import micros

__all__ = ["Versions", "between", "changes_of", "months", "no_changes", "not_over", "sql", "utc"]

_DTYPES: dict[str, Any] = {
    "observed_at": "datetime64[us, UTC]",
    "table": "str",
    "id": "str",
    "field": "str",
    "old": "str",
    "new": "str",
    "change": pd.CategoricalDtype(["inserted", "updated", "vanished"], ordered=True),
}
# Takes row versions as a frame of the contract, says which are selected.
RowFilter = Callable[[pd.DataFrame], "pd.Series[bool]"]


def sql(moment: datetime) -> str:
    """Return a moment as SQL, to the microsecond."""
    return f"""arrow_cast({micros(utc(moment))}, 'Timestamp(Microsecond, Some("UTC"))')"""


def not_over(moment: datetime) -> str:
    """Return the condition on row versions that don't end until after a moment."""
    return f"valid_to IS NULL OR valid_to > {sql(moment)}"


def utc(moment: datetime) -> datetime:
    """Return a moment in UTC; a naive one is UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def months(since: datetime | None, until: datetime | None) -> list[str]:
    """Return conditions on the month of a flight, which skip whole files."""
    first = [] if since is None else [f"{MONTH} >= '{month_of(utc(since))}'"]
    last = [] if until is None else [f"{MONTH} <= '{last_month(utc(until))}'"]
    return [*first, *last]


def between(since: datetime | None, until: datetime | None) -> list[str]:
    """Return conditions on flights in ``[since, until)``: on the month, and on the moment."""
    start = [] if since is None else [f"flight_date >= {sql(since)}"]
    end = [] if until is None else [f"flight_date < {sql(until)}"]
    return [*months(since, until), *start, *end]


@dataclass(frozen=True)
class Versions:
    """The row versions of one table that are known at one state; see `Mirror.row_versions`.

    Attributes
    ----------
    name : str
        The table.
    columns : list of str
        What it holds beside the validity: the contract's columns, then further ones.
    until : datetime
        The moment of the state: row versions that begin or end later are not known.
    query : callable
        Takes columns and a condition (SQL), returns the row versions of any state.
    numbers : collection of str
        Columns that the reference doesn't know and that held numbers alone at some state. They are
        stored as text, 8 as 8.0 while no other flight, or record, has a text there.
    """

    name: str
    columns: Sequence[str]
    until: datetime
    query: Callable[[Sequence[str], str], pa.Table]
    numbers: Collection[str] = ()

    def read(self, *conditions: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the row versions where all conditions (SQL) hold, sorted by key and time."""
        rows = self.query([*(columns or self.columns), *VALIDITY], self._where(*conditions))
        is_later = pc.greater(rows["valid_to"], pa.scalar(self.until, TIME))
        ends = pc.if_else(pc.fill_null(is_later, False), pa.scalar(None, TIME), rows["valid_to"])
        rows = rows.set_column(rows.column_names.index("valid_to"), "valid_to", ends)
        return rows.sort_by([(name, "ascending") for name in (*KEYS[self.name], "valid_from")])

    def column(self, name: str, *conditions: str) -> pa.Table:
        """Return a column of the row versions where all conditions (SQL) hold, in no order."""
        return self.query([name], self._where(*conditions))

    def _where(self, *conditions: str) -> str:
        is_known = f"valid_from <= {sql(self.until)}"
        return " AND ".join(f"({condition})" for condition in (is_known, *conditions))

    def changed_after(self, moment: datetime) -> str:
        """Return the condition on row versions that began or ended after a moment."""
        ended = f"valid_to > {sql(moment)} AND valid_to <= {sql(self.until)}"
        return f"valid_from > {sql(moment)} OR ({ended})"

    def frame(self, rows: pa.Table) -> pd.DataFrame:
        """Return row versions as a frame: the contract's dtypes, further columns as text."""
        rows = rows if len(rows) else rows.schema.empty_table()  # a column of no chunks is none
        frame: pd.DataFrame = tables.from_arrow(self.name, rows)
        for column in rows.column_names:
            if column not in frame:
                frame[column] = rows[column].to_pandas(
                    types_mapper={pa.large_string(): pd.StringDtype(na_value=np.nan)}.get
                )
        return frame

    def with_equal_numbers(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return row versions in which a number is one text, in whichever form it is stored.

        A field that the reference gained since is read as a number, and stays one.
        """
        known = {column.name for column in table_columns(self.name, detail=True)}
        names = [name for name in self.columns if name in self.numbers and name not in known]
        return frame.assign(**{name: frame[name].str.removesuffix(".0") for name in names})


def no_changes() -> pd.DataFrame:
    """Return the frame of changes without a row.

    Examples
    --------
    >>> no_changes().columns.tolist()
    ['observed_at', 'table', 'id', 'field', 'old', 'new', 'change']
    """
    return pd.DataFrame({column: [] for column in _DTYPES}).astype(_DTYPES)


def changes_of(
    versions: Versions,
    after: datetime,
    *,
    row_filter: RowFilter | None = None,
    unseen: tuple[datetime, Sequence[str]] | None = None,
) -> pd.DataFrame:
    """Return what changed after a moment, one row per changed field.

    Parameters
    ----------
    versions : Versions
        Of the table.
    after : datetime
        Changes at this moment and before are left out.
    row_filter : callable, optional
        A change counts where it selects the record as it was before or as it is after.
    unseen : tuple, optional
        A moment, and the fields that no sync before it asked for: their first values are not
        changes.
    """
    rows = versions.read(versions.changed_after(after))
    keys = KEYS[versions.name]
    old, new, moments = _pairs(rows, list(keys), after)
    if row_filter is not None:
        before, now = (_selected(versions, side, row_filter) for side in (old, new))
        is_selected = pa.array(before | now)
        old, new, moments = (part.filter(is_selected) for part in (old, new, moments))
    if not len(moments):
        return no_changes()
    had_row, has_row = old["valid_from"].is_valid(), new["valid_from"].is_valid()
    parts_of_ids = [pc.coalesce(new[key], old[key]) for key in keys]
    ids = pc.binary_join_element_wise(*parts_of_ids, pa.scalar("/", pa.large_string()))
    parts = [
        _part(pc.invert(had_row), moments, ids, "inserted"),
        _part(pc.invert(has_row), moments, ids, "vanished"),
    ]
    has_both = pc.and_(had_row, has_row)
    for field in versions.columns:
        if field in keys:
            continue
        values = _comparable(versions, field, old, new)
        differs = pc.and_(has_both, _differ(*values))
        if unseen is not None and field in unseen[1]:
            differs = pc.and_(differs, pc.not_equal(moments, pa.scalar(unseen[0], TIME)))
        if pc.any(differs).as_py():
            was, became = (_texts(side.filter(differs)) for side in values)
            part = _part(differs, moments, ids, "updated", field=field, old=was, new=became)
            parts.append(part)
    frame = pd.concat([no_changes(), *(part for part in parts if len(part))])
    position = {column: number for number, column in enumerate(versions.columns)}
    frame = frame.assign(table=versions.name, position=frame["field"].map(position))
    frame = frame.sort_values(["observed_at", "id", "position"], ignore_index=True)
    return frame[list(_DTYPES)].astype(_DTYPES)


def _pairs(
    rows: pa.Table, keys: list[str], after: datetime
) -> tuple[pa.Table, pa.Table, pa.ChunkedArray]:
    """Return rows closed and rows opened after a moment, side by side, and when it was.

    A side that there is not is a row of nulls.
    """
    moment = pa.scalar(after, TIME)
    closed = rows.filter(pc.fill_null(pc.greater(rows["valid_to"], moment), False))
    opened = rows.filter(pc.greater(rows["valid_from"], moment))
    sides = []
    for table, at in ((closed, "valid_to"), (opened, "valid_from")):
        side = table.select([*keys, at]).rename_columns([*keys, "at"]).to_pandas()
        sides.append(side.assign(row=range(len(side))))
    both = sides[0].merge(sides[1], "outer", [*keys, "at"], suffixes=("_old", "_new"))
    old, new = (
        table.take(pa.array(both[row], pa.int64(), from_pandas=True))
        for table, row in ((closed, "row_old"), (opened, "row_new"))
    )
    return old, new, pa.chunked_array([pa.array(both["at"], TIME)])


def _selected(versions: Versions, rows: pa.Table, row_filter: RowFilter) -> np.ndarray:
    exists = rows["valid_from"].is_valid()
    is_selected = np.zeros(rows.num_rows, dtype=bool)
    selected = row_filter(versions.frame(rows.filter(exists)))
    is_selected[exists.to_numpy()] = selected.to_numpy(dtype=bool)
    return is_selected


def _comparable(
    versions: Versions, field: str, old: pa.Table, new: pa.Table
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return a field before and after; a number as one text, in whichever form it is stored."""
    if field not in versions.numbers:
        return old[field], new[field]
    before, now = (without_point(side[field].cast(pa.large_string())) for side in (old, new))
    return before, now


def _differ(old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """Say where two columns differ; two nulls are equal."""
    has_other_value = pc.fill_null(pc.not_equal(old, new), False)
    return pc.or_(has_other_value, pc.not_equal(old.is_null(), new.is_null()))


def _part(
    rows: pa.ChunkedArray,
    moments: pa.ChunkedArray,
    ids: pa.ChunkedArray,
    change: str,
    **values: Any,
) -> pd.DataFrame:
    """Return changes of one kind; ``field``, ``old`` and ``new`` are null where not given."""
    values = {"id": ids.filter(rows).to_pylist(), "field": None, "old": None, "new": None, **values}
    texts = pd.DataFrame({**values, "change": change}, dtype="str")
    texts.insert(0, "observed_at", moments.filter(rows).to_pandas())
    return texts


def _texts(values: pa.ChunkedArray) -> list[str | None]:
    """Write values as text: times as ISO, numbers without needless digits, nulls as null."""
    return [None if value is None else _text(value) for value in values.to_pylist()]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return np.format_float_positional(value, trim="-")
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
