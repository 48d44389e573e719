"""Dials: what the reference leaves open, each as a setting, and faults on purpose.

The defaults are the likeliest reading of the reference, and no faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.schema import NOT_SHOWN
from fleetkit.server import options

__all__ = ["FAULTS", "Dials", "from_text", "to_text"]


def _choice(open_question: str, *settings: str) -> Any:
    """Make a dial with settings by name; the first is the default."""
    return field(
        default=settings[0],
        metadata={"about": NOT_SHOWN[open_question], "settings": settings},
    )


def _switch(open_question: str, default: bool) -> Any:
    return field(
        default=default, metadata={"about": NOT_SHOWN[open_question], "settings": "on, off"}
    )


def _amount(default: float, says: str, settings: str, *, most: float = 10**12) -> Any:
    """Make a dial with a number from 0 up to `most`."""
    bounds = {"settings": settings, "least": 0, "most": most}
    return field(default=default, metadata={"about": says, **bounds})


def _rate(says: str) -> Any:
    return _amount(0.0, says, "share of requests, 0 … 1", most=1.0)


_RETRY = "7: 500 INTERNAL_ERROR; clients should retry with exponential backoff"
_NETWORK = "7: only 500 is named; what a network or a proxy does is not shown"
_EVENTS = "6: events not shown, so nothing tells a reader that a list has changed"


@dataclass(frozen=True)
class Dials:
    """How the server answers where the reference doesn't say.

    Parameters
    ----------
    error_layout : {"nested", "flat", "text", "list", "problem", "html"}
        Body of an error: ``{"error": {"code", "message"}}``, ``{"code", "message"}``,
        ``{"error": code}``, ``{"errors": [{"code", …}]}``, RFC 9457, or no JSON at all.
    date_bounds : {"inclusive", "exclusive"}
        Whether flights at exactly dateFrom and dateTo are kept.
    bare_date : {"midnight", "whole_day"}
        Whether ``dateTo=2026-10-31`` ends as that day starts, or as it ends.
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
        Whether a refusal over quota carries ``Retry-After``.
    rate_limit_names : {"plain", "requests", "minute"}
        ``X-RateLimit-Limit``, ``X-RateLimit-Limit-Requests`` or ``X-RateLimit-Limit-Minute``, …
    reset_style : {"epoch", "epoch_ms", "seconds", "iso"}
        Value of ``X-RateLimit-Reset``: an instant in one of three forms, or the time to go.
    latency : float
        Wait before every answer. [s]
    error_500, error_503, reset, cut_body, slow_body : float
        Share of requests that meet each fault, 0 … 1; together at most 1.
    shifting : int
        Number of times that each list of several pages moves while it is being read: a record
        appears, vanishes or changes its place between two pages, and then stays so.
    seed : int
        Which requests meet a fault: the same for the same seed, address and try.

    Examples
    --------
    >>> Dials(limit_out_of_range="400").page_past_end
    'empty'
    """

    error_layout: str = _choice("error_layout", "nested", "flat", "text", "list", "problem", "html")
    date_bounds: str = _choice("date_bounds", "inclusive", "exclusive")
    bare_date: str = _choice("bare_date", "midnight", "whole_day")
    page_past_end: str = _choice("page_past_end", "empty", "400", "404")
    limit_out_of_range: str = _choice("limit_out_of_range", "clamp", "400")
    list_order: str = _choice("list_order", "usual", "created_asc", "created_desc", "name", "id")
    expired_key: str = _choice("expired_key", "401", "403")
    quota: int = _amount(1_000_000, NOT_SHOWN["rate_limit_headers"], "requests in a window")
    window: float = _amount(60.0, NOT_SHOWN["rate_limit_headers"], "seconds", most=1e9)
    over_quota: str = _choice("over_quota", "429", "503")
    retry_after: bool = _switch("over_quota", True)
    rate_limit_names: str = _choice("rate_limit_headers", "plain", "requests", "minute")
    reset_style: str = _choice("rate_limit_headers", "epoch", "epoch_ms", "seconds", "iso")
    latency: float = _amount(0.0, _NETWORK, "seconds", most=60.0)
    error_500: float = _rate(_RETRY)
    error_503: float = _rate(_NETWORK)
    reset: float = _rate(_NETWORK)
    cut_body: float = _rate(_NETWORK)
    slow_body: float = _rate(_NETWORK)
    shifting: int = _amount(0, _EVENTS, "times for each list", most=100)
    seed: int = _amount(0, _NETWORK, "a whole number from 0")

    def __post_init__(self) -> None:
        options.check(self, "dial")
        if sum(getattr(self, fault) for fault in FAULTS) > 1:
            raise InvalidValue(f"The shares of {', '.join(FAULTS)} add up to more than 1.")


# Each may befall a request; at most one does.
FAULTS = ("error_500", "error_503", "reset", "cut_body", "slow_body")


def from_text(texts: Mapping[str, str]) -> Dials:
    """Read dials from texts, as the command line and the environment have them.

    Examples
    --------
    >>> from_text({"latency": "0.05", "retry_after": "off"}).latency
    0.05
    """
    return options.from_text(Dials, texts, "dial")


def to_text(dials: Dials) -> dict[str, str]:
    """Return the dials that are not at their default, as texts.

    Examples
    --------
    >>> to_text(Dials(quota=5, retry_after=False))
    {'quota': '5', 'retry_after': 'off'}
    """
    return options.to_text(dials)
