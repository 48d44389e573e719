"""Packages stand in layers: imports go downwards only, and public names load when asked for."""

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml
from manual import MANUAL
from packaging.requirements import Requirement

import fleetkit as fk

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "fleetkit"
LAYERS = {
    "interrupts": -1,
    "garbage": -1,
    "memory": -1,
    "ulimits": -1,
    "interface": -1,
    "namespaces": -1,
    "errors": 0,
    "panics": 0,
    "locks": 0,
    "lettering": 0,
    "formulas": 0,
    "bounds": 0,
    "paths": 0,
    "blanks": 1,
    "temporary": 1,
    "notices": 1,
    "schema": 1,
    "columns": 1,
    "differences": 1,
    "language": 1,
    "credentials": 1,
    "settings": 1,
    "base_url": 1,
    "branding": 1,
    "kinds": 1,
    "thresholds": 1,
    "upkeep": 1,
    "recency_rules": 1,
    "conversion": 1,
    "sources": 1,
    "areas": 1,
    "conditions": 1,
    "exclusion": 1,
    "unassigned": 1,
    "filters": 1,
    "views": 1,
    "rounding": 1,
    "svg": 1,
    "html": 1,
    "arguments": 1,
    "clusters": 1,
    "engines": 1,
    "pairing": 1,
    "context": 1,
    "origins": 1,
    "time": 1,
    "client": 2,
    "tables": 2,
    "metrics": 2,
    "charts": 2,
    "server": 2,
    "export": 2,
    "mirror": 3,
    "notebook_tables": 2,
    "explanation": 3,
    "fleet": 4,
    "comparison": 5,
    "gallery": 6,
    "explore": 6,
    "reports": 5,
    "__init__": 6,
    "cli": 7,
    "__main__": 8,
}
GROUND = {
    "language",
    "rounding",
    "branding",
    "differences",
    "conversion",
    "sources",
    "notices",
    "schema",
    "columns",
    "settings",
    "base_url",
    "kinds",
    "thresholds",
    "upkeep",
    "recency_rules",
    "areas",
    "conditions",
    "exclusion",
    "temporary",
    "blanks",
    "unassigned",
    "filters",
    "views",
    "arguments",
    "clusters",
    "context",
    "engines",
    "origins",
    "time",
}  # may look at each other, without circles


def _package(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def _imports() -> dict[str, set[str]]:
    """Map each module to the modules of fleetkit that it imports, also inside functions."""
    imported: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(path.read_text())
        skipped = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in ast.walk(node)
        }
        imported[name] = set()
        for node in ast.walk(tree):
            if id(node) in skipped:
                continue
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fleetkit"):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                imported[name] |= {name if _is_module(name) else node.module for name in names}
            elif isinstance(node, ast.Import):
                imported[name] |= {a.name for a in node.names if a.name.split(".")[0] == "fleetkit"}
    return imported


def _is_module(name: str) -> bool:
    path = ROOT / Path(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.slow
def test_a_package_imports_only_from_layers_below_it():
    assert {_package(module) for module in _imports()} == set(LAYERS), "LAYERS has a layer of each"
    wrong = [
        f"{module} imports {target}"
        for module, targets in _imports().items()
        for target in targets
        if _package(module) != _package(target)
        and LAYERS[_package(target)] >= LAYERS[_package(module)]
        and not {_package(module), _package(target)} <= GROUND
    ]
    assert wrong == []


@pytest.mark.slow
def test_modules_do_not_import_in_circles():
    packages = {name for name in _imports() if (ROOT / Path(*name.split("."))).is_dir()}
    graph = {
        name: {target for target in targets if target != name and not name.startswith(f"{target}.")}
        for name, targets in _imports().items()
        if name not in packages
    }
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) >= len(graph)


@pytest.mark.slow
def test_no_package_imports_what_another_one_calls_private():
    private = [
        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("fleetkit.")
        and path.relative_to(PACKAGE).parts[0] != node.module.split(".")[1]
        and any(re.match(r"_(?!_)", name) for name in (*node.module.split("."), *_names(node)))
    ]
    assert private == []


def _names(node: ast.ImportFrom) -> list[str]:
    return [alias.name for alias in node.names]


@pytest.mark.slow
def test_the_imports_of_each_package_are_counted_and_the_mirror_s_are_few(capsys):
    modules = Counter(_package(module) for module in _imports())
    pairs = [
        (_package(one), _package(other)) for one, targets in _imports().items() for other in targets
    ]
    inside = Counter(one for one, other in pairs if one == other)
    outside = Counter(one for one, other in pairs if one != other)
    with capsys.disabled():
        print(f"\n{'package':12} {'modules':>8} {'imports inside':>15} {'outside':>8}")
        for package, count in sorted(modules.items()):
            print(f"{package:12} {count:8} {inside[package]:15} {outside[package]:8}")
    assert modules["mirror"] <= 17
    assert inside["mirror"] <= 56


def test_the_server_knows_only_schema_and_errors():
    packages = {
        _package(target)
        for module, targets in _imports().items()
        if _package(module) == "server"
        for target in targets
    }
    assert packages <= {"server", "schema", "columns", "errors", "formulas", "interface", "ulimits"}


