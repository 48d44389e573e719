"""A line of attention: what it counts, whom it names, how grave it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import pandas as pd

from fleetkit.blanks import distinct_names, is_blank
from fleetkit.language import listed, say, say_count, titled
from fleetkit.lettering import cut
from fleetkit.reports.sentences import first_listed
from fleetkit.reports.texts import shown
from fleetkit.rounding import number

__all__ = [
    "GRADES",
    "Grade",
    "Line",
    "Thresholds",
    "line",
    "named_of",
    "named_rows",
    "of_them",
    "short_name",
    "with_distinct_names",
    "within_days",
]

Grade = Literal["high", "medium", "low"]
GRADES: tuple[Grade, ...] = get_args(Grade)
# A line names all items up to the first number; of more items, the second number, the worst ones.
MOST_NAMED, NAMED_OF_MANY = 3, 2
# Columns that a name takes in a line.
MOST_NAME = 34
# Column with the name of equipment, projects, pilots and services → the one used where it is blank.
_KEYS = {
    "name": "equipment_id",
    "title": "project_id",
    "pilot_name": "pilot_id",
    "service": "service_id",
}

Line = dict[str, Any]
Thresholds = Mapping[str, float]


def line(
    severity: Grade,
    summary: str,
    names: Sequence[str],
    *,
    of: int,
    who: Iterable[Any] = (),
    when: str = "",
    days: float = 0,
) -> Line:
    """Return what `Section.attention` takes of a kind.

    Parameters
    ----------
    severity : str
        The grade of the worst item.
    summary : str
        What it is, with the count and the period's figure; the verdict says it too, amid others.
    names : sequence of str
        The worst items, worst first: those of `named_rows`.
    of : int
        How many there are in all.
    who : iterable
        Whom the named ones concern; nulls, blanks and repetitions are left out.
    when : str
        Since when, or by when.
    days : float
        Orders lines of one grade and count: for how long the worst has been so, or how near it is.
    """
    rest = of - len(names)
    parts = [*names, say("{count} more", count=number(rest))] if rest else names
    text = titled(summary)
    persons = list(dict.fromkeys(cut(str(name), MOST_NAME) for name in who if not is_blank(name)))
    return {
        "text": f"{text}: {listed(parts)}" if parts else text,
        "severity": severity,
        "who": first_listed(persons, NAMED_OF_MANY),
        "when": when,
        "summary": summary,
        "count": of,
        "days": float(days),
    }


def of_them(grave: int, count: int, what: str) -> str:
    """Say how many of the items are graver than the others, and how so."""
    if not grave:
        return ""
    if count == 1:
        return f", {what}"
    if grave == count:
        return ", " + say("all of them {what}", what=what)
    return ", " + say_count(grave, "{count} of them {what}", "{count} of them {what}", what=what)


def with_distinct_names(*frames: pd.DataFrame) -> list[pd.DataFrame]:
    """Return frames in which namesakes of any two of them have their ids beside their names.

    One that stands alone in its frame would be taken for another that the reader knows.

    Examples
    --------
    >>> expired = pd.DataFrame({"equipment_id": ["a"], "name": ["Kestrel"]})
    >>> every = pd.DataFrame({"equipment_id": ["a", "b"], "name": ["Kestrel"] * 2})
    >>> with_distinct_names(expired, every)[0]["name"].tolist()
    ['Kestrel (a)']
    """
    apart = list(frames)
    for name, key in _KEYS.items():
        places = [place for place, frame in enumerate(apart) if {name, key} <= set(frame)]
        if places:
            pairs = pd.concat([apart[place][[name, key]] for place in places], keys=places)
            called = distinct_names(pairs[name], pairs[key])
            for place in places:
                if len(apart[place]):
                    apart[place] = apart[place].assign(**{name: called.loc[place].to_numpy()})
    return apart


def named_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that a line names: what has no name by its id, namesakes by both."""
    for name, key in _KEYS.items():
        if name in frame and key in frame:
            frame = frame.assign(**{name: distinct_names(frame[name], frame[key])})
    return frame.head(MOST_NAMED if len(frame) <= MOST_NAMED else NAMED_OF_MANY)


def named_rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Return the rows that a line names, without their index: `name` is a column."""
    return named_of(frame).itertuples(index=False)


def short_name(value: Any) -> str:
    """Return a name as a line shows it."""
    return cut(shown(value), MOST_NAME)


def within_days(days: int) -> str:
    """Say within how many days."""
    return say_count(days, "within {count} day", "within {count} days")
