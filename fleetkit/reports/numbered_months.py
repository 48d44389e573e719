"""Flights of some months with numbers in place of ids: made once for all notebooks.

Those of a report share them, and those of several reports that are made together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from fleetkit import locks
from fleetkit.mirror import Mirror
from fleetkit.pairing import places_of_flights

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SHARED", "numbered_months"]

# File that the notebooks of a report share, in their folder; one run by hand makes its own.
SHARED = Path(".numbered")
Name = Literal["flights", "bridge", "unaccompanied"]
# Columns of flights that metrics of equipment need.
_COLUMNS = ("flight_date", "flight_type", "duration_seconds")


def numbered_months(mirror: Mirror, months: Sequence[str], *names: Name) -> list[pl.DataFrame]:
    """Return the flights of some months, each with its place for a number, or what they flew with.

    Read by Polars: a join of texts takes several times as long as one of numbers.

    Parameters
    ----------
    mirror : Mirror
    months : list of str
        One of the lists of `Mirror.months_together`.
    *names : str
        What to return: ``"flights"``, ``"bridge"`` or ``"unaccompanied"``.

    Returns
    -------
    list of polars.DataFrame
        Of flights: ``flight_id`` (its place among these, from 0 on), ``flight_date``,
        ``flight_type``, ``duration_seconds`` [s]. Of the bridge: ``flight_id``, ``equipment_id``,
        in the order of flights. Of unaccompanied: the ``equipment_id`` of what flew alone.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> mirror = fk.open_mirror("mirror").mirror
    >>> months = mirror.months_together(100)[0]
    >>> flights, bridge = numbered_months(mirror, months, "flights", "bridge")
    >>> flights["flight_id"].to_list()[:3], bridge["flight_id"].max()
    ([0, 1, 2], 49)
    """
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    if not (locks.SUPPORTED and SHARED.is_dir()):
        made = _made(mirror, months)
        return [made[name] for name in names]
    # Which months are together depends on what the mirror holds, also of later versions.
    state = f"{mirror.version}-{mirror.fingerprint}-{months[0]}-{months[-1]}"
    files = {name: SHARED / f"{state}.{name}.arrow" for name in get_args(Name)}
    # A notebook waits while another one makes them, and reads them.
    with locks.locked(SHARED, silent=True):
        if not all(file.is_file() for file in files.values()):
            for name, frame in _made(mirror, months).items():
                unfinished = files[name].with_suffix(".unfinished")
                frame.write_ipc(unfinished)
                unfinished.replace(files[name])
    return [pl.read_ipc(files[name]) for name in names]


def _made(mirror: Mirror, months: Sequence[str]) -> dict[Name, pl.DataFrame]:
    import polars as pl  # noqa: PLC0415 - as above

    flown = mirror.scan("flights", "polars", months=months)
    kinds = pl.col("flight_type").cast(pl.Categorical)
    flights = flown.select("flight_id", *_COLUMNS).with_columns(kinds).collect()
    pieces = mirror.scan("flight_equipment", "polars", months=months)
    equipment = pl.col("equipment_id").cast(pl.Categorical)
    pairs = pieces.select("flight_id", equipment).collect()
    places = places_of_flights(pairs["flight_id"], flights["flight_id"])
    bridge = pairs.with_columns(flight_id=places).drop_nulls("flight_id")
    if not bridge["flight_id"].is_sorted():
        bridge = bridge.sort("flight_id")
    number = pl.col("flight_id")
    is_unaccompanied = number.ne_missing(number.shift(1)) & number.ne_missing(number.shift(-1))
    return {
        "flights": flights.drop("flight_id").with_row_index("flight_id"),
        "bridge": bridge,
        "unaccompanied": bridge.filter(is_unaccompanied).select("equipment_id").unique(),
    }
