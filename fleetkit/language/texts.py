"""Texts and plural forms in the language in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fleetkit.language.choice import current
from fleetkit.language.numbers import localized

__all__ = ["and_others", "counted", "message", "say", "say_count", "titled"]

# Stands for a count that is null.
_UNKNOWN = "–"


def say(text: str, /, **values: Any) -> str:
    """Return a text in the language in force, with its placeholders filled in.

    Parameters
    ----------
    text : str
        In English, a whole sentence or label: other languages have another order of words. The
        catalogues have it as their key, so it is written where it is said, or marked by `message`.
    **values
        For its ``{placeholders}``; a number is written in the language's way where its placeholder
        says how, such as ``{used:,}``.

    Examples
    --------
    >>> say("No flight {when} to look at", when="in October")
    'No flight in October to look at'
    >>> say("{used:,} of {of:,}", used=1250, of=3000)
    '1,250 of 3,000'
    """
    catalogue = current()
    if catalogue is not None:
        text = catalogue.texts.get(text, text)
    return text.format_map(_written(values)) if values else text


def say_count(count: Any, one: str, many: str, /, **values: Any) -> str:
    """Return a text in the plural form that a count takes in the language in force.

    Parameters
    ----------
    count : int or null
        Stands for ``{count}``, with thousands separated.
    one, many : str
        In English, for 1 and for other counts.
    **values
        For further placeholders.

    Examples
    --------
    >>> say_count(1, "{count} day late", "{count} days late")
    '1 day late'
    >>> say_count(1250, "{count} day late", "{count} days late")
    '1,250 days late'
    >>> say_count(-19, "{count} day", "{count} days")
    '−19 days'
    """
    catalogue, exact = current(), _whole(count)
    text = one if exact == 1 else many
    if catalogue is not None and one in catalogue.plurals:
        text = catalogue.plurals[one][catalogue.plural(abs(exact or 0))]
    shown = _UNKNOWN if exact is None else localized(f"{exact:,}".replace("-", "−"))
    return text.format_map(_written({"count": shown, **values}))


class _Number:
    """A number that is written in the way of the language in force."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return localized(format(self._value, spec)) if spec else str(self._value)


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str) else _Number(value) for name, value in values.items()
    }


def _whole(count: Any) -> int | None:
    """Return a count as Python's own number; None where it is null."""
    try:
        return int(count)
    except (TypeError, ValueError):
        return None


def counted(count: Any, one: str, many: str = "") -> str:
    """Write a number and what it counts.

    Parameters
    ----------
    count : int
    one, many : str
        What one and several are called in English; default of `many`: with an s.

    Examples
    --------
    >>> counted(1, "flight"), counted(1250, "flight"), counted(0, "has", "have")
    ('1 flight', '1,250 flights', '0 have')
    """
    return say_count(count, f"{{count}} {one}", f"{{count}} {many or one + 's'}")


def and_others(others: Sequence[str]) -> str:
    """Say what a chart leaves out, as it stands below it; nothing where it leaves nothing out.

    Examples
    --------
    >>> and_others(["2 more clients", "3 more pilots"])
    'and 2 more clients, 3 more pilots'
    """
    return say("and {others}", others=", ".join(others)) if others else ""


def message(text: str) -> str:
    """Mark a text that is said elsewhere, so that the catalogues have it; return it as it is.

    Examples
    --------
    >>> message("Flight hours")
    'Flight hours'
    """
    return text


def titled(text: str) -> str:
    """Return a text that begins a line: its first letter is a capital.

    Examples
    --------
    >>> titled("oktober 2026")
    'Oktober 2026'
    """
    return text[:1].upper() + text[1:]
