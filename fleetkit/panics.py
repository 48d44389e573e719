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
from threading import RLock
from typing import IO

__all__ = ["Panic", "contained", "is_panic"]

_STDERR = 2
# The text that Rust prints of a panic contains this.
_PRINTED = b"panicked at"
# Reentrant: Python may collect and close a generator in a thread that holds the lock.
_lock = RLock()


class _Block:
    """A block, and the position in the file of captured text at which it began."""

    start = 0


_blocks: set[_Block] = set()  # those that are running, in all threads
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
    block = _Block()
    try:
        _start_capture(block)  # an interruption in it is undone, too
        yield
    except BaseException as problem:
        text = _end_capture(block, show=False)
        if is_panic(problem):
            panic = Panic(str(problem).strip() or "the library gave no reason")
            panic.add_note(text)
            raise panic from problem
        if text:
            problem.add_note(text)
        raise
    _end_capture(block, show=True)


def _start_capture(block: _Block) -> None:
    """Redirect stderr to a file, unless another block has done so."""
    global _captured, _real_stderr  # noqa: PLW0603 - a process has one stderr
    with _lock:
        _blocks.add(block)
        if _captured is None and hasattr(os, "pread"):  # without it, stderr can't be captured
            try:
                _real_stderr = os.dup(_STDERR)
            except OSError:  # no stderr: nothing is captured
                return
            try:
                _captured = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last block
            except OSError:  # no space for a file
                os.close(_real_stderr)
            else:
                os.dup2(_captured.fileno(), _STDERR)
        block.start = 0 if _captured is None else os.fstat(_captured.fileno()).st_size


def _end_capture(block: _Block, *, show: bool) -> str:
    """End a block, and with the last one the redirection; return what was written."""
    with _lock:
        _blocks.discard(block)
        if _captured is None:
            return ""
        size = os.fstat(_captured.fileno()).st_size
        written = os.pread(_captured.fileno(), size - block.start, block.start)
        if show and _PRINTED not in written:
            os.write(_real_stderr, written)
        if not _blocks:
            _restore()
    return written.decode(errors="replace").strip()


def _restore() -> None:
    """Let stderr be the real one again."""
    global _captured  # noqa: PLW0603 - as above
    captured = _captured
    if captured is not None:
        os.dup2(_real_stderr, _STDERR)
        _captured = None
        os.close(_real_stderr)
        captured.close()


def _after_fork() -> None:
    """Give a child its stderr, and a lock of its own: no block of its parent ends there."""
    global _lock  # noqa: PLW0603 - as above
    _lock = RLock()
    _blocks.clear()
    _restore()


if hasattr(os, "register_at_fork"):  # not on Windows, which doesn't fork
    os.register_at_fork(after_in_child=_after_fork)
