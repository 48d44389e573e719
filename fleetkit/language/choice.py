"""Which language is in force: English, unless a report or a notebook chooses another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.language.catalogue import FOLDER, SUFFIX, Catalogue, read

__all__ = ["ENGLISH", "available", "chosen", "current", "named", "use", "using"]

ENGLISH = "en"
_in_block: ContextVar[Catalogue | str] = ContextVar("language", default="")
# Of the process: what a notebook chooses holds in all of its cells.
_of_process: list[Catalogue | None] = [None]


def available() -> list[str]:
    """Return the languages that fleetkit has.

    Examples
    --------
    >>> available()
    ['de', 'en', 'nb']
    """
    return sorted([ENGLISH, *(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))])


def chosen(lang: str) -> str:
    """Return the name of a language, or the path of a catalogue of one's own, if it is one.

    Parameters
    ----------
    lang : str
        ``"en"``, a name of `available`, or the path of a file such as ``fr.po``.

    Raises
    ------
    InvalidValue
        There is no such language, or no such file; the message names those that there are.

    Examples
    --------
    >>> chosen("de")
    'de'
    >>> chosen("deutsch")
    Traceback (most recent call last):
    fleetkit.errors.InvalidValue: There is no language 'deutsch'. ...
    """
    if isinstance(lang, str) and lang in available():
        return lang
    path = Path(lang) if isinstance(lang, str) else Path()
    if path.suffix != SUFFIX:
        raise InvalidValue(
            f"There is no language {brief(lang)}. {did_you_mean(str(lang), available())}".strip(),
            advice=f"Languages are: {', '.join(available())}; or name a catalogue, such as fr.po.",
        )
    if not path.is_file():
        raise InvalidValue(
            f"There is no catalogue {lang}.",
            advice=f"Name a file, or one of fleetkit's languages: {', '.join(available())}.",
        )
    read(path.resolve())
    return str(path.resolve())


def _catalogue(lang: str) -> Catalogue | None:
    name = chosen(lang)
    if name == ENGLISH:
        return None
    return read(Path(name) if name.endswith(SUFFIX) else FOLDER / f"{name}{SUFFIX}")


def current() -> Catalogue | None:
    """Return the catalogue in force; None is English.

    Examples
    --------
    >>> with using("de"):
    ...     current().name
    'de'
    """
    held = _in_block.get()
    if held == "":
        return _of_process[0]
    return None if isinstance(held, str) else held


def named() -> str:
    """Return the name of the language in force, as the page's ``lang`` has it.

    Examples
    --------
    >>> named()
    'en-GB'
    """
    catalogue = current()
    return "en-GB" if catalogue is None else catalogue.name.replace("_", "-")


@contextmanager
def using(lang: str) -> Iterator[None]:
    """Put a language in force for a block.

    Parameters
    ----------
    lang : str
        As for `chosen`.

    Examples
    --------
    >>> with using("de"):
    ...     named()
    'de'
    """
    token = _in_block.set(_catalogue(lang) or ENGLISH)
    try:
        yield
    finally:
        _in_block.reset(token)


def use(lang: str) -> None:
    """Put a language in force from now on, in this process: what a notebook begins with.

    Parameters
    ----------
    lang : str
        As for `chosen`.

    Examples
    --------
    >>> use("nb"), named()
    (None, 'nb')
    >>> use("en")
    """
    _of_process[0] = _catalogue(lang)
