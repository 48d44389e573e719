"""The engines other than pandas that count over a fleet's tables, each an extra of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fleetkit import clusters
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean, one_line

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from distributed import Client
    from duckdb import DuckDBPyConnection
    from pyspark.sql import SparkSession

    # One of the user's own, or a cluster's address, in place of an engine's name.
    Session: TypeAlias = DuckDBPyConnection | SparkSession | Client | str

__all__ = [
    "ENGINES",
    "PANDAS",
    "Engine",
    "Pandas",
    "addressed",
    "categorized",
    "check_engine_name",
    "checked_engine",
    "engine_of_reports",
    "from_pandas",
    "installed",
    "is_spark",
    "joinable",
    "lazy_engine",
    "pandas_types",
    "semi_join",
    "session_of",
    "shuffle_by_tasks",
    "spark",
    "to_arrow",
]

# Narwhals advises to install another package for Dask; our extra stays below what needs it.
warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals", FutureWarning)

# Engines other than pandas.
Engine = Literal["polars", "duckdb", "dask", "spark"]
ENGINES: tuple[Engine, ...] = ("polars", "duckdb", "dask", "spark")
_SESSIONS: Mapping[tuple[str, str], Engine] = {
    ("duckdb", "DuckDBPyConnection"): "duckdb",
    ("_duckdb", "DuckDBPyConnection"): "duckdb",
    ("pyspark", "SparkSession"): "spark",
    ("distributed", "Client"): "dask",
}
# The engine where none is named.
Pandas = Literal["pandas"]
PANDAS: Pandas = "pandas"
# The engine of reports: it takes the least CPU for a million flights (benchmarks/windows.py).
OF_REPORTS: Engine = "polars"
_PACKAGES: Mapping[Engine, str] = {
    "polars": "polars",
    "duckdb": "duckdb",
    "dask": "dask",
    "spark": "pyspark",
}
# Rows of a frame in memory that are one partition of Dask.
_ROWS_OF_PARTITION = 500_000


def addressed(engine: Engine | Session, places: Mapping[str, str]) -> Engine | Session:
    """Return the address that a name of an engine stands for, where one is set; else what came.

    Parameters
    ----------
    engine
        As for `session_of`.
    places : mapping
        Engine → address of its cluster, or "".

    Examples
    --------
    >>> addressed("spark", {"spark": "sc://spark.example", "dask": ""})
    'sc://spark.example'
    >>> addressed("dask", {"spark": "sc://spark.example", "dask": ""})
    'dask'
    """
    return (places.get(engine) if isinstance(engine, str) else None) or engine


def lazy_engine(engine: Engine | Session | Pandas | None) -> Engine | Session | None:
    """Return an engine other than pandas; None for pandas, which is meant too where none is named.

    Examples
    --------
    >>> lazy_engine("pandas"), lazy_engine("polars")
    (None, 'polars')
    """
    return None if isinstance(engine, str) and engine == PANDAS else engine


def checked_engine(engine: Any = None) -> str:
    """Return the name of an engine that is installed, or a cluster's address.

    Default: what counts for reports.

    Raises
    ------
    InvalidValue
        There is no such engine, or its package isn't installed.

    Examples
    --------
    >>> checked_engine(), checked_engine("pandas")
    ('polars', 'pandas')
    """
    if engine is None:
        return OF_REPORTS
    name = check_engine_name(engine)
    for known in ENGINES:
        if name == known:
            with installed(known):  # looked for, not imported: notebooks do that
                _find(_PACKAGES[known])
    return name


def check_engine_name(engine: Any) -> str:
    """Return the name of an engine, installed or not, or a cluster's address.

    Raises
    ------
    InvalidValue
        There is no such engine.

    Examples
    --------
    >>> check_engine_name("duckdb"), check_engine_name("sc://spark.example")
    ('duckdb', 'sc://spark.example')
    """
    names: tuple[Engine | Pandas, ...] = (PANDAS, *ENGINES)
    if isinstance(engine, str) and (engine in names or clusters.engine_at(engine)):
        return engine
    similar = did_you_mean(engine, names) if isinstance(engine, str) else ""
    raise InvalidValue(
        f"{brief(engine)} is not an engine. {similar}".strip(),
        advice=f"Engines are: {', '.join(names)}, or a cluster's address.",
    )


def engine_of_reports(engine: Any, default: str, places: Mapping[str, str]) -> str:
    """Return what counts for a report: an engine that is installed, or a cluster's address.

    Parameters
    ----------
    engine
        What was asked for; None where nothing was.
    default : str
        The setting ``engine``, or "".
    places : mapping
        As for `addressed`.

    Raises
    ------
    InvalidValue
        As for `checked_engine`.

    Examples
    --------
    >>> places = {"spark": "sc://spark.example", "dask": ""}
    >>> engine_of_reports(None, "", places), engine_of_reports("duckdb", "spark", places)
    ('polars', 'duckdb')
    >>> engine_of_reports(None, "spark", places)
    'sc://spark.example'
    """
    chosen = (default or None) if engine is None else engine
    return checked_engine(chosen if chosen is None else addressed(chosen, places))


def _find(package: str) -> None:
    if find_spec(package) is None:
        raise ModuleNotFoundError(name=package)


def session_of(engine: Engine | Session) -> tuple[Engine, Any]:
    """Return the name of an engine, and the session that was given in its place, or None.

    Parameters
    ----------
    engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
        ``"polars"``, ``"duckdb"``, ``"dask"`` or ``"spark"``: DuckDB's default connection, the
        cluster that Dask computes with anyway, the Spark session that is active. Or the address of
        a cluster: ``sc://…``, ``spark://…``, ``k8s://…``, ``yarn`` or ``local[…]`` of Spark,
        ``tcp://…`` or ``tls://…`` of Dask.

    Raises
    ------
    InvalidValue
        It is none of these, or its package isn't installed.
    ClusterError
        Nothing answers at the address, or its workers have another fleetkit.

    Examples
    --------
    >>> session_of("polars")
    ('polars', None)
    """
    for name in ENGINES:
        if isinstance(engine, str) and engine == name:
            return name, None
    if isinstance(engine, str) and (at := clusters.engine_at(engine)):
        with installed(at):
            opened = clusters.spark_session if at == "spark" else clusters.dask_client
            return at, opened(engine)
    for base in type(engine).__mro__:  # Spark Connect has a session of the same name
        known = _SESSIONS.get((base.__module__.split(".")[0], base.__name__))
        if known:
            return known, clusters.use_client(engine) if known == "dask" else engine
    raise InvalidValue(
        f"engine={brief(engine)} is not an engine.",
        advice=f"Engines are: {', '.join(ENGINES)}, a DuckDB connection, a SparkSession, a Dask "
        "client, or a cluster's address; leave it out for pandas.",
    )


@contextmanager
def installed(engine: Engine) -> Iterator[None]:
    """Name the extra that brings an engine where a block doesn't find its package."""
    try:
        yield
    except ImportError as problem:
        raise InvalidValue(
            f"The engine {engine} needs a package that is not installed: "
            f"{problem.name or one_line(str(problem), 100)}.",
            advice=f'Install it: pip install "fleetkit[{engine}]".',
        ) from None


