"""`report`: a period in; HTML, PDF, working papers and a manifest out, or the old ones untouched.

One state of the data for all sections: a live fleet is loaded once into a mirror, and every
notebook opens that mirror. The key never enters a notebook.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from fleetkit import language
from fleetkit import mirror as mirrors
from fleetkit import settings as settings_module
from fleetkit.arguments import checked_folder, checked_names, checked_path, is_whole_number
from fleetkit.engines import Engine, Pandas, check_engine_name, engine_of_reports
from fleetkit.errors import InvalidValue, MirrorError, ReportError
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.progress import Progress, Steps, check_progress
from fleetkit.fleet.restating import state_at
from fleetkit.interface import RAISE_FILE_SIZE, brief, worded
from fleetkit.language import say
from fleetkit.mirror import Mirror
from fleetkit.mirror.locations import address
from fleetkit.notices import notify
from fleetkit.paths import keep_mode
from fleetkit.reports import chapters, freshness, manifest, render
from fleetkit.reports.checks import check_before_loading, check_data
from fleetkit.reports.discovery import Notebook
from fleetkit.reports.folders import MANIFEST, failed_folder, replaced
from fleetkit.reports.kernels import Kernels, kernels
from fleetkit.reports.notebooks import Run, check_threads, run
from fleetkit.reports.output import FORMATS, Format, Output, check_accessible, checked_formats
from fleetkit.reports.paths import Paths
from fleetkit.reports.pdf import glyph_note
from fleetkit.reports.scope import scope
from fleetkit.reports.span import Span, last_before, last_sync, span
from fleetkit.reports.subject import Subject
from fleetkit.reports.templates import Templates
from fleetkit.reports.texts import moment
from fleetkit.settings import Settings
from fleetkit.temporary import HERE_GONE, TemporaryFolder, is_here_gone
from fleetkit.time import Moment, Period, instant

__all__ = ["BY_FILTER", "check_mirrored", "checked_span", "open_data", "report", "subject_of"]

_SECTIONS, _MIRROR = "sections", "mirror"
# Advice where an argument is a filter.
BY_FILTER = "filter=fk.Filter(…) narrows by client, type, night and more."


@checked_names("argument of fk.report", BY_FILTER)
def report(
    period: Any = None,
    *,
    fleet: Fleet,
    out: str | Path = "reports",
    formats: Iterable[Format] | Format = FORMATS,
    filter: Filter | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    strict: bool = False,
    allow_gaps: bool = False,
    allow_empty: bool = False,
    mirror: str | Path | None = None,
    sections: Iterable[str] | str | None = None,
    notebooks: str | Path | None = None,
    templates: str | Path | None = None,
    max_age: timedelta | None = None,
    changed_since: Moment | int | None = None,
    lang: str | None = None,
    data: bool = False,
    accessible: bool = False,
    engine: Engine | Pandas | str | None = None,
    progress: bool | Steps = True,
) -> Paths:
    """Make the report of a period.

    Parameters
    ----------
    period : str, int, date, pandas.Period or Period, optional
        ``"2026-10"``, ``"2026-Q4"``, ``"2026"``, ``"2026-W41"``; default: the last complete month
        in the fleet's time zone.
    fleet : Fleet
        A live one is loaded once; one from a mirror is reported as it is.
    out : path
        Takes a folder per period, such as ``reports/2026-10``, replaced whole.
    formats : iterable of {"html", "pdf"}
    filter : Filter, optional
        Narrows the report further than the fleet is. A filtered report has a folder of its own.
    settings : Settings or dict, optional
        Default: the fleet's own.
    strict : bool
        Refuse, where the key can't read what a section needs; else the section is left out and
        named.
    allow_gaps : bool
        Show a box where a section failed; else nothing is written.
    allow_empty : bool
        Report on a period before the first flight, and on a filter with a value that no record
        has; else that is an error.
    mirror : path, optional
        Keep the data that a live fleet loads in this mirror; default: a temporary one. A fleet
        that is read from another mirror is refused with it.
    sections : str or iterable of str, optional
        Names of the sections to show, in this order; default: all. The report takes the place of
        one with all sections.
    notebooks : path, optional
        Folder of section notebooks of one's own, which are added to fleetkit's; one of the same
        name replaces fleetkit's.
    templates : path, optional
        Folder of templates of one's own, each of which goes before fleetkit's of the same name.
    max_age : timedelta, optional
        Oldest data to report on. A fleet from a mirror that is older is refused; a live one is
        loaded only where `mirror` is older. Default: a mirror as it is, a live fleet anew.
    changed_since : str, date, datetime or int, optional
        What "changed since the last report" means: since the newest state of the mirror until this
        moment, or since that of this version. Default: since the first sync at or after the end of
        the period before. Reports of a mirror with a single sync show no changes.
    lang : str, optional
        Language: ``"en"``, ``"de"``, ``"nb"``, or the path of a catalogue of one's own, such as
        ``"fr.po"``. Default: the setting `lang`.
    data : bool
        Write the data beside the report: in ``data/``, every chart and table whole as CSV, all of
        them with their definitions in ``report.xlsx``, and the period's flights in
        ``flights.parquet``.
    accessible : bool
        Make the PDF a tagged one (PDF/UA), which screen readers can tell apart: headings, heads of
        tables, what charts show. It needs the extra ``accessible`` and takes longer.
    engine : {"polars", "pandas", "duckdb", "dask", "spark"} or the address of a cluster
        What counts over more than the period's flights: the months that are compared, and all
        history. Every engine gives the same figures; pandas loads all flights into memory.
        Default: the setting `engine`, else Polars.
    progress : bool or object
        Show how many sections are done, where a terminal or a notebook is open; or an object with
        ``start``, ``advance`` and ``done``, as `fleetkit.fleet.progress.Steps` has them.

    Raises
    ------
    InvalidValue
        An argument that can't be right.
    NothingToReport
        The period lies after the data, or before the first flight, or no record has a value of the
        filter.
    ReportError
        The folder can't be written, a section failed, or a scope is missing in a strict report.
        An earlier report of the same name is left as it is.
    ApiError, MirrorError
        The data could not be read whole, or are older than `max_age`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> paths = fk.report("2026-10", fleet=fleet, sections="flight_hours", formats=["html"])
    >>> paths.html.name
    'report.html'
    """
    formats, oldest = checked_formats(formats), freshness.checked(max_age)
    out = checked_folder(out)
    check_progress(progress)
    if accessible:
        check_accessible(formats)
    if engine is not None:
        check_engine_name(engine)
    fleet = check_fleet(fleet, "fk.report")
    check_mirrored(fleet, mirror, changed_since)
    subject = subject_of(fleet, period, filter, settings, lang)
    engine = engine_of_reports(engine, subject.settings.engine, subject.settings.clusters)
    available, layout = chapters.available(notebooks), Templates(templates)
    asked, others = chapters.chosen(available, sections)
    layout.check([notebook.name for notebook in available])
    check_before_loading(fleet, subject, allow_empty=allow_empty)
    task = _Task(
        fleet,
        subject,
        out / subject.folder,
        Output(formats, data=data, accessible=accessible, templates=layout),
        engine,
        chapters=partial(chapters.parted, asked, others, strict=strict),
        is_chosen=sections is not None,
        allow_gaps=allow_gaps,
        allow_empty=allow_empty,
        progress=Progress() if progress is True else progress or None,
    )
    check_threads(len(asked))
    # Kernels import what they need while the data are loaded.
    with kernels() as manager, _written(task.final) as folder, _place(folder) as place:
        timings = _Timings()
        state = _load(task, place, mirror, oldest)
        since = checked_span(state, subject, changed_since)
        timings.end("load")
        record = _make(task, state, since, folder, manager=manager, timings=timings)
        shutil.rmtree(place / _MIRROR, ignore_errors=True)
        manifest.write({**record, "timings": timings.seconds}, folder)
    shutil.rmtree(failed_folder(task.final), ignore_errors=True)
    return task.output.paths(task.final, task.final / MANIFEST)


@dataclass(frozen=True)
class _Task:
    """What a report is asked to be, once its arguments are read."""

    fleet: Fleet
    subject: Subject
    final: Path
    output: Output
    engine: str
    chapters: Callable[..., Any]
    is_chosen: bool
    allow_gaps: bool
    allow_empty: bool
    progress: Steps | None


def _load(task: _Task, place: Path, path: str | Path | None, oldest: timedelta | None) -> Mirror:
    """Return the data of a report, if there is something to report of them."""
    state = open_data(task.fleet, place, path, oldest)
    if task.fleet.mirror is None:
        loaded = MirroredFleet(state, tz=task.fleet.tz)
        check_data(loaded, task.subject, allow_empty=task.allow_empty)
    return state


def _make(
    task: _Task,
    state: Mirror,
    since: Span | None,
    folder: Path,
    *,
    manager: type[Kernels],
    timings: _Timings,
) -> dict[str, Any]:
    """Run the notebooks, write the files of a report, and return the record for its manifest."""
    subject = task.subject
    parted = partial(
        task.chapters,
        since,
        subject.filter,
        state.missing,
        last_sync=last_sync(state, subject.period),
        is_chosen=task.is_chosen,
    )
    shown, gaps = parted()
    values = _parameters(subject, state, since, folder, task.engine)
    runs = _run(shown, values, folder, task.progress, manager)
    timings.end("notebooks")
    _check(runs, task.final, folder, allow_gaps=task.allow_gaps)
    with language.using(subject.settings.lang):
        made = _sections(shown, runs, folder, subject.filter)
        failed = [{"title": one["title"], "reason": one["gap"]} for one in made if "gap" in one]
        # The reasons once more, in the report's language.
        others = [gap for kind in parted()[1].values() for gap in kind]
        context = subject.so_far(state).context(state, [*failed, *others], _warnings(made))
        context["is_chosen"] = task.is_chosen
        unprintable = task.output.write(
            folder, made, context, subject=subject, state=state, done=timings.end
        )
    if unprintable:
        notify(f"{glyph_note(unprintable)} The PDF's last page says so.")
    return {
        **manifest.record(
            subject, state, since, accessible=task.output.accessible, engine=task.engine
        ),
        "formats": list(task.output.formats),
        "accessible": task.output.accessible,
        "engine": task.engine,
        "sections": [asdict(outcome) for outcome in runs],
        "templates": task.output.templates.checksums,
        **gaps,
        "warnings": context["warnings"],
        "characters_without_glyph": unprintable,
    }


class _Timings:
    """How long each step took, in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def end(self, step: str) -> None:
        now = time.perf_counter()
        self.seconds[step] = round(now - self._since, 3)
        self._since = now


