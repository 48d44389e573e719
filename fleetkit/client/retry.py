"""Ask until the answer is good, or it is time to give up: tries, time, and waits with jitter."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import uniform
from threading import Event
from time import monotonic

from fleetkit.client import answers, hints
from fleetkit.client.answers import Failure, Page
from fleetkit.client.deadline import StoppedError
from fleetkit.client.gate import Gate
from fleetkit.client.request import Request
from fleetkit.client.transport import Lost, Transport
from fleetkit.errors import RateLimited, Unreachable

__all__ = ["Asker", "jitter"]

# Full jitter: anything between 0 and BASE × 2^n, at most CAP. [s]
BASE, CAP = 0.1, 10.0
# How often an address that has never answered is tried.
FIRST_CONTACT = 4


def jitter(n: int) -> float:
    """Return the seconds to wait before the n-th retry, counted from 0."""
    return uniform(0, min(CAP, BASE * 2 ** min(n, 16)))


class Asker:
    """Gets good answers out of a service.

    Parameters
    ----------
    transport : Transport
        The way to the service.
    gate : Gate
        Shared by everyone who asks.
    timeout : float
        Longest wait for one answer. [s]
    patience : float
        Longest time for one request with all its tries, and for being turned away. [s]
    """

    def __init__(
        self, transport: Transport, gate: Gate, *, timeout: float, patience: float
    ) -> None:
        self._transport, self._gate = transport, gate
        self._timeout, self._patience = timeout, patience

    def ask(self, request: Request, stop: Event) -> Page:
        """Return the good answer.

        Raises
        ------
        ApiError
            What stayed wrong; see `fleetkit.errors`.
        StoppedError
            As soon as `stop` is set.
        """
        met: Counter[int] = Counter()
        spent, turned_away_since = 0.0, None
        while True:
            number = self._gate.enter(stop)
            began = monotonic()
            timeout = min(self._timeout, self._patience - spent)
            outcome = self._once(request, number, stop, timeout)
            if isinstance(outcome, Page):
                return outcome
            if outcome.over_quota:
                turned_away_since = turned_away_since or began
                self._wait_for_quota(outcome, number, turned_away_since)
                continue
            wait = max(outcome.wait or 0.0, jitter(met.total()))
            met[outcome.tries] += 1
            spent += monotonic() - began + wait
            if met[outcome.tries] >= outcome.tries or spent >= self._patience:
                raise outcome.error
            if outcome.wait:
                self._gate.shut(number, wait)
            elif stop.wait(wait):
                raise StoppedError

    def _once(self, request: Request, number: int, stop: Event, timeout: float) -> Page | Failure:
        hint, answered, good_after = hints.NOTHING, False, None
        began = monotonic()
        try:
            answer = self._transport.send(request.target, timeout=timeout, stop=stop)
            if isinstance(answer, Lost):
                return self._lost(request, answer)
            answered, hint = True, hints.read(answer.headers)
            outcome = answers.read(request, answer, hint, self._transport.conceal)
            if isinstance(outcome, Page):
                good_after = monotonic() - began
            elif outcome.mixed_up:
                self._transport.close_idle()
            return outcome
        finally:
            self._gate.leave(number, hint, answered=answered, good_after=good_after)

    def _lost(self, request: Request, lost: Lost) -> Failure:
        error = Unreachable(
            f"No answer from {self._transport.origin}: {lost.reason}",
            request=request.name,
            advice="Check the base URL and the network.",
        )
        if lost.final:
            return Failure(error, answers.AT_ONCE)
        return Failure(error, answers.PASSING if self._gate.answered else FIRST_CONTACT)

    def _wait_for_quota(self, outcome: Failure, number: int, since: float) -> None:
        """Hold everyone back, or give up where it would take too long.

        Being turned away is no failure as long as others get through: only time in which nobody
        did counts.
        """
        wait = max(outcome.wait or 0.0, jitter(self._gate.in_vain))
        if monotonic() + wait - max(since, self._gate.last_good) <= self._patience:
            return self._gate.shut(number, wait)
        until = datetime.now(UTC) + timedelta(seconds=wait)
        error = outcome.error
        refusal = error.message.removesuffix(".").removesuffix(f" ({error.request})")
        raise RateLimited(
            f"{refusal}, to be asked again at {until:%Y-%m-%d %H:%M:%S} UTC",
            retry_after=outcome.wait,
            status=error.status,
            code=error.code,
            request=error.request,
            advice=f"That is longer than the {self._patience:.0f} s of patience: try again then.",
        )
