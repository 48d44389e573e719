"""Processes of a test's own: forked ones, and what a process has open."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

# A child that takes this long waits for something that never comes. [s]
PATIENCE = 60.0


def no_thread(_: object) -> NoReturn:
    """Start a thread where the system allows no more of them."""
    raise RuntimeError("can't start new thread")


def in_forks(count: int, work: Callable[[], Any]) -> list[Any]:
    """Fork this process `count` times, all at once, and return what `work` gives in each."""
    context = multiprocessing.get_context("fork")
    children = []
    for _ in range(count):
        mine, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_tell, args=(theirs, work))
        child.start()
        theirs.close()
        children.append((child, mine))
    return [_told(*child) for child in children]


def _tell(pipe: Any, work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as problem:
        result = problem
    pipe.send(result)


def _told(child: Any, pipe: Any) -> Any:
    try:
        assert pipe.poll(PATIENCE), "the child hangs"
        result = pipe.recv()
    finally:
        child.join(1.0)
        child.kill()
        child.join()
    if isinstance(result, BaseException):
        raise result
    return result


@contextmanager
def ended_by_hangups() -> Iterator[None]:
    """Let processes that are started meanwhile end with their terminal, though nohup began all."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def children(process: int | str) -> list[str]:
    """Return the processes that a process has started and that have not ended."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # the thread ended meanwhile
            found += task.read_text().split()
    return found


def left_of(processes: list[str]) -> list[str]:
    """Return those of some processes that don't end, nor their parents take note of it."""
    ends = time.monotonic() + PATIENCE
    while (left := [pid for pid in processes if Path(f"/proc/{pid}").exists()]) and (
        time.monotonic() < ends
    ):
        time.sleep(0.02)
    return left


def count_equipment(fleet: Any) -> int:
    """Work of a process that starts anew: it stands here, where it needs import no test."""
    return len(fleet.equipment())


def pickled(given: Any) -> Any:
    """Return what comes out of a pickle of something."""
    return pickle.loads(pickle.dumps(given))  # noqa: S301 - our own


def open_files() -> set[tuple[int, int, int]]:
    """Return descriptor, device and inode of every file and folder this process holds open.

    Connections don't count: those of a server in this process close whenever they like.
    """
    held = set()
    for path in Path("/dev/fd").iterdir():
        with suppress(OSError):  # the list itself is closed by now
            status = os.fstat(int(path.name))
            if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
                held.add((int(path.name), status.st_dev, status.st_ino))
    return held


def our_threads() -> list[str]:
    """Return the names of the threads in which clients of this process read."""
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith("fleetkit-reads-")]


def connections_to(base_url: str) -> int:
    """Return how many connections to a server of this machine this process holds open."""
    port = int(base_url.rsplit(":", 1)[1])
    ours = {_inode(path) for path in Path("/proc/self/fd").iterdir()}
    return sum(remote == port and inode in ours for _, remote, _, inode in _tcp())


def connections_at(base_url: str) -> int:
    """Return how many connections a server of this machine has that nobody has closed yet."""
    port = int(base_url.rsplit(":", 1)[1])
    established = "01"
    return sum(local == port and state == established for local, _, state, _ in _tcp())


def _tcp() -> Iterator[tuple[int, int, str, str]]:
    """Yield local and remote port, state and inode of every TCP connection."""
    for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, _, _, _, _, _, inode, *_ = line.split()
        yield int(local.split(":")[1], 16), int(remote.split(":")[1], 16), state, inode


def _inode(descriptor: Path) -> str:
    with suppress(OSError):
        return descriptor.readlink().name.removeprefix("socket:[").removesuffix("]")
    return ""
