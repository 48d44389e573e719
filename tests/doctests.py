"""Run the examples of fleetkit's docstrings, each in an empty folder and without settings.

A plugin that pyproject.toml names: a conftest reaches no examples outside its own folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# An example that opens the demo starts a server process, as slow tests do.
_STARTS_A_SERVER = "demo("


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples that start a server as slow."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and any(
            _STARTS_A_SERVER in example.source for example in item.dtest.examples
        ):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _example_alone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Give an example an empty folder and no settings, and take back what it left behind."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    for name in [name for name in os.environ if name.startswith("FLEETKIT_")]:
        monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="fleetkit-example-") as folder:
        temporary = Path(folder, "tmp")
        working = Path(folder, "work")
        temporary.mkdir()
        working.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        monkeypatch.chdir(working)
        yield
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        monkeypatch.undo()
