"""What a type checker knows of fleetkit: closed sets, and the kind of frame that comes back."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from test_examples import PUBLIC

import fleetkit as fk

ROOT = Path(__file__).parent.parent


def _modules() -> Iterator[Any]:
    for module in pkgutil.walk_packages(fk.__path__, "fleetkit."):
        if module.name != "fleetkit.__main__":
            yield importlib.import_module(module.name)


def _constants(module: Any) -> dict[str, tuple[Any, ...]]:
    """Return the constants of a module that hold texts in an order: tuples, keys of dicts, one."""
    return {
        name: (value,) if isinstance(value, str) else tuple(value)
        for name, value in vars(module).items()
        if re.fullmatch(r"_?[A-Z][A-Z_0-9]*", name) and isinstance(value, tuple | Mapping | str)
    }


LITERALS: dict[str, Any] = {}
CONSTANTS: dict[str, tuple[Any, ...]] = {}
for _module in _modules():
    _prefix = _module.__name__
    LITERALS.update(
        {
            f"{_prefix}.{name}": value
            for name, value in vars(_module).items()
            if get_origin(value) is Literal
        }
    )
    CONSTANTS.update(
        {f"{_prefix}.{name}": constant for name, constant in _constants(_module).items()}
    )
# A module that imports one has it too.
CLOSED = {name.rpartition(".")[2]: get_args(value) for name, value in LITERALS.items()}


def _annotations() -> dict[str, dict[str, str]]:
    """Return the types of each public function's parameters, as they are written."""
    section = fk.reports.Section
    methods = {f"fk.reports.Section.{name}": value for name, value in vars(section).items()}
    return {
        name: {
            parameter.name: str(parameter.annotation)
            for parameter in inspect.signature(function).parameters.values()
        }
        for name, function in {**PUBLIC, **methods}.items()
        if inspect.isroutine(function)
    }


def _closed_in(annotation: str) -> set[str]:
    return set(re.findall(r"\w+", annotation)) & set(CLOSED)


ANNOTATIONS = _annotations()
# The sets that a user chooses from, and of each parameter those that it takes somewhere.
CHOSEN = sorted(
    {token for some in ANNOTATIONS.values() for a in some.values() for token in _closed_in(a)}
)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_closed_set_holds_what_is_checked_when_the_program_runs(name):
    [values] = {
        get_args(literal) for full, literal in LITERALS.items() if full.endswith(f".{name}")
    }
    assert values in CONSTANTS.values()


def test_a_parameter_that_is_closed_somewhere_is_closed_everywhere():
    closed = {
        parameter
        for parameters in ANNOTATIONS.values()
        for parameter, annotation in parameters.items()
        if _closed_in(annotation)
    }
    assert {"by", "order_by", "flight_type", "status", "table", "engine", "auth"} <= closed
    assert {"formats", "severity", "better"} <= closed
    assert [
        f"{function}({parameter}: {annotation})"
        for function, parameters in ANNOTATIONS.items()
        for parameter, annotation in parameters.items()
        if parameter in closed and not _closed_in(annotation) and ".reports." not in function
    ] == []  # of a report's tables, `by` is any column


FRAME = re.compile(r"frame of the kind of `(\w+)`")
METRICS = {
    name: function
    for name in fk.metrics.__all__
    if inspect.isfunction(function := getattr(fk.metrics, name))
    and FRAME.search(inspect.getdoc(function) or "")
}


def test_each_metric_that_gives_a_frame_back_says_of_which_kind():
    functions = {name: getattr(fk.metrics, name) for name in fk.metrics.__all__}
    returned = {
        name
        for name, function in functions.items()
        if inspect.isfunction(function)
        and inspect.signature(function).return_annotation == "FrameT"
    }
    assert len(returned) > 50
    assert returned == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_s_frame_is_of_the_kind_that_its_docstring_says(name):
    signature = inspect.signature(METRICS[name])
    kind = FRAME.search(inspect.getdoc(METRICS[name]))[1]
    assert signature.parameters[kind].annotation == "FrameT"
    assert signature.return_annotation == "FrameT"


def _call(name: str, frame: str) -> str:
    """Write a call of a metric, whose other arguments fit anything."""
    kind = FRAME.search(inspect.getdoc(METRICS[name]))[1]
    given = ", ".join(
        f"{parameter.name}={frame if parameter.name == kind else 'anything'}"
        for parameter in inspect.signature(METRICS[name]).parameters.values()
        if parameter.default is inspect.Parameter.empty
    )
    return f"reveal_type(metrics.{name}({given}))"


KINDS = {
    "pandas.core.frame.DataFrame": "pd.DataFrame",
    "polars.dataframe.frame.DataFrame": "pl.DataFrame",
    "polars.lazyframe.frame.LazyFrame": "pl.LazyFrame",
    "duckdb._relation.DuckDBPyRelation": "duckdb.DuckDBPyRelation",
}
PROGRAMS = {
    "frames": [
        "from typing import Any",
        "import duckdb",
        "import pandas as pd",
        "import polars as pl",
        "from fleetkit import metrics",
        "anything: Any",
        *(f"frame_{number}: {kind}" for number, kind in enumerate(KINDS.values())),
        *(_call(name, f"frame_{number}") for number in range(len(KINDS)) for name in METRICS),
    ],
    "misspelt": [
        "import fleetkit as fk",
        "fleet = fk.demo()",
        "reveal_type(fk.metrics.flight_hours(fleet.flights('2026-10'), by='month'))",
        "fk.metrics.flight_hours(fleet.flights(), by='mnoth')",
        "fk.metrics.flight_hours(fleet.flights(), by=['pilot', 'month'])",
        "fk.metrics.flight_hours(3)",
        "fk.metrics.flight_hours(fleet)",
        "fleet.flights(order_by='date')",
        "fleet.flights(flight_type='Training')",
        "fleet.projects(['DRAFT', 'SOLD'])",
        "fk.report('2026-10', fleet=fleet, formats=['docx'])",
        "fleet.fligths()",
        "fk.metrics.flight_hourz",
    ],
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> dict[str, list[str]]:
    """Return what mypy says of each program, a text per line that it speaks of."""
    folder = tmp_path_factory.mktemp("programs")
    programs = {name: folder / f"{name}.py" for name in PROGRAMS}
    for name, program in programs.items():
        # With a line of its own: of what its cache knows, mypy says nothing again.
        program.write_text("\n".join([f"# {uuid.uuid4()}", *PROGRAMS[name]]))
    options = ["--strict", "--no-pretty", "--no-error-summary", "--hide-error-context"]
    # At once: what the programs import takes longer to read than they do.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, programs.values())],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    return {
        name: [line.split(": ", 1)[1] for line in lines if str(program) in line]
        for name, program in programs.items()
    }


@pytest.mark.slow
def test_the_frame_that_goes_into_a_metric_comes_back_to_a_type_checker(checked):
    expected = [f'note: Revealed type is "{kind}"' for kind in KINDS for _ in METRICS]
    assert checked["frames"] == expected


@pytest.mark.slow
def test_a_type_checker_finds_what_is_misspelt_or_no_frame(checked):
    said = checked["misspelt"]
    codes = [re.search(r"\[([a-z-]+)\]$", line) for line in said[1:]]
    assert said[0] == 'note: Revealed type is "pandas.core.frame.DataFrame"'
    assert [code[1] for code in codes if code] == [
        "arg-type",  # by=
        "type-var",  # 3
        "type-var",  # a fleet
        "call-overload",  # order_by=
        "arg-type",
        "list-item",
        "list-item",
        "attr-defined",
        "attr-defined",
    ]
