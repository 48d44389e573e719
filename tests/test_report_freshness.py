"""How old the data of a report may be, and the same report again from an earlier state."""

import json
import warnings
from contextlib import ExitStack
from datetime import date, datetime, timedelta

import pytest
from a_notebook import PARAMETERS, notebook
from conftest import a_flight, an_equipment, counted, serving
from test_report_restatements import BEFORE, change, sync

import fleetkit as fk
from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.interface import using
from fleetkit.reports import freshness
from fleetkit.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]

AT_ONCE, A_DAY = timedelta(), timedelta(days=1)
SETTINGS = Settings(organisation="Nordic Drone Services")


@pytest.fixture(scope="module")
def served():
    """Serve an organisation that changes while these tests run."""
    with ExitStack() as stack:
        yield serving(stack, BEFORE)


@pytest.fixture(scope="module")
def synced_once(served, tmp_path_factory):
    """Return a mirror of one sync that no test changes."""
    path = tmp_path_factory.mktemp("synced") / "mirror"
    sync(served, path)
    return path


@pytest.fixture
def mirror(served, tmp_path):
    """Return a mirror of one sync."""
    sync(served, tmp_path / "mirror")
    return tmp_path / "mirror"


def reported(fleet, tmp_path, out="reports", **options):
    """Report on October 2024 with a notebook that has nothing to draw, unless told otherwise."""
    notebook(tmp_path / "notebooks", "flight_hours")
    own = {"notebooks": tmp_path / "notebooks", "sections": "flight_hours"}
    given = {**own, "formats": ["html"], **options}
    return fk.report("2024-10", fleet=fleet, out=tmp_path / out, settings=SETTINGS, **given)


# Rebuilding


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """Report from a mirror's second state, sync twice more, and report again by the manifest."""
    folder = tmp_path_factory.mktemp("rebuilt")
    path = folder / "mirror"
    options = {"settings": SETTINGS, "formats": "html"}
    with ExitStack() as stack:
        served = serving(stack, BEFORE)
        sync(served, path)
        change(served)
        sync(served, path)
        first = fk.report("2024-10", fleet=fk.open_mirror(path), out=folder / "a", **options)
        for number in (5, 6):
            served.store.load(
                served.organisation,
                equipment=[an_equipment("eq_1", condition="POOR", totalFlights=number)],
                flights=[a_flight(f"fl_{number}", f"2024-09-1{number}T09:00:00.000Z")],
                flight_equipment=[(f"fl_{number}", "eq_1")],
            )
            sync(served, path)
    record = json.loads(first.manifest.read_text(encoding="utf-8"))
    earlier = fk.open_mirror(path, version=record["data"]["version"])
    second = fk.report(
        record["period"]["name"],
        fleet=earlier,
        out=folder / "b",
        **options,
    )
    assert fk.open_mirror(path).mirror.version == 4
    return first, second


def sections(paths):
    sections = sorted((paths.html.parent / "sections").glob("*/section.json"))
    return {path.parent.name: path.read_bytes() for path in sections}


def test_an_earlier_state_gives_the_same_bytes_however_much_was_synced_since(rebuilt):
    first, second = rebuilt
    assert first.html != second.html
    assert first.html.read_bytes() == second.html.read_bytes()
    assert sections(first) == sections(second)
    assert "restatements" in sections(first)


def test_the_report_of_a_mirror_with_a_past_says_what_changed_on_its_first_page(rebuilt):
    page = rebuilt[0].html.read_text(encoding="utf-8")
    front = page[: page.index('class="chapter"')]
    assert "<strong>September</strong> +1.2 h: 3 late logs, 1 edit, 1 vanished" in front
    assert "1 project moved as none should: Bridge (COMPLETED → DRAFT)" in front
    assert "<script>alert" not in page


def test_the_first_page_says_since_when_the_mirror_watches_and_its_lists_are_proven(rebuilt):
    page = rebuilt[0].html.read_text(encoding="utf-8")
    data = json.loads(rebuilt[0].manifest.read_text(encoding="utf-8"))["data"]
    first, second = (
        f"{moment.day} {moment:%b %Y}"  # the syncs may be of two days
        for moment in map(
            datetime.fromisoformat, (data["changed_since"]["fetched_at"], data["fetched_at"])
        )
    )
    said = f"version 2 · history since {first} · every list of flights verified since {second}"
    assert f"<dt>Mirror</dt><dd>{said}</dd>" in page


def test_the_manifest_names_what_a_rebuild_needs(rebuilt):
    record = json.loads(rebuilt[0].manifest.read_text(encoding="utf-8"))
    data = record["data"]
    assert record["period"] == {
        **{"name": "2024-10", "tz": "UTC", "is_over": True},
        **{"since": "2024-10-01T00:00:00+00:00", "until": "2024-11-01T00:00:00+00:00"},
    }
    assert record["settings"] == json.loads(json.dumps(SETTINGS.public()))
    assert (data["version"], data["missing"]) == (2, {})
    assert set(data["versions"]) == set(fk.schema.TABLES)
    assert (data["changed_since"]["version"], data["changed_since"]["asked"]) == (1, False)
    assert data["fingerprint"]


