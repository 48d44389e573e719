"""Numbers and lists as the language in force writes them."""

from __future__ import annotations

from collections.abc import Sequence

from fleetkit.language.choice import current

__all__ = ["either", "listed", "localized"]


def localized(text: str) -> str:
    """Return a number that is written in English with the marks of the language in force.

    Examples
    --------
    >>> localized("1,234.5")
    '1,234.5'
    """
    catalogue = current()
    return text if catalogue is None else text.translate(catalogue.marks)


def listed(parts: Sequence[str]) -> str:
    """Join parts as a sentence does.

    Examples
    --------
    >>> listed(["EUR 12", "GBP 4", "NOK 90"])
    'EUR 12, GBP 4 and NOK 90'
    """
    return _joined(parts, "and", "standard")


def either(parts: Sequence[str]) -> str:
    """Join parts of which one is so.

    Examples
    --------
    >>> either(["m", "km", "ft"])
    'm, km or ft'
    """
    return _joined(parts, "or", "or")


def _joined(parts: Sequence[str], word: str, style: str) -> str:
    catalogue = current()
    if catalogue is None:
        return f" {word} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
    from babel.lists import format_list  # noqa: PLC0415 - only languages other than English load it

    return format_list(parts, style=style, locale=catalogue.locale)  # type: ignore[arg-type]
