"""Counts checked and flagged flights by slices of time: all of them and a period in one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import nsmallest
from typing import TYPE_CHECKING, TypeAlias, cast

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.metrics._flown import ones
from fleetkit.metrics._frames import Lazy, collect
from fleetkit.metrics._quality import MARKS, Checked, Records, Rule, is_suspect
from fleetkit.metrics._quality_part import Part, Seen
from fleetkit.metrics._quality_spans import Numbers
from fleetkit.metrics._slices import Slices, sound_totals

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Counted", "Result"]

# An id counts as early if it is among the first of this many; a sample of one in as many says so.
_OF = 100
# Result of a check of flights.
Result: TypeAlias = Rule | Checked


class Counted:
    """How many flights each check could judge and flagged, and the first ids that it flagged.

    A check goes by its place in a list: ``of0`` counts the flights that the first one could judge,
    ``n0`` those that it flagged.

    Parameters
    ----------
    slices : Slices
        The slices that are counted apart.
    most : int
        Ids that are kept of each check.
    """

    def __init__(self, slices: Slices, most: int) -> None:
        self._slices, self._most = slices, most
        self._counts = pd.DataFrame(dtype="float64")  # a row per slice
        # By the place of a check, and whether of the first period only.
        self._ids: dict[tuple[int, bool], list[str]] = defaultdict(list)

    def add(self, records: Records, results: Sequence[Result], grave: Iterable[int]) -> None:
        """Count flights by the results of checks; what a `grave` check flags is not sound."""
        rules = {place: rule for place, rule in enumerate(results) if isinstance(rule, Rule)}
        beside = {place: rows for place, rows in enumerate(results) if isinstance(rows, Checked)}
        marked = _mark(records, rules)
        suspects = {place: rows.suspect for place, rows in beside.items()}
        flagged = [marked.filter(_is_any(place for place in grave if place in rules))]
        flagged += [suspects[place] for place in grave if place in beside]
        unsound = nw.concat([rows.select(*MARKS) for rows in flagged]).unique()
        groups = {f"of{place}": rows.looked_at for place, rows in beside.items()}
        groups |= {f"n{place}": rows for place, rows in suspects.items()} | {"unsound": unsound}
        counts = pd.concat([_sums(marked), _lengths(groups)], axis=1).fillna(0)
        self._counts = self._counts.add(counts, fill_value=0)
        for place in rules:
            suspects[place] = marked.filter(nw.col(f"n{place}") == 1)
        self._add_ids(suspects, counts)

    def add_part(self, part: Part, seen: Sequence[Seen], grave: Iterable[int]) -> None:
        """Count the flights of a part, as `add` does."""
        marks = {"flights": np.ones(len(part.slices), dtype=bool)}
        suspects = (seen[place].suspect for place in grave)
        marks["unsound"] = reduce(np.logical_or, suspects, np.zeros(len(part.slices), dtype=bool))
        for place, checked in enumerate(seen):
            marks |= {f"n{place}": checked.suspect, f"of{place}": checked.looked_at}
        slices = np.flatnonzero(np.bincount(part.slices))  # few: a part is some months
        is_in = [part.slices == number for number in slices]
        counts = {
            name: [np.count_nonzero(flights & within) for within in is_in]
            for name, flights in marks.items()
        }
        self._counts = self._counts.add(pd.DataFrame(counts, slices, dtype="int64"), fill_value=0)
        self._add_ids_of_part(part, [checked.suspect for checked in seen])

    def _add_ids_of_part(self, part: Part, suspects: Iterable[Numbers]) -> None:
        """Keep the first ids that are flagged; to a full list only earlier ones are added."""
        ids = part.flights["flight_id"].rechunk()  # in one piece, some are taken in less time
        is_early = _are_early(ids)
        is_of_first = np.isin(part.slices, self._slices.of_first)
        for place, suspect in enumerate(suspects):
            for is_in_period, some in ((False, suspect), (True, suspect & is_of_first)):
                # Where a check finds enough early ids, the later ones can't be among the first.
                rows = np.flatnonzero(some & is_early)
                if len(rows) < self._most:
                    rows = np.flatnonzero(some)
                names, known = ids.gather(rows), self._ids[place, is_in_period]
                if len(known) == self._most > 0:
                    names = names.filter(names < known[-1])
                self._retain(place, names.to_list(), in_period=is_in_period)

    def _add_ids(self, suspects: Mapping[int, Lazy], counts: pd.DataFrame) -> None:
        """Keep the first ids of all checks that flag something here, in one query."""
        heads = list(self._heads(suspects, counts))
        if not heads:
            return
        rows = collect(nw.concat(heads)).astype({"flight_id": "str"}).fillna("")
        for scope, ids in rows.groupby(["_check", "_in_period"])["flight_id"]:
            place, is_in_period = cast("tuple[int, int]", scope)
            self._retain(place, ids, in_period=bool(is_in_period))

    def _retain(self, place: int, ids: Iterable[str], *, in_period: bool) -> None:
        self._ids[place, in_period] = nsmallest(self._most, [*self._ids[place, in_period], *ids])

    def _heads(self, suspects: Mapping[int, Lazy], counts: pd.DataFrame) -> Iterator[Lazy]:
        slices = self._slices.of_first
        for place, rows in suspects.items():
            by_slice = counts[f"n{place}"]
            of_first = rows.filter(nw.col("_slice").is_in(slices))
            for is_in_period, some, count in (
                (0, rows, by_slice.sum()),
                (1, of_first, by_slice.reindex(slices).sum()),
            ):
                if count:
                    first = some.select("flight_id").sort("flight_id").head(self._most)
                    yield first.with_columns(
                        nw.lit(place).alias("_check"), nw.lit(is_in_period).alias("_in_period")
                    )

    def count(self, name: str, *, in_period: bool = False) -> int:
        """Return a count of all flights, or of those of the first period."""
        counts = self._counts[name]
        return int((counts.reindex(self._slices.of_first) if in_period else counts).sum())

    def ids(self, place: int, *, in_period: bool = False) -> list[str]:
        """Return the first ids that are flagged, of all flights or of those of the first period."""
        return self._ids[place, in_period]

    def totals(self) -> pd.DataFrame:
        """Return the frame of `sound_totals`."""
        return sound_totals(self._slices, self._counts[["flights", "unsound"]])


def _are_early(ids: pl.Series) -> Numbers:
    """Return which ids are among the first of the order, about a hundredth of them."""
    if ids.is_empty():
        return np.zeros(0, dtype=bool)
    sample = ids.gather_every(_OF).sort()
    is_early: Numbers = (ids <= sample[len(sample) // _OF]).to_numpy()
    return is_early


def _mark(records: Records, rules: Mapping[int, Rule]) -> Lazy:
    """Return flights with 1 where a rule can judge one, and where it flags one; else 0."""
    marks = [
        condition.alias(f"{name}{place}")
        for place, rule in rules.items()
        for name, condition in (("of", ones(rule.looked_at)), ("n", is_suspect(rule)))
    ]
    return records.flights.select(*MARKS, *marks)


def _names(name: str, places: Iterable[int]) -> list[str]:
    return [f"{name}{place}" for place in places]


def _is_any(places: Iterable[int]) -> nw.Expr:
    return nw.sum_horizontal(*_names("n", places)) > 0


def _sums(marked: Lazy) -> pd.DataFrame:
    """Sum marks, and count ``flights``, by slice."""
    marks = [name for name in marked.collect_schema().names() if name[-1].isdigit()]
    sums = marked.group_by("_slice").agg(nw.col(*marks).sum(), nw.len().alias("flights"))
    return collect(sums).set_index("_slice").astype("float64")


def _lengths(groups: Mapping[str, Lazy]) -> pd.DataFrame:
    """Count the rows of groups by slice, in one query."""
    named = [rows.select("_slice", nw.lit(name).alias("_group")) for name, rows in groups.items()]
    counted = collect(nw.concat(named).group_by("_group", "_slice").agg(nw.len().alias("_n")))
    counts = counted.pivot(index="_slice", columns="_group", values="_n")
    return counts.reindex(columns=[*groups]).astype("float64")
