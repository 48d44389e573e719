"""Notices: something about the data that didn't stop the work, said once and in one line.

A notice is a Python warning, so what Python has for warnings works: ``warnings.filterwarnings(
"ignore", category=fk.Notice)`` silences them, ``"error"`` raises them, ``pytest.warns`` sees them.
What differs is how they are shown: without path and source line, and each text once per process.
Whoever wants them as data, as a report does, collects them.

>>> with collected() as texts:
...     notify("Equipment.colour is not in the reference; kept as column colour.")
>>> texts
['Equipment.colour is not in the reference; kept as column colour.']
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

from fleetkit.interface import one_line

__all__ = ["NotInReference", "Notice", "Subject", "collected", "known", "notify"]

# A longer notice is cut where it is shown; whoever collects it gets it whole.
LONGEST_LINE = 500


class Notice(UserWarning):
    """Something about the data that was dealt with, and that somebody may want to know."""


class NotInReference(Notice):
    """The service sends something that the reference doesn't know; it is kept."""


Subject = tuple[str, ...]

# Lists that take the notices of now; any thread may add to them.
_collectors: dict[int, list[str]] = {}
_known: dict[int, Callable[[Subject], bool]] = {}
_shown: set[str] = set()
_lock = Lock()


def notify(text: str, category: type[Notice] = Notice, *, about: Subject = ()) -> None:
    """Give notice of something, in one plain sentence.

    Parameters
    ----------
    text : str
        What was found and what was done about it.
    category : type
        `Notice` or a kind of it.
    about : tuple of str, optional
        What it is about, for whoever knows that already: see `known`.
    """
    if about and any(is_known(about) for is_known in list(_known.values())):
        return
    text = one_line(text, limit=sys.maxsize)
    with _lock:
        for texts in _collectors.values():
            if text not in texts:
                texts.append(text)
    # No place in the source: where it was found out says nothing to whoever reads it. Without a
    # registry Python counts nothing, so "once" doesn't hang on who else resets its filters.
    warnings.warn_explicit(category(text), category, "fleetkit", 0, module="fleetkit")


@contextmanager
def known(is_known: Callable[[Subject], bool]) -> Iterator[None]:
    """Leave out, in a block, the notices of what is known already: said before, and kept since.

    Parameters
    ----------
    is_known : callable
        Takes what a notice is about: ``("column", table, name)`` or ``("tokens", column, …)``.
    """
    place = id(is_known)
    _known[place] = is_known
    try:
        yield
    finally:
        del _known[place]


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect the notices of a block, each text once, whether or not they are shown.

    Yields
    ------
    list of str
        Grows as notices come, from all threads of the process.
    """
    texts: list[str] = []
    with _lock:
        _collectors[id(texts)] = texts
    try:
        yield texts
    finally:
        with _lock:
            del _collectors[id(texts)]


def _show(  # noqa: PLR0917 - the signature is Python's
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning; stands in for `warnings.showwarning`."""
    if not issubclass(category, Notice):
        _show_other(message, category, filename, lineno, file, line)
        return
    text = str(message)
    with _lock:
        if text in _shown:
            return
        _shown.add(text)
    _write(f"fleetkit: note: {one_line(text, LONGEST_LINE)}", file or sys.stderr)


def _write(line: str, stream: TextIO | None) -> None:
    if stream is None:  # a program without a console
        return
    # A progress bar that is being drawn makes room for the line.
    bars = sys.modules.get("tqdm")
    try:
        if bars is not None:
            bars.tqdm.write(line, file=stream)
        else:
            stream.write(f"{line}\n")
            stream.flush()
    except OSError:
        pass  # as Python does: nobody reads it any more


_show_other = warnings.showwarning
warnings.showwarning = _show
