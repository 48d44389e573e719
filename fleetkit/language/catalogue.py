"""A catalogue: the texts of one language, as a file of gettext's format holds them."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from gettext import c2py
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

if TYPE_CHECKING:
    from babel import Locale
    from babel.messages.catalog import Catalog

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


def read(path: Path) -> Catalogue:
    """Return the catalogue of a file, as it is now.

    Raises
    ------
    InvalidValue
        The file can't be read or is not a catalogue, isn't named after a language, or has an entry
        whose values or forms don't fit its text.
    """
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _: int) -> Catalogue:
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - as above

    code = path.stem.replace("-", "_")
    try:
        Locale.parse(code)
    except (UnknownLocaleError, ValueError):
        raise InvalidValue(
            f"{path.name} is not named after a language.",
            advice="Name the catalogue by the code of its language, such as fr.po.",
        ) from None
    entries, plural = _parsed(path, code)
    texts: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        text: Any = entry.id
        string: Any = entry.string
        english = text if isinstance(text, tuple) else (text,)
        forms = tuple(string) if isinstance(text, tuple) else (string,)
        if not english[0] or entry.fuzzy or not all(forms):
            continue  # the head, or what waits for a translation
        _check(path, english, forms)
        if isinstance(text, str):
            texts[text] = string
        else:
            plurals[english[0]] = forms
    return Catalogue(path.stem, texts, plurals, plural)


def _parsed(path: Path, code: str) -> tuple[Catalog, Callable[[int], int]]:
    """Return the entries of a file, and what says which plural form a count takes."""
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415 - as above

    try:
        file = BytesIO(path.read_bytes().removeprefix(BOM_UTF8))
        entries = read_po(file, locale=code, abort_invalid=True)
        plural = c2py(entries.plural_expr)
        _check_plural(plural, entries.num_plurals)
    except OSError as problem:
        raise InvalidValue(f"{path} can't be read: {problem.strerror}.") from None
    except (PoFileError, ValueError, LookupError) as problem:
        raise InvalidValue(
            f"{path} is not a catalogue: {problem}.",
            advice="Write it as gettext's PO format has it.",
        ) from None
    return entries, plural


def _check_plural(plural: Callable[[int], int], forms: int) -> None:
    """Refuse a rule that leads to no form for some count; rules look at the last digits."""
    for count in range(1_001):
        try:
            is_form = 0 <= plural(count) < forms
        except ZeroDivisionError:
            is_form = False
        if not is_form:
            raise ValueError(f"its Plural-Forms lead to none of its {forms} forms for {count}")


def _check(path: Path, english: Sequence[str], forms: Iterable[str]) -> None:
    """Refuse a translation whose values, and how they are written, aren't those of its text."""
    known = set[str]().union(*map(_values, english))
    # "One flight" says its count in words.
    needed = known - {"{count}"} if len(english) > 1 else known
    for form in forms:
        try:
            values = _values(form)
        except ValueError as problem:  # a brace without its other half
            values = {str(problem)}
        for verb, others in (("holds", values - known), ("lacks", needed - values)):
            if others:
                but = "doesn't" if verb == "holds" else "has"
                raise InvalidValue(
                    f"{path}: the translation {brief(form)} {verb} "
                    f"{', '.join(sorted(others))}, which its text {but}.",
                    advice="Use what stands in the text in braces, as it stands there.",
                )


def _values(text: str) -> set[str]:
    """Return what is filled into a text, as it is written there."""
    return {
        f"{{{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}"
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    }
