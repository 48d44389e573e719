"""Flights and hours: each figure counted by hand on the table in `five_flights`."""

from datetime import UTC, date, datetime

import narwhals as nw
import pandas as pd
import polars as pl
import pytest
from five_flights import bridge, days, equipment, flights, projects, rows, text

import fleetkit as fk
from fleetkit import metrics
from fleetkit.blanks import are_blank, is_blank, named_or_null
from fleetkit.settings import HOUSE_RULE, PDRA01, RecencyRule
from fleetkit.time import Period

HOURS = 3600


def test_flights_without_a_duration_count_and_add_no_hours():
    counted = metrics.flight_hours(flights())
    assert rows(counted) == [("2026-09", 1, 1.0), ("2026-10", 3, 2.0), ("2027-01", 1, 0.0)]


def test_what_a_merge_or_a_concat_repeats_is_noticed():
    incidents = pd.DataFrame({"flight_id": ["fl_1", "fl_1"], "incident": ["bird", "link lost"]})
    merged = flights().merge(incidents, how="left")
    with pytest.warns(fk.Notice, match=r"such as fl_1: each of its rows counts\. \.drop_duplic"):
        assert metrics.flight_hours(merged)["flights"].sum() == 6
    twice = pd.concat([bridge(), bridge().tail(1)])
    with pytest.warns(fk.Notice, match=r"such as fl_5 with eq_cam: each of its rows counts\. \.dr"):
        metrics.flight_hours(flights(), by="equipment", bridge=twice)


def test_a_flight_belongs_to_the_month_of_the_zone():
    counted = metrics.flight_hours(flights(), tz="Europe/London")
    assert rows(counted) == [("2026-10", 4, 3.0), ("2027-01", 1, 0.0)]


def test_a_week_at_the_turn_of_the_year_has_the_year_of_its_thursday():
    given = flights().assign(
        flight_date=days("2024-12-30", "2026-12-31", "2027-01-03", "2027-01-04", "2021-01-03")
        + pd.Timedelta(hours=9)
    )
    weeks = metrics.flight_hours(given, by="week")
    assert rows(weeks[["week", "flights"]]) == [
        ("2020-W53", 1),
        ("2025-W01", 1),
        ("2026-W53", 2),
        ("2027-W01", 1),
    ]


def test_days_follow_the_clock_across_its_changes():
    before, after = "2026-03-29T00:59", "2026-03-29T23:30"  # London: 00:59 GMT, 00:30 BST
    given = flights().assign(
        flight_date=days(before, after, "2026-10-24T23:30", "2026-10-25T23:30", None)
    )
    counted = metrics.flight_hours(given, by="day", tz="Europe/London")
    assert rows(counted[["day", "flights"]]) == [
        ("2026-03-29", 1),
        ("2026-03-30", 1),
        ("2026-10-25", 2),
        (None, 1),
    ]


def test_dates_are_not_shifted_between_zones():
    given = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    counted = metrics.flight_hours(given, by="day", tz="America/New_York")
    assert rows(counted) == [("2026-10-01", 5, 3.0)]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("pilot", [("prof_1", 3, 1.5), ("prof_2", 1, 1.5), ("Unassigned", 1, None)]),
        ("project", [("proj_1", 2, 1.5), ("proj_2", 2, 0.0), ("Unassigned", 1, 1.5)]),
        ("client", [("Fjord Quarries", 2, 1.5), ("Unassigned", 3, 1.5)]),
        ("flight_type", [("COMMERCIAL", 3, 1.5), ("TRAINING", 1, 1.5), ("MAINTENANCE", 1, None)]),
        ("operation_type", [("MAPPING", 1, 0.5), ("SURVEY", 3, 1.0), (None, 1, 1.5)]),
        ("equipment", [("eq_cam", 2, 1.0), ("eq_drone", 4, 1.5), ("eq_spare", 1, 1.5)]),
    ],
)
def test_every_flight_is_counted_under_its_key(by, expected):
    counted = metrics.flight_hours(flights(), by=by, bridge=bridge(), projects=projects())
    assert list(counted.columns) == [by, "flights", "hours"]
    assert rows(counted) == expected


def test_two_words_are_crossed_in_their_order():
    counted = metrics.flight_hours(flights(), by=["flight_type", "month"])
    assert rows(counted) == [
        ("COMMERCIAL", "2026-09", 1, 1.0),
        ("COMMERCIAL", "2026-10", 1, 0.5),
        ("COMMERCIAL", "2027-01", 1, 0.0),
        ("TRAINING", "2026-10", 1, 1.5),
        ("MAINTENANCE", "2026-10", 1, None),
    ]


