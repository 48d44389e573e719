"""What every kind of file gives: rows with the line on which they stand, or why it can't."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["LONGEST_RECORD", "Located", "Unreadable"]

# Longest text of one record. A page holds 100 of them, and a client takes 64 MiB at most.
LONGEST_RECORD = 500_000


class Located(NamedTuple):
    """A row with its place: a line, or for Parquet the number of the row."""

    line: int
    values: dict[str, Any]


class Unreadable(Exception):
    """A file, or a place in it, that is not what its name says.

    Parameters
    ----------
    line : int
        Where; 0 where it is about the whole file.
    says : str
        Why, for people.
    """

    def __init__(self, line: int, says: str) -> None:
        super().__init__(says)
        self.line = line
        self.says = says
