"""A mirror of a given number of flights, for the benchmarks; kept by size in the temp folder.

A sync writes whole tables, which for ten million flights would be gigabytes in memory. So the first
month comes through `fleetkit.mirror.write`; the others are cast as a sync casts them, appended to
its tables month by month, and pinned by one more row of ``syncs``.
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
from _sizes import size
from deltalake import DeltaTable, write_deltalake

from fleetkit import mirror, tables
from fleetkit.columns import COLUMNS
from fleetkit.mirror import syncs
from fleetkit.mirror.layout import CURRENT, prepare_all
from fleetkit.mirror.store import WRITER, Store, log_digest
from fleetkit.mirror.verification import sum_of
from fleetkit.schema import FLIGHT_TYPES

MONTHS = size(36, 6)
FIRST = pd.Period("2026-10", "M") - (MONTHS - 1)
EQUIPMENT, PILOTS, PROJECTS = 500, 300, 2_000
CAMERAS = 5  # every fifth flight has a camera too
GROWING = ("flights", "flight_equipment")


def mirrored(count: int) -> Path:
    """Return the folder of a mirror of `count` flights, made where it isn't there yet."""
    folder = Path(tempfile.gettempdir()) / f"fleetkit-mirror-{count}-layout-{syncs.LAYOUT}"
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _fill(folder, count)
        (folder / "made").touch()
    return folder


def _fill(folder: Path, count: int) -> None:
    each = count // MONTHS
    frames = {name: tables.empty(name) for name in COLUMNS}
    frames["equipment"] = _equipment()
    sizes = [count - each * (MONTHS - 1), *[each] * (MONTHS - 1)]
    mirror.write(
        folder,
        {**frames, **month(0, sizes[0])},
        source="http://here",
        tz="UTC",
        requests=0,
        missing={},
    )
    now = datetime.now(UTC)
    for number, flights in enumerate(sizes[1:], 1):
        for name, prepared in prepare_all(month(number, flights)).items():
            _append(folder / name, prepared.table, now)
    _pin(folder, now)


def _append(path: Path, rows: pa.Table, now: datetime) -> None:
    """Append rows that stand since the second sync."""
    table = DeltaTable(path)
    schema = pa.schema(table.schema().to_arrow())
    moment = pa.scalar(now, pa.timestamp("us", "UTC"))
    since = pa.repeat(moment, rows.num_rows)
    validity = {"valid_from": since, "valid_to": pa.nulls(rows.num_rows, since.type)}
    columns = {**dict(zip(rows.column_names, rows.columns, strict=True)), **validity}
    data = pa.table([columns[name] for name in schema.names], schema.names).cast(schema)
    write_deltalake(table, data, mode="append", writer_properties=WRITER)


def _pin(folder: Path, now: datetime) -> None:
    """Pin what was appended as the mirror's second version."""
    store = Store(folder)
    table, first = syncs.find(store)
    pins = dict(first.tables)
    for name in GROWING:
        delta = DeltaTable(folder / name)
        stand = sum_of(delta, CURRENT)
        pins[name] = msgspec.structs.replace(
            pins[name],
            version=delta.version(),
            rows=stand.rows,
            fingerprint=stand.fingerprint,
            log=log_digest(delta),
        )
    second = msgspec.structs.replace(
        first, version=2, fetched_at=now, written_at=now, tables=pins, read=syncs.Read()
    )
    syncs.append(store, table, second)


def _equipment() -> pd.DataFrame:
    ids = [f"eq_{number:04d}" for number in range(EQUIPMENT)]
    return tables.conform("equipment", pd.DataFrame({"equipment_id": ids, "name": ids}))


def month(number: int, count: int) -> dict[str, pd.DataFrame]:
    """Return flights and bridge of one month, the ids in no order as a service gives them."""
    rng = np.random.default_rng([7, number])
    flights = _flights(rng, number, count)
    return {
        "flights": tables.conform("flights", flights),
        "flight_equipment": tables.conform("flight_equipment", _pairs(rng, flights["flight_id"])),
    }


def _flights(rng: np.random.Generator, number: int, count: int) -> pd.DataFrame:
    period = FIRST + number
    start, end = (np.datetime64(month.to_timestamp(), "s") for month in (period, period + 1))
    flown = start + rng.integers(0, (end - start).astype(int), count).astype("timedelta64[s]")
    moments = pd.Series(flown).astype("datetime64[us]").dt.tz_localize("UTC")
    pilots, projects = rng.integers(0, PILOTS, count), rng.integers(0, PROJECTS, count)
    logged = moments + pd.to_timedelta(rng.integers(0, 5 * 86_400, count), unit="s")
    return pd.DataFrame(
        {
            "flight_id": _texts("fl_{:012x}", rng.integers(0, 2**22, count) * 2**24)
            + _texts("{:07x}", np.arange(count) + number * 10**6),
            "flight_date": moments,
            "flight_type": rng.choice(FLIGHT_TYPES, count, p=[0.7, 0.05, 0.15, 0.1]),
            "operation_type": rng.choice(["INSPECTION", "MAPPING", "SURVEY"], count),
            "duration_seconds": pd.array(rng.integers(60, 3_000, count), dtype="Int64"),
            "max_altitude": rng.integers(20, 120, count).astype("float64"),
            "traveled_distance": rng.random(count).round(4) * 9_000,
            "night_flight": pd.array(rng.random(count) < 0.1, dtype="boolean"),
            "bvlos": pd.array(rng.random(count) < 0.2, dtype="boolean"),
            "takeoff_lat": (51 + rng.random(count)).round(5),
            "takeoff_lng": rng.random(count).round(5),
            "landing_lat": (51 + rng.random(count)).round(5),
            "landing_lng": rng.random(count).round(5),
            "pilot_id": _texts("prof_{:04d}", pilots),
            "pilot_name": _texts("Pilot {}", pilots),
            "project_id": _texts("proj_{:04d}", projects),
            "project_title": _texts("Project {}", projects),
            "created_at": logged,
            "updated_at": logged,
        }
    )


def _pairs(rng: np.random.Generator, ids: pd.Series) -> pd.DataFrame:
    count = len(ids)
    drones = _texts("eq_{:04d}", rng.integers(0, EQUIPMENT - 50, count))
    cameras = _texts("eq_{:04d}", rng.integers(EQUIPMENT - 50, EQUIPMENT, len(drones[::CAMERAS])))
    return pd.concat(
        [
            pd.DataFrame({"flight_id": ids, "equipment_id": drones}),
            pd.DataFrame({"flight_id": ids[::CAMERAS].array, "equipment_id": cameras}),
        ]
    )


def _texts(form: str, numbers: np.ndarray) -> pd.Series:
    return pd.Series([form.format(number) for number in numbers.tolist()], dtype="str")
