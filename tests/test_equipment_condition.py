"""Equipment: status and condition, registrations, counters against logs, idle days."""

from datetime import UTC, datetime

import pandas as pd
import pytest
from five_flights import bridge, days, equipment, flights, rows, text

import fleetkit as fk
from fleetkit import charts, metrics

AS_OF = "2026-10-31"


def test_status_and_condition_are_counted_in_order_of_severity():
    given = pd.DataFrame(
        {
            "status": text("RETIRED", "ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE"),
            "condition": text("POOR", "WORN", "GOOD", "WORN", "GOOD"),
        }
    )
    assert rows(metrics.equipment_condition(given)) == [
        ("ACTIVE", "GOOD", 2),
        ("ACTIVE", "WORN", 2),
        ("RETIRED", "POOR", 1),
    ]


def test_a_name_that_is_wider_than_its_tile_on_a_phone_stands_whole_above_its_neighbours():
    order = ("NEW", "EXCELLENT", "GOOD", "FAIR", "POOR")
    given = pd.DataFrame({"status": "MAINTENANCE", "condition": order, "equipment": 1})
    narrow = charts.equipment_condition(given).drawing.narrow()
    heads = [label.get_text() for label in narrow.get_xticklabels()]
    assert heads == ["NEW", "EXCELLENT\n", "GOOD", "FAIR", "POOR"]


def test_tokens_that_the_order_does_not_know_come_after_it_and_null_last():
    given = pd.DataFrame(
        {
            "status": text(None, "ON_LOAN", "ACTIVE", "LOST", "BORROWED"),
            "condition": text("GOOD", "GOOD", None, "GOOD", "GOOD"),
        }
    )
    counted = metrics.equipment_condition(given, status_order=["LOST", "ACTIVE"])
    assert rows(counted) == [
        ("LOST", "GOOD", 1),
        ("ACTIVE", None, 1),
        ("BORROWED", "GOOD", 1),
        ("ON_LOAN", "GOOD", 1),
        (None, "GOOD", 1),
    ]
    assert list(counted["status"].cat.categories) == ["LOST", "ACTIVE", "BORROWED", "ON_LOAN"]


def test_no_equipment_gives_no_rows_and_the_same_dtypes():
    counted = metrics.equipment_condition(equipment().iloc[:0])
    assert counted.dtypes.astype("str").to_dict() == {
        "status": "category",
        "condition": "category",
        "equipment": "int64",
    }
    assert counted.empty


def registered(*expiries: str | None) -> pd.DataFrame:
    """Return pieces of equipment that are registered until then, and nothing else of note."""
    count = len(expiries)
    return pd.DataFrame(
        {
            "equipment_id": text(*(f"eq_{number}" for number in range(count))),
            "name": text(*(f"Drone {number}" for number in range(count))),
            "type": "DRONE",
            "status": "ACTIVE",
            "registration_number": text(*["G-1"] * count),
            "registration_expiry": days(*expiries),
        }
    )


@pytest.mark.parametrize(
    ("expiry", "days_left", "band"),
    [
        ("2026-10-30", -1, "expired"),
        ("2026-10-31", 0, "≤ 30 days"),
        ("2026-11-30", 30, "≤ 30 days"),
        ("2026-12-01", 31, "≤ 60 days"),
        ("2026-12-30", 60, "≤ 60 days"),
        ("2026-12-31", 61, "≤ 90 days"),
        ("2027-01-29", 90, "≤ 90 days"),
        ("2027-01-30", 91, "later"),
        (None, None, "missing"),
    ],
)
def test_a_registration_stands_on_the_day_of_its_expiry(expiry, days_left, band):
    frame = metrics.registrations(registered(expiry), AS_OF)
    assert rows(frame[["days_left", "band"]]) == [(days_left, band)]


