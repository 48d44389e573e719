"""One gate for all workers: how many requests may be under way now, and when nobody may pass.

It starts with few and lets twice as many through after each round trip that ends well, up to the
width asked for.

It spreads requests over the round trip: sent in one bunch they would be answered in one bunch,
each waiting for the one before, again and again (measured: 55 ms a round trip against 51.4, with
16 requests at once and 50 ms of latency).

When the service says that its quota is used up, everybody waits, and then one request goes ahead
to see whether the window is open again: per-worker waiting would be turned away dozens of times.
"""

from __future__ import annotations

from threading import Condition, Event
from time import monotonic

from fleetkit.client.deadline import GLANCE, StoppedError
from fleetkit.client.hints import NOTHING, Hint
from fleetkit.client.quota import Quota

__all__ = ["Gate"]

# Requests that may be under way before anything is known of the service.
START = 4
# How many requests may begin in a round trip, for each one that may be under way.
PACE = 3


class Gate:
    """Lets requests through.

    Parameters
    ----------
    width : int
        Most requests under way at once.
    patience : float
        A quota that is announced to stay used up for longer is put to the test instead. [s]

    Attributes
    ----------
    passed : int
        Requests let through so far.
    last_good : float
        When the last good answer came, on the monotonic clock; -inf before the first. [s]
    answered : bool
        Whether anything ever answered.
    in_vain : int
        How often in a row the gate was shut, since anybody got through.
    """

    def __init__(self, width: int, patience: float) -> None:
        self.passed = 0
        self.last_good = float("-inf")
        self.answered = False
        self.in_vain = 0
        self._width, self._patience = width, patience
        self._quota = Quota(width)
        self._turn = Condition()
        self._window = min(START, width)
        self._round = 0  # the last request sent when the window last changed
        self._under_way = 0
        self._round_trip = float("inf")  # of the fastest good answer
        self._last = float("-inf")  # when the last request passed
        self._shut_until = float("-inf")

    def enter(self, stop: Event) -> int:
        """Wait for a place among the requests under way, and return its number.

        Raises
        ------
        StoppedError
            As soon as `stop` is set.
        """
        with self._turn:
            while (wait := self._wait(monotonic())) > 0:
                if stop.is_set():
                    raise StoppedError
                self._turn.wait(min(wait, GLANCE))
            if stop.is_set():
                raise StoppedError
            self._under_way += 1
            self.passed += 1
            self._last = monotonic()
            if self._quota.sent():
                self._resize(1)
            return self.passed

    def leave(
        self,
        number: int,
        hint: Hint = NOTHING,
        *,
        answered: bool = False,
        good_after: float | None = None,
    ) -> None:
        """Give the place back, with what the answer says about the quota.

        Parameters
        ----------
        number : int
            As `enter` gave it.
        hint : Hint
            What the answer says about limits.
        answered : bool
            Whether there was an answer.
        good_after : float, optional
            How long a good answer took; None for any other. [s]
        """
        with self._turn:
            now = monotonic()
            self._under_way -= 1
            self.answered = self.answered or answered
            if good_after is not None:
                self.last_good = now
                self._quota.got_through()
                self._round_trip = min(self._round_trip, good_after)
                if number > self._round:
                    self.in_vain = 0
                    self._resize(min(self._width, 2 * self._window))
            self._quota.note(hint, now)
            self._turn.notify_all()

    def shut(self, number: int, seconds: float) -> None:
        """Let nobody pass for so long after request `number` was turned away; then one at first."""
        with self._turn:
            self.in_vain += number > self._round
            self._shut_until = max(self._shut_until, monotonic() + seconds)
            self._resize(1)
            self._quota.turned_away()

    def wake(self) -> None:
        """Let everyone who waits look at their stop again."""
        with self._turn:
            self._turn.notify_all()

    def wait_until_free(self, seconds: float) -> None:
        """Wait until no request is under way, but no longer than this; those who wait give up."""
        with self._turn:
            self._turn.notify_all()
            self._turn.wait_for(lambda: not self._under_way, seconds)

    def _wait(self, now: float) -> float:
        """Return the seconds until a request may pass, as far as is known; 0 where it may now."""
        if now < self._shut_until:
            return self._shut_until - now
        used_up = self._quota.wait(self._under_way, now)
        if used_up is not None:
            self._resize(1)
            if used_up <= self._patience:
                return used_up
        if self._under_way >= self._window:
            return float("inf")
        if self._round_trip == float("inf"):
            return 0.0
        return self._last + self._round_trip / (PACE * self._window) - now

    def _resize(self, window: int) -> None:
        """Change how many may be under way; answers to what was sent before don't count for it."""
        self._window, self._round = window, self.passed
