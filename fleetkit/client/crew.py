"""Many lists at once: a crew of threads with one shared bound, most urgent pages first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Event, Thread
from time import monotonic
from typing import Protocol

from fleetkit.client.answers import Page
from fleetkit.client.deadline import StoppedError
from fleetkit.client.gate import Gate
from fleetkit.client.paging import Ask
from fleetkit.client.retry import Asker
from fleetkit.errors import ApiError

__all__ = ["Reading", "read_all"]

# Pages that may wait to be taken before no further list is begun: some 50 MB.
MOST_WAITING = 1024
# How long to wait for threads that were told to stop; one may still be connecting. [s]
FAREWELL = 2.0


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


def read_all(
    readings: Sequence[Reading],
    asker: Asker,
    gate: Gate,
    *,
    size: int,
    on_page: Callable[[int], object] | None = None,
) -> Iterator[tuple[str, list[bytes]]]:
    """Read everything with `size` threads and yield each reading as soon as it is done.

    The first error stops the others and is raised here. Leaving early (closing the generator,
    Ctrl-C) stops them too.

    Parameters
    ----------
    readings : sequence of Reading
        Begun one by one, as there is room.
    asker, gate
        How to ask; shared with others.
    size : int
        Number of threads.
    on_page : callable, optional
        Told in this thread how many answers came since it was last told.
    """
    crew = _Crew(readings, asker, size)
    threads = [
        Thread(target=crew.work, name=f"fleetkit-reads-{n}", daemon=True) for n in range(size)
    ]
    try:
        for each in threads:
            each.start()
        yield from crew.results(on_page)
    finally:
        crew.stop()
        gate.wake()
        ends = monotonic() + FAREWELL
        for each in threads:
            if each.ident is not None:
                each.join(max(0.0, ends - monotonic()))


class _Crew:
    def __init__(self, readings: Sequence[Reading], asker: Asker, size: int) -> None:
        self._asker, self._size = asker, size
        self._to_begin = deque(readings)
        self._change = Condition()
        self._stop = Event()
        self._open: list[Reading] = []  # begun and not done
        self._done: deque[Reading] = deque()
        self._waiting = 0  # pages that are done and not taken
        self._answers = 0  # since the caller was last told
        self._problem: BaseException | None = None

    def stop(self) -> None:
        self._stop.set()
        with self._change:
            self._change.notify_all()

    def results(self, on_page: Callable[[int], object] | None) -> Iterator[tuple[str, list[bytes]]]:
        over = False
        while not over:
            with self._change:
                while not (self._done or self._over() or (on_page and self._answers)):
                    self._change.wait()
                if self._problem:
                    raise self._problem
                answers, self._answers = self._answers, 0
                done = self._done.popleft() if self._done else None
                bodies = (done.bodies if done else None) or []
                self._waiting -= len(bodies)
                over = not done and self._over()
                self._change.notify_all()
            if on_page and answers:
                on_page(answers)
            if done:
                yield done.key, bodies

    def _over(self) -> bool:
        return self._problem is not None or not (self._to_begin or self._open)

    def work(self) -> None:
        try:
            while job := self._job():
                self._do(*job)
        except StoppedError:
            pass
        except BaseException as problem:  # raised again in the caller's thread
            with self._change:
                self._problem = self._problem or problem
            self.stop()

    def _job(self) -> tuple[Reading, Ask] | None:
        """Return the next request.

        Pages of lists already begun come first, so that memory stays low; but the last lists are
        begun early, or most of the crew would idle while their first pages are read.
        """
        with self._change:
            while not (self._stop.is_set() or self._over()):
                room = bool(self._to_begin) and self._waiting < MOST_WAITING
                if room and len(self._to_begin) < self._size:
                    return self._begun()
                for reading in self._open:
                    if ask := reading.more():
                        return reading, ask
                if room:
                    return self._begun()
                self._change.wait()
            return None

    def _begun(self) -> tuple[Reading, Ask]:
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
        with self._change:
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
            self._change.notify_all()
