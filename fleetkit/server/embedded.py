"""The demo organisation served from a child process, for as long as somebody holds it.

This module's parent side imports neither the database nor the web framework. The child ends when
its parent does, however that ends: it watches the pipe that connects them, and whose child it is.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from datetime import date
from types import TracebackType
from typing import TYPE_CHECKING, Any

from fleetkit.errors import FleetkitError

if TYPE_CHECKING:
    from fleetkit.server.dials import Dials
    from fleetkit.server.limits import Limits
    from fleetkit.server.store import Store

__all__ = ["EmbeddedServer", "serve_demo"]

ORGANISATION = "Nordlys Drone Services (demo)"
# Longest start, for the default size; a larger one may take its time. [s]
_PATIENCE = 60.0


class EmbeddedServer:
    """The demo organisation over real HTTP, on a free port of this machine.

    Parameters
    ----------
    as_of : date, optional
        The day on which the organisation is looked at; default: today, UTC.
    equipment, flights : int
        Size of the organisation.
    seed : int
        Another seed, another organisation.

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
        self,
        as_of: date | None = None,
        equipment: int = 64,
        flights: int = 12_000,
        seed: int = 7,
    ) -> None:
        self._patience = _PATIENCE + flights / 1_000
        self._wanted = {
            "as_of": None if as_of is None else as_of.isoformat(),
            "equipment": equipment,
            "flights": flights,
            "seed": seed,
        }
        self.base_url = ""
        self.api_key = ""
        self.organisation = ORGANISATION
        self._finalizer: weakref.finalize[..., EmbeddedServer] | None = None

    def __repr__(self) -> str:
        return f"EmbeddedServer({self.base_url or 'not started'})"

    def __enter__(self) -> EmbeddedServer:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> EmbeddedServer:
        """Start the server and wait until it answers; once started, this does nothing.

        Raises
        ------
        FleetkitError
            It could not start; the message says why.
        """
        if self._finalizer is None:
            # -P: a random.py beside the user's notebook is not the library's.
            command = [sys.executable, "-P", "-m", "fleetkit.server.embedded"]
            process = subprocess.Popen(  # noqa: S603 - this very module
                [*command, json.dumps(self._wanted)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._finalizer = weakref.finalize(self, _stop, process)
            ready = _first_line(process, self._patience)
            if "base_url" not in ready:
                self.stop()
                raise FleetkitError(f"The embedded server did not start: {ready['error']}")
            self.base_url, self.api_key = ready["base_url"], ready["api_key"]
        return self

    def stop(self) -> None:
        """Stop the server; stopped or never started, this does nothing."""
        if self._finalizer is not None:
            self._finalizer()
        self._finalizer, self.base_url, self.api_key = None, "", ""


def _first_line(process: subprocess.Popen[bytes], patience: float) -> dict[str, str]:
    """Read what the child says about its start; a child that says nothing is ended."""
    assert process.stdout is not None  # noqa: S101
    watch = threading.Timer(patience, process.kill)
    watch.start()
    try:
        line = process.stdout.readline()
    finally:
        watch.cancel()
    if line:
        return dict(json.loads(line))
    return {"error": f"its process ended with exit code {process.wait()}."}


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.terminate()  # it would only look at its pipe once it has started
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def serve_demo(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    as_of: date | None = None,
    equipment: int = 64,
    flights: int = 12_000,
    seed: int = 7,
    dials: Dials | None = None,
    limits: Limits | None = None,
    say: Callable[[str], object] = print,
) -> None:
    """Serve the demo organisation from this process until it is told to stop.

    Parameters
    ----------
    host, port : str, int
        Where to listen; port 0 takes a free one.
    as_of, equipment, flights, seed
        As for `EmbeddedServer`.
    dials : Dials, optional
        How open questions are settled.
    limits : Limits, optional
        What one client may take of the server.
    say : callable
        Takes the address, a key and what to do next, a line each, for people.
    """
    from fleetkit.server.running import serve  # noqa: PLC0415 - the parent's side needs none of it

    store, api_key = _demo(as_of=as_of, equipment=equipment, flights=flights, seed=seed)

    def ready(base_url: str) -> None:
        say(f"{ORGANISATION}: {base_url}")
        say(f"API key: {api_key}")
        say(
            "Next, in another terminal, with that key in FLEETKIT_API_KEY:"
            f" fleetkit check --base-url {base_url}"
        )
        say("Stop with Ctrl+C.")

    serve(store, host=host, port=port, dials=dials, limits=limits, ready=ready)
    store.close()


def _demo(**wanted: Any) -> tuple[Store, str]:
    """Return a store with the demo organisation, and a key to it."""
    from fleetkit.server.demo import demo_stream  # noqa: PLC0415
    from fleetkit.server.store import Store  # noqa: PLC0415

    store = Store("sqlite://")
    organisation = store.create_organisation(ORGANISATION)
    store.load(organisation, **demo_stream(**wanted))
    return store, store.create_key(organisation, name="demo")


def _main(wanted: dict[str, Any]) -> None:
    """Run in the child: serve until the parent is gone."""
    # An interrupt from the keyboard is for the parent, which then stops this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    try:
        from fleetkit.server.asgi import create_app  # noqa: PLC0415
        from fleetkit.server.running import running  # noqa: PLC0415

        as_of = wanted.pop("as_of")
        store, api_key = _demo(**wanted, as_of=None if as_of is None else date.fromisoformat(as_of))
        with running(create_app(store)) as base_url:
            _say({"base_url": base_url, "api_key": api_key})
            _wait_for_the_end_of(parent)
    except Exception as problem:  # the parent words it for people
        _say({"error": str(problem)})


def _say(words: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def _wait_for_the_end_of(parent: int) -> None:
    while os.getppid() == parent:
        if sys.platform == "win32":
            sys.stdin.buffer.read()
            return
        readable, _, _ = select.select([sys.stdin], [], [], 1.0)
        if readable:
            return


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
