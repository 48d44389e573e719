"""Rows of files of any kind, with their lines, and the error of a file that can't be read."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["LONGEST_RECORD", "FileError", "FileRow"]

# Longest text of one record. A page has up to 100 of them, and a client reads 64 MiB at most.
LONGEST_RECORD = 500_000


class FileRow(NamedTuple):
    """A row with its line, or for Parquet its number."""

    line: int
    values: dict[str, Any]


class FileError(Exception):
    """A file that can't be read, or not at some line.

    Parameters
    ----------
    line : int
        The line; 0 for the whole file.
    message : str
        The reason, for the user.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