def from_pandas(frame: pd.DataFrame, engine: Engine | Session) -> Any:
    """Return a pandas frame as a lazy frame of another engine; closed sets become text.

    Parameters
    ----------
    frame : DataFrame
    engine
        As for `session_of`.

    Raises
    ------
    InvalidValue
        An engine that isn't known or not installed, or Spark without a session.

    Examples
    --------
    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame({"flights": [1, 2]}), "polars").collect()["flights"].to_list()
    [1, 2]
    """
    name, session = session_of(engine)
    with installed(name):
        return _READERS[name](_as_arrow(frame), session)


def _as_arrow(frame: pd.DataFrame) -> pa.Table:
    """Return a frame as Arrow has it, with texts in place of closed sets and of nulls alone."""
    import pyarrow as pa  # noqa: PLC0415 - as heavy as the engines, and for them alone

    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
            table = table.set_column(place, field.name, table[field.name].cast(pa.string()))
    return table


def is_spark(frame: Any) -> bool:
    """Return whether a frame, as Narwhals has it, is one of Spark, also of Spark Connect."""
    engine = frame.implementation
    return bool(engine.is_pyspark() or engine.is_pyspark_connect())


def joinable(groups: Any) -> Any:
    """Return groups or distinct rows, as Narwhals has them, as rows that can be joined.

    Dask looks for the keys by which it shuffled more than 15 partitions where they are not, and
    fails; of what a function returned it looks for none.
    """
    if not groups.implementation.is_dask():
        return groups
    import narwhals as nw  # noqa: PLC0415 - with a metric it is there

    return nw.from_native(_returned(groups.to_native()))


