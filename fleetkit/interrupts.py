"""Ctrl+C while the command line is loaded: one line in place of Python's traceback.

It is imported before anything else, and so imports next to nothing.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys

__all__ = ["EXIT_CODE", "TEXT", "end", "reason", "watch"]

EXIT_CODE = 130
TEXT = "Interrupted; what was there before is unchanged."
_FAILED = 1
_NO_THREAD = "No thread can be started. Raise the limit of processes (ulimit -u), or end some."


def watch() -> None:
    """End this process at Ctrl+C, if it is the command line; its `main` takes over from here."""
    program = sys.orig_argv[1:3]
    is_command = program == ["-m", "fleetkit"] or "".join(program[:1]).endswith("/fleetkit")
    if is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def end(*_: object) -> None:
    """End the process, whatever it loads; it has done nothing yet."""
    code, text = reason()
    os.write(2, f"fleetkit: {text}\n".encode())
    os._exit(code)


def reason() -> tuple[int, str]:
    """Return exit code and text for an interrupt.

    OpenBLAS interrupts its own process where it can start no thread.
    """
    try:
        _thread.start_new_thread(int, ())
    except RuntimeError:
        return _FAILED, _NO_THREAD
    return EXIT_CODE, TEXT