def test_registrations_come_soonest_first_and_missing_ones_last():
    given = registered(None, "2027-06-01", "2026-10-01", "2026-11-01")
    frame = metrics.registrations(given, AS_OF)
    assert list(frame["equipment_id"]) == ["eq_2", "eq_3", "eq_1", "eq_0"]
    assert str(frame["days_left"].dtype) == "Int64"
    assert frame["band"].cat.ordered


def test_an_expiry_with_a_time_falls_on_the_day_of_the_zone():
    given = registered("2026-10-31T23:30", "2026-12-01T08:00")
    in_utc = metrics.registrations(given, "2026-10-31")
    in_tokyo = metrics.registrations(given, "2026-10-31", tz="Asia/Tokyo")
    assert (list(in_utc["days_left"]), list(in_tokyo["days_left"])) == ([0, 31], [1, 31])


def test_an_expiry_that_is_a_date_is_not_shifted():
    frame = metrics.registrations(registered("2026-10-31"), AS_OF, tz="America/New_York")
    assert list(frame["days_left"]) == [0]


def test_a_registration_stands_on_its_day_whatever_another_one_s_time_of_day_is():
    given = pd.concat([registered("2026-10-31T00:00Z"), registered("2027-01-05T17:00Z")])
    frame = metrics.registrations(given, "2026-10-31", tz="America/New_York")
    assert frame["days_left"].tolist() == [0, 66]


def test_counters_are_compared_with_the_logs():
    frame = metrics.reconciliation(equipment(), flights(), bridge())
    columns = ["name", "counter_flights", "logged_flights", "counter_hours", "logged_hours"]
    assert rows(frame[[*columns, "verdict"]]) == [
        ("Lens", 2, 2, 9.0, 1.0, "counter higher"),
        ("Merlin", 1, 1, 1.4, 1.5, "match"),  # 0.1 h apart
        ("Kestrel", 4, 4, 1.5, 1.5, "match"),
        ("Heron", None, 0, None, 0.0, "no counter"),
    ]


def test_pieces_without_counters_stand_by_name_whatever_the_order_of_their_rows():
    uncounted = equipment().assign(
        total_flights=pd.array([None] * 4, dtype="Int64"), total_flight_hours=float("nan")
    )
    for given in (uncounted, uncounted.iloc[::-1]):
        frame = metrics.reconciliation(given, flights(), bridge())
        assert list(frame["name"]) == ["Heron", "Kestrel", "Lens", "Merlin"]


@pytest.mark.parametrize(
    ("counter_flights", "counter_hours", "verdict"),
    [
        (5, 101.0, "match"),  # 1.01 h allowed
        (5, 99.0, "logs higher"),  # 0.99 h allowed
        (5, 102.0, "counter higher"),
        (6, 100.0, "counter higher"),
        (4, 100.0, "logs higher"),
        (4, 110.0, "counter higher"),  # the hours decide
        (0, 0.0, "logs higher"),
        (None, 100.0, "match"),
        (5, None, "match"),
        (7, None, "counter higher"),
        (None, None, "no counter"),
    ],
)
def test_hours_match_within_one_per_cent_and_flights_when_equal(
    counter_flights, counter_hours, verdict
):
    counter = (
        equipment()
        .iloc[:1]
        .assign(
            total_flights=pd.array([counter_flights], dtype="Int64"),
            total_flight_hours=pd.Series([counter_hours], dtype="float64"),
        )
    )
    logs = flights().assign(duration_seconds=72_000)  # five flights of 20 h
    pairs = logs[["flight_id"]].assign(equipment_id="eq_drone")
    assert list(metrics.reconciliation(counter, logs, pairs)["verdict"]) == [verdict]


def test_counters_of_nothing_match_equipment_that_never_flew():
    counter = equipment().iloc[:1].assign(total_flights=0, total_flight_hours=0.0)
    frame = metrics.reconciliation(counter, flights().iloc[:0], bridge().iloc[:0])
    assert frame[["logged_flights", "verdict"]].values.tolist() == [[0, "match"]]