def categorized(rows: Any) -> Any:
    """Return a frame of Dask of which columns can be left out after its ``categorize()``.

    Dask leaves them out before that, looks for them there all the same, and fails.
    """
    steps = rows.expr.walk()
    return _returned(rows) if any(type(step).__name__ == "Categorize" for step in steps) else rows


def semi_join(rows: Any, others: Any, key: str) -> Any:
    """Return the rows, as Narwhals has them, of which the key occurs in another frame.

    Of a semi join by Narwhals, Dask doesn't know by which columns it shuffled, and fails where one
    is renamed afterwards.
    """
    keys = joinable(others.select(key))
    if not rows.implementation.is_dask():
        return rows.join(keys, on=key, how="semi")
    return rows.join(keys.drop_nulls().unique([key]), on=key)


def shuffle_by_tasks() -> None:
    """Let Dask shuffle in a way that keeps the order of rows, from now on and wherever it runs.

    Where a filter needs other columns than what it filters, Dask shuffles twice. By its default the
    two may come out in different orders: the filter then takes other rows, or fails.
    """
    import dask  # noqa: PLC0415 - whoever has a frame of it has it

    dask.config.set({"dataframe.shuffle.method": "tasks"})


def _returned(native: Any) -> Any:
    """Return a frame of Dask as what a function returned, into which Dask doesn't look."""
    return native.map_partitions(_unchanged, meta=native._meta)


def _unchanged(rows: pd.DataFrame) -> pd.DataFrame:
    return rows


def to_arrow(frame: Any) -> pa.Table:
    """Return a lazy frame, as Narwhals has it, as an Arrow table: no instant loses its zone.

    Raises
    ------
    ClusterError
        Spark's machines can't read the files.
    """
    with clusters.reading("the mirror's files"):
        return frame.collect("pyarrow").to_native()


def pandas_types() -> dict[Any, Any]:
    """Return Arrow's type → the dtype that fleetkit's frames have for it."""
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    text = pd.StringDtype(na_value=np.nan)
    return {
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): text,
        pa.large_string(): text,
    }


def _polars(table: pa.Table, _: None) -> Any:
    import polars as pl  # noqa: PLC0415 - the four engines are the user's, not fleetkit's

    return pl.DataFrame(table).lazy()


def _duckdb(table: pa.Table, connection: Any) -> Any:
    import duckdb  # noqa: PLC0415

    return (connection or duckdb).from_arrow(table)


def _dask(table: pa.Table, _: None) -> Any:
    from dask import dataframe as dask_dataframe  # noqa: PLC0415

    dataframe: Any = dask_dataframe  # its functions have no types
    frame = table.to_pandas(types_mapper=pandas_types().get)
    return dataframe.from_pandas(frame, npartitions=len(frame) // _ROWS_OF_PARTITION + 1)


def _spark(table: pa.Table, session: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415

    # Else a time without a zone would become an instant, by the session's.
    schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    return spark(session).createDataFrame(table, schema)


def spark(session: Any) -> Any:
    """Return a Spark session: the one given, else the one that is active.

    Raises
    ------
    InvalidValue
        None is.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415

    session = session or SparkSession.getActiveSession()
    if session is None:
        raise InvalidValue(
            "No Spark session is active.",
            advice="Start one, or pass it, or the address of a cluster: "
            'engine="sc://spark.example:15002".',
        )
    return session


_READERS: Mapping[Engine, Callable[[pa.Table, Any], Any]] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "dask": _dask,
    "spark": _spark,
}
