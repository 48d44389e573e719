"""Texts of CSV that a spreadsheet would run: an apostrophe keeps each from it; taken away again."""

from __future__ import annotations

import re

__all__ = ["escaped", "unescaped"]

# A cell that starts so is a formula to a spreadsheet, also behind blanks or in full width. One with
# apostrophes before it gets one more: an import takes one away, and has each text as it was.
_FORMULA = re.compile(r"'*(?:[\s\x00-\x1f]*[=+\-@＝＋－＠]|[\t\r\n])")
# A spreadsheet in German or Norwegian begins a cell at each semicolon, and a row at a line end in
# what it doesn't take for quoted. There, what calls a function or a program gets an apostrophe.
_BEGINS = r"([;\t\r\n])"
_CALLS = r"""(?=(?:[^\S\t\r\n]|[\x00-\x08\x0e-\x1f'"])*[=+\-@＝＋－＠][^;\t\r\n]*[(|])"""
_WITHIN = re.compile(_BEGINS + _CALLS)
_ESCAPED_WITHIN = re.compile(f"{_BEGINS}'{_CALLS}")


def escaped(text: str) -> str:
    """Return a text that no spreadsheet runs.

    Examples
    --------
    >>> escaped("=1+1"), escaped("Roof;=A(1)"), escaped("Roof")
    ("'=1+1", "Roof;'=A(1)", 'Roof')
    """
    return ("'" if _FORMULA.match(text) else "") + _WITHIN.sub(r"\1'", text)


def unescaped(text: str) -> str:
    """Return the text that `escaped` was given.

    Examples
    --------
    >>> unescaped("'=1+1"), unescaped("Roof;'=A(1)"), unescaped("'Roof'")
    ('=1+1', 'Roof;=A(1)', "'Roof'")
    """
    text = _ESCAPED_WITHIN.sub(r"\1", text)
    return text[1:] if text.startswith("'") and _FORMULA.match(text, 1) else text