@pytest.mark.slow
def test_flight_types_outside_the_set_come_last_and_null_after_them():
    types = ["BALLOON", "TRAINING", None, "COMMERCIAL", "AEROBATIC"]
    for column in (text(*types), pd.Series(types, dtype="category")):
        counted = metrics.flight_hours(flights().assign(flight_type=column), by="flight_type")
        keys = [key for key, *_ in rows(counted)]
        assert keys == ["COMMERCIAL", "TRAINING", "AEROBATIC", "BALLOON", None]


def test_keys_and_measures_have_the_contract_s_dtypes_also_when_empty():
    for given in (flights(), flights().iloc[:0]):
        counted = metrics.flight_hours(given, by=["month", "flight_type"])
        assert counted.dtypes.astype("str").to_dict() == {
            "month": "str",
            "flight_type": "category",
            "flights": "int64",
            "hours": "float64",
        }
        assert counted["flight_type"].cat.ordered


def test_a_flight_that_no_equipment_flew_is_shown_under_null():
    counted = metrics.flight_hours(flights(), by="equipment", bridge=bridge().iloc[:2])
    assert rows(counted) == [("eq_cam", 1, 1.0), ("eq_drone", 1, 1.0), (None, 4, 2.0)]


def test_a_project_listed_twice_does_not_double_its_flights():
    twice = pd.concat([projects(), projects()])
    counted = metrics.flight_hours(flights(), by="client", projects=twice)
    assert counted["flights"].sum() == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (flights().drop(columns="duration_seconds"), "flights lacks duration_seconds. It has: fl"),
        (
            flights().assign(flight_date="2026-10-01"),
            r"flight_date is String, not a timestamp. Convert it, in pandas by pd.to_datetime\(",
        ),
        (
            flights().assign(duration_seconds="1 h"),
            "duration_seconds is String, not a number",
        ),
        ([1, 2], "flights is a list, not a frame"),
    ],
)
def test_a_wrong_frame_is_refused_in_words(given, message):
    with pytest.raises(fk.InvalidValue, match=message):
        metrics.flight_hours(given)


def test_totals_leave_maintenance_out_of_operational_hours():
    given = flights().assign(duration_seconds=[1800, 1800, 3600, 7200, None])
    assert rows(metrics.flight_totals(given)) == [(5, 4, 4.0, 2.0, 1.0)]
    assert rows(metrics.flight_totals(given.iloc[:0])) == [(0, 0, 0.0, 0.0, 0.0)]


def unrecorded(frame):
    """Return the flights as an organisation has them that records no durations."""
    return frame.assign(duration_seconds=pd.array([None] * len(frame), dtype="Int64"))


@pytest.mark.slow
def test_hours_of_flights_without_any_duration_are_not_recorded_rather_than_zero():
    given, pairs = unrecorded(flights()), bridge()
    aircraft = metrics.aircraft(equipment(), bridge())
    assert rows(metrics.flight_totals(given)) == [(5, 0, None, None, None)]
    assert rows(metrics.flight_hours(given, by="month"))[0] == ("2026-09", 1, None)
    assert [row[3] for row in rows(metrics.pilots(given))] == [None, None, None]
    flown = metrics.aircraft_hours(given, pairs, aircraft)
    assert rows(flown[["name", "flights", "hours"]]) == [
        ("Kestrel", 4, None),
        ("Merlin", 1, None),
        ("Heron", 0, 0.0),  # never flew: 0 hours are known
    ]
    used = metrics.utilisation(given, pairs, aircraft, Period.read("2026-Q4"))
    assert rows(used[["month", "hours", "hours_per_aircraft_day"]]) == [
        ("2026-10", None, None),
        ("2026-11", 0.0, 0.0),
        ("2026-12", 0.0, 0.0),
    ]
    assert rows(metrics.double_count(given, pairs)[["step", "hours"]])[-1] == ("fleet", None)
    assert rows(metrics.night_and_bvlos(given)[["known_flights", "known_hours"]]) == [
        (4, None),
        (4, None),
    ]


def test_a_duration_of_zero_is_recorded_and_adds_no_hours():
    given = flights().assign(duration_seconds=pd.array([0, None, None, None, -5], dtype="Int64"))
    assert rows(metrics.flight_totals(given)) == [(5, 0, 0.0, 0.0, 0.0)]
    assert rows(metrics.flight_hours(given, by="month")) == [
        ("2026-09", 1, 0.0),
        ("2026-10", 3, None),
        ("2027-01", 1, 0.0),
    ]


