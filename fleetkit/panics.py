"""Panics of native libraries: what they print is captured, what they raise becomes an Exception.

A library written in Rust that panics first prints dozens of lines to the process's stderr, below
Python's ``sys.stderr``, and then raises a ``PanicException``, which is not an `Exception`. Call
such a library within `contained`, and handle its panic like any other error.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import IO

__all__ = ["Panic", "contained", "is_panic"]

_STDERR = 2
# The text that Rust prints of a panic contains this.
_PRINTED = b"panicked at"
_lock = Lock()
_active = 0  # number of blocks that are running, in all threads
_captured: IO[bytes] | None = None
_real_stderr = -1  # a descriptor of the real stderr while it is captured


class Panic(RuntimeError):
    """A native library panicked; the message is that of the panic."""


def is_panic(problem: BaseException) -> bool:
    """Whether an exception is a panic, whose class differs between libraries."""
    return isinstance(problem, Panic) or type(problem).__name__ == "PanicException"


@contextmanager
def contained() -> Iterator[None]:
    """Call native libraries without their panics reaching the user.

    What any thread writes to the process's stderr meanwhile is captured and shown afterwards. Where
    the block fails, it becomes a note of the error instead, which a full traceback shows.

    Raises
    ------
    Panic
        In place of a library's ``PanicException``.
    """
    start = _start_capture()
    try:
        yield
    except BaseException as problem:
        text = _end_capture(start, show=False)
        if is_panic(problem):
            panic = Panic(str(problem).strip() or "the library gave no reason")
            panic.add_note(text)
            raise panic from problem
        if text:
            problem.add_note(text)
        raise
    _end_capture(start, show=True)


def _start_capture() -> int:
    """Redirect stderr to a file, in the first block; return the position in the file."""
    global _active, _captured, _real_stderr  # noqa: PLW0603 - a process has one stderr
    with _lock:
        if _active == 0 and hasattr(os, "pread"):  # without it, stderr can't be captured
            try:
                _captured = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last block
                _real_stderr = os.dup(_STDERR)
            except OSError:  # no space for a file, or no stderr: nothing is captured
                _captured = None
            else:
                os.dup2(_captured.fileno(), _STDERR)
        _active += 1
        return 0 if _captured is None else os.fstat(_captured.fileno()).st_size


def _end_capture(start: int, *, show: bool) -> str:
    """End a block, and with the last one the redirection; return what was written."""
    global _active, _captured  # noqa: PLW0603
    with _lock:
        _active -= 1
        if _captured is None:
            return ""
        size = os.fstat(_captured.fileno()).st_size
        written = os.pread(_captured.fileno(), size - start, start)
        if show and _PRINTED not in written:
            os.write(_real_stderr, written)
        if _active == 0:
            os.dup2(_real_stderr, _STDERR)
            os.close(_real_stderr)
            _captured.close()
            _captured = None
    return written.decode(errors="replace").strip()
