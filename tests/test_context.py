"""Frames carry their fleet's zone and settings: months are the fleet's without a word."""

import inspect
import io
import json
import pickle
from contextlib import ExitStack
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pytest
from conftest import a_flight, a_project, an_equipment, serving

import fleetkit as fk
from fleetkit import metrics
from fleetkit.context import attach, setting
from fleetkit.settings import PDRA01, RecencyRule, from_values
from fleetkit.time import Clock, Zone

AUCKLAND = "Pacific/Auckland"  # 13 hours ahead of UTC in October 2026
AS_OF = "2026-10-31"


@pytest.fixture
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False) as opened:
        yield opened


@pytest.mark.slow
def test_every_table_and_record_carries_the_fleet_s_zone(fleet):
    tables = [fleet.equipment(), fleet.flights(), fleet.flight_equipment(), fleet.projects()]
    tables += [fleet.services(), fleet.tiers(), fleet.specifications()]
    tables += [fleet.flights("2026-10"), fleet.projects(details=True)]
    tables += [fleet.equipment_by_id("eq_camera"), fleet.where(night=True).flights()]
    assert [frame.attrs["tz"] for frame in tables] == ["Europe/Oslo"] * len(tables)


@pytest.mark.slow
def test_an_oslo_fleet_s_october_has_no_row_of_september(fleet):
    # 30 September 23:59:59 UTC is 1 October in Oslo; 31 October 23:30 UTC is 1 November.
    october = fleet.flights("2026-10")
    hours = metrics.flight_hours(october, by="month")
    assert hours[["month", "flights"]].to_numpy().tolist() == [["2026-10", 3]]
    assert metrics.flight_hours(october, by="month", tz="UTC")["month"].tolist() == [
        "2026-09",
        "2026-10",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "done",
    [
        lambda flights, _: flights[flights["pilot_id"].notna()],
        lambda flights, _: flights.query("duration_seconds > 0"),
        lambda flights, _: flights.assign(hours=1.0),
        lambda flights, _: flights.sort_values("flight_id").head(3),
        lambda flights, _: flights.drop(columns="bvlos").rename(columns={"pilot_id": "pilot"}),
        lambda flights, _: flights.drop_duplicates().reset_index(drop=True),
        lambda flights, _: flights.copy().dropna(subset=["duration_seconds"]),
        lambda flights, fleet: flights.merge(fleet.projects(), on="project_id"),
        lambda flights, fleet: flights.merge(fleet.flight_equipment(), on="flight_id"),
        lambda flights, fleet: pd.concat([flights, fleet.flights("2026-11")]),
        lambda flights, _: flights.groupby("pilot_id").head(1),
        lambda flights, _: pickle.loads(pickle.dumps(flights)),  # noqa: S301 - our own
        lambda flights, _: pd.read_parquet(_parquet(flights)),
    ],
)
def test_the_zone_survives_what_is_usually_done_to_a_frame(fleet, done):
    assert Clock.of(done(fleet.flights("2026-10"), fleet)).tz == "Europe/Oslo"


def _parquet(frame):
    return io.BytesIO(frame.to_parquet())


@pytest.mark.slow
@pytest.mark.parametrize(
    "done",
    [
        lambda flights, _: flights.merge(pd.DataFrame({"pilot_id": ["prof_ada"]}), on="pilot_id"),
        lambda flights, fleet: pd.concat(
            [flights, fleet.flights().set_axis(flights.columns, axis=1).pipe(pd.DataFrame)]
        ),
        lambda flights, _: flights.groupby("pilot_id").agg(n=("flight_id", "size")),
        lambda flights, _: pl.from_pandas(flights),
    ],
)
def test_what_drops_the_zone_is_the_documented_list(fleet, done):
    bare = done(fleet.flights("2026-10"), fleet)
    assert Clock.of(bare).tz == "UTC"
    assert Clock.of(bare, tz="Europe/Oslo").tz == "Europe/Oslo"


def test_a_frame_carries_every_setting_that_metrics_look_at():
    four_years, fifty = {"years": 4.0, "residual_percent": 10.0}, {"DRONE": {"hours": 50.0}}
    given = {
        "aircraft_types": ["CAMERA"],
        "condition_order": ["NEW", "WORN"],
        "status_order": ["FLYING", "PARKED"],
        "stage_probabilities": {"DRAFT": 0.3},
        "service_intervals": fifty,
        "depreciation": four_years,
    }
    chosen = from_values(given, source="these settings")
    frame = attach(pd.DataFrame(), Clock(), chosen)
    given["stage_probabilities"] = chosen.stage_probabilities  # of all stages
    assert {name: setting(frame, name) for name in given} == given


