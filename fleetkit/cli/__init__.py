"""The command line: ``fleetkit setup · check · sync · report · export · explore · serve``.

``program`` is what is run; ``setting_up``, ``reading``, ``exporting``, ``exploring`` and
``serving`` hold the commands, ``results`` and ``streams`` what they print.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn

from fleetkit import garbage, interrupts

__all__ = ["main"]

_WITHOUT_KERNELS = {"-h", "--help", "--scheduler"}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; every failure is one line on stderr and an exit code that is not 0.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of the process.
    """
    # They take long to import, and no command needs them: what jsonschema checks addresses and
    # durations by, and what papermill reads notebooks from Amazon's store by. A debugger warns on
    # stderr where older releases of ipykernel import it.
    for unused in ("rfc3987_syntax", "rfc3986_validator", "isoduration", "boto3", "debugpy"):
        sys.modules.setdefault(unused, None)  # type: ignore[arg-type] # "not installed"
    is_last = arguments is None
    if is_last:
        _open_what_is_closed()
    try:
        # Here, so that Ctrl+C while it is loaded ends as it does later.
        with _interruptible(), garbage.paused() if is_last else nullcontext():
            from fleetkit.cli import program  # noqa: PLC0415

            kernels = _kernels() if is_last else nullcontext()
        with kernels:
            if is_last:
                _end_in_order()
            code = program.run(sys.argv[1:] if arguments is None else arguments, is_last=is_last)
    except KeyboardInterrupt:
        code, text = interrupts.reason()
        sys.stderr.write(f"fleetkit: {text}\n")
    sys.exit(code)


def _end_in_order() -> None:
    """End as at Ctrl+C, with nothing left behind, where a job is stopped or its terminal closed."""
    for number in interrupts.STOPS:
        if signal.getsignal(number) in {signal.SIG_DFL, interrupts.end}:
            signal.signal(number, signal.default_int_handler)


def _open_what_is_closed() -> None:
    """Let stdin, stdout and stderr lead nowhere where a caller closed them.

    Else a socket of ours takes such a number, and is lost where a child process sets up its own.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # the next file that is opened takes the lowest number that is free
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _kernels() -> AbstractContextManager[None]:
    """Return what forks the kernels of a report from this process, before it does anything else."""
    makes_reports = sys.argv[1:2] == ["report"]
    if not makes_reports or _WITHOUT_KERNELS.intersection(sys.argv):
        return nullcontext()
    try:
        from fleetkit.reports.kernels import shared_server  # noqa: PLC0415 - it takes long to import
    except (ImportError, MemoryError):  # the command fails alike, and tells of it
        return nullcontext()
    return shared_server(is_own=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end too: libraries that are being loaded may swallow it."""
    if signal.getsignal(signal.SIGINT) not in {signal.default_int_handler, interrupts.end}:
        yield  # it is ignored
        return
    signals = []

    def interrupt(*_: Any) -> NoReturn:
        signals.append(True)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        if not signals:  # else what failed was cut off
            raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signals:
        raise KeyboardInterrupt
