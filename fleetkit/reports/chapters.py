"""Which notebooks a report runs, of fleetkit's and one's own, and why it leaves others out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from fleetkit.arguments import checked_folder, refuse_unknown, texts
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.filters import Filter
from fleetkit.interface import worded
from fleetkit.language import listed, say, short_day
from fleetkit.reports import resources
from fleetkit.reports.discovery import Notebook, discover, files
from fleetkit.reports.scope import may_be_shown
from fleetkit.reports.span import Span

__all__ = ["available", "check_within", "chosen", "parted"]


def available(own: str | Path | None = None) -> list[Notebook]:
    """Return the section notebooks that there are, in the order of the report.

    Parameters
    ----------
    own : path, optional
        Folder of further notebooks; one of the same name replaces fleetkit's.

    Raises
    ------
    InvalidValue
        `own` is not a folder with notebooks.
    ReportError
        A notebook that can't be read, that isn't a section, or that lacks a parameter.

    Examples
    --------
    >>> [notebook.name for notebook in available()][:2]
    ['flight_hours', 'equipment_condition']
    """
    notebooks = {notebook.name: notebook for notebook in discover(resources.folder("notebooks"))}
    if own is not None:
        notebooks |= {notebook.name: notebook for notebook in _own(checked_folder(own))}
    return sorted(notebooks.values(), key=lambda notebook: (notebook.order, notebook.name))


def _own(folder: Path) -> list[Notebook]:
    paths = files(folder)
    if not paths:
        what = "holds no notebook" if folder.is_dir() else "is not a folder"
        named = worded(python="notebooks=…", command_line="--notebooks")
        raise InvalidValue(
            f"{folder} {what}.", advice=f"Name a folder of section notebooks with {named}."
        )
    sections = discover(folder)
    others = [path for path in paths if path.stem not in {section.name for section in sections}]
    if others:
        raise ReportError(
            f"{others[0]} is not a section: it has no parameter out.",
            advice="Add the cell tagged `parameters` of one of fleetkit's notebooks, or move this "
            "one to another folder.",
        )
    return sections


def chosen(
    notebooks: Sequence[Notebook], sections: Iterable[str] | str | None
) -> tuple[list[Notebook], list[Notebook]]:
    """Part the notebooks into the chosen ones, in the order of the choice, and the others.

    Parameters
    ----------
    notebooks : sequence of Notebook
        As `available` returns them.
    sections : str, iterable of str or None
        Names, as a list or as one text with commas; None chooses all.

    Raises
    ------
    InvalidValue
        No name, or one of no section; the message suggests a similar one.

    Examples
    --------
    >>> shown, others = chosen(available(), "pricing, flight_hours")
    >>> [notebook.name for notebook in shown]
    ['pricing', 'flight_hours']
    """
    if sections is None:
        return list(notebooks), []
    parts = sections.split(",") if isinstance(sections, str) else texts(sections, "sections")
    names = list(dict.fromkeys(part.strip() for part in parts if part.strip()))
    by_name = {notebook.name: notebook for notebook in notebooks}
    if not names:
        raise InvalidValue("No section is named.", advice=f"Sections are: {', '.join(by_name)}.")
    refuse_unknown(names, by_name, "section")
    others = [notebook for notebook in notebooks if notebook.name not in names]
    return [by_name[name] for name in names], others


def parted(
    asked: Sequence[Notebook],
    others: Iterable[Notebook],
    since: Span | None,
    filter_: Filter,
    missing: Mapping[str, str],
    *,
    last_sync: datetime | None = None,
    is_chosen: bool,
    strict: bool,
) -> tuple[list[Notebook], dict[str, list[dict[str, str]]]]:
    """Part the notebooks into those that are shown, and the others: why they are not.

    Parameters
    ----------
    asked, others : sequence of Notebook
        As `chosen` returns them.
    since : Span or None
        What changed since the last report; None where nothing is known.
    filter_ : Filter
        The report's.
    missing : mapping
        Table that the key can't read → the scope that it lacks.
    last_sync : datetime, optional
        When the sync before that of the report was, if none ran in the whole period.
    is_chosen : bool
        Whether `asked` were asked for by name.
    strict : bool
        Refuse where a table is missing.

    Returns
    -------
    (list of Notebook, dict)
        Those that are shown; why the others are not, by the kind of reason.

    Raises
    ------
    ReportError
        None can be shown, or not all of them where that is asked for.
    """
    shown, unchanged = _with_history(asked, since, last_sync, is_chosen=is_chosen)
    shown, outside_filter = _within_filter(shown, filter_)
    if not shown:
        raise _nothing_to_show([*unchanged, *outside_filter])
    shown, left_out = _readable(shown, missing, strict=strict)
    not_chosen = [*unchanged, *_not_chosen(others, since)]
    gaps = {"left_out": left_out, "outside_filter": outside_filter, "not_chosen": not_chosen}
    return shown, gaps


def check_within(notebooks: Sequence[Notebook], filter_: Filter) -> None:
    """Refuse where none of the notebooks can be part of a report with a filter.

    Raises
    ------
    ReportError
        None can be shown.
    """
    shown, outside_filter = _within_filter(notebooks, filter_)
    if not shown:
        raise _nothing_to_show(outside_filter)


def _with_history(
    notebooks: Sequence[Notebook],
    since: Span | None,
    last_sync: datetime | None = None,
    *,
    is_chosen: bool,
) -> tuple[list[Notebook], list[dict[str, str]]]:
    """Leave out what shows changes since the last report, where none are known.

    Where the data have no earlier state, only who chose such a section is told.
    """
    shown = [notebook for notebook in notebooks if since is not None or not notebook.history]
    others = [notebook for notebook in notebooks if notebook not in shown]
    if last_sync is None:
        return shown, _gaps(others if is_chosen else (), say("the data have no earlier state"))
    reason = say(
        "no sync ran from {day} until after this period, so it isn't known what the last report "
        "showed",
        day=short_day(last_sync),
    )
    return shown, _gaps(others, reason)


def _not_chosen(notebooks: Iterable[Notebook], since: Span | None) -> list[dict[str, str]]:
    shown, _ = _with_history([*notebooks], since, is_chosen=False)
    return _gaps(shown, say("it was not chosen"))


def _within_filter(
    notebooks: Sequence[Notebook], filter_: Filter
) -> tuple[list[Notebook], list[dict[str, str]]]:
    """Part the notebooks into those of a report, and those that a client's report leaves out."""
    outside = [notebook for notebook in notebooks if not may_be_shown(filter_, notebook.subject)]
    return (
        [notebook for notebook in notebooks if notebook not in outside],
        _gaps(outside, say("it can't be narrowed to one client")),
    )


