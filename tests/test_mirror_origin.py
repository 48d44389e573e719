"""A mirror belongs to one service and one organisation, and keeps its time zone.

The organisation is ``TINY`` of conftest.py: 3 pieces of equipment, 3 projects, 2 services.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import pytest
from a_past import SOURCE, a_flight, write
from a_service import assert_in_step, change, withdraw
from conftest import a_project, a_service, an_equipment

import fleetkit as fk
from fleetkit import mirror
from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.mirror import same_source
from fleetkit.server import create_app
from fleetkit.server.running import running

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]


@pytest.fixture
def served(serve_records, tiny_records):
    return serve_records(tiny_records)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


@contextmanager
def connected(served, key=None, **options):
    with fk.connect(served.base_url, key or served.api_key, progress=False, **options) as fleet:
        yield fleet


@contextmanager
def at_another_address(served):
    """Serve the same store once more; yield the address."""
    with running(create_app(served.store)) as base_url:
        yield base_url


def key_of_another(served, **records):
    """Make another organisation on the same server; return a key of it."""
    other = served.store.create_organisation("Somebody else")
    served.store.load(other, **records)
    return served.store.create_key(other, name="other", scopes=fk.schema.SCOPES)


def state_of(path):
    opened = mirror.open(path)
    return opened.version, opened.source, opened.tz, opened.fingerprint


# -- one service --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://fleet.example", "https://fleet.example/", True),
        ("https://fleet.example", "https://Fleet.Example", True),
        ("https://fleet.example", "HTTPS://fleet.example:443", True),
        ("http://fleet.example:80/api/", "http://fleet.example/api", True),
        ("https://fleet.example/v1", "https://fleet.example", True),
        ("https://fleet.example.", "https://fleet.example", True),
        ("https://fleet.example", "http://fleet.example", False),
        ("https://fleet.example", "https://fleet.example:8443", False),
        ("https://fleet.example/Api", "https://fleet.example/api", False),
        ("https://fleet.example", "https://staging.fleet.example", False),
        ("the demo (seed 7)", "the demo (seed 8)", False),
        ("the demo (seed 7)", "the demo (seed 7)", True),
    ],
)
def test_addresses_of_one_service_are_told_from_those_of_two(one, other, same):
    assert same_source(one, other) is same


def test_another_address_is_refused_before_anything_is_asked(served, path):
    with connected(served) as fleet:
        fleet.sync(path)
    known = state_of(path)
    with (
        fk.connect("http://127.0.0.1:9", "key_1", progress=False) as other,
        pytest.raises(MirrorError, match=f"belongs to {served.base_url}; nothing of ") as refused,
    ):
        other.sync(path)
    assert 'sync with moved_to="http://127.0.0.1:9"' in str(refused.value)
    assert other._source.client.requests_made == 0
    assert state_of(path) == known


def test_a_service_that_moved_is_synced_where_that_is_said_and_from_then_on_without(served, path):
    with connected(served) as fleet:
        fleet.sync(path)
    with at_another_address(served) as base_url, fk.connect(base_url, served.api_key) as moved:
        assert not moved.sync(path, moved_to=f"{base_url}/").changed
        assert mirror.open(path).source == base_url
        assert moved.sync(path).version == 3
    with connected(served) as fleet, pytest.raises(MirrorError, match="belongs to "):
        fleet.sync(path)


@pytest.mark.parametrize("host", ["elsewhere.example", "elsewhere.example:99999", "[::1"])
def test_a_move_to_another_address_than_the_one_that_is_read_is_refused(served, path, host):
    with (
        connected(served) as fleet,
        pytest.raises(InvalidValue, match="said to have moved elsewhere"),
    ):
        fleet.sync(path, moved_to=f"https://{host}")
    assert not path.exists()


def test_a_write_past_the_sync_is_refused_too(path):
    write(path, flights=[a_flight(1)])
    frames = {name: mirror.open(path).table(name) for name in fk.schema.TABLES}
    with pytest.raises(MirrorError, match=f"belongs to {SOURCE}"):
        mirror.write(path, frames, source="http://there", tz="UTC", requests=0, missing={})


# -- one organisation ---------------------------------------------------------------------------


def test_the_key_of_another_organisation_is_refused(served, path):
    key = key_of_another(served, equipment=[an_equipment("eq_x")], projects=[a_project("proj_x")])
    with connected(served) as fleet:
        fleet.sync(path)
    known = state_of(path)
    with (
        connected(served, key) as other,
        pytest.raises(MirrorError, match="is it the key of another organisation") as refused,
    ):
        other.sync(path)
    assert (
        "holds 3 pieces of equipment, 3 projects, 2 services, of which the service lists 0"
        in str(refused.value)
    )
    assert "sync with accept_loss=True" in str(refused.value)
    assert state_of(path) == known


@pytest.mark.parametrize("full", [False, True])
def test_an_organisation_that_lists_nothing_any_more_is_refused(served, path, full):
    with connected(served) as fleet:
        fleet.sync(path)
        withdraw(
            served,
            equipment=["eq_kestrel", "eq_camera", "eq_spare"],
            projects=["proj_bridge", "proj_quarry", "proj_roof"],
            services=["svc_survey", "svc_photo"],
        )
        with pytest.raises(MirrorError, match="of which the service lists 0 to this key"):
            fleet.sync(path, full=full)
        report = fleet.sync(path, full=full, accept_loss=True)
    assert report.tables["equipment"].vanished == 3
    assert_in_step(path, served)


@pytest.mark.parametrize(("listed", "refused"), [(1, True), (2, False)])
def test_a_tenth_of_one_list_that_is_still_listed_is_enough(serve_records, path, listed, refused):
    """Of 20 pieces of equipment 2 are a tenth."""
    pieces = [f"eq_{number:02d}" for number in range(20)]
    served = serve_records(
        {
            "equipment": [an_equipment(piece) for piece in pieces],
            "projects": [a_project("proj_1")],
        }
    )
    with connected(served) as fleet:
        fleet.sync(path)
        withdraw(served, equipment=pieces[listed:], projects=["proj_1"])
        change(served, equipment=[an_equipment(f"eq_new_{number}") for number in range(30)])
        if refused:
            with pytest.raises(
                MirrorError,
                match=r"holds 20 pieces of equipment, 1 project, of which the service lists 1 to",
            ):
                fleet.sync(path)
        else:
            assert fleet.sync(path).tables["equipment"].vanished == 18


def test_the_same_ids_of_records_made_at_another_time_are_those_of_another_organisation(
    served, path
):
    """Each organisation of a service that counts its ids from 1 has an eq_1."""
    theirs = an_equipment("eq_kestrel", createdAt="2025-02-03T09:00:00Z")
    key = key_of_another(served, equipment=[theirs])
    with connected(served) as fleet:
        fleet.sync(path)
    with (
        connected(served, key) as other,
        pytest.raises(MirrorError, match="of which the service lists 0 to this key"),
    ):
        other.sync(path)


@pytest.mark.parametrize(
    "moments", [(None, "2025-02-03T09:00:00Z"), ("2025-02-03T09:00:00Z", None)]
)
def test_a_record_is_the_same_where_one_sync_is_not_told_when_it_was_created(
    serve_records, path, moments
):
    before, now = (an_equipment("eq_1", createdAt=moment) for moment in moments)
    served = serve_records({"equipment": [before]})
    with connected(served) as fleet:
        fleet.sync(path)
        change(served, equipment=[now])
        assert fleet.sync(path).tables["equipment"].updated == 1


def test_one_list_may_go_whole_while_others_stand(served, path):
    with connected(served) as fleet:
        fleet.sync(path)
        withdraw(served, projects=["proj_bridge", "proj_quarry", "proj_roof"])
        change(served, services=[a_service("svc_new")])
        withdraw(served, services=["svc_survey", "svc_photo"])
        assert fleet.sync(path).tables["projects"].vanished == 3
    assert_in_step(path, served)


@pytest.mark.parametrize("replaced", [True, False])
def test_an_organisation_of_one_record_is_known_by_that(serve_records, path, replaced):
    served = serve_records({"equipment": [an_equipment("eq_1")]})
    with connected(served) as fleet:
        fleet.sync(path)
        withdraw(served, equipment=["eq_1"])
        if replaced:
            change(served, equipment=[an_equipment("eq_2")])
        with pytest.raises(
            MirrorError, match="holds 1 piece of equipment, of which the service lists 0"
        ):
            fleet.sync(path)


def test_a_mirror_of_nothing_takes_what_comes(serve_records, path):
    served = serve_records({"equipment": []})
    with connected(served) as fleet:
        fleet.sync(path)
        change(served, equipment=[an_equipment("eq_1")])
        assert fleet.sync(path).tables["equipment"].inserted == 1


def test_a_key_that_lost_a_scope_is_known_by_what_it_still_reads(served, path):
    few = served.store.create_key(served.organisation, name="few", scopes=["service:read"])
    with connected(served) as fleet:
        fleet.sync(path)
    with connected(served, few) as fleet:
        assert fleet.sync(path).tables["projects"].rows == 3


def test_a_key_that_reads_nothing_of_what_the_mirror_holds_is_refused(served, path):
    first = served.store.create_key(served.organisation, name="one", scopes=["service:read"])
    other = served.store.create_key(served.organisation, name="two", scopes=["project:read"])
    with connected(served, first) as fleet:
        fleet.sync(path)
    with (
        connected(served, other) as fleet,
        pytest.raises(MirrorError, match="holds 2 services, none of which this key can read"),
    ):
        fleet.sync(path)


# -- the demo -----------------------------------------------------------------------------------


def test_the_demo_is_the_same_service_whatever_its_port(path):
    from fleetkit.fleet import opening

    small = {"equipment": 16, "flights": 40, "as_of": "2026-11-20"}
    with fk.demo(**small) as fleet:
        fleet.sync(path, details=False)
        assert mirror.open(path).source == "the demo (equipment 16, flights 40, seed 7)"
        first = fleet.address
    opening._server.cache_clear()  # as a new process has it
    with fk.demo(**small) as fleet:
        assert fleet.address != first
        assert not fleet.sync(path, details=False).changed
    with fk.demo(**small, seed=8) as other, pytest.raises(MirrorError, match="belongs to the demo"):
        other.sync(path, details=False)


# -- the time zone ------------------------------------------------------------------------------


def test_a_mirror_keeps_its_zone_and_another_one_is_said(served, path):
    with connected(served, tz="Europe/Oslo") as fleet:
        assert fleet.sync(path).remarks == ()
    with connected(served, tz="Europe/London") as fleet:
        (said,) = fleet.sync(path).remarks
    assert said.startswith("The mirror keeps its time zone, Europe/Oslo; that of the fleet, Eur")
    with connected(served, tz="UTC") as fleet:
        (said,) = fleet.sync(path).remarks
    assert "that of the fleet, UTC, changes nothing in it" in said
    with connected(served) as fleet:  # UTC by default: nobody asked for it
        assert fleet.sync(path).remarks == ()
    assert [mirror.open(path, version=number).tz for number in (1, 2, 3, 4)] == ["Europe/Oslo"] * 4
    assert fk.open_mirror(path).tz == "Europe/Oslo"
    assert fk.open_mirror(path, tz="Asia/Tokyo").tz == "Asia/Tokyo"


def test_the_demo_without_a_zone_says_nothing_of_the_mirror_s(path):
    small = {"equipment": 16, "flights": 40, "as_of": "2026-11-20"}
    for zone, said in (("Europe/Oslo", 0), (None, 0), ("UTC", 1)):
        with fk.demo(**small, tz=zone) as fleet:
            assert len(fleet.sync(path, details=False).remarks) == said


# -- the command line ---------------------------------------------------------------------------


@pytest.fixture
def run(run, served):
    """Return a function that runs the command line with the service's key, or another one."""
    return partial(run, key=served.api_key)


