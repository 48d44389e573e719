"""Write what follows from the public names: two stubs and a page; `make format` runs it.

`fleetkit.metrics` and `fleetkit.charts` find their functions when they are imported, which no type
checker does. It reads a stub beside them, which holds one line per function and is written here,
never by hand. ``docs/interface.md`` lists every public name with the first line of its docstring.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import fleetkit as fk

PACKAGES = ("metrics", "charts")
ROOT = Path(__file__).parent.parent / "fleetkit"
LONGEST_LINE = 100


def stub_of(package: str) -> Path:
    """Return the path of a package's stub."""
    return ROOT / package / "_declared.pyi"


def declarations(package: str) -> list[str]:
    """Return the lines of a package's stub: its modules' public functions, by name."""
    modules = [path for path in sorted((ROOT / package).glob("*.py")) if path.stem[0] != "_"]
    return [
        _import(f"fleetkit.{package}.{module.stem}", f"{name} as {name}")
        for module in modules
        for name in _public_names(module)
    ]


def _import(module: str, name: str) -> str:
    """Return an import as the formatter writes it, so that writing the stubs changes nothing."""
    line = f"from {module} import {name}"
    return line if len(line) <= LONGEST_LINE else f"from {module} import (\n    {name},\n)"


def _public_names(module: Path) -> list[str]:
    """Return ``__all__`` of a module that need not be imported for it."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    raise SystemExit(f"{module} has no __all__ that names its functions.")


# What users hold: their methods and properties are as public as functions are.
CLASSES = (fk.Fleet, fk.MirroredFleet, fk.Filter, fk.Period, fk.reports.Section)
PAGE = ROOT.parent / "docs" / "interface.md"


def public_names() -> dict[str, Any]:
    """Return what users call, by the name that they write: ``fk.metrics.idle``."""
    return dict(_members(fk, "fk"))


def _members(owner: ModuleType, name: str) -> Iterator[tuple[str, Any]]:
    for member in sorted(owner.__all__):
        value, path = getattr(owner, member), f"{name}.{member}"
        yield path, value
        if isinstance(value, ModuleType):
            yield from _members(value, path)
        elif value in CLASSES:
            inherited = {other for base in value.__bases__ for other in dir(base)}
            for attribute in sorted(set(dir(value)) - inherited):
                if attribute[0] != "_":
                    yield f"{path}.{attribute}", getattr(value, attribute)


def page() -> str:
    """Return the text of ``docs/interface.md``."""
    lines = ["# Every public name", "", "Written by `make format` from the docstrings.", ""]
    for name, value in public_names().items():
        is_described = callable(value) or isinstance(value, property | ModuleType)
        first = (inspect.getdoc(value) or "").split("\n")[0] if is_described else ""
        lines.append(f"- `{name}`: {first}" if first else f"- `{name}`")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the stubs and the page."""
    for package in PACKAGES:
        lines = ["# Written by `make format`: one line per function.", *declarations(package)]
        stub_of(package).write_text("\n".join(lines) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
