"""What explorers count of chosen flights is what the metrics say of them."""

import numpy as np
import pandas as pd

from fleetkit import metrics
from fleetkit.explore.groups import Amounts, Flown, Keys, keys_of, time_keys
from fleetkit.explore.sums import FLAGS, Kinds, Sums, flown_seconds

TYPES = ["TRAINING", "COMMERCIAL", "AD_HOC"]
DAYS = ["2026-09-30", "2026-10-01", "2026-10-31", None, "0001-01-01"]


def flown(count):
    """Return flights of every kind, and rows in which each thing isn't known."""
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "flight_date": pd.to_datetime(rng.choice(DAYS, count), format="%Y-%m-%d", utc=True),
            "flight_type": pd.array(rng.choice([*TYPES, None], count), dtype="str"),
            "duration_seconds": pd.array(rng.choice([None, -60, 0, 900, 5400], count), "Int64"),
            **{flag: pd.array(rng.choice([True, False, None], count), "boolean") for flag in FLAGS},
        }
    )


def counted(flights, chosen):
    """Return the sums of those flights that a mask says."""
    codes = pd.Categorical(flights["flight_type"], categories=TYPES).codes
    days = flights["flight_date"].dt.tz_localize(None).to_numpy().astype("M8[D]")
    flags = [flights[flag].to_numpy(np.int8, na_value=-1) for flag in FLAGS]
    durations = flights["duration_seconds"].to_numpy(float, na_value=np.nan)
    kinds = Kinds(TYPES)
    of_kinds = kinds.codes(days, codes.astype(int), flags, durations)[chosen]
    seconds = np.bincount(of_kinds, flown_seconds(durations)[chosen], len(kinds))
    return kinds, Sums(kinds, np.bincount(of_kinds, minlength=len(kinds)), seconds)


def assert_as_the_metrics_say(flights, chosen):
    _, sums = counted(flights, chosen)
    rows = flights[chosen]
    expected = metrics.flight_hours(rows, by=["month", "flight_type"])
    pd.testing.assert_frame_equal(sums.hours, expected, check_dtype=False)
    assert_same(metrics.flight_totals(rows), [sums.totals])
    assert_same(metrics.night_and_bvlos(rows), [sums.shares[flag] for flag in FLAGS])


def assert_same(expected, shown):
    """Compare what is shown with the same columns of a metric."""
    shown = pd.DataFrame(shown)
    pd.testing.assert_frame_equal(shown.astype(float), expected[shown.columns].astype(float))


def test_sums_of_kinds_are_those_of_the_metrics_whatever_is_unknown():
    flights = flown(400)
    unknown = flights["duration_seconds"].isna()
    for chosen in (unknown | True, unknown, flights["bvlos"].isna(), unknown & ~unknown):
        assert_as_the_metrics_say(flights, chosen.to_numpy(bool))


def test_months_that_no_period_can_lie_in_are_no_choice():
    flights = flown(60)
    kinds, _ = counted(flights, np.ones(60, dtype=bool))
    assert kinds.months == ["2026-09", "2026-10"]
    one_of_each = np.ones(len(kinds), dtype=int)
    in_months = kinds.groups[1].loc[kinds.groups[0], "month"].isin(kinds.months)
    assert sum(kinds.by_month(one_of_each)) == in_months.sum() < len(kinds)


def test_sums_by_a_time_are_those_of_the_metric_whatever_is_unknown():
    flights = flown(400)
    flights = flights[flights["flight_date"].dt.year != 1].reset_index(drop=True)
    ranked = np.array(["COMMERCIAL", "TRAINING", "AD_HOC"], dtype=object)
    types = Keys(ranked, pd.Index(ranked).get_indexer(flights["flight_type"]))
    durations = flights["duration_seconds"].to_numpy(float, na_value=np.nan)
    hours = {"hours": Amounts(flown_seconds(durations), ~np.isnan(durations), 3600)}
    times = flights["flight_date"].dt.tz_localize(None).to_numpy()
    for word in ("month", "week", "weekday", "hour"):
        by_time = Flown(word, time_keys(word, times, dates_only=True), types)
        for chosen in (np.isnan(durations), durations > 0, durations == 7):
            expected = metrics.flight_hours(
                flights[chosen].assign(flight_date=times[chosen]), by=[word, "flight_type"]
            )
            counted = by_time.sums(chosen, hours)
            pd.testing.assert_frame_equal(counted, expected, check_dtype=False)


def test_a_flight_counts_once_under_each_type_and_one_without_equipment_comes_last():
    # Flight 0 has two drones and a camera, flight 1 a drone, flight 2 nothing.
    keys = Keys(np.array(["CAMERA", "DRONE"], dtype=object), np.array([1, 1, 0, 1]))
    types = Keys(np.array(["TRAINING"], dtype=object), np.zeros(3, dtype=int))
    by_type = Flown("type", keys, types, links=np.array([0, 0, 0, 1]))
    every = np.ones(3, dtype=bool)
    shown = by_type.sums(every, {})
    assert shown["flights"].tolist() == [1, 2, 1]
    assert shown["type"].fillna("none").tolist() == ["CAMERA", "DRONE", "none"]
    cameras = by_type.sums(every, {}, on_links=np.array([False, False, True, False]))
    assert cameras["flights"].tolist() == [1, 2]


def test_a_key_that_is_called_as_those_without_one_is_counted_apart():
    keys = keys_of(pd.Series(["b", None, "Unassigned", "c"]), "Unassigned")
    assert keys.values.tolist() == ['"Unassigned"', "b", "c", "Unassigned"]
    assert keys.codes.tolist() == [1, 3, 0, 2]
