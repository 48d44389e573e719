"""What a report says of the data's quality: checks that count something, the rest in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from fleetkit.filters import Filter
from fleetkit.language import counted, either, listed, say, say_count
from fleetkit.reports.scope import may_be_shown, scope
from fleetkit.reports.sentences import during, of_records
from fleetkit.rounding import number
from fleetkit.time import Period

__all__ = ["examples", "notes", "sentence", "shown", "unit"]

# Characters of the ids that a row of the table names: they fit in a line.
MOST_EXAMPLES = 30
# A note that begins "0 of 0", in any language.
_NO_RECORDS = re.compile(r"\D*0\D+0\D")
_NONE = {
    "equipment": "There is no piece of equipment to look at: {checks}.",
    "flights": "There is no flight to look at: {checks}.",
    "projects": "There is no project to look at: {checks}.",
}


def shown(checks: pd.DataFrame, chosen: Filter) -> pd.DataFrame:
    """Return the checks that a report may show: one for a client is of that client only.

    Parameters
    ----------
    checks : DataFrame
        As `metrics.data_quality` returns it.
    chosen : Filter
        The report's.

    Examples
    --------
    >>> checks = pd.DataFrame({"check": ["No pilot", "Unknown status"],
    ...     "records": ["flights", "equipment"]})
    >>> shown(checks, Filter(client="Fjord"))["check"].tolist()
    ['No pilot']
    """
    allowed = [may_be_shown(chosen, table) for table in checks["records"]]
    return checks[allowed].reset_index(drop=True)


def examples(checks: pd.DataFrame, of_period: pd.DataFrame) -> pd.DataFrame:
    """Return the checks that count something, with the period's count and a few ids.

    Parameters
    ----------
    checks, of_period : DataFrame
        As `metrics.data_quality` returns it, of all flights and of those of the period; what is no
        flight has no period.

    Examples
    --------
    >>> checks = pd.DataFrame({"check": ["No pilot", "No project"], "records": ["flights"] * 2,
    ...     "severity": ["info"] * 2, "count": [3, 0], "of": [9, 9], "ids": ["1, 2, 3", ""]})
    >>> rows = examples(checks, checks.assign(count=1, ids="3"))
    >>> rows[["check", "in_period", "count", "examples"]]
          check  in_period  count examples
    0  No pilot          1      3        3
    """
    lately = of_period.set_index("check").reindex(checks["check"]).reset_index()
    dated = checks["records"] == "flights"
    in_count = lately["count"].astype("Int64").where(dated)
    ids = lately["ids"].where(dated & (lately["count"] > 0), checks["ids"])
    rows = checks.assign(in_period=in_count, examples=[_first(text) for text in ids])
    return rows[rows["count"] > 0].reset_index(drop=True)


def _first(ids: str) -> str:
    """Return the first id, and the second where both fit in a line."""
    first, *others = ids.split(", ")
    both = ", ".join([first, *others[:1]])
    return both if len(both) <= MOST_EXAMPLES else first


def sentence(checks: pd.DataFrame, sound: int, flights: int, period: Period) -> str:
    """Say how many flights are sound, and how many checks count something.

    Parameters
    ----------
    checks : DataFrame
        As `metrics.data_quality` returns it, of all records.
    sound, flights : int
        Flights of the period that no check counts as an error or a warning, and all of them.
    period : Period
        The report's.

    Examples
    --------
    >>> checks = pd.DataFrame({"count": [3, 0, 0], "of": [9, 9, 0]})
    >>> sentence(checks, 7, 9, Period.read("2026-10"))
    '7 of 9 flights in October 2026 are sound; of 3 checks of all records 1 counts something, 1 counts nothing and 1 had nothing to look at.'
    """  # noqa: E501 - the sentence is written as it is printed
    some, blind = int((checks["count"] > 0).sum()), int((checks["of"] == 0).sum())
    nothing = len(checks) - some - blind
    parts = [
        counted(some, "counts something", "count something") if some else "",
        counted(nothing, "counts nothing", "count nothing") if nothing else "",
        counted(blind, "had nothing to look at", "had nothing to look at") if blind else "",
    ]
    what = say_count(
        len(checks),
        "of {count} check of all records {results}",
        "of {count} checks of all records {results}",
        results=listed([*filter(None, parts)]),
    )
    if not flights:
        return say("No flight {when} to look at; {checks}.", when=during(period), checks=what)
    # Of what is none the verb follows the others: "0 of 1 flight is sound".
    return say_count(
        sound or flights,
        "{sound} {of} {when} is sound; {checks}.",
        "{sound} {of} {when} are sound; {checks}.",
        sound=number(sound),
        of=of_records("flights", flights),
        when=during(period),
        checks=what,
    )


def notes(checks: pd.DataFrame, chosen: Filter) -> Iterator[str]:
    """Name the checks that count nothing, say by which limits they count, and what saw nothing.

    What a filter doesn't narrow is named last.

    Parameters
    ----------
    checks : DataFrame
        As `shown` returns them.
    chosen : Filter
        The report's.

    Examples
    --------
    >>> checks = pd.DataFrame({"check": ["Very long flight", "Half a position"],
    ...     "records": ["flights"] * 2, "count": [0, 0], "of": [9, 0],
    ...     "note": ["Over 3 h.", "0 of 9 flights have a coordinate."]})
    >>> for note in notes(checks, Filter()):
    ...     print(note)
    Counts nothing: Very long flight.
    Very long flight: Over 3 h. Half a position: 0 of 9 flights have a coordinate.
    """
    nothing = checks[(checks["count"] == 0) & (checks["of"] > 0)]
    if len(nothing):
        names = [say(name) for name in nothing["check"]]
        yield say_count(
            len(names),
            "Counts nothing: {checks}.",
            "Count nothing: {checks}.",
            checks=listed(names),
        )
    limited = checks[(checks["of"] > 0) & (checks["note"] != "")]
    blind = checks[checks["of"] == 0]
    is_without = blind["note"].map(lambda note: bool(_NO_RECORDS.match(note))).astype("bool")
    for table, unseen in blind[is_without].groupby("records")["check"]:
        yield say(_NONE[str(table)], checks=listed([say(name) for name in unseen]))
    explained = pd.concat([limited, blind[~is_without]])
    if len(explained):
        yield " ".join(f"{say(str(row.check))}: {row.note}" for row in explained.itertuples())
    for table in ("equipment", "projects"):
        breadth = scope(chosen, table)
        if breadth and (checks["records"] == table).any():
            yield say("Checks of {table}: {scope}.", table=say(table), scope=breadth)


def unit(check: pd.DataFrame, declared: str = "") -> str:
    """Say which units the travelled distances can be in; nothing is converted.

    Parameters
    ----------
    check : DataFrame
        As `metrics.unit_check` returns it.
    declared : str
        The unit that settings declare, if any.

    Examples
    --------
    >>> check = pd.DataFrame({"unit": ["m", "km"], "timed": [9, 9], "located": [9, 9],
    ...     "mean_speed": [9.0, 9000.0], "fits": [True, False]})
    >>> print(unit(check))
    Travelled distances can be in m (9.0 m/s on average), not in km; no unit is declared.
    >>> print(unit(check, "km"))
    Travelled distances can be in m (9.0 m/s on average), not in km: km is declared.
    """
    timed = int(check["timed"].iloc[0])
    said = say("{unit} is declared", unit=declared) if declared else say("no unit is declared")
    if not timed:
        return say(
            "The unit of travelled distances can't be told: 0 flights have a distance and a "
            "duration; {declared}.",
            declared=said,
        )
    fits = check["fits"].astype(bool)
    fitting = [f"{row.unit} ({_speed(row.mean_speed)})" for row in check[fits].itertuples()]
    others = check.loc[~fits, "unit"].tolist()
    if not fitting:
        units = {"units": listed(others), "declared": said}
        return say("Travelled distances fit none of {units}; {declared}.", **units)
    apart = say(", not in {units}", units=either(others)) if others else ""
    contradicts = ":" if declared in others else ";"
    can_be = say("Travelled distances can be in {units}{apart}", units=either(fitting), apart=apart)
    return f"{can_be}{contradicts} {said}."


def _speed(speed: Any) -> str:
    return say("{speed} m/s on average", speed=number(speed, 1))
