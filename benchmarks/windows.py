"""A month's report from a large mirror beside one from the demo's: CPU, and memory of each kernel.

    python benchmarks/windows.py [--flights 1000000] [--equipment 5000] [--engine polars]

Both mirrors are synced from the demo's server at their size (minutes, for the large one), and stay
in the temp folder. Reports of both are made in turns, and the least CPU of each counts: what a
machine does beside them adds to it. To reach: 1.5 × the CPU, 600 MB in any process below the
report's.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
from datetime import date
from pathlib import Path

from _sizes import TINY, exit_code, size

import fleetkit as fk
from fleetkit.mirror import syncs

CPU, MEGABYTES, ROUNDS = 1.5, 600, 3
SMALL = (size(64, 16), size(12_000, 200))
LARGE = (size(5_000, 16), size(1_000_000, 400))


def mirrored(equipment: int, flights: int) -> Path:
    """Return the folder of a mirror of the demo of a size, made where it isn't there yet."""
    name = f"fleetkit-demo-{equipment}-{flights}-layout-{syncs.LAYOUT}"
    folder = Path(tempfile.gettempdir()) / name
    if not (folder / "made").exists():
        demo = fk.demo(as_of=date(2026, 11, 20), equipment=equipment, flights=flights)
        demo.sync(folder / "mirror", details=False)
        demo.close()
        (folder / "made").touch()
    return folder / "mirror"


def below(parent: int) -> set[int]:
    """Return the process ids of all descendants of a process."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:  # it has ended
            continue
    known = {parent}
    while more := {child for child, of in parents.items() if of in known} - known:
        known |= more
    return known - {parent}


def peak(process: int) -> float:
    """Return the most memory that a process has held, in MB; 0 where it has ended."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return float(text.split("VmHWM:")[1].split()[0]) / 1000 if "VmHWM:" in text else 0.0


def measure(mirror: str, engine: str) -> None:
    """Print the CPU seconds of a report with all of its kernels, and the largest one's MB."""
    peaks: list[float] = [0.0]
    done = threading.Event()

    def watch() -> None:
        own = int(Path("/proc/self").resolve().name)
        while not done.wait(0.2):
            peaks.extend(peak(process) for process in below(own))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with tempfile.TemporaryDirectory() as out:
        fleet = fk.open_mirror(mirror)
        some = {"sections": "pricing", "formats": "html"} if TINY else {}
        fk.report("2026-10", fleet=fleet, out=out, engine=engine, progress=False, **some)
    done.set()
    watcher.join()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps([sum(part.ru_utime + part.ru_stime for part in used), max(peaks)]))


def measured(sizes: tuple[int, int], engine: str) -> tuple[float, float]:
    mirror = mirrored(*sizes)
    command = [sys.executable, __file__, "--measure", str(mirror), "--engine", engine]
    seconds, most = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    print(f"{sizes[1]:>10,} flights {seconds:8.1f} s of CPU {most:8.0f} MB", flush=True)
    return seconds, most


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=LARGE[1])
    parser.add_argument("--equipment", type=int, default=LARGE[0])
    parser.add_argument("--engine", default="polars")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(chosen.measure, chosen.engine)
        return 0
    large, small, most = [], [], 0.0
    for _ in range(1 if TINY else ROUNDS):
        seconds, megabytes = measured((chosen.equipment, chosen.flights), chosen.engine)
        large.append(seconds)
        small.append(seconds if TINY else measured(SMALL, chosen.engine)[0])
        most = max(most, megabytes)
    ratio = min(large) / min(small)
    print(f"CPU {ratio:.2f} (to reach: {CPU}), memory {most:.0f} MB (to reach: {MEGABYTES})")
    return exit_code(ratio <= CPU and most <= MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