def _readable(
    notebooks: Iterable[Notebook], missing: Mapping[str, str], *, strict: bool
) -> tuple[list[Notebook], list[dict[str, str]]]:
    """Part the notebooks into those whose tables the key can read, and the others."""
    readable, left_out = [], []
    for notebook in notebooks:
        scopes = sorted({missing[table] for table in notebook.needs if table in missing})
        if scopes:
            reason = say("the key lacks the scope {scopes}", scopes=listed(scopes))
            left_out.append({"title": say(notebook.title), "reason": reason})
        else:
            readable.append(notebook)
    if left_out and (strict or not readable):
        strictly = worded(python="strict=True", command_line="--strict")
        raise ReportError(
            f"Sections can't be made: {_reasons(left_out)}.",
            advice="Give the key that scope in the service's dashboard"
            + (f", or report without {strictly}." if readable else "."),
        )
    return readable, left_out


def _nothing_to_show(left_out: Iterable[Mapping[str, str]]) -> ReportError:
    return ReportError(
        f"No section of the report can be made: {_reasons(left_out)}.",
        advice="Choose other sections.",
    )


def _reasons(left_out: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(f"{gap['title']}: {gap['reason']}" for gap in left_out)


def _gaps(notebooks: Iterable[Notebook], reason: str) -> list[dict[str, str]]:
    return [{"title": say(notebook.title), "reason": reason} for notebook in notebooks]
