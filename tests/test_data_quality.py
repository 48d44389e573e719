"""What checks of the data count, on an organisation that fits on a page, and on real flights.

=====  =================  =======  =====  =======  ==========  =======================================
id     date, UTC          seconds  pilot  project  equipment   what is wrong with it
=====  =================  =======  =====  =======  ==========  =======================================
fl_1   2026-10-01 08:00      1200  Ada    p_roof   kite        nothing
fl_2   2026-10-01 08:10       600  Ada    p_roof   kite, cam   begins while fl_1 flies: aircraft, pilot
fl_3   2026-10-01 08:20        29  Ada    p_gone   heron       short; no list has the project
fl_4   2026-10-02 23:30     10801  Bo     p_off    heron       long; cancelled project; 0, 0
fl_5   2026-10-03 01:00        30  Bo     p_roof   kite        fl_4 is in the air: pilot; Ada is assigned
fl_6   2026-11-20 12:00      null  –      –        heron       after the data's moment; half a take-off
fl_7   2026-09-30 10:00         0  –      –        kite        short; before kite was bought; logged before
fl_8   2026-10-05 10:00     10800  –      –        –           latitude 91
=====  =================  =======  =====  =======  ==========  =======================================
"""  # noqa: E501 - a table

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from five_flights import days, text

import fleetkit as fk
from fleetkit import language

AS_OF = pd.Timestamp("2026-11-20T12:00Z")
EVENING = pd.Timestamp("2026-10-01T03:00Z")  # of 30 September in New York


def flights():
    moments = days(
        "2026-10-01T08:00", "2026-10-01T08:10", "2026-10-01T08:20", "2026-10-02T23:30",
        "2026-10-03T01:00", "2026-11-20T12:00", "2026-09-30T10:00", "2026-10-05T10:00",
    )  # fmt: skip
    logged = moments.where(moments.index != 6, pd.Timestamp("2026-09-30T09:59Z"))
    none = float("nan")
    return pd.DataFrame(
        {
            "flight_id": text(*(f"fl_{number}" for number in range(1, 9))),
            "flight_date": moments,
            "flight_type": text(*["TRAINING"] * 7, "AEROBATIC"),
            "duration_seconds": pd.array([1200, 600, 29, 10801, 30, None, 0, 10800], "Int64"),
            "takeoff_lat": [59.9, 59.9, none, 0.0, none, 59.9, none, 91.0],
            "takeoff_lng": [10.7, 10.7, none, 0.0, none, none, none, 10.7],
            "landing_lat": [59.9, none, none, none, none, none, none, none],
            "landing_lng": [10.7, none, none, none, none, none, none, none],
            "pilot_id": text("a", "a", "a", "b", "b", None, None, None),
            "pilot_name": text("Ada", "Ada", "Ada", "Bo", "Bo", None, None, None),
            "project_id": text("p_roof", "p_roof", "p_gone", "p_off", "p_roof", *[None] * 3),
            "created_at": logged,
        }
    )


def bridge():
    pairs = ["1 kite", "2 kite", "2 cam", "3 heron", "4 heron", "5 kite", "6 heron", "7 kite"]
    numbers, pieces = zip(*(pair.split() for pair in pairs), strict=True)
    return pd.DataFrame(
        {"flight_id": text(*(f"fl_{n}" for n in numbers)), "equipment_id": text(*pieces)}
    )


def equipment():
    return pd.DataFrame(
        {
            "equipment_id": text("kite", "heron", "cam", "box"),
            "type": text("DRONE", "DRONE", "CAMERA", "CAMERA"),
            "status": text("ACTIVE", "ASLEEP", None, "ACTIVE"),
            "condition": text("GOOD", "GOOD", "GOOD", "SINGED"),
            "serial_number": text("A-1", "a-1 ", " ", None),
            "registration_number": text("N1", "N2", None, None),
            "purchase_date": days("2026-10-01", None, "2026-10-01", None),
        }
    )


def projects():
    return pd.DataFrame(
        {
            "project_id": text("p_roof", "p_off", "p_draft", "p_mast"),
            "status": text("DELIVERED", "CANCELLED", "DRAFT", "PAUSED"),
            "agreed_price": [900.0, None, None, None],
            "currency": text(" ", None, None, "EUR"),
            "assigned_pilot_name": text("ada ", " ", "Bo", None),
        }
    )


