"""The data beside a report: every chart and table whole, in files that a spreadsheet opens.

Sections store the rows of each of their charts and tables; here they become CSV files and one
workbook, with what the first page gathers and what the terms mean. The flights of the period go
beside them as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from fleetkit.errors import Forbidden
from fleetkit.export import to_csv, to_parquet, workbook
from fleetkit.export.excel import MOST_ROWS, sheet_names
from fleetkit.fleet import Fleet
from fleetkit.language import alphabetical
from fleetkit.reports.attention import in_order
from fleetkit.reports.tabulating import from_data
from fleetkit.time import Period

__all__ = ["FOLDER", "WORKBOOK", "csv_path", "write_data"]

FOLDER, WORKBOOK, FLIGHTS = "data", "report.xlsx", "flights.parquet"
_KEY_FIGURES = ("chapter", "key_figure", "value", "unit", "previous", "year_before", "note")
_ATTENTION = ("chapter", "severity", "text", "who", "when", "count")
_CONTENTS = ("sheet", "chapter", "title", "caption", "rows", "file")


@dataclass(frozen=True)
class _Table:
    """Rows of the report: where they are shown, and what the file is called."""

    name: str
    frame: pd.DataFrame
    file: str
    chapter: str = ""
    title: str = ""
    caption: str = ""


def csv_path(section: str, block: str) -> str:
    """Return where the rows of a chart or table are, seen from the report.

    Examples
    --------
    >>> csv_path("flight_hours", "by_month")
    'data/flight_hours/by_month.csv'
    """
    return f"{FOLDER}/{section}/{block}.csv"


def write_data(
    folder: Path,
    sections: Iterable[Mapping[str, Any]],
    about: Mapping[str, Any],
    *,
    fleet: Fleet,
    period: Period,
    made: datetime,
) -> list[str]:
    """Write the data of a report into its folder.

    Parameters
    ----------
    folder : Path
        The report's; holds ``sections/``.
    sections : iterable of dict
        As `render.load_section` gives them; what failed has no rows.
    about : dict
        What `Subject.context` says of the report as a whole.
    fleet : Fleet
        Narrowed as the report is.
    period : Period
        Whose flights are written.
    made : datetime
        Date in the workbook's properties.

    Returns
    -------
    list of str
        The files for readers, seen from the report: the workbook, and the flights where the key
        could read them.
    """
    shown = [section for section in sections if "gap" not in section]
    tables = [*_gathered(shown), *_blocks(folder, shown)]
    target = folder / FOLDER
    for table in tables:
        path = folder / table.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_csv(table.frame))
    workbook(_sheets(tables, shown, _about(about)), target / WORKBOOK, made)
    files = [f"{FOLDER}/{WORKBOOK}"]
    try:
        (target / FLIGHTS).write_bytes(to_parquet(fleet.flights(period)))
    except Forbidden:  # the report says which scope the key lacks
        return files
    return [*files, f"{FOLDER}/{FLIGHTS}"]


def _gathered(sections: Iterable[Mapping[str, Any]]) -> Iterator[_Table]:
    """Give what the first page gathers of all sections: key figures, and what needs attention."""
    kpis = [
        (
            section["title"],
            *(kpi[name] for name in ("label", "value", "unit")),
            *(kpi[name]["value"] for name in ("previous", "year_before")),
            kpi["note"],
        )
        for section in sections
        for kpi in section["kpis"]
    ]
    ranked = in_order(
        {**line, "chapter": section["title"]}
        for section in sections
        for line in section["attention"]
    )
    lines = [[line[name] for name in _ATTENTION] for line in ranked]
    for name, columns, rows in (
        ("Key figures", _KEY_FIGURES, kpis),
        ("Needs attention", _ATTENTION, lines),
    ):
        file = f"{FOLDER}/{name.lower().replace(' ', '_')}.csv"
        # Of any kind: a count beside hours stays a whole number.
        frame = pd.DataFrame(rows, columns=[*columns], dtype="object")
        yield _Table(name, frame, file, title=name)


def _blocks(folder: Path, sections: Iterable[Mapping[str, Any]]) -> Iterator[_Table]:
    """Give the rows of every chart and table, in their order."""
    for section in sections:
        for block in section["blocks"]:
            if not block["data"]:
                continue
            stored = folder / "sections" / section["name"] / block["data"]
            yield _Table(
                block["name"],
                from_data(stored.read_text(encoding="utf-8")),
                csv_path(section["name"], block["name"]),
                section["title"],
                block["title"],
                block["caption"],
            )


def _sheets(
    tables: Iterable[_Table], sections: Iterable[Mapping[str, Any]], about: list[tuple[str, str]]
) -> dict[str, pd.DataFrame]:
    """Return the sheets of the workbook: what it is of, what it holds, the rows, the terms."""
    fitting = [table for table in tables if len(table.frame) < MOST_ROWS]
    names = sheet_names(["About", "Contents", *(table.name for table in fitting), "Definitions"])
    sheet_of = {table.file: name for table, name in zip(fitting, names[2:-1], strict=True)}
    contents = [
        (
            sheet_of.get(table.file, "only in the file: too many rows for a sheet"),
            *(table.chapter, table.title, table.caption, len(table.frame)),
            table.file,
        )
        for table in tables
    ]
    terms = {term["term"]: term["text"] for section in sections for term in section["definitions"]}
    by_term = sorted(terms.items(), key=lambda item: alphabetical(item[0]))
    frames = [
        pd.DataFrame(about, columns=["what", "value"]),
        pd.DataFrame(contents, columns=[*_CONTENTS]),
        *(table.frame for table in fitting),
        pd.DataFrame(by_term, columns=["term", "meaning"]),
    ]
    return dict(zip(names, frames, strict=True))


def _about(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say what the report is of, and which sections it lacks, as its last page does."""
    left_out = [f"{gap['title']}: {gap['reason']}" for gap in about["left_out"]]
    return [
        ("Report", about["full_title"]),
        ("From", about["since"]),
        ("To, not included", about["until"]),
        ("Time zone", about["tz"]),
        ("Data as of", about["as_of"]),
        ("Filter", ", ".join(about["filters"]) or "none"),
        ("Left out", "; ".join(left_out) or "no section"),
        ("Declared units", ", ".join(about["units"]) or "none"),
        ("Data", f"version {about['data_version']}, fingerprint {about['fingerprint']}"),
        ("Made with", f"fleetkit {about['version']}"),
    ]
