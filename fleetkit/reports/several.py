"""`report_by`: a report for each client, pilot, category or project, and a page that lists them.

What all share is loaded once: each report is of the same state of one mirror. They are made side
by side; one that fails leaves the others as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from inspect import signature, unwrap
from pathlib import Path
from typing import Any

import pandas as pd

from fleetkit.arguments import check_switches, checked_folder, refuse_unknown, repeatable
from fleetkit.engines import engine_of_reports
from fleetkit.errors import ClusterError, FleetkitError, Forbidden, NothingToReport, ReportError
from fleetkit.export import write_files
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.progress import Progress
from fleetkit.language import using
from fleetkit.mirror import Mirror
from fleetkit.notices import notify
from fleetkit.reports import chapters, freshness, index, render
from fleetkit.reports.build import (
    BY_FILTER,
    check_mirrored,
    checked_span,
    open_data,
    report,
    subject_of,
)
from fleetkit.reports.checks import check_before_loading, check_data, unreadable
from fleetkit.reports.comparison import reported_period
from fleetkit.reports.discovery import Notebook
from fleetkit.reports.folders import MANIFEST
from fleetkit.reports.groups import Dimension, Group, checked_dimension, groups, hours_of
from fleetkit.reports.index import Entry
from fleetkit.reports.kernels import shared_server, stop_every_kernel
from fleetkit.reports.last_flight import last_flight
from fleetkit.reports.notebooks import shared_by_reports
from fleetkit.reports.on_workers import Makers, check_scheduler, made_by_workers
from fleetkit.reports.output import FORMATS, check_accessible, checked_formats
from fleetkit.reports.paths import Paths
from fleetkit.reports.sentences.words import with_rest
from fleetkit.reports.span import Span, last_sync
from fleetkit.reports.templates import Templates
from fleetkit.reports.waiting import as_completed
from fleetkit.settings import Settings
from fleetkit.temporary import TemporaryFolder
from fleetkit.time import Period

__all__ = ["Reports", "ReportsFailed", "report_by"]

INDEX = "index.html"
# Reports that an error or a notice names.
MOST_NAMED = 3
# Stands for any client, pilot, category or project.
_ANY = "any"


@dataclass(frozen=True)
class Reports:
    """Several reports of one period.

    Parameters
    ----------
    index : Path
        The page that lists them.
    entries : tuple of Entry
        Sorted by name; also those with nothing to report, and those that failed.
    period : str
        Name of the period.
    """

    index: Path
    entries: tuple[Entry, ...]
    period: str

    def of(self, state: str) -> list[Entry]:
        """Return the entries that are ``complete``, ``nothing to report`` or ``failed``."""
        return [entry for entry in self.entries if entry.state == state]

    def __repr__(self) -> str:
        counts = {state: len(self.of(state)) for state in index.STATES}
        texts = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
        return f"Reports(index={self.index}: {texts})"

    def _repr_html_(self) -> str:
        return f"<div>{escape(repr(self))}</div>"


class ReportsFailed(ReportError):
    """Some of several reports failed; the others were made, as ``reports`` tells."""

    def __init__(self, reports: Reports) -> None:
        self.reports = reports
        failed = reports.of("failed")
        errors = [f"{entry.group.name}: {entry.error}" for entry in failed[:MOST_NAMED]]
        named = "; ".join(error.removesuffix(".") for error in errors)
        more = f"; and {len(failed) - MOST_NAMED:,} more" if len(failed) > MOST_NAMED else ""
        others = "The others were made; " if reports.of("complete") else ""
        super().__init__(
            f"{len(failed):,} of {len(reports.entries):,} reports failed: {named}{more}.",
            advice=f"{others}{reports.index} lists all.",
        )


def report_by(
    by: Dimension,
    period: Any = None,
    *,
    fleet: Fleet,
    out: str | Path = "reports",
    filter: Filter | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    mirror: str | Path | None = None,
    max_age: timedelta | None = None,
    lang: str | None = None,
    allow_empty: bool = False,
    scheduler: str | None = None,
    progress: bool = True,
    **options: Any,
) -> Reports:
    """Make a report for each client, pilot, category of equipment or project.

    The report of a client holds nothing of others: see docs/guide/reports.md.

    Parameters
    ----------
    by : {"client", "pilot", "category", "project"}
    period, fleet, filter, settings, mirror, max_age, lang, allow_empty
        As for `report`. The fleet is loaded once.
    out : path
        Takes a folder such as ``2026-10-each-client``, with a folder for each report and
        ``index.html``, which lists them with their first figures.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://dask.example:8786``, whose workers make the
        reports; default: processes of this machine. The workers have this version of fleetkit, and
        reach the mirror by its address; the reports come back to `out`.
    progress : bool
        Show how many reports are done, where a terminal or a notebook is open.
    **options
        Further arguments of `report`, such as ``formats`` and ``sections``.

    Returns
    -------
    Reports
        One without a flight in the period and without an open project has nothing to report.

    Raises
    ------
    InvalidValue
        An argument that can't be right.
    NothingToReport
        As for `report`, or there is nobody to report on.
    ReportError
        Some reports failed; the others, and the index, were written.
    ApiError, MirrorError
        As for `report`.
    ClusterError
        The scheduler can't be reached, or its workers have another fleetkit.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> fk.report_by("month", "2026-10", fleet=fleet)
    Traceback (most recent call last):
    fleetkit.errors.InvalidValue: There is no kind of report named 'month'. There are: client, \