def checked(*, as_of=AS_OF, **options):
    """Return check → (count, of, ids) of the organisation above, some of it replaced."""
    frames = {
        "flights": flights(), "bridge": bridge(), "equipment": equipment(), "projects": projects(),
    }  # fmt: skip
    frames |= {name: options.pop(name) for name in frames if name in options}
    table = fk.metrics.data_quality(**frames, as_of=as_of, **options)
    return fk.metrics.collect(table).set_index("check")


def answers(table):
    rows = table[["count", "of", "ids"]].itertuples()
    return {check: (count, of, ids) for check, count, of, ids in rows}


@pytest.mark.parametrize("kind", [lambda frame: frame, lambda frame: pl.from_pandas(frame).lazy()])
def test_a_flight_without_an_id_counts_and_is_not_named(kind):
    """Fl_6, fl_7 and fl_8 have no pilot."""
    some = kind(flights().replace({"flight_id": {"fl_7": None}}))
    rows = checked(flights=some, bridge=kind(bridge()))
    assert answers(rows)["No pilot"] == (3, 8, "fl_6, fl_8")


@pytest.mark.slow
def test_every_check_counts_what_a_reader_counts():
    assert answers(checked()) == {
        "Flight date in the future": (1, 8, "fl_6"),
        "Logged before it was flown": (1, 8, "fl_7"),
        "Very short flight": (2, 7, "fl_3, fl_7"),
        "Very long flight": (1, 7, "fl_4"),
        "Position at 0, 0": (1, 4, "fl_4"),
        "Position out of range": (1, 5, "fl_8"),
        "Half a position": (1, 5, "fl_6"),
        "Flown on a cancelled project": (1, 4, "fl_4"),
        "Project that no list has": (1, 5, "fl_3"),
        "Unknown flight type": (1, 8, "fl_8"),
        "No duration": (1, 8, "fl_6"),
        "No pilot": (3, 8, "fl_6, fl_7, fl_8"),
        "No project": (3, 8, "fl_6, fl_7, fl_8"),
        "Overlaps another flight of its aircraft": (1, 5, "fl_2"),
        "Overlaps another flight of its pilot": (2, 5, "fl_2, fl_5"),
        "Flown before its equipment was bought": (1, 4, "fl_7"),
        "Serial number of several": (2, 2, "heron, kite"),
        "Registration of several": (0, 2, ""),
        "Unknown status": (1, 3, "heron"),
        "Unknown condition": (1, 4, "box"),
        "Unknown project status": (1, 4, "p_mast"),
        "Another pilot than assigned": (1, 3, "fl_5"),
        "No agreed price": (1, 2, "p_mast"),
        "Price without a currency": (1, 1, "p_roof"),
        "Copies of one flight that differ": (0, 0, ""),
        "Rows received and their total differ": (0, 0, ""),
    }


@pytest.mark.slow
def test_flights_of_one_aircraft_overlap_where_that_is_among_the_aircraft_that_are_given():
    heron = equipment()[equipment()["equipment_id"] == "heron"]  # kite flew fl_1 and fl_2
    checks = answers(checked(aircraft=heron))
    assert checks["Overlaps another flight of its aircraft"] == (0, 2, "")


@pytest.mark.slow
def test_the_gravest_checks_come_first_and_those_that_count_most():
    table = checked()
    assert table["severity"].is_monotonic_increasing
    assert list(table["severity"].cat.categories) == ["error", "warning", "info"]
    assert table.index[0] == "Overlaps another flight of its pilot"
    errors = table[table["severity"] == "error"]
    assert errors["count"].is_monotonic_decreasing


@pytest.mark.slow
def test_the_share_is_of_those_that_could_be_looked_at():
    landed = flights()
    landed.loc[[1, 7], ["landing_lat", "landing_lng"]] = [(90.0, 180.0), (0.0, 0.0)]
    landed.loc[2, "landing_lat"], landed.loc[4, "landing_lng"] = -91.0, -181.0
    landed.loc[6, "takeoff_lng"] = 181.0
    landed.loc[0, ["takeoff_lat", "landing_lng"]] = 0.0  # the equator, the meridian of Greenwich
    landed.loc[3, "created_at"] = landed.loc[4, "flight_date"] = pd.NaT
    table = checked(flights=landed)
    assert table.loc["Position at 0, 0", "share"] == 0.5  # take-off of one, landing of another
    counts = answers(table)
    assert counts["Position out of range"] == (4, 8, "fl_3, fl_5, fl_7, fl_8")  # a pole is in range
    assert counts["Half a position"] == (4, 8, "fl_3, fl_5, fl_6, fl_7")
    assert counts["Logged before it was flown"] == (1, 6, "fl_7")
    assert counts["Flight date in the future"] == (1, 7, "fl_6")
    assert table.loc["Registration of several", "share"] == 0
    assert pd.isna(table.loc["Rows received and their total differ", "share"])


