"""Clusters that run already, by their address: Spark (Connect, or a master), and Dask's scheduler.

fleetkit starts no cluster and stops none. An address is printed, so it holds no secret: what opens
a cluster comes from the environment, as Spark's and Dask's own programs read it.
"""

from fleetkit.clusters.addresses import engine_at, is_scheduler
from fleetkit.clusters.reading import ELSEWHERE, reading
from fleetkit.clusters.spark_session import spark_session
from fleetkit.clusters.workers import (
    LONGEST_START,
    check_workers,
    dask_client,
    no_worker,
    use_client,
)

__all__ = [
    "ELSEWHERE",
    "LONGEST_START",
    "check_workers",
    "dask_client",
    "engine_at",
    "is_scheduler",
    "no_worker",
    "reading",
    "spark_session",
    "use_client",
]
