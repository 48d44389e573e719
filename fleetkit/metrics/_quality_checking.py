"""Runs all checks over flights, whole or in parts, and makes the table of their answers."""

from __future__ import annotations

from functools import cached_property
from numbers import Integral
from typing import Any, cast

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_number
from fleetkit.metrics import _quality_flights, _quality_overlaps, _quality_tables
from fleetkit.metrics._flown import read_bridge
from fleetkit.metrics._frames import Frame, Lazy, collect
from fleetkit.metrics._quality import (
    Answer,
    Check,
    Checked,
    Records,
    Rule,
    named_tokens,
    read_checked,
)
from fleetkit.metrics._quality_counting import Counted, Result
from fleetkit.metrics._quality_flights import UNKNOWN_TYPE
from fleetkit.metrics._quality_part import Part, PastMidnight
from fleetkit.metrics._quality_part_checks import PART_CHECKS

__all__ = ["Checking"]

_SEVERITIES = ("error", "warning", "info")
_OF_FLIGHTS = (*_quality_flights.CHECKS, *_quality_overlaps.CHECKS)
_OF_TYPES = next(place for place, check in enumerate(_OF_FLIGHTS) if check.name == UNKNOWN_TYPE)
_GRAVE = [place for place, check in enumerate(_OF_FLIGHTS) if check.severity != "info"]


class Checking:
    """Runs the checks; what they count of flights is added up over the parts.

    Parameters
    ----------
    records : Records
        Their flights are counted by `add` only.
    most : int
        Ids that a row names.
    """

    def __init__(self, records: Records, most: int) -> None:
        self._records, self._most = records, checked_number(most, "most", kind=Integral)
        self._counted = Counted(records.slices, self._most)
        # For each check of flights: its note, and why it could look at none of them.
        self._notes: list[tuple[str, str]] = []
        self._past_midnight: dict[str, PastMidnight] = {}
        # Flight types that the reference doesn't have, and the slices that they were flown in.
        self._types: set[tuple[str, int]] = set()

    def add(self, records: Records) -> None:
        """Check the flights of these records; none of them stays in memory."""
        results = [cast("Result", check.run(records)) for check in _OF_FLIGHTS]
        self._counted.add(records, results, _GRAVE)
        self._notes = [_notes(result) for result in results]
        if self._counted.count(f"n{_OF_TYPES}"):
            rule = cast("Rule", results[_OF_TYPES])
            self._add_types(records.flights.filter(rule.looked_at & rule.suspect))

    def add_part(self, flights: Frame, bridge: Frame) -> None:
        """Load the next part of the flights, in the order of their dates, and check it."""
        frame = read_checked(flights)
        pairs = read_bridge(bridge, frame)
        part = Part(frame, pairs, self._records, self._past_midnight)
        seen = part.seen(self._rules) | {name: run(part) for name, run in PART_CHECKS.items()}
        results = [seen[check.name] for check in _OF_FLIGHTS]
        self._counted.add_part(part, results, _GRAVE)
        self._notes = [(marks.note, marks.unseen) for marks in results]
        if (unknown := results[_OF_TYPES].suspect).any():
            flown = part.flights[["flight_type"]].with_columns(_slice=part.slices).filter(unknown)
            self._add_types(nw.from_native(flown).lazy())

    def _add_types(self, flights: Lazy) -> None:
        """Take note of the flight types of flights, all of them unknown."""
        token = nw.col("flight_type").cast(nw.String)
        pairs = collect(flights.select(token, "_slice").unique())
        self._types |= {*zip(pairs["flight_type"].astype("str"), pairs["_slice"], strict=True)}

    @cached_property
    def _rules(self) -> dict[str, Rule]:
        """The checks that look at one flight by itself."""
        checks = [check for check in _OF_FLIGHTS if check.name not in PART_CHECKS]
        return {check.name: cast("Rule", check.run(self._records)) for check in checks}

    @cached_property
    def _of_tables(self) -> list[tuple[Check, Answer]]:
        """The answers of the checks of equipment and projects."""
        checks = _quality_tables.CHECKS
        return [(check, cast("Answer", check.run(self._records))) for check in checks]

    def table(self, *, in_period: bool = False) -> pd.DataFrame:
        """Return one row per check: of all flights, or of those of the first period."""
        answers = [
            (check, self._answer(place, in_period=in_period))
            for place, check in enumerate(_OF_FLIGHTS)
        ]
        answers += self._of_tables
        totals = {
            "flights": self._counted.count("flights", in_period=in_period),
            "equipment": len(self._records.equipment),
            "projects": len(self._records.projects),
        }
        rows = [self._row(check, answer, totals[check.records]) for check, answer in answers]
        table = pd.DataFrame(rows).astype({"share": "float64"})
        table["severity"] = pd.Categorical(table["severity"], _SEVERITIES, ordered=True)
        order = ["severity", "count", "check"]
        return table.sort_values(order, ascending=[True, False, True], ignore_index=True)

    def totals(self) -> pd.DataFrame:
        """Return the frame of `sound_totals`."""
        return self._counted.totals()

    def _answer(self, place: int, *, in_period: bool) -> Answer:
        note, unseen = self._notes[place]
        if place == _OF_TYPES:
            first = self._records.slices.of_first
            note = named_tokens(
                {of for of, slice_ in self._types if not in_period or slice_ in first}
            )
        count, of = (
            self._counted.count(f"{name}{place}", in_period=in_period) for name in ("n", "of")
        )
        return Answer(count, of, self._counted.ids(place, in_period=in_period), note, unseen)

    def _row(self, check: Check, answer: Answer, total: int) -> dict[str, Any]:
        return {
            "check": check.name,
            "severity": check.severity,
            "records": check.records,
            "count": answer.count,
            "of": answer.of,
            "share": answer.count / answer.of if answer.of else None,
            "ids": ", ".join(filter(None, answer.ids[: self._most])),
            "note": check.note(answer, total),
        }


def _notes(result: Result) -> tuple[str, str]:
    return ("", result.unseen) if isinstance(result, Checked) else (result.note, "")