@pytest.mark.slow
def test_a_check_that_could_look_at_nothing_says_so():
    bare = equipment().assign(serial_number=text(*[None] * 4))
    blank = flights().assign(duration_seconds=pd.array([None] * 8, "Int64"))
    table = checked(equipment=bare, flights=blank)
    assert (
        table.loc["Serial number of several", "note"]
        == "0 of 4 pieces of equipment have a serial number."
    )
    assert table.loc["Very long flight", "note"] == "0 of 8 flights have a duration."
    assert table.loc["Rows received and their total differ", "note"].startswith("loading compares")
    assert table.loc["Copies of one flight that differ", "note"].startswith("copies were not")


@pytest.mark.slow
def test_a_pilot_with_a_blank_name_is_not_another_one_than_assigned():
    blank = flights().replace({"pilot_name": {"Bo": " "}})
    others = checked(flights=blank).loc["Another pilot than assigned"]
    assert (others["count"], others["of"]) == (0, 2)  # fl_1 and fl_2, by Ada


@pytest.mark.slow
def test_an_unknown_status_of_blanks_is_named_so_that_it_is_seen_and_of_many_six_are_named():
    six = ["ASLEEP", "  ", *"BCDE", "ACTIVE", "ACTIVE"]
    blank = pd.concat([equipment()] * 2, ignore_index=True).assign(status=text(*six))
    eight = pd.concat([projects()] * 2, ignore_index=True).assign(status=text(*"HGFEDCBA"))
    odd = flights().assign(flight_type=text(*["RACING", "TRAINING", "AEROBATIC", " "] * 2))
    notes = checked(flights=odd, equipment=blank, projects=eight)["note"]
    assert notes["Unknown flight type"] == "' ', AEROBATIC, RACING."
    assert notes["Unknown status"] == "'  ', ASLEEP, B, C, D, E."
    assert notes["Unknown project status"] == "A, B, C, D, E, F, 2 more."


@pytest.mark.slow
def test_dates_without_times_overlap_nothing_that_is_known():
    dates = flights().assign(flight_date=days(*["2026-10-01"] * 8))
    note = checked(flights=dates).loc["Overlaps another flight of its aircraft"]
    assert (note["count"], note["of"]) == (0, 0)
    assert note["note"] == "Flight dates are dates, which don't say when a flight began."
    with language.using("de"):
        note = checked(flights=dates).loc["Overlaps another flight of its aircraft"]
    assert note["note"].startswith("Flugdaten sind Tage, ")


@pytest.mark.slow
def test_a_date_may_be_logged_hours_before_its_midnight_utc_where_the_day_begins_earlier():
    dates = flights().assign(flight_date=days(*["2026-10-02"] * 8))
    in_tokyo = dates.assign(created_at=days("2026-10-01T11:00", *["2026-10-01T09:59"] * 7))
    table = checked(flights=in_tokyo, tz="Asia/Tokyo")
    assert table.loc["Logged before it was flown", "count"] == 7


@pytest.mark.slow
def test_a_day_as_the_data_s_is_wholly_past_and_one_of_a_zone_ends_with_it():
    assert checked(as_of="2026-11-20").loc["Flight date in the future", "count"] == 0
    assert checked(as_of="2026-11-19").loc["Flight date in the future", "count"] == 1
    # The 20th ends at 11:00 UTC in Auckland.
    table = checked(as_of="2026-11-20", tz="Pacific/Auckland")
    assert table.loc["Flight date in the future", "count"] == 1


def test_the_second_midnight_of_a_day_is_a_moment_of_the_data_and_not_that_day():
    # Havana's clock is set back from 01:00 to 00:00, at 05:00 UTC, on 1 November 2026.
    later = flights().assign(flight_date=days(*["2026-11-01T06:00"] * 8))
    table = checked(flights=later, as_of="2026-11-01T05:00Z", tz="America/Havana")
    assert table.loc["Flight date in the future", "count"] == 8


