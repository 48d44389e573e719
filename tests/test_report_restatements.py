"""What changed since the last report, counted by hand through server, syncs and section.

September 2024 was reported from the first sync: fl_1 to fl_4 of an hour each. Then fl_2 became an
hour longer, fl_3 vanished, and three logs came late: 0.5, 0.4 and 0.3 h. So it moved by
1 − 1 + 1.2 = +1.2 h, from 4.0 to 5.2 h.
"""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from a_notebook import made
from a_past import a_flight as past_flight
from a_past import write
from a_section import ABOUT, table
from conftest import a_flight, a_project, a_service, a_tier, an_equipment, serving

import fleetkit as fk
from fleetkit.errors import InvalidValue, MirrorError, ReportError
from fleetkit.reports import Past, attention, has_history, render, restated
from fleetkit.reports.span import last_before, span
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period

pytestmark = pytest.mark.slow

OCTOBER = {"period": "2024-10"}
HOSTILE = "<script>alert(1)</script> \u202eroof"
FOUR = [
    a_flight(f"fl_{number}", f"2024-09-0{number}T09:00:00.000Z", durationSeconds=3600)
    for number in (1, 2, 3, 4)
]
LATE = [
    a_flight(f"fl_late_{pilot}", "2024-09-20T09:00:00.000Z", durationSeconds=seconds)
    for pilot, seconds in (("a", 1800), ("b", 1440), ("c", 1080))
]
BEFORE = {
    "equipment": [an_equipment("eq_1", name="Kestrel 1"), an_equipment("eq_2", name="Tern")],
    "flights": FOUR,
    "flight_equipment": [(number["id"], "eq_1") for number in FOUR],
    "projects": [
        a_project("proj_roof", title=HOSTILE, clientAccountName="Fjord"),
        a_project("proj_tower", title="Bridge", status="COMPLETED", clientAccountName=None),
    ],
    "services": [
        a_service("svc_1", a_tier("tier_1", 1, 0), name="Survey"),
        a_service("svc_2", name="Survey"),  # stays as it is
    ],
}
LATER = "2026-10-09T08:00:00.000Z"


def change(served):
    """Change the organisation as the text above says, and a bit of everything else."""
    longer = {**FOUR[1], "durationSeconds": 7200, "updatedAt": LATER}
    served.store.load(
        served.organisation,
        equipment=[
            an_equipment("eq_1", name="Kestrel 1", condition="FAIR", updatedAt=LATER),
        ],
        flights=[longer, *LATE],
        flight_equipment=[(flight["id"], "eq_1") for flight in LATE],
        projects=[
            a_project("proj_roof", title=HOSTILE, status="CONFIRMED", clientAccountName="Fjord"),
            a_project("proj_tower", title="Bridge", clientAccountName=None),
        ],
        services=[a_service("svc_1", a_tier("tier_1", 1, 7.5), name="Survey", baseRate=140)],
    )
    served.store.remove(served.organisation, flights=["fl_3"])


