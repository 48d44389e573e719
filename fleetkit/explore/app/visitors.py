"""A kernel for each visitor: of this very Python, so many at most, ended when it is left alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_server.base.handlers import APIHandler
from jupyter_server.services.kernels.kernelmanager import (
    AsyncMappingKernelManager,
    ServerKernelManager,
)
from tornado.web import HTTPError, authenticated
from traitlets import Bool, Instance, Integer, Set, default

from fleetkit.explore.app.access import PASSWORD
from fleetkit.explore.app.held import Held
from fleetkit.reports.forking import CAN_FORK, ForkProvisioner, ForkServer
from fleetkit.reports.sockets import reach_by_sockets

__all__ = ["NAME", "Leaving", "OwnKernel", "Visitors", "fork_server"]

NAME = "python3"
# How long a kernel is held that nobody uses: while its page is open, and once it is not. [s]
_OPEN, _LEFT = 3600, 120
_LOOK = 30
_POLL = 0.05  # [s]
# Modules that the page's notebook imports, and those that it needs to show its first output.
_MODULES = ("fleetkit.explore.app.page", "ipykernel.comm", "ipywidgets")


class OwnKernel(KernelSpecManager):
    """Knows one kernel, the Python that serves, whatever "python3" is registered as."""

    def find_kernel_specs(self) -> dict[str, str]:
        """Return the only name."""
        return {NAME: ""}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return what starts it."""
        return KernelSpec(**get_kernel_dict(["--log-level=ERROR"]))


def fork_server() -> ForkServer | None:
    """Return a process that visitors' kernels are forked from, where the system can fork.

    It holds no visitor's choices, and no record. Of Polars it has what an import brings: the pool
    of threads begins in each kernel, when something is counted there.
    """
    environ = {name: value for name, value in os.environ.items() if name != PASSWORD}
    return ForkServer(environ, _MODULES) if CAN_FORK else None


class VisitorKernel(ServerKernelManager):  # type: ignore[misc] # jupyter_server has no types
    """A kernel that is forked where it can be."""

    async def start_kernel(self, **options: Any) -> None:
        """Start it, from `Visitors.warm` if there is such a process."""
        self.provisioner = ForkProvisioner(
            parent=self, kernel_id=options["kernel_id"], kernel_spec=self.kernel_spec
        )
        self.provisioner.server = self.parent.warm
        if self.parent.held is not None:
            reach_by_sockets(self, self.parent.held.path.with_name(options["kernel_id"][:8]))
        await super().start_kernel(**options)


class Visitors(AsyncMappingKernelManager):  # type: ignore[misc] # jupyter_server has no types
    """The kernels of all visitors.

    Attributes
    ----------
    most : int
        So many at once.
    is_loud : bool
        Let through what kernels print outside of cells.
    warm : ForkServer or None
        What kernels are forked from.
    held : Held or None
        What was read for all of them.
    """

    most = Integer(8).tag(config=True)
    is_loud = Bool(False).tag(config=True)
    warm = Instance(ForkServer, allow_none=True)
    held = Instance(Held, allow_none=True)
    cull_interval = Integer(_LOOK).tag(config=True)
    cull_idle_timeout = Integer(_OPEN).tag(config=True)
    cull_connected = Bool(True).tag(config=True)
    _starting = 0
    _ending = Set()

    @default("kernel_manager_class")
    def _visitor_kernel(self) -> str:
        return f"{__name__}.{VisitorKernel.__name__}"

    async def start_kernel(self, *, env: Mapping[str, str] | None = None, **options: Any) -> str:
        """Start a kernel for a visitor.

        Raises
        ------
        HTTPError
            There are as many as there may be: 503.
        """
        if len(self) + self._starting >= self.most:
            raise HTTPError(503, reason="All places are taken")
        if not self.is_loud:
            options |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._starting += 1
        environ = _environ(env or os.environ)
        try:
            if self.held is not None:
                self.held.refresh()
                # The page must not run the IPython start-up files of the user who serves it.
                environ["IPYTHONDIR"] = str(self.held.path.with_name("ipython"))
            kernel: str = await super().start_kernel(env=environ, **options)
        finally:
            self._starting -= 1
        return kernel

    async def shutdown_kernel(self, kernel_id: str, **options: Any) -> None:
        """End a kernel."""
        self._ending.add(kernel_id)
        try:
            await super().shutdown_kernel(kernel_id, **options)
        finally:
            self._ending.discard(kernel_id)

    async def shutdown_all(self, now: bool = False) -> None:
        """End all kernels, after those that are being started, or ended, are; none is started then.

        Jupyter would look for one that is not there yet, or no more, and leave the others.
        """
        self.most = 0
        while self._starting or self._ending:
            await asyncio.sleep(_POLL)
        await super().shutdown_all(now=now)

    def start_buffering(self, kernel_id: str, session_key: str, channels: Any) -> None:
        """Keep messages for a page whose connection is lost, unless its kernel is being ended.

        The page of that one is closed: nobody would ask for them, or close the sockets.
        """
        if kernel_id not in self._ending:
            super().start_buffering(kernel_id, session_key, channels)
            return
        for stream in channels.values():
            stream.close()

    def notify_disconnect(self, kernel_id: str) -> None:
        """Take note that a page is gone, maybe for a moment: from now on nobody uses its kernel.

        What its reader did last may be long ago.
        """
        super().notify_disconnect(kernel_id)
        if kernel_id in self:
            self.get_kernel(kernel_id).last_activity = datetime.now(UTC)

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel that is left alone; sooner where its page is closed."""
        is_open = self.kernel_model(kernel_id)["connections"]
        self.cull_idle_timeout = _OPEN if is_open else _LEFT
        await super().cull_kernel_if_idle(kernel_id)


class Leaving(APIHandler):  # type: ignore[misc] # jupyter_server has no types
    """Ends the kernel of a page that is closed."""

    def check_xsrf_cookie(self) -> None:
        """Take requests as they come: for those of other sites, browsers leave the login out."""

    @authenticated
    async def post(self, kernel_id: str) -> None:
        """End it; it is not an error if it has ended already."""
        if kernel_id in self.kernel_manager:
            await self.kernel_manager.shutdown_kernel(kernel_id, now=True)
        self.set_status(204)
        self.finish()


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a kernel gets: neither the password nor the token that opened the page."""
    query = parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    left_out = (PASSWORD, "VOILA_REQUEST_URL", "PYTHONSTARTUP")
    return {
        **{name: value for name, value in environ.items() if name not in left_out},
        "QUERY_STRING": urlencode([pair for pair in query if pair[0] != "token"]),
    }
