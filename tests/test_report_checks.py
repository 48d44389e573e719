"""What a report is refused for before a notebook runs, and before flights are loaded."""

import json
import re
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest
from a_notebook import notebook
from conftest import TINY, a_flight, counted, serving, synced

import fleetkit as fk
from fleetkit import cli, tables
from fleetkit import mirror as mirrors
from fleetkit.errors import NothingToReport
from fleetkit.fleet.coverage import reportable_days
from fleetkit.interface import using
from fleetkit.notices import collected
from fleetkit.reports.checks import check_before_loading, check_data
from fleetkit.reports.subject import Subject
from fleetkit.schema import TABLES

pytestmark = pytest.mark.usefixtures("warm_kernels")

SHORT = {"sections": "flight_hours", "formats": ["html"]}
# A flight in September 2026, none in August, one in July.
RECORDS = {
    **TINY,
    "flights": [*TINY["flights"], a_flight("fl_july", "2026-07-10T09:00:00.000Z")],
    "flight_equipment": [*TINY["flight_equipment"], ("fl_july", "eq_kestrel")],
}


@pytest.fixture(scope="module")
def served():
    with ExitStack() as stack:
        yield serving(stack, RECORDS)


@pytest.fixture(scope="module")
def mirror(served, tmp_path_factory):
    path = tmp_path_factory.mktemp("checked") / "mirror"
    fk.sync(path, base_url=served.base_url, api_key=served.api_key)
    return path


@pytest.fixture
def fleet(mirror):
    return fk.open_mirror(mirror)


@pytest.fixture
def asked(served):
    """Serve the organisation once more; yields a fleet of it and the paths asked for."""
    with counted(served) as (base_url, paths), fk.connect(base_url, served.api_key) as live:
        yield live, paths


def refused(fleet, tmp_path, period="2026-10", error=NothingToReport, **options):
    """Return why a report is refused; a notebook that ran would fail it otherwise."""
    notebook(tmp_path / "notebooks", "broken", "1 / 0")
    given = {"out": tmp_path / "reports", "notebooks": tmp_path / "notebooks"}
    with pytest.raises(error) as problem:
        fk.report(period, fleet=fleet, **given, **options)
    assert "ZeroDivision" not in str(problem.value)
    assert not any((tmp_path / "reports").glob("*"))
    return str(problem.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"type": "DRON"}, "No piece of equipment has type='DRON'. Did you mean DRONE?"),
        ({"category": "DRONE"}, "Did you mean type='DRONE'? Values of category are: MULTIROTOR"),
        ({"equipment": "eq_kestel"}, "Did you mean eq_kestrel?"),
        ({"client": "Lyngfjord Net"}, "Did you mean Lyngfjord Nett?"),
        ({"status": "DELIVERED"}, "No project has status='DELIVERED'"),
        ({"client": ["Lyngfjord Nett", "Harbour"]}, "No project has client='Harbour'"),
    ],
)
def test_what_short_tables_tell_is_refused_before_a_flight_is_asked_for(
    asked, tmp_path, chosen, says
):
    live, paths = asked
    assert says in refused(live, tmp_path, filter=fk.Filter(**chosen))
    assert not any("flights" in path for path in paths)
    assert says in refused(live.where(**chosen), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"pilot": "prof_adda"}, "No flight has pilot='prof_adda'. Did you mean prof_ada?"),
        ({"operation_type": "INSPECT"}, "Values of operation_type are: INSPECTION"),
        ({"flight_type": "SURVEY"}, "No flight has flight_type='SURVEY'"),
        ({"project": "proj_brige"}, "Did you mean proj_bridge?"),
        ({"take_off": (8, 47, 9, 48)}, "No flight took off in take_off=8,47,9,48. Write south"),
    ],
)
def test_what_only_flights_tell_is_refused_before_a_notebook_runs(
    asked, fleet, tmp_path, chosen, says
):
    for source in (asked[0], fleet):
        assert says in refused(source, tmp_path, filter=fk.Filter(**chosen))


