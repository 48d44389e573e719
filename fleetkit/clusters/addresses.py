"""Which engine a cluster's address belongs to, and whether anything answers there."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import urlsplit

from fleetkit.errors import ClusterError, InvalidValue
from fleetkit.interface import one_line

__all__ = ["LONGEST_ANSWER", "connecting", "engine_at", "is_scheduler", "knock"]

# Longest wait for an answer. [s]
LONGEST_ANSWER = 10
_SPARK = re.compile(r"(sc|spark|k8s)://.|(yarn|local(\[.+\])?)$")
_DASK = re.compile(r"(tcp|tls|ws|wss)://.")
# A parameter that holds one, or a user before the host.
_SECRET = re.compile(r"[;?&](token|password|secret)=|://[^/?#]*@", re.IGNORECASE)


def engine_at(address: str) -> Literal["spark", "dask"] | None:
    """Return which engine an address belongs to; None where it isn't one of a cluster.

    Raises
    ------
    InvalidValue
        The address holds a secret.

    Examples
    --------
    >>> engine_at("sc://spark.example:15002"), engine_at("tcp://10.0.0.5:8786"), engine_at("polars")
    ('spark', 'dask', None)
    """
    is_spark = _SPARK.match(address) is not None
    if not is_spark and not is_scheduler(address):
        return None
    if _SECRET.search(address):
        raise InvalidValue(
            "A cluster's address can't hold a token or a password.",
            advice="Spark reads its token from SPARK_CONNECT_AUTHENTICATE_TOKEN, Dask its "
            "certificates from its own configuration.",
        )
    return "spark" if is_spark else "dask"


def is_scheduler(address: str) -> bool:
    """Return whether an address is one of a Dask scheduler.

    Examples
    --------
    >>> is_scheduler("tls://dask.example:8786")
    True
    """
    return _DASK.match(address) is not None


@contextmanager
def connecting(what: str, address: str) -> Iterator[None]:
    """Say in one line why a cluster can't be reached."""
    try:
        yield
    except (ClusterError, ModuleNotFoundError):
        raise
    except Exception as problem:  # of gRPC, the JVM, asyncio or the network
        cause = one_line(str(problem), 200) or type(problem).__name__
        raise ClusterError(
            f"{what} at {address} can't be reached: {cause}",
            advice="Check the address, and that it runs and lets this machine in.",
        ) from None


def knock(address: str, port: int) -> None:
    """Open a connection and close it: an error comes sooner than by a cluster's own patience."""
    parts = urlsplit(address.split("/;", maxsplit=1)[0])
    place = (parts.hostname or "", parts.port or port)
    socket.create_connection(place, timeout=LONGEST_ANSWER).close()
