"""How messages are worded: in the words of the interface in use, on one line, with a suggestion.

An error that is raised for a notebook says ``allow_http=True``; the same error on the command line
says ``--allow-http``. Whoever raises it gives both, and `worded` takes the one that can be typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Literal

__all__ = [
    "Interface",
    "brief",
    "did_you_mean",
    "missing_attribute",
    "one_line",
    "using",
    "worded",
]

Interface = Literal["python", "command line"]

_in_use: Interface = "python"


def worded(*, python: str, command_line: str) -> str:
    """Return the words of the interface in use.

    Parameters
    ----------
    python : str
        As it is written in Python, such as ``fk.demo()`` or ``allow_http=True``.
    command_line : str
        As it is typed on the command line, such as ``--demo`` or ``--allow-http``.

    Examples
    --------
    >>> worded(python="allow_http=True", command_line="--allow-http")
    'allow_http=True'
    >>> with using("command line"):
    ...     worded(python="allow_http=True", command_line="--allow-http")
    '--allow-http'
    """
    return command_line if _in_use == "command line" else python


@contextmanager
def using(interface: Interface) -> Iterator[None]:
    """Say that this process is used through an interface; the command line's `main` does.

    It holds for the whole process, threads included: one process serves one person.
    """
    global _in_use  # noqa: PLW0603 - threads must see it, which a context variable doesn't give
    before, _in_use = _in_use, interface
    try:
        yield
    finally:
        _in_use = before


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests what a misspelt word may stand for; empty without any guess.

    Parameters
    ----------
    word : str
        As it was written.
    known : iterable of str
        What could have been meant.

    Examples
    --------
    >>> did_you_mean("flght_type", ["flight_type", "night"])
    'Did you mean flight_type?'
    >>> did_you_mean("drone", ["DRONE", "CAMERA"])
    'Did you mean DRONE?'
    >>> did_you_mean("oslo", ["Europe/Oslo"])
    'Did you mean Europe/Oslo?'
    >>> did_you_mean("colour", ["flight_type", "night"])
    ''
    """
    plain: dict[str, str] = {}
    for each in known:
        plain.setdefault(_plain(each), each)
    written = _plain(word)
    matches = get_close_matches(written, plain, n=1, cutoff=0.7)
    if not matches and len(written) >= _A_PART:
        matches = [each for each in plain if written in each]
    return f"Did you mean {plain[matches[0]]}?" if matches else ""


# Letters from which on a word may stand for one that it is a part of: pipeline, Oslo.
_A_PART = 4


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")


def brief(value: object) -> str:
    """Return a value as a message begins with it: as Python writes it, or its kind if that is long.

    Examples
    --------
    >>> brief("2026-13"), brief(list(range(99)))
    ("'2026-13'", 'A list')
    """
    text = repr(value)
    return text if len(text) <= 60 and text.isprintable() else f"A {type(value).__name__}"


def missing_attribute(owner: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that isn't there, with a suggestion.

    Parameters
    ----------
    owner : str
        What lacks it: ``"A Fleet"``, ``"fleetkit.metrics"``.
    name : str
        The attribute that was asked for.
    names : iterable of str
        Those that there are.

    Examples
    --------
    >>> str(missing_attribute("A Fleet", "flihgts", ["flights", "projects"]))
    "A Fleet has no attribute 'flihgts'. Did you mean flights?"
    """
    suggestion = "" if name.startswith("_") else did_you_mean(name, names)
    # An object of None keeps Python from adding a suggestion of its own to ours.
    text = f"{owner} has no attribute {name!r}. {suggestion}".strip()
    return AttributeError(text, name=name, obj=None)


def one_line(text: str, limit: int = 2_000) -> str:
    r"""Return a text as one printable line: what a service sends must not steer a terminal.

    Parameters
    ----------
    text : str
        Line ends become blanks; other characters that don't print are escaped.
    limit : int
        Most characters; what is longer ends in ``…``.

    Examples
    --------
    >>> one_line("two\n  lines and \x1b[31mred")
    'two lines and \\x1b[31mred'
    """
    joined = " ".join(text.split())
    if not joined.isprintable():
        joined = "".join(each if each.isprintable() else _escaped(each) for each in joined)
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
