"""Rate limits: how many requests a key has left, and how the headers say it (section 8)."""

from __future__ import annotations

import math
import threading
import time
from datetime import UTC, datetime
from typing import NamedTuple

from fleetkit.server.dials import Dials

__all__ = ["HEADER_SUFFIX", "Quota", "Standing"]

HEADER_SUFFIX = {"plain": "", "requests": "-Requests", "minute": "-Minute"}


class Standing(NamedTuple):
    """Where a key stands: requests left, when the window ends, whether this one was too many."""

    remaining: int
    ends: float
    exceeded: bool = False


class Quota:
    """Counts requests in fixed windows, per key, in this process."""

    def __init__(self, dials: Dials) -> None:
        self._dials = dials
        self._windows: dict[int, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def take(self, key: int) -> Standing:
        """Count one request of a key."""
        now = time.time()
        with self._lock:
            ends, used = self._windows.get(key, (0.0, 0))
            if ends <= now:
                ends, used = now + self._dials.window, 0
            self._windows[key] = (ends, used + 1)
        return Standing(max(self._dials.quota - used - 1, 0), ends, used >= self._dials.quota)

    def untouched(self) -> Standing:
        """Return the standing of a request without a valid key, which takes from nobody."""
        return Standing(self._dials.quota, time.time() + self._dials.window)

    def headers(self, standing: Standing) -> dict[str, str]:
        """Return the rate-limit headers, and ``Retry-After`` with a refusal over quota."""
        suffix = HEADER_SUFFIX[self._dials.rate_limit_names]
        headers = {
            f"X-RateLimit-Limit{suffix}": str(self._dials.quota),
            f"X-RateLimit-Remaining{suffix}": str(standing.remaining),
            f"X-RateLimit-Reset{suffix}": _reset(standing.ends, self._dials.reset_style),
        }
        if standing.exceeded and self._dials.retry_after:
            headers["Retry-After"] = str(max(math.ceil(standing.ends - time.time()), 1))
        return headers


def _reset(ends: float, style: str) -> str:
    if style == "iso":
        moment = datetime.fromtimestamp(ends, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if style == "epoch_ms":
        return str(math.ceil(ends * 1000))
    return str(math.ceil(ends if style == "epoch" else max(ends - time.time(), 0)))