def test_what_is_said_of_an_earlier_state_stays_though_its_lists_were_read_since(served, mirror):
    sync(served, mirror)
    before = freshness.provenance(fk.open_mirror(mirror).mirror, "UTC")
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(str(mirror), full=True)
    assert freshness.provenance(fk.open_mirror(mirror, version=2).mirror, "UTC") == before


def test_every_list_is_proven_since_the_sync_that_read_the_last_of_them(served, mirror):
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(str(mirror), audit=0.5)  # one of two pieces of equipment
        opened = fk.open_mirror(mirror).mirror
        assert fk.mirror.verified_since(opened) == opened.states[0].fetched_at
        fleet.sync(str(mirror), audit=0.5)  # the other one
    opened = fk.open_mirror(mirror).mirror
    assert fk.mirror.verified_since(opened) == opened.states[1].fetched_at


def test_a_single_sync_has_no_section_of_changes_and_nothing_is_missed(synced_once, tmp_path):
    for quick in ("equipment_condition", "project_pipeline", "data_quality"):
        notebook(tmp_path / "notebooks", quick)
    paths = reported(fk.open_mirror(synced_once), tmp_path, sections=None)
    page = paths.html.read_text(encoding="utf-8")
    record = json.loads(paths.manifest.read_text(encoding="utf-8"))
    assert "Changed since" not in page
    assert "<dt>Mirror</dt>" not in page
    assert record["left_out"] == []
    assert record["data"]["changed_since"] is None
    assert sorted(sections(paths)) == [
        "data_quality",
        "equipment_condition",
        "flight_hours",
        "pricing",
        "project_pipeline",
    ]


def test_what_the_last_report_was_can_be_said_and_stands_in_the_manifest(served, mirror, tmp_path):
    for _ in range(2):
        sync(served, mirror)
    parameters = f"{PARAMETERS}changed_since = None  # the last report"
    notebook(
        tmp_path / "notebooks",
        "past",
        "print('since', changed_since)",
        parameters=parameters,
        history=True,
    )
    calls = []
    for asked in (2, None):
        fleet = fk.open_mirror(mirror)
        paths = reported(fleet, tmp_path, changed_since=asked, sections=["past"])
        paper = (paths.manifest.parent / "notebooks" / "past.ipynb").read_text(encoding="utf-8")
        data = json.loads(paths.manifest.read_text(encoding="utf-8"))["data"]["changed_since"]
        calls.append((f"since {asked}" in paper, data["version"], data["asked"]))
    # Left to itself, the notebook finds the first sync after September.
    assert calls == [(True, 2, True), (True, 1, False)]


def test_changes_that_are_asked_for_but_can_not_be_told_are_refused(synced_once, tmp_path):
    with pytest.raises(InvalidValue, match="Nothing can have changed since 1: "):
        reported(fk.open_mirror(synced_once), tmp_path, changed_since=1)
    assert not (tmp_path / "reports").exists()


def test_changes_since_before_a_mirror_s_only_sync_are_not_known(synced_once, tmp_path):
    once = fk.open_mirror(synced_once, version=1)
    with pytest.raises(InvalidValue, match="since 2020-01-01 isn't known: the mirror was first sy"):
        reported(once, tmp_path, changed_since="2020-01-01")


# Age


def test_data_that_are_too_old_are_refused_with_their_age_and_what_to_do(synced_once, tmp_path):
    with pytest.raises(MirrorError) as refused:
        reported(fk.open_mirror(synced_once), tmp_path, max_age=AT_ONCE)
    assert "0 min old; the report may use none older than 0 min" in str(refused.value)
    assert f'fk.sync("{synced_once}")' in str(refused.value)
    assert not (tmp_path / "reports").exists()


def test_data_that_are_too_old_are_synced_by_a_command_on_the_command_line(synced_once, tmp_path):
    with using("command line"), pytest.raises(MirrorError, match=f"fleetkit sync {synced_once}"):
        reported(fk.open_mirror(synced_once), tmp_path, max_age=AT_ONCE)


@pytest.mark.parametrize("wrong", ["12h", 12, timedelta(hours=-1), date(2026, 1, 1)])
def test_what_is_no_age_is_refused(synced_once, tmp_path, wrong):
    with pytest.raises(InvalidValue, match="is not an age"):
        reported(fk.open_mirror(synced_once), tmp_path, max_age=wrong)


def test_data_that_are_young_enough_are_reported(synced_once, tmp_path):
    assert reported(fk.open_mirror(synced_once), tmp_path, max_age=A_DAY).html.is_file()


