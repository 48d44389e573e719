"""Panics of native libraries: what they print stays out of sight, what they raise is an Exception.

A library written in Rust that panics first prints dozens of lines to the process's stderr, below
Python's ``sys.stderr``, and then raises a ``PanicException``, which is no `Exception`. Whoever
calls such a library does so in `contained`, and words the failure as it words any other.
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
# How Rust begins what it prints of a panic.
_PRINTED = b"panicked at"
_lock = Lock()
_blocks = 0  # under way, in all threads
_held: IO[bytes] | None = None
_kept = -1  # the descriptor of the real stderr meanwhile


class Panic(RuntimeError):
    """A native library panicked; the message is the panic's own."""


def is_panic(problem: BaseException) -> bool:
    """Whether an exception is a panic; each library brings a class of its own for it."""
    return isinstance(problem, Panic) or type(problem).__name__ == "PanicException"


@contextmanager
def contained() -> Iterator[None]:
    """Call native libraries without their panics reaching the user.

    What is written to the process's stderr meanwhile, by any thread, is held back and shown
    afterwards. Where the block fails, the error that is raised carries it as a note instead, which
    a full traceback shows.

    Raises
    ------
    Panic
        In place of a library's ``PanicException``.
    """
    start = _hold()
    try:
        yield
    except BaseException as problem:
        text = _release(start, show=False)
        if is_panic(problem):
            panic = Panic(str(problem).strip() or "it gave no reason")
            panic.add_note(text)
            raise panic from problem
        if text:
            problem.add_note(text)
        raise
    _release(start, show=True)


def _hold() -> int:
    """Send stderr to a file, with the first block; return where its text starts there."""
    global _blocks, _held, _kept  # noqa: PLW0603 - a process has one stderr
    with _lock:
        if _blocks == 0 and hasattr(os, "pread"):  # elsewhere it can't be held back
            try:
                _held = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last block
                _kept = os.dup(_STDERR)
            except OSError:  # no room for a file, or no stderr: then as it is
                _held = None
            else:
                os.dup2(_held.fileno(), _STDERR)
        _blocks += 1
        return 0 if _held is None else os.fstat(_held.fileno()).st_size


def _release(start: int, *, show: bool) -> str:
    """End a block; with the last one stderr is itself again. Return what was written."""
    global _blocks, _held  # noqa: PLW0603
    with _lock:
        _blocks -= 1
        if _held is None:
            return ""
        size = os.fstat(_held.fileno()).st_size
        written = os.pread(_held.fileno(), size - start, start)
        if show and _PRINTED not in written:
            os.write(_kept, written)
        if _blocks == 0:
            os.dup2(_kept, _STDERR)
            os.close(_kept)
            _held.close()
            _held = None
    return written.decode(errors="replace").strip()
