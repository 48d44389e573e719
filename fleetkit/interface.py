"""How messages are worded: for the interface in use, on one line, with a suggestion.

An error that is raised for a notebook says ``allow_http=True``; the same error on the command line
says ``--allow-http``. The code that raises it gives both, and `worded` chooses.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Real
from typing import Any, Literal

__all__ = [
    "CORRECT_IT",
    "RAISE_FILE_SIZE",
    "Interface",
    "brief",
    "did_you_mean",
    "ipython",
    "missing_attribute",
    "one_line",
    "readable_json",
    "recognisable",
    "sentence",
    "shell_word",
    "shortened",
    "shortened_list",
    "use",
    "using",
    "worded",
]

Interface = Literal["python", "command line", "page"]

# What to do about a record that contradicts the reference.
CORRECT_IT = "Correct the record in the service, or tell its makers."
# What to do about a file that would be too large (EFBIG).
RAISE_FILE_SIZE = (
    "Raise the limit of a file's size (ulimit -f), or choose a folder on another disk."
)

_in_use: Interface = "python"


def worded(*, python: str, command_line: str, page: str | None = None) -> str:
    """Return the words of the interface in use.

    Parameters
    ----------
    python : str
        As it is written in Python, such as ``fk.demo()`` or ``allow_http=True``.
    command_line : str
        As it is typed on the command line, such as ``--demo`` or ``--allow-http``.
    page : str, optional
        What one who reads a page of explorers can do, who has neither; default: as in Python.

    Examples
    --------
    >>> worded(python="allow_http=True", command_line="--allow-http")
    'allow_http=True'
    >>> with using("command line"):
    ...     worded(python="allow_http=True", command_line="--allow-http")
    '--allow-http'
    """
    if _in_use == "page" and page is not None:
        return page
    return command_line if _in_use == "command line" else python


@contextmanager
def using(interface: Interface) -> Iterator[None]:
    """Set the interface of this process for a block; the command line's `main` does."""
    before = _in_use
    use(interface)
    try:
        yield
    finally:
        use(before)


def use(interface: Interface) -> None:
    """Set the interface of this process, threads included: one process serves one person."""
    global _in_use  # noqa: PLW0603 - threads must see it, which a context variable doesn't give
    _in_use = interface


def ipython() -> Any:
    """Return the shell of IPython that runs this code, in a notebook or a terminal; else None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests a name for a misspelt word; empty without a similar one.

    Parameters
    ----------
    word : str
        The misspelt word.
    known : iterable of str
        The valid names.

    Examples
    --------
    >>> did_you_mean("flght_type", ["flight_type", "night"])
    'Did you mean flight_type?'
    >>> did_you_mean("drone", ["DRONE", "CAMERA"])
    'Did you mean DRONE?'
    >>> did_you_mean("oslo", ["Europe/Oslo"])
    'Did you mean Europe/Oslo?'
    >>> did_you_mean("pilot_name", ["flight_type", "pilot"])
    'Did you mean pilot?'
    >>> did_you_mean("colour", ["flight_type", "night"])
    ''
    """
    plain: dict[str, str] = {}
    for name in known:
        plain.setdefault(_plain(name), name)
    written = _plain(word)
    matches = get_close_matches(written, plain, n=1, cutoff=0.7)
    if not matches and len(written) >= _SHORTEST_PART:
        matches = [name for name in plain if written in name or written.startswith(f"{name}_")]
    return f"Did you mean {recognisable(plain[matches[0]])}?" if matches else ""


def recognisable(name: str) -> str:
    """Return a name as it is, in quotation marks where blanks at its ends wouldn't be seen.

    Examples
    --------
    >>> recognisable("Fjord"), recognisable("Fjord "), recognisable("")
    ('Fjord', "'Fjord '", "''")
    """
    return name if name == name.strip() != "" else repr(name)


# Fewest letters of a word that suggests the names which contain it, such as Oslo.
_SHORTEST_PART = 4


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")


def sentence(text: str) -> str:
    """End a text with one full stop, also where it was put together from texts that had their own.

    Examples
    --------
    >>> sentence("It failed: disk full.."), sentence("See ../reports"), sentence("Why?")
    ('It failed: disk full.', 'See ../reports.', 'Why?')
    """
    text = re.sub(r"(?<=[\w)\"'])\.\.(?=\s|$)", ".", text.strip())
    return f"{text}." if text and text[-1] not in ".…!?:" else text


# Letters of a value that a message shows, and names of a list.
_LONGEST_SHOWN = 60
_MOST_LISTED = 40