def sync(served, path):
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        return fleet.sync(str(path))


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Return the path of a mirror that saw both states."""
    path = tmp_path_factory.mktemp("changed") / "mirror"
    with ExitStack() as stack:
        served = serving(stack, BEFORE)
        sync(served, path)
        change(served)
        sync(served, path)
    return path


@pytest.fixture(scope="module")
def section(changed):
    """Return what the notebook makes of it, in a folder beside it."""
    return made("restatements", mirror=str(changed), out=str(changed.parent), **OCTOBER)


@pytest.fixture(scope="module")
def fleet(changed):
    return fk.open_mirror(changed)


def names(section):
    return {block["name"] for block in section["blocks"]}


# The section


def test_the_month_that_was_reported_moved_as_counted_by_hand(section):
    assert section["sentences"][0] == (
        "September moved by +1.2 h since its report: 3 late logs, 1 edit, 1 vanished."
    )
    assert table(section, "months") == [["2024-09", "+1.2", "5.2", "3", "1", "0", "0", "1"]]


def test_months_that_are_compared_one_after_the_other_give_the_same_ledger(tmp_path, monkeypatch):
    # fl_1 went from August to September, fl_2 became longer, and fl_3 came late: four rows.
    # fl_4 is of the month that is reported, before which the last span ends.
    edited = past_flight(2, "2024-09-30", minutes=90)
    write(tmp_path, flights=[past_flight(1, "2024-08-31"), past_flight(2, "2024-09-30")])
    moved = [past_flight(1, "2024-09-01"), edited, past_flight(3, "2024-10-05")]
    write(tmp_path, flights=[*moved, past_flight(4, "2024-11-05")])
    past = Past(fk.open_mirror(tmp_path), Period.read("2024-11"))
    whole = past.ledger()
    monkeypatch.setattr("fleetkit.reports.past.MOST_COMPARED", 1)
    monkeypatch.setattr("fleetkit.reports.past.MOST_LISTED", 3)
    months = past.ledger()
    assert len(past._parts()) == 3
    assert (months.of, months.flights) == (whole.of, whole.flights) == (4, 3)
    pd.testing.assert_frame_equal(months.months, whole.months)
    pd.testing.assert_frame_equal(months.rows, whole.rows.head(3))
    assert months.rows["month"].tolist() == ["2024-10", "2024-09", "2024-09"]


@pytest.mark.parametrize("compared", [1, 1000], ids=["one by one", "together"])
def test_a_flight_of_the_year_1_or_without_a_date_leaves_the_ledger_of_others(
    tmp_path, monkeypatch, compared
):
    monkeypatch.setattr("fleetkit.reports.past.MOST_COMPARED", compared)
    path, odd = tmp_path / "mirror", ["0001-01-01T00:00:00Z", "0999-12-31T00:00:00Z", None]
    for minutes in (60, 90):
        undated = [past_flight(number, day, minutes) for number, day in enumerate(odd)]
        dated = [past_flight(9, "2024-09-01", minutes), past_flight(8, "2024-08-01", minutes)]
        write(path, flights=undated + dated)
    months = Past(fk.open_mirror(path), "2024-10", changed_since=1).ledger().months
    assert months[["month", "hours"]].to_numpy().tolist() == [["2024-08", 0.5], ["2024-09", 0.5]]


def test_every_flight_that_moved_it_stands_there_with_its_id(section):
    assert [row[:-1] for row in table(section, "flights")] == [
        ["fl_2", "2 Sep 2024", "edit", "duration seconds", "1.00", "2.00", "+1.00"],
        ["fl_3", "3 Sep 2024", "vanished", "–", "1.00", "0.00", "−1.00"],
        ["fl_late_a", "20 Sep 2024", "late log", "–", "0.00", "0.50", "+0.50"],
        ["fl_late_b", "20 Sep 2024", "late log", "–", "0.00", "0.40", "+0.40"],
        ["fl_late_c", "20 Sep 2024", "late log", "–", "0.00", "0.30", "+0.30"],
    ]


def test_the_first_page_gets_a_line_and_no_verdict(section):
    assert section["verdict"] == ""
    assert section["lines"] == [
        {"label": "September", "text": "+1.2 h: 3 late logs, 1 edit, 1 vanished"}
    ]


def test_what_else_changed_is_said_and_listed_with_the_impossible_first(section):
    assert section["sentences"][1] == (
        "2 projects moved stage, 1 piece of equipment changed its status or condition, "
        "2 prices changed."
    )
    assert [row[:-1] for row in table(section, "moves")] == [
        ["Bridge", "–", "COMPLETED", "DRAFT", "after the end"],
        [HOSTILE, "Fjord", "DRAFT", "CONFIRMED", "forward"],
    ]
    assert [row[:-1] for row in table(section, "states")] == [
        ["Kestrel 1", "condition", "GOOD", "FAIR"]
    ]
    assert [row[:-1] for row in table(section, "prices")] == [
        ["Survey (svc_1)", "–", "Base rate", "EUR 125.50", "EUR 140"],
        ["Survey (svc_1)", "Tier 1", "Modifier", "0 %", "7.5 %"],
    ]


def test_a_month_that_moved_noticeably_and_an_impossible_move_need_attention(section):
    assert [(line["severity"], line["text"]) for line in section["attention"]] == [
        ("high", "1 project moved as none should: Bridge (COMPLETED → DRAFT)"),
        ("low", "1 reported month moved by 1 % of its hours or more: September (+1.2 h)"),
    ]
    moved = section["attention"][1]
    assert (moved["who"], moved["when"]) == ("3 late logs, 1 edit, 1 vanished", "by 30.0 %")


def test_the_report_of_one_client_tells_nothing_of_equipment_and_prices(changed, tmp_path):
    theirs = {**OCTOBER, "filters": {"client": ["Fjord"]}}
    section = made("restatements", mirror=str(changed), out=str(tmp_path), **theirs)
    assert section["sentences"][1] == "1 project moved stage."
    assert names(section) == {"hours", "months", "flights", "moves"}
    assert [row[0] for row in table(section, "moves")] == [HOSTILE]


def test_a_client_s_stages_are_those_since_its_name_in_both_chapters(tmp_path):
    # DRAFT under the old name; CONFIRMED, then SCHEDULED under the new one.
    steps = ("DRAFT", "Fjord"), ("CONFIRMED", "Fjord AS"), ("SCHEDULED", "Fjord AS")
    for status, client in steps:
        project = a_project("proj_1", status=status, clientAccountName=client)
        write(tmp_path / "mirror", flights=[past_flight(1)], projects=[project])
    theirs = {"mirror": str(tmp_path / "mirror"), "filters": {"client": ["Fjord AS"]}, **OCTOBER}
    moves, stages = (
        table(made(chapter, out=str(tmp_path), **theirs), name)
        for chapter, name in (("restatements", "moves"), ("project_pipeline", "conversions"))
    )
    assert [row[2:4] for row in moves] == [["CONFIRMED", "SCHEDULED"]]
    # Stage, seen in it, went on.
    assert [row[:3] for row in stages] == [["CONFIRMED", "1", "1"], ["SCHEDULED", "1", "0"]]


def test_a_client_s_stay_in_a_stage_that_began_under_another_name_was_not_seen_whole(tmp_path):
    """CONFIRMED since January, a day of it under the new name; the other project is new that day.

    Of two days, it would have made a median of 1.5 for projects that wait for a year.
    """
    steps = (
        ("2024-01-01", [("old", "CONFIRMED", "Fjord")]),
        ("2024-10-01", [("old", "CONFIRMED", "Fjord AS"), ("new", "CONFIRMED", "Fjord AS")]),
        ("2024-10-02", [("old", "SCHEDULED", "Fjord AS"), ("new", "CONFIRMED", "Fjord AS")]),
        ("2024-10-03", [("old", "SCHEDULED", "Fjord AS"), ("new", "SCHEDULED", "Fjord AS")]),
    )
    for day, projects in steps:
        records = [a_project(id_, status=s, clientAccountName=name) for id_, s, name in projects]
        write(tmp_path, projects=records, at=datetime.fromisoformat(f"{day}T02:00Z"))
    fleet = fk.open_mirror(tmp_path).where(client="Fjord AS")
    stays = fk.metrics.stage_stays(fk.reports.history(fleet, "projects"), "2024-10-04")
    confirmed = stays[stays["status"].eq("CONFIRMED")].set_index("project_id")
    assert confirmed["days"].to_dict() == {"old": 1.0, "new": 2.0}
    assert confirmed["whole"].to_dict() == {"old": False, "new": True}


def test_the_section_says_what_the_last_report_is_and_since_when_it_can_tell(section):
    meaning, begin = section["notes"]
    assert "(version 1), the first one that this mirror has." in meaning
    assert begin.startswith("The mirror's history begins on ")


def test_the_last_report_is_said_to_be_the_first_sync_after_the_period_before_or_the_chosen_one(
    tmp_path,
):
    """All syncs are at midnight in UTC: times in the report's zone, 02:00 in Oslo, all the same."""
    for day, status in (("09-30", "DRAFT"), ("10-02", "DRAFT"), ("10-03", "CONFIRMED")):
        at = datetime.fromisoformat(f"2024-{day}T00:00Z")
        write(tmp_path, projects=[a_project("proj_1", status=status)], at=at)
    fleet = fk.open_mirror(tmp_path, tz="Europe/Oslo")
    past, chosen = (Past(fleet, "2024-10", since) for since in (None, 3))
    assert past.explained()[0] == (
        "“The last report” is the state of 2 Oct 2024, 02:00 (version 2), the first one after "
        "1 Oct 2024: the period before was over, and could be reported."
    )
    assert chosen.explained()[0] == (
        "“The last report” is the state of 3 Oct 2024, 02:00 (version 3), as was chosen."
    )
    moves = past.seen(fk.metrics.stage_moves(past.history("projects")))
    assert moves["moved_at"].map(str).tolist() == ["2024-10-03 02:00:00+02:00"]


