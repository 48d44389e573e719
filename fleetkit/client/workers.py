"""Many lists at once: worker threads with one shared bound, most urgent pages first."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Event, RLock, Thread, current_thread
from time import monotonic

from fleetkit.client.answers import Page
from fleetkit.client.connections import interrupt
from fleetkit.client.deadline import POLL_INTERVAL, StoppedError
from fleetkit.client.paging import PageRequest, Reader
from fleetkit.client.retry import Requester
from fleetkit.errors import ApiError, FleetkitError
from fleetkit.interrupts import NO_THREAD

__all__ = ["Workers"]

# Pages that may wait for the caller before no further list is begun: some 50 MB.
MOST_UNCLAIMED = 1024
# How long to wait for threads that were cancelled; one may still be resolving a name. [s]
LONGEST_JOIN = 2.0


class Workers:
    """Threads that read everything there is to read, once.

    They belong to the process that made them: a forked one has none of the threads, and perhaps a
    lock that no thread there will release, so it changes nothing here.

    Parameters
    ----------
    readers : sequence of Reader
        Begun one by one, as there is room. A single one leads: it may bring others, its followers,
        and what they read is of use once its own list is complete.
    requester : Requester
        Sends their requests; shared with other loads.
    size : int
        Most threads; they are started as they are needed.
    on_page : callable, optional
        Called in the caller's thread with the number of answers since its last call.
    """

    def __init__(
        self,
        readers: Sequence[Reader],
        requester: Requester,
        *,
        size: int,
        on_page: Callable[[int], object] | None = None,
    ) -> None:
        self._requester = requester
        self._size, self._on_page = size, on_page
        self._queue = deque(readers)
        self._leader = readers[0] if len(readers) == 1 else None
        self._round = 0  # of the leader, whose followers are queued, open or done
        self._early_problem: ApiError | None = None  # a follower's, before the leader is done
        self._open: list[Reader] = []  # begun and not done
        self._done: deque[Reader] = deque()
        self._unclaimed = 0  # pages of readers that are done, until the caller takes them
        self._answers = 0  # since the last call of on_page
        self._problem: BaseException | None = None
        self._threads: list[Thread] = []
        self._idle = 0
        self._stop = Event()
        # Reentrant: Python may collect and close a generator in a thread that holds the lock.
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
        """Yield each reader, its key and its pages, as soon as it is done.

        The first error stops the others and is raised here, after what was complete before it.
        Leaving early (closing the generator, Ctrl-C) stops them too.
        """
        try:
            self._start_worker()
            for answers, result in self._events():
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
            thread = Thread(target=self._work, name=name, daemon=True)
            self._threads.append(thread)
            try:
                thread.start()
            except RuntimeError:  # the system allows no more of them
                self._threads.remove(thread)
                self._size = len(self._threads)
                if not self._size:
                    raise FleetkitError(NO_THREAD) from None

    def _events(self) -> Iterator[tuple[int, tuple[str, list[bytes]] | None]]:
        """Yield the number of answers, and the result of a reader that is done, until all are."""
        is_over = False
        while not is_over:
            if not self.belongs_here:
                raise FleetkitError(
                    "This load was begun by the process that forked this one.",
                    advice="Begin it again here.",
                )
            with self._lock:
                while not (self._ready or self._is_over() or (self._on_page and self._answers)):
                    # With a limit: a Ctrl-C just before the wait would not be noticed.
                    self._for_caller.wait(POLL_INTERVAL)
                # What was complete before the service failed is handed out first.
                if self._problem and not (self._ready and isinstance(self._problem, ApiError)):
                    raise self._problem
                answers, self._answers = self._answers, 0
                result = self._take_result()
                is_over = not result and self._is_over()
            yield answers, result

    def _take_result(self) -> tuple[str, list[bytes]] | None:
        if not self._ready:
            return None
        reader = self._done.popleft()
        bodies = reader.claim()
        self._unclaimed -= len(bodies)
        self._for_workers.notify_all()
        return reader.key, bodies

    def _stop_all(self) -> None:
        self._stop.set()
        with self._lock:
            self._for_workers.notify_all()
            self._for_caller.notify_all()

    def _join(self) -> None:
        """Wait for the threads to end; those that are still connecting are interrupted."""
        now = monotonic()
        threads = [
            thread for thread in self._threads if thread.ident and thread is not current_thread()
        ]
        for end in (now + 2 * POLL_INTERVAL, now + LONGEST_JOIN):
            for thread in threads:
                thread.join(max(0.0, end - monotonic()))
            interrupt(self._stop)

    # In the workers' threads

    @property
    def _is_led(self) -> bool:
        """Whether there is a leader whose list isn't complete."""
        return self._leader is not None and self._leader.bodies is None

    @property
    def _ready(self) -> bool:
        return bool(self._done) and not self._is_led

    def _is_over(self) -> bool:
        return self._problem is not None or not (self._queue or self._open)

    def _work(self) -> None:
        try:
            while job := self._wait_for_job():
                self._run(*job)
        except StoppedError:
            pass
        except BaseException as problem:  # raised again in the caller's thread
            with self._lock:
                self._problem = self._problem or problem
            self._stop_all()

    def _wait_for_job(self) -> tuple[Reader, PageRequest] | None:
        with self._lock:
            while not (self._stop.is_set() or self._is_over()):
                if job := self._next_job():
                    self._start_worker()
                    return job
                self._idle += 1
                self._for_workers.wait()
                self._idle -= 1
            return None

    def _next_job(self) -> tuple[Reader, PageRequest] | None:
        """Return the most urgent request.

        Pages of lists already begun come first, so that memory stays low; but the last lists are
        begun early, or most of the workers would idle while their first pages are read.
        """
        room = bool(self._queue) and self._unclaimed < MOST_UNCLAIMED
        if room and len(self._queue) < self._size and not self._is_led:
            return self._begin_reader()
        for reader in self._open:
            if request := reader.next_request():
                return reader, request
        return self._begin_reader() if room else None

    def _begin_reader(self) -> tuple[Reader, PageRequest]:
        reader = self._queue.popleft()
        self._open.append(reader)
        return reader, reader.first_request()

    def _run(self, reader: Reader, request: PageRequest) -> None:
        if request.wait and self._stop.wait(request.wait):
            return
        try:
            outcome: Page | ApiError = self._requester.fetch(request.request, self._stop)
        except ApiError as error:
            outcome = error
        with self._lock:
            self._answers += 1
            if reader in self._open and reader.is_current(request):
                self._take(reader, request, outcome)
            if self._ready or self._on_page or self._is_over():
                self._for_caller.notify()
            self._for_workers.notify_all()

    def _take(self, reader: Reader, request: PageRequest, outcome: Page | ApiError) -> None:
        try:
            if isinstance(outcome, ApiError):
                reader.reject(request, outcome)
            else:
                reader.accept(request, outcome)
        except ApiError as problem:
            if reader is self._leader or not self._is_led:
                raise
            self._open.remove(reader)
            self._early_problem = self._early_problem or problem
        if reader.bodies is not None:
            self._open.remove(reader)
            self._done.append(reader)
            self._unclaimed += len(reader.bodies)
        if reader is self._leader:
            self._follow(reader)

    def _follow(self, leader: Reader) -> None:
        """Queue the followers of a page; where the leader was begun again, only these count."""
        if leader.round != self._round:
            self._round, self._open, self._unclaimed = leader.round, [leader], 0
            self._queue.clear()
            self._done.clear()
            self._early_problem = None
        self._queue.extend(leader.followers())
        if leader.bodies is not None:
            self._done.rotate(1)  # the leader's pages are handed out first
            if self._early_problem:
                raise self._early_problem