@pytest.mark.slow  # fetches equipment and flights
def test_metrics_of_an_engine_s_tables_use_the_settings_of_their_fleet(fleet):
    cameras = from_values({"aircraft_types": ["CAMERA"]}, source="these settings")
    set_so = fk.Fleet(fleet._source, settings=cameras)
    given = set_so.equipment(engine="polars"), set_so.flight_equipment(engine="polars")
    found = metrics.collect(metrics.aircraft(*given))
    assert found["equipment_id"].tolist() == ["eq_camera"]  # drones by default


@pytest.mark.slow
def test_what_a_frame_carries_is_small_and_fit_for_json(fleet, tmp_path):
    (tmp_path / "settings.toml").write_text('aircraft_types = ["CAMERA"]\n')
    with fk.connect(fleet.address, "x", config=tmp_path / "settings.toml", tz=AUCKLAND) as other:
        settings = other.settings
    frame = fk.Fleet(fleet._source, tz=AUCKLAND, settings=settings).equipment()
    assert json.loads(json.dumps(frame.attrs)) == {
        "tz": AUCKLAND,
        "settings": {"aircraft_types": ["CAMERA"]},
    }
    assert setting(frame, "aircraft_types") == ["CAMERA"]
    assert setting(frame, "status_order") == fk.settings.Settings().status_order
    assert len(json.dumps(fleet.flights().attrs)) < 100


@pytest.mark.slow
def test_the_history_of_a_mirror_is_saved_as_parquet(tiny, tmp_path):
    with fk.connect(tiny.base_url, tiny.api_key, tz=AUCKLAND) as live:
        live.sync(tmp_path / "mirror")
    fleet = fk.open_mirror(tmp_path / "mirror")
    for name, frame in {
        "history": fleet.history("projects"),
        "ledger": fleet.restatements("2026-10"),
        "changes": fleet.changes(),
    }.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
        again = pd.read_parquet(tmp_path / f"{name}.parquet")
        assert again.attrs == frame.attrs
        assert again.attrs["tz"] == AUCKLAND
    watched = fleet.history("projects").attrs["watched_since"]
    assert datetime.fromisoformat(watched) == fleet.watched_since("projects")


def test_a_result_that_is_given_a_zone_as_python_has_it_carries_its_name(tmp_path):
    hours = pl.LazyFrame({"flight_type": ["TRAINING"], "hours": [2.0]})
    given = metrics.collect(hours, tz=ZoneInfo(AUCKLAND))
    given.to_parquet(tmp_path / "hours.parquet")  # what a frame carries is written as JSON
    assert pd.read_parquet(tmp_path / "hours.parquet").attrs["tz"] == AUCKLAND


@pytest.mark.slow
def test_frames_of_two_zones_are_refused_unless_one_is_named(fleet):
    other = fk.Fleet(fleet._source, tz=AUCKLAND)
    arguments = (other.equipment(), fleet.flights(), fleet.flight_equipment(), AS_OF)
    with pytest.raises(fk.InvalidValue, match=r"Europe/Oslo, Pacific/Auckland.*tz="):
        metrics.idle(*arguments)
    assert len(metrics.idle(*arguments, tz=AUCKLAND)) == 3