def test_flights_that_a_client_s_new_name_moved_in_are_said_to_be_so(tmp_path):
    """The one flight is of the project whose client is called Fjord AS from the second sync on."""
    mine = [a_flight("fl_1", "2024-09-10T09:00:00.000Z", project={"id": "proj_1", "title": "Roof"})]
    for name, client in (("proj_1", "Fjord"), ("proj_1", "Fjord AS"), ("proj_1", "Fjord AS")):
        old = a_project("proj_2", clientAccountName="Kirk")
        projects = [a_project(name, clientAccountName=client), old]
        write(tmp_path, flights=mine, projects=projects)
    since_first, since_second = (
        Past(fk.open_mirror(tmp_path).where(client="Fjord AS"), "2024-10", version)
        for version in (1, 2)
    )
    assert since_first.ledger().months["moved_in"].tolist() == [1]
    assert since_first.explained()[-1] == (
        "1 project had another client, or its client another name, in the last report: its "
        "flights count as moved in."
    )
    assert since_second.ledger().of == 0
    assert "moved in" not in since_second.explained()[-1]


def test_equipment_that_is_listed_no_more_is_named_with_the_flights_that_went_with_it(tmp_path):
    def listed(*pieces):
        flights = [past_flight(number, "2024-09-10") for number in range(len(pieces))]
        write(tmp_path / "mirror", equipment=pieces, flights=flights)

    # What has the id of one that is gone is not it.
    tern, wren = ({"id": name, "name": name.title()} for name in ("tern", "wren"))
    listed({**tern, "createdAt": "2024-01-01"}, wren, {"id": "eq_1"})
    listed({**tern, "createdAt": "2024-09-20"}, {"id": "eq_1", "weight": 2})
    past = Past(fk.open_mirror(tmp_path / "mirror"), "2024-10")
    assert past.explained()[-1] == (
        "Since the last report, 2 pieces of equipment are listed no more, and with them the "
        "flights that only they had logged: Tern and Wren."
    )
    fleet = fk.open_mirror(tmp_path / "mirror").where(client="Fjord", allow_empty=True)
    assert "listed no more" not in " ".join(Past(fleet, "2024-10").explained())


