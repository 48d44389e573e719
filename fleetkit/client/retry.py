"""Send a request until the answer is valid, or give up: attempts, time, and waits with jitter."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import uniform
from threading import Event
from time import monotonic

from fleetkit.client import answers, hints
from fleetkit.client.answers import Page
from fleetkit.client.deadline import StoppedError
from fleetkit.client.failures import TRANSIENT, Failure
from fleetkit.client.limiter import RequestLimiter
from fleetkit.client.request import Request
from fleetkit.client.service import Service
from fleetkit.client.transport import Transport
from fleetkit.client.unanswered import NoAnswer
from fleetkit.errors import ApiError, RateLimited, Unreachable

__all__ = ["Requester", "jitter"]

# Full jitter: anything between 0 and BASE × 2^n, at most CAP. [s]
BASE, CAP = 0.1, 10.0
# Attempts at an address that has never answered.
FIRST_CONTACT = 4


def jitter(n: int) -> float:
    """Return the seconds to wait before the n-th retry, counted from 0."""
    return uniform(0, min(CAP, BASE * 2 ** min(n, 16)))


class Requester:
    """Sends requests to a service, and retries what is retryable.

    Parameters
    ----------
    service : Service
        Its `patience` is the longest time for one request with all its attempts, and for being
        over quota.
    transport : Transport
        Sends one request.
    limiter : RequestLimiter
        Shared by all who send requests.
    """

    def __init__(self, service: Service, transport: Transport, limiter: RequestLimiter) -> None:
        self._timeout, self._patience = service.timeout, service.patience
        self._transport, self._limiter = transport, limiter

    def fetch(self, request: Request, stop: Event) -> Page:
        """Return the valid answer to a request.

        Raises
        ------
        ApiError
            It is not retryable, or all attempts failed; see `fleetkit.errors`.
        StoppedError
            As soon as `stop` is set.
        """
        # How many of each kind, which is told by the attempts that it is worth.
        failures: Counter[int] = Counter()
        spent, over_quota_since, last_error = 0.0, None, None
        while True:
            number = self._limiter.acquire(stop)
            began = monotonic()
            timeout = min(self._timeout, self._patience - spent)
            outcome = self._attempt(request, number, stop, timeout)
            if isinstance(outcome, Page):
                return outcome
            error = outcome.error
            if isinstance(error, RateLimited):
                over_quota_since = over_quota_since or began
                self._wait_for_quota(error, number, over_quota_since)
                continue
            # An attempt that is given less than its time says less than the one before it.
            if last_error and timeout < self._timeout and monotonic() - began >= timeout:
                raise last_error
            last_error = error
            wait = max(error.retry_after or 0.0, jitter(failures.total()))
            failures[outcome.attempts] += 1
            spent += monotonic() - began + wait
            has_attempts_left = failures[outcome.attempts] < outcome.attempts
            if not (error.retryable and has_attempts_left and spent < self._patience):
                raise error
            if error.retry_after:
                self._limiter.pause(number, wait)
            elif stop.wait(wait):
                raise StoppedError

    def _attempt(
        self, request: Request, number: int, stop: Event, timeout: float
    ) -> Page | Failure:
        hint, answered, latency = hints.NOTHING, False, None
        began = monotonic()
        try:
            answer = self._transport.send(request.target, timeout=timeout, stop=stop)
            if isinstance(answer, NoAnswer):
                return self._unreachable(request, answer)
            answered, hint = True, hints.read(answer.headers)
            outcome = answers.read(request, answer, hint, self._transport.redact)
            if isinstance(outcome, Page):
                latency = monotonic() - began
            elif outcome.mixed_up:
                self._transport.close_idle()
            return outcome
        finally:
            self._limiter.release(number, hint, answered=answered, latency=latency)

    def _unreachable(self, request: Request, problem: NoAnswer) -> Failure:
        error = Unreachable(
            f"No answer from {self._transport.origin}: {problem.reason}",
            request=request.name,
            retryable=not problem.final,
            advice=problem.advice,
        )
        return Failure(error, TRANSIENT if self._limiter.answered else FIRST_CONTACT)

    def _wait_for_quota(self, error: ApiError, number: int, since: float) -> None:
        """Pause all requests, or give up where it would take too long.

        Being over quota is not a failure as long as other requests succeed: only time in which
        none did counts.
        """
        wait = max(error.retry_after or 0.0, jitter(self._limiter.pauses))
        if monotonic() + wait - max(since, self._limiter.last_success) <= self._patience:
            return self._limiter.pause(number, wait)
        patience = f"the {self._patience:g} s of patience"
        if error.retry_after:
            until = datetime.now(UTC) + timedelta(seconds=wait)
            when = f"at {until:%Y-%m-%d %H:%M:%S} UTC: to wait until then would exceed {patience}"
        else:
            when = f"later: the service took no request in {patience}, and doesn't say when it will"
        error.advice = f"Try again {when}."
        raise error
