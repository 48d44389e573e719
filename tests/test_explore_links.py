"""A filter as a link: what is written is read again, and what can't be read is named."""

import pytest
from conftest import a_flight, an_equipment, flown_by_kestrel
from hypothesis import given, settings
from test_filters import FILTERS

import fleetkit as fk
from fleetkit.explore import from_query, to_query


@pytest.mark.slow
@settings(max_examples=25)
@given(FILTERS, FILTERS)
def test_filters_survive_the_way_through_a_link(flights, projects):
    filters = {"flights": flights, "projects": projects}
    assert from_query(to_query(filters)) == {name: one for name, one in filters.items() if one}


def test_a_link_is_readable_and_says_the_explorer_with_each_field():
    filters = {"flights": fk.Filter(since="2026-10-01", night=True)}
    assert to_query(filters) == "flights.since=2026-10-01&flights.night=true"


def test_what_somebody_else_reads_of_a_query_is_left_to_them():
    query = "?token=abc&equipment.type=DRONE"
    assert from_query(query, other=["token"]) == {"equipment": fk.Filter(type="DRONE")}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("flights.nigth=true", "In the link's flights: 'nigth=true' is not a filter. Did you mean"),
        ("flihgts.night=true", "'flihgts.night' in the link names no explorer. Did you mean"),
        ("night=true", "'night' in the link names no explorer"),
        ("flights.night=maybe", "In the link's flights: night='maybe' is not a filter"),
        ("flights.night=true&flights.night=false", "The filter night is given twice"),
        ("flights.pilot=%ff", "is not a text in UTF-8"),
    ],
)
def test_what_a_link_cannot_mean_is_named(query, message):
    with pytest.raises(fk.InvalidValue, match=message):
        from_query(query)


@pytest.mark.slow
def test_an_explorer_opens_with_what_a_link_says(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    chosen = from_query("flights.pilot=prof_bo&flights.since=2026-10-01")["flights"]
    explorer = fk.explore.flights(fleet, chosen)
    assert (explorer.controls.pilot.value, explorer.filter) == ("prof_bo", chosen)
    assert explorer.rows["flight_id"].tolist() == ["fl_3"]
    explorer.controls.reset.click()
    assert explorer.filter == fk.Filter()


@pytest.mark.slow
def test_what_no_control_can_hold_narrows_the_fleet(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    chosen = fk.Filter(pilot=["prof_bo", "prof_ada"], night=False)
    explorer = fk.explore.flights(fleet, chosen)
    assert (explorer.controls.pilot.value, explorer.controls.night.value) == ("", False)
    assert explorer.filter == chosen
    narrowed = "narrowed to pilot=prof_bo, pilot=prof_ada"
    assert f"the fleet is {narrowed}" in explorer.screen.chosen
    assert f"The fleet is {narrowed}." in explorer.screen.chips
    explorer.controls.reset.click()
    assert "Nothing is chosen.</p>" in explorer.screen.chips
    assert f"The fleet is {narrowed}." in explorer.screen.chips


def test_the_second_midnight_of_a_day_is_no_start_of_it(serve_records):
    """Havana's clock is set back from 01:00 to 00:00, at 05:00 UTC, on 1 November 2026."""
    dates = {"fl_1": "2026-11-01T04:30:00.000Z", "fl_2": "2026-11-01T05:30:00.000Z"}
    served = serve_records(flown_by_kestrel([a_flight(*log) for log in dates.items()]))
    havana = {"tz": "America/Havana", "progress": False}
    with fk.connect(served.base_url, served.api_key, **havana) as fleet:
        explorer = fk.explore.flights(fleet, fk.Filter(since="2026-11-01T05:00Z"))
        assert explorer.rows["flight_id"].tolist() == ["fl_2"]


@pytest.mark.slow
def test_a_link_to_what_the_organisation_does_not_have_says_so(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    with pytest.raises(fk.InvalidValue, match="'prof_eve' is not an option of 'Pilot'"):
        fk.explore.flights(fleet, fk.Filter(pilot="prof_eve"))
    with pytest.raises(fk.InvalidValue, match=r"since=2026-10-05\S* lies after until=2026-10-01"):
        fk.explore.flights(fleet, since="2026-10-05", until="2026-10-01")


@pytest.mark.slow
def test_a_link_to_a_client_where_no_flight_has_one_says_so(serve_records):
    served = serve_records({"equipment": [an_equipment("eq_1")]})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    message = (
        "No client can be chosen: no record has one that this key can read. "
        "Leave client out of the filter."
    )
    for options in ({"client": "Fjord"}, {"other": fk.Filter(client="Fjord")}):
        with pytest.raises(fk.InvalidValue) as error:
            fk.explore.flights(fleet, **options)
        assert str(error.value) == message
    message = "'TRAINING' is not an option of 'Flight type'. It has none."
    with pytest.raises(fk.InvalidValue, match=message):
        fk.explore.flights(fleet, flight_type="TRAINING")


@pytest.mark.slow
def test_a_pilot_who_is_not_there_is_refused_with_near_names(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    assert fk.explore.flights(fleet, pilot="prof_bo").filter == fk.Filter(pilot="prof_bo")
    for value, near in [("prof_boo", r"prof_bo\?"), ("Ada Lnd", r"prof_ada \(Ada Lind\)\?")]:
        message = f"'{value}' is not an option of 'Pilot'. Did you mean {near}"
        with pytest.raises(fk.InvalidValue, match=message) as error:
            fk.explore.flights(fleet, pilot=value)
        assert "'prof_bo' (Bo Ødegård)" in str(error.value)
    message = "No flight has pilot='prof_eve'.*Values of pilot are ids.*: prof_bo, prof_ada. Leave"
    with pytest.raises(fk.InvalidValue, match=message):
        fk.explore.flights(fleet.where(pilot="prof_eve"))
    assert fk.explore.flights(fleet.where(pilot="prof_eve", allow_empty=True)).rows.empty
    with pytest.raises(fk.InvalidValue, match=r"or pass allow_empty=True to fleet\.where, "):
        fk.explore.flights(fleet, model="A5")  # an explorer doesn't take it
    assert fk.explore.flights(fleet.where(model="A5", allow_empty=True)).rows.empty
    with pytest.raises(fk.InvalidValue, match=r"no filter named 'pilt'. Did you mean pilot\?"):
        fk.explore.flights(fleet, pilt="prof_bo")


def test_an_explorer_that_there_is_not_has_no_link():
    with pytest.raises(fk.InvalidValue, match="explorer"):
        to_query({"pilots": fk.Filter()})
