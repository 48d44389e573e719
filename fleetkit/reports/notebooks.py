"""Section notebooks, run in parallel and saved as working papers."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from fleetkit import locks
from fleetkit.errors import ReportError
from fleetkit.fleet.progress import Steps
from fleetkit.interface import one_line
from fleetkit.reports import threads
from fleetkit.reports.discovery import Notebook
from fleetkit.reports.kernel_client import KernelDied
from fleetkit.reports.kernels import Kernels, kernels
from fleetkit.reports.lightening import light_jsonschema
from fleetkit.reports.numbered_months import SHARED
from fleetkit.reports.shared import Shared
from fleetkit.reports.waiting import as_completed
from fleetkit.temporary import TemporaryFolder

with light_jsonschema():
    import nbformat
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

__all__ = ["Run", "check_threads", "run", "shared_by_reports"]

# A cell that takes longer hangs: a report from cron must end.
LONGEST_CELL = 1_800  # [s]
# Characters that an error quotes of a dead kernel's last line.
LONGEST_LAST = 200
# More kernels than processors only make the longest notebook wait; also of reports that are made
# side by side.
PROCESSORS = max(2, os.cpu_count() or 2)
_PLACES = BoundedSemaphore(PROCESSORS)
# Of reports that are made side by side: the folder that their notebooks share.
_common: Shared[Path] = Shared()
_STOPPED = "the report was stopped"
_DIED = "its kernel died, perhaps out of memory"
# It warns of comments of parameters that it can't parse; fleetkit doesn't use them.
logging.getLogger("papermill").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Run:
    """How a notebook's run went: how long it took [s], and what went wrong, if anything."""

    name: str
    seconds: float
    problem: str = ""


def run(
    notebooks: Iterable[Notebook],
    parameters: Mapping[str, Any],
    folder: Path,
    progress: Steps | None = None,
    manager: type[Kernels] | None = None,
) -> list[Run]:
    """Run notebooks in parallel, one kernel each, as many at a time as there are processors.

    Parameters
    ----------
    notebooks : iterable of Notebook
    parameters : dict
        JSON-ready values; paths are relative to `folder`. A notebook gets those that it has.
    folder : Path
        Where the kernels run and the executed notebooks are saved.
    progress : Steps, optional
        Advanced by each section that is done.
    manager : type, optional
        What `kernels` gave; default: kernels of this run alone.
    """
    if manager is None:
        with kernels() as own:
            return run(notebooks, parameters, folder, progress, own)
    values = json.loads(json.dumps(dict(parameters)))
    with _shared(folder), ThreadPoolExecutor(max_workers=PROCESSORS) as pool:
        runs = [pool.submit(_run, notebook, values, folder, manager) for notebook in notebooks]
        try:
            for done in _counted(runs, progress):
                done.result()
            if manager.stopped:
                raise ReportError(f"{_STOPPED.capitalize()} before its sections were made.")
            return [future.result() for future in runs]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            manager.stop_all()
            raise


@contextmanager
def _no_loop_left() -> Iterator[None]:
    """Close the event loop that the notebook's client makes for this thread, and leaves open.

    Else its three files are open until garbage is collected: a process that makes many reports
    would run out of them.
    """
    try:
        yield
    finally:
        with suppress(RuntimeError):  # there is none
            asyncio.get_event_loop().close()


def check_threads(sections: int) -> None:
    """Refuse to run so many notebooks where too few threads can begin.

    Of reports that are made side by side, each would count the kernels of the others.

    Raises
    ------
    ReportError
        The limit of processes is too low.
    """
    with _common.acquired() as common:
        if common is None:
            threads.require(min(sections, PROCESSORS))


@contextmanager
def shared_by_reports(*, has_workers: bool = False) -> Iterator[None]:
    """Let notebooks of all reports that are made in a block read what one of them has made.

    Parameters
    ----------
    has_workers : bool
        Whether workers of a cluster make the reports: then no kernel runs here.

    Raises
    ------
    ReportError
        The limit of processes is too low.
    """
    if not has_workers:
        threads.require(PROCESSORS)
    if not locks.SUPPORTED:
        yield
        return
    with _common.acquired(TemporaryFolder):
        yield


