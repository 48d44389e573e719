"""What an explorer compares: another filter or period beside the one that is chosen."""

import re
from datetime import UTC, date, datetime

import pytest
from a_page import press, words
from conftest import ADA, BO, TINY, a_flight, a_project, flown_by_kestrel

import fleetkit as fk
from fleetkit.explore import compared_in_query, from_query, to_query
from fleetkit.explore.comparing import beside

pytestmark = pytest.mark.slow
VIEWS = """
views.dark = { night = true }
views.both = { pilot = ["prof_ada", "prof_bo"] }
views.cameras = { type = "CAMERA" }
"""


@pytest.fixture(scope="module")
def fleet(tiny, tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "fleetkit.toml"
    path.write_text(VIEWS, encoding="utf-8")
    return fk.connect(tiny.base_url, tiny.api_key, progress=False, config=path)


@pytest.fixture
def explorer(fleet):
    return fk.explore.flights(fleet)


def form(explorer, label):
    """Return one of the forms that the choices are given back in."""
    [text] = re.findall(rf"<span>{label}</span><(?:code|em).*?>(.*?)</", explorer.screen.chosen)
    return words(text)


def test_a_chart_without_any_hours_stands_beside_one_that_has_some(explorer):
    explorer.controls.period.value = "2026-09"  # one flight, without a duration
    press(explorer, "choose", {"compare": "set aside"})
    explorer.controls.period.value = "2026-10"
    chart = words(explorer.screen.chart)
    assert "Hours by month COMMERCIAL 1.5 h TRAINING 0.3 h" in chart
    assert "Hours by month, the filter set aside RECREATIONAL not recorded" in chart


def test_a_filter_is_set_aside_and_stays_beside_what_is_chosen_next(explorer):
    explorer.controls.pilot.value = "prof_ada"
    press(explorer, "choose", {"compare": "set aside"})
    explorer.controls.pilot.value = "prof_bo"
    # Bo flew twice, 900 s and once without a duration; Ada twice, 1800 + 3600 s.
    figures = words(explorer.screen.figures)
    assert figures.startswith("Flights 2 of 5 2 (±0.0 %) Hours 0.3 timed: 1 of 2 1.5 (−83.3 %)")
    assert "Below each figure, and in the second chart: Pilot Ada Lind." in figures
    assert "Hours by month, the filter set aside COMMERCIAL 1.5 h" in words(explorer.screen.chart)
    _, *drawn = explorer.screen.chart.split("<svg")
    axes = [re.findall(r">([\d.]+)</text>", picture) for picture in drawn]
    # Bars of both are as long for an hour: beside both stand the same hours.
    assert [axis[1:5] for axis in axes] == [["0", "0.5", "1", "1.5"]] * 2
    assert "Compared with Pilot Ada Lind ✕" in words(explorer.screen.chips)
    assert form(explorer, "In words") == (
        "2 of 5 flights: Pilot Bo Ødegård. Compared with Pilot Ada Lind: 2 flights"
    )
    assert explorer.screen.shown["announcement"] == (
        "2 flights, 0.3 hours, compared with 2 flights, 1.5 hours"
    )
    # It chooses no flights, and what is chosen is taken back without it.
    assert explorer.filter == fk.Filter(pilot="prof_bo")
    explorer.controls.reset.click()
    assert words(explorer.screen.chips) == "Compared with Pilot Ada Lind ✕"
    press(explorer, "choose", {"compare": ""})
    assert "Nothing is chosen" in explorer.screen.chips
    explorer.back()
    assert words(explorer.screen.chips) == "Compared with Pilot Ada Lind ✕"


@pytest.mark.parametrize(
    ("since", "until", "which", "title"),
    [
        ("2026-10-01", "2026-11-01", "previous", "September 2026"),
        ("2026-09-01", "2026-10-01", "previous", "August 2026, known since 2026-08-10"),
        ("2026-08-10", "2026-09-10", "previous", "Nothing is known of 10 July – 9 August 2026: "),
        ("2026-11-01", "2026-12-01", "previous", "1–14 October 2026"),  # so far
        (
            *("2026-10-01", "2026-11-01", "year before"),
            "Nothing is known of October 2025: no data before 2026-08-10",
        ),
    ],
)
def test_beside_a_period_stands_an_earlier_one_as_far_as_it_is_known(since, until, which, title):
    choices = {"since": date.fromisoformat(since), "until": date.fromisoformat(until)}
    first, moment = date(2026, 8, 10), datetime(2026, 11, 15, tzinfo=UTC)
    other = beside({**choices, "compare": which}, first, "UTC", moment)
    assert other.title.startswith(title)
    assert (other.title == title) == (other.choices is not None)
    whole = beside({**choices, "compare": which}, date(2026, 9, 1), "UTC", moment)
    assert "known since" not in whole.title


def test_beside_a_period_stands_the_morning_with_which_the_data_begin():
    choices = {"since": date(2026, 11, 10), "until": date(2026, 11, 20), "compare": "previous"}
    moment = datetime(2026, 11, 15, 9, tzinfo=UTC)
    other = beside(choices, date(2026, 11, 5), "UTC", moment)
    assert other.title == "31 October – 5 November 2026, known since 2026-11-05"


def test_beside_a_period_stands_nothing_where_there_are_no_data_at_all():
    choices = {"since": date(2026, 10, 1), "until": date(2026, 11, 1), "compare": "previous"}
    other = beside(choices, None, "UTC", datetime(2026, 11, 15, tzinfo=UTC))
    assert other.title == "Nothing is known of September 2026: the first flights are later."
    assert other.choices is None


def test_a_narrowed_fleet_knows_that_nothing_was_flown_or_created_since_the_organisation_s_first(
    serve_records,
):
    flights = [
        a_flight("fl_1", "2026-08-20T10:00:00.000Z", pilotInCommand=ADA),
        a_flight("fl_2", "2026-10-20T10:00:00.000Z", pilotInCommand=BO),
    ]
    projects = [
        a_project("proj_1", createdAt="2026-08-20T08:00:00.000Z", clientAccountName="Fjord"),
        a_project("proj_2", createdAt="2026-10-20T08:00:00.000Z", clientAccountName="Quay"),
    ]
    served = serve_records(flown_by_kestrel(flights) | {"projects": projects})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    for explorer, first in [
        (fk.explore.flights(fleet.where(pilot="prof_bo")), ""),
        (fk.explore.projects(fleet.where(client="Quay")), "created "),
    ]:
        explorer.controls.compare.value = "previous"
        explorer.controls.period.value = "2026-10"
        figures = words(explorer.screen.figures)
        assert " 1 of 1 0 " in figures
        assert f"second chart: {first}September 2026" in figures
        explorer.controls.since.value = date(2026, 9, 1)
        explorer.controls.until.value = date(2026, 10, 1)
        title = f"second chart: {first}August 2026, known since 2026-08-20"
        assert title in words(explorer.screen.figures)


def test_a_bar_of_the_second_chart_narrows_what_is_chosen(explorer):
    explorer.controls.compare.value = fk.Filter(night=True)
    explorer.controls.grouping.value = "pilot"
    explorer.controls.bvlos.value = False
    bar = re.search(r'data-key="other-bar-prof_bo-\w+" data-value="(.*?)"', explorer.screen.chart)
    assert "prof_bo" in bar[1]
    press(explorer, "choose", {"pilot": "prof_bo"})
    assert explorer.filter == fk.Filter(bvlos=False, pilot="prof_bo")
    assert explorer.screen.shown["values"]["compare"] == "set aside"


def test_a_view_is_compared_with_also_one_of_two_pilots(explorer):
    options = [value for _, value in explorer.controls.compare.options]
    assert options == ["", "previous", "year before", "set aside", "@dark", "@both", "@cameras"]
    explorer.controls.compare.value = "@both"
    figures = words(explorer.screen.figures)
    assert "Flights 5 of 5 4 (+25.0 %)" in figures
    assert "in the second chart: @both (Pilot Ada Lind, Bo Ødegård)." in figures


def test_views_of_this_folder_are_offered_and_one_saved_later_is_shown_as_set_aside(
    fleet, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "fleetkit.toml"
    file.write_text("views.here = { bvlos = true }")
    explorer = fk.explore.flights(fleet)
    options = [value for _, value in explorer.controls.compare.options]
    assert options[4:] == ["@here", "@dark", "@both", "@cameras"]
    file.write_text("views.later = { night = true }")
    explorer.controls.compare.value = " @later "
    assert "in the second chart: @later (" in words(explorer.screen.figures)
    # The control has no option of that name.
    assert explorer.screen.shown["values"]["compare"] == "set aside"
    explorer.controls.compare.value = " @dark "
    assert explorer.screen.shown["values"]["compare"] == "@dark"


def test_settings_of_this_folder_that_are_not_valid_keep_no_explorer_from_opening(
    fleet, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleetkit.toml").write_text("concurrency = 0")
    options = [value for _, value in fk.explore.flights(fleet).controls.compare.options]
    assert options[4:] == ["@dark", "@both", "@cameras"]


def test_what_cannot_be_compared_with_says_why_and_changes_nothing(explorer):
    for value, message in [
        ("@darkk", "There is no view named 'darkk'. Did you mean dark"),
        (fk.Filter(pilot="prof_eve"), "'prof_eve' is not an option of 'Pilot'"),
        (fk.Filter(since="2026-10-05", until="2026-10-01"), "lies after until=2026-10-01"),
        (fk.Filter(pilot=[]), "The filter has no value for pilot, so it selects nothing"),
        (fk.Filter(status="DRAFT"), "can't be compared with a filter of status"),
        (fk.Filter(model="A4"), "Flights can't be compared with a filter of model"),
        ("next", "'next' is not an option of 'Compare with'"),
    ]:
        with pytest.raises(fk.InvalidValue, match=message):
            explorer.controls.compare.value = value
    assert explorer.controls.compare.value == ""


@pytest.mark.parametrize("kind", ["flights", "projects"])
def test_dates_that_cross_are_not_set_aside(fleet, kind):
    explorer = getattr(fk.explore, kind)(fleet)
    explorer.controls.since.value = date(2026, 10, 25)
    explorer.controls.until.value = date(2026, 3, 29)
    with pytest.raises(fk.InvalidValue, match="lies after until=2026-03-29"):
        explorer.controls.compare.value = "set aside"
    press(explorer, "choose", {"compare": "set aside"})
    assert "lies after until=2026-03-29" in words(explorer.screen.chips)
    assert explorer.controls.compare.value == ""


def test_the_comparison_is_given_back_as_python_and_as_a_link_that_mean_the_same(fleet):
    explorer = fk.explore.flights(fleet, fk.Filter(pilot="prof_bo"), "@dark")
    explorer.controls.grouping.value = "pilot"
    compared = eval(form(explorer, "Comparison"), {"fk": fk, "fleet": fleet})  # noqa: S307
    assert compared[["pilot", "flights", "flights_other"]].values.tolist() == [["prof_bo", 2, 1]]
    query = form(explorer, "Link")
    assert query == "?flights.pilot=prof_bo&flights.compare.night=true"
    chosen, other = from_query(query)["flights"], compared_in_query(query)["flights"]
    again = fk.explore.flights(fleet, chosen, other)
    assert "Flights 2 of 5 1 (+100.0 %)" in words(again.screen.figures)


def test_a_link_keeps_the_period_beside_another_also_while_nothing_is_known_of_it(fleet):
    # The first flight is of 30 September 2026.
    explorer = fk.explore.flights(fleet, fk.Filter(since="2026-10-01", until="2026-11-01"))
    explorer.controls.compare.value = "year before"
    assert "Nothing is known of October 2025" in words(explorer.screen.figures)
    query = form(explorer, "Link")
    assert query.endswith("&flights.until=2026-11-01&flights.compare=year%20before")
    assert compared_in_query(query) == {"flights": "year before"}
    again = fk.explore.flights(fleet, from_query(query)["flights"], "year before")
    assert form(again, "Link") == query
    assert "Comparison" not in again.screen.chosen


def test_a_link_keeps_a_period_beside_another_also_while_no_period_is_chosen(fleet):
    for name in ("flights", "projects"):
        explore = getattr(fk.explore, name)
        explorer = explore(fleet)
        explorer.controls.compare.value = "previous"
        said = "Nothing to compare with: choose both ends of a period first."
        assert said in words(explorer.screen.figures)
        query = form(explorer, "Link")
        assert query == f"?{name}.compare=previous"
        again = explore(fleet, other=compared_in_query(query)[name])
        assert words(again.screen.figures) == words(explorer.screen.figures)
        again.controls.since.value = date(2026, 1, 1)
        assert said in words(again.screen.figures)


def test_a_link_of_a_fleet_that_begins_within_the_other_period_sets_that_part_beside(fleet):
    # Of 1-19 October are the flights of the 1st and of the 15th.
    explorer = fk.explore.flights(
        fleet.where(since="2026-10-10"), since="2026-10-20", until="2026-11-08", other="previous"
    )
    assert "Flights 2 of 3 1 (+100.0 %)" in words(explorer.screen.figures)
    query = form(explorer, "Link")
    assert compared_in_query(query)["flights"].since == "2026-10-10"
    again = fk.explore.flights(
        fleet, from_query(query)["flights"], compared_in_query(query)["flights"]
    )
    assert "Flights 2 of 5 1 (+100.0 %)" in words(again.screen.figures)


def test_a_link_to_what_narrows_its_page_sets_nothing_beside_it_that_is_not_there(fleet):
    explorer = fk.explore.equipment(fleet, other=fk.Filter(type="DRONE"))
    # One identifier is held by a control, which leaves the others to be compared with.
    explorer.controls.status.value = ["MAINTENANCE"]
    query = form(explorer, "Link")
    chosen, other = from_query(query)["equipment"], compared_in_query(query)["equipment"]
    again = fk.explore.equipment(fleet, chosen, other)
    assert words(again.screen.figures) == words(explorer.screen.figures)
    # Two narrow the page.
    explorer.controls.status.value = ["ACTIVE"]
    assert form(explorer, "Link").endswith("Compare with nothing to have a link.")
    assert form(explorer, "Page") == form(explorer, "Link")
    explorer.controls.compare.value = ""
    assert from_query(form(explorer, "Link"))["equipment"] == explorer.filter


def test_nothing_that_is_set_aside_has_no_link_which_could_not_be_opened(fleet):
    explorer = fk.explore.equipment(fleet)
    explorer.controls.status.value = ["MAINTENANCE"]
    explorer.controls.type.value = "CAMERA"  # none of both: the filter has no identifier
    explorer.controls.compare.value = "set aside"
    explorer.controls.type.value = None  # one, which a control holds
    assert "fk.Filter(equipment=('eq_spare',)), fk.Filter(equipment=())" in form(
        explorer, "Comparison"
    )
    assert form(explorer, "Link").endswith("Compare with nothing to have a link.")


def test_a_link_says_what_is_compared_with_by_name_by_filter_or_as_all():
    filters = {"flights": fk.Filter(night=True)}
    for other in ("previous", "@dark", fk.Filter(pilot="prof_bo"), fk.Filter(), ""):
        query = to_query(filters, compared={"flights": other})
        assert from_query(query) == filters
        assert compared_in_query(query) == {"flights": other}


def test_equipment_is_compared_with_a_filter_and_has_no_period(fleet):
    explorer = fk.explore.equipment(fleet, fk.Filter(type="DRONE"), "@cameras")
    figures = words(explorer.screen.figures)
    assert figures.startswith("Equipment 2 of 3 1 (+100.0 %) Aircraft 2 of 2 0")
    chart = words(explorer.screen.chart)
    assert "Status and condition, @cameras GOOD FAIR ACTIVE 1 – MAINTENANCE – –" in chart
    options = [value for _, value in explorer.controls.compare.options]
    assert options == ["", "set aside", "@cameras"]
    assert form(explorer, "Comparison") == (
        "fk.compare('equipment_condition', fk.Filter(type=('DRONE',)), "
        "fk.Filter(type=('CAMERA',)), fleet=fleet)"
    )
    explorer.controls.equipment.value = "eq_spare"
    assert explorer.filter == fk.Filter(type="DRONE", equipment="eq_spare")
    explorer.controls.compare.value = fk.Filter()
    assert "in the second chart: all pieces of equipment." in words(explorer.screen.figures)


def test_projects_are_compared_with_those_created_a_year_before(serve_records):
    projects = [
        a_project("proj_1", createdAt="2026-02-01T08:00:00.000Z", status="DRAFT"),
        a_project("proj_2", createdAt="2026-02-28T23:30:00.000Z", status="DELIVERED"),
        a_project("proj_3", createdAt="2025-02-28T08:00:00.000Z", status="DRAFT"),
    ]
    served = serve_records(TINY | {"projects": projects})
    fleet = fk.connect(served.base_url, served.api_key, progress=False, tz="Europe/Oslo")
    explorer = fk.explore.projects(fleet)
    explorer.controls.compare.value = "year before"
    assert "Nothing to compare with: choose both ends of a period" in words(explorer.screen.figures)
    # In Oslo, proj_2 is of March.
    explorer.controls.period.value = "2026-02"
    assert explorer.rows["project_id"].tolist() == ["proj_1"]
    assert explorer.filter == fk.Filter(project="proj_1")
    figures = words(explorer.screen.figures)
    assert "Projects 1 of 3 1 (±0.0 %) Open 1 EUR 1,000 1 (±0.0 %) · EUR 1,000" in figures
    earlier = "created February 2025, known since 2025-02-28"
    assert f"{earlier}, in the stages of now." in figures
    assert f"by stage, {earlier} DRAFT 1 EUR 1,000 proj_3" in words(explorer.screen.chart)
    # A link names the projects, and can't say when they were created.
    assert form(explorer, "Link").endswith("Compare with nothing to have a link.")


def test_a_view_that_leaves_values_out_stands_beside_what_is_chosen(fleet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleetkit.toml").write_text(
        'views.paid = { flight_type = { not = ["TRAINING"] } }\n'
        'views.flown = { type = { is = ["DRONE"], not = ["CAMERA"] } }\n'
    )
    explorer = fk.explore.flights(fleet, other="@paid")
    assert "@flown" not in dict(explorer.controls.compare.options)  # no control holds both
    # One of five flights is for training.
    assert form(explorer, "In words") == (
        "5 of 5 flights: all of them. Compared with @paid (Flight type not TRAINING): 4 flights"
    )
    assert form(explorer, "Link") == "?flights.compare.flight_type%21=TRAINING"


def test_a_link_is_given_only_where_its_page_can_leave_out_what_stands_beside_the_chosen(fleet):
    # Nothing that Bo flew is in progress: the fleet leaves him out, and the page's would so too.
    chosen = fk.Filter(status="IN_PROGRESS", pilot=fk.excluding("prof_bo"))
    explorer = fk.explore.flights(fleet, chosen, other=fk.Filter())
    link = form(explorer, "Link")
    other = compared_in_query(link)["flights"]
    opened = fk.explore.flights(fleet, from_query(link)["flights"], other=other)
    assert form(opened, "In words") == form(explorer, "In words")
    # A page that opens with Ada alone has no reason to leave him out of all that it shows.
    explorer.controls.pilot.value = "prof_ada"
    assert form(explorer, "Link").endswith("Compare with nothing to have a link.")


def test_an_explorer_is_narrowed_by_what_equipment_is_and_gives_it_back(fleet):
    chosen = fk.Filter(model="A4", condition=fk.excluding("FAIR"))
    explorer = fk.explore.flights(fleet, chosen)
    explorer.controls.type.value = "DRONE"
    assert explorer.filter == chosen.combined_with({"type": "DRONE"})
    pieces = fk.explore.equipment(fleet, chosen)
    assert pieces.filter == chosen
    assert set(pieces.rows["condition"]) == {"GOOD"}
    with pytest.raises(fk.InvalidValue, match=r"Pieces of equipment can't be .* filter of model"):
        pieces.controls.compare.value = fk.Filter(model="A5")
