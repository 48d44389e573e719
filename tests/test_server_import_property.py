"""Import of generated files: each one is refused in plain words, or the client reads all of it."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import TINY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fleetkit as fk
from fleetkit.errors import DataError, FleetkitError
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT, SERVICE, TIER
from fleetkit.server.asgi import create_app
from fleetkit.server.importing import import_folder
from fleetkit.server.running import running
from fleetkit.server.store import Store

pytestmark = pytest.mark.slow

TABLES = ("equipment", "flights", "flight_equipment", "services", "tiers", "specifications")
KINDS = {"equipment": EQUIPMENT, "flights": FLIGHT, "projects": PROJECT, "services": SERVICE}
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


@dataclass
class Service:
    """A server whose organisations each take one import."""

    store: Store
    base_url: str

    def accepts(self, write) -> bool:
        """Import the folder that `write` fills; where it is accepted, read all of it back."""
        organisation = self.store.create_organisation(uuid.uuid4().hex)
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder))
            try:
                rows = import_folder(self.store, organisation, folder).rows
            except FleetkitError as problem:
                str(problem).encode()
                if isinstance(problem, DataError):
                    names = [line.partition(".")[0] for line in str(problem).splitlines()[1:]]
                    assert set(names) <= {*TABLES, *KINDS}
                return False
        key = self.store.create_key(organisation, name="k")
        with fk.connect(self.base_url, key, progress=False) as fleet:
            frames = {name: getattr(fleet, name)() for name in TABLES}
            frames["projects"] = fleet.projects(details=True)
        for name in ("equipment", "projects", "services"):
            assert len(frames[name]) == rows.get(name, 0)
        for name in ("tiers", "specifications"):
            assert len(frames[name]) >= rows.get(name, 0)
        assert len(frames["flights"]) == rows.get("flights", 0)
        return True


@pytest.fixture(scope="module")
def service():
    with ExitStack() as stack:
        store = Store("sqlite://")
        stack.callback(store.close)
        yield Service(store, stack.enter_context(running(create_app(store))))


# -- cells -----------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "yes",
            "No",
            "TRUE",
            " false ",
            "1",
            "0",
            "NaN",
            "Infinity",
            "-inf",
            "null",
            "None",
            "12,5",
            "1.234,50",
            "1_000",
            "0x10",
            "١٢",
            "1e400",
            "1e-400",
            "9" * 19,
            "9" * 400,
            "31/10/2026",
            "2026-10-31",
            "20261031",
            "2026-W44-6",
            "2026-10-31T24:00:00Z",
            "2026-10-31T09:30:00.123456789Z",
            "0001-01-01T00:00:00+23:59",
            "9999-12-31T23:59:59.999-23:59",
            "2026-10-31T09:30:00+01:00:30",
            "１９９９-01-01",
            "COMMERCIAL",
            "commercial",
            "IN_PROGRESS",
            '{"a":"b"}',
            '{"a":1}',
            '{"id":"prof_1","fullName":"Ada"}',
            '[{"id":"tier_1"}]',
            "{bad",
            "[" * 5_000,
            "a\x00b",
            "\ud800",
            "a\udfffb",
            "\u202e\u2028\x85",
            "🚁" * 50,
            "=1+1",
            "eq_1",
            "eq_1\n",
            "\ufeff",
        ]
    ),
    st.text(st.characters(), max_size=12),
)
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from(
        [2**63 - 1, -(2**63), 2**63, 2**64, 10**30, 10**309, -1, 0, 90, 181, 10**5_000]
    ),
    st.floats(),
    st.sampled_from([-0.0, 1e308, 5e-324, 120.0, 1.5, math.inf, math.nan]),
    st.booleans(),
)


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


PILOTS = st.fixed_dictionaries(
    {"id": st.sampled_from(["prof_1", "Ada", None])},
    optional={"fullName": TEXTS, "full_name": TEXTS, "nickname": TEXTS},
)
TIERS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["tier_1", "tier_2", None])},
        optional={
            column.name: st.one_of(TEXTS, NUMBERS) for column in TIER.fields if column.name != "id"
        },
    ),
    max_size=3,
)
NESTED = st.one_of(
    PILOTS,
    TIERS,
    st.dictionaries(TEXTS, TEXTS, max_size=3),
    st.sampled_from([10, 200, 990, 3_000]).map(deep),
    st.lists(NUMBERS, max_size=2),
)
CELLS = st.one_of(st.none(), TEXTS, NUMBERS, NESTED)
LIKELY = {
    "string": TEXTS,
    "integer": NUMBERS,
    "number": NUMBERS,
    "boolean": st.booleans(),
    "timestamp": st.datetimes().map(lambda instant: instant.isoformat()),
    "map": st.dictionaries(TEXTS, TEXTS, max_size=3),
    "object": PILOTS,
    "array": TIERS,
}


@st.composite
def folders(draw) -> dict[str, list[dict[str, Any]]]:
    """Draw records of one table, most of whose cells are as they should be, beside sound others."""
    name = draw(st.sampled_from(list(KINDS)))
    kind = KINDS[name]
    records = []
    for number in range(draw(st.integers(1, 3))):
        record = {"id": f"{kind.prefix}_{number}"}
        for field in draw(st.lists(st.sampled_from(kind.fields[1:]), max_size=4, unique=True)):
            cell = draw(st.one_of(LIKELY[field.type], CELLS))
            record[field.name] = draw(st.sampled_from(field.values)) if field.values else cell
        records.append(record)
    tables = {name: records}
    if name == "flights":
        tables["equipment"] = [{"id": "eq_1"}]
        tables["flight_equipment"] = [
            {"flight_id": flight["id"], "equipment_id": "eq_1"} for flight in records
        ]
    return tables


# -- files -----------------------------------------------------------------------------------


def as_json(records) -> bytes:
    return json.dumps(records).encode()


def as_answer(records) -> bytes:
    return json.dumps({"success": True, "data": records}, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def as_lines(records) -> bytes:
    return "\r\n".join(json.dumps(record) for record in records).encode()


def as_csv(records) -> bytes:
    names = list(dict.fromkeys(name for record in records for name in record))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(names)
    for record in records:
        cells = (record.get(name) for name in names)
        writer.writerow([json.dumps(v) if isinstance(v, dict | list) else v for v in cells])
    return b"\xef\xbb\xbf" + file.getvalue().encode("utf-8", "surrogatepass")


FORMS = {".json": as_json, ".JSON": as_answer, ".jsonl": as_lines, ".csv": as_csv}


def writing(tables: dict[str, bytes]):
    def write(folder: Path) -> None:
        for name, content in tables.items():
            (folder / name).write_bytes(content)

    return write


def encoded(records, form) -> bytes | None:
    """Return records as a file; None for what the format can't hold."""
    try:
        return FORMS[form](records)
    except (ValueError, RecursionError):  # more digits or deeper than Python writes
        return None


