"""A field that the reference gains is a record in the schema, and nothing else to do: mirrors too.

Each test runs fleetkit with a schema of its own, in a process of its own: the field is added to the
text of ``schema.py`` before anything else imports it. The processes are forked from one that has
imported everything; they forget what of it is fleetkit's, and import that anew.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import textwrap
import traceback
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import pytest
from a_sync_process import FORKING

import fleetkit

TESTS = Path(__file__).parent
SCHEMA = Path(fleetkit.__file__).with_name("schema.py")
LAST_DETAIL = 'Field("crmDealName", "string", detail_only=True, meaning="name of the deal"),'
LAST_OF_EQUIPMENT = '"purchaseCost number: what it cost, as reported; its currency is not shown",'
LAST_OF_FLIGHTS = '"landingLng number deg: longitude of the landing",'
HEAD = """
import importlib.util, json, sys, warnings
warnings.simplefilter("ignore")
spec = importlib.util.spec_from_file_location("fleetkit.schema", {schema!r})
schema = importlib.util.module_from_spec(spec)
sys.modules["fleetkit.schema"] = schema
spec.loader.exec_module(schema)
import fleetkit as fk
sys.path.insert(0, {tests!r})
from fleetkit import mirror
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    """Return a function that runs code with further fields in the schema; returns what it says."""
    return partial(said_by, tmp_path)


@pytest.fixture(scope="module")
def synced_before(tmp_path_factory):
    """Return the folder of a mirror that was synced before any field was added, and what was said.

    Nobody may change it.
    """
    folder = tmp_path_factory.mktemp("before")
    return folder, said_by(folder, BEFORE)


@pytest.fixture
def before(synced_before, tmp_path):
    """Copy that mirror to where `run` has its own; return what was said of it."""
    folder, said = synced_before
    shutil.copytree(folder / "mirror", tmp_path / "mirror")
    return said


def said_by(folder, code, **fields):
    """Run code with further fields in the schema and a mirror in a folder; return what it says."""
    text = SCHEMA.read_text(encoding="utf-8")
    for after, added in (pair.split(" => ") for pair in fields.values()):
        assert text.count(after) == 1
        text = text.replace(after, f"{after}\n        {added}")
    schema = folder / "schema.py"
    schema.write_text(text, encoding="utf-8")
    head = HEAD.format(schema=str(schema), tests=str(TESTS))
    heard, tells = FORKING.Pipe(duplex=False)
    program = head + textwrap.dedent(code)
    child = FORKING.Process(target=run_anew, args=(tells, program, str(folder / "mirror")))
    child.start()
    tells.close()
    said = heard.recv()
    child.join()
    assert child.exitcode == 0, said
    return json.loads(said)


def run_anew(tells, program, argument):
    """Run a program as if nothing of fleetkit were imported; tell what it prints, or its error."""
    for name in list(sys.modules):
        if name.partition(".")[0] in {"fleetkit", "conftest", "a_service"}:
            del sys.modules[name]
    sys.argv[1:] = [argument]
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            exec(program, {"__name__": "program"})  # noqa: S102 - our own
    except BaseException:
        tells.send(traceback.format_exc())
        raise
    tells.send(printed.getvalue())


THIRD = f'{LAST_DETAIL} => Field("invoiceNote", "string", detail_only=True, meaning="terms"),'
SYNCED = """
from contextlib import ExitStack
from conftest import TINY, serving
from a_service import assert_in_step, change, record_of
with ExitStack() as stack:
    pairs = zip(TINY["projects"], (7, 14, 30))
    notes = [{**each, "invoiceNote": f"net {days}"} for each, days in pairs]
    served = serving(stack, {**TINY, "projects": notes})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        assert "invoice_note" not in fleet.projects()
        fleet.sync(sys.argv[1], audit=0)
        first = mirror.open(sys.argv[1]).table("projects")["invoice_note"].tolist()
        assert_in_step(sys.argv[1], served)
        still = fleet.sync(sys.argv[1], audit=0)
        change(served, projects=[{**notes[2], "title": "Roof", "invoiceNote": "net 60"}])
        moved = fleet.sync(sys.argv[1], audit=0)
        assert_in_step(sys.argv[1], served)
        fleet.sync(sys.argv[1], audit=0, details=False)
        without = "invoice_note" in mirror.open(sys.argv[1]).table("projects")
        fleet.sync(sys.argv[1], audit=0)
        assert_in_step(sys.argv[1], served)
    changes = mirror.open(sys.argv[1]).changes("projects")
    print(json.dumps([first, still.requests, moved.requests, without, changes["field"].tolist()]))
"""