pilot, category, project.
    """
    dimension = checked_dimension(by)
    options = {name: repeatable(value) for name, value in options.items()}
    templates, asked = _checked(options, dimension, has_workers=scheduler is not None)
    fleet = check_fleet(fleet, "fk.report_by")
    changed_since = options.get("changed_since")
    check_mirrored(fleet, mirror, changed_since)
    subject = subject_of(fleet, period, filter, settings, lang)
    defaults = subject.settings.engine, subject.settings.clusters
    engine = engine_of_reports(options.pop("engine", None), *defaults)
    check_before_loading(fleet, subject, allow_empty=allow_empty)
    if scheduler is not None:
        check_scheduler(scheduler, has_mirror=fleet.mirror is not None or mirror is not None)
    folder = checked_folder(out) / f"{subject.folder}-each-{dimension}"
    state = _state(fleet, mirror, freshness.checked(max_age))
    server = shared_server() if scheduler is None else nullcontext()
    with server, shared_by_reports(has_workers=scheduler is not None), state as data:
        whole = MirroredFleet(data, tz=fleet.tz, settings=subject.settings)
        check_data(whole, subject, allow_empty=allow_empty)
        since = checked_span(data, subject, changed_since)
        _check_chapters(asked, since, dimension, data, options, period=subject.period)
        whole = whole.where(subject.filter, allow_empty=True)
        reported = reported_period(whole, subject.period)
        members = _members(whole, dimension, reported, engine)
        arguments = {"allow_empty": True, "engine": engine, **options}
        common = (whole, subject.period, folder, arguments)
        makers = made_by_workers(scheduler, *common) if scheduler else _made_here(*common)
        with makers as (make, placed):
            entries = _made(members, make, placed, Progress() if progress else None)
        flights = whole.flights(reported)
        with using(subject.settings.lang):
            about = subject.so_far(data).context(data, ())
            last_flown = "" if len(flights) else last_flight(whole, reported, engine)
    totals = {**_totals(entries, flights), "last": last_flown, "earlier": _earlier(folder, entries)}
    reports = Reports(folder / INDEX, tuple(entries), subject.period.name)
    with using(subject.settings.lang):
        content = index.context(entries, folder, about, dimension, totals)
        _write(render.index(content, templates), reports.index)
    if reports.of("failed"):
        raise ReportsFailed(reports)
    return reports


def _checked(
    options: Mapping[str, Any], dimension: Dimension, *, has_workers: bool
) -> tuple[Templates, list[Notebook]]:
    """Refuse what would let every report fail; return the templates, and the chosen notebooks."""
    names = [name for name in signature(report).parameters if name != "fleet"]
    refuse_unknown(options, names, "argument of fk.report_by", BY_FILTER)
    check_switches(unwrap(report), options)
    formats = checked_formats(options.get("formats", FORMATS))
    available = chapters.available(options.get("notebooks"))
    asked, _ = chapters.chosen(available, options.get("sections"))
    chapters.check_within(asked, _for_anybody(dimension))
    templates = Templates(options.get("templates"))
    templates.check([notebook.name for notebook in available])
    if options.get("accessible"):
        check_accessible(formats, has_workers=has_workers)
    return templates, asked


def _check_chapters(
    asked: Sequence[Notebook],
    since: Span | None,
    dimension: Dimension,
    data: Mirror,
    options: Mapping[str, Any],
    *,
    period: Period,
) -> None:
    """Refuse what no report can show of these data, as that of `report` does for each."""
    chapters.parted(
        asked,
        (),
        since,
        _for_anybody(dimension),
        data.missing,
        last_sync=last_sync(data, period),
        is_chosen=options.get("sections") is not None,
        strict=options.get("strict", False),
    )


def _for_anybody(dimension: Dimension) -> Filter:
    return Filter.from_parameters({dimension: [_ANY]})


def _members(
    whole: MirroredFleet, dimension: Dimension, period: Period, engine: str
) -> list[Group]:
    """Return whom reports are made for, at least one."""
    try:
        members = groups(whole, dimension, period, engine)
    except Forbidden as problem:
        raise unreadable(f"A report by {dimension}", problem) from None
    if not members:
        raise NothingToReport(f"There is no {dimension} in the data to report on.")
    return members


@contextmanager
def _state(fleet: Fleet, path: str | Path | None, oldest: timedelta | None) -> Iterator[Mirror]:
    """Give the one state of the data that every report is of."""
    with TemporaryFolder() as folder:
        yield open_data(fleet, folder, path, oldest)


@contextmanager
def _made_here(
    whole: MirroredFleet, period: Period, out: Path, options: Mapping[str, Any]
) -> Iterator[Makers]:
    """Make reports on this machine, as many at a time as it has processors."""

    def make(filter_: Filter) -> Paths:
        given = {"filter": filter_, "out": out, "progress": False, **options}
        return report(period, fleet=whole, **given)

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        try:
            yield lambda filter_: pool.submit(make, filter_), lambda paths: paths
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_every_kernel()
            raise


def _made(
    members: Sequence[Group],
    make: Callable[[Filter], Future[Any]],
    placed: Callable[[Any], Paths],
    progress: Progress | None,
) -> list[Entry]:
    """Make the reports side by side."""
    entries = {group.filter: Entry(group, None, {}) for group in members}
    busy = [group for group in members if not group.is_empty]
    if progress is not None:
        progress.start(len(busy), "Making reports", "reports")
    futures = {make(group.filter): group for group in busy}
    try:
        for future in as_completed(futures):
            group = futures.pop(future)  # a report is held no longer than it takes to place it
            entries[group.filter] = _outcome(future, group, placed)
            if progress is not None:
                progress.advance()
    finally:
        if progress is not None:
            progress.done()
    return list(entries.values())


def _outcome(future: Future[Any], group: Group, placed: Callable[[Any], Paths]) -> Entry:
    """Return the entry of a report that is done, or why there is none."""
    try:
        return index.entry(group, placed(future.result()))
    except CancelledError:
        gone = "Dask's scheduler was lost before the report was made. Start it, and report again."
        return index.failed(group, ClusterError(gone))
    except Exception as problem:  # whatever it was, the other reports go on
        return index.failed(group, problem)


def _totals(entries: Sequence[Entry], flights: pd.DataFrame) -> dict[str, Any]:
    """Count the flights that are in any report, each once, and those that are in none."""
    parts = [entry.group.flight_ids for entry in entries if entry.paths is not None]
    ids = frozenset[str]().union(*parts)
    hours = hours_of(flights, ids)
    return {"flights": len(ids), "hours": hours, "others": len(flights) - len(ids)}


def _earlier(folder: Path, entries: Sequence[Entry]) -> list[str]:
    """Return the folders of reports that an earlier run made and this one didn't; say so."""
    made = {entry.paths.manifest.parent.name for entry in entries if entry.paths is not None}
    there = {path.parent.name for path in folder.glob(f"*/{MANIFEST}")}
    names = sorted(name for name in there - made if not name.startswith("."))
    if names:
        named = with_rest(names[:MOST_NAMED], len(names) - MOST_NAMED)
        notify(
            f"{folder} still holds reports that an earlier run made and this one didn't: {named}."
        )
    return names


def _write(page: str, path: Path) -> None:
    """Replace the index at once, so that a reader finds the old one or the new one."""
    try:
        write_files({path: page.encode()})
    except FleetkitError as problem:
        raise ReportError(problem.message, advice=problem.advice) from problem.__cause__