def test_a_hostile_title_stays_a_title(changed, section):
    page = render.html(ABOUT, [render.load_section(changed.parent / section["name"])])
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; roof" in page.replace("<wbr>", "")


def test_a_filter_narrows_what_changed(changed, tmp_path):
    narrowed = {**OCTOBER, "filters": {"equipment": ["eq_2"], "project": ["proj_roof"]}}
    section = made("restatements", mirror=str(changed), out=str(tmp_path), **narrowed)
    assert section["sentences"][0] == "No month that was reported has changed since."
    assert [row[0] for row in table(section, "moves")] == [HOSTILE]
    assert table(section, "states") == []


def test_where_nothing_changed_the_first_page_and_the_attention_list_stay_empty(changed, tmp_path):
    # September's own report compares August and before, which have no flights.
    september = {"period": "2024-09", "changed_since": None}
    section = made("restatements", mirror=str(changed), out=str(tmp_path), **september)
    assert section["sentences"][0] == "No month that was reported has changed since."
    assert section["lines"] == []
    assert [item["text"] for item in section["attention"]] == [
        "1 project moved as none should: Bridge (COMPLETED → DRAFT)"
    ]


def test_a_table_that_no_sync_could_read_has_no_changes(tmp_path):
    with ExitStack() as stack:
        served = serving(stack, BEFORE)
        key = served.store.create_key(served.organisation, name="x", scopes=["equipment:read"])
        served.api_key = key
        sync(served, tmp_path / "mirror")
        change(served)
        sync(served, tmp_path / "mirror")
    section = made("restatements", mirror=str(tmp_path / "mirror"), out=str(tmp_path), **OCTOBER)
    assert names(section).isdisjoint({"moves", "prices"})
    assert len(table(section, "flights")) == 5
    assert [(kpi["label"], kpi["text"]) for kpi in section["kpis"][2:]] == [
        ("Stage moves", "–"),
        ("Impossible moves", "–"),
    ]
    assert section["sentences"][1] == ("1 piece of equipment changed its status or condition.")
    assert section["notes"][2:] == [
        "No sync could read projects: of their changes nothing is known.",
        "No sync could read services: of their changes nothing is known.",
    ]


