"""Long names on a page: cut with "…" at a bound, and whole in the title that a pointer shows."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from fleetkit.lettering import columns, cut, em, letters
from fleetkit.reports.texts import isolated, printable

__all__ = ["MOST_NAME", "MOST_TITLE", "MOST_WORD", "name", "short"]

# Columns that a name in a table or a list takes, a single word anywhere, and a title.
MOST_NAME, MOST_WORD, MOST_TITLE = 80, 40, 2_000
# Widest word that never breaks, and the pieces of one that may [em].
_UNBROKEN, _PIECE = 13.0, 6.0
# Shorter words are neither cut nor broken, whatever their letters.
_LONG = re.compile(r"\S{12,}")
_TITLED = Markup('<span title="{}">{}</span>')


def short(text: str, most: int | None = None) -> Markup:
    """Return text for a page: whole where it fits, else cut, with the whole of it as title.

    A long word may break anywhere: `<wbr>` says so, for PlutoPrint breaks words that fit where
    `overflow-wrap` lets it break those that don't.

    Parameters
    ----------
    text : str
    most : int, optional
        Columns that all of it may take; default: any number. A word takes `MOST_WORD` at most.

    Examples
    --------
    >>> print(short("Roof & harbour"), short("Roof of the old harbour", 14))
    Roof &amp; harbour <span title="Roof of the old harbour">Roof of the…</span>
    >>> print(short("Überlandleitungsinspektion"))
    Überlandle<wbr>itungsinspe<wbr>ktion
    """
    text = printable(text)
    if most is not None and columns(text) > most:
        shown = _words(cut(text, most), titled=False)
        return Markup(isolated(_TITLED.format(_title(text), shown)))  # noqa: S704 - escaped
    return Markup(isolated(_words(text, titled=True)))  # noqa: S704 - every part is escaped


def name(text: str) -> Markup:
    """Return a name for a page: cut at `MOST_NAME` columns."""
    return short(text, MOST_NAME)


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