def test_the_hours_of_a_part_are_not_recorded_where_none_of_its_flights_has_a_duration():
    types = ["COMMERCIAL", "COMMERCIAL", "TRAINING", "MAINTENANCE", "COMMERCIAL"]
    given = flights().assign(
        flight_type=types, duration_seconds=pd.array([None, None, 5400, 600, None], dtype="Int64")
    )
    totals = metrics.flight_totals(given)
    columns = ["hours", "operational_hours", "commercial_hours"]
    assert rows(totals[columns]) == [(6000 / 3600, 1.5, None)]


@pytest.mark.slow
def test_a_flight_of_thirty_seconds_is_flown_time():
    given = flights().assign(duration_seconds=pd.array([30, 1, 0, None, -1], dtype="Int64"))
    assert rows(metrics.flight_totals(given))[0][:3] == (5, 2, 31 / 3600)
    assert list(metrics.untimed_flights(given)["flight_id"]) == ["fl_3", "fl_4", "fl_5"]
    assert rows(metrics.flight_hours(given, by="month"))[0] == ("2026-09", 1, 30 / 3600)
    checked = metrics.reconciliation(equipment().iloc[2:3], given, bridge())
    assert list(checked["logged_hours"]) == [0.0]


def test_night_and_bvlos_shares_are_of_the_flights_whose_flag_is_known():
    assert rows(metrics.night_and_bvlos(flights())) == [
        ("night_flight", 1, 4, 0.25, 0.5, 3.0, 0.5 / 3.0),
        ("bvlos", 1, 4, 0.25, 1.5, 2.5, 0.6),
    ]


def test_a_share_of_nothing_known_is_null():
    assert rows(metrics.night_and_bvlos(flights().iloc[:0])) == [
        ("night_flight", 0, 0, None, 0.0, 0.0, None),
        ("bvlos", 0, 0, None, 0.0, 0.0, None),
    ]


def test_the_share_of_night_hours_that_nobody_recorded_is_not_zero():
    given = (
        flights()
        .iloc[:2]
        .assign(
            night_flight=pd.array([True, False], dtype="boolean"),
            duration_seconds=pd.array([None, 3600], dtype="Int64"),
        )
    )
    [night, _] = rows(metrics.night_and_bvlos(given))
    assert night == ("night_flight", 1, 2, 0.5, None, 1.0, None)


def test_untimed_flights_are_listed_with_all_their_columns():
    untimed = metrics.untimed_flights(flights())
    assert list(untimed["flight_id"]) == ["fl_4", "fl_5"]
    assert list(untimed.columns) == list(flights().columns)
    durations = pl.DataFrame({"duration_seconds": [60.0, float("nan"), -1.0, None]})
    assert metrics.untimed_flights(durations).height == 3


def test_aircraft_are_the_types_that_flew_with_no_other_equipment():
    frame = metrics.aircraft(equipment(), bridge())
    assert list(frame["equipment_id"]) == ["eq_drone", "eq_spare", "eq_new"]


@pytest.mark.parametrize("blank", [None, "", " "])
def test_what_flew_alone_without_a_type_is_of_no_type_of_aircraft(blank):
    pieces = pd.DataFrame({"equipment_id": ["drone", "box"], "type": ["DRONE", blank]})
    flown = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["drone", "box"]})
    assert list(metrics.aircraft(pieces, flown)["equipment_id"]) == ["drone"]


def test_aircraft_types_that_are_given_win():
    frame = metrics.aircraft(equipment(), bridge(), types=["CAMERA"])
    assert list(frame["equipment_id"]) == ["eq_cam"]


@pytest.mark.slow
def test_utilisation_has_every_month_also_those_without_flights():
    aircraft = metrics.aircraft(equipment(), bridge())
    used = metrics.utilisation(flights(), bridge(), aircraft, Period.read("2026-Q4"))
    assert rows(used) == [
        ("2026-10", 3, 2, 31, 2.0, 2.0 / 93),
        ("2026-11", 3, 0, 30, 0.0, 0.0),
        ("2026-12", 3, 0, 31, 0.0, 0.0),
    ]


@pytest.mark.slow
def test_utilisation_cuts_the_period_in_its_zone():
    aircraft = metrics.aircraft(equipment(), bridge())
    october = Period.read("2026-10", tz="Europe/London")  # starts on 30 September, 23:00 UTC
    used = metrics.utilisation(flights(), bridge(), aircraft, october)
    assert rows(used) == [("2026-10", 3, 2, 31, 3.0, 3.0 / 93)]


def test_a_period_holds_its_first_instant_and_not_its_last():
    ends = days("2026-09-30T22:59", "2026-09-30T23:00", "2026-10-15T22:59", "2026-10-15T23:00")
    given = flights().iloc[:4].assign(flight_date=ends, duration_seconds=[1, 3600, 7200, 3])
    first, last = (Period.read(day, tz="Europe/London") for day in ("2026-10-01", "2026-10-15"))
    fortnight = Period(first.since, last.until, "Europe/London")
    used = metrics.utilisation(given, bridge(), equipment(), fortnight)
    assert rows(used) == [("2026-10", 4, 2, 15, 3.0, 0.05)]


