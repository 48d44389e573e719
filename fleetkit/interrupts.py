"""Ctrl+C while the command line is loaded: one line in place of Python's traceback.

It is imported before anything else, and so imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["EXIT_CODE", "TEXT", "end", "watch"]

EXIT_CODE = 130
TEXT = "Interrupted; what was there before is unchanged."


def watch() -> None:
    """End this process at Ctrl+C, if it is the command line; its `main` takes over from here."""
    program = sys.orig_argv[1:3]
    is_command = program == ["-m", "fleetkit"] or "".join(program[:1]).endswith("/fleetkit")
    if is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def end(*_: object) -> None:
    """End the process, whatever it loads; it has done nothing yet."""
    os.write(2, f"fleetkit: {TEXT}\n".encode())
    os._exit(EXIT_CODE)