def test_a_mirror_without_flights_has_a_past_in_any_zone(tmp_path):
    lacking = dict.fromkeys(("equipment", "specifications", "flights", "flight_equipment"), "x")
    for price in (10, 12):
        project = {"id": "proj_1", "agreedPrice": price}
        write(tmp_path, tz="Europe/Oslo", projects=[project], missing=lacking)
    past = Past(fk.open_mirror(tmp_path), "2024-10", changed_since=1)
    assert past.readable == ["projects", "services", "tiers"]


def test_a_live_fleet_is_told_that_only_a_mirror_has_a_past(tiny):
    with (
        fk.connect(tiny.base_url, tiny.api_key, progress=False) as live,
        pytest.raises(InvalidValue, match="only a mirror does"),
    ):
        Past(live, Period.read("2024-10"))


# What else the mirror remembers


def test_time_in_stage_stands_in_the_pipeline_once_the_mirror_has_a_history(changed, tmp_path):
    section = made("project_pipeline", mirror=str(changed), out=str(tmp_path), version=2)
    assert {"time_in_stage", "conversions"} <= names(section)
    # The roof went from DRAFT to CONFIRMED, where it is; the bridge came to DRAFT and is there.
    assert table(section, "conversions") == [
        ["DRAFT", "2", "1", "0", "0", "1", "0", "100.0 %"],
        ["CONFIRMED", "1", "0", "0", "0", "1", "0", "–"],
    ]
    assert section["notes"][-1].startswith("Time in stage and conversions are known since ")
    assert "Time in stage" in {definition["term"] for definition in section["definitions"]}


def test_a_first_sync_has_no_time_in_stage_and_says_what_it_needs(changed, tmp_path):
    section = made("project_pipeline", mirror=str(changed), out=str(tmp_path), version=1)
    assert "time_in_stage" not in names(section)
    assert "need a mirror with a history; that of this one begins on" in section["notes"][-1]


@pytest.mark.parametrize(
    ("period", "changes"),
    [
        ("2024-01-01_2099-12-31", [["Kestrel 1", "condition", "GOOD", "FAIR"]]),
        ("2024", None),
    ],
)
def test_changes_of_condition_belong_to_the_period_in_which_they_were_seen(
    changed, tmp_path, period, changes
):
    section = made("equipment_condition", mirror=str(changed), out=str(tmp_path), period=period)
    if changes is None:  # its history begins later
        assert "changes" not in names(section)
    else:
        assert [row[:-1] for row in table(section, "changes")] == changes


# Since when


@pytest.fixture
def thrice(tmp_path):
    """Return a mirror that was synced three times."""
    with ExitStack() as stack:
        served = serving(stack, BEFORE)
        for _ in range(3):
            sync(served, tmp_path / "mirror")
    return fk.open_mirror(tmp_path / "mirror").mirror


def the_day_of(moment):
    """Return a period that begins at a moment."""
    return Period(moment, moment + timedelta(days=1), "UTC")


def test_the_last_report_is_the_first_sync_after_the_period_before(thrice):
    _, second, third = (state.fetched_at for state in thrice.states)
    assert span(thrice, the_day_of(second)).version == 2
    assert span(thrice, the_day_of(second + timedelta(microseconds=1))).version == 3
    assert span(thrice, the_day_of(third)).is_empty