def test_utilisation_cuts_dates_by_calendar_day():
    given = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    october = Period.read("2026-10", tz="America/New_York")  # starts at 04:00 UTC
    used = metrics.utilisation(given, bridge(), equipment(), october)
    assert rows(used[["month", "active", "hours"]]) == [("2026-10", 3, 4.0)]


@pytest.mark.slow
def test_utilisation_of_no_flights_is_zero_and_of_no_aircraft_null():
    nothing = flights().iloc[:0], bridge().iloc[:0]
    used = metrics.utilisation(*nothing, equipment(), Period.read("2026-02"))
    assert rows(used) == [("2026-02", 4, 0, 28, 0.0, 0.0)]
    used = metrics.utilisation(*nothing, equipment().iloc[:0], Period.read("2026-02"))
    assert rows(used) == [("2026-02", 0, 0, 28, 0.0, None)]


@pytest.mark.slow
def test_utilisation_of_months_that_the_data_do_not_cover_is_null_not_zero():
    aircraft = metrics.aircraft(equipment(), bridge())
    known = Period(datetime(2026, 10, 15, tzinfo=UTC), datetime(2026, 11, 11, tzinfo=UTC))
    used = metrics.utilisation(flights(), bridge(), aircraft, Period.read("2026-Q4"), covered=known)
    assert rows(used) == [
        ("2026-10", 3, 2, 17, 1.5, 1.5 / (3 * 17)),  # fl_3 and fl_4 of the 15th and the 31st
        ("2026-11", 3, 0, 10, 0.0, 0.0),
        ("2026-12", 3, None, 0, None, None),
    ]
    nothing = metrics.utilisation(
        flights(), bridge(), aircraft, Period.read("2026-10"), covered=Period.read("2020")
    )
    assert rows(nothing) == [("2026-10", 3, None, 0, None, None)]


def test_every_month_is_zero_where_nobody_flew_and_null_where_nothing_is_known():
    counted = metrics.flight_hours(flights())
    known = Period(datetime(2026, 9, 30, tzinfo=UTC), datetime(2026, 12, 24, tzinfo=UTC))
    months = Period(datetime(2026, 8, 1, tzinfo=UTC), datetime(2027, 2, 1, tzinfo=UTC))
    assert rows(metrics.every_month(counted, months, known)) == [
        ("2026-08", None, None),
        ("2026-09", 1, 1.0),
        ("2026-10", 3, 2.0),
        ("2026-11", 0, 0.0),
        ("2026-12", 0, 0.0),
        ("2027-01", None, None),
    ]
    assert rows(metrics.every_month(counted.iloc[:0], Period.read("2026-10"))) == [
        ("2026-10", 0, 0.0)
    ]
    with pytest.raises(fk.InvalidValue, match="hours has several rows of 2026-10"):
        metrics.every_month(pd.concat([counted, counted.tail(2)]), "2026-10")


def test_what_is_covered_of_a_month_goes_by_the_zone_of_the_hours():
    # 23:30 UTC of 30 September is 01:30 of 1 October in Oslo.
    counted = pd.DataFrame({"month": ["2026-10"], "flights": [1], "hours": [0.5]})
    counted.attrs["tz"] = "Europe/Oslo"
    covered = "2026-09-30T233000+0000_2026-10-31T230000+0000"
    months = metrics.every_month(counted, "2026-09-01_2026-10-31", covered)
    assert rows(months) == [("2026-09", None, None), ("2026-10", 1, 0.5)]


def test_hours_that_were_not_recorded_stay_so_in_every_month():
    counted = metrics.flight_hours(unrecorded(flights()))
    assert rows(metrics.every_month(counted, Period.read("2026-10"))) == [("2026-10", 3, None)]


@pytest.mark.slow
def test_use_is_a_ratio_of_sums_over_all_aircraft():
    aircraft = metrics.aircraft(equipment(), bridge())
    use = metrics.hours_per_aircraft_day
    assert use(flights(), bridge(), aircraft, 10) == 3.0 / 30
    # A flight without a duration takes no aircraft out of the denominator.
    some = flights().assign(duration_seconds=pd.array([3600, None, None, None, None], "Int64"))
    assert use(some, bridge(), aircraft, 10) == 1.0 / 30
    assert use(unrecorded(flights()), bridge(), aircraft, 10) is None
    assert use(flights().iloc[:0], bridge(), aircraft, 10) == 0.0
    assert use(flights(), bridge(), aircraft.iloc[:0], 10) is None
    # Nor does a row without an id, as an outer join leaves it, count as an aircraft.
    joined = pd.concat([aircraft, pd.DataFrame({"equipment_id": text(None)})])
    assert use(flights(), bridge(), joined, 10) == 3.0 / 30
    totals = metrics.period_totals(flights(), bridge(), joined, ["2026-10"])
    assert rows(totals[["aircraft", "hours_per_aircraft_day"]]) == [(3, 2.0 / 93)]