@pytest.mark.parametrize(
    ("counter", "seconds", "verdict"),
    [
        (10.09, 36_000, "match"),
        (9.91, 36_000, "match"),
        (10.10, 36_000, "match"),
        (9.90, 36_000, "match"),
        (10.11, 36_000, "counter higher"),
        (9.89, 36_000, "logs higher"),
        (0.4, 1_080, "match"),  # 0.4 − 0.3 is a bit more than 0.1 in binary
        (0.3, 1_440, "match"),
        (0.0, 360, "match"),
        (0.0, 364, "logs higher"),  # 4 s beyond
        (20.0, 71_280, "match"),  # 1 % of 20 h are 0.2 h
        (20.0, 71_276, "counter higher"),
        (1_000_000.0, 3_564_000_000, "match"),  # 1 % to the second
    ],
)
def test_hours_match_up_to_a_tenth_of_an_hour_or_one_per_cent(counter, seconds, verdict):
    given = equipment().iloc[:1].assign(total_flights=1, total_flight_hours=counter)
    logs = flights().iloc[:1].assign(duration_seconds=seconds)
    frame = metrics.reconciliation(given, logs, bridge().iloc[:1])
    assert list(frame["verdict"]) == [verdict]


def test_hours_are_not_compared_with_logs_that_have_no_durations():
    logs = flights().assign(duration_seconds=pd.array([None] * 5, dtype="Int64"))
    only_hours = equipment().assign(total_flights=pd.array([None, 2, 1, None], dtype="Int64"))
    frame = metrics.reconciliation(only_hours, logs, bridge())
    columns = ["name", "logged_hours", "hours_difference", "verdict"]
    assert rows(frame[columns]) == [
        ("Heron", 0.0, None, "no counter"),  # it never flew
        ("Kestrel", None, None, "not comparable"),
        ("Lens", None, None, "match"),  # its flights are
        ("Merlin", None, None, "match"),
    ]


def test_idle_days_run_from_the_last_flight_up_to_that_day():
    flown = flights().replace({"flight_date": {days("2027-01-01T12:00")[0]: days("2026-11-01")[0]}})
    frame = metrics.idle(equipment(), flown, bridge(), "2026-10-31")
    assert rows(frame[["name", "idle_days"]]) == [
        ("Lens", 31),  # 30 September
        ("Merlin", 16),  # 15 October
        ("Kestrel", 0),  # on the day; its flight of the midnight that ends it is yet to come
        ("Heron", None),
    ]
    assert frame["last_flight"][0] == pd.Timestamp("2026-09-30T23:30Z")
    assert list(frame["flights"]) == [2, 1, 4, 0]  # of any date, that of November too


def test_what_flew_on_no_known_day_has_flights_and_no_idle_days():
    undated = flights().assign(flight_date=days(*[None] * 5))
    frame = metrics.idle(equipment(), undated, bridge(), "2026-10-31")
    assert frame["idle_days"].isna().all()
    flown = dict(zip(frame["name"], frame["flights"], strict=True))
    assert flown == {"Kestrel": 4, "Lens": 2, "Merlin": 1, "Heron": 0}


def test_idle_days_are_those_of_the_zone():
    frame = metrics.idle(equipment(), flights(), bridge(), "2026-10-31", tz="Europe/London")
    assert list(frame["idle_days"])[:1] == [30]  # 1 October, 00:30 in London


def test_idle_days_end_at_a_moment_on_the_day_that_it_falls_on_in_the_zone():
    late = datetime(2026, 10, 31, 23, 30, tzinfo=UTC)  # 1 November in Tokyo
    frame = metrics.idle(equipment(), flights(), bridge(), late, tz="Asia/Tokyo")
    assert rows(frame[["name", "idle_days"]])[:2] == [("Lens", 31), ("Merlin", 17)]
    at_the_start = datetime(2026, 10, 15, 9, tzinfo=UTC)  # of Merlin's flight
    frame = metrics.idle(equipment(), flights(), bridge(), at_the_start).set_index("name")
    assert frame.loc[["Kestrel", "Merlin"], "idle_days"].tolist() == [14, pd.NA]
    assert frame.index.tolist()[2:] == ["Heron", "Merlin"]  # of as many days by name


