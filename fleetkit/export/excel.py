"""Frames as an Excel workbook: typed cells, local times, and text that stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fleetkit.arguments import checked_path
from fleetkit.errors import InvalidValue
from fleetkit.export.cells import CellColumn, cell_columns, names_of_index
from fleetkit.export.files import write_files
from fleetkit.interface import brief
from fleetkit.notices import notify
from fleetkit.origins import newest_fetch
from fleetkit.temporary import TemporaryFolder

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

__all__ = ["sheet_names", "to_excel", "workbook"]

# What a sheet holds at most; and a cell, in UTF-16 code units.
MOST_ROWS, MOST_COLUMNS, MOST_TEXT = 1_048_576, 16_384, 32_767
MOST_NAME = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f\ud800-\udfff]")
# Widths of columns, in characters; rows that they are measured by.
_NARROWEST, _WIDEST, _MEASURED = 8, 60, 1_000
_DAY, _MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
# Row by row, so that a large table needs little memory.
_OPTIONS = {"constant_memory": True, "use_zip64": True}


def to_excel(frames: Mapping[str, pd.DataFrame], path: str | Path) -> Path:
    """Write frames as an Excel workbook, a sheet each; an earlier file is replaced whole.

    Parameters
    ----------
    frames : dict of str to DataFrame
        Name of the sheet → its rows. A name that no sheet can have is cut to 31 characters, and
        numbered where another sheet has it. An index with a name becomes a column.
    path : str or Path
        Ends in ``.xlsx``.

    Returns
    -------
    Path
        The file. Numbers, dates and yes or no are such cells, text is never a formula, null is an
        empty cell. Moments are those of the clock of the zone that a frame carries
        (``frame.attrs["tz"]``, else UTC); the head of the column names it. Tables of a fleet, and
        what metrics make of them, give the same bytes each time: the date in the file's properties
        is when they were fetched. Of other frames it is that of writing.

    Raises
    ------
    InvalidValue
        No frames, another ending, or more rows than a sheet holds (1,048,575).
    FleetkitError
        The file can't be written.

    Examples
    --------
    >>> import fleetkit as fk
    >>> hours = pd.DataFrame({"month": ["2026-09", "2026-10"], "hours": [2.5, 3.5]})
    >>> fk.to_excel({"Flight hours": hours}, "hours.xlsx").name
    'hours.xlsx'
    """
    target = Path(checked_path(path, "a workbook"))
    if target.suffix.lower() != ".xlsx":
        raise InvalidValue(
            f"{target.name} is not the name of a workbook.", advice="Let it end in .xlsx."
        )
    write_files({target: lambda part: workbook(frames, part)})
    return target


def workbook(
    frames: Mapping[str, pd.DataFrame], file: Path | BytesIO, made: datetime | None = None
) -> None:
    """Write a workbook; the same frames and `made` give the same bytes.

    Parameters
    ----------
    frames : dict of str to DataFrame
    file : Path or BytesIO
        Where to.
    made : datetime, optional
        The date in the file's properties; default: when the newest data were fetched, or now where
        that is unknown of a frame.

    Raises
    ------
    OSError
        The file can't be written.
    """
    import xlsxwriter  # noqa: PLC0415 - who opens an explorer need not wait for it

    _check(frames)
    try:
        # XlsxWriter leaves the rows of a workbook that fails where it kept them.
        with (
            TemporaryFolder() as folder,
            xlsxwriter.Workbook(file, {**_OPTIONS, "tmpdir": str(folder)}) as book,
        ):
            made = made or newest_fetch(frames.values()) or datetime.now(UTC)
            created = made.astimezone(UTC).replace(tzinfo=None)
            book.set_properties({"created": created})
            formats = {
                "head": book.add_format({"bold": True, "bottom": 1}),
                "day": book.add_format({"num_format": _DAY}),
                "moment": book.add_format({"num_format": _MOMENT}),
            }
            for name, frame in zip(sheet_names(frames), frames.values(), strict=True):
                _write(book.add_worksheet(name), [*cell_columns(frame)], formats, name)
    except xlsxwriter.exceptions.FileCreateError as problem:
        raise problem.args[0] from None  # the OSError that it wraps


def sheet_names(names: Iterable[str]) -> list[str]:
    r"""Return names that sheets can have: 31 characters, none of ``[]:*?/\``, no two the same.

    Examples
    --------
    >>> sheet_names(["late", "Late", "a/b", "History", "'"])
    ['late', 'Late 2', 'a b', 'History 2', 'Sheet']
    """
    taken = {"history"}  # Excel's own
    sheets = []
    for name in names:
        plain = " ".join(_FORBIDDEN.sub(" ", str(name)).split()).strip("' ") or "Sheet"
        sheet, number = _cut(plain), 1
        while sheet.casefold() in taken:
            number += 1
            sheet = _cut(plain, f" {number}")
        taken.add(sheet.casefold())
        sheets.append(sheet)
    return sheets


def _cut(name: str, ending: str = "") -> str:
    """Cut a name so that it fits with its ending; a letter beyond the basic plane counts twice."""
    room = MOST_NAME - len(ending)
    while len(name.encode("utf-16-le")) // 2 > room:
        name = name[:-1]
    return name.strip("' ") + ending


def _check(frames: Any) -> None:
    """Refuse what isn't frames by name, and what no sheet holds."""
    if not isinstance(frames, Mapping) or not frames:
        raise InvalidValue(
            f"A workbook is made of frames by name, not of {type(frames).__name__}."
            if not isinstance(frames, Mapping)
            else "A workbook needs at least one frame.",
            advice='Write fk.to_excel({"Flights": flights}, "flights.xlsx").',
        )
    for name, frame in frames.items():
        if not isinstance(frame, pd.DataFrame):
            raise InvalidValue(
                f"Sheet {brief(name)} is a {type(frame).__name__}, not a pandas DataFrame.",
                advice="Write what fk.metrics.collect returns; of a Series, series.reset_index().",
            )
        rows, columns = len(frame), len(frame.columns) + len(names_of_index(frame))
        if rows >= MOST_ROWS or columns > MOST_COLUMNS:
            raise InvalidValue(
                f"Sheet {brief(name)} has {rows:,} rows and {columns:,} columns; a sheet holds "
                f"{MOST_ROWS - 1:,} rows below its head, and {MOST_COLUMNS:,} columns.",
                advice="Choose fewer, or write Parquet or CSV.",
            )


