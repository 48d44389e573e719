"""What is in memory of each flight: its moment and day, its duration, codes, and its equipment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from fleetkit import memory
from fleetkit.explore.large.bits import packed
from fleetkit.explore.large.encoding import (
    NONE,
    Coded,
    Encoder,
    Numbers,
    compact,
    compact_kind,
    distinct,
    joined,
)
from fleetkit.explore.large.postings import Postings, ranges
from fleetkit.explore.large.reading import IDENTIFIER, Part, Reader, moments_of
from fleetkit.explore.large.sets import sets_of
from fleetkit.explore.sums import FLAGS
from fleetkit.time import Clock

__all__ = ["TEXTS", "Flown", "read_flown"]

TEXTS = (
    *("flight_type", "operation_type"),
    *("pilot_id", "pilot_name", "project_id", "project_title"),
)


@dataclass(frozen=True)
class Flown:
    """All flights, in the order of `Reader`: by date, ties by identifier, those without one last.

    Attributes
    ----------
    moments : array of int
        When each flight with a date was, in microseconds since 1970.
    day_starts : array of int
        The first flight of each run of flights on one day in the fleet's zone.
    days : array of datetime64
        The day of each run; NaT of those without a date.
    durations : Numbers
        [s]
    texts : dict
        Column → its texts.
    flags : dict
        Column → 1 for yes, 0 for no, `NONE`.
    sets : array of int
        Which set of equipment flew each flight.
    links : tuple of array of int
        Sets, ascending, and of each one of its pieces, by its place in `pieces`.
    pieces : list of str
        Identifiers of equipment.
    of_pieces : Postings
        The flights of each piece.
    """

    moments: np.ndarray
    day_starts: np.ndarray
    days: np.ndarray
    durations: Numbers
    texts: dict[str, Coded]
    flags: dict[str, np.ndarray]
    sets: np.ndarray
    links: tuple[np.ndarray, np.ndarray]
    pieces: list[str]
    of_pieces: Postings

    def __len__(self) -> int:
        return len(self.sets)


def read_flown(reader: Reader, clock: Clock, equipment: Sequence[str], *, only: bool) -> Flown:
    """Read the flights once, part by part.

    Parameters
    ----------
    reader : Reader
    clock : Clock
        By which days are counted.
    equipment : sequence of str
        Identifiers that are known.
    only : bool
        Leave out links to others.
    """
    texts = {name: Encoder() for name in TEXTS}
    pieces = Encoder(equipment)
    names = (*TEXTS, *FLAGS, "moments", "durations", "known", "pieces", "sizes")
    parts: dict[str, list[np.ndarray]] = {name: [] for name in names}
    days = _Days()
    for part in reader.parts:
        rows = reader.read(part, [*TEXTS, *FLAGS, "duration_seconds"], clock)
        if rows.is_empty():
            continue
        parts["moments"].append(moments_of(rows))
        for name, encoder in texts.items():
            parts[name].append(encoder.codes(rows[name].cast(pl.String)))
        for name in FLAGS:
            parts[name].append(rows[name].cast(pl.Int8).fill_null(NONE).to_numpy())
        durations = rows["duration_seconds"].cast(pl.Int64)
        parts["durations"].append(_shrunk(durations.fill_null(0).to_numpy()))
        parts["known"].append(durations.is_not_null().to_numpy())
        codes, counts = _flown(rows, _links(reader, part, only, pieces), pieces)
        parts["pieces"].append(codes)
        parts["sizes"].append(counts)
        days.append(rows["_day"])
    count = len(pieces.places)
    flown = joined(parts["pieces"], compact_kind(count))
    sizes = joined(parts["sizes"], np.result_type(np.int8, *parts["sizes"]))
    sets, links = sets_of(flown, sizes)
    memory.release_unused()  # a hundred megabytes of ten million flights
    seconds = joined(parts["durations"], np.result_type(np.int32, *parts["durations"]))
    return Flown(
        moments=joined(parts["moments"], np.int64),
        day_starts=joined(days.starts, np.int64),
        days=joined(days.values, "M8[D]"),
        durations=Numbers(seconds, packed(joined(parts["known"], bool))),
        texts={name: encoder.coded(parts[name]) for name, encoder in texts.items()},
        flags={name: joined(parts[name], np.int8) for name in FLAGS},
        sets=sets,
        links=links,
        pieces=list(pieces.places),
        of_pieces=Postings(flown, sizes, count, _pieces_of(sets, links)),
    )


class _Days:
    """Runs of flights on one day, part by part."""

    def __init__(self) -> None:
        self.starts: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.rows = 0

    def append(self, column: pl.Series) -> None:
        """Add the days of a part."""
        days = column.cast(pl.Date).to_numpy()
        numbers = days.astype("M8[D]").view(np.int64)  # that of NaT is like any other here
        starts = np.append(0, np.flatnonzero(np.diff(numbers)) + 1)
        self.starts.append(self.rows + starts)
        self.values.append(days[starts])
        self.rows += len(days)


def _links(reader: Reader, part: Part, only: bool, pieces: Encoder) -> pl.DataFrame:
    links = reader.links(part)
    return links.filter(pl.col("equipment_id").is_in(list(pieces.places))) if only else links


def _flown(
    rows: pl.DataFrame, links: pl.DataFrame, pieces: Encoder
) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of the equipment on each flight, each once, and how many each has."""
    numbered = rows.select(IDENTIFIER).with_row_index("row")
    linked = links.join(numbered, on=IDENTIFIER, how="inner")
    codes = pieces.codes(linked["equipment_id"]).astype(np.int64)
    # One number says both, and is sorted faster than two.
    pairs = linked["row"].to_numpy() * np.int64(len(pieces.places)) + codes
    numbers, codes = np.divmod(distinct(pairs), len(pieces.places))
    sizes = np.bincount(numbers, minlength=len(rows))
    return compact(codes, len(pieces.places)), compact(sizes, int(np.max(sizes)))


def _pieces_of(
    sets: np.ndarray, links: tuple[np.ndarray, np.ndarray]
) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that finds the equipment on these flights."""
    of_sets, pieces = links
    ends = np.searchsorted(of_sets, np.arange(int(sets.max(initial=0)) + 2, dtype=np.int32))

    def pieces_of(rows: np.ndarray) -> np.ndarray:
        is_flown = np.zeros(len(ends) - 1, dtype=bool)
        is_flown[sets[rows]] = True
        flown = np.flatnonzero(is_flown)
        on_flights: np.ndarray = pieces[ranges(ends[flown], ends[flown + 1] - ends[flown])]
        return on_flights

    return pieces_of


def _shrunk(numbers: np.ndarray) -> np.ndarray:
    """Return whole numbers in four bytes, where they fit."""
    shrunk = numbers.astype(np.int32)
    return shrunk if np.array_equal(shrunk, numbers) else numbers