@pytest.mark.slow
def test_durations_that_are_usual_can_be_said():
    table = checked(shortest=0, longest=5400)
    assert table.loc["Very short flight", ["count", "note"]].tolist() == [
        0,
        "Under 0 s, which includes 0 and less.",
    ]
    long = table.loc["Very long flight", ["count", "ids", "note"]]
    assert long.tolist() == [2, "fl_4, fl_8", "Over 1.5 h."]
    with language.using("de"):
        notes = checked(shortest=29.5, longest=5400)["note"]
    assert notes["Very short flight"].startswith("Unter 29,5 s")
    assert notes["Very long flight"] == "Über 1,5 h."


@pytest.mark.slow
def test_flights_that_follow_at_once_or_bear_one_moment_are_told_apart():
    ends_as_it_begins = flights().assign(
        duration_seconds=pd.array([600, 600, 29, 60, 30, None, 0, 1], "Int64")
    )
    assert checked(flights=ends_as_it_begins).filter(like="Overlaps", axis=0)["count"].sum() == 0
    moments = flights()["flight_date"].mask(
        flights()["flight_id"] == "fl_2", days("2026-10-01T08:00")[0]
    )
    twice = checked(flights=flights().assign(flight_date=moments))
    assert twice.loc["Overlaps another flight of its aircraft", "ids"] == "fl_2"
    moments[2] = moments[1] = flights()["flight_date"][1]  # fl_2 and fl_3 while fl_1 flies
    within = checked(flights=flights().assign(flight_date=moments))
    assert within.loc["Overlaps another flight of its pilot", "ids"] == "fl_2, fl_3, fl_5"


@pytest.mark.slow
def test_a_flight_without_end_is_compared_on_its_day_and_the_next_one():
    seconds = flights()["duration_seconds"].replace(1200, 2**63 - 1)
    endless = flights().assign(duration_seconds=seconds, pilot_id="a")
    overlaps = checked(flights=endless).loc["Overlaps another flight of its pilot"]
    assert overlaps["ids"] == "fl_2, fl_3, fl_4, fl_5"  # fl_5 that of fl_4, fl_8 none


@pytest.mark.slow
def test_a_flight_is_before_the_purchase_by_the_day_in_the_zone():
    moments = flights()["flight_date"].replace(flights()["flight_date"][0], EVENING)
    kept = flights().assign(flight_date=moments).head(6)
    bought_later = "Flown before its equipment was bought"
    assert checked(flights=kept).loc[bought_later, "count"] == 0
    assert checked(flights=kept, tz="America/New_York").loc[bought_later, "ids"] == "fl_1"


@pytest.mark.slow
def test_differing_copies_are_counted_where_they_are_known():
    differing = "Copies of one flight that differ"
    copies = pd.DataFrame({"flight_id": text("fl_2", "fl_of_others")})
    assert answers(checked(copies=copies))[differing] == (1, 1, "fl_2")  # one of two pieces
    assert answers(checked(copies=copies.head(0)))[differing] == (0, 1, "")


@pytest.mark.slow
@pytest.mark.parametrize("load", [False, True])
def test_differing_copies_are_counted_of_a_period_and_make_a_flight_unsound(load):
    differing = "Copies of one flight that differ"
    kites = pd.DataFrame({"equipment_id": text("kite", "heron")})
    shared = pd.concat(
        [bridge(), pd.DataFrame({"flight_id": text("fl_1"), "equipment_id": text("cam")})]
    )
    options = {"aircraft": kites, "as_of": AS_OF, "load": load}
    found = []
    for ids in ([], ["fl_1"]):
        copies = pd.DataFrame({"flight_id": pd.Series(ids, dtype="str")})
        checks, of_period, totals = fk.metrics.data_quality_of_parts(
            [(flights(), shared)],
            equipment(),
            projects(),
            ["2026-09", "2026-10"],
            **options,
            copies=copies,
        )
        counts = [answers(table.set_index("check"))[differing] for table in (checks, of_period)]
        found.append((*counts, int(totals["sound"].iloc[1])))
    # Of fl_1 and fl_2, both of October; of these two only fl_1 is sound.
    assert found == [((0, 2, ""), (0, 0, ""), 1), ((1, 2, "fl_1"), (0, 0, ""), 0)]


