"""What speaks to a kernel: begins as soon as the kernel says that it is idle.

jupyter_client waits until a kernel has been silent for 0.2 s, and ZeroMQ up to 0.2 s more until it
looks again for a socket that wasn't there: longer than a short notebook takes. A forked kernel has
its sockets within 0.03 s, and its answer ends with the word that it is idle.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from queue import Empty

from jupyter_client.asynchronous.client import AsyncKernelClient
from traitlets import default
from zmq import RECONNECT_IVL
from zmq.asyncio import Context

__all__ = ["KernelClient", "KernelDied"]

# How long an answer, and then what the kernel tells everybody, may take before it is asked once
# more: the first of these may be lost, sent before their channel was connected. [s]
_LONGEST_REPLY, _LONGEST_STATUS = 1.0, 0.05
# How often a socket is looked for that the kernel has yet to make. [ms]
_RECONNECT = 5


class KernelDied(RuntimeError):
    """A kernel died before it answered."""


class KernelClient(AsyncKernelClient):
    """A client of a kernel that was started by `Kernels`."""

    @default("context")
    def _context_of_few_waits(self) -> Context:
        self._created_context = True  # which ends it with the client
        context = Context()
        context.setsockopt(RECONNECT_IVL, _RECONNECT)
        return context

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel has answered and is idle.

        Raises
        ------
        KernelDied
            It has died.
        RuntimeError
            It did not answer within `timeout` [s].
        """
        end = float("inf") if timeout is None else time.monotonic() + timeout
        requests: set[str] = set()
        while True:
            requests.add(self.kernel_info())
            if await self._has_replied() and await self._is_idle_after(requests):
                return
            if not await self.is_alive():
                raise KernelDied("Kernel died before replying to kernel_info")
            if time.monotonic() > end:
                raise RuntimeError(f"Kernel didn't respond in {timeout:g} seconds")

    async def _has_replied(self) -> bool:
        try:
            reply = await self.shell_channel.get_msg(timeout=_LONGEST_REPLY)
        except Empty:
            return False
        if reply["msg_type"] != "kernel_info_reply":
            return False
        self._handle_kernel_info_reply(reply)
        return True

    async def _is_idle_after(self, requests: Collection[str]) -> bool:
        """Read what the kernel tells everybody, until it has finished with one of the requests."""
        end = time.monotonic() + _LONGEST_REPLY  # it may tell so much that it is never silent
        while time.monotonic() < end:
            try:
                message = await self.iopub_channel.get_msg(timeout=_LONGEST_STATUS)
            except Empty:
                return False
            is_answer = message["parent_header"].get("msg_id") in requests
            if is_answer and message["content"].get("execution_state") == "idle":
                return True
        return False
