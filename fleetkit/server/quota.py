"""Rate limits: how many requests a key has left, and the headers that say so (section 8)."""

from __future__ import annotations

import math
import threading
import time
from datetime import UTC, datetime
from typing import NamedTuple

from fleetkit.schema import timestamp
from fleetkit.server.dials import Dials

__all__ = ["HEADER_SUFFIX", "Quota", "QuotaStatus"]

HEADER_SUFFIX = {"plain": "", "requests": "-Requests", "minute": "-Minute"}


class QuotaStatus(NamedTuple):
    """The quota of a key: requests left, when the window ends, whether this request exceeded it."""

    remaining: int
    ends: float
    exceeded: bool = False


class Quota:
    """Counts requests in fixed windows, per key, in this process."""

    def __init__(self, dials: Dials) -> None:
        self._dials = dials
        self._windows: dict[int, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def take(self, key: int) -> QuotaStatus:
        """Count one request of a key."""
        now = time.time()
        with self._lock:
            ends, used = self._windows.get(key, (0.0, 0))
            if not now < ends <= now + self._dials.window:  # over, or the clock went back
                ends, used = now + self._dials.window, 0
            self._windows[key] = (ends, used + 1)
        return QuotaStatus(max(self._dials.quota - used - 1, 0), ends, used >= self._dials.quota)

    def unused(self) -> QuotaStatus:
        """Return the quota for a request without a valid key, which uses up none."""
        return QuotaStatus(self._dials.quota, time.time() + self._dials.window)

    def headers(self, status: QuotaStatus) -> dict[str, str]:
        """Return the rate-limit headers, and ``Retry-After`` where the quota is exceeded."""
        suffix = HEADER_SUFFIX[self._dials.rate_limit_names]
        headers = {
            f"X-RateLimit-Limit{suffix}": str(self._dials.quota),
            f"X-RateLimit-Remaining{suffix}": str(status.remaining),
            f"X-RateLimit-Reset{suffix}": _reset(status.ends, self._dials.reset_style),
        }
        if status.exceeded and self._dials.retry_after:
            headers["Retry-After"] = str(max(math.ceil(status.ends - time.time()), 1))
        return headers


def _reset(ends: float, style: str) -> str:
    if style == "iso":
        return timestamp(datetime.fromtimestamp(ends, UTC))
    if style == "epoch_ms":
        return str(math.ceil(ends * 1000))
    return str(math.ceil(ends if style == "epoch" else max(ends - time.time(), 0)))
