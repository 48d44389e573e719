"""One gate for all workers: how many requests may be under way now, and when nobody may pass.

It starts with half of the width asked for and grows by one with each good answer: double per round
trip.

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

__all__ = ["Gate"]

# Requests that may be under way before anything is known of the service: half of the width, but
# not fewer than these.
START = 4
# How many requests may begin in a round trip, for each one that may be under way.
PACE = 3
# How often in all a window may turn out not to be over when it was taken to be.
MOST_WRONG_GUESSES = 2


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
    """

    def __init__(self, width: int, patience: float) -> None:
        self.passed = 0
        self.last_good = float("-inf")
        self.answered = False
        self._width, self._patience = width, patience
        self._turn = Condition()
        self._window = min(max(START, width // 2), width)
        self._under_way = 0
        self._round_trip = float("inf")  # of the fastest good answer
        self._last = float("-inf")  # when the last request passed
        self._shut_until = float("-inf")
        # The lowest count of requests left that the service named in this window. Requests under
        # way are not in it yet, or are counted twice for a moment, which errs on the safe side.
        self._left: int | None = None
        self._resets_at = self._named = float("inf")
        self._wrong_guesses = 0
        self._guessed = False  # whether the window now open was opened before the time named

    def enter(self, stop: Event) -> None:
        """Wait for a place among the requests under way.

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

    def leave(
        self, hint: Hint = NOTHING, *, answered: bool = False, good_after: float | None = None
    ) -> None:
        """Give the place back, with what the answer says about the quota.

        Parameters
        ----------
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
                self._round_trip = min(self._round_trip, good_after)
                self._window = min(self._width, self._window + 1)
            if hint.left is not None:
                self._note(hint.left, hint, now)
            self._turn.notify_all()

    def shut(self, seconds: float) -> None:
        """Let nobody pass for so long, and then one at first."""
        with self._turn:
            self._shut_until = max(self._shut_until, monotonic() + seconds)
            self._window, self._left = 1, None
            self._wrong_guesses += self._guessed
            self._guessed = False

    def wake(self) -> None:
        """Let everyone who waits look at their stop again."""
        with self._turn:
            self._turn.notify_all()

    def _wait(self, now: float) -> float:
        """Seconds until the next request may pass, as far as is known; 0 where it may now."""
        if now < self._shut_until:
            return self._shut_until - now
        if self._left is not None and now >= self._resets_at:
            self._guessed = self._left <= self._under_way and now < self._named
            self._left = None
        if self._left is not None and self._left <= self._under_way:
            self._window = 1
            if self._resets_at - now <= self._patience:
                return self._resets_at - now
        if self._under_way >= self._window:
            return float("inf")
        if self._round_trip == float("inf"):
            return 0.0
        return self._last + self._round_trip / (PACE * self._window) - now

    def _note(self, left: int, hint: Hint, now: float) -> None:
        named = now + hint.reset if hint.reset else float("inf")
        # Answers overtake each other by as many as are under way; a count that rises by more
        # belongs to a new window.
        if self._left is None or left > self._left + self._width:
            self._left, self._named = left, named
            self._resets_at = now + self._length(hint)
        else:
            self._left = min(self._left, left)
            # Seconds to go are rounded up, so the earliest of several is nearest to the truth.
            self._named = min(self._named, named)
            self._resets_at = min(self._resets_at, named)

    def _length(self, hint: Hint) -> float:
        """Seconds from the first answer of a window to its end.

        Whole seconds are rounded up, which would cost up to a second in every window. Windows
        mostly begin with their first request and last whole seconds, so that is tried first.
        """
        if not hint.reset:
            return float("inf")
        guess = hint.rounded and hint.reset >= 1 and self._wrong_guesses < MOST_WRONG_GUESSES
        return float(int(hint.reset)) if guess else hint.reset