def test_the_command_takes_the_new_address_of_a_service_that_moved(run, served, path):
    assert run("sync", "mirror", "--base-url", served.base_url)[0] == 0
    with at_another_address(served) as base_url:
        code, out, err = run("sync", "mirror", "--base-url", base_url)
        assert (code, out, len(err.splitlines())) == (1, "", 1)
        assert f"sync with --moved-to {base_url}" in err
        assert run("sync", "mirror", "--moved-to", base_url)[0] == 0
        assert run("sync", "mirror", "--base-url", base_url)[0] == 0
    assert mirror.open(path).version == 3


def test_the_command_accepts_that_all_is_gone(run, served, path):
    key = key_of_another(served, equipment=[an_equipment("eq_x")])
    address = ["--base-url", served.base_url]
    assert run("sync", "mirror", *address)[0] == 0
    code, _, err = run("sync", "mirror", *address, key=key)
    assert (code, "sync with --accept-loss" in err) == (1, True)
    assert run("sync", "mirror", *address, "--accept-loss", key=key)[0] == 0
    assert mirror.open(path).table("equipment")["equipment_id"].tolist() == ["eq_x"]


def test_a_report_of_the_demo_does_not_pour_it_into_a_real_mirror(run, served, path):
    assert run("sync", "mirror", "--tz", "Europe/Oslo", "--base-url", served.base_url)[0] == 0
    known = state_of(path)
    code, out, err = run("report", "--demo", "--mirror", "mirror", "--month", "2026-10")
    assert (code, out) == (1, "")
    assert f"belongs to {served.base_url}; nothing of the demo (" in err
    assert "--moved-to" not in err  # it takes an address
    assert state_of(path) == known


def test_a_report_with_an_address_takes_the_zone_of_the_mirror_where_none_is_set(
    run, served, path, monkeypatch
):
    address = ["--base-url", served.base_url]
    assert run("sync", "mirror", "--tz", "Europe/Oslo", *address)[0] == 0
    shown = ["--month", "2026-10", "--sections", "flight_hours", "--format", "html", "--json"]
    code, out, _ = run("report", "--mirror", "mirror", *address, *shown)
    assert (code, '"tz": "Europe/Oslo"' in out) == (0, True)
    monkeypatch.setenv("FLEETKIT_TZ", "UTC")  # as much a zone that is set as any other
    code, out, _ = run("report", "--mirror", "mirror", *address, *shown)
    assert (code, '"tz": "UTC"' in out) == (0, True)
    assert mirror.open(path).tz == "Europe/Oslo"
