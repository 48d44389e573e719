"""A fleet on one page, counted by hand."""

from contextlib import ExitStack
from datetime import UTC, datetime

import pandas as pd
import pytest
from conftest import ADA, a_flight, a_project, a_service, a_tier, an_equipment, serving
from five_flights import rows

import fleetkit as fk

pytestmark = pytest.mark.slow

LONG_AGO = "2020-01-01T00:00:00.000Z"
HOSTILE = "<script>alert(1)</script>\u202e"
RECORDS = {
    "equipment": [
        # What is grounded is in service still, what is lost is not.
        an_equipment("eq_1", type="DRONE", status="GROUNDED", registrationExpiry=LONG_AGO),
        an_equipment("eq_2", type="CAMERA"),
        an_equipment("eq_3", type="DRONE", status="LOST", registrationExpiry=LONG_AGO),
    ],
    "flights": [
        a_flight("fl_1", "2026-09-01T09:00:00.000Z", durationSeconds=3600, pilotInCommand=ADA),
        a_flight(
            "fl_2",
            "2026-10-02T09:00:00.000Z",
            durationSeconds=None,
            project={"id": "proj_gone", "title": "Gone"},
            takeoffLat=0,
            takeoffLng=0,
        ),
    ],
    "flight_equipment": [("fl_1", "eq_1"), ("fl_2", "eq_1"), ("fl_2", "eq_2")],
    "projects": [
        a_project(
            "proj_1", title=HOSTILE, status="SCHEDULED", scheduledDate="2026-10-01T09:00:00.000Z"
        ),
        a_project("proj_2", status="COMPLETED", clientAccountName="Another"),
        a_project("proj_3", status="CANCELLED", clientAccountName="Another"),
    ],
    "services": [],
}


@pytest.fixture(scope="module")
def fleet():
    with ExitStack() as stack:
        served = serving(stack, RECORDS)
        yield stack.enter_context(as_of_november(served))


def as_of_november(served):
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    fleet._source._fetched_at = datetime(2026, 11, 20, tzinfo=UTC)
    return fleet


@pytest.fixture
def summarized(serve_records):
    """Return a function that sums up some records; other tables are empty."""

    def summarize(*, full=None, **records):
        with as_of_november(serve_records({name: [] for name in RECORDS} | records)) as fleet:
            return fleet.summary(full=full)

    return summarize


@pytest.fixture(scope="module")
def summary(fleet):
    return fleet.summary()


def test_it_says_what_there_is_and_since_when(summary):
    contents = summary.contents.set_index("what")
    assert contents.loc[["equipment", "flights", "projects", "services"], "count"].tolist() == [
        *(3, 2, 3, 0)
    ]
    assert contents.loc["equipment", "detail"] == "2 DRONE, 1 CAMERA"
    assert contents.loc["open projects", ["count", "detail"]].tolist() == [1, "of 1 client"]
    assert contents.loc["flights", "detail"] == "1.0 hours, 2026-09-01 to 2026-10-02"


def test_it_says_how_complete_that_is(summary):
    shares = summary.completeness.set_index("column")
    assert shares.loc["duration_seconds", ["used", "of", "share"]].tolist() == [1, 2, 0.5]
    assert shares.loc["registration_expiry", ["meaning", "of"]].tolist() == [
        *("its expiry (aircraft)", 2)  # of three pieces of equipment one is a camera
    ]


def test_which_types_are_aircraft_a_mirror_s_summary_of_a_month_tells_from_all_flights(
    fleet, tmp_path
):
    fleet.sync(tmp_path / "mirror")
    summary = fk.open_mirror(tmp_path / "mirror").summary(full=False)
    assert "in October 2026" in summary.contents.set_index("what")["detail"]["flights"]
    # The flight of October was one of a drone with its camera; another drone flew alone before.
    registration = summary.completeness.set_index("column").loc["registration_expiry"]
    assert registration[["meaning", "of"]].tolist() == ["its expiry (aircraft)", 2]


