"""A fleet's flights over HTTP to one DataFrame: fleetkit beside a plain loop and beside dlt.

    python benchmarks/load.py [--equipment 200] [--flights 500] [--connections 16]

All ways read the same server, in a process of its own, one after the other, each in a fresh
process that has read one flight before: at no added latency, and at 50 ms, where the limit is
requests × latency / connections. fleetkit also reads a stub that spends next to nothing on an
answer: what is lost there is the client's share. The plain loop and dlt to DuckDB, whose time grows
with the pages, read the flights of a quarter of the equipment, and their time counts four times.

No client reaches the limit itself. The first page alone tells what else there is to read, so that
the shortest load is 1 + ceil((requests - 1) / connections) round trips: of 1,202 requests on 16
connections 77, where the limit is 75.1, 0.976 of it. And a round trip takes longer than the latency
by what the service does and the page travels: that of a connection with nothing else to do is
measured in the same run, and the most that any client could reach with it is printed beside.

A quiet machine of two cores reached 0.90 of the limit, and 0.93 with the stub; 16 × the plain loop,
1.5 × dlt and 10 × dlt to DuckDB.

Then, what it costs fleetkit where flights hold something that the reference doesn't know: its CPU
time against that of the same load without it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from _served import served
from _sizes import TINY, exit_code, size
from _stub import PAGE, SHARED, stub
from decode import DRIFTS

LATENCY = 0.05
# CPU with a drift of the service ÷ CPU without.
DRIFT_COSTS, DRIFT_ROUNDS = 1.2, size(2, 1)
# One of so many pieces of equipment is read by those ways that would take minutes.
PART = size(4, 1)
# Requests on a connection with nothing else to do; the fastest counts.
ROUND_TRIPS = size(40, 2)
# Ratios to reach at LATENCY.
OF_LIMIT, OF_LIMIT_AT_STUB = 0.9, 0.93
FASTER_THAN = {"plain loop": 16.0, "dlt": 2.1, "dlt to DuckDB": 19.0}


def fleetkit(base_url: str, key: str, connections: int) -> int:
    from fleetkit.client import Client
    from fleetkit.tables import FlightReader

    with Client(base_url, key, concurrency=connections) as client:
        reader = FlightReader()
        _, lists = client.equipment_and_flight_pages()
        for equipment_id, bodies in lists:
            for body in bodies:
                reader.add(equipment_id, body)
        return len(reader.finish()[0])


def plain_loop(base_url: str, key: str, connections: int) -> int:
    import pandas as pd
    import requests

    session = requests.Session()
    session.headers["X-API-Key"] = key

    def rows(path: str) -> Iterator[dict[str, Any]]:
        page, more = 1, True
        while more:
            params = {"page": page, "limit": 100}
            answer = session.get(base_url + path, params=params, timeout=30).json()
            yield from answer["data"]
            page, more = page + 1, answer["meta"]["pagination"]["hasMore"]

    ids = [record["id"] for record in rows("/v1/equipment")]
    flights = [flight for id in ids[::PART] for flight in rows(f"/v1/equipment/{id}/flights")]
    return len(pd.json_normalize(flights))


def dlt(base_url: str, key: str, connections: int) -> int:
    import pandas as pd

    source = _dlt_source(base_url, key, connections)
    return len(pd.json_normalize(list(source.resources["flights"])))


def dlt_to_duckdb(base_url: str, key: str, connections: int) -> int:
    import dlt as library
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/flights.duckdb"
        pipeline = library.pipeline(
            "load",
            pipelines_dir=folder,
            destination=library.destinations.duckdb(file),
            dataset_name="fleet",
        )
        source = _dlt_source(base_url, key, connections)
        source.resources["equipment"].add_filter(lambda piece: int(piece["id"][3:]) % PART == 0)
        pipeline.run(source.with_resources("flights"))
        with duckdb.connect(file) as database:
            return len(database.sql("select * from fleet.flights").df())


def _dlt_source(base_url: str, key: str, connections: int) -> Any:
    logging.disable()
    os.environ |= {
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "EXTRACT__WORKERS": str(connections),
        "EXTRACT__MAX_PARALLEL_ITEMS": str(connections),
    }
    from dlt.sources.rest_api import rest_api_source

    pages = {
        "type": "page_number",
        "base_page": 1,
        "total_path": None,
        "stop_after_empty_page": False,
        "has_more_path": "meta.pagination.hasMore",
    }
    endpoint = {"params": {"limit": 100}, "data_selector": "data", "paginator": pages}
    auth = {"type": "api_key", "name": "X-API-Key", "api_key": key, "location": "header"}
    return rest_api_source(
        {
            "client": {"base_url": base_url, "auth": auth},
            "resources": [
                {"name": "equipment", "endpoint": {"path": "v1/equipment", **endpoint}},
                {
                    "name": "flights",
                    "parallelized": True,
                    "endpoint": {
                        **endpoint,
                        "path": "v1/equipment/{resources.equipment.id}/flights",
                    },
                },
            ],
        }
    )


WAYS = {way.__name__: way for way in (fleetkit, plain_loop, dlt, dlt_to_duckdb)}
PARTIAL = {"plain_loop", "dlt_to_duckdb"}


def measure(way: str, base_url: str, small_url: str, connections: int) -> None:
    """Run one way; print seconds, CPU seconds and rows."""
    key, small_key = os.environ["FLEETKIT_API_KEY"].split()
    WAYS[way](small_url, small_key, connections)  # imports are not what is measured
    began, cpu = time.perf_counter(), time.process_time()
    rows = WAYS[way](base_url, key, connections)
    print(json.dumps([time.perf_counter() - began, time.process_time() - cpu, rows]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--equipment", type=int, default=size(200, 2))
    parser.add_argument("--flights", type=int, default=size(500, 20))
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure, chosen.connections)
        return 0
    pages = ceil(chosen.equipment / PAGE) + chosen.equipment * ceil(chosen.flights / PAGE)
    print(f"{chosen.equipment * chosen.flights:,} flights, {pages:,} requests")
    dials = [{"latency": 0.0}, {"latency": LATENCY}]
    drifts = list(DRIFTS)[: size(len(DRIFTS), 1)]
    kept = at_stub(chosen.equipment, chosen.flights, chosen.connections)
    with served(chosen.equipment, chosen.flights, dials, drifts) as (urls, *keys):
        most = most_of_limit(urls[1], keys[0], pages, chosen.connections)
        late = run(urls[1], keys, chosen.connections)
        without = late if TINY else run(urls[0], keys, chosen.connections)
        costs = drift_costs([urls[0], *urls[2:]], keys, chosen.connections)
    kept = compare(without, late, pages * LATENCY / chosen.connections, most) and kept
    for name, ratio in costs.items():
        print(f"{ratio:.2f} × the CPU with {name} (to reach: ≤ {DRIFT_COSTS})")
    return exit_code(kept and max(costs.values()) <= DRIFT_COSTS)


def measured(
    way: str, base_url: str, keys: list[str], connections: int, *, small_url: str = ""
) -> tuple[float, float, int]:
    """Return seconds, CPU seconds and rows of one way in a process of its own.

    It warms up with the organisation of the second key, or with the one at `small_url`.
    """
    command = [sys.executable, str(Path(__file__)), "--measure", way, base_url]
    command += [small_url or base_url]
    command += ["--connections", str(connections)]
    env = {**os.environ, "FLEETKIT_API_KEY": " ".join(keys), "PYTHONWARNINGS": "ignore"}
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env).stdout
    seconds, cpu, rows = json.loads(answer.splitlines()[-1])
    return seconds, cpu, rows


def drift_costs(urls: list[str], keys: list[str], connections: int) -> dict[str, float]:
    """Return the CPU time at each further address, as a multiple of that at the first one."""
    best = dict.fromkeys(urls, float("inf"))
    for _ in range(DRIFT_ROUNDS):
        for url in urls:
            _, cpu, _ = measured("fleetkit", url, keys, connections)
            best[url] = min(best[url], cpu)
    return {name: best[url] / best[urls[0]] for name, url in zip(DRIFTS, urls[1:], strict=not TINY)}


def at_stub(equipment: int, flights: int, connections: int) -> bool:
    """Print which part of the limit is reached where the service costs next to nothing."""
    keys = ["flk_" + "x" * 40] * 2
    with stub(equipment, flights, LATENCY) as url, stub(2, 2) as small_url:
        lists = ceil((flights + ceil(flights / SHARED)) / PAGE)
        pages = ceil(equipment / PAGE) + equipment * lists
        most = most_of_limit(url, keys[0], pages, connections)
        seconds, cpu, rows = measured("fleetkit", url, keys, connections, small_url=small_url)
    of_limit = pages * LATENCY / connections / seconds
    print(
        f"stub at {LATENCY * 1000:.0f} ms: {of_limit:.3f} of the limit (to reach: ≥ "
        f"{OF_LIMIT_AT_STUB}; no client: > {most:.2f}), {cpu / pages * 1000:.2f} ms of CPU per "
        f"page, {rows:,} rows"
    )
    return of_limit >= OF_LIMIT_AT_STUB


def most_of_limit(base_url: str, key: str, pages: int, connections: int) -> float:
    """Return the part of the limit that no client exceeds, from the round trip of a bare one."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    times = []
    for _ in range(ROUND_TRIPS):
        began = time.perf_counter()
        path = f"/v1/equipment/eq_00000/flights?page=1&limit={PAGE}"
        connection.request("GET", path, headers={"X-API-Key": key})
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
    connection.close()
    shortest = (1 + ceil((pages - 1) / connections)) * min(times)
    return pages * LATENCY / connections / shortest


