"""Many lists at once: worker threads with one shared bound, most urgent pages first."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Event, RLock, Thread, current_thread
from time import monotonic
from typing import Protocol

from fleetkit.client.answers import Page
from fleetkit.client.connections import interrupt
from fleetkit.client.deadline import GLANCE, StoppedError
from fleetkit.client.gate import Gate
from fleetkit.client.paging import Ask
from fleetkit.client.retry import Asker
from fleetkit.errors import ApiError, FleetkitError

__all__ = ["Reading", "Workers"]

# Pages that may wait to be taken before no further list is begun: some 50 MB.
MOST_WAITING = 1024
# How long to wait for threads that were told to stop; one may still be resolving a name. [s]
LONGEST_JOIN = 2.0


class Reading(Protocol):
    """Something that takes one or more requests."""

    key: str
    bodies: list[bytes] | None

    def first(self) -> Ask:
        """Return the request that it begins with, once."""

    def more(self) -> Ask | None:
        """Return the next request that can be made now, each once."""

    def wants(self, ask: Ask) -> bool:
        """Whether the answer to a request is still of use."""

    def take(self, ask: Ask, page: Page) -> None:
        """Take a good answer."""

    def refuse(self, ask: Ask, error: ApiError) -> None:
        """Take an error, or raise it."""


class Workers:
    """Threads that read everything there is to read, once.

    They belong to the process that made them: a forked one has none of them, and perhaps a lock
    that nobody there will release, so it touches nothing here.

    Parameters
    ----------
    readings : sequence of Reading
        Begun one by one, as there is room.
    asker, gate
        How to ask; shared with others.
    size : int
        Most threads; they are started as they are needed.
    on_page : callable, optional
        Told in the caller's thread how many answers came since it was last told.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        asker: Asker,
        gate: Gate,
        *,
        size: int,
        on_page: Callable[[int], object] | None = None,
    ) -> None:
        self._asker, self._gate, self._size, self._on_page = asker, gate, size, on_page
        self._to_begin = deque(readings)
        self._open: list[Reading] = []  # begun and not done
        self._done: deque[Reading] = deque()
        self._waiting = 0  # pages that are done and not taken
        self._answers = 0  # since the caller was last told
        self._problem: BaseException | None = None
        self._threads: list[Thread] = []
        self._idle = 0
        self._stop = Event()
        # Reentrant: a generator given up may be collected, and closed, in a thread that holds it.
        self._lock = RLock()
        self._for_workers = Condition(self._lock)
        self._for_caller = Condition(self._lock)
        self._process = os.getpid()

    @property
    def belongs_here(self) -> bool:
        """Whether this is the process that made them."""
        return os.getpid() == self._process

    # In the caller's thread

    def results(self) -> Iterator[tuple[str, list[bytes]]]:
        """Yield each reading, its key and its pages, as soon as it is done.

        The first error stops the others and is raised here. Leaving early (closing the generator,
        Ctrl-C) stops them too.
        """
        try:
            self._start_worker()
            for answers, result in self._news():
                if self._on_page and answers:
                    self._on_page(answers)
                if result:
                    yield result
        finally:
            if self.belongs_here:
                self._stop_all()
                self._join()

    def cancel(self, problem: BaseException) -> None:
        """Stop everything; the caller gets `problem`."""
        with self._lock:
            self._problem = self._problem or problem
        self._stop_all()
        self._join()

    def _start_worker(self) -> None:
        """Start a thread, unless one is idle or there are enough."""
        if not self._idle and len(self._threads) < self._size and not self._stop.is_set():
            name = f"fleetkit-reads-{len(self._threads)}"
            self._threads.append(Thread(target=self._work, name=name, daemon=True))
            self._threads[-1].start()

    def _news(self) -> Iterator[tuple[int, tuple[str, list[bytes]] | None]]:
        """Yield how many answers came, and a reading that is done, until all are."""
        over = False
        while not over:
            if not self.belongs_here:
                raise FleetkitError(
                    "This load was begun by the process that forked this one.",
                    advice="Begin it anew here.",
                )
            with self._lock:
                while not (self._done or self._over() or (self._on_page and self._answers)):
                    # Not without end: a Ctrl-C just before it began would not be noticed.
                    self._for_caller.wait(GLANCE)
                if self._problem:
                    raise self._problem
                answers, self._answers = self._answers, 0
                result = self._take()
                over = not result and self._over()
            yield answers, result

    def _take(self) -> tuple[str, list[bytes]] | None:
        if not self._done:
            return None
        reading = self._done.popleft()
        bodies = reading.bodies or []
        self._waiting -= len(bodies)
        self._for_workers.notify_all()
        return reading.key, bodies

    def _stop_all(self) -> None:
        self._stop.set()
        with self._lock:
            self._for_workers.notify_all()
            self._for_caller.notify_all()
        self._gate.wake()

    def _join(self) -> None:
        """Wait for the threads to end; those that are still connecting are interrupted."""
        now = monotonic()
        threads = [each for each in self._threads if each.ident and each is not current_thread()]
        for ends in (now + 2 * GLANCE, now + LONGEST_JOIN):
            for thread in threads:
                thread.join(max(0.0, ends - monotonic()))
            interrupt(self._stop)

    # In the workers' threads

    def _over(self) -> bool:
        return self._problem is not None or not (self._to_begin or self._open)

    def _work(self) -> None:
        try:
            while job := self._job():
                self._do(*job)
        except StoppedError:
            pass
        except BaseException as problem:  # raised again in the caller's thread
            with self._lock:
                self._problem = self._problem or problem
            self._stop_all()

    def _job(self) -> tuple[Reading, Ask] | None:
        with self._lock:
            while not (self._stop.is_set() or self._over()):
                if job := self._next():
                    self._start_worker()
                    return job
                self._idle += 1
                self._for_workers.wait()
                self._idle -= 1
            return None

    def _next(self) -> tuple[Reading, Ask] | None:
        """Return the most urgent request.

        Pages of lists already begun come first, so that memory stays low; but the last lists are
        begun early, or most of the workers would idle while their first pages are read.
        """
        room = bool(self._to_begin) and self._waiting < MOST_WAITING
        if room and len(self._to_begin) < self._size:
            return self._begin()
        for reading in self._open:
            if ask := reading.more():
                return reading, ask
        return self._begin() if room else None

    def _begin(self) -> tuple[Reading, Ask]:
        reading = self._to_begin.popleft()
        self._open.append(reading)
        return reading, reading.first()

    def _do(self, reading: Reading, ask: Ask) -> None:
        if ask.wait and self._stop.wait(ask.wait):
            return
        try:
            page: Page | ApiError = self._asker.ask(ask.request, self._stop)
        except ApiError as error:
            page = error
        with self._lock:
            self._answers += 1
            if reading.wants(ask):
                if isinstance(page, ApiError):
                    reading.refuse(ask, page)
                else:
                    reading.take(ask, page)
                if reading.bodies is not None:
                    self._open.remove(reading)
                    self._done.append(reading)
                    self._waiting += len(reading.bodies)
            if self._done or self._on_page or self._over():
                self._for_caller.notify()
            self._for_workers.notify_all()
