"""Kernels are reached by sockets wherever the system takes their names: it counts bytes."""

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from fleetkit.reports.sockets import reach_by_sockets


@pytest.mark.skipif(os.name != "posix", reason="this system has no such sockets")
def test_a_kernel_is_reached_by_a_port_only_where_the_name_of_a_socket_is_too_long(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, transport in (("x" * 90, "ipc"), ("ø" * 45, "ipc"), ("ø" * 60, "tcp")):
        manager = KernelManager()
        reach_by_sockets(manager, Path(name))
        assert manager.transport == transport
        with closing(socket.socket(socket.AF_UNIX)) as listener:
            if transport == "ipc":
                listener.bind(f"{manager.ip}-5")
            else:
                with pytest.raises(OSError, match="too long"):
                    listener.bind(f"{name}-5")
