"""Flights of some months with numbers in place of ids: made once for all notebooks of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fleetkit import locks
from fleetkit.mirror import Mirror

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SHARED", "numbered_months"]

# What notebooks share. It stands where a report runs them; by hand each one makes its own.
SHARED = Path(".numbered")
# What metrics of equipment take of flights.
_COLUMNS = ("flight_date", "flight_type", "duration_seconds")


def numbered_months(mirror: Mirror, months: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the flights of some months, each with its place for a number, and their bridge.

    Read by Polars: a join of texts takes several times as long as one of numbers.

    Parameters
    ----------
    mirror : Mirror
    months : list of str
        One of the lists of `Mirror.months_together`.

    Returns
    -------
    tuple of two polars.DataFrame
        ``flight_id`` (its place among these, from 0 on), ``flight_date``, ``flight_type``,
        ``duration_seconds`` [s]; ``flight_id``, ``equipment_id``, in the order of flights.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> mirror = fk.open_mirror("mirror").mirror
    >>> flights, bridge = numbered_months(mirror, mirror.months_together(100)[0])
    >>> flights["flight_id"].to_list()[:3], bridge["flight_id"].max()
    ([0, 1, 2], 49)
    """
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    if not (locks.SUPPORTED and SHARED.is_dir()):
        return _made(mirror, months)
    state = f"{mirror.version}-{mirror.fingerprint}-{months[0]}"
    files = [SHARED / f"{state}.{name}.arrow" for name in ("flights", "bridge")]
    lock = locks.acquire(SHARED)  # who comes while another one makes them waits, and reads
    try:
        if not files[1].is_file():
            for file, frame in zip(files, _made(mirror, months), strict=True):
                unfinished = file.with_suffix(".unfinished")
                frame.write_ipc(unfinished)
                unfinished.replace(file)
    finally:
        locks.release(lock)
    return pl.read_ipc(files[0]), pl.read_ipc(files[1])


def _made(mirror: Mirror, months: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    import polars as pl  # noqa: PLC0415 - as above

    flown = mirror.scan("flights", "polars", months=months)
    kinds = pl.col("flight_type").cast(pl.Categorical)
    flights = flown.select("flight_id", *_COLUMNS).with_columns(kinds).with_row_index("number")
    flights = flights.collect()
    # Numbers made of texts are joined faster than the texts.
    key = pl.col("flight_id").hash()
    if flights.select(key.n_unique()).item() < len(flights):
        key = pl.col("flight_id")
    pieces = mirror.scan("flight_equipment", "polars", months=months)
    pieces = pieces.select(key, pl.col("equipment_id").cast(pl.Categorical))
    keyed = flights.lazy().select("number", key)
    bridge = keyed.join(pieces, on="flight_id", maintain_order="left").drop("flight_id").collect()
    names = {"number": "flight_id"}
    return flights.drop("flight_id").rename(names), bridge.rename(names)
