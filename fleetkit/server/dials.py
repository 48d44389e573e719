"""Dials: a setting for each thing that the reference leaves open, and injected faults.

The defaults are the likeliest reading of the reference, without faults.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar

from fleetkit.errors import InvalidValue
from fleetkit.schema import NOT_SHOWN
from fleetkit.server.options import Options, amount, choice, switch

__all__ = ["FAULTS", "Dials"]


def _choice(question: str, *settings: str) -> Any:
    return choice(NOT_SHOWN[question], *settings)


def _rate(about: str) -> Any:
    return amount(0.0, about, "share of requests", most=1.0)


_RETRY = "7: 500 INTERNAL_ERROR; clients should retry with exponential backoff"
_NETWORK = "7: only 500 is named; what a network or a proxy does is not shown"
_EVENTS = "6: events not shown, so nothing tells a reader that a list has changed"


@dataclass(frozen=True)
class Dials(Options):
    """How the server answers where the reference leaves it open.

    Parameters
    ----------
    error_layout : {"nested", "flat", "text", "list", "problem", "html"}
        Body of an error: ``{"error": {"code", "message"}}``, ``{"code", "message"}``,
        ``{"error": code}``, ``{"errors": [{"code", …}]}``, RFC 9457, or no JSON at all.
    date_bounds : {"inclusive", "exclusive"}
        Whether flights at exactly dateFrom and dateTo are included.
    bare_date : {"midnight", "whole_day"}
        Whether ``dateTo=2026-10-31`` means the start or the end of that day.
    page_past_end : {"empty", "400", "404"}
    limit_out_of_range : {"clamp", "400"}
    list_order : {"usual", "created_asc", "created_desc", "name", "id"}
        Order of equipment, projects and services; ``usual`` is newest first, services by
        ``displayOrder``.
    expired_key : {"401", "403"}
    quota : int
        Requests that a key has in each window.
    window : float
        Length of the window. [s]
    over_quota : {"429", "503"}
    retry_after : bool
        Whether an error over quota carries ``Retry-After``.
    rate_limit_names : {"plain", "requests", "minute"}
        ``X-RateLimit-Limit``, ``X-RateLimit-Limit-Requests`` or ``X-RateLimit-Limit-Minute``, …
    reset_style : {"epoch", "epoch_ms", "seconds", "iso"}
        Value of ``X-RateLimit-Reset``: an instant in one of three forms, or the seconds until then.
    latency : float
        Delay of every answer. [s]
    error_500, error_503, reset, cut_body, slow_body : float
        Share of requests with each fault, 0 … 1; together at most 1.
    shifting : int
        Number of times that each list of several pages changes while it is being read: between
        two pages a record is added, removed or moved.
    seed : int
        Decides which requests get a fault: the same for the same seed, address and attempt.

    Examples
    --------
    >>> Dials(limit_out_of_range="400").page_past_end
    'empty'
    """

    noun: ClassVar[str] = "dial"

    error_layout: str = _choice("error_layout", "nested", "flat", "text", "list", "problem", "html")
    date_bounds: str = _choice("date_bounds", "inclusive", "exclusive")
    bare_date: str = _choice("bare_date", "midnight", "whole_day")
    page_past_end: str = _choice("page_past_end", "empty", "400", "404")
    limit_out_of_range: str = _choice("limit_out_of_range", "clamp", "400")
    list_order: str = _choice("list_order", "usual", "created_asc", "created_desc", "name", "id")
    expired_key: str = _choice("expired_key", "401", "403")
    quota: int = amount(
        1_000_000, NOT_SHOWN["rate_limit_headers"], "requests in a window", least=1, most=10**12
    )
    window: float = amount(60.0, NOT_SHOWN["rate_limit_headers"], "seconds", least=0.01, most=1e9)
    over_quota: str = _choice("over_quota", "429", "503")
    retry_after: bool = switch(NOT_SHOWN["over_quota"])
    rate_limit_names: str = _choice("rate_limit_headers", "plain", "requests", "minute")
    reset_style: str = _choice("rate_limit_headers", "epoch", "epoch_ms", "seconds", "iso")
    latency: float = amount(0.0, _NETWORK, "seconds", most=60.0)
    error_500: float = _rate(_RETRY)
    error_503: float = _rate(_NETWORK)
    reset: float = _rate(_NETWORK)
    cut_body: float = _rate(_NETWORK)
    slow_body: float = _rate(_NETWORK)
    shifting: int = amount(0, _EVENTS, "times for each list", most=100)
    seed: int = amount(0, _NETWORK, "a whole number", most=10**12)

    def __post_init__(self) -> None:
        super().__post_init__()
        # Exactly: a plain sum of 0.33, 0.56 and 0.11 is a little more than 1.
        if fsum(getattr(self, fault) for fault in FAULTS) > 1:
            raise InvalidValue(f"The shares of {', '.join(FAULTS)} add up to more than 1.")


# A request gets at most one of them.
FAULTS = ("error_500", "error_503", "reset", "cut_body", "slow_body")
