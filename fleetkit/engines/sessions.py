"""An engine as it is asked: its name, with the session or cluster that was given in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fleetkit import clusters
from fleetkit.engines.names import ENGINES, Engine, installed
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

if TYPE_CHECKING:
    from fleetkit.engines.names import Session

__all__ = ["session_of", "spark"]

_SESSIONS: Mapping[tuple[str, str], Engine] = {
    ("duckdb", "DuckDBPyConnection"): "duckdb",
    ("_duckdb", "DuckDBPyConnection"): "duckdb",
    ("pyspark", "SparkSession"): "spark",
    ("distributed", "Client"): "dask",
}


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
