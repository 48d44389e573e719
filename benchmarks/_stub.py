"""An organisation of any size, served by another process that holds none of it: pages as asked for.

As a programme it is that process: it prints its address as a line, and ends when its standard
input does. Flights of a piece of equipment lie evenly over 36 months; every fifth is in the list of
the next piece too, as a camera's is. Answers take next to no time beside the latency that is asked
for: what is measured is the client.
"""

from __future__ import annotations

import asyncio
import json
import random
import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from _sizes import size
from decode import flight

PAGE, MONTHS, SHARED = 100, 36, 5
FIRST, DAYS = datetime(2023, 11, 1), 1096
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


@contextmanager
def stub(equipment: int, flights_each: int, latency: float = 0.0) -> Iterator[str]:
    """Serve an organisation from a process of its own, so many seconds late; yield its address."""
    command = [sys.executable, __file__, str(equipment), str(flights_each), str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            yield child.stdout.readline().decode().strip()
        finally:
            child.stdin.close()


class Organisation:
    """Pages of lists, put together from a few thousand flights without id and date."""

    def __init__(self, equipment: int, flights_each: int) -> None:
        self.equipment, self.flights_each = equipment, flights_each
        chance = random.Random(7)
        parts = []
        for _ in range(size(2_000, 100)):
            fields = json.loads(flight(chance)) | {"flightDate": "DATE"}
            text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
            parts.append(text.replace("%", "%%").replace('"ID"', '"%s"').replace("DATE", "%s"))
        self.templates = parts
        step = timedelta(DAYS) / max(1, flights_each)
        self.dates = [
            (FIRST + number * step).isoformat(timespec="milliseconds") + "Z"
            for number in range(flights_each)
        ]

    def answer(self, path: str, page: int) -> bytes:
        """Return the body of one page."""
        parts = path.split("/")
        if parts[-1] == "flights":
            return self._flights(int(parts[-2].removeprefix("eq_")), page)
        if parts[-1] == "equipment":
            first = (page - 1) * PAGE
            last = min(first + PAGE, self.equipment)
            return _page(map(self._piece, range(first, last)), page, self.equipment)
        if parts[-1] == "services":
            return b'{"success":true,"data":[]}'
        return _page((), page, 0)

    def _piece(self, number: int) -> str:
        counters = f'"totalFlights":{self.total},"totalFlightHours":{self.total / 3}'
        created = '"createdAt":"2023-01-01T08:00:00.000Z"'
        return f'{{"id":"eq_{number:05d}","type":"DRONE",{counters},{created}}}'

    @property
    def total(self) -> int:
        """Flights in the list of a piece: its own, and every fifth of the one before."""
        return self.flights_each + -(-self.flights_each // SHARED)

    def _flights(self, piece: int, page: int) -> bytes:
        before = (piece - 1) % self.equipment
        rows = []
        for place in range((page - 1) * PAGE, min(page * PAGE, self.total)):
            own = place < self.flights_each
            number = place if own else (place - self.flights_each) * SHARED
            owner = piece if own else before
            template = self.templates[(owner * 31 + number) % len(self.templates)]
            rows.append(template % (f"fl_{owner:05d}_{number:06d}", self.dates[number]))
        return _page(rows, page, self.total)


def _page(rows: Iterator[str] | list[str] | tuple[()], page: int, total: int) -> bytes:
    more = "true" if page * PAGE < total else "false"
    meta = f'{{"page":{page},"limit":{PAGE},"total":{total},"hasMore":{more}}}'
    return f'{{"success":true,"data":[{",".join(rows)}],"meta":{{"pagination":{meta}}}}}'.encode()


class Protocol(asyncio.Protocol):
    """Reads a request line and its headers, writes a page."""

    def __init__(self, organisation: Organisation, latency: float) -> None:
        self.organisation, self.latency, self.received = organisation, latency, b""
        self.loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        asked = self.loop.time()
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            path, _, query = head.split(b" ", 2)[1].decode().partition("?")
            options = dict(option.split("=", 1) for option in query.split("&") if "=" in option)
            body = self.organisation.answer(path, int(options.get("page", 1)))
            answer = (HEAD % len(body)).encode() + body
            # Making the page is part of the latency, as long as it takes less.
            self.loop.call_at(asked + self.latency, self.transport.write, answer)


async def main(equipment: int, flights_each: int, latency: float) -> None:
    loop = asyncio.get_running_loop()
    protocol = partial(Protocol, Organisation(equipment, flights_each), latency)
    server = await loop.create_server(protocol, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def precise_loop() -> asyncio.AbstractEventLoop:
    """Return a loop whose timers are not rounded up to milliseconds, as those of epoll are."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        runner.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