@contextmanager
def _shared(folder: Path) -> Iterator[None]:
    """Give notebooks that run in a folder a place for what one makes and others read."""
    with _common.acquired() as common:
        shared = folder / SHARED
        folder.mkdir(parents=True, exist_ok=True)
        if common is not None:
            with suppress(OSError):  # not every file system has links
                shared.symlink_to(common, target_is_directory=True)
        if not shared.is_symlink():
            shared.mkdir(exist_ok=True)
        try:
            yield
        finally:
            if shared.is_symlink():
                shared.unlink()
            else:
                shutil.rmtree(shared, ignore_errors=True)


def _counted(runs: Collection[Future[Run]], progress: Steps | None) -> Iterator[Future[Run]]:
    """Yield runs as they are done, and show how many are."""
    if progress is not None:
        progress.start(len(runs), "Making the report", "sections")
    try:
        for done in as_completed(runs):
            if progress is not None:
                progress.advance()
            yield done
    finally:
        if progress is not None:
            progress.done()


def _run(
    notebook: Notebook, values: Mapping[str, Any], folder: Path, manager: type[Kernels]
) -> Run:
    with _PLACES, _no_loop_left():
        if manager.stopped:
            return Run(notebook.name, 0.0, _STOPPED)
        return _timed_run(notebook, values, folder, manager)


def _timed_run(
    notebook: Notebook, values: Mapping[str, Any], folder: Path, manager: type[Kernels]
) -> Run:
    started = time.perf_counter()
    paper, log = folder / notebook.path.name, folder / f".{notebook.name}.log"
    try:
        problem = _problem(notebook, values, paper, manager.writing_to(log))
        if problem == _DIED and (last := _last_line(_text(log))):
            problem = f"{problem}: {one_line(last, LONGEST_LAST)}"
    finally:
        log.unlink(missing_ok=True)
    if paper.is_file():
        _clean_up(paper)
    return Run(notebook.name, time.perf_counter() - started, problem)


def _problem(
    notebook: Notebook, values: Mapping[str, Any], paper: Path, manager: type[Kernels]
) -> str:
    """Execute a notebook; return what went wrong, if anything."""
    try:
        papermill.execute_notebook(
            _literal(notebook.path),
            _literal(paper),
            parameters={name: values[name] for name in values if name in notebook.parameters},
            kernel_name="python3",
            language="python",  # that of a notebook which names none, too
            progress_bar=False,
            request_save_on_cell_execute=False,
            execution_timeout=LONGEST_CELL,
            # The rest goes to nbclient.
            kernel_manager_class=manager,
            shutdown_kernel="immediate",
            resources={"metadata": {"path": str(paper.parent)}},
        )
    except PapermillExecutionError as failure:
        what = ": ".join(filter(None, [failure.ename, _last_line(str(failure.evalue))]))
        return f"{_cell(notebook, failure)}: {what}"
    except CellTimeoutError:
        return f"a cell took longer than {LONGEST_CELL // 60} minutes"
    except (DeadKernelError, KernelDied):
        return _DIED
    return ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _literal(path: Path) -> str:
    """Return the path so that papermill, which formats paths, leaves it as it is."""
    return str(path.resolve()).replace("{", "{{").replace("}", "}}")


def _cell(notebook: Notebook, failure: PapermillExecutionError) -> str:
    """Name the cell as a reader of the notebook counts it, from 1."""
    read = nbformat.read(notebook.path, as_version=4)  # type: ignore[no-untyped-call] # as above
    same = [place for place, cell in enumerate(read.cells) if cell.source == failure.source]
    if not same:
        return "the parameters"
    # What was executed has a cell more before it: the one that sets the parameters.
    place = failure.cell_index - 1
    return f"cell {(place if place in same else same[0]) + 1}"


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def _clean_up(paper: Path) -> None:
    """Drop widget state, which asks the network for its viewer, and paths of this run.

    nbformat would check the whole once more, which papermill has just written by it.
    """
    notebook = json.loads(paper.read_text(encoding="utf-8"))
    notebook["metadata"].pop("widgets", None)
    for name in ("input_path", "output_path"):
        notebook["metadata"].get("papermill", {}).pop(name, None)
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True)
    paper.write_text(f"{text}\n", encoding="utf-8", newline="\n")
