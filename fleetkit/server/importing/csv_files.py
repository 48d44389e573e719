"""Reading CSV files: UTF-8, with commas and a line of column names."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from fleetkit.formulas import unescaped
from fleetkit.server.importing.file_rows import FileError, FileRow, check_unique, text_lines

__all__ = ["read_column_names", "read_csv"]

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def read_csv(path: Path) -> Iterator[FileRow]:
    """Yield rows of text; an empty cell is null, and an apostrophe before a formula is left out."""
    reader = csv.reader(text_lines(path), strict=True)
    line = 1
    try:
        names = _names(next(reader, []))
        line = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(names):
                raise FileError(line, f"{len(cells)} cells under {len(names)} columns")
            if cells:
                pairs = zip(names, cells, strict=True)
                yield FileRow(line, {name: unescaped(cell) or None for name, cell in pairs})
            line = reader.line_num + 1
    except csv.Error as problem:
        raise FileError(line, _message(problem)) from None


def read_column_names(path: Path) -> list[str]:
    """Return the names of the columns of a file that `read_csv` can read."""
    return _names(next(csv.reader(text_lines(path), strict=True), []))


def _names(titles: list[str]) -> list[str]:
    """Return the names of the columns."""
    names = [unescaped(title.strip()) for title in titles]
    if not any(names):
        raise FileError(1, "there is no line of column names")
    for separator, name in _SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            raise FileError(1, f"the cells are separated by {name}; separate them by commas")
    if "" in names:
        raise FileError(1, "a column has no name, as that of row numbers; leave it out")
    check_unique(names, 1)
    return names


def _message(problem: csv.Error) -> str:
    text = str(problem)
    if "new-line character" in text:
        return "lines end in a carriage return only; save it with the line ends of this system"
    if "unexpected end of data" in text or "field limit" in text:
        return "a quotation mark is not closed, or a cell is longer than 131072 characters"
    return f"this is not CSV: {text}"