def test_where_no_sync_ran_in_a_whole_period_what_changed_is_left_out_and_says_why(tmp_path):
    for number, day in ((1, datetime(2024, 6, 17)), (2, datetime(2024, 8, 2))):
        flights = [past_flight(number, "2024-06-10")]
        write(tmp_path / "mirror", at=day.replace(tzinfo=UTC), flights=flights)
    fleet = fk.open_mirror(tmp_path / "mirror")
    # June's report is of the first state, or of this one, or there is none.
    refused = pytest.raises(ReportError, match="no sync ran from 17 Jun 2024 until after this")
    with refused, pytest.warns(fk.Notice, match=r"shows version 1, say so: changed_since=1\."):
        fk.report("2024-07", fleet=fleet, sections="restatements", out=tmp_path / "reports")
    # June has a state; August isn't over: that of July would show the same state.
    months = [Period.read(month) for month in ("2024-06", "2024-08")]
    assert [last_before(fleet.mirror, month) for month in months] == [None, None]


def test_a_mirror_that_began_later_starts_with_its_first_sync(thrice):
    reported = span(thrice, Period.read("2024-10"))
    assert (reported.version, reported.is_first, reported.is_empty) == (1, True, False)
    assert reported.before == datetime(2024, 10, 1, tzinfo=UTC)


def test_the_last_report_can_be_named_by_version_or_moment(thrice):
    _, second, third = (state.fetched_at for state in thrice.states)
    october = Period.read("2024-10")
    assert span(thrice, october, 2).version == 2
    assert span(thrice, october, third - timedelta(microseconds=1)).version == 2
    assert span(thrice, october, "2001-01-01").version == 1
    # Of what was over then, the month in which it was made isn't.
    start = second.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    assert span(thrice, october, 2).before == start


def test_a_version_that_the_state_does_not_know_is_refused(thrice):
    with pytest.raises(MirrorError, match="knows no version 9"):
        span(thrice, Period.read("2024-10"), 9)


def test_syncs_after_the_opened_state_do_not_count(thrice):
    early = fk.open_mirror(thrice.path, version=1)
    assert span(early.mirror, Period.read("2024-10")).is_empty
    assert not has_history(early, "projects")


# The words


def months(*moved, share=0.5):
    """Return months, the newest first, each moved by so many hours with one edit."""
    return pd.DataFrame(
        {
            "month": [f"2024-{9 - place:02d}" for place in range(len(moved))],
            **dict.fromkeys(("late_logs", "moved_in", "moved_out", "vanished"), 0),
            "edits": 1,
            "hours": list(moved),
            "share": share,
        }
    )


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ((), "No month that was reported has changed since."),
        ((-0.25,), "September moved by −0.3 h since its report: 1 edit."),
        ((0.0,), "September kept its hours since its report: 1 edit."),
        # An edit of thirty seconds is no nothing.
        ((1 / 120,), "September moved by less than 0.1 h since its report: 1 edit."),
        (
            (1, 2, 3, 4, 5),
            "September moved by +1.0 h since its report: 1 edit; August moved by +2.0 h: 1 edit; "
            "July moved by +3.0 h: 1 edit; 2 earlier months changed too.",
        ),
    ],
)
def test_months_that_moved_are_named_and_the_others_counted(moved, said):
    assert restated(months(*moved), Period.read("2024-10")) == said


def test_an_earlier_month_moved_since_the_last_report_not_since_its_own():
    said = restated(months(1, 2).tail(1), Period.read("2024-10"))
    assert said == "August moved by +2.0 h since the last report: 1 edit."


def test_since_a_state_that_was_chosen_no_month_moved_since_its_own_report(changed, tmp_path):
    chosen = {**OCTOBER, "changed_since": 1}
    section = made("restatements", mirror=str(changed), out=str(tmp_path), **chosen)
    assert section["sentences"][0] == (
        "September moved by +1.2 h since the last report: 3 late logs, 1 edit, 1 vanished."
    )