def test_a_service_s_summary_of_a_month_says_that_its_flights_alone_tell_aircraft(summarized):
    summary = summarized(
        equipment=[an_equipment("eq_1"), an_equipment("eq_2", type="VTOL")],
        flights=[a_flight(f"fl_{n}", f"2026-{n}-02T09:00:00.000Z") for n in ("09", "10")],
        flight_equipment=[("fl_09", "eq_2"), ("fl_10", "eq_1")],
        full=False,
    )
    registration = summary.completeness.set_index("column").loc["registration_expiry"]
    assert registration[["meaning", "of"]].tolist() == ["its expiry (aircraft in October 2026)", 1]


def test_it_says_what_stands_out(summary, fleet):
    assert "1 project is late: <script>alert(1)</script>." in summary.remarks
    assert any(
        "1 registration of equipment in service has expired" in text for text in summary.remarks
    )
    gone = "Project that no list has: 1 of 1 flights."
    assert summary.remarks[-2:] == ["Position at 0, 0: 1 of 2 flights.", gone]
    assert gone in fleet.where(since="2026-10-01").summary().remarks
    assert gone not in fleet.where(pilot="prof_ada").summary().remarks


def test_it_prints_as_text_and_shows_itself_escaped_for_any_page(summary):
    assert repr(summary) == str(summary)
    assert "What there is\n  equipment" in str(summary)
    html = summary._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html
    assert "color:inherit" in html  # the page's own, light or dark


@pytest.mark.parametrize(("counted", "is_part"), [(20_000, False), (20_001, True), (None, True)])
def test_only_the_last_month_is_read_where_flights_are_many_or_not_counted(
    fleet, summarized, counted, is_part
):
    pieces = [an_equipment("eq_1", totalFlights=counted), an_equipment("eq_2", totalFlights=None)]
    many = summarized(**{**RECORDS, "equipment": pieces})
    for part in (many, fleet.summary(full=not is_part)):
        detail = part.contents.set_index("what").loc["flights", "detail"]
        assert ("summary(full=True) reads them all" in detail) == is_part


def test_a_mirror_knows_how_many_flights_it_has_where_no_counter_does(serve_records, tmp_path):
    pieces = [an_equipment("eq_1", totalFlights=None), an_equipment("eq_2", totalFlights=None)]
    with as_of_november(serve_records({**RECORDS, "equipment": pieces})) as fleet:
        fleet.sync(tmp_path)
    flights = fk.open_mirror(tmp_path).summary().contents.set_index("what").loc["flights"]
    assert flights.tolist() == [2, "1.0 hours, 2026-09-01 to 2026-10-02"]


def test_an_empty_fleet_has_a_summary_too(summarized):
    summary = summarized()
    assert summary.contents["count"].eq(0).all()
    assert len(summary.completeness) > 0
    assert summary.completeness["share"].isna().all()
    assert summary.remarks == []
    assert "nothing that fleetkit looks for" in str(summary)
    # A width below 0 is none to a browser, and the bar would be full.
    assert summary._repr_html_().count("width:0%") == len(summary.completeness)


def test_what_the_key_lacks_is_said_where_it_can_read_services_alone(serve_records):
    served = serve_records({**RECORDS, "services": [a_service("svc_1", a_tier("t_1", 1, 0))]})
    key = served.store.create_key(served.organisation, name="part", scopes=["service:read"])
    with fk.connect(served.base_url, key, progress=False) as fleet:
        summary = fleet.summary()
    lacking = "not read: the key lacks"
    assert rows(summary.contents) == [
        ("equipment", None, f"{lacking} equipment:read"),
        ("flights", None, f"{lacking} equipment:read"),
        ("projects", None, f"{lacking} project:read"),
        *(("services", 1, ""), ("pricing tiers", 1, "")),
    ]
    assert list(summary.completeness.columns) == [
        "table",
        "column",
        "meaning",
        "used",
        "of",
        "share",
    ]
    assert summary.completeness.empty
    assert f"{lacking} project:read" in summary._repr_html_()


def test_a_type_that_would_turn_the_line_around_does_not(summarized):
    summary = summarized(equipment=[an_equipment("eq_1", type="DRONE\u202e\x1b[31m")])
    assert summary.contents.loc[0, "detail"] == "1 DRONE [31m"


