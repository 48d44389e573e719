"""Reading JSON files: a list of records, a saved answer of the API, or one record on each line.

A file is read piece by piece, so that a file of any size needs the memory of a few records only.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from fleetkit.server.importing.file_rows import LONGEST_RECORD, FileError, FileRow

__all__ = ["parse_value", "read_json", "read_json_lines"]

_PIECE = 1 << 18
_SPACE = re.compile(r"[ \t\r\n]*")
# More digits than any number of 64 bits has.
_DIGITS = 330
_ANSWER = {"success", "data", "meta"}
_NO_RECORDS = "this is neither a list of records nor an answer with data"


class _NotJson(ValueError):
    """A value that Python's parser accepts, but that is not valid or not unambiguous in JSON."""


def _reject_constant(name: str) -> NoReturn:
    raise _NotJson(f"{name} is not a number in JSON")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _NotJson(f"a number has {len(digits)} digits")
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise _NotJson(f"{duplicate!r:.60} is given twice in one object")
    return values


_decoder = json.JSONDecoder(
    parse_constant=_reject_constant, parse_int=_integer, object_pairs_hook=_object
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
        raise _NotJson("it is nested too deeply") from None


def read_json(path: Path) -> Iterator[FileRow]:
    """Yield the records of a list, or of an answer's ``data``, one by one."""
    with path.open("rb") as file:
        text = _Text(file)
        first = text.peek()
        if first == "[":
            yield from _list(text)
        elif first == "{":
            yield from _Answer(text).records()
        else:
            raise FileError(1, _NO_RECORDS if first else "the file is empty")
        if text.peek():
            raise FileError(text.line, "more follows after the end of the records")


def read_json_lines(path: Path) -> Iterator[FileRow]:
    """Yield the record of each line."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_RECORD + 1):
            number += 1
            if len(line) > LONGEST_RECORD:
                raise FileError(number, f"the line is longer than {LONGEST_RECORD} bytes")
            if text := _decoded(line, number).strip(" \t\r\n"):
                try:
                    values = parse_value(text)
                except ValueError as problem:
                    raise FileError(number, f"this is not JSON: {_message(problem)}") from None
                yield FileRow(number, _record(values, number))


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise FileError(number, "this is not UTF-8 text") from None


def _message(problem: ValueError) -> str:
    """Return a parser's message without its position, which isn't counted from the file's start."""
    return problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)


def _record(values: Any, line: int) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise FileError(line, "a record is an object")
    return values


class _Text:
    """The text of a file, read when it is needed.

    Attributes
    ----------
    line : int
        The line of the current position.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.line = 1
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
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
                if self._is_cut() and self._read():
                    continue
                line = self.line + self._text.count("\n", self._position, problem.pos)
                raise FileError(line, self._reason(problem)) from None
            except RecursionError:
                raise FileError(self.line, "values are nested too deeply") from None
            except ValueError as problem:
                raise FileError(self.line, f"this is not JSON: {_message(problem)}") from None
            self._go_to(end)
            return value

    def _is_cut(self) -> bool:
        """Whether the text may hold only the beginning of a value."""
        return len(self._text) - self._position <= LONGEST_RECORD

    def _reason(self, problem: json.JSONDecodeError) -> str:
        if not self._ended:
            return f"this is not JSON, or a record longer than {LONGEST_RECORD} characters"
        return f"this is not JSON: {problem.msg}"

    def _go_to(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

    def _read(self) -> bool:
        """Read another piece; return False at the end of the file."""
        if self._ended:
            return False
        piece = self._file.read(_PIECE)
        self._ended = not piece
        try:
            text = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as problem:
            before = self._text.count("\n", self._position)
            line = self.line + before + problem.object.count(b"\n", 0, problem.start)
            raise FileError(line, "this is not UTF-8 text") from None
        self._text, self._position = self._text[self._position :] + text, 0
        return True


def _list(text: _Text) -> Iterator[FileRow]:
    """Yield the records of a list."""
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    while True:
        is_object, line = text.peek() == "{", text.line
        value = text.value()
        if not is_object:
            raise FileError(line, "a record is an object")
        yield FileRow(line, _record(value, line))
        if text.take(",", "]") == "]":
            return


class _Answer:
    """A saved answer of the API, which must be complete and a success."""

    def __init__(self, text: _Text) -> None:
        self._text = text
        self._rows = 0
        self._members: dict[str, Any] = {}
        self._lines: dict[str, int] = {}

    def records(self) -> Iterator[FileRow]:
        """Yield the records in ``data``, and check by the rest of the answer that they are all."""
        text = self._text
        text.take("{")
        end = text.peek() if text.peek() == "}" else ""
        while end != "}":
            yield from self._member()
            end = text.take(",", "}")
        self._check()

    def _member(self) -> Iterator[FileRow]:
        text = self._text
        if text.peek() != '"':
            raise FileError(text.line, "this is not JSON: Expecting a name in double quotes")
        line, name = text.line, text.value()
        if name in self._lines:
            raise FileError(line, f"{name!r:.60} is given twice in one object")
        text.take(":")
        self._lines[name] = line
        if name == "data" and text.peek() == "[":
            for row in _list(text):
                self._rows += 1
                yield row
        else:
            self._members[name] = text.value()

    def _check(self) -> None:
        members, lines = self._members, self._lines
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
            raise FileError(lines[unknown[0]], f"{unknown[0]!r:.60} is not part of an answer")
        if "meta" in members:
            self._check_paging(members["meta"], lines["meta"])

    def _check_paging(self, meta: Any, line: int) -> None:
        pagination = meta.get("pagination") if isinstance(meta, dict) else None
        if not isinstance(pagination, dict) or set(meta) != {"pagination"}:
            raise FileError(line, "meta has other fields than pagination")
        total = pagination.get("total", self._rows)
        if pagination.get("hasMore", False) is not False or total != self._rows:
            message = f"this is one page of several, {self._rows} of {total!r:.20} records"
            raise FileError(line, f"{message}; put all records into one list")
