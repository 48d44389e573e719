"""Days, months and weekdays as the language in force writes them."""

from __future__ import annotations

from datetime import date

from fleetkit.language.choice import current

__all__ = [
    "calendar_day",
    "days_between",
    "month",
    "month_name",
    "short_day",
    "short_month",
    "weekdays",
]

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def short_day(when: date) -> str:
    """Write a day briefly.

    Examples
    --------
    >>> short_day(date(2026, 11, 2))
    '2 Nov 2026'
    """
    return _written(when, "yMMMd") or f"{when.day} {when:%b} {when.year:04d}"


def calendar_day(when: date, *, year: bool = True) -> str:
    """Write a day, with its year or without.

    Examples
    --------
    >>> calendar_day(date(2026, 10, 5)), calendar_day(date(2026, 10, 5), year=False)
    ('5 October 2026', '5 October')
    """
    catalogue = current()
    if catalogue is not None and year:
        from babel.dates import format_date  # noqa: PLC0415 - only other languages load it

        return format_date(when, "long", locale=catalogue.locale)
    if text := _written(when, "MMMMd"):
        return text
    return f"{when.day} {when:%B}" + (f" {when.year}" if year else "")


def month(when: date, *, short: bool = False) -> str:
    """Write the month of a day, with its year.

    Examples
    --------
    >>> month(date(2026, 10, 5)), month(date(2026, 10, 5), short=True)
    ('October 2026', 'Oct 2026')
    """
    if short:
        return _written(when, "yMMM") or f"{when:%b} {when.year}"
    return _written(when, "yMMMM") or f"{when:%B} {when.year}"


def month_name(when: date) -> str:
    """Write the name of a day's month.

    Examples
    --------
    >>> month_name(date(2026, 10, 5))
    'October'
    """
    return _written(when, "LLLL") or f"{when:%B}"


def short_month(when: date) -> str:
    """Write the name of a day's month in a few letters.

    Examples
    --------
    >>> short_month(date(2026, 10, 5))
    'Oct'
    """
    return (_written(when, "LLL") or f"{when:%b}").removesuffix(".")


def days_between(first: date, last: date) -> str:
    """Write a span of days of one month.

    Examples
    --------
    >>> days_between(date(2026, 10, 5), date(2026, 10, 18))
    '5–18 October 2026'
    """
    catalogue = current()
    if catalogue is None:
        return f"{first.day}–{last.day} {last:%B} {last.year}"
    from babel.dates import format_interval  # noqa: PLC0415 - only other languages load it

    return format_interval(first, last, "yMMMd", locale=catalogue.locale)


def weekdays() -> tuple[str, ...]:
    """Return the names of weekdays in a few letters, Monday first.

    Examples
    --------
    >>> weekdays()[0]
    'Mon'
    """
    catalogue = current()
    if catalogue is None:
        return _WEEKDAYS
    names = catalogue.locale.days["stand-alone"]["abbreviated"]
    return tuple(names[place].removesuffix(".") for place in range(7))


def _written(when: date, skeleton: str) -> str:
    """Write a day as Babel's skeleton says; nothing in English, which the caller writes."""
    catalogue = current()
    if catalogue is None:
        return ""
    from babel.dates import format_date, format_skeleton  # noqa: PLC0415 - as above

    if skeleton.startswith("LLL"):
        return format_date(when, skeleton, locale=catalogue.locale)
    return format_skeleton(skeleton, when, locale=catalogue.locale)
