"""Every public function shows an example, and the examples run."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import fleetkit as fk

# What analysts hold: its methods are as public as functions are.
_HELD = (fk.Fleet, fk.MirroredFleet, fk.Filter, fk.Period)


def _functions(module: ModuleType, name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    for public in module.__all__:
        value = getattr(module, public)
        if isinstance(value, ModuleType):
            yield from _functions(value, f"{name}.{public}")
        elif inspect.isfunction(value):
            yield f"{name}.{public}", value


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(kind).items():
        is_method = inspect.isfunction(value) or isinstance(value, classmethod | staticmethod)
        if is_method and not name.startswith("_"):
            yield f"fk.{kind.__name__}.{name}", getattr(kind, name)


PUBLIC = dict(_functions(fk, "fk"))
for _kind in _HELD:
    PUBLIC.update(_methods(_kind))


@pytest.mark.parametrize("function", PUBLIC.values(), ids=PUBLIC.keys())
def test_a_public_function_shows_an_example_that_is_run(function):
    [*examples] = doctest.DocTestFinder(recurse=False).find(function, function.__qualname__)
    assert "Examples\n--------\n" in inspect.getdoc(function)
    assert [example for test in examples for example in test.examples if example.want]


def test_the_public_functions_are_found():
    assert {"fk.connect", "fk.metrics.flight_hours", "fk.charts.recency", "fk.report"} <= set(
        PUBLIC
    )
    assert {"fk.Fleet.flights", "fk.Filter.to_options", "fk.Period.read"} <= set(PUBLIC)


def test_the_examples_run_with_the_tests(pytestconfig):
    assert {"tests", "fleetkit"} <= set(pytestconfig.getini("testpaths"))
    assert pytestconfig.getoption("doctestmodules")
