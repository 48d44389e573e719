"""stdout and stderr of the command line, without what libraries write to them."""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from fleetkit.interface import one_line
from fleetkit.notices import Notice

__all__ = ["close_stdout", "ours", "say_on_stderr"]

_STDERR = 2


@contextmanager
def ours(*, native: bool, everything: bool, quiet: bool, is_last: bool) -> Iterator[None]:
    """Keep what libraries print, warn of and log from stderr until the block ends.

    Parameters
    ----------
    native : bool
        Let through what is printed below Python, by libraries and child processes.
    everything : bool
        Let all of it through, as ``--debug`` does.
    quiet : bool
        Keep notices too.
    is_last : bool
        Keep what libraries print after the block too, when the process ends.
    """
    _accept_every_character()
    with ExitStack() as stack:
        if not native:
            stack.enter_context(_own_stderr(is_last=is_last))
            stack.enter_context(_silenced(sys, "unraisablehook"))
            stack.enter_context(_silenced(threading, "excepthook"))
        stack.enter_context(_warnings(everything=everything, quiet=quiet))
        stack.enter_context(_logging(everything=everything, quiet=quiet))
        yield


def say_on_stderr(text: str) -> None:
    """Write one line to stderr, unless it is closed."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"fleetkit: {one_line(text)}\n")
            sys.stderr.flush()


def close_stdout() -> None:
    """Close stdout, which takes nothing any more, so that Python doesn't report it at its exit."""
    with suppress(OSError, ValueError, AttributeError):
        _discard(sys.stdout.fileno())


def _discard(descriptor: int) -> None:
    """Let what is written to a descriptor go nowhere."""
    with Path(os.devnull).open("wb") as null:
        os.dup2(null.fileno(), descriptor)


def _accept_every_character() -> None:
    """Escape what the terminal's encoding lacks, instead of failing at a pilot's name."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _own_stderr(*, is_last: bool) -> Iterator[None]:
    """Write to a copy of stderr; what libraries and child processes write to it goes nowhere."""
    stream = sys.stderr
    try:
        if stream is None or stream.fileno() != _STDERR:
            raise OSError
        copy = os.dup(_STDERR)
    except (OSError, ValueError, AttributeError):  # no stderr, or a caller's own
        yield
        return
    _discard(_STDERR)
    ours = os.fdopen(copy, "w", buffering=1, encoding=stream.encoding, errors="backslashreplace")
    sys.stderr = ours
    try:
        yield
    finally:
        sys.stderr = stream
        with suppress(OSError):
            ours.flush()
        if not is_last:
            os.dup2(copy, _STDERR)
        with suppress(OSError):
            ours.close()


@contextmanager
def _warnings(*, everything: bool, quiet: bool) -> Iterator[None]:
    with warnings.catch_warnings():
        if not (everything or sys.warnoptions):
            warnings.simplefilter("ignore")
            if not quiet:
                warnings.simplefilter("default", Notice)
        yield


@contextmanager
def _logging(*, everything: bool, quiet: bool) -> Iterator[None]:
    """Show fleetkit's own log; that of libraries with `everything`."""
    if everything:
        yield
        return
    handlers: list[tuple[logging.Logger, logging.Handler]] = [
        (logging.getLogger(), logging.NullHandler()),
        (logging.getLogger("fleetkit"), _Lines(logging.WARNING)),
    ]
    if quiet:
        handlers.pop()
    for logger, handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger, handler in handlers:
            logger.removeHandler(handler)


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say_on_stderr(record.getMessage())


@contextmanager
def _silenced(owner: Any, name: str) -> Iterator[None]:
    """Let a hook of Python that prints an exception print nothing."""
    before = getattr(owner, name)
    setattr(owner, name, lambda *_: None)
    try:
        yield
    finally:
        setattr(owner, name, before)
