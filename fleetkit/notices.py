"""Notices: facts about the data that the user should know, each shown once and in one line.

A notice is a Python warning, so Python's tools for warnings work: ``warnings.filterwarnings(
"ignore", category=fk.Notice)`` silences notices, ``"error"`` raises them, ``pytest.warns`` catches
them. They are shown without path and source line, and each text once per process. `collected`
returns them as data.

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

# A longer notice is cut when it is shown, but not when it is collected.
LONGEST_LINE = 500


class Notice(UserWarning):
    """Something about the data that was handled, and that the user may want to know."""


class NotInReference(Notice):
    """The service sends something that isn't in the reference; it is retained."""


Subject = tuple[str, ...]

# Lists that collect notices; any thread may add to them.
_collectors: dict[int, list[str]] = {}
_known: dict[int, Callable[[Subject], bool]] = {}
_shown: set[str] = set()
_lock = Lock()


def notify(text: str, category: type[Notice] = Notice, *, about: Subject = ()) -> None:
    """Show a notice, in one sentence.

    Parameters
    ----------
    text : str
        What was found and how it was handled.
    category : type
        `Notice` or a kind of it.
    about : tuple of str, optional
        What it is about; `known` leaves out notices by it.
    """
    if about and any(is_known(about) for is_known in list(_known.values())):
        return
    text = one_line(text, limit=sys.maxsize)
    with _lock:
        for texts in _collectors.values():
            if text not in texts:
                texts.append(text)
    # No position in the source, which means nothing to the reader. Without a registry Python never
    # counts warnings, so that "once" doesn't depend on who else resets its filters.
    warnings.warn_explicit(category(text), category, "fleetkit", 0, module="fleetkit")


@contextmanager
def known(is_known: Callable[[Subject], bool]) -> Iterator[None]:
    """Leave out, in a block, the notices of what is already known, such as from an earlier sync.

    Parameters
    ----------
    is_known : callable
        Takes what a notice is about: ``("column", table, name)`` or ``("tokens", column, …)``.
    """
    key = id(is_known)
    _known[key] = is_known
    try:
        yield
    finally:
        del _known[key]


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect the notices of a block, each text once, whether or not they are shown.

    Yields
    ------
    list of str
        Notices of all threads of the process, added as they come.
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
    """Show a warning; replaces `warnings.showwarning`."""
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
    # A progress bar on the screen is redrawn below the line.
    bars = sys.modules.get("tqdm")
    try:
        if bars is not None:
            bars.tqdm.write(line, file=stream)
        else:
            stream.write(f"{line}\n")
            stream.flush()
    except OSError:
        pass  # like Python's own: the stream is closed


_show_other = warnings.showwarning
warnings.showwarning = _show
