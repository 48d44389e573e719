"""How many threads a process that makes reports, and its kernels, may begin together."""

from __future__ import annotations

from threading import Event, Thread

from fleetkit.errors import ReportError
from fleetkit.ulimits import limit

__all__ = ["require"]

# What a kernel begins besides its main thread, and what the process that makes a report does: on
# machines with many processors more than this.
_OF_A_KERNEL, _OF_A_REPORT = 40, 20
# From this limit on there are enough for any report.
_ENOUGH = 1_000


def require(kernels: int) -> None:
    """Refuse to make a report where too few threads can begin: Arrow waits for its own for ever.

    Parameters
    ----------
    kernels : int
        How many run at once.

    Raises
    ------
    ReportError
        The limit of processes, which counts threads too, is too low.
    """
    if limit("RLIMIT_NPROC") >= _ENOUGH:
        return
    needed = kernels * _OF_A_KERNEL + _OF_A_REPORT
    over = Event()
    waiting = [Thread(target=over.wait, daemon=True) for _ in range(needed)]
    begun: list[Thread] = []
    try:
        for thread in waiting:
            thread.start()
            begun.append(thread)
    except RuntimeError:  # can't start new thread
        raise ReportError(
            f"A report needs {needed} threads at once, and this process may begin {len(begun)}.",
            advice="Raise the limit of processes (ulimit -u), or end some.",
        ) from None
    finally:
        over.set()
        for thread in begun:
            thread.join()