def _write(
    sheet: Worksheet,
    columns: list[CellColumn],
    formats: Mapping[str, Any],
    name: str,
) -> None:
    """Fill a sheet: its head, which stays in view, and the rows below it."""
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(columns):
        sheet.set_column(place, place, _width(column))
        sheet.write_string(0, place, column.head[:MOST_TEXT], formats["head"])
    rows = len(columns[0].values) if columns else 0
    writers = [_writer(sheet, column, formats) for column in columns]
    cut = 0
    for row in range(rows):
        for place, (column, write) in enumerate(zip(columns, writers, strict=True)):
            cut += write(row + 1, place, column.values[row]) == _TOO_LONG
    if columns:
        sheet.autofilter(0, 0, rows, len(columns) - 1)
    if cut:
        notify(
            f"Sheet {name}: texts longer than {MOST_TEXT:,} characters, which is what a cell "
            f"holds, are cut ({cut:,}). CSV and Parquet have them whole."
        )


# Returned by XlsxWriter where it cut a text.
_TOO_LONG = -2


def _writer(
    sheet: Worksheet, column: CellColumn, formats: Mapping[str, Any]
) -> Callable[[int, int, Any], int]:
    """Return what writes a value of a column as a cell of its own kind."""
    day, moment = formats["day"], formats["day" if column.is_of_days else "moment"]

    def write(row: int, place: int, value: Any) -> int:
        if value is None:
            return 0
        if isinstance(value, bool):
            return int(sheet.write_boolean(row, place, value))
        if isinstance(value, int | float):
            return int(sheet.write_number(row, place, value))
        if isinstance(value, datetime):
            return int(sheet.write_datetime(row, place, value, moment))
        if isinstance(value, date):
            return int(sheet.write_datetime(row, place, value, day))
        return int(sheet.write_string(row, place, value))

    return write


def _width(column: CellColumn) -> int:
    """Return how many characters wide a column is set."""
    shown = (_length(value, column) for value in islice(column.values, _MEASURED))
    # The head leaves room for the arrow of its filter.
    longest = max([len(column.head) + 2, *shown])
    return min(max(longest + 1, _NARROWEST), _WIDEST)


def _length(value: Any, column: CellColumn) -> int:
    if isinstance(value, datetime):
        return len(_DAY if column.is_of_days else _MOMENT)
    if isinstance(value, float):
        return len(f"{value:.10g}")
    return 0 if value is None else len(str(value))
