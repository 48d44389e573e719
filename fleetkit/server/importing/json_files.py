"""Reading JSON files: a list of records, a saved answer of the API, or one record on each line.

A file is read piece by piece, so that a file of any size needs the memory of a few records only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, NoReturn, TextIO

from fleetkit.interface import brief
from fleetkit.server.importing.file_rows import LONGEST_RECORD, FileError, FileRow, text_lines

__all__ = ["parse_fraction", "parse_value", "read_json", "read_json_lines"]

_PIECE = 1 << 18
_BLANKS = " \t\r\n"
_SPACE = re.compile(f"[{_BLANKS}]*")
_SURROGATE = re.compile("[\udc80-\udcff]")
# More digits than any number of 64 bits has.
_DIGITS = 330
# A float holds each whole number up to the first; no number of 64 bits is beyond the second.
_EXACT, _MOST = 2**53, 2**64
_ANSWER = {"success", "data", "meta"}
_NO_OBJECT = "a record is an object"
_NO_RECORDS = "this is neither a list of records nor an answer with data"


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def parse_fraction(digits: str) -> float | int:
    """Return the value of a number with a point or an exponent; whole where a float would round.

    Examples
    --------
    >>> parse_fraction("1.50"), parse_fraction("9007199254740993.0")
    (1.5, 9007199254740993)
    """
    number = float(digits)
    if _EXACT <= abs(number) < _MOST and (exact := Decimal(digits)) == exact.to_integral_value():
        return int(exact)
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{brief(duplicate)} is given twice in one object")
    return values


_decoder = json.JSONDecoder(
    parse_constant=_reject_constant,
    parse_float=parse_fraction,
    parse_int=_integer,
    object_pairs_hook=_object,
)


def parse_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ValueError
        The text is not JSON, or an object has a name twice.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_json(path: Path) -> Iterator[FileRow]:
    """Yield the records of a list, or of an answer's ``data``, one by one."""
    # Bytes that are not UTF-8 become surrogates, which `_Text` reports with their line.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        text = _Text(file)
        first = text.peek()
        if first == "[":
            yield from _list(text)
        elif first == "{":
            yield from _answer(text)
        else:
            raise FileError(1, _NO_RECORDS if first else "the file is empty")
        if text.peek():
            raise FileError(text.line, "more follows after the end of the records")


def read_json_lines(path: Path) -> Iterator[FileRow]:
    """Yield the record of each line."""
    for number, line in enumerate(text_lines(path), 1):
        if text := line.strip(_BLANKS):
            try:
                values = parse_value(text)
            except ValueError as problem:
                raise FileError(number, f"this is not JSON: {_message(problem)}") from None
            if not isinstance(values, dict):
                raise FileError(number, _NO_OBJECT)
            yield FileRow(number, values)


def _message(problem: ValueError) -> str:
    """Return a parser's message without its position, which isn't counted from the file's start."""
    return problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)


class _Text:
    """The text of a file, read when it is needed.

    Attributes
    ----------
    line : int
        The line of the current position.
    """

    def __init__(self, file: TextIO) -> None:
        self.line = 1
        self._file = file
        self._text = ""
        self._position = 0
        self._ended = False

    def peek(self) -> str:
        """Skip white space and return the next character; an empty text at the end."""
        while True:
            space = _SPACE.match(self._text, self._position)
            self._go_to(space.end() if space else self._position)
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read():
                return ""

    def take(self, *characters: str) -> str:
        """Return the next character, which must be one of these."""
        character = self.peek()
        if character not in characters:
            raise FileError(self.line, f"this is not JSON: Expecting {' or '.join(characters)}")
        self._go_to(self._position + 1)
        return character

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._position)
            except json.JSONDecodeError as problem:
                may_be_cut = len(self._text) - self._position <= LONGEST_RECORD
                if may_be_cut and self._read():
                    continue
                line = self.line + self._text.count("\n", self._position, problem.pos)
                too_long = f", or a record longer than {LONGEST_RECORD} characters"
                reason = f": {problem.msg}" if self._ended else too_long
                raise FileError(line, f"this is not JSON{reason}") from None
            except RecursionError:
                raise FileError(self.line, "values are nested too deeply") from None
            except ValueError as problem:
                raise FileError(self.line, f"this is not JSON: {_message(problem)}") from None
            self._go_to(end)
            return value

    def _go_to(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

    def _read(self) -> bool:
        """Read another piece; return False at the end of the file."""
        if self._ended:
            return False
        piece = self._file.read(_PIECE)
        rest = self._text[self._position :]
        if invalid := _SURROGATE.search(piece):
            line = self.line + rest.count("\n") + piece.count("\n", 0, invalid.start())
            raise FileError(line, "this is not UTF-8 text; save it as UTF-8")
        self._text, self._position, self._ended = rest + piece, 0, not piece
        return True


def _list(text: _Text) -> Iterator[FileRow]:
    """Yield the records of a list."""
    text.take("[")
    first_line = text.line
    if text.peek() == "]":
        text.take("]")
        return
    for number in count(1):
        is_object = text.peek() == "{"
        more = f", record {number}" if number > 1 and text.line == first_line else ""
        line = f"{text.line}{more}"
        try:
            values = text.value()
        except FileError as problem:
            raise FileError(f"{problem.line}{more}", problem.message) from None
        if not is_object:
            raise FileError(line, _NO_OBJECT)
        yield FileRow(line, values)
        if text.take(",", "]") == "]":
            return


def _answer(text: _Text) -> Iterator[FileRow]:
    """Yield the records in an answer's ``data``, and check by its rest that they are all."""
    members: dict[str, Any] = {}
    lines: dict[str, int] = {}
    rows = 0
    text.take("{")
    end = text.peek()
    while end != "}":
        if text.peek() != '"':
            raise FileError(text.line, "this is not JSON: Expecting a name in double quotes")
        line, name = text.line, text.value()
        if name in lines:
            raise FileError(line, f"{brief(name)} is given twice in one object")
        lines[name] = line
        text.take(":")
        if name == "data" and text.peek() == "[":
            for row in _list(text):
                rows += 1
                yield row
        else:
            members[name] = text.value()
        end = text.take(",", "}")
    _check_answer(members, lines)
    if "meta" in members:
        _check_paging(members["meta"], lines["meta"], rows)


def _check_answer(members: dict[str, Any], lines: dict[str, int]) -> None:
    """Check that an answer is a success with a list in ``data``, which is not in `members`."""
    failed: list[str] = [name for name in ("error", "errors") if name in lines]
    if members.get("success", True) is not True:
        failed.append("success")
    if failed:
        raise FileError(lines[failed[0]], "this is the answer to a request that failed")
    if "data" not in lines or "data" in members:
        advice = "a file with a record on each line ends in .jsonl"
        raise FileError(lines.get("data", 1), f"{_NO_RECORDS}; {advice}")
    unknown = [name for name in lines if name not in _ANSWER]
    if unknown:
        raise FileError(lines[unknown[0]], f"{brief(unknown[0])} is not part of an answer")


def _check_paging(meta: Any, line: int, rows: int) -> None:
    """Check that an answer with so many rows is not one page of several."""
    pagination = meta.get("pagination") if isinstance(meta, dict) else None
    if not isinstance(pagination, dict) or set(meta) != {"pagination"}:
        raise FileError(line, "meta has other fields than pagination")
    total = pagination.get("total", rows)
    if pagination.get("hasMore", False) is not False or total != rows:
        message = f"this is one page of several, {rows} of {brief(total)} records"
        raise FileError(line, f"{message}; put all records into one list")
