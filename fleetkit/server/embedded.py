"""The demo organisation, served from a child process.

The parent imports neither the database nor the web framework. The child exits when its parent
does, even if that is killed: it checks the pipe between them and the id of its parent process.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from typing import TYPE_CHECKING

from fleetkit.errors import FleetkitError

if TYPE_CHECKING:
    from fleetkit.server.store import Store

__all__ = ["ORGANISATION", "EmbeddedServer", "demo_store"]

ORGANISATION = "Nordlys Drone Services (demo)"
# Longest start, without the time that a large organisation takes. [s]
_START_TIMEOUT = 60.0
# With more flights the database is a file (about 800 bytes for each): in memory SQLite takes 1 GiB.
_MOST_IN_MEMORY = 200_000


class EmbeddedServer:
    """The demo organisation over real HTTP, on a free port of this machine.

    Parameters
    ----------
    as_of : date, optional
        The organisation's today; default: today, UTC.
    equipment, flights : int
        Size of the organisation.
    seed : int
        A different seed gives a different organisation.

    Attributes
    ----------
    base_url : str
        Address, once started.
    api_key : str
        A key with all scopes, once started.
    organisation : str
        Its name.

    Examples
    --------
    >>> import requests
    >>> with EmbeddedServer(equipment=16, flights=50) as demo:
    ...     headers = {"X-API-Key": demo.api_key}
    ...     answer = requests.get(f"{demo.base_url}/v1/equipment", headers=headers, timeout=10)
    >>> answer.json()["meta"]["pagination"]["total"]
    16
    """

    def __init__(
        self, as_of: date | None = None, equipment: int = 64, flights: int = 12_000, seed: int = 7
    ) -> None:
        self._timeout = _START_TIMEOUT + flights / 1_000
        day = None if as_of is None else as_of.isoformat()
        self._arguments = (day, equipment, flights, seed)
        self.base_url = ""
        self.api_key = ""
        self.organisation = ORGANISATION
        self._finalizer: weakref.finalize[..., EmbeddedServer] | None = None

    def __repr__(self) -> str:
        return f"EmbeddedServer({self.base_url or 'not started'})"

    def __enter__(self) -> EmbeddedServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> EmbeddedServer:
        """Start the server and wait until it answers; nothing happens if it is started.

        Raises
        ------
        FleetkitError
            The server could not start.
        """
        if self._finalizer is None:
            # -P: a random.py in the user's folder must not replace the standard library's.
            command = [sys.executable, "-P", "-m", "fleetkit.server.embedded"]
            process = subprocess.Popen(  # noqa: S603 - this very module
                [*command, json.dumps(self._arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            try:
                self._finalizer = weakref.finalize(self, _stop, process)
                ready = _first_line(process, self._timeout)
                if "base_url" not in ready:
                    raise FleetkitError(f"The embedded server did not start: {ready['error']}")
            except BaseException:  # Ctrl-C
                self.stop()
                raise
            self.base_url, self.api_key = ready["base_url"], ready["api_key"]
        return self

    def stop(self) -> None:
        """Stop the server; nothing happens if it isn't started."""
        if self._finalizer is not None:
            self._finalizer()
        self._finalizer, self.base_url, self.api_key = None, "", ""


def _first_line(process: subprocess.Popen[bytes], timeout: float) -> dict[str, str]:
    """Read the child's report of its start; a child without one is killed."""
    assert process.stdout is not None  # noqa: S101
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(timeout, give_up)
    timer.start()
    try:
        line = process.stdout.readline()
    finally:
        timer.cancel()
    if line:
        return dict(json.loads(line))
    if late.is_set():
        slow = f"it wasn't ready within {timeout:.0f} s."
        return {"error": f"{slow} Try again once the machine is less busy, or with fewer flights."}
    return {"error": f"its process exited with code {process.wait()}."}


def _stop(process: subprocess.Popen[bytes]) -> None:
    with process:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def demo_store(
    as_of: date | None, equipment: int, flights: int, seed: int
) -> Iterator[tuple[Store, str]]:
    """Yield a store with the demo organisation, and a key to it."""
    from fleetkit.server.demo import demo_stream  # noqa: PLC0415 - the parent must not load it
    from fleetkit.server.store import Store  # noqa: PLC0415 - as above

    with _database(flights) as url, closing(Store(url)) as store:
        organisation = store.create_organisation(ORGANISATION)
        store.load(organisation, **demo_stream(seed, equipment, flights, as_of=as_of))
        yield store, store.create_key(organisation, name="demo")


@contextmanager
def _database(flights: int) -> Iterator[str]:
    """Yield the address of an empty database, which is gone afterwards."""
    if flights <= _MOST_IN_MEMORY:
        yield "sqlite://"
        return
    if threading.current_thread() is threading.main_thread():
        # Without this, a process that is terminated leaves its files.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="fleetkit-demo-") as folder:
        yield f"sqlite:///{folder}/demo.db"


def _main(as_of: str | None, equipment: int, flights: int, seed: int) -> None:
    """Serve in the child process until the parent exits."""
    # An interrupt from the keyboard is for the parent, which then stops the child.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        from fleetkit.server.asgi import create_app  # noqa: PLC0415
        from fleetkit.server.running import running  # noqa: PLC0415

        day = None if as_of is None else date.fromisoformat(as_of)
        with (
            demo_store(day, equipment, flights, seed) as (store, api_key),
            running(create_app(store)) as base_url,
        ):
            _report({"base_url": base_url, "api_key": api_key})
            threading.Event().wait()
    except Exception as problem:  # the parent reports it
        _report({"error": str(problem)})


def _report(result: dict[str, str]) -> None:
    print(json.dumps(result), flush=True)


def _end_with(parent: int) -> None:
    """End this process when its parent does, also while a large organisation is still made."""
    if sys.platform == "win32":
        sys.stdin.buffer.read()
    while sys.platform != "win32" and os.getppid() == parent:
        readable, _, _ = select.select([sys.stdin], [], [], 1.0)
        if readable:
            break
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    _main(*json.loads(sys.argv[1]))