@settings(max_examples=80, suppress_health_check=QUIET)
@given(tables=folders(), form=st.sampled_from(list(FORMS)))
def test_what_is_accepted_the_client_reads(service, tables, form):
    files = {f"{name}{form}": encoded(records, form) for name, records in tables.items()}
    if None not in files.values():
        service.accepts(writing(files))


SOUND = {
    ".json": as_json(TINY["equipment"]),
    ".jsonl": as_lines(TINY["equipment"]),
    ".csv": b'id,name,weight,createdAt\r\neq_1,"Kestrel, 1",4.5,2026-10-31\r\neq_2,\xc3\xa6,,\r\n',
}


@settings(max_examples=80, suppress_health_check=QUIET)
@given(
    form=st.sampled_from(list(SOUND)),
    start=st.integers(0, 2_000),
    length=st.integers(0, 2_000),
    more=st.one_of(st.binary(max_size=8), st.text(max_size=8).map(lambda text: text.encode())),
)
def test_a_damaged_file_is_refused_or_read(service, form, start, length, more):
    sound = SOUND[form]
    content = sound[:start] + more + sound[start + length :]
    service.accepts(writing({f"equipment{form}": content}))


@settings(max_examples=60, suppress_health_check=QUIET)
@given(st.integers(0, 30_000), st.binary(max_size=16), st.integers(0, 16))
def test_a_damaged_parquet_file_is_refused_or_read(service, start, more, length):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(TINY["equipment"]), sink)
    sound = sink.getvalue()
    start %= len(sound)
    service.accepts(writing({"equipment.parquet": sound[:start] + more + sound[start + length :]}))


