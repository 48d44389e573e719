"""Imports of what reads notebooks, without the grammar of addresses that no notebook needs.

nbformat imports jsonschema, which for its checks of international addresses builds a parser of
their grammar: more than half of the CPU time of all imports of a report.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

__all__ = ["light_jsonschema"]

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