def test_what_nobody_recorded_is_called_so_and_so_are_blanks(summarized):
    summary = summarized(
        equipment=[
            an_equipment("eq_1", type=None, registrationNumber=None),
            an_equipment("eq_2", type=" ", registrationNumber="N-2"),
        ],
        projects=[a_project("proj_1", clientAccountName=" ")],
        flights=[a_flight("fl_1", None, durationSeconds=None)],
        flight_equipment=[("fl_1", "eq_1")],
    )
    details = summary.contents.set_index("what")["detail"]
    assert details[["equipment", "flights"]].tolist() == ["2 not given", "hours not recorded"]
    # None is known to be aircraft, so all equipment is looked at.
    known = summary.completeness.set_index("column")[["used", "of"]]
    assert known.loc["registration_number"].tolist() == [1, 2]
    assert known.loc["client_account_name"].tolist() == [0, 1]


def test_what_has_a_value_is_what_an_explanation_of_a_metric_counts(summarized):
    blank = {"id": " ", "name": " "}
    summary = summarized(
        equipment=[an_equipment("eq_1", registrationNumber=" ")],
        flights=[a_flight("fl_1", None, pilotInCommand=blank)],
        flight_equipment=[("fl_1", "eq_1")],
    )
    used = summary.completeness.set_index("column")["used"]
    assert used[["pilot_id", "registration_number"]].tolist() == [1, 0]
    flown = pd.DataFrame({"pilot_id": [" "], "pilot_name": " ", "flight_date": pd.NaT})
    explained = fk.explain(fk.metrics.pilots(flown.assign(duration_seconds=60)))
    assert explained.gaps[:1] == ["0 of 1 row of flights has pilot_name"]


def test_projects_and_equipment_without_a_name_or_with_a_blank_one_are_called_by_their_ids(
    summarized,
):
    titles = {"proj_1": None, "proj_2": " ", "proj_3": "Roof"}
    late = {"status": "SCHEDULED", "scheduledDate": LONG_AGO}
    summary = summarized(
        equipment=[an_equipment("eq_1", name=" ", registrationExpiry=LONG_AGO)],
        projects=[a_project(name, title=title, **late) for name, title in titles.items()],
    )
    assert summary.remarks == [
        "3 projects are late: proj_1; proj_2; Roof.",
        "1 registration of equipment in service has expired: eq_1.",
    ]


def test_projects_of_one_title_have_their_ids(summarized):
    late = {"status": "SCHEDULED", "scheduledDate": LONG_AGO}
    projects = [
        a_project("proj_1", title="Roof", **late),
        a_project("proj_2", title="Roof", status="ON_HOLD"),
        a_project("proj_3", title="Mast", **late),
        a_project("proj_4", title="Mast", status="COMPLETED"),
    ]
    assert summarized(projects=projects).remarks == [
        "2 projects are late: Roof (proj_1); Mast.",
    ]


def test_of_many_types_the_commonest_are_counted_and_the_others_are_counted_together(summarized):
    types = ["E", "E", "B", "A", "C", "D", "F", "G"]
    pieces = [an_equipment(f"eq_{number}", type=type_) for number, type_ in enumerate(types)]
    detail = summarized(equipment=pieces).contents.loc[0, "detail"]
    assert detail == "2 E, 1 A, 1 B, 1 C and 3 other kinds"


def test_a_filter_narrows_it(fleet):
    summary = fleet.where(since="2026-10-01").summary()
    assert summary.contents.set_index("what")["count"]["flights"] == 1
    assert summary.title.endswith(" · Filter(since='2026-10-01')")


def test_what_a_filter_leaves_whole_is_said_to_be_the_whole_organisation_s(fleet):
    details = fleet.where(type="DRONE").summary().contents.set_index("what")["detail"]
    assert details[["equipment", "services"]].tolist() == ["2 DRONE", "whole organisation"]
    assert details["projects"].endswith(" · whole organisation")
    assert "organisation" not in " ".join(fleet.summary().contents["detail"])


def test_what_is_neither_yes_nor_no_is_refused(fleet):
    with pytest.raises(fk.InvalidValue, match="full='all' is neither"):
        fleet.summary(full="all")
