"""One limiter for all workers: how many requests may be under way, and when none may start.

It starts with few, and allows four times as many after each successful round trip, up to the
concurrency that was set; once the service has had to be waited for, only twice as many.

It spreads requests over the round trip: sent in one bunch they would be answered in one bunch,
each waiting for the one before, again and again (measured: 55 ms a round trip against 51.4, with
16 requests at once and 50 ms of latency).

When the service says that its quota is used up, all workers wait, and then one request is sent to
see whether a new window has begun: if each worker waited for itself, dozens would be rejected.
"""

from __future__ import annotations

from threading import Condition, Event
from time import monotonic

from fleetkit.client.deadline import POLL_INTERVAL, StoppedError
from fleetkit.client.hints import NOTHING, Hint
from fleetkit.client.quota import Quota

__all__ = ["RequestLimiter"]

# Requests that may be under way before anything is known of the service.
START = 4
# Factors by which that number grows after a successful round trip, before and after requests were
# throttled. Doubling from the start would leave half of 16 connections idle for a round trip.
GROWTH, THROTTLED_GROWTH = 4, 2
# How many requests may begin in a round trip, for each one that may be under way: with more, their
# answers come in bunches, and wait for each other and for whoever reads them.
PACE = 1.5


class RequestLimiter:
    """Limits requests under way, and throttles them to the service's quota.

    Parameters
    ----------
    concurrency : int
        Most requests under way at once.
    patience : float
        Where a quota is said to stay used up for longer, a request is tried nevertheless. [s]

    Attributes
    ----------
    started : int
        Requests started so far.
    last_success : float
        When the last valid answer arrived, on the monotonic clock; -inf before the first. [s]
    answered : bool
        Whether the service ever answered.
    pauses : int
        How often in a row requests were paused, since the last one that succeeded.
    """

    def __init__(self, concurrency: int, patience: float) -> None:
        self.started = 0
        self.last_success = float("-inf")
        self.answered = False
        self.pauses = 0
        self._concurrency, self._patience = concurrency, patience
        self._quota = Quota(concurrency)
        self._condition = Condition()
        self._window, self._growth = min(START, concurrency), GROWTH
        self._round = 0  # the last request sent when the window last changed
        self._last_paused = 0  # the last request sent when requests were last paused
        self._under_way = 0
        self._round_trip = float("inf")  # of the fastest valid answer
        self._last_start = float("-inf")  # on the monotonic clock [s]
        self._paused_until = float("-inf")

    def acquire(self, stop: Event) -> int:
        """Wait until a request may start, and return its number.

        Raises
        ------
        StoppedError
            As soon as `stop` is set.
        """
        with self._condition:
            while (wait := self._wait(monotonic())) > 0:
                if stop.is_set():
                    raise StoppedError
                self._condition.wait(min(wait, POLL_INTERVAL))
            if stop.is_set():
                raise StoppedError
            self._under_way += 1
            self.started += 1
            self._last_start = monotonic()
            if self._quota.count_start():
                self._throttle()
            return self.started

    def release(
        self,
        number: int,
        hint: Hint = NOTHING,
        *,
        answered: bool = False,
        latency: float | None = None,
    ) -> None:
        """End a request, with what the answer says about the quota.

        Parameters
        ----------
        number : int
            As `acquire` returned it.
        hint : Hint
            What the answer says about limits.
        answered : bool
            Whether there was an answer.
        latency : float, optional
            How long a valid answer took; None for any other. [s]
        """
        with self._condition:
            now = monotonic()
            self._under_way -= 1
            self.answered = self.answered or answered
            if latency is not None:
                self.last_success = now
                self._quota.count_success()
                self._round_trip = min(self._round_trip, latency)
                if number > self._last_paused:
                    self.pauses = 0
                if number > self._round:
                    self._resize(min(self._concurrency, self._growth * self._window))
            self._quota.update(hint, now)
            self._condition.notify_all()

    def pause(self, number: int, seconds: float) -> None:
        """Start no request for so long after request `number` was rejected; then one at first."""
        with self._condition:
            # Not the last one before the window changed: a window may change with each request.
            self.pauses += number > self._last_paused
            self._last_paused = self.started
            self._paused_until = max(self._paused_until, monotonic() + seconds)
            self._throttle()
            self._quota.count_rejection()

    def _wait(self, now: float) -> float:
        """Return the seconds until a request may start, as far as is known; 0 where it may now."""
        if now < self._paused_until:
            return self._paused_until - now
        used_up = self._quota.wait(self._under_way, now)
        if used_up is not None:
            self._throttle()
            if used_up <= self._patience:
                return used_up
        if self._under_way >= self._window:
            return float("inf")
        if self._round_trip == float("inf"):
            return 0.0
        return self._last_start + self._round_trip / (PACE * self._window) - now

    def _throttle(self) -> None:
        """Let one request at once, and grow from there with more care than at first."""
        self._growth = THROTTLED_GROWTH
        self._resize(1)

    def _resize(self, window: int) -> None:
        """Change how many may be under way; answers to earlier requests don't change it again."""
        self._window, self._round = window, self.started