def test_the_first_page_names_two_months_and_sums_up_the_others(fleet):
    past = Past(fleet, Period.read("2024-10"))
    assert past.lines(months(1, 0, 3, -1)) == [
        ("September", "+1.0 h: 1 edit"),
        ("August", "same hours: 1 edit"),
        ("2 earlier months", "+2.0 h"),
    ]
    others = [past.lines(months(1, 0, *hours))[-1] for hours in ((3, -3), (0, 0))]
    assert others == [("2 earlier months", "0.0 h together"), ("2 earlier months", "same hours")]


def test_a_period_that_begins_with_the_second_first_hour_of_a_month_has_the_first_before_it():
    # Havana's clock shows 00:00 to 01:00 of 1 November 2026 twice, the second time from 05:00 UTC.
    period = Period.between("2026-11-01T05:00Z", "2026-12-01", "America/Havana")
    moved = months(1).assign(month="2026-11")
    first_hour = "1 November 2026 00:00-04:00 – 1 November 2026 00:00-05:00"
    assert restated(moved, period).startswith(f"{first_hour} moved by +1.0 h")


def test_a_month_that_the_period_begins_in_is_named_by_its_days_before(fleet, changed, tmp_path):
    """Week 37 begins on 9 September; since a state that was chosen, whole months are compared."""
    week, moved, nothing = Period.read("2024-W37"), months(1, 2), pd.DataFrame({"project_id": []})
    assert restated(moved, week) == (
        "1–8 September moved by +1.0 h since the last report: 1 edit; August moved by +2.0 h: "
        "1 edit."
    )
    assert [label for label, _ in Past(fleet, week).lines(moved)] == ["1–8 September", "August"]
    [line] = attention.restatements(moved, nothing, week)
    assert line["text"].endswith(": 1–8 September (+1.0 h) and August (+2.0 h)")
    chosen = {"period": "2024-W37", "changed_since": 1}
    section = made("restatements", mirror=str(changed), out=str(tmp_path), **chosen)
    told = [section["sentences"][0], section["lines"][0]["label"], section["attention"][-1]["text"]]
    assert [("1–8" in text, "September" in text) for text in told] == [(False, True)] * 3


# 2.3 of 230 hours are 0.009999999999999998 of them, as the quotient is rounded.
SHARES = [(0.0099, 0), (0.01, 1), (2.3 / 230, 1), (None, 1)]


@pytest.mark.parametrize(("share", "named"), SHARES)
def test_a_month_needs_attention_from_one_per_cent_on(share, named):
    moved, nothing = months(1.0, share=share), pd.DataFrame({"project_id": []})
    assert len(list(attention.restatements(moved, nothing, Period.read("2024-10")))) == named


def test_a_month_that_kept_its_hours_needs_no_attention_however_little_is_named():
    thresholds, nothing = THRESHOLDS | {"restated_percent": 0}, pd.DataFrame({"project_id": []})
    moved = months(2.8e-17, 0.1, share=0.0)  # 24 − 18 + 6 − 12 min, and six minutes
    [line] = attention.restatements(moved, nothing, Period.read("2024-10"), thresholds=thresholds)
    assert line["text"].endswith(": August (+0.1 h)")


def test_months_that_moved_are_one_line_the_most_moved_first():
    moved = months(1.0, -2.0, 0.01, 4.0).assign(share=[0.02, 0.5, 0.011, None])
    nothing = pd.DataFrame({"project_id": []})
    [line] = attention.restatements(moved.head(3), nothing, Period.read("2024-10"))
    assert line["when"] == "by up to 50.0 %"
    [line] = attention.restatements(moved, nothing, Period.read("2024-10"))
    # June had no hours before: it moved by all of them.
    assert line["text"] == (
        "4 reported months moved by 1 % of their hours or more: "
        "June (+4.0 h), August (−2.0 h) and 2 more"
    )
    assert (line["severity"], line["who"]) == ("low", "")
    of_each = moved.head(1).assign(late_logs=2, moved_in=1, moved_out=1, vanished=2)
    [line] = attention.restatements(of_each, nothing, Period.read("2024-10"))
    assert line["who"] == "2 late logs, 1 edit, 1 moved in, 1 moved out, 2 vanished"