PILOT = {"id": "prof_1", "fullName": "Ada Lind"}
RECORDS = {
    "equipment": [
        an_equipment(
            "eq_1",
            registrationExpiry="2026-09-30T13:30:00.000Z",
            purchaseDate="2025-10-30T12:30:00.000Z",
        ),
    ],
    "flights": [
        a_flight("fl_1", "2026-09-30T12:30:00.000Z", durationSeconds=7200, pilotInCommand=PILOT),
        a_flight("fl_2", "2026-10-31T09:30:00.000Z", pilotInCommand=PILOT),
        a_flight("fl_3", "2026-10-31T11:30:00.000Z"),
    ],
    "flight_equipment": [("fl_1", "eq_1"), ("fl_2", "eq_1"), ("fl_3", "eq_1")],
    "projects": [
        a_project(
            "proj_1",
            status="CONFIRMED",
            createdAt="2026-09-30T12:30:00.000Z",
            updatedAt="2026-09-30T12:30:00.000Z",
            scheduledDate=None,
        ),
        a_project("proj_2", status="SCHEDULED", scheduledDate="2026-10-18T12:30:00.000Z"),
        a_project("proj_3", status="DELIVERED", updatedAt="2026-09-30T12:30:00.000Z"),
    ],
    "services": [],
}
# In UTC it lapses on the day of fl_2; in Auckland fl_1 is of a day later, and so is the lapse.
ONE_FLIGHT = RecencyRule("1 flight in 31 days", days=31, flights=1)
# Each gives another answer in Auckland than in UTC.
CALLS = {
    "calendar": lambda f, **tz: metrics.calendar(f["flights"], "2026-10", **tz),
    "age_and_value": lambda f, **tz: metrics.age_and_value(
        f["equipment"], f["flights"], f["bridge"], AS_OF, **tz
    ),
    "clients": lambda f, **tz: metrics.clients(f["projects"], f["flights"], "2026-10-19", **tz),
    "completion_ratio": lambda f, **tz: metrics.completion_ratio(f["projects"], **tz),
    "data_quality": lambda f, **tz: metrics.data_quality(
        f["flights"], f["bridge"], f["equipment"], f["projects"], as_of="2026-10-31", **tz
    ),
    "data_quality_of_parts": lambda f, **tz: metrics.data_quality_of_parts(
        [(f["flights"], f["bridge"])],
        f["equipment"],
        f["projects"],
        ["2026-10"],
        as_of="2026-10-31",
        aircraft=f["equipment"],
        **tz,
    )[0],
    "flagged_flights": lambda f, **tz: metrics.flagged_flights(
        f["flights"], f["bridge"], f["equipment"], f["projects"], as_of="2026-10-31", **tz
    ),
    "flight_hours": lambda f, **tz: metrics.flight_hours(f["flights"], by="month", **tz),
    "logging_lag": lambda f, **tz: metrics.logging_lag(f["flights"], by="month", **tz),
    "expired_totals": lambda f, **tz: metrics.expired_totals(
        # A day before fl_3 in Auckland, and the day of it in UTC.
        f["equipment"].assign(registration_expiry=pd.Timestamp("2026-10-31T09:30Z")),
        f["flights"],
        f["bridge"],
        **tz,
    ),
    "flown_days": lambda f, **tz: metrics.flown_days(f["flights"], **tz),
    "flown_while_expired": lambda f, **tz: metrics.flown_while_expired(
        f["equipment"], f["flights"], f["bridge"], **tz
    ),
    "flown_without_recency": lambda f, **tz: metrics.flown_without_recency(
        f["flights"], ONE_FLIGHT, "2026-10", **tz
    ),
    "hours_by_weekday": lambda f, **tz: metrics.hours_by_weekday(f["flights"], **tz),
    "idle": lambda f, **tz: metrics.idle(f["equipment"], f["flights"], f["bridge"], AS_OF, **tz),
    "late_projects": lambda f, **tz: metrics.late_projects(f["projects"], AS_OF, **tz),
    "maintenance": lambda f, **tz: metrics.maintenance(
        f["equipment"], f["flights"], f["bridge"], AS_OF, **tz
    ),
    "maintenance_due": lambda f, **tz: metrics.maintenance_due(
        f["equipment"],
        f["flights"],
        f["bridge"],
        AS_OF,
        service_intervals={"DRONE": {"flights": 10}},
        **tz,
    ),
    "period_totals": lambda f, **tz: metrics.period_totals(
        f["flights"], f["bridge"], f["equipment"], ["2026-10"], **tz
    ),
    "recency": lambda f, **tz: metrics.recency(f["flights"], PDRA01, AS_OF, **tz),
    "recent_pilots": lambda f, **tz: metrics.recent_pilots(
        f["flights"], PDRA01, ["2026-12-31"], **tz
    ),
    "registrations": lambda f, **tz: metrics.registrations(f["equipment"], AS_OF, **tz),
    "sound_totals": lambda f, **tz: metrics.sound_totals(
        f["flights"], f["flights"].head(1), ["2026-10"], **tz
    ),
    "stage_stays": lambda f, **tz: metrics.stage_stays(f["history"], AS_OF, **tz),
    "stalled_projects": lambda f, **tz: metrics.stalled_projects(f["projects"], AS_OF, **tz),
    "time_in_stage": lambda f, **tz: metrics.time_in_stage(f["history"], AS_OF, **tz),
    "to_invoice": lambda f, **tz: metrics.to_invoice(f["projects"], AS_OF, **tz),
    "utilisation": lambda f, **tz: metrics.utilisation(
        f["flights"], f["bridge"], f["equipment"], "2026-10", **tz
    ),
    "workload": lambda f, **tz: metrics.workload(f["projects"], **tz),
}


@pytest.fixture(scope="module")
def frames():
    """Return frames of a fleet in Auckland, with a history."""
    with ExitStack() as stack:
        served = serving(stack, RECORDS)
        fleet = fk.connect(served.base_url, served.api_key, tz=AUCKLAND, progress=False)
        history = fleet.projects()
        history["valid_from"] = pd.Timestamp("2026-10-01T00:00Z")
        history["valid_to"] = pd.Series(pd.NaT, index=history.index, dtype="datetime64[us, UTC]")
        yield {
            "equipment": fleet.equipment(),
            "flights": fleet.flights(),
            "bridge": fleet.flight_equipment(),
            "projects": fleet.projects(),
            "history": history,
        }


