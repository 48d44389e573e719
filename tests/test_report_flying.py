"""What the chapter on flight hours says in words."""

from __future__ import annotations

import pandas as pd
import pytest

from fleetkit.reports.flying import lag_note


def lag(median, p90, known=3):
    return pd.DataFrame(
        {"flights": [3], "known": [known], "median_hours": [median], "p90_hours": [p90]}
    )


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (lag(1.0, 4.0), "Half of the logs were written within 1.0 h of the end"),
        (lag(-6891.0, 4.0), "Half of the logs or more are dated before the end of the flight (3"),
        (lag(None, None, known=0), "How long after flights their logs were written is unknown (0"),
    ],
)
def test_a_lag_is_a_time_after_the_flight_or_said_not_to_be_one(frame, text):
    assert lag_note(frame).startswith(text)
