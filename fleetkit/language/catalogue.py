"""A catalogue: the texts of one language, as a file of gettext's format holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from gettext import c2py
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fleetkit.errors import InvalidValue

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["FOLDER", "SUFFIX", "Catalogue", "read"]

FOLDER, SUFFIX = Path(__file__).parent / "catalogues", ".po"


@dataclass(frozen=True)
class Catalogue:
    """What one language calls things, and how it writes numbers and dates.

    Parameters
    ----------
    name : str
        Its code, such as ``"de"``.
    texts : mapping
        English text → its translation.
    plurals : mapping
        English singular → the forms that the language has for counts.
    plural : callable
        Count → which form.
    """

    name: str
    texts: Mapping[str, str] = field(repr=False)
    plurals: Mapping[str, tuple[str, ...]] = field(repr=False)
    plural: Callable[[int], int] = field(repr=False)

    @cached_property
    def locale(self) -> Locale:
        """What Babel knows of the language."""
        from babel import Locale  # noqa: PLC0415 - only languages other than English load it

        return Locale.parse(self.name.replace("-", "_"))

    @cached_property
    def marks(self) -> dict[int, str]:
        """What stands for the marks of an English number: thousands and decimals."""
        from babel import numbers  # noqa: PLC0415 - as above

        group = numbers.get_group_symbol(self.locale).replace("\u202f", "\u00a0")
        return str.maketrans({",": group, ".": numbers.get_decimal_symbol(self.locale)})


@cache
def read(path: Path) -> Catalogue:
    """Return the catalogue of a file.

    Raises
    ------
    InvalidValue
        The file is no catalogue, or of a language that nobody knows.
    """
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - as above
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415 - as above

    try:
        Locale.parse(path.stem.replace("-", "_"))
        with path.open("rb") as file:
            entries = read_po(file, locale=path.stem.replace("-", "_"), abort_invalid=True)
    except (UnknownLocaleError, ValueError):
        raise InvalidValue(
            f"{path.name} is not named after a language.",
            advice="Name the catalogue by the code of its language, such as fr.po.",
        ) from None
    except (PoFileError, UnicodeDecodeError) as problem:
        raise InvalidValue(
            f"{path} is not a catalogue: {problem}.",
            advice="Write it as gettext's PO format has it.",
        ) from None
    texts: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        string: Any = entry.string
        if not entry.id or entry.fuzzy:
            continue
        if isinstance(entry.id, str):
            texts[entry.id] = string or entry.id
        elif all(string):
            plurals[entry.id[0]] = tuple(string)
    return Catalogue(path.stem, texts, plurals, c2py(entries.plural_expr))