def run(base_url: str, keys: list[str], connections: int) -> dict[str, float]:
    """Return the seconds that each way takes."""
    found = {}
    for way in WAYS:
        seconds, cpu, rows = measured(way, base_url, keys, connections)
        if way in PARTIAL:
            seconds, cpu, rows = (PART * value for value in (seconds, cpu, rows))
        name = way.replace("_to_duckdb", " to DuckDB").replace("_", " ")
        print(f"  {name:>14} {seconds:8.2f} s, {cpu:6.2f} s of CPU, {rows:,} rows", flush=True)
        found[name] = seconds
    return found


def compare(without: dict[str, float], late: dict[str, float], limit: float, most: float) -> bool:
    ratios = {name: without[name] / without["fleetkit"] for name in FASTER_THAN}
    said = ", ".join(f"{ratio:.1f} × {name}" for name, ratio in ratios.items())
    print(f"without latency: {said}")
    of_limit = limit / late["fleetkit"]
    kept = of_limit >= OF_LIMIT
    print(
        f"at {LATENCY * 1000:.0f} ms: {of_limit:.3f} of the limit (to reach: ≥ {OF_LIMIT}; "
        f"no client: > {most:.2f})"
    )
    for name, reach in FASTER_THAN.items():
        ratio = late[name] / late["fleetkit"]
        kept = kept and ratio >= reach
        print(f"at {LATENCY * 1000:.0f} ms: {ratio:.1f} × as fast as {name} (to reach: ≥ {reach})")
    return kept


if __name__ == "__main__":
    sys.exit(main())