def test_a_mirror_is_synced_only_where_it_is_too_old(served, tmp_path):
    path = tmp_path / "mirror"
    versions, requests = [], []
    with counted(served) as (base_url, asked):
        for oldest in (A_DAY, A_DAY, AT_ONCE, None):
            asked.clear()
            with fk.connect(base_url, served.api_key, progress=False) as fleet:
                reported(fleet, tmp_path, mirror=path, max_age=oldest)
            versions.append(fk.open_mirror(path).mirror.version)
            requests.append(len(asked))
    # It is made; it is a moment old; that is too old; without a limit it is always synced.
    assert versions == [1, 1, 2, 3]
    assert requests[1] == 0
    assert min(requests[0], requests[2], requests[3]) > 0


def test_a_young_mirror_of_another_service_is_not_taken_for_this_one_s(
    served, synced_once, tmp_path
):
    with counted(served) as (base_url, asked):
        with (
            fk.connect(base_url, served.api_key, progress=False) as fleet,
            pytest.raises(
                MirrorError, match=f"belongs to {served.base_url}; nothing of {base_url}"
            ),
        ):
            reported(fleet, tmp_path, mirror=synced_once, max_age=A_DAY)
        assert asked == []


# The command line


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--max-age", "0m"], 1, "0 min old"),
        (["--max-age", "12"], 2, "'12' is not an age"),
        (["--max-age", "soon"], 2, "Write minutes, hours or days: 90m, 12h, 2d."),
        (["--version", "9"], 1, "has no version 9"),
        (["--as-of", "2001-01-01"], 1, "has no state of 2001-01-01"),
        (["--as-of", "yesterday"], 2, "'yesterday' is not a date"),
        (["--version", "1", "--as-of", "2026-01-01"], 2, "exclude each other"),
        (["--version", "1", "--max-age", "12h"], 2, "excludes"),
        (["--changed-since", "9"], 1, "knows no version 9"),
        (["--changed-since", "lately"], 2, "'lately' is not a date"),
        (["--version", "1", "--demo"], 2, "--version and --demo exclude each other"),
    ],
)
def test_a_wrong_option_is_one_clear_line(run, synced_once, options, code, message):
    arguments = ["report", "--mirror", str(synced_once), "--month", "2024-10", *options]
    exit_code, out, err = run(*arguments)
    assert (exit_code, out, len(err.splitlines())) == (code, "", 1)
    assert message in err


def test_an_earlier_state_needs_a_mirror(run):
    assert "need --mirror" in run("report", "--version", "1")[2]
    assert "needs --mirror" in run("report", "--demo", "--changed-since", "1")[2]


def test_what_changed_since_an_earlier_state_is_not_asked_of_a_service(tmp_path, served):
    refused = pytest.raises(InvalidValue, match=r"changed_since needs a mirror: .*mirror=, where")
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet, refused:
        reported(fleet, tmp_path, changed_since=1)


def test_what_is_no_path_of_a_mirror_and_no_moment_is_refused_before_anything_is_asked(tmp_path):
    with fk.connect("http://127.0.0.1:9", "fk_key") as unreachable:
        for path in (5, True, "", b"mirror"):
            with pytest.raises(InvalidValue, match="is not the path of a mirror"):
                reported(unreachable, tmp_path, mirror=path)
        with pytest.raises(InvalidValue, match="'October' is not a date or time"):
            reported(unreachable, tmp_path, mirror=tmp_path / "mirror", changed_since="October")
    assert [path.name for path in tmp_path.iterdir()] == ["notebooks"]


def test_a_report_of_an_earlier_version_asks_no_service(run, served, mirror):
    sync(served, mirror)
    address = ["--base-url", "http://127.0.0.1:9"]
    report = ["report", "--mirror", str(mirror), "--version", "1", "--format", "html"]
    code, _, _ = run(*report, "--sections", "pricing", *address)
    assert code == 0
    folder = mirror.parent / "reports"
    (manifest,) = folder.glob("*/manifest.json")
    data = json.loads(manifest.read_text(encoding="utf-8"))["data"]
    assert (data["version"], fk.open_mirror(mirror).mirror.version) == (1, 2)


@pytest.mark.parametrize("asked", ["2020-01-01", 1])
def test_a_report_tells_from_when_on_changes_are_known_where_earlier_ones_are_asked_for(
    served, mirror, tmp_path, asked
):
    change(served)
    sync(served, mirror)
    fleet = fk.open_mirror(mirror)
    first = fleet.mirror.states[0].fetched_at
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reported(fleet, tmp_path, changed_since=asked)
    told = [str(each.message) for each in caught if "first synced" in str(each.message)]
    begun = f"{first.day} {first:%b %Y, %H:%M}"
    said = f"What changed after {asked} is told from {begun} on: the mirror was first synced then."
    assert told == ([said] if asked == "2020-01-01" else [])