def test_each_metric_that_knows_days_has_a_zone_of_its_own_accord():
    zoned = {
        name
        for name in metrics.__all__
        if callable(getattr(metrics, name))
        and "tz" in inspect.signature(getattr(metrics, name)).parameters
    }
    assert zoned - {"collect"} == set(CALLS), "CALLS has a call of each"
    for name in zoned:
        assert inspect.signature(getattr(metrics, name)).parameters["tz"].default is None


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_metric_counts_in_the_zone_that_its_frames_carry(frames, name):
    plain = {table: frame.copy() for table, frame in frames.items()}
    for frame in plain.values():
        frame.attrs = {}
    result, in_utc, untold = CALLS[name](frames), CALLS[name](frames, tz="UTC"), CALLS[name](plain)
    pd.testing.assert_frame_equal(result, CALLS[name](plain, tz=AUCKLAND))
    assert not result.equals(in_utc)
    assert in_utc.attrs["tz"] == "UTC"
    assert untold.equals(in_utc)  # also where a frame says nothing
    assert result.attrs["tz"] == AUCKLAND  # a chart of it, or a further metric, finds it there


@pytest.fixture
def in_los_angeles(serve_records):
    """Return a function that opens a fleet of some flights."""

    def opened(flights):
        pairs = [(flight["id"], "eq_1") for flight in flights]
        served = serve_records(RECORDS | {"flights": flights, "flight_equipment": pairs})
        return fk.connect(served.base_url, served.api_key, tz="America/Los_Angeles")

    return opened


@pytest.mark.slow
def test_a_few_flights_of_many_are_dates_where_the_fleet_s_are(in_los_angeles):
    days = [f"2026-10-{number % 28 + 1:02d}T00:00:00.000Z" for number in range(99)]
    flights = [a_flight(f"fl_{number}", day) for number, day in enumerate(days)]
    flights.append(a_flight("fl_late", "2026-11-01T02:00:00.000Z"))
    everything = in_los_angeles(flights).flights()
    # 99 of 100 are midnights: dates. The one that isn't is of 1 November all the same.
    late = everything[everything["flight_id"] == "fl_late"]
    assert metrics.flight_hours(late)["month"].tolist() == ["2026-11"]
    assert metrics.flight_hours(late.pipe(pd.DataFrame), tz="America/Los_Angeles")[
        "month"
    ].tolist() == ["2026-10"]


@pytest.mark.slow
@pytest.mark.parametrize("others", [9, 99])
def test_a_midnight_among_instants_is_an_instant_where_the_fleet_s_are(in_los_angeles, others):
    flights = [a_flight(f"fl_{number}", "2026-10-05T09:00:00.000Z") for number in range(others)]
    flights.append(a_flight("fl_midnight", "2026-11-01T00:00:00.000Z"))
    fleet = in_los_angeles(flights)
    everything = fleet.flights()
    one = everything[everything["flight_id"] == "fl_midnight"]
    merged = one.merge(fleet.projects(), on="project_id", how="left")
    for frame in (one, merged):  # 17:00 of 31 October in Los Angeles
        assert metrics.flight_hours(frame)["month"].tolist() == ["2026-10"]


def test_the_chart_of_recency_draws_days_of_the_fleet_s_zone():
    flown = pd.DataFrame(
        {
            "pilot_id": ["p"],
            "pilot_name": ["Ada"],
            "flight_date": pd.to_datetime(["2026-10-19T18:00Z"]),
            "duration_seconds": [7200],
        }
    )
    flown.attrs["tz"] = AUCKLAND
    state = metrics.recency(flown, PDRA01, AS_OF)
    day = (datetime(2026, 10, 20, 7, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    drawn = [
        line.get_xdata()[0]
        for line in fk.charts.recency(state).lines
        if len(line.get_xdata()) and not line.get_label().startswith("_axv")
    ]
    assert any(day <= place < day + 1 for place in drawn)
    in_utc = [line.get_xdata()[0] for line in fk.charts.recency(state, tz="UTC").lines]
    assert not any(day <= place < day + 1 for place in in_utc)


def test_a_zone_is_a_text_to_everything_else():
    zone = Zone("Europe/Oslo", dates_only=True)
    assert json.dumps({"tz": zone}) == '{"tz": "Europe/Oslo"}'
    assert {zone: 1} == {"Europe/Oslo": 1}
    assert Clock.of(pd.DataFrame(), tz=zone).tz == "Europe/Oslo"