def test_a_flight_type_in_small_letters_is_refused_before_anything_is_sent(tmp_path):
    # Nothing listens on port 9: had anything been sent, the error would be another one.
    with fk.connect("http://127.0.0.1:9", "fk_key") as unreachable:
        chosen = fk.Filter(flight_type="commercial")
        said = refused(unreachable, tmp_path, error=fk.InvalidValue, filter=chosen)
    assert "Did you mean COMMERCIAL?" in said


@pytest.mark.parametrize("chosen", [{"project": "proj_quarry"}, {"pilot": "Unassigned"}])
@pytest.mark.slow
def test_a_value_that_any_record_has_is_reported_though_not_in_this_period(fleet, tmp_path, chosen):
    notebook(tmp_path / "notebooks", "flight_hours")
    options = {**SHORT, "notebooks": tmp_path / "notebooks"}
    given = fk.Filter(**chosen)
    assert fk.report("2026-10", fleet=fleet, out=tmp_path / "r", filter=given, **options).html


@pytest.mark.slow
def test_where_nobody_flew_no_aircraft_is_among_the_busiest(fleet, tmp_path):
    chosen = fk.Filter(project="proj_quarry")  # flown for in another month
    paths = fk.report("2026-10", fleet=fleet, filter=chosen, out=tmp_path / "r", **SHORT)
    page = unescape(paths.html.read_text(encoding="utf-8"))
    [nothing] = re.findall("Nothing to show: (.*)[.]</p>", page)
    assert {"Busiest aircraft", "Busiest pilots"} <= set(nothing.split("; "))


@pytest.mark.slow
def test_a_filter_and_a_period_without_data_are_reported_where_that_is_allowed(fleet, tmp_path):
    own = notebook(tmp_path / "notebooks", "flight_hours").parent
    options = {**SHORT, "out": tmp_path / "r", "allow_empty": True, "notebooks": own}
    for period, chosen in (("2026-10", fk.Filter(client="Nobody")), ("2020-02", None)):
        paths = fk.report(period, fleet=fleet, filter=chosen, **options)
        assert json.loads(paths.manifest.read_text())["sections"][0]["problem"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [fk.Filter.parse(["client="]), fk.Filter(pilot=[])])
def test_a_filter_without_a_value_is_refused_though_nothing_has_another(
    fleet, asked, tmp_path, chosen
):
    [name] = chosen.to_parameters()
    for source in (asked[0], fleet):
        said = refused(source, tmp_path, filter=chosen)
        assert f"The filter {name} holds no value, so no record is meant." in said
    notebook(tmp_path / "notebooks", "flight_hours")
    paths = fk.report(
        "2026-10",
        fleet=fleet,
        filter=chosen,
        out=tmp_path / "r",
        allow_empty=True,
        notebooks=tmp_path / "notebooks",
        **SHORT,
    )
    assert paths.html.is_file()


@pytest.mark.slow
def test_a_period_after_the_data_is_refused_also_where_empty_ones_are_allowed(fleet, tmp_path):
    for options in ({}, {"allow_empty": True}):
        said = refused(fleet, tmp_path, "2999-01", **options)
        assert "January 2999 had not begun when the data were fetched" in said
        assert "The data cover 10 Jul 2026 to" in said


def test_a_period_that_begins_when_the_data_were_fetched_had_not_begun(asked, tmp_path):
    live = asked[0]
    live._source._fetched_at = datetime(2026, 11, 1, tzinfo=UTC)
    said = refused(live, tmp_path, "2026-11-01")
    assert "1 November 2026 had not begun when the data were fetched, on 1 Nov 2026, 00:00" in said


