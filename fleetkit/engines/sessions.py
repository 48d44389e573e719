"""An engine as it is asked: its name, with the session or cluster that was given in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetkit import clusters
from fleetkit.engines.names import Engine, installed, name_of
from fleetkit.errors import InvalidValue

if TYPE_CHECKING:
    from fleetkit.engines.names import Session

__all__ = ["session_of", "spark"]


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
    name = name_of(engine)
    if not isinstance(engine, str):
        return name, clusters.use_client(engine) if name == "dask" else engine
    if engine == name:
        return name, None
    with installed(name):
        opened = clusters.spark_session if name == "spark" else clusters.dask_client
        return name, opened(engine)


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
