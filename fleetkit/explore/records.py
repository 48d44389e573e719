"""The record of an explorer, below it: what readers without a kernel see of the newest state.

A saved widget is nothing without its kernel: JupyterLab says "model not found" in its place. So
each cell that shows an explorer has another output, which follows the explorer's state and is
hidden while the explorer lives. Its style is an output of its own: a browser that gets one anew
with each state looks for it in the whole page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from IPython.display import display

__all__ = ["Records"]

# How many cells that show one explorer have a record that follows it: the latest ones.
_CELLS = 4
_display: Callable[..., Any] = display  # IPython has no types


class Records:
    """The records of one explorer, in every cell that shows it."""

    def __init__(self) -> None:
        self._displays: deque[str] = deque(maxlen=_CELLS)

    def show(self, look: str, bundle: dict[str, Any], record: str) -> None:
        """Show the explorer and its record as the outputs of a cell.

        Parameters
        ----------
        look : str
            HTML of the record's style.
        bundle : dict
            The explorer, by MIME type.
        record : str
            HTML of its state.
        """
        name = uuid4().hex
        _display({"text/html": look}, raw=True)
        _display(bundle, raw=True)
        _display({"text/html": record}, raw=True, display_id=name)
        self._displays.append(name)

    def update(self, write: Callable[[], str]) -> None:
        """Replace the record, where a cell shows the explorer, by what is written now."""
        record = write() if self._displays else ""
        for name in self._displays:
            _display({"text/html": record}, raw=True, display_id=name, update=True)
