"""Which engine counts: its name, or the address of a cluster, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from fleetkit import clusters
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean, one_line

if TYPE_CHECKING:
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
    "check_engine_name",
    "checked_engine",
    "engine_of_processes",
    "engine_of_reports",
    "installed",
    "lazy_engine",
    "name_of",
    "version_of",
]

# Engines other than pandas.
Engine = Literal["polars", "duckdb", "dask", "spark"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
# The engine where none is named.
Pandas = Literal["pandas"]
PANDAS: Pandas = "pandas"
# The engine of reports: it takes the least CPU for a million flights (benchmarks/windows.py).
OF_REPORTS: Engine = "polars"
_SESSIONS: Mapping[tuple[str, str], Engine] = {
    ("duckdb", "DuckDBPyConnection"): "duckdb",
    ("_duckdb", "DuckDBPyConnection"): "duckdb",
    ("pyspark", "SparkSession"): "spark",
    ("distributed", "Client"): "dask",
}
# Engine → the package that it is imported from, where that has another name.
_PACKAGES: Mapping[Engine, str] = {"spark": "pyspark"}


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

    It is checked here, before any row is read for it.

    Raises
    ------
    InvalidValue
        There is no such engine, or its package isn't installed.

    Examples
    --------
    >>> lazy_engine("pandas"), lazy_engine("polars")
    (None, 'polars')
    """
    if engine is None or (isinstance(engine, str) and engine == PANDAS):
        return None
    _check_package(name_of(engine))
    return engine


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
    if name != PANDAS:
        _check_package(name_of(name))
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
        As for `engine_of_processes`.

    Examples
    --------
    >>> places = {"spark": "sc://spark.example", "dask": ""}
    >>> engine_of_reports(None, "", places), engine_of_reports("duckdb", "spark", places)
    ('polars', 'duckdb')
    >>> engine_of_reports(None, "spark", places)
    'sc://spark.example'
    """
    chosen = (default or None) if engine is None else engine
    return engine_of_processes(chosen if chosen is None else addressed(chosen, places))


def engine_of_processes(engine: Any) -> str:
    """Return what counts in processes of their own, such as a report's notebooks.

    Raises
    ------
    InvalidValue
        As for `checked_engine`; or it is Spark without an address, for in a new process no session
        is active.

    Examples
    --------
    >>> engine_of_processes("duckdb"), engine_of_processes("local[2]")
    ('duckdb', 'local[2]')
    """
    name = checked_engine(engine)
    if name == "spark":
        raise InvalidValue(
            "Spark needs an address here: other processes don't see the session that is active.",
            advice='Give it as the engine, or as the setting spark: "sc://spark.example:15002" of '
            'Spark Connect, or "local[*]" for Spark on this machine.',
        )
    return name


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


def _check_package(engine: Engine) -> None:
    with installed(engine):  # looked for, not imported: notebooks do that
        package = _PACKAGES.get(engine, engine)
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)


# What may bring the module of an engine: Spark Connect needs its client alone.
_DISTRIBUTIONS = {"spark": ("pyspark", "pyspark-client")}


def version_of(engine: Engine | Session | Pandas) -> dict[str, str]:
    """Return package → version of what counts here, or speaks to the cluster that does.

    Examples
    --------
    >>> list(version_of("polars")), list(version_of("pandas"))
    (['polars'], ['pandas'])
    """
    name = PANDAS if isinstance(engine, str) and engine == PANDAS else name_of(engine)
    for package in _DISTRIBUTIONS.get(name, (name,)):
        with suppress(PackageNotFoundError):
            return {package: version(package)}
    return {}


def name_of(engine: Engine | Session) -> Engine:
    """Return the name of an engine, also of one that is given as a session or an address."""
    for name in ENGINES:
        if isinstance(engine, str) and engine == name:
            return name
    if isinstance(engine, str) and (at := clusters.engine_at(engine)):
        return at
    for base in type(engine).__mro__:  # Spark Connect has a session of the same name
        known = _SESSIONS.get((base.__module__.split(".")[0], base.__name__))
        if known:
            return known
    raise InvalidValue(
        f"engine={brief(engine)} is not an engine.",
        advice=f"Engines are: {', '.join(ENGINES)}, a DuckDB connection, a SparkSession, a Dask "
        "client, or a cluster's address; leave it out for pandas.",
    )
