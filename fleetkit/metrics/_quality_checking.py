"""Runs all checks over flights that come whole or in parts, and puts the answers together."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import narwhals as nw
import pandas as pd

from fleetkit.metrics import _quality_flights, _quality_overlaps, _quality_tables
from fleetkit.metrics._frames import Lazy
from fleetkit.metrics._quality import (
    Answer,
    Check,
    Checked,
    Records,
    Rule,
    answer_of,
    answers_of_rules,
    count_rows,
    in_memory,
    mark,
)

__all__ = ["Checking"]

_Result: TypeAlias = Rule | Checked | Answer
_SEVERITIES = ("error", "warning", "info")
_CHECKS = (*_quality_flights.CHECKS, *_quality_overlaps.CHECKS, *_quality_tables.CHECKS)


class Checking:
    """What checks count in records; those of flights are added up over parts."""

    def __init__(self, most: int) -> None:
        self._most, self._flights = most, 0
        self._answers: dict[str, Answer] = {}

    def add(self, records: Records) -> Lazy:
        """Check the flights of these records; return those of them that are not sound."""
        results = {check: check.run(records) for check in _CHECKS if check.records == "flights"}
        if records.is_loaded:
            results = {check: _loaded(result) for check, result in results.items()}
        rules = {check: rule for check, rule in results.items() if isinstance(rule, Rule)}
        marked = mark(records.flights, rules.values())
        marked = in_memory(marked) if records.is_loaded else marked
        named = {check.name: rule for check, rule in rules.items()}
        answers = answers_of_rules(marked, named, self._most)
        for check, result in results.items():
            if isinstance(result, Checked):
                answers[check.name] = answer_of(result, self._most)
            elif isinstance(result, Answer):
                answers[check.name] = result
        for name, answer in answers.items():
            known = self._answers.get(name)
            self._answers[name] = answer if known is None else known.with_part(answer, self._most)
        self._flights += count_rows(records.flights)
        grave = [n for n, check in enumerate(rules) if check.severity != "info"]
        flagged = marked.filter(nw.sum_horizontal(*(f"n{n}" for n in grave)) > 0)
        return nw.concat([flagged.select("flight_id"), *_suspects(results)])

    def table(self, records: Records) -> pd.DataFrame:
        """Return one row per check; those of equipment and projects look at these records."""
        totals = {
            "flights": self._flights,
            "equipment": len(records.equipment),
            "projects": len(records.projects),
        }
        rows = [self._row(check, records, totals[check.records]) for check in _CHECKS]
        table = pd.DataFrame(rows).astype({"share": "float64"})
        table["severity"] = pd.Categorical(table["severity"], _SEVERITIES, ordered=True)
        order = ["severity", "count", "check"]
        return table.sort_values(order, ascending=[True, False, True], ignore_index=True)

    def _row(self, check: Check, records: Records, total: int) -> dict[str, Any]:
        known = self._answers.get(check.name)
        answer = cast("Answer", check.run(records)) if known is None else known
        return {
            "check": check.name,
            "severity": check.severity,
            "records": check.records,
            "count": answer.count,
            "of": answer.of,
            "share": answer.count / answer.of if answer.of else None,
            "ids": ", ".join(answer.ids[: self._most]),
            "note": check.note(answer, total),
        }


def _loaded(result: _Result) -> _Result:
    """Return a result whose flights are looked for once."""
    if not isinstance(result, Checked):
        return result
    return result._replace(suspect=in_memory(result.suspect))


def _suspects(results: dict[Check, _Result]) -> list[Lazy]:
    """Return the flights of errors and warnings that take more than a rule to find."""
    return [
        result.suspect
        for check, result in results.items()
        if check.severity != "info" and isinstance(result, Checked)
    ]