@pytest.mark.slow
def test_a_period_before_the_first_flight_is_refused_with_the_days_that_can_be_reported(
    asked, fleet, tmp_path
):
    for source in (asked[0], fleet):
        said = refused(source, tmp_path, "2026-06")
        assert "There are no data of June 2026. The data cover 10 Jul 2026 to" in said


@pytest.mark.slow
def test_where_there_is_no_flight_no_other_period_is_advised(tmp_path):
    empty = synced({**TINY, "flights": [], "flight_equipment": []}, tmp_path / "mirror")
    said = refused(fk.open_mirror(empty), tmp_path, "2026-10")
    assert "There are no flights to report on. Allow an empty report with" in said


def test_a_first_flight_at_midnight_utc_lies_in_the_month_that_the_data_cover(
    serve_records, tmp_path
):
    days = {"fl_first": "2026-11-01T00:00:00.000Z", "fl_later": "2026-11-05T09:00:00.000Z"}
    flown = [a_flight(name, day) for name, day in days.items()]
    pairs = [(name, "eq_kestrel") for name in days]
    served = serve_records({**TINY, "flights": flown, "flight_equipment": pairs})
    fk.sync(tmp_path / "mirror", base_url=served.base_url, api_key=served.api_key)
    fleet = fk.open_mirror(tmp_path / "mirror", tz="America/St_Johns")
    subject = Subject(fleet.period("2026-10"), fleet.tz, fk.Filter(), fleet.settings)
    check_data(fleet, subject, allow_empty=False)  # half past nine on 31 October
    assert reportable_days(fleet)[0].isoformat() == "2026-10-31"


@pytest.mark.slow  # it writes a mirror of its own
def test_a_period_is_not_refused_for_its_flights_where_the_key_could_read_none(tmp_path):
    unread = ["equipment", "specifications", "flights", "flight_equipment"]
    read = {name: tables.empty(name) for name in TABLES if name not in unread}
    missing = dict.fromkeys(unread, "equipment:read")
    path = str(tmp_path / "mirror")
    mirrors.write(path, read, source="", tz="UTC", requests=0, missing=missing)
    fleet = fk.open_mirror(path)
    before = Subject(fleet.period("2020-01"), fleet.tz, fk.Filter(night=True), fleet.settings)
    check_data(fleet, before, allow_empty=False)  # those of its projects are reported


@pytest.mark.slow
@pytest.mark.parametrize("period", ["2026-08", "2026-07"])
def test_a_month_without_a_flight_between_others_is_reported(fleet, tmp_path, period):
    notebook(tmp_path / "notebooks", "flight_hours")
    options = {**SHORT, "notebooks": tmp_path / "notebooks"}
    assert fk.report(period, fleet=fleet, out=tmp_path / "reports", **options).html.is_file()


@pytest.mark.parametrize(
    "days",
    [
        {"since": "2026-11-01"},
        {"until": "2026-10-01"},
        {"since": "2026-10-05", "until": "2026-10-05"},
    ],
)
def test_a_filter_of_other_days_than_the_period_s_is_refused_before_flights_are_loaded(
    asked, tmp_path, days
):
    live, paths = asked
    said = refused(live.where(**days), tmp_path, "2026-10")
    assert "have none in common with October 2026" in said
    assert paths == []


@pytest.mark.slow
@pytest.mark.parametrize("days", [{"since": "2026-10-31"}, {"until": "2026-10-02"}])
def test_a_filter_of_some_of_the_period_s_days_is_reported(fleet, tmp_path, days):
    notebook(tmp_path / "notebooks", "flight_hours")
    options = {**SHORT, "notebooks": tmp_path / "notebooks", "filter": fk.Filter(**days)}
    assert fk.report("2026-10", fleet=fleet, out=tmp_path / "r", **options).html.is_file()