def test_aircraft_hours_show_aircraft_that_never_flew():
    aircraft = metrics.aircraft(equipment(), bridge())
    assert rows(metrics.aircraft_hours(flights(), bridge(), aircraft)) == [
        ("eq_drone", "Kestrel", 4, 1.5),
        ("eq_spare", "Merlin", 1, 1.5),
        ("eq_new", "Heron", 0, 0.0),
    ]
    # Half an hour comes before flights without a duration, and they before none.
    half = flights().assign(duration_seconds=pd.array([None, None, 1800, None, None], "Int64"))
    assert metrics.aircraft_hours(half, bridge(), aircraft)["hours"].tolist()[::2] == [0.5, 0.0]


def test_pilots_come_by_hours_and_unassigned_last():
    frame = metrics.pilots(flights())
    assert rows(frame[["pilot_id", "pilot_name", "flights", "hours"]]) == [
        ("prof_1", "Ada", 3, 1.5),
        ("prof_2", "Bo", 1, 1.5),
        ("Unassigned", "Unassigned", 1, None),
    ]
    assert frame["last_flight"][0] == pd.Timestamp("2027-01-01T12:00Z")


def test_a_pilot_or_client_who_is_called_unassigned_is_no_one_without_a_name():
    given = flights().assign(pilot_name="Unassigned")
    called = [("prof_1", '"Unassigned"'), ("prof_2", '"Unassigned"'), ("Unassigned",) * 2]
    assert rows(metrics.pilots(given)[["pilot_id", "pilot_name"]])[:2] == called[:2]
    named = metrics.flight_hours(given, by="pilot", names=True)
    assert rows(named[["pilot", "pilot_name"]]) == called
    clients = projects().assign(client_account_name="Unassigned")
    by_client = metrics.flight_hours(given, by="client", projects=clients)
    assert rows(by_client[["client", "flights"]]) == [('"Unassigned"', 4), ("Unassigned", 1)]


@pytest.mark.parametrize("blank", ["", " ", "\u3000\x00", "\u200b\ufeff"])
def test_flights_of_a_client_of_blanks_are_of_none(blank):
    clients = projects().assign(client_account_name=text("Fjord", blank))
    counted = metrics.flight_hours(flights(), by="client", projects=clients)
    assert rows(counted[["client", "flights"]]) == [("Fjord", 2), ("Unassigned", 3)]


