"""What the tests of sentences share: numbers as they are read, and which function a test proves."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import fleetkit

__all__ = ["NUMBER", "proves", "read", "sentence_functions", "stated", "written"]

NUMBER = r"(−?[\d,]+(?:\.\d+)?)"
# How many per cent a share is.
PER_CENT = rf"((?:under |over )?{NUMBER[1:-1]})"
# Functions by which code says something, in any language.
_SAYING = {"say", "say_count", "counted"}
# Where sentences are made.
_FOLDERS = ("reports", "metrics")
_ROOT = Path(fleetkit.__file__).parent
Test = TypeVar("Test", bound=Callable[..., Any])
_Function: TypeAlias = tuple[str, ast.FunctionDef]


def read(text: str) -> float:
    """Read a number as it is written in a sentence."""
    return float(text.replace(",", "").replace("−", "-"))


def written(value: float, decimals: int) -> float:
    """Return a number as one reads it, half rounded away from zero."""
    exact = Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return float(exact) + 0.0


def is_per_cent(text: str, exact: float, decimals: int) -> bool:
    """Whether a text says how many per cent something is, and none or all only of what is."""
    bound, _, size = text.rpartition(" ")
    if bound:
        return exact < read(size) == 0.1 if bound == "under" else read(size) == 99.9 < exact
    shown = len(size.partition(".")[2])
    is_none_or_all = written(exact, shown) in (0, 100)
    return (
        decimals <= shown <= max(decimals, 1)
        and read(size) == written(exact, shown)
        and is_none_or_all == (round(exact, 9) in (0, 100))
    )


def stated(pattern: str, text: str) -> float:
    """Return the number that stands where a pattern has ``#``; 0 where nothing is said."""
    match = re.search(pattern.replace("#", NUMBER), text)
    return read(match[1]) if match else 0


def proves(*names: str) -> Callable[[Test], Test]:
    """Mark a test by the functions whose sentences it reads back: ``"sentences.money"``."""

    def marked(test: Test) -> Test:
        test.proves = names  # type: ignore[attr-defined]
        return test

    return marked


def sentence_functions() -> set[str]:
    """Return the public functions of reports and metrics that say something: ``"why.why"``.

    Those that call what says it, by themselves or through another function of their module that
    is not public. A folder counts as one module, whose public functions its ``__all__`` names.
    """
    return {
        f"{name}.{function}"
        for folder in _FOLDERS
        for name, functions, is_public in _modules(_ROOT / folder)
        for function in _saying(functions, is_public)
        if is_public(function)
    }


def _modules(folder: Path) -> Iterator[tuple[str, list[_Function], Callable[[str], bool]]]:
    """Return the name of each module of a folder, its functions, and which are public."""
    for path in folder.glob("*.py"):
        yield path.stem, [*_functions(path)], _has_no_underscore
    for path in folder.glob("*/__init__.py"):
        exported = import_module(f"fleetkit.{folder.name}.{path.parent.name}").__all__
        functions = [pair for module in path.parent.glob("*.py") for pair in _functions(module)]
        yield path.parent.name, functions, exported.__contains__


def _has_no_underscore(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def _saying(functions: list[_Function], is_public: Callable[[str], bool]) -> set[str]:
    called = {name: _called(function) for name, function in functions}
    saying = {name for name, names in called.items() if names & _SAYING}
    while True:
        inner = {name.split(".")[-1] for name in saying if not is_public(name)}
        more = {name for name, names in called.items() if names & inner} - saying
        if not more:
            return saying
        saying |= more


def _functions(path: Path) -> Iterator[_Function]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
            yield from ((f"{node.name}.{method.name}", method) for method in methods)


def _called(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function calls, and those of its object that it reads."""
    nodes = list(ast.walk(function))
    calls = {node.func.id for node in nodes if isinstance(node, ast.Call) and _is_name(node.func)}
    own = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and _is_name(node.value) and node.value.id == "self"
    }
    return calls | own


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)
