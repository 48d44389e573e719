"""The guide's table of questions: each metric answers one, by a call that the metric takes."""

import ast
import inspect
import re

from manual import ROOT

from fleetkit import metrics

_GUIDE = (ROOT / "docs" / "guide" / "analysis.md").read_text(encoding="utf-8")
_TABLE = _GUIDE.split("| question | call |\n")[1].split("\n\n")[0]


def _calls() -> list[ast.Call]:
    """Return the calls of the table as Python reads them."""
    written = re.findall(r"`([^`]+)`", _TABLE)
    bodies = [ast.parse(text, mode="eval").body for text in written]
    return [body for body in bodies if isinstance(body, ast.Call)]


def test_each_metric_answers_one_question_of_the_guide():
    called = [ast.unparse(call.func) for call in _calls()]
    assert sorted(called) == sorted(set(metrics.__all__) - {"collect", "definitions"})


def test_each_call_of_the_guide_has_the_arguments_that_its_metric_takes():
    for call in _calls():
        signature = inspect.signature(getattr(metrics, ast.unparse(call.func)))
        options = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        given = signature.bind(*call.args, **options).arguments
        # A table is called as the metric calls it.
        named = {name: value.id for name, value in given.items() if isinstance(value, ast.Name)}
        assert {name: value for name, value in named.items() if name != value} == {}