def test_idle_with_no_flights_is_null_for_all():
    frame = metrics.idle(equipment(), flights().iloc[:0], bridge().iloc[:0], AS_OF)
    assert frame["idle_days"].isna().all()
    assert str(frame["last_flight"].dtype) == "datetime64[us, UTC]"


def test_flights_after_the_expiry_are_listed_latest_first():
    frame = metrics.flown_while_expired(equipment(), flights(), bridge())
    assert rows(frame[["name", "flight_id", "days_expired"]]) == [
        ("Kestrel", "fl_5", 92),
        ("Kestrel", "fl_4", 30),  # fl_2 was flown on the day of the expiry, within it
    ]


def test_days_expired_are_whole_numbers_also_beside_a_flight_without_a_date():
    undated = flights().assign(flight_date=flights()["flight_date"].where(flights().index != 0))
    assert undated["flight_date"].isna().sum() == 1
    frame = metrics.flown_while_expired(equipment(), undated, bridge())
    assert [repr(days) for days in frame["days_expired"].tolist()] == ["92", "30"]


def test_equipment_that_has_retired_since_flew_all_the_same():
    retired = equipment().assign(status="RETIRED")
    frame = metrics.flown_while_expired(retired, flights(), bridge())
    columns = ["name", "status", "flight_id", "pilot_name", "project_title"]
    assert rows(frame[columns]) == [
        ("Kestrel", "RETIRED", "fl_5", "Ada", "Bridge"),
        ("Kestrel", "RETIRED", "fl_4", None, "Bridge"),
    ]


def test_flights_from_the_end_of_a_period_on_are_not_counted_as_flown_while_expired():
    expiry = pd.to_datetime(["2026-09-30T00:00Z"])
    piece = pd.DataFrame({"equipment_id": ["d"], "registration_expiry": expiry})
    moments = pd.to_datetime(["2026-10-04T09:00Z", "2026-11-01T00:00Z", "2026-11-02T09:00Z", None])
    flown = pd.DataFrame({"flight_id": ["1", "2", "3", "undated"], "flight_date": moments})
    pairs = pd.DataFrame({"flight_id": flown["flight_id"], "equipment_id": "d"})
    assert rows(metrics.expired_totals(piece, flown, pairs)) == [(3, 1)]
    until = datetime(2026, 11, 1, tzinfo=UTC)
    assert rows(metrics.expired_totals(piece, flown, pairs, until=until)) == [(1, 1)]


def test_each_piece_of_equipment_expires_on_a_day_of_its_own():
    ends = ["2026-09-30", "2026-10-01", "2026-10-31", "2026-12-31", "2027-01-01", "2027-02-28"]
    expiry, names = pd.to_datetime(ends, utc=True), list("abcdef")
    pieces = pd.DataFrame({"equipment_id": names, "registration_expiry": expiry})
    moments = [*expiry, *(expiry + pd.Timedelta(days=1))]  # each flew on the last day and the next
    flown = pd.DataFrame({"flight_id": [str(n) for n in range(12)], "flight_date": moments})
    pairs = flown[["flight_id"]].assign(equipment_id=names * 2)
    assert rows(metrics.expired_totals(pieces, flown, pairs)) == [(6, 6)]


def test_no_flights_were_flown_while_expired_where_there_are_none():
    frame = metrics.flown_while_expired(equipment(), flights().iloc[:0], bridge().iloc[:0])
    assert frame.empty
    assert str(frame["flight_date"].dtype) == "datetime64[us, UTC]"


def test_a_missing_column_is_named():
    with pytest.raises(fk.InvalidValue, match="equipment lacks registration_expiry"):
        metrics.registrations(registered(AS_OF).drop(columns="registration_expiry"), AS_OF)
