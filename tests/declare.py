"""Write what type checkers know of `fleetkit.metrics` and `fleetkit.charts`; `make format` runs it.

Both packages find their functions when they are imported, which no type checker does. It reads a
stub beside them, which holds one line per function and is written here, never by hand.
"""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGES = ("metrics", "charts")
ROOT = Path(__file__).parent.parent / "fleetkit"


def stub_of(package: str) -> Path:
    """Return the path of a package's stub."""
    return ROOT / package / "_declared.pyi"


def declarations(package: str) -> list[str]:
    """Return the lines of a package's stub: its modules' public functions, by name."""
    modules = [path for path in sorted((ROOT / package).glob("*.py")) if path.stem[0] != "_"]
    return [
        f"from fleetkit.{package}.{module.stem} import {name} as {name}"
        for module in modules
        for name in _public_names(module)
    ]


def _public_names(module: Path) -> list[str]:
    """Return ``__all__`` of a module that need not be imported for it."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    raise SystemExit(f"{module} has no __all__ that names its functions.")


def main() -> None:
    """Write the stubs."""
    for package in PACKAGES:
        lines = ["# Written by `make format`: one line per function.", *declarations(package)]
        stub_of(package).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
