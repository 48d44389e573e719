"""What a client has in one process: connections, throttle, and the loads that are under way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from threading import RLock

from fleetkit.client.limiter import RequestLimiter
from fleetkit.client.paging import Reader
from fleetkit.client.retry import Requester
from fleetkit.client.service import Service
from fleetkit.client.transport import Transport
from fleetkit.client.workers import Workers
from fleetkit.errors import FleetkitError

__all__ = ["Session"]


class Session:
    """The use that one process makes of a service, until it is closed."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._transport = Transport(service)
        self._limiter = RequestLimiter(service.concurrency, service.patience)
        self._requester = Requester(service, self._transport, self._limiter)
        self._loads: set[Workers] = set()
        self._is_closed = False
        self._lock = RLock()

    @property
    def requests_made(self) -> int:
        """Requests sent so far, retries included."""
        return self._limiter.started

    def read(
        self, readers: Sequence[Reader], on_page: Callable[[int], object] | None = None
    ) -> Generator[tuple[str, list[bytes]], None, None]:
        """Yield each reader, its key and its pages, as soon as it is done.

        A load that is left before its end leaves no connection open, since it may never be
        continued.
        """
        size = self._service.concurrency
        load = Workers(readers, self._requester, size=size, on_page=on_page)
        is_complete = False
        with self._lock:
            if self._is_closed:
                raise _closed(self._service)
            self._loads.add(load)
        try:
            yield from load.results()
            is_complete = True
        finally:
            if load.belongs_here:
                self._loads.discard(load)
                if not is_complete:
                    self._transport.close_idle()

    def close(self) -> None:
        """Stop what is under way, and close every connection."""
        with self._lock:
            self._is_closed = True
            loads = list(self._loads)
        for load in loads:
            load.cancel(_closed(self._service))
        self._transport.close()


def _closed(service: Service) -> FleetkitError:
    return FleetkitError(
        f"The connections to {service.address.url} were closed while it was read.",
        advice="Begin the load again.",
    )
