"""Checks of flights that come in parts count what they count of the whole."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_data_quality import AS_OF, answers, bridge, equipment, flights, projects

import fleetkit as fk
from fleetkit.errors import InvalidValue

pytestmark = pytest.mark.slow
OTHERS = {"as_of": AS_OF, "tz": "UTC", "aircraft": equipment().head(2)}
PERIODS = ["2026-09", "2026-10", "2026-Q4"]
EARLIEST, DAY = pd.Timestamp("2026-09-01T00:00Z"), pd.Timedelta(days=1)


def cut(frame, pairs, *midnights):
    """Return flights between midnights, the last also without date, each with the whole bridge."""
    place = np.searchsorted(pd.DatetimeIndex(midnights), frame["flight_date"], side="right")
    parts = [frame[place == number] for number in range(len(midnights) + 1)]
    return [(pl.from_pandas(part).lazy(), pl.from_pandas(pairs).lazy()) for part in parts]


def of_parts(parts, periods=PERIODS, **options):
    options |= {"equipment": equipment(), "projects": projects(), **OTHERS}
    return fk.metrics.data_quality_of_parts(parts, periods=periods, **options)


def test_a_flight_past_midnight_overlaps_one_of_the_next_part():
    midnight = pd.Timestamp("2026-10-03T00:00Z")  # fl_4 flies over it, fl_5 begins meanwhile
    parts = cut(flights(), bridge(), midnight, midnight)  # the one between has no flights
    checks, _, totals = of_parts(parts)
    assert of_parts(parts, most=0)[0]["ids"].eq("").all()
    counts = answers(checks.set_index("check"))
    assert counts["Overlaps another flight of its pilot"] == (2, 5, "fl_2, fl_5")
    assert counts["No pilot"] == (3, 8, "fl_6, fl_7, fl_8")
    assert counts["Another pilot than assigned"] == (1, 3, "fl_5")
    assert totals["flights"].tolist() == [1, 6, 7]
    assert totals["sound"].tolist() == [0, 1, 1]  # fl_1


def test_two_flights_that_went_past_midnight_together_are_both_in_the_air_for_the_next_part():
    of, marks = flights(), ["flight_date", "duration_seconds", "pilot_id"]
    of.loc[2, marks] = of.loc[3, marks]  # fl_3 as fl_4
    checks, *_ = of_parts(cut(of, bridge(), pd.Timestamp("2026-10-03T00:00Z")))
    overlaps = checks.set_index("check").loc["Overlaps another flight of its pilot"]
    assert overlaps["ids"] == "fl_2, fl_4, fl_5"


def some_flights(seed):
    """Return 60 flights of a fortnight, many of them around midnight, and their bridge."""
    rng, count = np.random.default_rng(seed), 60
    of = flights().sample(count, replace=True, random_state=seed, ignore_index=True)
    minutes = rng.integers(0, 14, count) * 1440 + rng.integers(-6, 6, count) * 15
    of["flight_date"] = EARLIEST + 5 * DAY + pd.to_timedelta(minutes, unit="min")
    of.loc[rng.random(count) < 0.05, "flight_date"] = pd.NaT
    of["flight_date"] = of["flight_date"].astype("datetime64[us, UTC]")
    of["duration_seconds"] = pd.array(rng.choice([0, 600, 7_000, 100_000, 2**62], count), "Int64")
    of["flight_id"] = pd.Series([f"fl_{name:02}" for name in rng.permutation(count)], dtype="str")
    of["pilot_name"] = pd.Series(rng.choice(["Ada", "Bo", " ", None], count), dtype="str")
    pieces = rng.choice(["kite", "heron", "cam"], count)
    pairs = pd.DataFrame({"flight_id": of["flight_id"], "equipment_id": pieces}).sample(
        frac=0.9, random_state=seed
    )
    return of, pairs


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), days=st.lists(st.integers(1, 25), max_size=3, unique=True))
def test_parts_give_what_the_whole_gives(seed, days):
    of, pairs = some_flights(seed)
    parts = cut(of, pairs, *(EARLIEST + day * DAY for day in sorted(days)))
    checks, of_period, totals = of_parts(parts)
    whole = (pl.from_pandas(of).lazy(), pl.from_pandas(pairs).lazy(), equipment(), projects())
    counted = fk.metrics.collect(fk.metrics.data_quality(*whole, **OTHERS))
    assert checks.astype({"severity": "str"}).equals(counted.astype({"severity": "str"}))
    flagged = fk.metrics.flagged_flights(*whole, **OTHERS)
    sound = fk.metrics.sound_totals(whole[0], flagged, PERIODS, tz="UTC")
    assert totals.equals(fk.metrics.collect(sound))
    at_once = of_parts([whole[:2]])
    assert of_period.astype({"severity": "str"}).equals(at_once[1].astype({"severity": "str"}))


def test_a_period_is_counted_apart_and_a_flight_of_it_may_overlap_an_earlier_one():
    midnight = pd.Timestamp("2026-10-03T00:00Z")  # fl_4 flies over it, fl_5 begins meanwhile
    parts = cut(flights(), bridge(), midnight)
    since = flights()["flight_date"][4]  # fl_5
    every, checks, totals = of_parts(parts, [fk.Period(since, since + DAY)])
    named = (
        table.set_index("check").loc["Unknown flight type", "note"] for table in (every, checks)
    )
    assert [*named] == ["AEROBATIC.", ""]  # of fl_8
    counts = answers(checks.set_index("check"))
    assert counts["Overlaps another flight of its pilot"] == (1, 1, "fl_5")
    assert counts["Very short flight"] == (0, 1, "")
    assert counts["Another pilot than assigned"] == (1, 1, "fl_5")
    assert totals[["flights", "sound"]].to_numpy().tolist() == [[1, 0]]
    counts = answers(of_parts(parts, ["2026-Q4", "2026-10"])[1].set_index("check"))
    assert counts["No pilot"] == (2, 7, "fl_6, fl_8")


def test_no_part_and_no_period_are_refused():
    with pytest.raises(InvalidValue, match="There is no part of the flights"):
        of_parts([])
    with pytest.raises(InvalidValue, match="There is no period"):
        of_parts(cut(flights(), bridge()), [])
