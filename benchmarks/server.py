"""The server under load: pages of 100 flights, beside a fixed body of that size.

    python benchmarks/server.py [--flights 200000] [--requests 4000] [--connections 32]

The fixed body comes from the same web framework and HTTP server, so that what remains is our share.
One process serves; it tells its own CPU time and memory.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from typing import Any

from _sizes import exit_code, size

EQUIPMENT = 100
SPREAD, DEEPER, GROWTH = 5.0, 2.0, 10.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(200_000, 2_000))
    parser.add_argument("--requests", type=int, default=size(4_000, 60))
    parser.add_argument("--connections", type=int, default=32)
    chosen = parser.parse_args()
    child = subprocess.Popen(
        [sys.executable, __file__, "--serve", str(chosen.flights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        port, fixed_port, key, last_pages = json.loads(child.stdout.readline())
        ask = partial(load, key=key, connections=chosen.connections)
        measured = partial(measure, child, count=chosen.requests)
        ours, fixed_body = partial(ask, port=port), partial(ask, port=fixed_port)

        flights = "/v1/equipment/{}/flights?limit=100&page={}"
        early = [flights.format(id, 1) for id in last_pages]
        deep = [flights.format(id, page) for id, page in last_pages.items()]
        fixed = measured("a fixed body", fixed_body, ["/"])
        first = measured("the first page", ours, early)
        late = measured("the last full page", ours, deep)
        by_duration = [f"{path}&orderBy=duration_desc" for path in deep]
        mixed = measured("both, by duration", ours, by_duration + early)
        again = measured("the same again", ours, by_duration + early)
        child.stdin.close()
    print(f"our share of a page's CPU: {1 - fixed['cpu'] / first['cpu']:.2f}")
    ratios = (
        (f"p99 ÷ p50 at {chosen.connections} connections", first["p99"] / first["p50"], SPREAD),
        ("a deep page ÷ an early one", late["cpu"] / first["cpu"], DEEPER),
        ("memory grown, MB", again["megabytes"] - mixed["megabytes"], GROWTH),
    )
    for what, ratio, reach in ratios:
        print(f"{what}: {ratio:.2f} (to reach: ≤ {reach:g})")
    return exit_code(all(ratio <= reach for _, ratio, reach in ratios))


def measure(
    child: subprocess.Popen[str],
    what: str,
    ask: Callable[..., list[float]],
    paths: list[str],
    *,
    count: int,
) -> dict[str, float]:
    """Return CPU time [s] of a request, waits [ms] and memory [MB], once the server is warm."""
    ask(paths=list(islice(cycle(paths), size(1_000, 10))))
    before = usage(child)
    waits = ask(paths=list(islice(cycle(paths), count)))
    after = usage(child)
    figures = {
        "cpu": (after["cpu"] - before["cpu"]) / len(waits),
        "p50": waits[len(waits) // 2],
        "p99": waits[len(waits) * 99 // 100],
        "megabytes": after["megabytes"],
    }
    print(
        f"{what:<22} {1 / figures['cpu']:6.0f} requests/s of CPU, p50 {figures['p50']:5.1f} ms,"
        f" p99 {figures['p99']:5.1f} ms, {figures['megabytes']:4.0f} MB",
        flush=True,
    )
    return figures


def load(port: int, key: str, connections: int, paths: list[str]) -> list[float]:
    """Ask for paths over parallel connections; return each wait in ms, sorted."""
    waits: list[float] = []
    todo = iter(paths)

    def work() -> None:
        with socket.create_connection(("127.0.0.1", port)) as line, line.makefile("rb") as answer:
            for path in todo:
                began = time.perf_counter()
                line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\r\n".encode())
                if b" 200 " not in answer.readline():
                    raise RuntimeError(f"{path} was refused")
                length = 0
                while (header := answer.readline()) != b"\r\n":
                    if header.lower().startswith(b"content-length"):
                        length = int(header.partition(b":")[2])
                answer.read(length)
                waits.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(waits)


def usage(child: subprocess.Popen[str]) -> dict[str, float]:
    """Return what the server has used so far."""
    child.stdin.write("\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


def serve(flights: int) -> None:
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    from fleetkit.server import Store, create_app
    from fleetkit.server.demo import demo_stream
    from fleetkit.server.running import running

    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/fleet.db")
        organisation = store.create_organisation("Benchmark")
        store.load(organisation, **demo_stream(equipment=EQUIPMENT, flights=flights))
        key = store.create_key(organisation, name="benchmark")
        pages = full_pages(store, key)
        body = b"x" * 48_000

        async def fixed(_: Any) -> Response:
            return Response(body, media_type="application/json")

        plain = Starlette(routes=[Route("/", fixed)])
        with running(create_app(store)) as base_url, running(plain) as fixed_url:
            ports = [int(url.rpartition(":")[2]) for url in (base_url, fixed_url)]
            say([*ports, key, pages])
            for _ in sys.stdin:
                say({"cpu": time.process_time(), "megabytes": resident()})


def full_pages(store: Any, key: str) -> dict[str, int]:
    """Return each piece of equipment with many flights, and its last full page of 100."""
    from fleetkit.server.reader import FlightQuery

    with store.reading() as reader:
        owner = reader.authenticate(key).organisation
        pieces = reader.page("equipment", owner, page=1, limit=EQUIPMENT).documents
        ids = [json.loads(piece)["id"] for piece in pieces]
        read: Callable[..., Any] = reader.flights
        totals = {id: read(owner, id, FlightQuery(), page=1, limit=1).total for id in ids}
    most = max(totals.values())
    return {id: max(1, total // 100) for id, total in totals.items() if total > most / 4}


def resident() -> float:
    with open("/proc/self/statm") as file:  # noqa: PTH123 - no file of ours
        return int(file.read().split()[1]) * 4096 / 1e6


def say(words: Any) -> None:
    print(json.dumps(words), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]))
    else:
        sys.exit(main())
