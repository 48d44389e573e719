"""A progress bar for loads that take long enough to wonder about."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

__all__ = ["Progress"]


class Progress:
    """Draws one tqdm bar per load, in the terminal or in the notebook.

    Shown from the second second on, and only where somebody looks: a terminal or a notebook
    that is open. `tqdm.auto` would leave an empty widget in an executed notebook.
    """

    def __init__(self) -> None:
        self._bar: Any = None

    def start(self, total: int | None, what: str) -> None:
        """Begin a load of `total` steps."""
        self._bar = tqdm(
            total=total, desc=what, unit=" pages", delay=1, leave=False, disable=not _watched()
        )

    def advance(self, count: int = 1) -> None:
        """Count steps that are done."""
        if self._bar is not None:
            self._bar.update(count)

    def done(self) -> None:
        """End the load."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
