"""What a fleet has fetched, in a file that other processes of its user map into their memory.

The file is for processes that one of this user started a moment ago, of the same version of
fleetkit, in a folder that nobody else can read: it holds records, and no key but a demo's.
"""

from __future__ import annotations

import json
import os
import pickle
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import cast

from fleetkit.errors import Forbidden
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.live import LiveSource

__all__ = ["hand_over", "take_over"]

# Where a column begins in the file, as Arrow and NumPy like it. [bytes]
_ALIGNED = 64


def hand_over(fleet: Fleet, path: Path) -> None:
    """Write a fleet that asks a service, and the tables of explorers, as they are now.

    Parameters
    ----------
    fleet : Fleet
        Without a filter; equipment, flights and projects are read, where the key may.
    path : Path
        The file, which is replaced as a whole.

    Raises
    ------
    FleetkitError
        They could not be read whole.
    """
    for read in (fleet.flights, fleet.projects):
        with suppress(Forbidden):  # whoever takes it over asks for that table, and is told
            read()
    columns: list[pickle.PickleBuffer] = []
    fetched = cast(LiveSource, fleet._source).fetched
    head = pickle.dumps((fleet, fetched), 5, buffer_callback=columns.append)
    parts = [memoryview(head), *(column.raw() for column in columns)]
    sizes = json.dumps([part.nbytes for part in parts]).encode()
    written = path.with_suffix(".new")
    with open(written, "wb", opener=_private) as file:
        file.write(sizes + b" " * _missing(len(sizes) + 1) + b"\n")
        for part in parts:
            file.write(part)
            file.write(bytes(_missing(part.nbytes)))
    written.replace(path)


def take_over(path: Path) -> Fleet:
    """Return the fleet that `hand_over` wrote, with what it had fetched.

    Its tables are of the moment at which they were read. The key of a service must be known to
    this process before anything else is asked for.

    Raises
    ------
    OSError
        There is no such file.
    """
    with path.open("rb") as file:
        mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    sizes, start = json.loads(mapped.readline()), mapped.tell()
    whole, parts = memoryview(mapped), []
    for size in sizes:
        parts.append(whole[start : start + size])
        start += size + _missing(size)
    fleet, fetched = pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 - see above
    cast(LiveSource, fleet._source).take_over(fetched)
    return cast(Fleet, fleet)


def _missing(size: int) -> int:
    """Return how many bytes there are until the next column may begin."""
    return -size % _ALIGNED


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
