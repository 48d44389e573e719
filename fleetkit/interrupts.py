"""Ctrl+C, or another signal to stop, while the command line is loaded: one line.

It is imported before anything else, and so imports next to nothing.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys

__all__ = ["EXIT_CODE", "NO_THREAD", "STOPS", "TEXT", "end", "reason", "watch"]

EXIT_CODE = 130
TEXT = "Interrupted; what was there before is unchanged."
_FAILED = 1
# What stops a job, or closes its terminal; not every system has each.
STOPS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
NO_THREAD = "No thread can be started. Raise the limit of processes (ulimit -u), or end some."


def watch() -> None:
    """End this process when it is stopped, if it is the command line; its `main` takes over."""
    program = sys.orig_argv[1:3]
    is_command = program == ["-m", "fleetkit"] or "".join(program[:1]).endswith("/fleetkit")
    if not is_command:
        return
    for number in (signal.SIGINT, *STOPS):
        if signal.getsignal(number) in {signal.default_int_handler, signal.SIG_DFL}:
            signal.signal(number, end)


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
        return _FAILED, NO_THREAD
    return EXIT_CODE, TEXT
