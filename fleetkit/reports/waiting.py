"""Waiting for work in threads, so that Ctrl+C ends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

__all__ = ["as_completed"]

# The longest that an interruption is noticed late. [s]
_LONGEST_WAIT = 0.5
_Result = TypeVar("_Result")


def as_completed(futures: Iterable[Future[_Result]]) -> Iterator[Future[_Result]]:
    """Yield futures as they are done.

    The main thread wakes up in between: the system may hand a signal to another thread, or go on
    with the wait after it, as Polars, once imported, has it do; Python's handler then runs only
    when the wait is over.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as pool:
    ...     sorted(future.result() for future in as_completed([pool.submit(abs, -1)]))
    [1]
    """
    pending = set(futures)
    while pending:
        done, pending = wait(pending, _LONGEST_WAIT, FIRST_COMPLETED)
        while done:  # what is passed on is not held here
            yield done.pop()
