"""Real flights, with dates instead of times, put through the API and counted again.

The flights are San Francisco's (see ``data/README.md``); the one drone that flies them is invented.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import a_flight, an_equipment

import fleetkit as fk

ROWS = json.loads((Path(__file__).parent / "data" / "sfpd-drone-flights.json").read_text())


@pytest.fixture(scope="module")
def records():
    flights = [
        a_flight(
            f"fl_{number}",
            f"{day}T00:00:00.000Z",
            durationSeconds=60 * int(minutes),
            operationType=reason,
            takeoffLat=latitude,
            takeoffLng=longitude,
            landingLat=None,
            landingLng=None,
            bvlos=None,
        )
        for number, (day, minutes, reason, longitude, latitude) in enumerate(ROWS)
    ]
    return {
        "equipment": [an_equipment("eq_drone")],
        "flights": flights,
        "flight_equipment": [(flight["id"], "eq_drone") for flight in flights],
    }


@pytest.mark.slow
@pytest.mark.parametrize("tz", ["UTC", "America/Los_Angeles"])
def test_flight_hours_by_month_are_those_of_the_published_dates(serve_records, records, tz):
    served = serve_records(records)
    with fk.connect(served.base_url, served.api_key, tz=tz) as fleet:
        hours = fk.metrics.flight_hours(fleet.flights(), by="month", tz=fleet.tz)
    minutes = Counter()
    for day, duration, *_ in ROWS:
        minutes[day[:7]] += int(duration)
    assert hours["month"].tolist() == sorted(minutes)
    assert hours["flights"].sum() == len(ROWS)
    assert hours["hours"].tolist() == pytest.approx(
        [minutes[minute] / 60 for minute in sorted(minutes)]
    )


@pytest.mark.slow
def test_a_month_of_dates_is_whole_in_any_zone(serve_records, records):
    served = serve_records(records)
    with fk.connect(served.base_url, served.api_key, tz="Asia/Tokyo") as fleet:
        assert len(fleet.flights("2025-03")) == sum(row[0].startswith("2025-03") for row in ROWS)


@pytest.mark.slow
def test_what_the_logs_do_not_say_stays_null(serve_records, records):
    served = serve_records(records)
    with fk.connect(served.base_url, served.api_key) as fleet:
        flights = fleet.flights()
    assert flights["takeoff_lat"].isna().sum() == sum(row[4] is None for row in ROWS)
    assert fk.metrics.pilots(flights)["pilot_name"].tolist() == ["Unassigned"]
    shares = fk.metrics.night_and_bvlos(flights).set_index("flag")
    assert shares["known_flights"].to_dict() == {"night_flight": len(ROWS), "bvlos": 0}
    assert shares["flights_share"].isna().to_dict() == {"night_flight": False, "bvlos": True}