def test_what_says_nothing_to_an_engine_or_in_a_column_is_what_is_blank():
    letters = [chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    names = nw.from_native(pd.DataFrame({"name": letters}))
    unseen = names.select(named_or_null("name"))["name"].is_null().to_list()
    blank = [is_blank(letter) for letter in letters]
    assert unseen == blank
    assert are_blank(pd.Series(letters)).tolist() == blank


@pytest.mark.parametrize("blank", ["", " ", "\u200b"])
def test_a_pilot_s_name_of_blanks_is_none_and_hides_no_earlier_one(blank):
    given = flights().assign(pilot_name=text("Ada", "Ada", blank, None, blank))
    called = {"prof_1": "Ada", "prof_2": "prof_2", "Unassigned": "Unassigned"}
    assert dict(rows(metrics.pilots(given)[["pilot_id", "pilot_name"]])) == called
    named = metrics.flight_hours(given, by="pilot", names=True)
    assert dict(rows(named[["pilot", "pilot_name"]])) == called
    states = metrics.recency(given, HOUSE_RULE, "2027-01-31")[["pilot_id", "pilot_name"]]
    assert dict(rows(states)) == {"prof_1": "Ada", "prof_2": "prof_2"}
    changes = metrics.contributions(given, given.iloc[:0], bridge(), equipment())
    by_pilot = changes.loc[changes["dimension"] == "pilot", ["key", "name"]]
    assert rows(by_pilot)[:2] == [("prof_1", "Ada"), ("prof_2", None)]


def test_hours_don_t_wrap_around_below_0_at_the_longest_duration_of_all():
    # 2**63 - 1 s, the largest whole number of a column, and an hour.
    seconds = pd.array([2**63 - 1, 3600, None, None, None], dtype="Int64")
    hours = pytest.approx(2**63 / 3600)
    long = flights().assign(duration_seconds=seconds, pilot_id="prof_1")
    assert metrics.flight_totals(long)["hours"].tolist() == [hours]
    assert metrics.pilots(long)["hours"].tolist() == [hours]


def test_a_name_without_an_id_is_not_that_of_all_flights_without_a_pilot():
    nameless = flights().assign(pilot_id=None, pilot_name=text(None, None, None, None, "Cy"))
    nameless["pilot_id"] = nameless["pilot_id"].astype("str")
    frame = metrics.pilots(nameless)
    assert rows(frame[["pilot_name", "flights"]]) == [("Unassigned", 5)]
    flags = nameless.assign(night_flight=True, bvlos=False)
    by_pilot = metrics.night_and_bvlos_by_pilot(flags)
    assert rows(by_pilot[["pilot_name", "night_flights"]]) == [("Unassigned", 5)]


def test_a_pilot_who_changed_name_is_one_row_under_the_latest():
    given = flights().assign(pilot_name=text("Ada", "Ada", None, None, "Ada Berg"))
    frame = metrics.pilots(given)
    assert rows(frame[["pilot_id", "pilot_name", "flights"]]) == [
        ("prof_1", "Ada Berg", 3),
        ("prof_2", "prof_2", 1),  # whose name never came
        ("Unassigned", "Unassigned", 1),
    ]
    assert frame["last_flight"][0] == given["flight_date"].max()  # under the name of that flight


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "latest"),
    [
        (("Zora", "Zora", "Ada"), "Ada"),  # the latest, not the last of the alphabet
        (("Ada", "Berit", "Ada"), "Ada"),
        (("Ada", "Berit", None), "Berit"),  # the latest that came
        ((None, None, None), "prof_1"),
    ],
)
def test_a_pilot_s_name_is_the_latest_that_came_in_metrics_of_pilots_and_of_recency(names, latest):
    given = flights().assign(pilot_name=text(*names[:2], "Bo", None, names[2]))
    # The order of rows doesn't matter.
    for rows_of in (given, given.iloc[::-1]):
        counted = metrics.pilots(rows_of).set_index("pilot_id")
        assert counted.loc["prof_1", "pilot_name"] == latest
        state = metrics.recency(rows_of, HOUSE_RULE, "2027-01-02").set_index("pilot_id")
        assert state.loc["prof_1", "pilot_name"] == latest
        named = metrics.flight_hours(rows_of, by="pilot", names=True).set_index("pilot")
        assert named.loc["prof_1", "pilot_name"] == latest


def test_a_pilot_is_named_also_where_no_flight_has_a_date():
    undated = flights().assign(flight_date=days(*[None] * 5))
    called = {"prof_1": "Ada", "prof_2": "Bo", "Unassigned": "Unassigned"}
    assert dict(rows(metrics.pilots(undated)[["pilot_id", "pilot_name"]])) == called
    named = metrics.flight_hours(undated, by="pilot", names=True)
    assert dict(rows(named[["pilot", "pilot_name"]])) == called


def test_what_equipment_shares_is_taken_off_the_sum_over_equipment():
    assert rows(metrics.double_count(flights(), bridge())) == [
        ("over equipment", 7, 4.0),
        ("shared", -2, -1.0),  # fl_1 and fl_5 have a camera too; fl_5 has no hours
        ("without equipment", 0, 0.0),
        ("fleet", 5, 3.0),
    ]


def test_a_flight_of_three_pieces_is_taken_off_twice_as_its_definition_says():
    pairs = pd.DataFrame({"flight_id": ["fl_1"] * 3, "equipment_id": ["a", "b", "c"]})
    assert rows(metrics.double_count(flights().head(1), pairs)) == [
        ("over equipment", 3, 3.0),
        ("shared", -2, -2.0),
        ("without equipment", 0, 0.0),
        ("fleet", 1, 1.0),
    ]
    said = metrics.definitions("double_count")["Double count"]
    assert "once for each piece beyond the first" in said


def test_flights_without_equipment_are_a_step_of_their_own():
    alone = bridge().iloc[:1]
    assert rows(metrics.double_count(flights(), alone)) == [
        ("over equipment", 1, 1.0),
        ("shared", 0, 0.0),
        ("without equipment", 4, 2.0),
        ("fleet", 5, 3.0),
    ]


def test_the_logging_lag_runs_from_landing_to_log_where_both_are_known():
    assert rows(metrics.logging_lag(flights())) == [(5, 3, 4.0, 20.0)]  # of 2, 4 and 24 h


def test_a_flight_without_a_length_has_no_logging_lag():
    given = flights().assign(duration_seconds=pd.array([0, -60, None, 0, 0], dtype="Int64"))
    assert rows(metrics.logging_lag(given)) == [(5, 0, None, None)]