@contextmanager
def _written(final: Path) -> Iterator[Path]:
    """Give the folder to build in; say in one line when it, or what is in it, can't be written."""
    try:
        with replaced(final) as folder:
            yield folder
    except OSError as problem:
        raise ReportError(
            f"The report can't be written to {final}: {problem.strerror or problem}.",
            advice=_advice(problem),
        ) from problem


def _advice(problem: OSError) -> str:
    if is_here_gone():  # notebooks run from there
        return HERE_GONE
    advice = "Choose another folder with " + worded(python="out=…", command_line="--out")
    if problem.errno in {errno.ENOSPC, errno.EDQUOT}:  # notebooks are reached by files there
        return f"{advice}, or make room there and in {tempfile.gettempdir()}."
    if problem.errno == errno.EFBIG:
        return RAISE_FILE_SIZE
    return f"{advice}."


def _place(folder: Path) -> AbstractContextManager[Path]:
    """Return where the mirror of a live fleet is made: in the report's folder, where that can be.

    A report may be in a folder of any name, a mirror may not.
    """
    try:
        address(folder)
    except MirrorError:
        return TemporaryFolder()
    return nullcontext(folder)


def open_data(
    fleet: Fleet, folder: Path, path: str | Path | None, oldest: timedelta | None
) -> Mirror:
    """Return the one state of the data that every section reads."""
    if fleet.mirror is not None:
        _check_mirror(fleet.mirror, path)
        freshness.check_age(fleet.mirror, oldest, fleet.tz)
        return fleet.mirror
    target = str(path or folder / _MIRROR)
    stored = freshness.young_enough(target, fleet.identity, oldest) if path else None
    if stored is None:
        fleet.sync(target)
    return stored or mirrors.open(target, is_temporary=not path)