@pytest.mark.slow
def test_ids_are_bounded_and_the_table_is_a_csv():
    table = checked(most=1)
    assert table.loc["No pilot", ["count", "ids"]].tolist() == [3, "fl_6"]
    assert table.loc["Serial number of several", ["count", "ids"]].tolist() == [2, "heron"]
    assert table.to_csv().count("\n") == 1 + len(table)


@pytest.mark.slow
def test_no_records_give_every_check_and_count_nothing():
    whole = checked()
    table = checked(
        flights=flights().head(0), bridge=bridge().head(0), equipment=equipment().head(0),
        projects=projects().head(0),
    )  # fmt: skip
    assert set(table.index) == set(whole.index)
    assert (table["count"] == 0).all()
    assert (table["of"] == 0).all()
    assert (table["note"] != "").all()
    assert table.dtypes.to_dict() == whole.dtypes.to_dict()


@pytest.mark.slow
def test_flagged_flights_are_those_of_errors_and_warnings():
    flagged = fk.metrics.flagged_flights(flights(), bridge(), equipment(), projects(), as_of=AS_OF)
    assert sorted(flagged["flight_id"].unique()) == [f"fl_{n}" for n in range(2, 9)]
    assert flagged.loc[flagged["flight_id"] == "fl_4", "check"].tolist() == [
        "Flown on a cancelled project",
        "Position at 0, 0",
        "Very long flight",
    ]
    table = checked()
    counted = table[(table["records"] == "flights") & (table["severity"] != "info")]["count"]
    assert flagged["check"].value_counts().to_dict() == counted[counted > 0].to_dict()
    tables = (flights(), bridge(), equipment(), projects())
    of_none = fk.metrics.flagged_flights(*tables, as_of=AS_OF, aircraft=equipment().head(0))
    apart = set(flagged["check"]) - set(of_none["check"])
    assert apart == {"Overlaps another flight of its aircraft"}


@pytest.mark.slow
def test_only_flights_of_listed_projects_with_a_status_can_be_on_a_cancelled_one():
    """Of the 5 with a project, 3 are for p_roof; p_off has no status here, and p_gone no list."""
    plans = projects()
    plans.loc[1, "status"] = None
    frames = {"bridge": bridge(), "equipment": equipment(), "as_of": AS_OF}
    check = "Flown on a cancelled project"
    for listed, of in ((plans, 3), (plans.tail(2), 0)):
        one = fk.metrics.data_quality(flights(), projects=listed, **frames)
        checks, _, _ = fk.metrics.data_quality_of_parts(
            [(flights(), bridge())], equipment(), listed, ["2026-10"],
            as_of=AS_OF, aircraft=equipment(),
        )  # fmt: skip
        rows = [table.set_index("check").loc[check] for table in (one, checks)]
        assert [(row["count"], row["of"]) for row in rows] == [(0, of), (0, of)]
    assert rows[0]["note"] == "0 of 8 flights have a listed project with a status."


# Real flights


ROWS = json.loads((Path(__file__).parent / "data" / "sfpd-drone-flights.json").read_text())


@pytest.mark.slow
def test_of_the_real_flights_those_are_counted_that_a_loop_counts():
    real = pd.DataFrame(ROWS, columns=["day", "minutes", "reason", "lng", "lat"])
    none = pd.Series([None] * len(real))
    numbers = real.index.astype("str")
    frame = pd.DataFrame(
        {
            "flight_id": numbers,
            "flight_date": pd.to_datetime(real["day"], utc=True),
            "flight_type": "COMMERCIAL",
            "duration_seconds": (60 * real["minutes"].astype("int64")),
            "takeoff_lat": real["lat"].astype("float64"),
            "takeoff_lng": real["lng"].astype("float64"),
            **dict.fromkeys(["landing_lat", "landing_lng"], none.astype("float64")),
            **dict.fromkeys(["pilot_id", "pilot_name", "project_id"], none.astype("str")),
            "created_at": pd.to_datetime(real["day"], utc=True),
            "traveled_distance": none.astype("float64"),
        }
    )
    pairs = pd.DataFrame({"flight_id": numbers, "equipment_id": "kite"})
    table = checked(flights=frame, bridge=pairs, as_of="2100-01-01")
    minutes = [int(row[1]) for row in ROWS]
    located = sum(row[3] is not None and row[4] is not None for row in ROWS)
    some = sum(row[3] is not None or row[4] is not None for row in ROWS)
    zero = sum(row[3] == 0 and row[4] == 0 for row in ROWS)
    expected = {
        "Very short flight": (sum(60 * m < 30 for m in minutes), len(ROWS)),
        "Very long flight": (sum(m > 180 for m in minutes), len(ROWS)),
        "Position at 0, 0": (zero, located),
        "Half a position": (some - located, some),
        "No pilot": (len(ROWS), len(ROWS)),
        "Overlaps another flight of its aircraft": (0, 0),
        "Flight date in the future": (0, len(ROWS)),
    }
    assert {name: answers(table)[name][:2] for name in expected} == expected
    units = fk.metrics.unit_check(frame)
    assert units["timed"].tolist() == [0] * 4
    assert units["fits"].isna().all()


