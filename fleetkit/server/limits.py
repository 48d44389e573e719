"""Limits: what one client may take of the server, so that others are still answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fleetkit.server.options import Options, amount

__all__ = ["Limits"]


def _seconds(default: float, about: str) -> Any:
    return amount(default, about, "seconds", least=0.01, most=86_400.0)


def _bytes(default: int, about: str, least: int) -> Any:
    return amount(default, about, "bytes", least=least, most=10**9)


@dataclass(frozen=True)
class Limits(Options):
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
        Longest time without a further request, or without the client reading any of its
        answer. [s]
    connections : int
        Most connections at once, in each process; never more than its limit of open files allows.
        A further one replaces the one that has been idle longest.

    Examples
    --------
    >>> Limits(connections=50).header_bytes
    16384
    """

    noun: ClassVar[str] = "limit"

    header_bytes: int = _bytes(16_384, "longest address and headers of a request", least=512)
    body_bytes: int = _bytes(65_536, "longest body of a request", least=0)
    request_seconds: float = _seconds(20.0, "longest time until a request is complete")
    idle_seconds: float = _seconds(60.0, "longest time a connection may be idle")
    connections: int = amount(
        1_000,
        "most connections at once, in each process",
        "",
        least=1,
        most=10**6,
        note="within the limit of open files",
    )
