"""A metric, and a chart, is found by existing: one module of its name, and nothing to register."""

import ast
import inspect
import re
from pathlib import Path

import nbformat
import pytest
from a_notebook import FOLDER
from declare import PAGE, public_names

from fleetkit import charts, metrics, reports
from fleetkit.errors import InvalidValue

PACKAGES = pytest.mark.parametrize("package", [metrics, charts], ids=["metrics", "charts"])


def _functions(package) -> dict:
    """Return the public functions of a package that stand in modules of their own."""
    public = {name: getattr(package, name) for name in package.__all__}
    return {
        name: value
        for name, value in public.items()
        if inspect.isfunction(value)
        and value.__module__.count(".") == package.__name__.count(".") + 1
    }


def _declared(package) -> set[str]:
    """Return the names that a package declares to type checkers."""
    tree = ast.parse(Path(package.__file__).with_name("_declared.pyi").read_text())
    return {
        f"from {node.module} import {alias.name} as {alias.asname}"
        for node in tree.body
        for alias in node.names
    }


@PACKAGES
def test_a_module_without_an_underscore_is_found(package):
    files = {
        path.stem for path in Path(package.__file__).parent.glob("*.py") if path.stem[0] != "_"
    }
    assert files == {name for name in _functions(package) if name in files}


@PACKAGES
def test_a_function_is_in_the_module_of_its_name(package):
    modules = {
        name: value.__module__.rpartition(".")[2] for name, value in _functions(package).items()
    }
    assert {name: module for name, module in modules.items() if not name.startswith(module)} == {}


@PACKAGES
def test_type_checkers_are_told_of_every_function(package):
    lines = {
        f"from {function.__module__} import {name} as {name}"
        for name, function in _functions(package).items()
    }
    assert sorted(lines - _declared(package)) == [], "run `make format`, which writes them"
    assert sorted(_declared(package) - lines) == [], "run `make format`, which takes them out"


def test_a_chart_has_the_name_of_a_metric_or_of_what_compares_metrics():
    assert set(_functions(charts)) <= {*_functions(metrics), "compare"}


@pytest.mark.parametrize("name", _functions(metrics))
def test_a_metric_defines_its_terms(name):
    terms = metrics.definitions(name)
    assert terms
    assert [text for text in terms.values() if not text.endswith(".")] == []


def test_a_term_is_defined_once():
    texts = {}
    for name in _functions(metrics):
        for term, text in metrics.definitions(name).items():
            texts.setdefault(term, set()).add(text)
    assert {term for term, versions in texts.items() if len(versions) > 1} == set()
    assert set(texts) & set(reports.DEFINITIONS) == set()


def test_a_term_of_another_metric_has_the_text_that_stands_there():
    written = inspect.getdoc(metrics.price_history)
    assert "Seen\n    See `stage_moves`." in written
    [seen] = [text for term, text in metrics.definitions("price_history").items() if term == "Seen"]
    assert seen.startswith("The sync that saw a change")


def test_a_metric_without_a_definition_fails_by_name():
    from fleetkit.metrics._definitions import definitions_of

    def gliding(flights):
        """Count the flights without a motor."""

    with pytest.raises(InvalidValue, match="'gliding' has no definition"):
        definitions_of("gliding", {"gliding": gliding})


def test_a_new_module_is_found_without_being_registered(tmp_path, monkeypatch):
    from fleetkit.namespaces import discover

    package = tmp_path / "a_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_helper.py").write_text("raise ImportError")
    (package / "hours.py").write_text("__all__ = ['hours']\ndef hours(): return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    [[name, function]] = discover("a_package", [str(package)]).items()
    assert (name, function()) == ("hours", 1)


def test_every_public_name_stands_in_the_docs_and_no_other():
    written = re.findall(r"^- `(fk\.[\w.]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert written == list(public_names()), "run `make format`, which writes docs/interface.md"


def test_a_notebook_uses_public_names_only():
    used = {
        ast.unparse(node)
        for path in FOLDER.glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Attribute) and re.fullmatch(r"fk(\.\w+)+", ast.unparse(node))
    }
    assert used
    assert used - set(public_names()) == set()
