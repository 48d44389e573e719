"""The gravest lines of all chapters, in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fleetkit.language import listed, say, say_count, titled
from fleetkit.reports.attention.lines import GRADES
from fleetkit.rounding import number

__all__ = ["in_order", "verdict"]

# Lines of one grade that the verdict says in words.
MOST_SAID = 4


def in_order(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Order lines by grade, then by how many they count, then by how long.

    Examples
    --------
    >>> lines = [
    ...     {"severity": "low", "count": 9, "days": 0, "summary": "9 aircraft never flew"},
    ...     {"severity": "high", "count": 1, "days": 48, "summary": "1 project is late"},
    ... ]
    >>> [line["summary"] for line in in_order(lines)]
    ['1 project is late', '9 aircraft never flew']
    """
    return sorted(
        lines,
        key=lambda line: (GRADES.index(line["severity"]), -line["count"], -line["days"]),
    )


def verdict(lines: Iterable[Mapping[str, Any]], left_out: Sequence[str] = ()) -> str:
    """Say in a sentence what needs attention most; never milder than the lines are.

    Parameters
    ----------
    lines : iterable of dict
        As `Section.attention` keeps them.
    left_out : sequence of str
        Titles of chapters that could not be looked at.

    Examples
    --------
    >>> late = {"severity": "high", "summary": "3 projects are late", "count": 3, "days": 48}
    >>> verdict([late, {**late, "severity": "low", "summary": "2 projects are stalled"}])
    'High: 3 projects are late; 1 more matter is graded low.'
    >>> verdict([], left_out=["Equipment condition"])
    'Nothing needs attention; not looked at: Equipment condition.'
    """
    ordered = in_order(lines)
    missing = say("not looked at: {chapters}", chapters=listed([*left_out])) if left_out else ""
    if not ordered:
        nothing = say("Nothing needs attention")
        return "; ".join(part for part in (nothing, missing) if part) + "."
    gravest = ordered[0]["severity"]
    worst = [line["summary"] for line in ordered if line["severity"] == gravest][:MOST_SAID]
    others = Counter(line["severity"] for line in ordered[len(worst) :])
    parts = [f"{titled(say(gravest))}: {'; '.join(worst)}", _more(others), missing]
    return "; ".join(part for part in parts if part) + "."


def _more(counts: Mapping[str, int]) -> str:
    """Say how many more lines there are, and of which grades; empty without any."""
    if not counts:
        return ""
    graded = [f"{number(counts[grade])} {say(grade)}" for grade in GRADES if grade in counts]
    return say_count(
        sum(counts.values()),
        "{count} more matter is graded {grades}",
        "{count} more matters are graded {grades}",
        grades=listed(graded) if len(counts) > 1 else "".join(map(say, counts)),
    )
