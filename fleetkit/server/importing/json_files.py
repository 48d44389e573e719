"""Records out of JSON: a list of them, an answer of the API that was saved, or one on each line.

A file is read piece by piece, so that one of any size takes the memory of a few records.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from fleetkit.server.importing.located import LONGEST_RECORD, Located, Unreadable

__all__ = ["read_json", "read_json_lines", "value_of"]

_PIECE = 1 << 18
_SPACE = re.compile(r"[ \t\r\n]*")
# More digits than any number of 64 bits, whole or not, has.
_DIGITS = 330
_ANSWER = {"success", "data", "meta"}


class _NotJson(ValueError):
    """A value that Python's reader takes and JSON doesn't, or not in one meaning."""


def _no_number(name: str) -> NoReturn:
    raise _NotJson(f"{name} is not a number of JSON")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _NotJson(f"a number has {len(digits)} digits")
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotJson(f"{twice!r:.60} is given twice in one object")
    return values


_decoder = json.JSONDecoder(
    parse_constant=_no_number, parse_int=_integer, object_pairs_hook=_object
)


def value_of(text: str) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ValueError
        It is not JSON, or a name stands in it twice.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise _NotJson("it is nested too deeply") from None


def read_json(path: Path) -> Iterator[Located]:
    """Yield the records of a list, or of an answer's ``data``, one by one."""
    with path.open("rb") as file:
        text = _Text(file)
        first = text.peek()
        if first == "[":
            yield from _list(text)
        elif first == "{":
            yield from _Answer(text).records()
        else:
            empty = "the file is empty"
            wrong = "this is neither a list of records nor an answer with data"
            raise Unreadable(1, wrong if first else empty)
        if text.peek():
            raise Unreadable(text.line, "more follows after the end of the records")


def read_json_lines(path: Path) -> Iterator[Located]:
    """Yield the record of each line."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_RECORD + 1):
            number += 1
            if len(line) > LONGEST_RECORD:
                raise Unreadable(number, f"the line is longer than {LONGEST_RECORD} bytes")
            if text := _decoded(line, number).strip(" \t\r\n"):
                try:
                    values = value_of(text)
                except ValueError as problem:
                    raise Unreadable(number, f"this is not JSON: {_says(problem)}") from None
                yield Located(number, _record(values, number))


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise Unreadable(number, "this is not UTF-8 text") from None


def _says(problem: ValueError) -> str:
    """Return what a reader says, without the place, which it counts from where it began."""
    return problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)


def _record(values: Any, line: int) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise Unreadable(line, "a record is an object")
    return values


class _Text:
    """The text of a file, read as far as it is needed.

    Attributes
    ----------
    line : int
        Where the reading is.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.line = 1
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._place = 0
        self._ended = False

    def peek(self) -> str:
        """Pass over blanks and return the next character; nothing at the end."""
        while True:
            blank = _SPACE.match(self._text, self._place)
            self._go_to(blank.end() if blank else self._place)
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._read():
                return ""

    def take(self, *characters: str) -> str:
        """Return the next character, which must be one of these."""
        character = self.peek()
        if character not in characters:
            raise Unreadable(self.line, f"this is not JSON: Expecting {' or '.join(characters)}")
        self._go_to(self._place + 1)
        return character

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as problem:
                if self._is_cut() and self._read():
                    continue
                line = self.line + self._text.count("\n", self._place, problem.pos)
                raise Unreadable(line, self._why(problem)) from None
            except RecursionError:
                raise Unreadable(self.line, "values are nested too deeply") from None
            except ValueError as problem:
                raise Unreadable(self.line, f"this is not JSON: {_says(problem)}") from None
            self._go_to(end)
            return value

    def _is_cut(self) -> bool:
        """Whether what was read of a value may be only its beginning."""
        return len(self._text) - self._place <= LONGEST_RECORD

    def _why(self, problem: json.JSONDecodeError) -> str:
        if not self._ended:
            return f"this is not JSON, or a record longer than {LONGEST_RECORD} characters"
        return f"this is not JSON: {problem.msg}"

    def _go_to(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place

    def _read(self) -> bool:
        """Read a further piece; False at the end of the file."""
        if self._ended:
            return False
        piece = self._file.read(_PIECE)
        self._ended = not piece
        try:
            more = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as problem:
            before = self._text.count("\n", self._place)
            line = self.line + before + problem.object.count(b"\n", 0, problem.start)
            raise Unreadable(line, "this is not UTF-8 text") from None
        self._text, self._place = self._text[self._place :] + more, 0
        return True


def _list(text: _Text) -> Iterator[Located]:
    """Yield the records of a list."""
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    while True:
        is_object, line = text.peek() == "{", text.line
        value = text.value()
        if not is_object:
            raise Unreadable(line, "a record is an object")
        yield Located(line, _record(value, line))
        if text.take(",", "]") == "]":
            return


class _Answer:
    """An answer of the API that was saved, which must be whole and a success."""

    def __init__(self, text: _Text) -> None:
        self._text = text
        self._rows = 0
        self._members: dict[str, Any] = {}
        self._lines: dict[str, int] = {}

    def records(self) -> Iterator[Located]:
        """Yield what stands under ``data``; the rest of the answer says whether that is all."""
        text = self._text
        text.take("{")
        end = text.peek() if text.peek() == "}" else ""
        while end != "}":
            yield from self._member()
            end = text.take(",", "}")
        self._check()

    def _member(self) -> Iterator[Located]:
        text = self._text
        if text.peek() != '"':
            raise Unreadable(text.line, "this is not JSON: Expecting a name in double quotes")
        line, name = text.line, text.value()
        if name in self._lines:
            raise Unreadable(line, f"{name!r:.60} is given twice in one object")
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
            raise Unreadable(lines[failed[0]], "this is the answer to a request that failed")
        if "data" not in lines or "data" in members:
            says = "this is neither a list of records nor an answer with data"
            more = "a file with a record on each line ends in .jsonl"
            raise Unreadable(lines.get("data", 1), f"{says}; {more}")
        unknown = [name for name in lines if name not in _ANSWER]
        if unknown:
            says = f"{unknown[0]!r:.60} is not part of an answer"
            raise Unreadable(lines[unknown[0]], says)
        if "meta" in members:
            self._check_paging(members["meta"], lines["meta"])

    def _check_paging(self, meta: Any, line: int) -> None:
        pagination = meta.get("pagination") if isinstance(meta, dict) else None
        if not isinstance(pagination, dict) or set(meta) != {"pagination"}:
            raise Unreadable(line, "meta holds something else than pagination")
        total = pagination.get("total", self._rows)
        if pagination.get("hasMore", False) is not False or total != self._rows:
            says = f"this is one page of several, {self._rows} of {total!r:.20} records"
            raise Unreadable(line, f"{says}; put all records into one list")
