"""A session of a Spark that runs already."""

from __future__ import annotations

import atexit
from typing import Any

from fleetkit.clusters.addresses import connecting, knock
from fleetkit.errors import ClusterError

__all__ = ["spark_session"]

_CONNECT, _MASTER = 15002, 7077  # usual ports
# Attempts of the first call; by default Spark makes so many that they take ten minutes.
_ATTEMPTS = 3
# For a Spark within this process. Else its pages, which show every query and ask for no password,
# and its ports are open to other machines.
_LOCAL_ONLY: dict[str, Any] = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
_sessions: dict[str, Any] = {}


def spark_session(address: str) -> Any:
    """Return a session of the Spark at an address; the same one until it is stopped.

    Parameters
    ----------
    address : str
        ``sc://host:15002`` is Spark Connect; ``spark://host:7077``, ``yarn``, ``k8s://…`` and
        ``local[4]`` are masters, for which the driver is this process.

    Raises
    ------
    ClusterError
        Nothing answers there, or this process drives another Spark already.
    """
    session = _sessions.get(address)
    if session is None or _is_stopped(session):
        with connecting("Spark", address):
            session = _connected(address) if address.startswith("sc://") else _driven(address)
        _sessions[address] = session
    return session


def _is_stopped(session: Any) -> bool:
    if hasattr(session, "is_stopped"):
        return bool(session.is_stopped)
    return session.sparkContext._jsc is None  # stopped here; its own attribute for that


def _connected(address: str) -> Any:
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - the user's own
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415

    knock(address, _CONNECT)
    session = SparkSession.builder.remote(address).create()
    session.client.set_retry_policies([DefaultPolicy(max_retries=_ATTEMPTS)])
    _ = session.version  # the first call
    session.client.set_retry_policies([DefaultPolicy()])
    # As the process ends, the session takes its leave: of a server that is gone, for minutes.
    atexit.register(session.client.set_retry_policies, [DefaultPolicy(max_retries=1)])
    return session


def _driven(address: str) -> Any:
    from pyspark.sql import SparkSession  # noqa: PLC0415

    if address.startswith("spark://"):
        knock(address.split(",", maxsplit=1)[0], _MASTER)
    builder = SparkSession.builder.master(address).appName("fleetkit")
    if address.startswith("local") and SparkSession.getActiveSession() is None:
        builder = builder.config(map=_LOCAL_ONLY)
    session = builder.getOrCreate()
    master = session.sparkContext.master
    if master != address:
        raise ClusterError(
            f"This process drives a Spark at {master} already, and can't drive one at {address}.",
            advice="Stop its session first, or pass it: engine=session.",
        )
    return session
