"""Long names on a page: cut with "…" at a bound, and whole in the title that a pointer shows."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from fleetkit.lettering import MOST_TITLE, columns, cut, em, letters
from fleetkit.reports.texts import RIGHT_TO_LEFT, isolated, printable, starts_right

__all__ = ["MOST_NAME", "MOST_TEXT", "MOST_WORD", "name", "read_name", "short"]

# Columns that a name in a table or a list takes, a single word anywhere, and any text.
MOST_NAME, MOST_WORD, MOST_TEXT = 80, 40, 1_500
# Widest word that never breaks, and the pieces of one that may [em].
_UNBROKEN, _PIECE = 13.0, 6.0
# Shorter words are neither cut nor broken, whatever their letters.
_LONG = re.compile(r"\S{12,}")
_TITLED = Markup('<span title="{}">{}</span>')


def short(text: str) -> Markup:
    """Return a sentence for a page: a long word is cut, with the whole of it as title.

    Names from right to left are isolated, each by itself. A long word may break anywhere: `<wbr>`
    says so, for PlutoPrint breaks words that fit where `overflow-wrap` lets it break those that
    don't.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> print(short("Roof & harbour"))
    Roof &amp; harbour
    >>> print(short("Überlandleitungsinspektion"))
    Überlandle<wbr>itungsinspe<wbr>ktion
    """
    return _apart(cut(printable(text), MOST_TEXT), titled=True)


def name(text: str) -> Markup:
    """Return a name, or several, for a page: cut at `MOST_NAME` columns.

    After a first one from left to right, each from right to left is isolated by itself: a count
    behind it stays there.

    Examples
    --------
    >>> whole = "Rooftop survey of the harbour and of every crane that stands on its quays in 2026"
    >>> name(whole).striptags()[-8:], f'title="{whole}"' in name(whole)
    ('uays in…', True)
    """
    text = printable(text)
    lettered = _words if starts_right(text) else _apart
    shown = lettered(cut(text, MOST_NAME), titled=columns(text) <= MOST_NAME)
    if columns(text) > MOST_NAME:
        shown = _TITLED.format(_title(text), shown)
    return Markup(isolated(shown))  # noqa: S704 - every part is escaped


def read_name(text: str) -> str:
    """Return what is read of a name on the page.

    Examples
    --------
    >>> read_name("Heron " * 20)[-8:], read_name("Überlandleitung" * 4)[-8:]
    ('n Heron…', 'erlandl…')
    """
    return _LONG.sub(lambda word: cut(word[0], MOST_WORD), cut(text, MOST_NAME))


def _apart(text: str, *, titled: bool) -> Markup:
    """Return the words of a text, with each name from right to left isolated."""
    parts = RIGHT_TO_LEFT.split(text)
    turned = (Markup("\u2068{}\u2069").format(_words(part, titled=titled)) for part in parts[1::2])
    plain = [_words(part, titled=titled) for part in parts[::2]]
    return plain[0] + Markup("").join(sum(zip(turned, plain[1:], strict=True), ()))


def _words(text: str, *, titled: bool) -> Markup:
    """Escape the text, and cut its long words, each with a title or none."""
    parts, end = [], 0
    for word in _LONG.finditer(text):
        shown = _breakable(cut(word[0], MOST_WORD))
        if titled and columns(word[0]) > MOST_WORD:
            shown = _TITLED.format(_title(word[0]), shown)
        parts += [escape(text[end : word.start()]), shown]
        end = word.end()
    return Markup("").join([*parts, escape(text[end:])])


def _title(text: str) -> str:
    return isolated(cut(text, MOST_TITLE))


def _breakable(word: str) -> Markup:
    """Return a word that may break, where it is wider than most of what must hold it."""
    if em(word) <= _UNBROKEN:
        return escape(word)
    pieces = [""]
    for letter in letters(word):
        if em(pieces[-1] + letter) > _PIECE:
            pieces.append("")
        pieces[-1] += letter
    return Markup("<wbr>").join(pieces)
