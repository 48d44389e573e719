"""An organisation of a given size, served by another process; for the benchmarks of the client.

As a programme it is that process: it fills a store, serves it once for each set of dials, prints
the addresses and the key as one line of JSON, and ends when its standard input does.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from decode import flight


@contextmanager
def served(
    equipment: int, flights_each: int, dials: list[dict[str, Any]]
) -> Iterator[tuple[list[str], str, str]]:
    """Serve the same records from one process, under each set of dials at its own address.

    Yields
    ------
    (list of str, str, str)
        Base URLs, one for each set of dials; a key; the key of an organisation with one flight, to
        warm up with.
    """
    order = json.dumps([equipment, flights_each, dials])
    child = subprocess.Popen(
        [sys.executable, __file__, order], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        try:
            yield tuple(json.loads(child.stdout.readline()))
        finally:
            child.stdin.close()


def serve(equipment: int, flights_each: int, dials: list[dict[str, Any]]) -> None:
    from fleetkit.server import Dials, Store, create_app
    from fleetkit.server.running import running

    store = Store("sqlite://")
    keys = [fill(store, equipment, flights_each), fill(store, 1, 1)]
    with ExitStack() as stack:
        urls = [stack.enter_context(running(create_app(store, Dials(**each)))) for each in dials]
        print(json.dumps([urls, *keys]), flush=True)
        sys.stdin.read()


def fill(store: Any, equipment: int, flights_each: int) -> str:
    """Fill an organisation and return a key to it."""
    organisation = store.create_organisation(f"{equipment} × {flights_each}")
    chance = random.Random(7)
    for number in range(equipment):
        piece = {"id": f"eq_{number:05d}", "createdAt": "2024-01-01T08:00:00.000Z"}
        flights = [
            json.loads(flight(chance)) | {"id": f"fl_{number:05d}_{each:05d}"}
            for each in range(flights_each)
        ]
        pairs = [(each["id"], piece["id"]) for each in flights]
        store.load(organisation, equipment=[piece], flights=flights, flight_equipment=pairs)
    return store.create_key(organisation, name="benchmark")


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))
