"""Imports of what a report needs, without what it doesn't and takes long.

nbformat imports jsonschema, which for its checks of international addresses builds a parser of
their grammar: more than half of the CPU time of all imports of a report. matplotlib writes for each
class of what it draws a list of all that can be set: a third of its own import.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["light_jsonschema", "light_matplotlib"]

_GRAMMAR = "rfc3987_syntax"


@contextmanager
def light_jsonschema() -> Iterator[None]:
    """Let jsonschema, where a block imports it, build that parser when it first checks an address.

    Examples
    --------
    >>> with light_jsonschema():
    ...     import jsonschema
    """
    if _GRAMMAR in sys.modules or "jsonschema" in sys.modules or find_spec(_GRAMMAR) is None:
        yield
        return
    stand_in = ModuleType(_GRAMMAR)
    stand_in.is_valid_syntax = _is_valid_syntax  # type: ignore[attr-defined] # as the module has it
    sys.modules[_GRAMMAR] = stand_in
    try:
        yield
    finally:
        del sys.modules[_GRAMMAR]


def _is_valid_syntax(term: str, value: str) -> bool:
    return bool(import_module(_GRAMMAR).is_valid_syntax(term, value))


@contextmanager
def light_matplotlib() -> Iterator[None]:
    """Let the classes of matplotlib that a block imports be without lists of what can be set.

    What ``help`` shows of them is shorter; they draw as ever.

    Examples
    --------
    >>> with light_matplotlib():
    ...     from matplotlib.axes import Axes
    """
    artist: Any = import_module("matplotlib.artist")
    write = "_update_set_signature_and_docstring"
    if not hasattr(artist.Artist, write):  # another matplotlib than the one that was measured
        yield
        return
    before = artist.Artist.__dict__[write], artist.kwdoc
    setattr(artist.Artist, write, classmethod(lambda _: None))
    artist.kwdoc = lambda _: ""
    try:
        yield
    finally:
        setattr(artist.Artist, write, before[0])
        artist.kwdoc = before[1]
