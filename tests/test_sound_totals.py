"""Sound flights of several periods: those that no check of the data makes stand out."""

from datetime import UTC, datetime

import pandas as pd
import pytest
from five_flights import flights, rows

import fleetkit as fk
from fleetkit import metrics
from fleetkit.time import Period

# fl_2 stands out by two checks, fl_9 isn't among the flights.
FLAGGED = pd.DataFrame({"flight_id": ["fl_2", "fl_2", "fl_9"]})


def test_a_flight_of_two_checks_is_taken_off_once_in_every_period_that_holds_it():
    # One flight in September; of the three in October one is flagged.
    totals = metrics.sound_totals(flights(), FLAGGED, ["2026-Q4", "2026-10", "2026-09"])
    assert rows(totals) == [
        ("2026-Q4", 3, 2, pytest.approx(2 / 3)),
        ("2026-10", 3, 2, pytest.approx(2 / 3)),
        ("2026-09", 1, 1, 1.0),
    ]


def test_a_period_that_ends_within_a_day_leaves_out_the_flights_after_it():
    # fl_3 is of 15 October, 09:00.
    begin = datetime(2026, 10, 15, tzinfo=UTC)
    ends = [begin.replace(hour=hour) for hour in (9, 10)]
    totals = metrics.sound_totals(flights(), FLAGGED, [Period(begin, end) for end in ends])
    assert list(totals["flights"]) == [0, 1]
    assert totals["sound_share"].isna().tolist() == [True, False]


def test_flights_without_what_is_flagged_are_refused():
    with pytest.raises(fk.InvalidValue, match="flagged"):
        metrics.sound_totals(flights(), pd.DataFrame({"check": ["x"]}), ["2026-10"])
