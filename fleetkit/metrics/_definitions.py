"""Definitions of terms, read from the docstrings of the functions that count them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from fleetkit.errors import InvalidValue

__all__ = ["definitions_of"]

_SECTION = re.compile(r"^Definitions\n-+\n(.*?)(?=\n\n\S|\Z)", re.MULTILINE | re.DOTALL)
_TERM = re.compile(r"^(\S.*)\n((?: +.*\n?)+)", re.MULTILINE)
_REFERENCE = re.compile(r"See `(\w+)`\.")


def definitions_of(name: str, functions: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    """Return term → text, as the section ``Definitions`` of a function's docstring has them.

    A term whose text is ``See `name`.`` has that of the function `name`.

    Raises
    ------
    InvalidValue
        There is no such section.
    """
    section = _SECTION.search(inspect.getdoc(functions[name]) or "")
    if not section:
        raise InvalidValue(
            f"The metric {name!r} has no definition.",
            advice="Write one in its docstring, in a section Definitions; python -OO drops all.",
        )
    terms = {term: " ".join(text.split()) for term, text in _TERM.findall(section[1])}
    for term, text in terms.items():
        reference = _REFERENCE.fullmatch(text)
        if reference:
            terms[term] = definitions_of(reference[1], functions)[term]
    return terms