def test_dates_do_not_tell_a_logging_lag():
    given = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    assert rows(metrics.logging_lag(given)) == [(5, 0, None, None)]


def test_the_logging_lag_of_each_key_is_that_of_its_own_flights():
    by_pilot = metrics.logging_lag(flights(), by="pilot", names=True, tz="Europe/London")
    assert by_pilot.attrs["tz"] == "Europe/London"  # though no word is read off a date
    assert rows(by_pilot) == [
        ("prof_1", "Ada", 3, 2, 3.0, pytest.approx(3.8)),  # 2 h and 4 h; fl_5 has no length
        ("prof_2", "Bo", 1, 1, 24.0, 24.0),
        ("Unassigned", "Unassigned", 1, 0, None, None),
    ]
    in_london = metrics.logging_lag(flights(), by=["month", "flight_type"], tz="Europe/London")
    assert rows(in_london) == [
        ("2026-10", "COMMERCIAL", 2, 2, 3.0, pytest.approx(3.8)),
        ("2026-10", "TRAINING", 1, 1, 24.0, 24.0),
        ("2026-10", "MAINTENANCE", 1, 0, None, None),
        ("2027-01", "COMMERCIAL", 1, 0, None, None),
    ]
    by_piece = metrics.logging_lag(flights(), by="equipment", bridge=bridge())
    assert rows(by_piece[["equipment", "flights", "known", "median_hours"]]) == [
        ("eq_cam", 2, 1, 2.0),
        ("eq_drone", 4, 2, 3.0),
        ("eq_spare", 1, 1, 24.0),
    ]
    by_registration = metrics.logging_lag(
        flights(), by="registration", bridge=bridge(), equipment=equipment()
    )
    assert rows(by_registration[["registration", "flights", "known", "median_hours"]]) == [
        ("N1", 4, 2, 3.0),
        ("N2", 1, 1, 24.0),
        (None, 2, 1, 2.0),  # of the camera
    ]


def test_no_flights_have_no_logging_lag_by_pilot():
    none = metrics.logging_lag(flights().head(0), by=["pilot", "weekday"])
    assert list(none) == ["pilot", "weekday", "flights", "known", "median_hours", "p90_hours"]
    assert none.empty
    assert none["known"].dtype == "int64"


def flown(*when: str, hours: float = 1.0, night: bool = False) -> pd.DataFrame:
    """Return flights of one pilot, one at noon of each day."""
    return pd.DataFrame(
        {
            "pilot_id": "prof_1",
            "pilot_name": "Ada",
            "flight_date": days(*when) + pd.Timedelta(hours=12),
            "duration_seconds": pd.array([int(hours * HOURS)] * len(when), dtype="Int64"),
            "night_flight": pd.array([night] * len(when), dtype="boolean"),
        }
    )


def state(given: pd.DataFrame, rule: RecencyRule, as_of: str) -> tuple:
    """Return flights, hours, recent and the day of lapse of the only pilot."""
    [row] = rows(metrics.recency(given, rule, as_of))
    return (*row[2:5], row[5] and row[5].date().isoformat())


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-07-31", (1, 1.0, False, None)),
        ("2026-08-20", (2, 2.0, True, "2026-10-31")),
        ("2026-10-30", (2, 2.0, True, "2026-10-31")),
        ("2026-10-31", (1, 1.0, False, "2026-10-31")),
        ("2026-12-01", (0, 0.0, False, "2026-10-31")),
    ],
)
def test_two_hours_in_three_months_last_until_the_older_flight_drops_out(as_of, expected):
    given = flown("2026-07-31", "2026-08-15")  # a window that ends on 31 October starts in August
    assert state(given, PDRA01, as_of) == expected


def test_flown_hours_are_enough_where_they_are_just_those_of_the_rule():
    # 1.1 h are 66 min; in binary numbers 1.1 × 3600 is a little more than 3960.
    rule = RecencyRule("1.1 h in 90 days", days=90, hours=1.1)
    enough, less = (flown("2026-10-01").assign(duration_seconds=spent) for spent in (3960, 3959))
    assert state(enough, rule, "2026-10-31") == (1, 1.1, True, "2026-12-30")
    assert state(less, rule, "2026-10-31")[2] is False
    counts = [metrics.recent_pilots(f, rule, ["2026-10-31"])["recent"][0] for f in (enough, less)]
    assert counts == [1, 0]


