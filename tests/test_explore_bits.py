"""Rows as bits: what is counted of them is what masks say."""

from datetime import UTC, datetime

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from fleetkit.explore.groups import Keys
from fleetkit.explore.large.bits import Runs, between, count, few, packed, unpacked
from fleetkit.explore.large.cube import Cube
from fleetkit.explore.large.encoding import Coded, Numbers
from fleetkit.explore.large.facets import CodedFacet
from fleetkit.explore.large.groups import Types, by_days
from fleetkit.explore.large.hours import Hours, HoursOf
from fleetkit.explore.large.postings import Postings
from fleetkit.explore.large.reading import MOMENT, Part
from fleetkit.explore.large.sets import sets_of
from fleetkit.explore.large.tallies import Following, planes, tally


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 200])
def test_bits_say_which_rows_are_chosen_however_many_there_are(rows):
    mask = np.arange(rows) % 3 == 0
    words = packed(mask)
    assert unpacked(words, 0, rows).tolist() == mask.tolist()
    assert count(words) == count(words & words) == mask.sum()
    starts = np.unique([0, rows // 2, max(rows - 1, 0)])
    in_runs = [part.sum() for part in np.split(mask, starts[1:])]
    assert Runs(starts, rows).count(words).tolist() == in_runs
    middle = between(rows // 3, rows // 2, rows)
    assert np.flatnonzero(unpacked(middle, 0, rows)).tolist() == [*range(rows // 3, rows // 2)]


def test_few_rows_are_numbered_and_many_are_not():
    mask = np.zeros(6400, dtype=bool)
    mask[[0, 64, 6399]] = True
    assert few(packed(mask)).tolist() == [0, 64, 6399]
    assert few(packed(~mask)) is None


@pytest.mark.parametrize("share", [0.001, 0.1, 1.0])
def test_codes_are_counted_among_the_rows_that_are_chosen(share):
    rng, rows = np.random.default_rng(3), 300_000  # more than are counted at a time
    codes, mask = rng.integers(-1, 9, rows).astype(np.int8), rng.random(rows) < share
    codes[codes == 4] = 5  # one that no row has
    mask &= codes != 7  # and one that no chosen row has
    words, known = packed(mask), codes >= 0
    expected = np.bincount(codes[mask] + 1, minlength=11)
    counted, weighed = tally(codes, words, 10, mask * 2.0)
    assert counted.tolist() == expected.tolist()
    assert weighed.tolist() == (2 * expected).tolist()
    postings = Postings(codes[known], known, 10, lambda rows: codes[rows[known[rows]]])
    assert postings.count(words).tolist() == expected[1:].tolist()
    assert postings.occurring(words).tolist() == (expected[1:] > 0).tolist()
    fours_and_fives = np.isin(np.arange(10), [4, 5])
    assert sorted(postings.rows(fours_and_fives)) == np.flatnonzero(codes == 5).tolist()


def test_numbers_are_summed_digit_by_digit():
    seconds = np.random.default_rng(4).integers(0, 5_000, 70_000)  # more than are read at a time
    chosen = packed(seconds % 7 < 3)
    digits = enumerate(planes(seconds))
    assert sum(count(chosen & words) << place for place, words in digits) == (
        seconds[seconds % 7 < 3].sum()
    )


def test_flights_have_one_set_where_they_have_the_same_equipment():
    rng = np.random.default_rng(5)
    flown = [rng.permutation(4)[: rng.integers(5)] for _ in range(200)]
    flown = [np.sort(pieces).tolist() for pieces in ([2], [0], *flown)]
    pieces, sizes = np.concatenate(flown).astype(np.int8), np.array([*map(len, flown)])
    sets, (of_links, pieces_of_links) = sets_of(pieces, sizes)
    assert [pieces_of_links[of_links == number].tolist() for number in sets] == flown
    assert len(np.unique(sets)) == len({*map(tuple, flown)})


def test_counts_that_follow_choices_are_those_of_the_newest_one():
    codes, seconds = np.array([0, 0, 1, -1] * 20), np.arange(80)
    followed = Following(codes, 2, seconds)
    for start, stop in ((0, 80), (4, 80), (0, 76), (0, 8), (4, 12), (12, 12)):
        flights, flown = followed.sums(between(start, stop, 80))
        quarters = (stop - start) // 4
        assert flights.tolist() == [quarters, 2 * quarters, quarters]  # none, the first, the second
        assert flown.sum() == sum(range(start, stop))
    for others in ([], [seconds]):
        followed = Following(codes, 2, *others, np.full(80, 0.1))
        for choice in (between(0, 12, 80), between(0, 8, 80)):  # only four rows differ
            *_, weighed = followed.sums(choice)
        assert weighed.tolist() == [0.2, 0.4, 0.2]  # to the last digit


def test_a_part_of_the_cube_is_what_its_flights_come_to():
    # Three days, of two, one and two flights; the last flight says nothing of night.
    codes = {"flight_type": [0, 1, 1, 0, -1], "night": [1, 0, 1, 1, -1], "bvlos": [0] * 5}
    durations = Numbers(np.array([60, 30, 0, 90, 0]), packed(np.array([1, 1, 1, 1, 0])))
    fields = {name: (np.array(values), 2) for name, values in codes.items()}
    cube = Cube(np.array([0, 2, 3]), fields, durations)
    by_night = cube.part(0, 3, {"night": [1]})
    assert by_night.counts("night") == [0, 1, 2]  # of both days, unknown first
    assert by_night.counts("flight_type") == [0, 1, 1]
    counted = by_night.counted([-1, 0, 1])
    assert counted.flights.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert counted.flown.tolist() == [[0, 0, 0], [60, 0, 0], [0, 0, 0]]
    assert (counted.timed, counted.answers["night_flight"]) == (1, (2, 0))
    assert cube.part(0, 5, {}).counted([0]).recorded.tolist() == [[1, 0, 1]]
    assert cube.part(1, 3, {}) is None  # a period that is not of whole days
    assert cube.part(0, 3, {"pilot": [7]}) is None


@pytest.mark.parametrize("chosen", [10_000, 5_000])
def test_a_code_occurs_also_where_its_only_chosen_row_is_none_of_those_looked_at_first(chosen):
    codes = np.repeat([0, 1], 10_000)
    rows = np.arange(20_000)
    postings = Postings(codes, np.ones(20_000, dtype=int), 3, lambda numbers: codes[numbers])
    words = packed((rows < chosen) | (rows == 10_001))  # and one of the second code
    assert postings.occurring(words).tolist() == [True, True, False]


@pytest.mark.parametrize("options", [3, 40])
def test_few_and_many_options_are_chosen_and_counted_alike(options):
    codes = np.array([-1, 0, 0, 2, 2])  # the last row is not chosen
    values = [*range(options), "other", "none"]
    facet = CodedFacet(codes, {value: value for value in range(options)}, values, rest="none")
    rows = packed(np.array([True, True, True, True, False]))
    assert facet.count(rows) == [2, 0, 1, *[0] * (options - 3), 0, 1]
    assert unpacked(facet.mask([0, "none"]), 0, 5).tolist() == [True, True, True, False, False]
    assert count(facet.mask(["other"])) == 0


def test_a_flight_in_the_first_moment_of_a_month_is_read_with_that_month_alone():
    first = datetime(2026, 10, 1, tzinfo=UTC)
    dates = [datetime(2026, 9, 30, 23, 59, tzinfo=UTC), first, None]
    flights = nw.from_native(pl.LazyFrame({MOMENT: dates}))
    parts = [Part(None, first), Part(first, None), Part(None, None)]
    read = [part.select(flights).collect()[MOMENT].to_list() for part in parts]
    assert read == [dates[:1], [first], [None]]


def test_of_a_week_flights_without_a_type_or_a_duration_are_counted_apart():
    types = Coded(["TRAINING"], np.array([0, -1, 0]))
    seconds = Numbers(np.array([3600, 1800, 0]), packed(np.array([1, 1, 0])))
    days = np.array(["2026-10-01", "NaT"], dtype="M8[D]")  # two flights on one day, one on none
    hours = Hours(days, Runs(np.array([0, 2]), 3), types, seconds, {})
    counted = HoursOf(hours, hours.count(packed(np.ones(3, dtype=bool))))
    weeks = Keys(np.array(["2026-W40"], dtype=object), np.array([0, -1]))
    names = Types(np.array(["TRAINING"], dtype=object), types.codes, np.array([0]))
    rows = by_days("week", weeks, names, counted).to_numpy(dtype=object, na_value=None).tolist()
    assert rows == [
        ["2026-W40", "TRAINING", 1, 1.0],
        ["2026-W40", None, 1, 0.5],
        [None, "TRAINING", 1, None],
    ]
