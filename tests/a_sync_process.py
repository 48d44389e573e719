"""Syncs in processes of their own, which can be killed at any moment.

The processes are forked from one that has imported everything, so that a killed one costs little.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fleetkit as fk
from fleetkit import mirror

if TYPE_CHECKING:
    from conftest import Served

__all__ = ["FORKING", "SyncProcess"]

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["fleetkit.fleet.opening", "fleetkit.mirror", "pytest"])
_LONGEST_WAIT = 60


class SyncProcess:
    """A process that syncs once.

    Parameters
    ----------
    served : Served
    path : Path
        The mirror.
    largest_file : int, optional
        Files may not grow beyond this. [bytes]
    halts : bool, optional
        It has read all and never begins to write.
    **options
        As for `fleetkit.Fleet.sync`.
    """

    def __init__(
        self,
        served: Served,
        path: Path,
        *,
        largest_file: int | None = None,
        halts: bool = False,
        **options: Any,
    ) -> None:
        self._heard, tells = FORKING.Pipe(duplex=False)
        self.process: BaseProcess = FORKING.Process(
            target=_sync,
            args=(tells, (served.base_url, served.api_key), str(path), options),
            kwargs={"largest_file": largest_file, "halts": halts},
        )
        self.process.start()
        tells.close()

    def wait_for(self, news: str) -> Any:
        """Wait until the process says ``"reading"``, ``"writing"`` or how it ended.

        Returns
        -------
        int or str
            With ``"done"``: the version that it wrote, or the error's text.
        """
        while self._heard.poll(_LONGEST_WAIT):
            said, about = self._heard.recv()
            if said == news:
                return about
        raise AssertionError(f"No {news!r} within {_LONGEST_WAIT} s")

    def kill(self) -> None:
        """Kill the process with signal 9."""
        self.process.kill()
        self.join()

    def join(self) -> None:
        """Wait until the process has ended."""
        self.process.join(_LONGEST_WAIT)
        assert self.process.exitcode is not None
        self._heard.close()


def _sync(
    tells: Connection,
    service: tuple[str, str],
    path: str,
    options: dict[str, Any],
    *,
    largest_file: int | None,
    halts: bool,
) -> None:
    if largest_file is not None:  # Python ignores the signal, so a write fails instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    write = mirror.write

    def announced(*arguments: Any, **more: Any) -> mirror.SyncReport:
        tells.send(("writing", None))
        while halts:
            signal.pause()
        return write(*arguments, **more)

    mirror.write = announced
    with fk.connect(*service, progress=False) as fleet:
        tells.send(("reading", None))
        try:
            tells.send(("done", fleet.sync(path, **options).version))
        except fk.FleetkitError as problem:
            tells.send(("done", str(problem)))
