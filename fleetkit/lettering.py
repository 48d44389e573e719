"""The visible width of text: letters with their marks, columns, and cutting long texts."""

from __future__ import annotations

import re
import unicodedata
from typing import TypeGuard

__all__ = [
    "MADE_OF",
    "MOST_TITLE",
    "columns",
    "cut",
    "em",
    "id_at_end",
    "is_text",
    "letters",
    "printable",
    "single_line",
    "whole",
]

# Letters that Unicode doesn't take apart → those that they are made of; for `str.translate`.
MADE_OF = str.maketrans(
    {
        **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss"},
        **{"Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Æ": "AE", "Œ": "OE", "þ": "th", "Þ": "TH"},
    }
)
# Columns of a title that a pointer shows.
MOST_TITLE = 2_000
# Direction marks, overrides and embeddings turn the text around them: a name never needs one.
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Browsers show them as blanks, PDFs as nothing, as a box or as the end of a line.
_SEPARATORS = re.compile("[\u2028\u2029]")
# What HTML and SVG can't hold: control characters, halves of characters, noncharacters.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Marks on one letter beyond the third: they are stacked over the lines above and below.
_ABOVE_OR_BELOW = r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_STACKED = re.compile(f"({_ABOVE_OR_BELOW}{{3}}){_ABOVE_OR_BELOW}+")
_HALF = re.compile("[\ud800-\udfff]")
_ID = re.compile(r" \([^\s()]+\)$")
# What joins the words of a name: before "…" nothing follows that it could join.
_BETWEEN = " ,;:&+/-–—("
# Most code points of one letter; a longer sequence is split.
_MOST_MARKS = 8
_JOINER, _VIRAMA = "\u200d", 9
_SKIN_TONES = range(0x1F3FB, 0x1F400)
# Advance widths of Inter, the widest of each class of letters. [em]
_CLASSES = (
    (0.33, " !',.:;I`ijlt|"),
    (0.48, '"()-/[\\]^_frt{}·–'),
    (0.62, "acdeghknopqsuvxyz*?L"),
    (0.76, "#$&+<=>~0123456789ABCDEFGHJKNOPQRSTUVXYZ−≤≥"),
    (1.00, "%@MWmw"),
)
_WIDTHS = {letter: width for width, letters_ in reversed(_CLASSES) for letter in letters_}
_OTHER, _WIDE = 0.85, 1.05


def is_text(value: object) -> TypeGuard[str]:
    r"""Whether a value is a text that UTF-8 can write: half of a surrogate pair is in none.

    Examples
    --------
    >>> is_text("eq_1"), is_text("eq_\ud83d"), is_text(1)
    (True, False, False)
    """
    return isinstance(value, str) and not _HALF.search(value)


def printable(text: str, instead: str = "") -> str:
    r"""Return a text without direction marks, and with `instead` for what pages can't hold.

    Line ends and tabs stay; separators of lines and paragraphs become blanks. Of marks that are
    stacked on one letter three are left, the most that any language writes.

    Examples
    --------
    >>> printable("north\x00 \u202eharbour"), printable("north\x00harbour", instead=" ")
    ('north harbour', 'north harbour')
    >>> printable("north\u2028harbour"), printable("north\u2029harbour")
    ('north harbour', 'north harbour')
    >>> len(printable("u" + "\u0308\u0301" * 9)), len(printable("u\u0308\u0301"))
    (4, 3)
    """
    text = _DIRECTION.sub("", _SEPARATORS.sub(" ", text))
    return _CONTROLS.sub(instead, _STACKED.sub(r"\1", text))


def single_line(text: str) -> str:
    r"""Return a text on one line, without what controls a terminal or turns a line around.

    Examples
    --------
    >>> single_line(" north\n\x1bharbour ")
    'north harbour'
    """
    return " ".join(printable(text, instead=" ").split())


def whole(text: str) -> str:
    r"""Return a text with U+FFFD for halves of surrogate pairs, which UTF-8 can't hold.

    Examples
    --------
    >>> whole("half \ud800") == "half \ufffd"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def letters(text: str) -> list[str]:
    r"""Return the letters of a text, each with the marks that belong to it.

    Examples
    --------
    >>> [len(letter) for letter in letters("A\u030as")]
    [2, 1]
    >>> len(letters("क्षण")), len(letters("👩‍✈️"))
    (2, 1)
    """
    clusters: list[str] = []
    for letter in text:
        if clusters and len(clusters[-1]) < _MOST_MARKS and _is_mark(clusters[-1][-1], letter):
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return clusters


def _is_mark(before: str, letter: str) -> bool:
    """Whether a code point belongs to the letter before it."""
    if letter.isascii():
        return False
    return (
        unicodedata.category(letter)[0] == "M"
        or _JOINER in (letter, before)
        or ord(letter) in _SKIN_TONES
        or (unicodedata.combining(before) == _VIRAMA and unicodedata.category(letter) == "Lo")
    )


def columns(text: str) -> int:
    """Return how many columns a text takes: two for each letter of Chinese, Japanese or Korean.

    Examples
    --------
    >>> columns("Drone"), columns("無人機"), columns("कि")
    (5, 6, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, letters(text)))


def _columns(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter[0]) in "WF" else 1


def cut(text: str, most: int) -> str:
    """Return the text, or its beginning and "…" where it takes more than `most` columns.

    A letter is never separated from its marks. The cut is between words where that costs little,
    and before an id in brackets at the end, by which namesakes are told apart.

    Examples
    --------
    >>> cut("Drone", 8), cut("Überlandleitung", 8), cut("Roof of the harbour", 14)
    ('Drone', 'Überlan…', 'Roof of the…')
    >>> cut("Power line – inspection", 14), cut("Roof & masts", 8)
    ('Power line…', 'Roof…')
    >>> cut("Roof of the harbour (proj_7)", 23), cut("Crop health, Nesbukt (proj_ff6de7b706)", 34)
    ('Roof of the… (proj_7)', 'Crop health… (proj_ff6de7b706)')
    """
    if 2 * len(text) <= most or columns(text) <= most:
        return text
    end = id_at_end(text)
    end = end if 3 * columns(end) <= 2 * most else ""
    beginning, room = "", most - 1 - columns(end)
    for letter in letters(text):
        room -= _columns(letter)
        if room < 0:
            break
        beginning += letter
    words = beginning.rpartition(" ")[0]
    if 3 * columns(words) >= 2 * columns(beginning):
        beginning = words
    return f"{beginning.rstrip(_BETWEEN)}…{end}"


def id_at_end(text: str) -> str:
    """Return the id in brackets that ends a name, with the blank before it; "" without one.

    Examples
    --------
    >>> id_at_end("Roof (proj_7)"), id_at_end("Roof")
    (' (proj_7)', '')
    """
    ending = _ID.search(text)
    return ending[0] if ending else ""


def em(text: str) -> float:
    """Return the approximate width of a text in the report's font, not less than the true one [em].

    Examples
    --------
    >>> round(em("Drone"), 1), round(em("1,024"), 1), round(em("無人機"), 1)
    (3.1, 3.4, 3.2)
    """
    if text.isascii():
        return sum(_WIDTHS.get(letter, _OTHER) for letter in text)
    return sum(
        _WIDE if _columns(letter) == 2 else _WIDTHS.get(letter, _OTHER) for letter in letters(text)
    )
