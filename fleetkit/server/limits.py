"""Limits: what one client may take of the server, so that others are still answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fleetkit.server import options

__all__ = ["Limits"]


def _bytes(default: int, about: str, *, least: int) -> Any:
    bounds = {"settings": f"bytes, {least} … 1000000000", "least": least, "most": 10**9}
    return field(default=default, metadata={"about": about, **bounds})


def _seconds(default: float, about: str) -> Any:
    bounds = {"settings": "seconds, 0.01 … 86400", "least": 0.01, "most": 86_400.0}
    return field(default=default, metadata={"about": about, **bounds})


@dataclass(frozen=True)
class Limits:
    """What one client may take of the server.

    Parameters
    ----------
    header_bytes : int
        Longest head of a request: its address and all its headers. [bytes]
    body_bytes : int
        Longest body of a request, which no operation of the API needs. [bytes]
    request_seconds : float
        Longest time from the start of a connection or of a request to the request's end. [s]
    idle_seconds : float
        How long a connection is kept without a further request, or without any of its answer being
        taken. [s]
    connections : int
        Most connections at once, in each process; never more than its limit of open files allows.
        A further one takes the place of the one that has waited longest without being answered.

    Examples
    --------
    >>> Limits(connections=50).header_bytes
    16384
    """

    header_bytes: int = _bytes(16_384, "longest address and headers of a request", least=512)
    body_bytes: int = _bytes(65_536, "longest body of a request", least=0)
    request_seconds: float = _seconds(20.0, "longest time until a request is complete")
    idle_seconds: float = _seconds(60.0, "how long a connection is kept on which nothing moves")
    connections: int = field(
        default=1_000,
        metadata={
            "about": "most connections at once, in each process",
            "settings": "1 … 1000000, within the limit of open files",
            "least": 1,
            "most": 10**6,
        },
    )

    def __post_init__(self) -> None:
        options.check(self, "limit")