def test_import_fleetkit_loads_no_heavy_package():
    code = (
        "import sys, fleetkit; heavy = ('pandas', 'narwhals', 'matplotlib', 'papermill', "
        "'ipywidgets', 'starlette', 'sqlalchemy', 'deltalake', 'requests', 'jinja2'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("name", fk.__all__)
def test_every_public_name_is_loaded(name):
    assert getattr(fk, name) is not None


def test_dir_shows_names_for_users_only():
    assert dir(fk) == sorted([*fk.__all__, "__version__"])
    assert dir(fk.metrics) == sorted(fk.metrics.__all__)
    assert dir(fk.charts) == sorted(fk.charts.__all__)


def test_help_begins_with_the_four_ways_to_open_a_fleet():
    assert re.findall(r"^``(\w+)\(", fk.__doc__, re.M) == [
        "connect",
        "demo",
        "open_mirror",
        "report",
    ]


def test_every_error_is_a_public_name():
    from fleetkit import errors

    assert set(errors.__all__) <= set(fk.__all__)


def _pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_environment_yml_asks_for_the_same_packages_as_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    listed = [
        requirement for requirement in environment["dependencies"] if isinstance(requirement, str)
    ]
    piped = next(
        requirement["pip"]
        for requirement in environment["dependencies"]
        if isinstance(requirement, dict)
    )
    asked = {requirement.replace("python-tzdata", "tzdata") for requirement in (*listed, *piped)}
    own = {"pip", "make", "--editable .", f"python{_pyproject()['requires-python']}"}
    extras = _pyproject()["optional-dependencies"]
    assert asked - own == {*_pyproject()["dependencies"], *extras["lab"], *extras["explore"]}


def test_the_readme_says_of_every_dependency_what_it_is_for():
    readme = (ROOT / "README.md").read_text()
    names = {re.split(r"[<>=\[]", requirement)[0] for requirement in _pyproject()["dependencies"]}
    rows = set(re.findall(r"^\| `?([a-z0-9_-]+)`? \|", readme, flags=re.MULTILINE))
    assert names - rows == set()


def test_the_readme_lists_the_extras_that_add_something_to_an_installed_fleetkit():
    readme = (ROOT / "README.md").read_text()
    listed = readme.split("adds an extra to either; there are ")[1].split(".\n")[0]
    # Polars comes with fleetkit; the tests and the benchmarks need a checkout.
    adding = set(_pyproject()["optional-dependencies"]) - {"polars", "test", "bench"}
    assert re.findall("`([a-z]+)`", listed) == sorted(adding)


def test_each_engine_of_scan_is_an_extra_that_the_guides_name():
    from fleetkit.engines import ENGINES

    assert set(ENGINES) <= set(_pyproject()["optional-dependencies"])
    installed = {Requirement(text).name for text in _pyproject()["dependencies"]}
    extras = [name for name in ENGINES if name not in installed]
    assert [name for name in extras if f"[{name}]" not in MANUAL] == []


def test_each_engine_takes_frames_and_reads_the_files_of_a_mirror():
    from fleetkit.engines import ENGINES, frames
    from fleetkit.mirror import scanning

    assert (set(frames._READERS), set(scanning._ENGINES)) == (set(ENGINES), set(ENGINES))


@pytest.mark.slow
def test_what_benchmarks_import_is_asked_for_by_the_extra_bench_and_by_the_tests():
    modules = {
        alias.name.split(".")[0] if isinstance(node, ast.Import) else node.module.split(".")[0]
        for path in (ROOT / "benchmarks").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    own = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    own |= {"fleetkit", "numpy"}  # numpy comes with pandas
    packages = modules - own - sys.stdlib_module_names
    for extra in ("bench", "test"):
        assert packages - _packages_of(extra) == set()


def _packages_of(extra: str) -> set[str]:
    """Return the names of what an extra asks for, with what the package itself does."""
    extras = _pyproject()["optional-dependencies"]
    names = {re.split(r"[<>=\[]", requirement)[0] for requirement in _pyproject()["dependencies"]}
    for requirement in extras[extra]:
        own = re.fullmatch(r"fleetkit\[(.+)\]", requirement)
        if own:
            names = names.union(*(_packages_of(name) for name in own[1].split(",")))
        else:
            names.add(re.split(r"[<>=\[]", requirement)[0])
    return names


def test_the_lower_bounds_of_the_changelog_are_those_that_are_asked_for():
    text = (ROOT / "CHANGELOG.md").read_text().split("Lower bounds are those that work: ")[1]
    named = dict(re.findall(r"([a-z]+) (\d[\d.]*\d)", text.split("\n\n")[0]))
    project = _pyproject()
    bounds = {
        (asked := Requirement(line)).name: str(asked.specifier)
        for lines in (project["dependencies"], *project["optional-dependencies"].values())
        for line in lines
    }
    assert len(named) == 7
    assert [name for name in named if f">={named[name]}" not in bounds[name].split(",")] == []


def test_the_version_stands_in_one_place_twice():
    assert fk.__version__ == _pyproject()["version"]


def test_no_notebook_holds_outputs():
    import nbformat

    cells = [
        (path.name, number)
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells)
        if cell.get("outputs") or cell.get("execution_count")
    ]
    assert cells == []
