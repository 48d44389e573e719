"""What is in memory of each flight: its moment and day, its duration, codes, and its equipment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from fleetkit.explore.large.encoding import NONE, Coded, Encoder, compact, compact_kind, joined
from fleetkit.explore.large.postings import Postings, ranges
from fleetkit.explore.large.reading import IDENTIFIER, Part, Reader, moments_of
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
    durations : polars.Series
        [s]
    texts : dict
        Column → its texts.
    flags : dict
        Column → 1 for yes, 0 for no, `NONE`.
    sets : array of int
        Which set of equipment flew each flight.
    links : array of int
        Sets, ascending, and of each one of its pieces, by its place in `pieces`.
    pieces : list of str
        Identifiers of equipment.
    of_pieces : Postings
        The flights of each piece.
    """

    moments: np.ndarray
    day_starts: np.ndarray
    days: np.ndarray
    durations: pl.Series
    texts: dict[str, Coded]
    flags: dict[str, np.ndarray]
    sets: np.ndarray
    links: np.ndarray
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
    pieces, sets = Encoder(equipment), Encoder([""])
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*TEXTS, *FLAGS, "moments", "sets")}
    flown: list[tuple[np.ndarray, np.ndarray]] = []
    days = _Days()
    durations: list[pl.Series] = []
    for part in reader.parts:
        rows = reader.read(part, [*TEXTS, *FLAGS, "duration_seconds"], clock)
        if rows.is_empty():
            continue
        parts["moments"].append(moments_of(rows))
        for name, encoder in texts.items():
            parts[name].append(encoder.codes(rows[name].cast(pl.String)))
        for name in FLAGS:
            parts[name].append(rows[name].cast(pl.Int8).fill_null(NONE).to_numpy())
        durations.append(_shrunk(rows["duration_seconds"].cast(pl.Int64)))
        linked = _linked(rows, _links(reader, part, only, pieces), pieces)
        flown.append((linked["piece"].to_numpy(), linked["row"].to_numpy() + days.rows))
        parts["sets"].append(_sets_of(len(rows), linked, sets))
        days.append(rows["_day"])
    links, set_of = _links_of(sets), joined(parts["sets"], compact_kind(len(sets.places)))
    sets.places.clear()  # a million texts, which nothing asks for any more
    return Flown(
        moments=joined(parts["moments"], np.int64),
        day_starts=joined(days.starts, np.int64),
        days=joined(days.values, "M8[D]"),
        durations=_as_one(durations),
        texts={name: encoder.coded(parts[name]) for name, encoder in texts.items()},
        flags={name: joined(parts[name], np.int8) for name in FLAGS},
        sets=set_of,
        links=links,
        pieces=list(pieces.places),
        of_pieces=Postings(flown, len(pieces.places), _pieces_of(set_of, links)),
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


def _linked(rows: pl.DataFrame, links: pl.DataFrame, pieces: Encoder) -> pl.DataFrame:
    """Return the number of each row, and one of its pieces, by its code; each pair once."""
    numbered = rows.select(IDENTIFIER).with_row_index("row")
    linked = links.join(numbered, on=IDENTIFIER, how="inner")
    codes = pieces.codes(linked["equipment_id"]).astype(np.int64)
    # One number says both, and is sorted faster than two.
    pairs = linked["row"].to_numpy() * np.int64(len(pieces.places)) + codes
    pairs.sort()
    is_first = np.ones(len(pairs), dtype=bool)
    is_first[1:] = pairs[1:] != pairs[:-1]
    numbers, codes = np.divmod(pairs[is_first], len(pieces.places))
    return pl.DataFrame(
        {"row": numbers.astype(np.int32), "piece": compact(codes, len(pieces.places))}
    )


def _sets_of(rows: int, linked: pl.DataFrame, sets: Encoder) -> np.ndarray:
    """Return the set of equipment of each row; a set is named by the codes of its pieces."""
    named = linked.group_by("row", maintain_order=True).agg(pl.col("piece").cast(pl.String))
    names = named["piece"].list.join(",")
    codes = np.zeros(rows, dtype=np.int32)
    codes[named["row"].to_numpy()] = sets.codes(names)
    return compact(codes, len(sets.places))


def _links_of(sets: Encoder) -> np.ndarray:
    """Return sets, and of each one of its pieces."""
    names = pl.DataFrame({"set": range(len(sets.places)), "piece": list(sets.places)})
    links = names.filter(pl.col("piece") != "").with_columns(pl.col("piece").str.split(","))
    linked = links.explode("piece").cast(pl.Int32)
    return np.stack([linked["set"].to_numpy(), linked["piece"].to_numpy()])


def _pieces_of(sets: np.ndarray, links: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return what tells the pieces on some flights."""
    of_sets, pieces = links
    ends = np.searchsorted(of_sets, np.arange(int(sets.max(initial=0)) + 2, dtype=np.int32))

    def pieces_of(rows: np.ndarray) -> np.ndarray:
        is_flown = np.zeros(len(ends) - 1, dtype=bool)
        is_flown[sets[rows]] = True
        flown = np.flatnonzero(is_flown)
        on_flights: np.ndarray = pieces[ranges(ends[flown], ends[flown + 1] - ends[flown])]
        return on_flights

    return pieces_of


def _shrunk(column: pl.Series) -> pl.Series:
    """Return whole numbers in four bytes, where they fit."""
    ends: Any = [column.min(), column.max()]
    is_small = all(end is None or abs(end) < 2**31 for end in ends)
    return column.cast(pl.Int32) if is_small else column


def _as_one(parts: list[pl.Series]) -> pl.Series:
    """Return parts as one column, and empty them."""
    kinds = {part.dtype for part in parts}
    if not parts:
        return pl.Series("duration_seconds", [], dtype=pl.Int32)
    kind = pl.Int64 if len(kinds) > 1 else next(iter(kinds))
    whole = pl.concat([part.cast(kind) for part in parts]).alias("duration_seconds")
    parts.clear()
    return whole
