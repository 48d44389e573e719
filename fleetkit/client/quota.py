"""What is known of the service's quota: how many requests are left, and when the window is over."""

from __future__ import annotations

from fleetkit.client.hints import Hint

__all__ = ["Quota"]

# How often in all a window may turn out not to be over when it was taken to be.
MOST_WRONG_GUESSES = 2
NEVER = float("inf")


class Quota:
    """Learns from answers; all times in seconds on the monotonic clock.

    Parameters
    ----------
    width : int
        Most requests under way at once: as many answers may overtake each other.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        # The lowest count of requests left that the service named in this window. Requests under
        # way are not in it yet, or are counted twice for a moment, which errs on the safe side.
        self._left: int | None = None
        self._ends = self._named = NEVER  # as taken to be, and as the service says
        self._guessed = False  # whether the window now open was taken to be so before that
        self._wrong_guesses = 0
        # For a service that turns requests away but never says how many are left: how many got
        # through last time, and this time.
        self._last_time: int | None = None
        self._sent = self._got_through = 0
        self._turned_away = False

    def wait(self, under_way: int, now: float) -> float | None:
        """Return the seconds until the window is over; None while requests are left."""
        if self._left is not None and now >= self._ends:
            self._guessed = self._left <= under_way and now < self._named
            self._left = None
        return None if self._left is None or self._left > under_way else self._ends - now

    def note(self, hint: Hint, now: float) -> None:
        """Take in what an answer says."""
        if hint.left is None:
            return
        named = now + hint.reset if hint.reset else NEVER
        # A count that rises by more than answers can overtake each other opens a new window.
        if self._left is None or hint.left > self._left + self._width:
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

    def sent(self) -> bool:
        """Count a request that is sent; return whether the quota ended with it last time."""
        if self._turned_away:
            self._last_time = self._got_through or self._last_time
            self._sent, self._got_through, self._turned_away = 0, 0, False
        self._sent += 1
        return self._sent == self._last_time

    def got_through(self) -> None:
        """Count a good answer."""
        self._got_through += 1

    def turned_away(self) -> None:
        """Take in that a request was one too many."""
        self._left, self._turned_away = None, True
        self._wrong_guesses += self._guessed
        self._guessed = False