# The unit of distances


def a_distance(*distances, seconds=1000, landing=59.91):
    """Return flights of so long from 59.90° N, 10.70° E; 0.01° to the north are 1,112 m."""
    count = len(distances)
    return pd.DataFrame(
        {
            "traveled_distance": pd.Series(distances, dtype="float64"),
            "duration_seconds": pd.array([seconds] * count, "Int64"),
            "takeoff_lat": [59.90] * count,
            "takeoff_lng": [10.70] * count,
            "landing_lat": [landing] * count,
            "landing_lng": [10.70] * count,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distance", "units"),
    [
        # 60,000 m in 1,000 s are 60 m/s, 60,000 ft 18 m/s; both reach 1,112 m.
        pytest.param(60_000, ["m", "ft"], id="metres or feet"),
        # 2,000 ft are 610 m: too short to reach the landing.
        pytest.param(2000, ["m"], id="only metres reach"),
        pytest.param(5, ["km", "mi"], id="kilometres or miles"),
        # 0.9 km don't reach, 0.9 mi do: 1,448 m.
        pytest.param(0.9, ["mi"], id="only miles reach"),
        pytest.param(200_000, [], id="none"),
    ],
)
def test_the_units_that_fit_are_those_a_reader_finds(distance, units):
    check = fk.metrics.unit_check(a_distance(distance))
    assert check.loc[check["fits"].astype(bool), "unit"].tolist() == units


@pytest.mark.slow
def test_the_great_circle_is_that_of_the_textbook():
    # Oslo to New York are 5,920 km: 5,909 don't reach it even with 10 m more, 5,925 do.
    trip = a_distance(5900, 5925, seconds=400_000).assign(
        takeoff_lat=59.9139, takeoff_lng=10.7522, landing_lat=40.7128, landing_lng=-74.0060
    )
    check = fk.metrics.unit_check(trip).set_index("unit")
    assert check.loc[["m", "km", "ft", "mi"], "reachable"].tolist() == [0, 1, 0, 2]
    across = a_distance(25, 20, seconds=1000).assign(
        takeoff_lat=0.0, landing_lat=0.0, takeoff_lng=179.9, landing_lng=-179.9
    )  # 0.2° of the equator are 22.2 km
    assert fk.metrics.unit_check(across).set_index("unit").loc["km", "reachable"] == 1


@pytest.mark.slow
def test_single_logs_that_are_wrong_do_not_rule_a_unit_out():
    # 500,000 m are too fast, 500 m don't reach.
    nine = fk.metrics.unit_check(a_distance(*[5000] * 8, 500_000, 500)).set_index("unit")
    assert nine.loc["m", ["timed", "flyable", "reachable", "fits"]].tolist() == [10, 9, 9, True]
    eight = fk.metrics.unit_check(a_distance(*[5000] * 8, *[500_000] * 2)).set_index("unit")
    assert not eight.loc["m", "fits"]


@pytest.mark.slow
def test_flights_without_distance_time_or_position_are_not_looked_at():
    odd = pd.concat(
        [
            a_distance(0, float("nan")),
            a_distance(5000, landing=float("nan")),
            a_distance(5000, seconds=0),
        ],
        ignore_index=True,
    )
    check = fk.metrics.unit_check(odd).set_index("unit")
    assert check.loc["m", ["timed", "located"]].tolist() == [1, 1]
    empty = fk.metrics.unit_check(odd.head(0))
    assert empty["unit"].tolist() == ["m", "km", "ft", "mi"]
    assert empty.dtypes.to_dict() == fk.metrics.unit_check(odd).dtypes.to_dict()
