"""A state of a mirror's table as a lazy frame: the engine reads the files itself, when it must.

The files are the live ones of one version of the Delta table. The engines don't look for the newest
version themselves: a sync that crashed may have left more than it pinned.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
from deltalake import DeltaTable, Schema
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from fleetkit import clusters
from fleetkit.columns import Column
from fleetkit.engines import Engine, installed, pandas_types, session_of, shuffle_by_tasks, spark
from fleetkit.errors import ClusterError
from fleetkit.mirror.layout import MONTH_IN_LOG, VALIDITY, column_of, last_month, month_of

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["Rows", "live_files", "scan"]

_DTYPES: dict[str, Any] = {
    "str": nw.String(),
    "category": nw.String(),
    "Int64": nw.Int64(),
    "float64": nw.Float64(),
    "boolean": nw.Boolean(),
    "datetime64[us, UTC]": nw.Datetime("us", "UTC"),
}


@dataclass(frozen=True)
class Rows:
    """The rows of a table in one state.

    Attributes
    ----------
    table : DeltaTable
        Opened at the version that the newest sync pinned.
    live : pyarrow.Table
        Its `live_files`, which take as long to list as some months of flights to count.
    location : str
        Folder or URL of the table.
    contract : tuple of Column
        The columns to show. One that the table lacks, since the reference gained it later, is
        nulls; one that it held before the reference knew it is text.
    further : mapping
        Columns to show that the reference doesn't know: their names in the files, where they are
        text → their dtypes.
    moment : datetime or None
        The state to show, UTC; None for the newest.
    since, until : datetime or None
        Only flights in ``[since, until)``, and of their bridge the rows of these months; UTC.
    months : tuple of str or None
        Only flights of these months, or their bridge.
    folder : Path or None
        The folder of the table; None in an object store.
    """

    table: DeltaTable
    live: pa.Table
    location: str
    contract: tuple[Column, ...]
    further: Mapping[str, str] = field(default_factory=dict)
    moment: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    months: tuple[str, ...] | None = None
    folder: Path | None = None

    @property
    def columns(self) -> list[str]:
        """The columns to show, by their names in the files."""
        return [*(column.name for column in self.contract), *self.further]

    @cached_property
    def stored(self) -> pa.Schema:
        """The columns that the engine has to know, as they are in the files; no text is large."""
        needed = {*self.columns, *VALIDITY}
        schema = pa.schema(self.table.schema().to_arrow())
        return pa.schema([field for field in schema if field.name in needed])

    @cached_property
    def paths(self) -> list[str]:
        """The live files that may hold such rows, as the log names them."""
        live = self.live
        if self.since is not None:
            live = live.filter(pc.greater_equal(live[MONTH_IN_LOG], month_of(self.since)))
        if self.until is not None:
            live = live.filter(pc.less_equal(live[MONTH_IN_LOG], last_month(self.until)))
        if self.months is not None:
            live = live.filter(pc.is_in(live[MONTH_IN_LOG], pa.array(self.months)))
        paths: list[str] = live["path"].to_pylist()
        return paths

    @property
    def rows_by_month(self) -> dict[str, int]:
        """How many row versions the files of each month hold."""
        counts = self.live.group_by(MONTH_IN_LOG).aggregate([("num_records", "sum")])
        months = counts[MONTH_IN_LOG].to_pylist()
        return dict(sorted(zip(months, counts["num_records_sum"].to_pylist(), strict=True)))

    @property
    def files(self) -> list[str]:
        """The same files as paths, or URLs in an object store."""
        return [f"{self.location}/{path}" for path in self.paths]

    @property
    def dataset(self) -> pads.FileSystemDataset:
        """The same files as an Arrow dataset; in an object store it is delta-rs that reads them.

        That calls Python: where a query ends before its files do, as with a limit, Arrow's threads
        read on, and a process that ends meanwhile crashes or hangs. Those of a folder Arrow reads
        by itself.

        The statistics that delta-rs adds are left out: of a column that was added after a file,
        they say that no row of it can be null.
        """
        files = self.folder and SubTreeFileSystem(str(self.folder), LocalFileSystem())
        whole = self.table.to_pyarrow_dataset(filesystem=files)
        pieces = [whole.format.make_fragment(path, whole.filesystem) for path in self.paths]
        return pads.FileSystemDataset(pieces, whole.schema, whole.format, whole.filesystem)

    def select(self, frame: Any) -> Any:
        """Return the rows and columns out of a lazy frame of all row versions."""
        opened, closed, date = map(nw.col, ("valid_from", "valid_to", "flight_date"))
        rows, is_shown = nw.from_native(frame), closed.is_null()
        if self.moment is not None:
            is_shown = (opened <= self.moment) & (is_shown | (closed > self.moment))
        rows = rows.filter(is_shown)
        if "flight_date" in self.columns and self.since is not None:
            rows = rows.filter(date >= self.since)
        if "flight_date" in self.columns and self.until is not None:
            rows = rows.filter(date < self.until)
        stored = set(self.stored.names)
        shown = [
            nw.col(column.name)
            if column.name in stored
            else nw.lit(None, dtype=_DTYPES[column.dtype]).alias(column.name)
            for column in self.contract
        ]
        further = [_typed(name, dtype, is_shown) for name, dtype in self.further.items()]
        return rows.select(*shown, *further).to_native()


def _typed(name: str, dtype: str, is_shown: nw.Expr) -> nw.Expr:
    """Return a column that the reference doesn't know by its own name, with its own dtype.

    Of the rows to show alone: in others the field may be no number, and an engine that moves a
    condition of the user to the files would read it there.
    """
    value = nw.col(name)
    if dtype == "boolean":
        value = value == "true"
    elif dtype in {"Int64", "float64"}:
        value = nw.when(is_shown).then(value).cast(_DTYPES[dtype])
    return value.alias(column_of(name))


def live_files(table: DeltaTable) -> pa.Table:
    """Return the live files of a table in their order, as `Rows` has them."""
    log = pa.table(table.get_add_actions(flatten=True))
    names = {"path", "modification_time", "num_records", MONTH_IN_LOG}
    live = log.select([name for name in log.column_names if name in names])
    # The older files of a month first, of both tables: so flights and bridge are in one order.
    by_age = live.sort_by([("modification_time", "ascending"), ("path", "ascending")])
    months = [path.partition("/")[0] for path in by_age["path"].to_pylist()]
    order = sorted(range(len(months)), key=months.__getitem__)
    return by_age.take(pa.array(order, pa.int64()))  # typed, as a table may have no files


def scan(rows: Rows, engine: Engine | Session) -> Any:
    """Return rows as a lazy frame.

    Parameters
    ----------
    rows : Rows
    engine
        As for `fleetkit.engines.session_of`.

    Raises
    ------
    InvalidValue
        For another engine, one that isn't installed, or Spark without a session.
    """
    name, session = session_of(engine)
    with installed(name):
        frame = _ENGINES[name](rows, session)
    return rows.select(frame)


def _polars(rows: Rows, _: None) -> Any:
    import polars as pl  # noqa: PLC0415 - the four engines are the user's, not fleetkit's

    schema = pl.from_arrow(rows.stored.empty_table()).schema  # type: ignore[union-attr]
    if not rows.files:
        return pl.LazyFrame(schema=schema)
    return pl.scan_parquet(
        rows.files,
        schema=schema,
        missing_columns="insert",  # files that are older than a column
        extra_columns="ignore",
        glob=False,
        hive_partitioning=False,
    )


def _duckdb(rows: Rows, connection: Any) -> Any:
    import duckdb  # noqa: PLC0415

    # DuckDB lets Arrow filter, which can't compare the texts of files that a merge wrote (string
    # views). What is taken out of a list, DuckDB compares itself.
    columns = []
    for column in rows.stored:
        name = '"' + column.name.replace('"', '""') + '"'
        is_text = pa.types.is_string(column.type)
        columns.append(f"list_extract(list_value({name}), 1) AS {name}" if is_text else name)
    return (connection or duckdb).from_arrow(rows.dataset).project(", ".join(columns))


def _dask(rows: Rows, _: None) -> Any:
    from dask import dataframe as dask_dataframe  # noqa: PLC0415

    shuffle_by_tasks()
    dataframe: Any = dask_dataframe  # its functions have no types
    schema, pieces = rows.stored, list(rows.dataset.get_fragments())
    empty = _to_pandas(schema.empty_table())
    if not pieces:
        return dataframe.from_pandas(empty, npartitions=1)
    return dataframe.from_map(_read, pieces, schema=schema, meta=empty)


def _read(
    piece: pads.Fragment, columns: list[str] | None = None, *, schema: pa.Schema
) -> pd.DataFrame:
    """Read one file; Dask says of which columns."""
    try:
        return _to_pandas(piece.to_table(schema=schema, columns=columns))
    except (OSError, pa.ArrowException) as problem:
        # Not in the store's own words: they may quote a signed address.
        is_missing = isinstance(problem, FileNotFoundError)
        cause = "it isn't there" if is_missing else "it can't be opened from there"
        raise ClusterError(
            f"Dask can't read {Path(piece.path).name} of the mirror on {socket.gethostname()}: "
            f"{cause}.",
            advice=clusters.ELSEWHERE,
        ) from None


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(types_mapper=pandas_types().get)
    return frame


def _spark(rows: Rows, session: Any) -> Any:
    from pyspark.sql.types import StructType  # noqa: PLC0415

    session = spark(session)
    needed = set(rows.stored.names)
    fields = [field for field in rows.table.schema().fields if field.name in needed]
    schema = StructType.fromJson(json.loads(Schema(fields).to_json()))
    if not rows.files:
        return session.createDataFrame([], schema)
    with clusters.reading(f"the mirror's table {rows.location}"):
        try:
            return _spark_files(session, schema, rows.files)
        except Exception as problem:
            if _NO_S3 not in str(problem):
                raise
        # Spark of EMR and Databricks reads s3://, Apache's own knows the store as s3a:// only.
        return _spark_files(session, schema, [f"s3a{path[2:]}" for path in rows.files])


# Message of Apache's Spark where an address begins with s3://.
_NO_S3 = 'No FileSystem for scheme "s3"'


def _spark_files(session: Any, schema: Any, paths: list[str]) -> Any:
    # A path alone would be one of the cluster's own file system, such as HDFS.
    whole = [path if "://" in path else f"file://{path}" for path in paths]
    frame = session.read.schema(schema).parquet(*whole)
    _ = frame.schema  # Spark Connect looks at the files here at the earliest
    return frame


_ENGINES: dict[Engine, Callable[[Rows, Any], Any]] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "dask": _dask,
    "spark": _spark,
}
