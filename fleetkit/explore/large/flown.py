"""What is in memory of each flight: its moment and day, its duration, codes, and its equipment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from fleetkit.explore.large.encoding import NONE, Coded, Encoder, compact
from fleetkit.explore.large.reading import IDENTIFIER, Part, Reader, moments_of
from fleetkit.explore.sums import FLAGS
from fleetkit.time import Clock

__all__ = ["NO_DAY", "TEXTS", "Flown", "read_flown"]

TEXTS = (
    *("flight_type", "operation_type"),
    *("pilot_id", "pilot_name", "project_id", "project_title"),
)
# The day of a flight without a date.
NO_DAY = np.iinfo(np.int32).min


@dataclass(frozen=True)
class Flown:
    """All flights, in the order of `Reader`: by date, ties by identifier, those without one last.

    Attributes
    ----------
    moments : array of int
        When each flight with a date was, in microseconds since 1970.
    days : array of int
        The day of each flight in the fleet's zone, since 1970; `NO_DAY` where it has none.
    durations : polars.Series
        [s]
    texts : dict
        Column → its texts.
    flags : dict
        Column → 1 for yes, 0 for no, `NONE`.
    sets : array of int
        Which set of equipment flew each flight.
    links : array of int
        Row by row the set, and one of its pieces, by its place in `pieces`; sets ascend.
    pieces : list of str
        Identifiers of equipment.
    """

    moments: np.ndarray
    days: np.ndarray
    durations: pl.Series
    texts: dict[str, Coded]
    flags: dict[str, np.ndarray]
    sets: np.ndarray
    links: np.ndarray
    pieces: list[str]

    def __len__(self) -> int:
        return len(self.days)

    @property
    def set_count(self) -> int:
        """Number of sets of equipment, with that of none."""
        return int(self.sets.max(initial=0)) + 1


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
    parts: dict[str, list[np.ndarray]] = {
        name: [] for name in (*TEXTS, *FLAGS, "moments", "days", "sets")
    }
    durations: list[pl.Series] = []
    for part in reader.parts:
        rows = reader.read(part, [*TEXTS, *FLAGS, "duration_seconds"], clock)
        if rows.is_empty():
            continue
        parts["moments"].append(moments_of(rows))
        days = rows["_day"].cast(pl.Date).to_physical().fill_null(NO_DAY)
        parts["days"].append(days.to_numpy().astype(np.int32))
        for name, encoder in texts.items():
            parts[name].append(encoder.codes(rows[name].cast(pl.String)))
        for name in FLAGS:
            parts[name].append(rows[name].cast(pl.Int8).fill_null(NONE).to_numpy())
        durations.append(_shrunk(rows["duration_seconds"].cast(pl.Int64)))
        parts["sets"].append(_sets_of(rows, _links(reader, part, only, pieces), pieces, sets))
    names = sorted(sets.places, key=sets.places.__getitem__)
    linked = [(place, int(code)) for place, name in enumerate(names) for code in _codes_of(name)]
    return Flown(
        moments=_joined(parts["moments"], np.int64),
        days=_joined(parts["days"], np.int32),
        durations=_as_one(durations),
        texts={name: encoder.coded(parts[name]) for name, encoder in texts.items()},
        flags={name: _joined(parts[name], np.int8) for name in FLAGS},
        sets=_joined(parts["sets"], np.int8),
        links=np.array(linked, dtype=np.int64).reshape(-1, 2),
        pieces=list(pieces.places),
    )


def _links(reader: Reader, part: Part, only: bool, pieces: Encoder) -> pl.DataFrame:
    links = reader.links(part)
    return links.filter(pl.col("equipment_id").is_in(list(pieces.places))) if only else links


def _sets_of(rows: pl.DataFrame, links: pl.DataFrame, pieces: Encoder, sets: Encoder) -> np.ndarray:
    """Return the set of equipment of each row; a set is named by the codes of its pieces."""
    numbered = rows.select(IDENTIFIER).with_row_index("row")
    linked = links.join(numbered, on=IDENTIFIER, how="inner")
    flown = pl.DataFrame({"row": linked["row"], "piece": pieces.codes(linked["equipment_id"])})
    flown = flown.unique().sort("row", "piece")
    named = flown.group_by("row", maintain_order=True).agg(pl.col("piece").cast(pl.String))
    names = named["piece"].list.join(",")
    codes = np.zeros(len(rows), dtype=np.int32)
    codes[named["row"].to_numpy()] = sets.codes(names)
    return compact(codes, len(sets.places))


def _codes_of(name: str) -> list[str]:
    return name.split(",") if name else []


def _joined(parts: Sequence[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def _shrunk(column: pl.Series) -> pl.Series:
    """Return whole numbers in four bytes, where they fit."""
    ends: Any = [column.min(), column.max()]
    is_small = all(end is None or abs(end) < 2**31 for end in ends)
    return column.cast(pl.Int32) if is_small else column


def _as_one(parts: Sequence[pl.Series]) -> pl.Series:
    kinds = {part.dtype for part in parts}
    if not parts:
        return pl.Series("duration_seconds", [], dtype=pl.Int32)
    kind = pl.Int64 if len(kinds) > 1 else next(iter(kinds))
    return pl.concat([part.cast(kind) for part in parts]).alias("duration_seconds")
