"""The order in which the language in force lists names."""

from __future__ import annotations

from unicodedata import combining, normalize

from fleetkit.language.choice import current
from fleetkit.lettering import MADE_OF

__all__ = ["alphabetical"]

# Letters that a language has behind z; elsewhere they stand beside the ones they are made of.
_LAST = {"nb": "æøå"}


def alphabetical(text: str) -> tuple[str, str]:
    """Return what a name is sorted by: small and capital letters, and those with marks, as one.

    Examples
    --------
    >>> sorted(["Zebra", "late", "Überfällig", "Offen"], key=alphabetical)
    ['late', 'Offen', 'Überfällig', 'Zebra']
    """
    catalogue = current()
    last = _LAST.get(catalogue.locale.language, "") if catalogue is not None else ""
    behind = {ord(letter): chr(ord("z") + place) for place, letter in enumerate(last, 1)}
    letters = normalize(
        "NFD", normalize("NFC", text.casefold()).translate(behind).translate(MADE_OF)
    )
    return "".join(letter for letter in letters if not combining(letter)), text