def _check_mirror(mirror: Mirror, path: str | Path | None) -> None:
    """Refuse to keep what was read from a mirror in another one."""
    if path is None or address(path) == address(mirror.path):
        return
    raise InvalidValue(
        f"A fleet that is read from the mirror {mirror.path} loads nothing to keep in {path}.",
        advice="Leave out mirror=, or open the other one: fk.open_mirror(…).",
    )


def check_mirrored(
    fleet: Fleet, mirror: str | Path | None, changed_since: Moment | int | None
) -> None:
    """Refuse to tell what changed since a moment where no mirror keeps earlier states.

    Raises
    ------
    InvalidValue
        There is none; or what is given is no path, or neither a moment nor a version.
    """
    if mirror is not None:
        checked_path(mirror, "a mirror")
    if changed_since is None:
        return
    if mirror is None and fleet.mirror is None:
        raise InvalidValue(
            "changed_since needs a mirror: what a service tells has no earlier state.",
            advice="Pass mirror=, where its states are kept.",
        )
    if not is_whole_number(changed_since):
        instant(changed_since, fleet.tz)


def checked_span(
    mirror: Mirror, subject: Subject, changed_since: Moment | int | None
) -> Span | None:
    """Return the span of what changed since the last report; None where nothing is known.

    Raises
    ------
    InvalidValue
        Nothing can have changed since the moment that is asked for.
    MirrorError
        The mirror has no such version.
    """
    since, tz = span(mirror, subject.period, changed_since), subject.period.tz
    if changed_since is None:
        before = last_before(mirror, subject.period)
        if before is not None:
            notify(
                "What changed since the last report is left out: no sync ran from "
                f"{moment(before.fetched_at, tz)} until {moment(mirror.fetched_at, tz)}. If that "
                f"report shows version {before.version}, say so: "
                + worded(
                    python=f"changed_since={before.version}.",
                    command_line=f"--changed-since {before.version}.",
                )
            )
        return None if since.is_empty else since
    is_known = state_at(mirror, changed_since, tz) is not None
    if not since.is_empty:
        if not is_known:
            notify(
                f"What changed after {changed_since} is told from {moment(since.since, tz)} on: "
                "the mirror was first synced then."
            )
        return since
    if not is_known:
        raise InvalidValue(
            f"What changed since {changed_since} isn't known: the mirror was first synced at "
            f"{moment(mirror.fetched_at, tz)}, and that is the state which is reported.",
            advice="Report from a later state, or without "
            + worded(python="changed_since=.", command_line="--changed-since."),
        )
    raise InvalidValue(
        f"Nothing can have changed since {changed_since}: the mirror's newest state until then is "
        f"the one that is reported, version {mirror.version}.",
        advice="Choose an earlier moment, or report from a mirror with a longer history.",
    )


