"""Ctrl+C at a line of one's choice, of all that a call runs in its own thread."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

# A file, and a line in it.
Line = tuple[str, int]


def lines_of(call: Callable[[], object], *places: str) -> list[Line]:
    """Return the lines that a call runs, in their order, of files whose paths hold a place.

    Without those that only begin a block: Python looks for signals at calls and in loops, and what
    is raised at a `try:` within a `with` would leave that one without its end.
    """
    lines: dict[Line, None] = {}
    with _traced(places, lines.setdefault):
        call()
    assert [place for place in places if not any(place in file for file, _ in lines)] == []
    return [line for line in lines if linecache.getline(*line).strip() != "try:"]


def interrupt_at(line: Line, call: Callable[[], object]) -> BaseException | None:
    """Return what a call ends with whose line is interrupted the first time that it is run.

    In a thread of its own: interrupted where Python leaves an `except`, a thread goes on handling
    that exception, and the failures of all later tests would begin with it.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_interrupted, line, call).result()


def _interrupted(line: Line, call: Callable[[], object]) -> BaseException | None:
    def interrupt(reached: Line) -> None:
        if reached == line:
            sys.settrace(None)
            raise KeyboardInterrupt

    try:
        with _traced((line[0],), interrupt):
            call()
    except BaseException as problem:
        return problem
    return None


@contextmanager
def _traced(places: tuple[str, ...], reach: Callable[[Line], object]) -> Iterator[None]:
    def trace(frame: Any, event: str, _: object) -> Any:
        file = frame.f_code.co_filename
        if not any(place in file for place in places):
            return None
        if event == "line":
            reach((file, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
