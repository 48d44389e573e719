"""Progress of long loads: one bar, in a terminal or a notebook.

In a terminal tqdm draws it. A notebook gets a display that is updated in place and emptied at the
end: tqdm's own bars leave an empty stripe in the cell, in text as in widgets.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

from fleetkit.client.client import Steps
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, ipython

__all__ = ["Progress", "Steps", "check_progress", "is_notebook"]

# Shorter loads show no bar. [s]
DELAY = 1.0
# A notebook's bar is drawn at most so often. [s]
EVERY = 0.2


def check_progress(progress: Any) -> None:
    """Refuse what is neither yes nor no, nor shows steps.

    Raises
    ------
    InvalidValue
        It is another object, or a text.
    """
    if not (isinstance(progress, bool) or hasattr(progress, "advance")):
        raise InvalidValue(
            f"progress={brief(progress)} is neither yes nor no.",
            advice="Write progress=True or progress=False.",
        )


class Progress:
    """Shows how far a long load or a report is; called from one thread.

    Shown after a second, and only in a terminal or in a notebook that is open. Redirected output
    contains nothing of it.
    """

    def __init__(self) -> None:
        self._bar: tqdm[Any] | _NotebookBar | None = None

    def start(self, total: int | None, what: str, unit: str) -> None:
        """Begin something of `total` steps; None where that isn't known yet.

        Parameters
        ----------
        total : int or None
        what : str
            What is in progress: ``"Reading flights"``.
        unit : str
            What is counted: ``"pieces of equipment"``.
        """
        self.done()
        if is_notebook():
            self._bar = _NotebookBar(total, what, unit)
        elif sys.stderr is not None and sys.stderr.isatty():
            self._bar = _terminal_bar(total, what, unit)

    def advance(self, count: int = 1) -> None:
        """Count steps that are done."""
        if self._bar is not None:
            self._bar.update(count)

    def done(self) -> None:
        """End it and remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def is_notebook() -> bool:
    """Whether this is a notebook's kernel: fleetkit itself imports parts of ipykernel elsewhere."""
    return getattr(ipython(), "kernel", None) is not None


def _terminal_bar(total: int | None, what: str, unit: str) -> tqdm[Any]:
    counted = "{n_fmt}/{total_fmt}" if total else "{n_fmt}"
    bar = "{percentage:3.0f}%|{bar}| " if total else ""
    times = "[{elapsed}<{remaining}]" if total else "[{elapsed}]"
    return tqdm(
        total=total,
        desc=what,
        bar_format=f"{{desc}}: {bar}{counted} {unit} {times}",
        delay=DELAY,
        leave=False,
        dynamic_ncols=True,
    )


class _NotebookBar:
    """A bar in a cell's output."""

    def __init__(self, total: int | None, what: str, unit: str) -> None:
        self._total, self._what, self._unit = total, what, unit
        self._count = 0
        self._handle: Any = None
        self._next = time.monotonic() + DELAY

    def update(self, n: int) -> None:
        self._count += n
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        if self._handle is None:
            from IPython.display import DisplayHandle  # noqa: PLC0415 - in a notebook only

            self._handle = DisplayHandle()  # type: ignore[no-untyped-call] # IPython has no types
            self._handle.display(self._content(), raw=True)
        else:
            self._handle.update(self._content(), raw=True)

    def close(self) -> None:
        if self._handle is not None:
            # Nothing at all: an empty text would leave a line.
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _content(self) -> dict[str, str]:
        of = f" of {self._total:,}" if self._total else ""
        text = f"{self._what}: {self._count:,}{of} {self._unit}"
        share = f"value='{self._count}' max='{self._total}'" if self._total else ""
        return {
            "text/plain": text,
            "text/html": f"<progress {share} aria-label='{self._what}'></progress> {text}",
        }
