"""Reports made by the workers of a Dask cluster, which hand them back as bytes.

A worker reads the mirror by its address. What lies in files of the caller's machine (notebooks,
templates, a catalogue, a logo) travels with the task; the key stays here. Dask shows the name of a
task and, where one fails, its arguments: so the name is a number, the arguments don't show what
they hold, and a task returns what went wrong.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, TypeAlias
from uuid import uuid4
from weakref import WeakSet

from fleetkit import language
from fleetkit import mirror as mirrors
from fleetkit.clusters import (
    ELSEWHERE,
    LONGEST_START,
    check_workers,
    dask_client,
    engine_at,
    no_worker,
)
from fleetkit.engines import installed
from fleetkit.errors import ClusterError, FleetkitError, InvalidValue, MirrorError, ReportError
from fleetkit.filters import Filter
from fleetkit.fleet import MirroredFleet
from fleetkit.interface import brief, worded
from fleetkit.paths import make_folders
from fleetkit.reports.archives import packed, unpack
from fleetkit.reports.build import report
from fleetkit.reports.folders import failed_folder, replaced
from fleetkit.reports.paths import Paths
from fleetkit.settings import Settings
from fleetkit.temporary import TemporaryFolder
from fleetkit.time import Period

__all__ = ["Makers", "check_scheduler", "made_by_workers"]

# Two functions: one starts a report, the other puts the finished report into its place.
Makers: TypeAlias = tuple[Callable[[Filter], Future[Any]], Callable[[Any], Paths]]

# How often it is asked whether there are workers. [s]
_LOOK = 5.0
# How often a report is begun whose worker dies.
_ATTEMPTS = 2
_FOLDERS = ("notebooks", "templates")
# Stands in an error for the folder that the caller's machine saves notebooks of failed sections in.
_NOTEBOOKS = "{notebooks}"
_OF_WORKERS = (
    "A worker takes the store's address and credentials from its own environment, AWS_… there."
)


@dataclass(frozen=True, repr=False)
class Task:
    """What a worker needs to make a report; its `repr` shows nothing of it.

    Parameters
    ----------
    mirror : str
        Address of the mirror.
    version : int
        Its state.
    period : Period
    filter : Filter
        Of the whole fleet, and of the report.
    settings : Settings
        Without a key.
    tz : str
    options : dict
        Further arguments of `report`.
    files : dict
        Name of an argument → the file or folder that it names, as bytes.
    """

    mirror: str
    version: int
    period: Period
    filter: Filter
    settings: Settings
    tz: str
    options: Mapping[str, Any]
    files: Mapping[str, bytes]


@dataclass(frozen=True, repr=False)
class _Made:
    """A report as bytes with the names of its folder and files, or why there is none.

    Of a report whose sections failed it is their notebooks, whose folder the problem names.
    """

    folder: str = ""
    names: Mapping[str, str | None] = field(default_factory=dict)
    content: bytes = b""
    problem: FleetkitError | None = None


def check_scheduler(address: str, *, has_mirror: bool) -> None:
    """Refuse what can't be a scheduler, and data that no worker reaches.

    Raises
    ------
    InvalidValue
        The address is not one of a Dask scheduler, or there is no mirror.
    """
    if engine_at(address) != "dask":
        raise InvalidValue(
            f"{brief(address)} is not the address of a Dask scheduler.",
            advice="Such an address is tcp://dask.example:8786.",
        )
    if not has_mirror:
        raise InvalidValue(
            "Workers of a cluster read the data from a mirror, and there is none.",
            advice="Name one that they reach: "
            + worded(python='mirror="s3://bucket/mirror".', command_line="--mirror s3://…"),
        )


@contextmanager
def made_by_workers(
    address: str, whole: MirroredFleet, period: Period, out: Path, options: Mapping[str, Any]
) -> Iterator[Makers]:
    """Give what lets workers make the report of a filter; leaving it cancels those to come.

    Parameters
    ----------
    address : str
        Of the scheduler.
    whole : MirroredFleet
        With the filter of all reports.
    period : Period
    out : Path
        Takes the reports.
    options : dict
        Further arguments of `report`.

    Raises
    ------
    ClusterError
        It can't be reached, or its workers have no fleetkit, or another version of it.
    """
    with installed("dask"):
        client = dask_client(address)
    check_workers(client)
    name, numbers = f"fleetkit-report-{uuid4().hex[:8]}", count(1)
    shared, executor = _task(whole, period, options), client.get_executor()
    begun, over = WeakSet[Future[Any]](), Event()  # a report that was placed is let go of

    def make(filter_: Filter) -> Future[Any]:
        key = f"{name}-{next(numbers)}"
        own = replace(shared, filter=whole.where(filter_, allow_empty=True).filter)
        made: Future[Any] = executor.submit(_begun, key, own, key=key, pure=False)
        begun.add(made)
        return made

    Thread(target=_watch, args=(client, begun, over), daemon=True).start()
    try:
        yield make, partial(_placed, out=out)
    finally:
        over.set()
        executor.shutdown(wait=False)


def _watch(client: Any, begun: Collection[Future[Any]], over: Event) -> None:
    """Let reports fail where there has been no worker for long: Dask would wait for ever."""
    since = monotonic()
    with suppress(Exception):  # of the scheduler, which is lost too: Dask cancels them
        while not over.wait(_LOOK):
            if client.scheduler_info()["workers"]:
                since = monotonic()
            elif monotonic() - since > LONGEST_START:
                for waiting in list(begun):
                    if not waiting.done():
                        waiting.set_exception(no_worker(client.scheduler.address))
                return


def _task(whole: MirroredFleet, period: Period, options: Mapping[str, Any]) -> Task:
    """Return what the reports of all groups have in common."""
    paths = {name: Path(options[name]) for name in _FOLDERS if options.get(name) is not None}
    files = {name: packed(path) for name, path in paths.items()}
    others = {name: value for name, value in options.items() if name not in _FOLDERS}
    settings = replace(whole.settings, api_key="", base_url="")
    catalogue = "" if settings.lang in language.available() else settings.lang
    for name, path in (("logo", settings.branding.logo), ("lang", catalogue)):
        if path and Path(path).is_file():
            files[name] = Path(path).read_bytes()
    place = str(whole.mirror.path)
    place = place if "://" in place else f"file://{place}"
    version = whole.mirror.version
    return Task(place, version, period, whole.filter, settings, whole.tz, others, files)


def _placed(made: _Made, out: Path) -> Paths:
    """Put a report that a worker made into its place; raise what the worker met."""
    final = out / made.folder
    if made.problem is not None:
        if made.content:
            _place_notebooks(made.content, final)
            made.problem.advice = made.problem.advice.replace(_NOTEBOOKS, str(final))
        raise made.problem
    with replaced(final) as folder:
        unpack(made.content, folder)
    shutil.rmtree(failed_folder(final), ignore_errors=True)
    whole: dict[str, Any] = {name: path and final / path for name, path in made.names.items()}
    return Paths(**whole)


def _place_notebooks(content: bytes, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make_folders(folder)
    unpack(content, folder)


def _begun(key: str, shared: Task) -> _Made:
    """Make a report on a worker, unless others died of it."""
    from distributed import get_client, get_worker  # noqa: PLC0415 - the user's own

    client, worker = get_client(), get_worker()
    begun = [event["worker"] for _, event in client.get_events(key) or ()]
    if len(begun) >= _ATTEMPTS:
        problem = ClusterError(
            f"The Dask workers {' and '.join(begun)} died while they made it.",
            advice="See their logs; often it is a lack of memory.",
        )
        return _Made(problem=problem)
    client.log_event(key, {"worker": worker.address})
    try:
        return _made(shared, worker.address)
    except FleetkitError as problem:
        return _Made(problem=problem)


def _made(shared: Task, worker: str) -> _Made:
    with TemporaryFolder() as here:
        settings, folders = _with_files(shared, here)
        try:
            data = mirrors.open(shared.mirror, version=shared.version)
        except MirrorError as problem:
            raise ClusterError(
                f"The Dask worker {worker} can't read it. {problem.message}",
                advice=ELSEWHERE if shared.mirror.startswith("file://") else _OF_WORKERS,
            ) from None
        fleet = MirroredFleet(data, tz=shared.tz, settings=settings)
        options = {**shared.options, **folders, "progress": False}
        out = here / "out"
        try:
            paths = report(shared.period, fleet=fleet, out=out, filter=shared.filter, **options)
        except ReportError as problem:
            return _failed(problem, out)
        folder = paths.manifest.parent
        names = {name: path and str(path.relative_to(folder)) for name, path in vars(paths).items()}
        return _Made(folder.name, names, packed(folder))


def _failed(problem: ReportError, out: Path) -> _Made:
    """Hand back the notebooks of failed sections, too: what is in `out` is removed here."""
    folder = next(out.glob(failed_folder(Path("*")).name), None)
    if folder is None:
        return _Made(problem=problem)
    problem.advice = problem.advice.replace(str(folder), _NOTEBOOKS)
    return _Made(folder.name, content=packed(folder), problem=problem)


def _with_files(shared: Task, here: Path) -> tuple[Settings, dict[str, Path]]:
    """Write the files that came along; return the settings and arguments that name them."""
    branding = shared.settings.branding
    folders, settings = {}, {"lang": shared.settings.lang, "logo": branding.logo}
    for name, content in shared.files.items():
        place = here / name
        if name in _FOLDERS:
            folders[name] = place
            unpack(content, place)
            continue
        place.mkdir()
        file = place / Path(settings[name]).name  # a catalogue's says which language it is of
        file.write_bytes(content)
        settings[name] = str(file)
    # All at once: what lies on the caller's machine is nowhere here.
    branding = replace(branding, logo=settings["logo"])
    return replace(shared.settings, lang=settings["lang"], branding=branding), folders
