"""Words that several sentences share: of how many, of which day, during which period."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fleetkit.language import listed, say, say_count, short_day
from fleetkit.rounding import number
from fleetkit.time import Part, Period

__all__ = ["as_of_text", "dated", "during", "first_listed", "of_records", "with_rest"]

# Of how many records of a table.
_OF = {
    "equipment": ("of {count} piece of equipment", "of {count} pieces of equipment"),
    "flights": ("of {count} flight", "of {count} flights"),
    "projects": ("of {count} project", "of {count} projects"),
    "services": ("of {count} service", "of {count} services"),
    "tiers": ("of {count} tier", "of {count} tiers"),
}


def of_records(records: str, count: int) -> str:
    """Say of how many records of a table something is counted.

    Parameters
    ----------
    records : str
        The table's name.
    count : int

    Examples
    --------
    >>> of_records("projects", 80), of_records("equipment", 1)
    ('of 80 projects', 'of 1 piece of equipment')
    """
    one, many = _OF[records]
    return say_count(count, one, many)


def with_rest(names: Sequence[str], others: int) -> str:
    """Name the first ones, and count the others, where there are any.

    Examples
    --------
    >>> with_rest(["Ada", "Bo"], 3), with_rest(["Ada", "Bo"], 0)
    ('Ada, Bo and 3 more', 'Ada, Bo')
    """
    text = ", ".join(names)
    if others <= 0:
        return text
    return say("{names} and {count} more", names=text, count=number(others))


def first_listed(names: Sequence[str], most: int) -> str:
    """Join the first names as a sentence does, and count the others as one more.

    Examples
    --------
    >>> first_listed(["Ada", "Bo", "Chi"], 3), first_listed(["Ada", "Bo", "Chi", "Di"], 2)
    ('Ada, Bo and Chi', 'Ada, Bo and 2 more')
    """
    others = len(names) - most
    more = [say("{count} more", count=number(others))] if others > 0 else []
    return listed([*names[:most], *more])


def as_of_text(when: date) -> str:
    """Say of which day it is that equipment and projects are shown as they are.

    Examples
    --------
    >>> as_of_text(date(2026, 11, 2))
    'As of 2 Nov 2026'
    """
    return say("As of {day}", day=short_day(when))


def during(period: Period) -> str:
    """Write a period as the middle of a sentence has it.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> during(Period.read("2026-10")), during(Period.read("2026-10-05"))
    ('in October 2026', 'on 5 October 2026')
    >>> during(Period.read("2026-W41")), during(Period.read("2026-Q3")), during(Period.read("2026"))
    ('in week 41 of 2026', 'in Q3 2026', 'in 2026')
    >>> during(Period.between("2026-10-05", "2026-10-19", "UTC"))
    'from 5 to 18 October 2026'
    """
    days = period.as_days if isinstance(period, Part) else period
    if days.unit == "month":
        return say("in {month}", month=days.title)
    if days.unit == "quarter":
        return say("in {quarter}", quarter=days.title)
    if days.unit == "year":
        return say("in {year}", year=days.title)
    if days.unit == "week":
        year, week, _ = days.since.date().isocalendar()
        return say("in week {week} of {year}", week=week, year=year)
    first, last = days.title_of_ends
    return (
        say("from {first} to {last}", first=first, last=last)
        if last
        else say("on {day}", day=first)
    )


def dated(as_of: date, facts: Sequence[str]) -> str:
    """Write what is so on a day."""
    return say("As of {day}, {facts}.", day=short_day(as_of), facts="; ".join(facts))
