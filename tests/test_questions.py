"""The guide's table of questions: each metric answers one, by a call that the metric takes."""

import ast
import inspect
import re

import pandas as pd
import pytest
from manual import ROOT

import fleetkit as fk
from fleetkit import metrics

_GUIDE = (ROOT / "docs" / "guide" / "analysis.md").read_text(encoding="utf-8")
_WEEK = re.findall(r"^\| [^|]*\? \| `(.*)` \|$", _GUIDE.split("| question | how |\n")[-1], re.M)
_TABLE = _GUIDE.split("| question | call |\n")[1].split("\n\n")[0]


def _calls() -> list[ast.Call]:
    """Return the calls of the table as Python reads them."""
    written = re.findall(r"`([^`]+)`", _TABLE)
    bodies = [ast.parse(text, mode="eval").body for text in written]
    return [body for body in bodies if isinstance(body, ast.Call)]


def test_each_metric_answers_one_question_of_the_guide():
    called = [ast.unparse(call.func) for call in _calls()]
    expected = sorted(set(metrics.__all__) - {"collect", "definitions"})
    assert sorted(called) == expected, "docs/guide/analysis.md has one row of each in its table"


def test_each_call_of_the_guide_has_the_arguments_that_its_metric_takes():
    for call in _calls():
        signature = inspect.signature(getattr(metrics, ast.unparse(call.func)))
        options = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        given = signature.bind(*call.args, **options).arguments
        # A table is called as the metric calls it.
        named = {name: value.id for name, value in given.items() if isinstance(value, ast.Name)}
        assert {name: value for name, value in named.items() if name != value} == {}


@pytest.fixture(scope="module")
def tables():
    """Return what the guide's calls are written with, of the demo."""
    fleet = fk.demo(as_of="2026-11-20")
    flights = fleet.flights()
    return {
        **{name: getattr(metrics, name) for name in metrics.__all__},
        **{"fk": fk, "fleet": fleet, "flights": flights, "bridge": fleet.flight_equipment()},
        **{"equipment": fleet.equipment(), "projects": fleet.projects(), "as_of": "2026-11-20"},
        **{"services": fleet.services(), "tiers": fleet.tiers()},
        "hours": metrics.flight_hours(flights),
    }


@pytest.mark.parametrize("call", _WEEK)
def test_what_a_week_asks_is_answered_by_the_guide_s_call(call, tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = eval(call, tables)  # noqa: S307 - our own guide
    rows = len(answer) if isinstance(answer, pd.DataFrame) else len(str(answer))
    assert rows > 0
    assert bool(list(tmp_path.iterdir())) == ("hours." in call)


def test_the_guide_asks_a_week_s_questions():
    assert len(_WEEK) == 18
