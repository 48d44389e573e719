"""Rows of files of any kind, with their lines, and the error of a file that can't be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fleetkit.interface import brief

__all__ = ["LONGEST_RECORD", "FileError", "FileRow", "Line", "check_unique", "text_lines"]

# Longest text of one record. A page has up to 100 of them, and a client reads 64 MiB at most.
LONGEST_RECORD = 500_000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


# A line; of a record in a list that is one long line, also its number: ``"1, record 57"``.
Line = int | str


class FileRow(NamedTuple):
    """A row with its line, or for Parquet its number."""

    line: Line
    values: dict[str, Any]


class FileError(Exception):
    """A file that can't be read, or not at some line.

    Parameters
    ----------
    line : int or str
        The line; 0 for the whole file.
    message : str
        The reason, for the user.
    """

    def __init__(self, line: Line, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, with their line ends."""
    with path.open("rb") as file:
        lines = iter(partial(file.readline, LONGEST_RECORD + 1), b"")
        for number, line in enumerate(lines, 1):
            if number == 1 and line.startswith(_UTF16):
                raise FileError(1, "this is UTF-16; save it as UTF-8")
            if len(line) > LONGEST_RECORD:
                raise FileError(number, f"the line is longer than {LONGEST_RECORD} bytes")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise FileError(number, "this is not UTF-8 text; save it as UTF-8") from None
            yield text


def check_unique(columns: Sequence[str], line: int) -> None:
    """Raise an error where two columns have the same name."""
    for index, column in enumerate(columns):
        if column in columns[:index]:
            raise FileError(line, f"the column {brief(column)} is there twice")
