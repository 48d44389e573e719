"""A service whose lists hold copies of one flight that differ, and what tells of them."""

import json
from contextlib import ExitStack, contextmanager

import a_past
import pandas as pd
import pytest
from a_service import change, record_of, withdraw
from conftest import TINY, a_flight, an_equipment, serving
from hostile import hostile, page, reply

import fleetkit as fk
from fleetkit import mirror, schema
from fleetkit.fleet.offline import MirrorSource
from fleetkit.server import create_app
from fleetkit.server.running import running

pytestmark = pytest.mark.slow

CHECK = "Copies of one flight that differ"
# The camera's list has these in fl_1, which the drone's list has as of 1 October.
STALE = {"durationSeconds": 900, "updatedAt": "2026-09-30T08:00:00.000Z"}


class Altered:
    """A service that gives other copies of some flights in the lists of some equipment."""

    def __init__(self, stack: ExitStack, served) -> None:
        self.copies: dict[tuple[str, str], dict] = {}
        self.served, self._app = served, create_app(served.store)
        self.url = stack.enter_context(running(self))

    def connect(self) -> fk.Fleet:
        """Return a fleet that asks this service."""
        return fk.connect(self.url, self.served.api_key, progress=False)

    async def __call__(self, scope, receive, send) -> None:
        """Answer as the service does, with other values in the copies."""
        of_path = {
            flight: fields
            for (piece, flight), fields in self.copies.items()
            if f"/{piece}/flights" in scope.get("path", "")
        }
        messages = []

        async def take(message):
            messages.append(message)

        await self._app(scope, receive, take if of_path else send)
        if of_path:
            page = json.loads(b"".join(message.get("body", b"") for message in messages[1:]))
            for flight in page["data"]:
                flight.update(of_path.get(flight["id"], {}))
            body = json.dumps(page).encode()
            headers = [pair for pair in messages[0]["headers"] if pair[0] != b"content-length"]
            await send({**messages[0], "headers": headers})
            await send({"type": "http.response.body", "body": body})


@pytest.fixture
def service():
    with ExitStack() as stack:
        yield Altered(stack, serving(stack, TINY))


def listed(fleet):
    return fleet.differing_copies().values.tolist()


def pairs(fleet):
    return sorted({(flight, piece) for flight, piece, _ in listed(fleet)})


def test_the_newest_copy_counts_and_the_other_is_listed_by_a_service_and_its_mirror(
    service, tmp_path
):
    service.copies["eq_camera", "fl_1"] = STALE
    with service.connect() as live:
        live.sync(tmp_path / "mirror")
        for fleet in (live, fk.open_mirror(tmp_path / "mirror")):
            assert fleet.flights().set_index("flight_id")["duration_seconds"]["fl_1"] == 1800
            assert listed(fleet) == [["fl_1", "eq_camera", "duration_seconds"]]
            assert listed(fleet.where(pilot="prof_ada")) == listed(fleet)
            assert listed(fleet.where(pilot="prof_bo")) == []
    assert f"{CHECK}: 1 of 2 flights." in str(fk.open_mirror(tmp_path / "mirror").summary())


def test_a_narrowed_mirror_loads_no_flights_to_tell_whose_copies_differ(
    service, tmp_path, monkeypatch
):
    service.copies["eq_camera", "fl_1"] = STALE
    with service.connect() as live:
        live.sync(tmp_path / "mirror")
    monkeypatch.setattr(MirrorSource, "flights", None)  # what pandas' flights come from
    fleet = fk.open_mirror(tmp_path / "mirror")
    theirs = {pilot: pairs(fleet.where(pilot=pilot)) for pilot in ("prof_ada", "prof_bo")}
    assert theirs == {"prof_ada": [("fl_1", "eq_camera")], "prof_bo": []}


def test_the_newest_copy_may_be_in_another_month_than_the_one_that_differs(service, tmp_path):
    service.copies["eq_camera", "fl_1"] = {**STALE, "flightDate": "2026-09-01T09:00:00.000Z"}
    with service.connect() as live:
        live.sync(tmp_path / "mirror")
    fleet = fk.open_mirror(tmp_path / "mirror")
    assert [field for *_, field in listed(fleet)] == ["flight_date", "duration_seconds"]


@contextmanager
def dated_twice(edited):
    """Connect to a service whose two lists date one flight in October and in December."""
    copies = {
        "eq_1": a_flight("fl_1", "2026-10-05T10:00:00.000Z", durationSeconds=600),
        "eq_2": a_flight("fl_1", "2026-12-03T10:00:00.000Z", durationSeconds=900, **edited),
    }

    def answer(asked):
        piece = asked.path.split("/")[-2]
        if piece not in copies:
            return reply(page(asked, [an_equipment(piece) for piece in copies]))
        since, until = asked.query["dateFrom"], asked.query["dateTo"]
        listed = [copies[piece]] if since <= copies[piece]["flightDate"] <= until else []
        return reply(page(asked, listed))

    with hostile(answer) as server, fk.connect(server.base_url, "key_abc") as fleet:
        yield fleet


