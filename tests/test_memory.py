"""What is free again goes back to the system."""

import subprocess
import sys

import pytest

from fleetkit import memory
from fleetkit.tables import frames

# Reads flights from pages, and prints how much this process has grown, and what they take. [MB]
LOADING = """
import json
import sys
from fleetkit import tables

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

def page(number):
    blank = {"durationSeconds": 600, "takeoffLat": 59.9, "pilotInCommand": {"id": "p", "fullName": "Ada"}}
    rows = [{"id": f"fl_{number:06d}{place:02d}", "flightDate": "2026-10-01T08:00:00.000Z", **blank}
            for place in range(100)]
    return json.dumps({"success": True, "data": rows}).encode()

reader = tables.FlightReader()
reader.add("eq", page(0))
reader.finish()
before = resident()
for number in range(int(sys.argv[1]) // 100):
    reader.add("eq", page(number))
flights, bridge = reader.finish()
print(resident() - before, flights.memory_usage(deep=True).sum() / 2**20)
"""  # noqa: E501 - a program


@pytest.mark.slow
@pytest.mark.skipif(memory._trim() is None, reason="another C library gives back what it will")
def test_of_the_pages_that_flights_were_read_from_nothing_stays_in_memory():
    command = [sys.executable, "-c", LOADING, str(frames.MUCH)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    grown, table = map(float, done.stdout.split())
    assert grown < 2 * table