@pytest.mark.slow
def test_the_first_day_is_told_in_the_fleet_s_zone(mirror, tmp_path):
    # 9:00 UTC on 10 July is 23:00 on 9 July in Honolulu.
    honolulu = fk.open_mirror(mirror, tz="Pacific/Honolulu")
    assert "cover 9 Jul 2026" in refused(honolulu, tmp_path, "2026-07-08")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--month", "2026-10", "--filter", "type=DRON"], 3, "Did you mean DRONE?"),
        (["--month", "2026-10", "--filter", "flight_type=commercial"], 3, "Did you mean COMMERC"),
        # A client beside those of the filter: reports are on both.
        (["--filter", "client=Nobody", "--client", "Lyngfjord Nett"], 3, "client='Nobody'"),
        (["--month", "2020-02"], 3, "--allow-empty"),
        (["--month", "2026-10", "--filter", "since=2026-11-01"], 3, "--allow-empty"),
        (["--month", "2999-01"], 3, "had not begun"),
    ],
)
def test_nothing_to_report_has_an_exit_code_and_names_the_option(  # noqa: PLR0917
    mirror, tmp_path, monkeypatch, capsys, options, code, says
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(["report", "--mirror", str(mirror), *options])
    assert ended.value.code == code
    assert says in capsys.readouterr().err
    assert not (tmp_path / "reports").exists()


@pytest.mark.slow
def test_a_setting_by_which_nothing_is_an_aircraft_is_refused(fleet, asked, tmp_path):
    for source in (fleet, asked[0]):
        wrong = {"settings": {"aircraft_types": ["DRNE"]}, "error": fk.InvalidValue}
        said = refused(source, tmp_path, **wrong)
        assert "no piece of equipment is of type DRNE. Did you mean DRONE?" in said


def test_a_service_interval_for_what_there_is_none_of_is_noticed(fleet):
    intervals = {"DRONE": {"hours": 50}, "DRONES": {"hours": 50}, "Kestrel X": {"days": 90}}
    settings = replace(fleet.settings, service_intervals=intervals)
    subject = Subject(fleet.period("2026-10"), fleet.tz, fk.Filter(), settings)
    with collected() as notices:
        check_before_loading(fleet, subject, allow_empty=False)
    says = "Setting service_intervals: no piece of equipment has the type or model "
    assert notices == [f"{says}DRONES. Did you mean DRONE?", f"{says}Kestrel X."]


@pytest.mark.slow
def test_what_a_narrowed_fleet_means_is_checked_against_the_whole_organisation(fleet, tmp_path):
    october = fleet.where(since="2026-10-05", until="2026-10-20", client="Lyngfjord Nett")
    assert "pilot='prof_x'" in refused(october, tmp_path, filter=fk.Filter(pilot="prof_x"))
    # The days that are told are the organisation's.
    assert "cover 10 Jul 2026" in refused(october, tmp_path, "2026-06")


def test_a_table_is_not_a_fleet(fleet, tmp_path):
    said = refused(fleet.flights(), tmp_path, error=fk.InvalidValue)
    assert "fk.report takes a fleet, not a DataFrame" in said
    with pytest.raises(fk.InvalidValue, match="flights takes a fleet, not a DataFrame"):
        fk.explore.flights(fleet.flights())


def test_the_words_are_those_of_the_interface(fleet):
    with using("command line"), pytest.raises(fk.InvalidValue, match="--allow-empty"):
        fleet.where(type="DRON").flights()


@pytest.mark.slow
def test_since_and_until_that_are_a_month_are_that_month_on_paper_and_in_numbers(
    mirror, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    options = ["--since", "2026-10-01", "--until", "2026-11-01", "--format", "html"]
    options += ["--sections", SHORT["sections"]]
    with pytest.raises(SystemExit):
        cli.main(["report", "--mirror", str(mirror), *options])
    page = (tmp_path / "reports" / "2026-10" / "report.html").read_text()
    text = re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)
    assert "October 2026" in text
    assert re.search(r"\bSep\b", text)
    assert not re.search(r"\d Aug\b", text)  # which thirty-one days before October begin with
