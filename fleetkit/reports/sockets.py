"""Kernels that are reached by sockets in a folder, which no other user of the machine can open.

What a kernel publishes is signed, and neither encrypted nor asked for with a key: from a port of
this machine, every user of it could read along.
"""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_client.manager import KernelManager

__all__ = ["reach_by_sockets"]

# The system's limit is about a hundred bytes, of which each socket's own number takes a few.
_LONGEST = 90


def reach_by_sockets(manager: KernelManager, path: Path) -> None:
    """Let a kernel that is not started yet be reached by sockets, where the system has such.

    Parameters
    ----------
    manager : KernelManager
    path : Path
        What their names begin with; where it is too long for them, ports are used.
    """
    if os.name == "posix" and len(os.fsencode(path)) <= _LONGEST:
        manager.transport, manager.ip = "ipc", str(path)