def subject_of(
    fleet: Fleet,
    period: Any,
    filter_: Filter | None,
    settings: Settings | Mapping[str, Any] | None,
    lang: str | None,
) -> Subject:
    """Return what a report is about, from the arguments of `report`.

    Raises
    ------
    InvalidValue
        One of them can't be right, such as a language that there is not.
    """
    resolved = settings_module.resolve(fleet.settings if settings is None else settings)
    chosen = language.chosen(resolved.lang if lang is None else lang)
    filtered = fleet.where(filter_).filter
    return Subject(fleet.period(period), fleet.tz, filtered, replace(resolved, lang=chosen))


def _warnings(sections: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the reference doesn't know in any section, each once."""
    return list(dict.fromkeys(text for section in sections for text in section.get("warnings", ())))


def _parameters(
    subject: Subject, mirror: Mirror, since: Span | None, folder: Path, engine: str
) -> dict[str, Any]:
    """Return the notebooks' parameters; paths as seen from where the notebooks are saved."""
    path = str(mirror.path)
    if "://" not in path:
        # Of both without links: from where a link leads to, .. is another folder.
        path = os.path.relpath(Path(path).resolve(), folder.resolve() / "notebooks")
    return {
        "mirror": path,
        # A temporary mirror has one state, and no history.
        "version": None if mirror.is_temporary else mirror.version,
        "period": Period.between(subject.period.since, subject.period.until, subject.tz).name,
        "tz": subject.tz,
        "filters": subject.filter.to_parameters(),
        "settings": subject.settings.public(),
        "lang": subject.settings.lang,
        "engine": engine,
        "out": f"../{_SECTIONS}",
        "changed_since": since.version if since is not None and since.is_chosen else None,
    }


def _run(
    notebooks: Sequence[Notebook],
    values: Mapping[str, Any],
    folder: Path,
    progress: Steps | None,
    manager: type[Kernels],
) -> list[Run]:
    """Run notebooks; return how that went, which includes that they saved their sections."""
    runs = run(notebooks, values, folder / "notebooks", progress, manager)
    saved = {path.parent.name for path in (folder / _SECTIONS).glob("*/section.json")}
    return [
        outcome
        if outcome.problem or outcome.name in saved
        else replace(
            outcome,
            problem=f"it saved no section named {brief(outcome.name)}; "
            "make it with out=out, before any os.chdir, and save it before any sys.exit",
        )
        for outcome in runs
    ]


def _check(runs: Iterable[Run], final: Path, folder: Path, *, allow_gaps: bool) -> None:
    """Refuse a report with a failed section; keep its notebook for whoever mends it."""
    failed = [outcome for outcome in runs if outcome.problem]
    if not failed or allow_gaps:
        return
    target = failed_folder(final)
    shutil.rmtree(target, ignore_errors=True)
    papers = [folder / "notebooks" / f"{outcome.name}.ipynb" for outcome in failed]
    papers = [paper for paper in papers if paper.is_file()]  # a kernel that died leaves none
    if papers:
        target.mkdir(exist_ok=True)
        keep_mode(final, target)
    for paper in papers:
        shutil.copy(paper, target)
    problems = "; ".join(f"{outcome.name}.ipynb, {outcome.problem}" for outcome in failed)
    raise ReportError(
        f"{len(failed)} of the report's sections failed: {problems}.",
        advice=(f"The executed notebooks are in {target}; " if papers else "")
        + worded(python="allow_gaps=True", command_line="--allow-gaps")
        + " reports without them.",
    )


def _sections(
    notebooks: Sequence[Notebook], runs: Sequence[Run], folder: Path, filter_: Filter
) -> list[dict[str, Any]]:
    pairs = zip(notebooks, runs, strict=True)
    return [_section(notebook, outcome, folder, filter_) for notebook, outcome in pairs]


def _section(notebook: Notebook, outcome: Run, folder: Path, filter_: Filter) -> dict[str, Any]:
    if outcome.problem:
        gap = f"{notebook.path.name}, {outcome.problem}"
        return {"name": notebook.name, "title": say(notebook.title), "gap": gap}
    section = render.load_section(folder / _SECTIONS / notebook.name)
    return {**section, "scope": scope(filter_, notebook.subject)}
