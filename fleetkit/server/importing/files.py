"""Rows out of CSV, JSON, JSON Lines and Parquet files, each with the line that it stands on."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

__all__ = ["READERS", "Located", "Unreadable"]

_SPACE_OR_COMMA = re.compile(r"[\s,]*")
_DATA = re.compile(r'\s*\{.*?"data"\s*:\s*(?=\[)', re.DOTALL)


class Located(NamedTuple):
    """A row with its place: a line, or for Parquet the number of the row."""

    line: int
    values: dict[str, Any]


class Unreadable(Exception):
    """A file, or a place in it, that is not what its name says."""

    def __init__(self, line: int, says: str) -> None:
        super().__init__(says)
        self.line = line
        self.says = says


def _csv(path: Path) -> Iterator[Located]:
    """Yield rows of texts; an empty cell is null."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            heads = [each.strip() for each in next(reader, [])]
            if len(heads) == 1 and ";" in heads[0]:
                raise Unreadable(
                    1, "the cells are separated by semicolons; separate them by commas"
                )
            if len(set(heads)) != len(heads):
                raise Unreadable(1, "a column stands there twice")
            line = reader.line_num + 1
            for cells in reader:
                if cells:
                    if len(cells) != len(heads):
                        says = f"{len(cells)} cells under {len(heads)} columns"
                        raise Unreadable(line, says)
                    pairs = zip(heads, cells, strict=True)
                    yield Located(line, {name: cell or None for name, cell in pairs})
                line = reader.line_num + 1
        except csv.Error as problem:
            raise Unreadable(reader.line_num, f"this is no CSV: {problem}") from None


def _json_lines(path: Path) -> Iterator[Located]:
    with path.open("rb") as file:
        for line, text in enumerate(file, 1):
            if text.strip():
                try:
                    values = msgspec.json.decode(text)
                except msgspec.DecodeError as problem:
                    raise Unreadable(line, f"this is no JSON: {problem}") from None
                yield Located(line, _object(values, line))


def _json(path: Path) -> Iterator[Located]:
    """Yield the records of a list, or of an answer's ``data``, one by one."""
    text = path.read_text(encoding="utf-8-sig")
    answer = _DATA.match(text)
    place = answer.end() if answer else len(text) - len(text.lstrip())
    if text[place : place + 1] != "[":
        raise Unreadable(1, "this is neither a list of records nor an answer with data")
    decoder = json.JSONDecoder(parse_constant=_no_number)
    place, counted, line = place + 1, 0, 1
    while True:
        gap = _SPACE_OR_COMMA.match(text, place)
        place = gap.end() if gap else place
        line += text.count("\n", counted, place)
        counted = place
        if text[place : place + 1] == "]":
            return
        try:
            values, place = decoder.raw_decode(text, place)
        except ValueError as problem:
            raise Unreadable(line, f"this is no JSON: {problem}") from None
        yield Located(line, _object(values, line))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _object(values: Any, line: int) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise Unreadable(line, "a record is an object")
    return values


def _parquet(path: Path) -> Iterator[Located]:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and most imports are of other kinds
    import pyarrow.parquet as pq  # noqa: PLC0415

    number = 0
    try:
        for batch in pq.ParquetFile(path).iter_batches(batch_size=5_000):
            for values in batch.to_pylist(maps_as_pydicts="strict"):
                number += 1
                yield Located(number, values)
    except (pa.ArrowException, KeyError) as problem:
        raise Unreadable(number, f"this is no Parquet: {problem}") from None


READERS: dict[str, Callable[[Path], Iterator[Located]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
}
