"""An organisation of a given size, served by another process; for the benchmarks of the client.

As a programme it is that process: it fills a store, serves it once for each set of dials, prints
the addresses and the key as one line of JSON, and ends when its standard input does.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from decode import DRIFTS, flight


@contextmanager
def served(
    equipment: int,
    flights_each: int,
    dials: list[dict[str, Any]],
    drifts: list[str] | None = None,
) -> Iterator[tuple[list[str], str, str]]:
    """Serve the same records from one process, under each set of dials at its own address.

    Parameters
    ----------
    equipment, flights_each : int
        Size of the organisation.
    dials : list of dict
        One address each.
    drifts : list of str, optional
        One address more each: a key of `decode.DRIFTS`, by which flights differ from the reference.

    Yields
    ------
    (list of str, str, str)
        Base URLs, in order; a key; the key of an organisation with one flight, to warm up with.
    """
    order = json.dumps([equipment, flights_each, dials, drifts or []])
    child = subprocess.Popen(
        [sys.executable, __file__, order], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        try:
            yield tuple(json.loads(child.stdout.readline()))
        finally:
            child.stdin.close()


def serve(
    equipment: int, flights_each: int, dials: list[dict[str, Any]], drifts: list[str]
) -> None:
    from fleetkit.server import Dials, Store, create_app
    from fleetkit.server.running import running

    store = Store("sqlite://")
    keys = [fill(store, equipment, flights_each), fill(store, 1, 1)]
    with ExitStack() as stack:
        apps = [create_app(store, Dials(**settings)) for settings in dials]
        apps += [drifted(create_app(store), DRIFTS[drift]) for drift in drifts]
        urls = [stack.enter_context(running(app)) for app in apps]
        print(json.dumps([urls, *keys]), flush=True)
        sys.stdin.read()


def drifted(app: Any, drift: Callable[[bytes], bytes]) -> Any:
    """Change the body of every answer."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        held: list[Any] = []

        async def change(message: Any) -> None:
            held.append(message)
            if message["type"] != "http.response.body" or message.get("more_body"):
                return
            body = drift(b"".join(message.get("body", b"") for message in held))
            start = held[0]
            start["headers"] = [
                (name, str(len(body)).encode() if name == b"content-length" else value)
                for name, value in start["headers"]
            ]
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await app(scope, receive, change)

    return answer


def fill(store: Any, equipment: int, flights_each: int) -> str:
    """Fill an organisation and return a key to it."""
    organisation = store.create_organisation(f"{equipment} × {flights_each}")
    chance = random.Random(7)
    for number in range(equipment):
        piece = {"id": f"eq_{number:05d}", "createdAt": "2024-01-01T08:00:00.000Z"}
        flights = [
            json.loads(flight(chance)) | {"id": f"fl_{number:05d}_{index:05d}"}
            for index in range(flights_each)
        ]
        pairs = [(log["id"], piece["id"]) for log in flights]
        store.load(organisation, equipment=[piece], flights=flights, flight_equipment=pairs)
    return store.create_key(organisation, name="benchmark")


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))