def test_a_third_detail_field_is_synced_like_the_other_two(run):
    first, still, moved, without, changed = run(SYNCED, third=THIRD)
    assert first == ["net 7", "net 14", "net 30"]
    # Three lists; then the one project that moved, by its id.
    assert (still, moved, without) == (3, 4, False)
    assert changed == ["title", "invoice_note"]


BEFORE = """
from contextlib import ExitStack
from conftest import TINY, serving
from a_service import assert_in_step
with ExitStack() as stack:
    known = any(field.name == "invoiceNote" for field in schema.PROJECT.fields)
    notes = [{**record, "invoiceNote": "net 7"} if known else record for record in TINY["projects"]]
    further = {"batteryCycles": 5, "checkedAt": "2026-10-01T00:00:00.000Z", "hangar": "north"}
    pieces = [{**piece, **further} for piece in TINY["equipment"]]
    served = serving(stack, {**TINY, "projects": notes, "equipment": pieces})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        report = fleet.sync(sys.argv[1], audit=0, moved_to=served.base_url)
        assert_in_step(sys.argv[1], served)
    opened, first = mirror.open(sys.argv[1]), mirror.open(sys.argv[1], version=1)
    print(json.dumps({
        "requests": report.requests,
        "changes": {name: table.updated for name, table in report.tables.items()},
        "notes": opened.table("projects").get("invoice_note", ["absent"])[0],
        "cycles": str(opened.table("equipment").get("battery_cycles", ["absent"])[0]),
        "dtype": str(getattr(opened.table("equipment").get("battery_cycles"), "dtype", "")),
        "hangar": first.table("equipment")["hangar"].tolist(),
        "scanned": opened.scan("projects").collect().height,
        "history": len(opened.history("equipment")),
    }))
"""


def test_a_mirror_from_before_a_detail_field_was_known_reads_it_for_all(run, before):
    assert before["notes"] == "absent"
    told = run(BEFORE, third=THIRD)
    # Three lists, and each of the three projects by its id: none was ever read with that field.
    assert (told["requests"], told["changes"]["projects"]) == (6, 3)
    assert run(BEFORE, third=THIRD)["requests"] == 3


@pytest.mark.usefixtures("before")
def test_a_mirror_from_before_a_field_was_known_is_opened_and_scanned_as_it_is(run):
    code = """
    opened = mirror.open(sys.argv[1])
    frames = [opened.table("equipment"), opened.scan("equipment").collect().to_pandas(),
              opened.history("equipment")]
    print(json.dumps([frame["hours_limit"].isna().all().item() for frame in frames]))
    """
    limit = '"hoursLimit number h: hours after which it is retired",'
    assert run(code, further=f"{LAST_OF_EQUIPMENT} => {limit}") == [True, True, True]


def test_a_field_that_the_service_sent_before_the_reference_knew_it_stands_as_it_was(run, before):
    assert (before["cycles"], before["dtype"]) == ("5.0", "float64")
    cycles = '"batteryCycles integer: cycles of its battery",'
    known = {
        "cycles": f"{LAST_OF_EQUIPMENT} => {cycles}",
        "checked": f'{cycles} => "checkedAt timestamp: when it was checked",',
    }
    for _ in range(2):
        told = run(BEFORE, **known)
        assert (told["cycles"], told["dtype"], told["changes"]["equipment"]) == ("5", "Int64", 0)
        assert told["hangar"] == ["north"] * 3  # of the state from before, behind the other fields
    assert told["history"] == 3


def test_a_flight_s_number_that_the_reference_gained_is_restated_as_a_number(run):
    code = """
    from a_past import a_flight, write
    cycles = 6 if any(field.name == "cycles" for field in schema.FLIGHT.fields) else 5
    write(sys.argv[1], flights=[a_flight(1, cycles=5), a_flight(2, cycles=cycles)])
    ledger = fk.open_mirror(sys.argv[1]).restatements("2026-09", since=1)
    print(json.dumps(ledger[["flight_id", "fields"]].values.tolist()))
    """
    assert run(code) == []
    cycles = f'{LAST_OF_FLIGHTS} => "cycles integer: cycles of the battery",'
    assert run(code, further=cycles) == [["fl_2", "cycles"]]
