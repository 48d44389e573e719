"""Kernels forked from a warm process, which has paid for the imports that they all need.

Importing pandas, matplotlib, pyarrow, deltalake and fleetkit takes longer than most notebooks.
Where the system can fork safely, one process imports them while the data are loaded, and every
kernel is a fork of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from fleetkit.reports import fork_server
from fleetkit.temporary import TemporaryFolder

__all__ = ["CAN_FORK", "ForkProvisioner", "ForkServer", "ForkedProcess"]

# macOS has fork, and libraries that do not survive it.
CAN_FORK = sys.platform == "linux"
# Longest time that the imports may take before a kernel is started without the server. [s]
_LONGEST_START = 60.0
_POLL = 0.02  # [s]


class ForkServer:
    """The warm process; it ends with `close`, or when this process does.

    Parameters
    ----------
    environ : dict
        Environment of the process, and of kernels that are given none.
    modules : list of str
        What its kernels need besides what notebooks of reports do.
    is_fork : bool
        Let it be a fork of this process, which must have begun no thread and opened nothing: what
        is imported here needn't be imported there.

    Attributes
    ----------
    pid : int
        Its process id.
    """

    def __init__(
        self, environ: Mapping[str, str], modules: Iterable[str] = (), *, is_fork: bool = False
    ) -> None:
        self._lock = Lock()
        self._has_forked = False
        # Takes what libraries write for the process's time, such as matplotlib's list of fonts
        # where there is no home to write to: one that is killed doesn't remove it.
        self._folder = TemporaryFolder()
        environ = {**environ, "TMPDIR": str(self._folder.path)}
        try:
            self._start(environ, modules, is_fork=is_fork)
        except BaseException:
            self._folder.remove()
            raise
        self.pid = self._process.pid
        self._answers = self._socket.makefile("r", encoding="utf-8")

    def _start(self, environ: Mapping[str, str], modules: Iterable[str], *, is_fork: bool) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_LONGEST_START)
        with theirs:
            if is_fork:
                pid = fork_server.fork(self._socket, theirs, environ, modules)
                self._process: subprocess.Popen[bytes] | _Fork = _Fork(pid)
            else:
                self._process = subprocess.Popen(  # noqa: S603 - our own module and names of ours
                    [sys.executable, "-P", "-m", "fleetkit.reports.fork_server", *modules],
                    env=environ,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    # Ctrl-C is for the report, which ends its kernels.
                    start_new_session=True,
                )

    def fork(
        self,
        arguments: list[str],
        cwd: str | Path,
        output: Path | None,
        environ: Mapping[str, str] | None = None,
    ) -> ForkedProcess:
        """Return a new kernel.

        Parameters
        ----------
        arguments : list of str
            Of ipykernel, without the interpreter.
        cwd : path
            Where it runs.
        output : path, optional
            Takes what it writes outside of any cell.
        environ : dict, optional
            Its environment; default: that of the server.

        Raises
        ------
        OSError
            The server has died, or does not answer.
        """
        request = {
            "arguments": arguments,
            "cwd": os.fspath(Path(cwd).resolve()),
            "output": None if output is None else os.fspath(output.resolve()),
            "environ": None if environ is None else dict(environ),
        }
        with self._lock:
            self._socket.sendall(f"{json.dumps(request)}\n".encode())
            answer = self._answers.readline()
        if not answer:
            raise ConnectionError("The fork server has ended.")
        self._has_forked = True
        return ForkedProcess(int(answer))

    def close(self) -> None:
        """End the server and every kernel that it forked."""
        with suppress(OSError):  # not only closed: whatever was forked meanwhile has a copy of it
            self._socket.shutdown(socket.SHUT_RDWR)
        self._answers.close()
        self._socket.close()
        if not self._has_forked:
            self._process.kill()  # it may be importing, and looks at its socket only then
        self._process.wait()
        self._folder.remove()


class _Fork:
    """A fork of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


class ForkedProcess:
    """A process that is not a child of this one, with what jupyter_client asks of `Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return None while it runs; then 1, since nobody but its parent knows how it ended."""
        if self.returncode is None and _has_ended(self.pid):
            self.returncode = 1
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return its code once it has ended.

        Raises
        ------
        subprocess.TimeoutExpired
            It still runs after `timeout` [s].
        """
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("kernel", timeout or 0)
            time.sleep(_POLL)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends at this moment
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, also where its parent has yet to take note of it.

    A signal that says so may come just before the parent waits for its next request: it is handled
    after that.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return state.rpartition(")")[2].split()[0] == "Z"
    return False


class ForkProvisioner(LocalProvisioner):
    """Starts a kernel by a fork where there is a server that forks, else as a process anew."""

    server: ForkServer | None = None
    output: Path | None = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start a kernel; `cmd` is what starts it as a process of its own."""
        # In a thread: the server may still be importing.
        process = await asyncio.to_thread(self._forked, cmd, kwargs)
        if process is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process = process  # type: ignore[assignment] # what it asks of Popen is there
        self.pid = self.pgid = process.pid
        self.cwd = kwargs.get("cwd", Path.cwd())
        return self.connection_info

    def _forked(self, cmd: list[str], options: Mapping[str, Any]) -> ForkedProcess | None:
        if self.server is None:
            return None
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        try:
            return self.server.fork(
                arguments, options.get("cwd") or Path.cwd(), self.output, options.get("env")
            )
        except OSError:
            return None