PARQUET = [
    pa.array([Decimal("1.50"), None], pa.decimal128(38, 10)),
    pa.array([Decimal("9" * 38), Decimal(1)], pa.decimal128(38, 0)),
    pa.array([Decimal("9" * 70), Decimal(1)], pa.decimal256(76, 0)),
    pa.array([Decimal("12"), Decimal("1800.00")], pa.decimal128(20, 2)),
    pa.array([1, None], pa.uint64()),
    pa.array([2**64 - 1, 0], pa.uint64()),
    pa.array([1.5, math.nan], pa.float32()),
    pa.array([1.5, math.inf], pa.float64()),
    pa.array(["a", "b"], pa.dictionary(pa.int8(), pa.string())),
    pa.array(["COMMERCIAL", None]),
    pa.array([b"\xff", b""], pa.binary()),
    pa.array([date(2026, 10, 31), None], pa.date32()),
    pa.array([datetime(2026, 10, 31, 9, 30, tzinfo=UTC), None], pa.timestamp("ns", "Europe/Oslo")),
    pa.array([2**62, 0], pa.timestamp("us")),
    pa.array([time(9, 30), None], pa.time64("us")),
    pa.array([timedelta(hours=1), None], pa.duration("s")),
    pa.array([True, None]),
    pa.array([[("a", "b")], []], pa.map_(pa.string(), pa.string())),
    pa.array([[("a", "b"), ("a", "c")], []], pa.map_(pa.string(), pa.string())),
    pa.array([{"a": "b"}, {"a": None}]),
    pa.array([{"id": "prof_1", "fullName": "Ada"}, None]),
    pa.array([[{"id": "tier_1"}], []]),
    pa.array([["a"], []]),
    pa.nulls(2),
]


ONE_OF_EACH_TYPE = {
    "equipment.text": "serialNumber",
    "equipment.number": "weight",
    "equipment.map": "specifications",
    "flights.timestamp": "flightDate",
    "flights.set": "flightType",
    "flights.integer": "durationSeconds",
    "flights.boolean": "bvlos",
    "flights.object": "pilotInCommand",
    "projects.detail": "crmDealName",
    "services.array": "tiers",
}


@pytest.mark.parametrize("column", PARQUET, ids=lambda column: str(column.type)[:40])
def test_every_type_of_parquet_is_refused_or_read(service, column):
    accepted = {}
    for name, field in ONE_OF_EACH_TYPE.items():
        prefix = KINDS[name.partition(".")[0]].prefix
        ids = pa.array([f"{prefix}_1", f"{prefix}_2"])
        table = pa.table({"id": ids, field: column})

        def write(folder, name=name, table=table):
            pq.write_table(table, folder / f"{name.partition('.')[0]}.parquet")
            if name.startswith("flights"):
                pairs = [{"flight_id": f"fl_{n}", "equipment_id": "eq_1"} for n in (1, 2)]
                (folder / "flight_equipment.json").write_text(json.dumps(pairs))
                (folder / "equipment.csv").write_text("id\neq_1\n")

        accepted[field] = service.accepts(write)
    if pa.types.is_null(column.type):
        assert all(accepted.values())
    if pa.types.is_binary(column.type) or pa.types.is_duration(column.type):
        assert not any(accepted.values())
