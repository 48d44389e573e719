"""Kernels for section notebooks: this very Python, without the key, stopped when the report is.

A kernel is given numbers of free ports and binds them later; meanwhile another report on this
machine may take them. So kernels are reached by sockets in a folder of their own, where the
system has such. Where it can fork, kernels are forks of one process that has imported what all
of them need.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4
from weakref import WeakSet

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from traitlets import Type

from fleetkit.errors import FleetkitError
from fleetkit.reports import local_time, open_files
from fleetkit.reports.forking import CAN_FORK, ForkProvisioner, ForkServer
from fleetkit.reports.kernel_client import KernelClient
from fleetkit.reports.shared import Shared
from fleetkit.reports.sockets import reach_by_sockets
from fleetkit.temporary import TemporaryFolder, home_in

__all__ = ["Kernels", "kernels", "shared_server", "stop_every_kernel"]

# A notebook reads a mirror; what opens the service stays outside.
_SECRETS = ("FLEETKIT_API_KEY", "FLEETKIT_BASE_URL")
# An analyst's own start-up file would change the report, as the profile of IPython would, and as
# would the settings of matplotlib, in whose place are none; a backend for windows isn't needed.
_OF_THE_ANALYST = ("PYTHONSTARTUP", "MPLBACKEND")
_MATPLOTLIB = {"MATPLOTLIBRC": os.devnull}
# The notebook records what cells did; it doesn't belong in the analyst's own history.
_OPTIONS = ["--log-level=ERROR", "--HistoryManager.enabled=False"]
# Polars takes less memory, and no more time, where it goes through flights piece by piece.
_ENGINE = {"POLARS_ENGINE_AFFINITY": "streaming"}
# In a fork no thread of Polars' allocator gives memory back, those that work do: sooner where there
# is one arena to a processor, rather than four, and where 100 ms pass before, rather than 500.
_ALLOCATOR, _OF_POLARS = "_RJEM_MALLOC_CONF", "dirty_decay_ms:500,muzzy_decay_ms:1000"
_GIVES_BACK = f"narenas:{os.cpu_count() or 1},dirty_decay_ms:100,muzzy_decay_ms:0"
# How often a kernel that was killed is looked for: it ends within milliseconds. [s]
_POLL = 0.005


class Kernels(AsyncKernelManager):
    """Kernels of the interpreter that runs the report, whatever "python3" is registered as."""

    _folder: TemporaryFolder | None = None
    # Takes what the kernel's process writes outside of any cell: it is nobody's output.
    output: ClassVar[Path | None] = None
    started: ClassVar[list[Kernels]]
    stopped: ClassVar[bool]
    server: ClassVar[ForkServer | None] = None
    client_factory = Type(KernelClient)

    @property
    def kernel_spec(self) -> KernelSpec:
        """What starts a kernel."""
        return KernelSpec(**get_kernel_dict(_OPTIONS))

    async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
        """Start a kernel in an environment that holds no key."""
        self._folder = TemporaryFolder()
        try:
            await self._start(self._folder.path, options)
        except BaseException:
            self._remove_folder()
            raise
        self.started.append(self)
        if self.stopped:
            self.stop_all()

    async def _start(self, folder: Path, options: Mapping[str, Any]) -> None:
        self.connection_file = str(folder / "kernel.json")
        reach_by_sockets(self, folder / "socket")
        environ = {**_environ(), **home_in(folder), "IPYTHONDIR": str(folder / "ipython")}
        self.kernel_id = self.kernel_id or str(uuid4())
        self.provisioner = ForkProvisioner(
            parent=self, kernel_id=self.kernel_id, kernel_spec=self.kernel_spec
        )
        self.provisioner.server, self.provisioner.output = self.server, self.output
        if self.output is None:
            await super().start_kernel(**options, env=environ)
        else:
            with self.output.open("ab") as output:
                await super().start_kernel(**options, env=environ, stdout=output, stderr=output)

    async def _async_wait(self, pollinterval: float = _POLL) -> None:
        await super()._async_wait(pollinterval)

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart)
        self._remove_folder()

    cleanup_resources = _async_cleanup_resources

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.remove()

    @classmethod
    def writing_to(cls, output: Path) -> type[Kernels]:
        """Return the same class for a kernel whose own output goes to a file."""
        return type(cls.__name__, (cls,), {"output": output})

    @classmethod
    def stop_all(cls) -> None:
        """Kill every kernel that runs, and each that is about to."""
        cls.stopped = True
        for kernel in cls.started:
            process = getattr(kernel.provisioner, "process", None)
            if process is not None:
                process.kill()
            kernel._remove_folder()


@contextmanager
def kernels() -> Iterator[type[Kernels]]:
    """Yield a class whose kernels are stopped together, and forked where the system can.

    Raises
    ------
    ReportError
        Too few files may be open.
    InvalidValue
        This machine has no time zone.
    """
    open_files.require()
    local_time.require()
    with ExitStack() as ends:
        server = ends.enter_context(_server.acquired())
        if server is None and CAN_FORK:
            server = ends.enter_context(closing(ForkServer(_environ())))
        made = type(
            "ReportKernels", (Kernels,), {"started": [], "stopped": False, "server": server}
        )
        _made.add(made)
        yield made


# Of reports that are made side by side: their kernels, and the server that all are forked from.
_made: WeakSet[type[Kernels]] = WeakSet()
_server: Shared[ForkServer] = Shared()


@contextmanager
def shared_server(*, is_own: bool = False) -> Iterator[None]:
    """Let the kernels of all reports that are made in a block be forked from one process.

    Parameters
    ----------
    is_own : bool
        This process is fleetkit's, and has done nothing but import: what it has imported needn't be
        imported once more.
    """
    open_files.allow()
    if not CAN_FORK:
        yield
        return

    def start() -> AbstractContextManager[ForkServer]:
        return closing(ForkServer(_environ(), is_fork=is_own and _is_untouched()))

    with ExitStack() as ends:
        with suppress(OSError, FleetkitError):  # a report tries again, and tells of it
            ends.enter_context(_server.acquired(start))
        yield


def _is_untouched() -> bool:
    """Whether a fork of this process has no thread that it would miss, and finds no key."""
    has_streams = None not in (sys.stdin, sys.stdout, sys.stderr)
    has_secrets = any(name in os.environ for name in _SECRETS)
    return has_streams and not has_secrets and threading.active_count() == 1


def stop_every_kernel() -> None:
    """Kill the kernels of all reports that this process is making."""
    for manager in list(_made):
        manager.stop_all()


def _environ() -> dict[str, str]:
    left_out = (*_SECRETS, *_OF_THE_ANALYST)
    own = {name: value for name, value in os.environ.items() if name not in left_out}
    # Polars writes its own options there where it was imported; the last word is the user's.
    of_user = own.get(_ALLOCATOR, "").removeprefix(_OF_POLARS).lstrip(",")
    options = filter(None, (_GIVES_BACK, of_user))
    return {**_ENGINE, **own, **_MATPLOTLIB, _ALLOCATOR: ",".join(options)}
