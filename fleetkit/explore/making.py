"""The report of what an explorer shows: made in a thread, while the controls go on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from html import escape
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from fleetkit.errors import FleetkitError
from fleetkit.explore.exports import reported_ends
from fleetkit.explore.view import button, problem
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.interrupts import NO_THREAD
from fleetkit.time import Period

__all__ = ["FILES", "ReportMaker"]

# What a report is saved as.
FILES = {"html": "HTML", "pdf": "PDF"}
_log = logging.getLogger(__name__)


class ReportMaker:
    """Makes one report at a time, and says how far it is.

    Parameters
    ----------
    fleet : Fleet
        Whose report it is.
    span : tuple of str or None
        ``[since, until)`` of all data: stands in for an end of the period that is left open.
    show : callable
        Takes HTML: how far it is, then what was made, or why nothing was.
    **options
        As `fleetkit.report` takes them, such as ``out``.
    """

    def __init__(
        self,
        fleet: Fleet,
        span: tuple[str, str] | None,
        show: Callable[[str], None],
        **options: Any,
    ) -> None:
        self._fleet, self._span, self._show, self._options = fleet, span, show, options
        self._busy = Lock()
        self._is_sent_only = False
        self.paths: dict[str, Path] = {}

    def send_only(self, folder: Path) -> None:
        """Make reports in a folder that nobody is told of: they are to be had by the buttons."""
        self._options["out"] = folder
        self._is_sent_only = True

    def start(self, chosen: Filter) -> Thread | None:
        """Begin to make the report of a filter; None where another one is made, or none can be."""
        if not self._busy.acquire(blocking=False):
            return None
        thread = Thread(
            target=copy_context().run, args=(self._run, chosen), name="fleetkit-report", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            self._busy.release()
            self._show(_problem(NO_THREAD))
            return None
        return thread

    def file(self, form: str) -> tuple[str, bytes]:
        """Return name and content of a file of the report that was made last."""
        path = self.paths[form]
        return f"{path.stem}-{path.parent.name}{path.suffix}", path.read_bytes()

    def _run(self, chosen: Filter) -> None:
        try:
            self._show(_note("Making the report: reading the data …"))
            self._show(self._make(chosen))
        except FleetkitError as error:
            self._show(_problem(str(error)))
        except Exception as error:
            _log.exception("A report failed.")
            self._show(_problem(f"{type(error).__name__}: {error}"))
        finally:
            self._busy.release()

    def _make(self, chosen: Filter) -> str:
        """Make the report, and return what is said of it."""
        from fleetkit import reports  # noqa: PLC0415 - they take long to import

        period, is_chosen = self._period(chosen)
        made = reports.report(
            period,
            fleet=self._fleet.whole(),
            filter=replace(chosen, since=None, until=None),
            progress=_Steps(self._show, period.title),
            **self._options,
        )
        self.paths = {form: path for form in FILES if (path := getattr(made, form)) is not None}
        why = "" if is_chosen else " No period is chosen, so it is the latest complete month's."
        saves = "".join(
            button("file", f"Save {FILES[form]}", key=form, value=form) for form in self.paths
        )
        where = ""
        if made.html and not self._is_sent_only:
            where = f" It is in <code>{escape(str(made.html.resolve().parent))}</code>."
        return f"<p>The report of {escape(period.title)} is made.{why}{where}</p><p>{saves}</p>"

    def _period(self, chosen: Filter) -> tuple[Period, bool]:
        """Return the period of the report, and whether it was chosen."""
        if chosen.since is None and chosen.until is None:
            return self._fleet.period(), False
        return Period.between(*reported_ends(chosen, self._span), self._fleet.tz), True


class _Steps:
    """Says how many sections are done."""

    def __init__(self, show: Callable[[str], None], title: str) -> None:
        self._show, self._title = show, title
        self._done = self._total = 0

    def start(self, total: int | None, what: str, unit: str) -> None:
        self._total = total or 0
        self.advance(0)

    def advance(self, count: int = 1) -> None:
        self._done += count
        text = f"Making the report of {self._title}: {self._done} of {self._total} sections"
        bar = f'<progress value="{self._done}" max="{self._total}" aria-hidden="true"></progress>'
        self._show(_note(text, bar))

    def done(self) -> None:
        if self._done == self._total:
            self._show(_note(f"Making the report of {self._title}: putting it together …"))


def _note(text: str, bar: str = "") -> str:
    return f"<p>{escape(text)} {bar}</p>"


def _problem(text: str) -> str:
    return problem(f"The report could not be made: {text}")