def shortened(text: str, limit: int = _LONGEST_SHOWN) -> str:
    """Return a text, or its beginning where it is longer than a message has room for.

    Examples
    --------
    >>> shortened("2026-13"), shortened("equipment", 6)
    ('2026-13', 'equip…')
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def brief(value: object) -> str:
    """Return a value as a message shows it: as Python writes it, or in short where that is long.

    Parameters
    ----------
    value : object
        What a user wrote or a service sent. Of a text, the beginning; of anything else, its kind.

    Examples
    --------
    >>> brief("2026-13"), brief(0.5), len(brief("x" * 10_000))
    ("'2026-13'", '0.5', 62)
    >>> brief(list(range(99)))
    'a list'
    """
    if isinstance(value, str):
        return repr(shortened(str(value)))
    if isinstance(value, Real) and hasattr(value, "item"):  # NumPy's names its type in its repr
        value = value.item()
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # too many digits, or too deep, for Python to write
        text = ""
    if 0 < len(text) <= _LONGEST_SHOWN and text.isprintable():
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeioAEIO' else 'a'} {kind}"


def shortened_list(names: Iterable[object]) -> str:
    """Return names that users chose, such as the columns of a frame, for a message.

    Examples
    --------
    >>> shortened_list(["name", 7]), shortened_list([]), shortened_list(map(str, range(99)))[-14:]
    ('name, 7', '', '39 and 59 more')
    """
    texts = [shortened(str(name)) for name in names]
    more = f" and {len(texts) - _MOST_LISTED:,} more" if len(texts) > _MOST_LISTED else ""
    return ", ".join(texts[:_MOST_LISTED]) + more


def missing_attribute(owner: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that isn't there, with a suggestion.

    Parameters
    ----------
    owner : str
        What lacks it: ``"A Fleet"``, ``"fleetkit.metrics"``.
    name : str
        The attribute that was used.
    names : iterable of str
        The attributes that exist.

    Examples
    --------
    >>> str(missing_attribute("A Fleet", "flihgts", ["flights", "projects"]))
    "A Fleet has no attribute 'flihgts'. Did you mean flights?"
    """
    suggestion = "" if name.startswith("_") else did_you_mean(name, names)
    # An object of None keeps Python from adding a suggestion of its own to ours.
    text = f"{owner} has no attribute {brief(name)}. {suggestion}".strip()
    return AttributeError(text, name=name, obj=None)


# Letters to which a word is cut where a line is too long; an address or a path is seldom longer.
_LONGEST_WORD = 100


def one_line(text: str, limit: int = 2_000) -> str:
    r"""Return a text as one printable line: what a service sends must not control a terminal.

    Parameters
    ----------
    text : str
        Line ends become blanks; other characters that don't print are escaped.
    limit : int
        Most characters. Of what is longer, long words are cut first, so that what the text ends
        with, which says what to do, is still read.

    Examples
    --------
    >>> one_line("two\n  lines and \x1b[31mred")
    'two lines and \\x1b[31mred'
    >>> len(one_line("x" * 5_000 + " is not a zone."))
    116
    """
    words = text.split()
    if sum(map(len, words)) > limit:
        words = [
            word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…" for word in words
        ]
    joined = " ".join(words)
    if not joined.isprintable():
        joined = "".join(
            letter if letter.isprintable() else letter.encode("unicode_escape").decode()
            for letter in joined
        )
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def shell_word(word: str) -> str:
    r"""Return a word as it is typed in a shell: POSIX's, and of what doesn't print its octal codes.

    A terminal takes control characters of what is pasted for keys: one of them begins the line
    anew, and a line end runs it.

    Examples
    --------
    >>> shell_word("pilot=prof_1"), shell_word("client=Fjord AS")
    ('pilot=prof_1', "'client=Fjord AS'")
    >>> print(shell_word("client=Fjord\x15ls\n"))
    $'client=Fjord\025ls\012'
    """
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_in_octal, word))}'"


def _in_octal(letter: str) -> str:
    if letter.isprintable():
        return f"\\{letter}" if letter in "\\'" else letter
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogatepass"))


def readable_json(value: Any, indent: int | None = None) -> str:
    r"""Return a value as JSON with letters as they are: escaped is what controls a terminal.

    Examples
    --------
    >>> print(readable_json({"client": "Ås\x9b31m"}))
    {"client": "Ås\u009b31m"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if text.isprintable() else "".join(map(_in_json, text))


def _in_json(letter: str) -> str:
    """Escape what doesn't print, but for line ends and what would be two halves, as in no YAML."""
    if letter.isprintable() or letter == "\n" or letter > "\uffff":
        return letter
    return f"\\u{ord(letter):04x}"