@pytest.mark.parametrize(
    ("edited", "seconds"), [({"updatedAt": "2026-12-04T10:00:00.000Z"}, 900), ({}, 600)]
)
def test_of_a_flight_in_two_of_the_periods_the_newest_copy_counts_then_that_of_the_first_equipment(
    edited, seconds
):
    periods = ["2026-10", "2026-12"]
    says = "Flight fl_1 is dated 2026-10-05 in one list and 2026-12-03 in another, or was moved"
    with dated_twice(edited) as fleet:
        with pytest.warns(fk.Notice, match=says):
            fleet.flights(periods)
        assert fleet.flights(periods)["duration_seconds"].tolist() == [seconds]
        assert fleet.flight_equipment(periods)["equipment_id"].tolist() == ["eq_1", "eq_2"]


def test_a_filter_looks_at_the_newest_copy_of_a_flight_in_two_of_the_periods():
    newer = {"nightFlight": True, "updatedAt": "2026-12-04T10:00:00.000Z"}
    with dated_twice(newer) as fleet:
        by_day, by_night = (
            fleet.where(night=night).flights(["2026-10", "2026-12"]) for night in (False, True)
        )
    assert (by_day["duration_seconds"].tolist(), by_night["duration_seconds"].tolist()) == (
        [],
        [900],
    )


def test_of_some_equipment_alone_a_service_gives_the_copies_of_their_lists(service, tmp_path):
    service.copies["eq_camera", "fl_1"] = STALE
    with service.connect() as fleet:
        flown = fleet.flights(equipment="eq_camera").set_index("flight_id")
        fleet.sync(tmp_path)
    newest = fk.open_mirror(tmp_path).flights(equipment="eq_camera").set_index("flight_id")
    assert [table.loc["fl_1", "duration_seconds"] for table in (flown, newest)] == [900, 1800]


def test_copies_that_agree_are_none_that_differ(service, tmp_path):
    with service.connect() as live:
        live.sync(tmp_path / "mirror")
        for fleet in (live, fk.open_mirror(tmp_path / "mirror")):
            assert fleet.differing_copies().columns.tolist() == [
                "flight_id",
                "equipment_id",
                "field",
            ]
            assert listed(fleet) == []


def test_a_mirror_tells_of_each_list_as_it_was_when_it_was_last_read(service, tmp_path):
    path = tmp_path / "mirror"
    found = []

    def sync(**options):
        with service.connect() as live:
            live.sync(path, **options)
        found.append(pairs(fk.open_mirror(path)))

    service.copies |= {("eq_camera", "fl_1"): STALE, ("eq_camera", "fl_2"): STALE}
    sync()
    del service.copies["eq_camera", "fl_1"]
    sync(audit=0)  # no counter moved: nothing is read
    change(service.served, flights=[record_of("flights", "fl_3", durationSeconds=800)])
    change(service.served, equipment=[record_of("equipment", "eq_kestrel", totalFlightHours=1.8)])
    sync(audit=0)  # the drone's list alone
    sync(full=True)
    both, one = [("fl_1", "eq_camera"), ("fl_2", "eq_camera")], [("fl_2", "eq_camera")]
    assert found == [both, both, both, one]
    assert [pairs(fk.open_mirror(path, version=version)) for version in range(1, 5)] == found


def test_lists_that_were_not_compared_are_unknown_until_each_was_read_again(service, tmp_path):
    service.copies["eq_camera", "fl_1"] = STALE
    path = tmp_path / "mirror"
    with service.connect() as live:
        frames = {name: getattr(live, name)() for name in schema.TABLES}
        given = {"source": live.identity, "tz": "UTC", "requests": 1, "missing": {}}
        mirror.write(path, frames, **given)  # as a fleetkit does that doesn't compare
        live.sync(path, audit=0)
        live.sync(path, full=True)
        mirror.write(path, frames, **given)
    states = [fk.open_mirror(path, version=version) for version in range(1, 5)]
    assert [state.differing_copies() is not None for state in states] == [False, False, True, False]
    assert pairs(states[2]) == [("fl_1", "eq_camera")]


def test_a_list_is_forgotten_with_its_equipment(service, tmp_path):
    service.copies["eq_camera", "fl_1"] = STALE
    counts = []
    for _ in range(2):
        with service.connect() as live:
            live.sync(tmp_path / "mirror")
        counts.append(len(pairs(fk.open_mirror(tmp_path / "mirror"))))
        withdraw(service.served, equipment=["eq_camera"])
    assert counts == [1, 0]


def test_of_copies_that_were_not_compared_the_check_says_so(tmp_path):
    a_past.write(tmp_path / "mirror", flights=[a_past.a_flight(1)], camera={"fl_1"})
    fleet = fk.open_mirror(tmp_path / "mirror")
    assert fleet.differing_copies() is None
    checks = fk.metrics.data_quality(
        *(fleet.flights(), fleet.flight_equipment(), fleet.equipment(), fleet.projects()),
        as_of=fleet.fetched_at,
        copies=fleet.differing_copies(),
    ).set_index("check")
    assert checks.loc[CHECK, ["of", "note"]].tolist() == [0, "copies were not compared."]


def test_the_report_counts_them_and_names_the_flight(service, tmp_path):
    service.copies["eq_camera", "fl_1"] = STALE
    options = {"formats": "html", "sections": "data_quality", "progress": False}
    with service.connect() as live:
        made = fk.report("2026-10", fleet=live, out=tmp_path, **options)
    data = made.html.parent / "sections" / "data_quality" / "data" / "checks.json"
    stored = json.loads(data.read_text())
    rows = pd.DataFrame(stored["rows"], columns=stored["columns"])
    [row] = rows[rows["check"] == CHECK].to_dict("records")
    assert (row["in_period"], row["count"], row["of"], row["examples"]) == (1, 1, 2, "fl_1")
