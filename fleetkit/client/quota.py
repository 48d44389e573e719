"""What is known of the service's quota: how many requests are left, and when the window is over."""

from __future__ import annotations

from fleetkit.client.hints import Hint

__all__ = ["Quota"]

# How often a window that was assumed to be over may turn out not to be.
MOST_WRONG_GUESSES = 2
NEVER = float("inf")


class Quota:
    """Learns from answers; all times in seconds on the monotonic clock.

    Parameters
    ----------
    concurrency : int
        Most requests under way at once: as many answers may overtake each other.
    """

    def __init__(self, concurrency: int) -> None:
        self._concurrency = concurrency
        # The lowest count of requests left that the service named in this window. Requests under
        # way are not in it yet, or are counted twice for a moment, which errs on the safe side.
        self._left: int | None = None
        self._ends = self._named = NEVER  # as assumed, and as the service says
        self._guessed = False  # whether this window was assumed to begin before that
        self._wrong_guesses = 0
        # For a service that rejects requests but never says how many are left: how many succeeded
        # in the last window, and in this one.
        self._last_window: int | None = None
        self._sent = self._successes = 0
        self._is_exhausted = False

    def wait(self, under_way: int, now: float) -> float | None:
        """Return the seconds until the window is over; None while requests are left."""
        if self._left is not None and now >= self._ends:
            self._guessed = self._left <= under_way and now < self._named
            self._left = None
        return None if self._left is None or self._left > under_way else self._ends - now

    def update(self, hint: Hint, now: float) -> None:
        """Update the state with what an answer says."""
        if hint.left is None:
            return
        named = now + hint.reset if hint.reset else NEVER
        # A count that rises by more than answers can overtake each other opens a new window.
        if self._left is None or hint.left > self._left + self._concurrency:
            self._left, self._named = hint.left, named
            self._ends = now + self._length(hint)
        else:
            self._left = min(self._left, hint.left)
            # Seconds to go are rounded up, so the earliest of several is nearest to the truth.
            self._named = min(self._named, named)
            self._ends = min(self._ends, named)

    def _length(self, hint: Hint) -> float:
        """Return the seconds from the first answer of a window to its end.

        Whole seconds are rounded up, which would cost up to a second in every window. Windows
        mostly begin with their first request and last whole seconds, so that is tried first.
        """
        if not hint.reset:
            return NEVER
        guess = hint.rounded and hint.reset >= 1 and self._wrong_guesses < MOST_WRONG_GUESSES
        return float(int(hint.reset)) if guess else hint.reset

    def count_start(self) -> bool:
        """Count a request that is sent; return whether the quota ended with it last time."""
        if self._is_exhausted:
            self._last_window = self._successes or self._last_window
            self._sent, self._successes, self._is_exhausted = 0, 0, False
        self._sent += 1
        return self._sent == self._last_window

    def count_success(self) -> None:
        """Count a valid answer."""
        self._successes += 1

    def count_rejection(self) -> None:
        """Count a request that was over quota."""
        self._left, self._is_exhausted = None, True
        self._wrong_guesses += self._guessed
        self._guessed = False
