"""Rows as bits: what is counted of them is what masks say."""

import numpy as np
import pytest

from fleetkit.explore.large.bits import Runs, count, few, packed, unpacked
from fleetkit.explore.large.postings import Postings
from fleetkit.explore.large.tallies import tally


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 200])
def test_bits_say_which_rows_are_chosen_however_many_there_are(rows):
    mask = np.arange(rows) % 3 == 0
    words = packed(mask)
    assert unpacked(words, 0, rows).tolist() == mask.tolist()
    assert count(words) == count(words & words) == mask.sum()
    starts = np.unique([0, rows // 2, max(rows - 1, 0)])
    in_runs = [part.sum() for part in np.split(mask, starts[1:])]
    assert Runs(starts, rows).count(words).tolist() == in_runs


def test_few_rows_are_numbered_and_many_are_not():
    mask = np.zeros(6400, dtype=bool)
    mask[[0, 64, 6399]] = True
    assert few(packed(mask)).tolist() == [0, 64, 6399]
    assert few(packed(~mask)) is None


@pytest.mark.parametrize("share", [0.001, 0.1, 1.0])
def test_codes_are_counted_among_the_rows_that_are_chosen(share):
    rng = np.random.default_rng(3)
    codes, mask = rng.integers(-1, 9, 20_000).astype(np.int8), rng.random(20_000) < share
    codes[codes == 4] = 5  # one that no row has
    mask &= codes != 7  # and one that no chosen row has
    words, known = packed(mask), codes >= 0
    expected = np.bincount(codes[mask] + 1, minlength=11)
    counted, weighed = tally(codes, words, 10, mask * 2.0)
    assert counted.tolist() == expected.tolist()
    assert weighed.tolist() == (2 * expected).tolist()
    halves = np.array_split(np.flatnonzero(known), 2)
    postings = Postings(
        [(codes[rows], rows) for rows in halves], 10, lambda rows: codes[rows[known[rows]]]
    )
    assert postings.count(words).tolist() == expected[1:].tolist()
    assert postings.occurring(words).tolist() == (expected[1:] > 0).tolist()
    fours_and_fives = np.isin(np.arange(10), [4, 5])
    assert sorted(postings.rows(fours_and_fives)) == np.flatnonzero(codes == 5).tolist()
