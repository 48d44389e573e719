"""Definitions of terms, read from the docstrings of the functions that count them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

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
    section = _SECTION.search(_docstring(functions[name]))
    if not section:
        raise InvalidValue(
            f"The metric {brief(name)} has no definition.",
            advice="Write one in its docstring, in a section Definitions. python -OO reads it from "
            "the source, which must be installed.",
        )
    terms = {term: " ".join(text.split()) for term, text in _TERM.findall(section[1])}
    for term, text in terms.items():
        reference = _REFERENCE.fullmatch(text)
        if reference:
            terms[term] = definitions_of(reference[1], functions)[term]
    return terms


def _docstring(function: Callable[..., Any]) -> str:
    """Return a function's docstring; from its source, where ``python -OO`` left it out."""
    documentation = inspect.getdoc(function)
    if documentation is None:
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except OSError:  # installed without sources
            return ""
        definition = ast.parse(source).body[0]
        if isinstance(definition, ast.FunctionDef):
            documentation = ast.get_docstring(definition)
    return documentation or ""
