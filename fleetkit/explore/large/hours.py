"""Hours, night and BVLOS of chosen rows, as the metrics count them.

Seconds are summed binary digit by digit: the number of durations with a digit, times its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from fleetkit.explore.large.bits import Runs, count, packed
from fleetkit.explore.large.encoding import NONE, Coded, Numbers
from fleetkit.explore.large.tallies import planes
from fleetkit.explore.sums import Kinds, Sums

__all__ = ["Counted", "Hours", "HoursOf"]


@dataclass(frozen=True)
class Counted:
    """Counts of some flights.

    Attributes
    ----------
    flights, recorded, flown : array
        Of each type and run of flights on one day: how many flights, how many of them with a
        duration, and how long they flew. [s]
    timed : int
        How many flights have a duration above 0.
    answers : mapping
        Name of a flag → of how many flights it says yes, and of how many no.
    """

    flights: np.ndarray
    recorded: np.ndarray
    flown: np.ndarray
    timed: int
    answers: Mapping[str, tuple[int, int]]


class Hours:
    """The days, types, durations and answers of flights.

    Parameters
    ----------
    days : array of datetime64
        The day of each run of rows; NaT for none.
    runs : Runs
        Rows of one day that follow each other.
    types : Coded
        The flight type of each row.
    durations : Numbers
        Of each row. [s]
    answers : mapping
        Name of a flag → the rows of yes, and those of no, as bits.
    """

    def __init__(
        self,
        days: np.ndarray,
        runs: Runs,
        types: Coded,
        durations: Numbers,
        answers: Mapping[str, tuple[np.ndarray, np.ndarray]],
    ) -> None:
        self.days, self.runs, self.answers = days, runs, answers
        self.codes = [
            code for code in range(NONE, len(types.values)) if (types.codes == code).any()
        ]
        self.types = [packed(types.codes == code) for code in self.codes]
        # Runs of one month and type are of one kind.
        self.kinds = Kinds(types.values)
        of_type = np.repeat(np.array(self.codes, dtype=np.int64), len(days))
        of_days = np.tile(days, len(self.codes))
        same, unknown = np.zeros(len(of_days), dtype=np.int8), np.full(len(of_days), np.nan)
        self._kind = self.kinds.codes(of_days, of_type, [same, same], unknown)
        self.recorded = durations.known
        self.seconds = planes(durations.above_0)
        self.timed = reduce(np.bitwise_or, self.seconds, np.zeros_like(durations.known))

    def flights(self, words: np.ndarray) -> np.ndarray:
        """Count the chosen rows of each type and run."""
        return np.array([self.runs.count(words & rows) for rows in self.types])

    def flown(self, words: np.ndarray) -> np.ndarray:
        """Sum the durations of the chosen rows of each type and run. [s]."""
        summed = np.zeros((len(self.types), len(self.runs)), dtype=np.float64)
        for bit, has_bit in enumerate(self.seconds):
            chosen = words & has_bit
            for place, rows in enumerate(self.types):
                summed[place] += float(1 << bit) * self.runs.count(chosen & rows)
        return summed

    def count(self, words: np.ndarray) -> Counted:
        """Count the chosen rows."""
        flights, recorded = self.flights(words), words & self.recorded
        has_all = count(recorded) == count(words)
        return Counted(
            flights,
            flights if has_all else self.flights(recorded),
            self.flown(words),
            count(words & self.timed),
            {
                flag: (count(words & yes), count(words & no))
                for flag, (yes, no) in self.answers.items()
            },
        )

    def by_kind(self, amounts: np.ndarray) -> np.ndarray:
        """Sum amounts of each type and run by month and type."""
        return np.bincount(self._kind, amounts.ravel(), len(self.kinds))


class HoursOf(Sums):
    """Sums of some flights, as the metrics give them; see `Sums`.

    Parameters
    ----------
    hours : Hours
    counted : Counted
        Their counts.
    """

    def __init__(self, hours: Hours, counted: Counted) -> None:
        of_kinds = (hours.by_kind(amounts) for amounts in (counted.flights, counted.flown))
        super().__init__(hours.kinds, *of_kinds)
        self._recorded = hours.by_kind(counted.recorded)
        self.codes, self.counted = hours.codes, counted

    @property
    def timed(self) -> int:
        """How many flights have a duration above 0."""
        return self.counted.timed

    def answered(self, flag: str) -> tuple[int, int]:
        """Return how many flights have a flag set to yes, and how many have it at all."""
        yes, no = self.counted.answers[flag]
        return yes, yes + no