def test_flights_a_whole_window_apart_do_not_count_together():
    given = flown("2026-07-31", "2026-10-31")
    assert state(given, PDRA01, "2026-10-31") == (1, 1.0, False, None)


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-10-05", (3, 3.0, True, "2026-12-30")),
        ("2026-12-29", (3, 3.0, True, "2026-12-30")),
        ("2026-12-30", (2, 2.0, False, "2026-12-30")),
    ],
)
def test_ninety_days_are_the_day_itself_and_the_89_before_it(as_of, expected):
    given = flown("2026-10-01", "2026-10-02", "2026-10-03")  # + 90 days is 30 December
    assert state(given, HOUSE_RULE, as_of) == expected


def test_a_month_too_short_for_the_day_lets_it_count_until_the_next_month():
    # 28 February less 3 months is 28 November.
    given = flown("2026-09-01", "2026-11-30", hours=2.0)
    assert state(given, PDRA01, "2027-02-28") == (1, 2.0, True, "2027-03-01")
    assert state(given, PDRA01, "2027-03-01") == (0, 0.0, False, "2027-03-01")


def test_flights_after_the_day_do_not_count():
    given = flown("2026-10-01", "2026-10-02", "2026-11-20")
    assert state(given, HOUSE_RULE, "2026-11-19") == (2, 2.0, False, None)


def test_a_night_rule_counts_night_flights_only():
    rule = RecencyRule("1 night flight in 90 days", days=90, flights=1, night_only=True)
    given = pd.concat([flown("2026-10-01", night=True), flown("2026-10-20")])
    assert state(given, rule, "2026-10-31") == (1, 1.0, True, "2026-12-30")
    assert state(flown("2026-10-20"), rule, "2026-10-31") == (0, 0.0, False, None)


def test_recency_takes_the_day_that_a_moment_falls_on_in_the_zone():
    rule = RecencyRule("1 flight in 1 day", days=1, flights=1)
    moment = datetime(2026, 10, 1, 23, 30, tzinfo=UTC)  # 2 October in London
    given = flown("2026-10-01")
    in_utc, in_london = (
        metrics.recency(given, rule, moment, tz=tz) for tz in ("UTC", "Europe/London")
    )
    assert (in_utc["recent"][0], in_london["recent"][0]) == (True, False)


def test_recency_leaves_flights_without_a_pilot_out():
    frame = metrics.recency(flights(), PDRA01, date(2026, 10, 31))
    assert rows(frame[["pilot_id", "flights", "hours", "recent"]]) == [
        ("prof_1", 2, 1.5, False),
        ("prof_2", 1, 1.5, False),
    ]


def test_flights_with_a_column_of_days_that_people_added_are_flights():
    given = flown("2026-10-01", "2026-10-02", "2026-10-03")
    named = given.assign(day=["Thursday", "Friday", "Saturday"])
    assert state(named, HOUSE_RULE, "2026-10-31") == (3, 3.0, True, "2026-12-30")


def test_recency_lists_first_who_never_was_recent_then_who_lapsed_longest_ago():
    one = RecencyRule("1 h in 10 days", days=10, hours=1)
    when = {"prof_late": "2026-10-01", "prof_recent": "2026-10-30", "prof_early": "2026-08-01"}
    never = flown("2026-10-30", hours=0.5).assign(pilot_id="prof_never")
    given = pd.concat([*(flown(day).assign(pilot_id=pilot) for pilot, day in when.items()), never])
    frame = metrics.recency(given, one, "2026-10-31")
    assert list(frame["pilot_id"]) == ["prof_never", "prof_early", "prof_late", "prof_recent"]


@pytest.mark.parametrize(
    "rule",
    [
        RecencyRule("no window", hours=2),
        RecencyRule("two windows", months=3, days=90, hours=2),
        RecencyRule("no minimum", days=90),
    ],
)
def test_a_recency_rule_without_window_or_minimum_is_refused(rule):
    with pytest.raises(fk.InvalidValue, match=r"needs a (window|minimum)"):
        metrics.recency(flights(), rule, "2026-10-31")


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"days": "90", "flights": 3}, "days='90', which is not a whole number"),
        ({"months": 1.5, "hours": 2}, "months=1.5, which is not a whole number"),
        ({"days": 90, "hours": float("nan")}, "hours=nan, which is not a number"),
        ({"days": 90, "months": -3, "flights": 3}, "months=-3, which is below 0"),
        ({"days": 90, "hours": -2, "flights": 3}, "hours=-2, which is below 0"),
        ({"days": 90, "hours": 10**400}, "hours above 1,000,000, which nobody flies"),
        ({"months": 10**400, "flights": 3}, "a window of more than 1,200 months"),
    ],
)
def test_a_recency_rule_with_what_is_no_number_is_refused(numbers, says):
    with pytest.raises(fk.InvalidValue, match=f"The recency rule 'own' has {says}"):
        metrics.recency(flights(), RecencyRule("own", **numbers), "2026-10-31")
