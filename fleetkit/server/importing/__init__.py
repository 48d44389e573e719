"""Importing an organisation's records from a folder of files: every row is checked, all or none.

A file is named after its table: ``equipment``, ``flights``, ``flight_equipment``, ``projects``,
``services``, ``tiers``, ``specifications``, ending in ``.csv``, ``.json``, ``.jsonl`` or
``.parquet``. Columns have the reference's names or those of a DataFrame. ``flight_equipment`` has
pairs of flight and equipment; tiers and specifications may be separate files or parts of their
service or equipment.

Nothing is lost silently: files are read completely, and what can't be read, or is ambiguous, is an
error with file and line, or row of Parquet. Files of any size need little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from fleetkit.errors import DataError
from fleetkit.interface import brief, did_you_mean, sentence
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT, SERVICE, TABLES, TIER
from fleetkit.server.importing import fields
from fleetkit.server.importing.csv_files import read_column_names, read_csv
from fleetkit.server.importing.duplicates import IdRecorder
from fleetkit.server.importing.fields import InvalidCell
from fleetkit.server.importing.file_rows import LONGEST_RECORD, FileError, FileRow, Line
from fleetkit.server.importing.folder import scan_folder
from fleetkit.server.importing.json_files import read_json, read_json_lines
from fleetkit.server.importing.parquet_files import read_parquet
from fleetkit.server.store import Store
from fleetkit.server.writer import Writer

__all__ = ["ImportReport", "import_folder"]

# Reading ends after this number of problems.
_MOST_PROBLEMS = 20
# Longest answer that a client reads. [bytes]
_LONGEST_ANSWER = 50_000_000
_T = TypeVar("_T")
# The values of a row by their paths in a record.
Values = dict[tuple[str, ...], Any]
# Lines and records.
Records = Iterator[tuple[Line, dict[str, Any]]]
_READERS: dict[str, Callable[[Path], Iterator[FileRow]]] = {
    ".csv": read_csv,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".parquet": read_parquet,
}
_KINDS = {"equipment": EQUIPMENT, "flights": FLIGHT, "projects": PROJECT, "services": SERVICE}
# Names that a column may have, with the paths of their fields.
_EQUIPMENT_ID = dict.fromkeys(("equipment_id", "equipmentId"), ("equipment",))
_FLIGHT_ID = dict.fromkeys(("flight_id", "flightId"), ("flight",))
_SERVICE_ID = dict.fromkeys(("service_id", "serviceId"), ("service",))
_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "flight_equipment": {**_FLIGHT_ID, **_EQUIPMENT_ID},
    "specifications": {**_EQUIPMENT_ID, "name": ("name",), "value": ("value",)},
    "tiers": {**_SERVICE_ID, **fields.names(TIER)},
    **{name: fields.names(kind) for name, kind in _KINDS.items()},
}


@dataclass(frozen=True)
class ImportReport:
    """What an import did.

    Attributes
    ----------
    rows : dict of int
        Table → rows read.
    not_read : tuple of str
        Names of files in the folder that belong to no table.
    """

    rows: dict[str, int]
    not_read: tuple[str, ...]


def import_folder(store: Store, organisation: str, folder: str | Path) -> ImportReport:
    """Import the records of a folder into an organisation.

    A record of a known id is replaced as a whole: what its file has no column for becomes null.

    Parameters
    ----------
    store : Store
    organisation : str
        Its id or name.
    folder : str or Path

    Returns
    -------
    ImportReport

    Raises
    ------
    DataError
        Rows are invalid; the message lists the first by file and line. Nothing was imported.
    InvalidValue
        The folder or organisation doesn't exist, the folder has no file to import, or it has a file
        that may contain records and can't be read.
    """
    files = scan_folder(Path(folder), TABLES, _READERS)
    job = _Import(files.tables)
    with store.writing(organisation) as writer:
        job.run(writer)
        job.raise_problems()
    return ImportReport(job.rows, files.not_read)


class _TooMany(Exception):
    """There are enough problems to report."""


class _Import:
    """One import: reads the files, counts rows and collects problems."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files
        self.rows: dict[str, int] = {}
        self.problems: list[str] = []
        # Tables with problems; problems that result from those are not reported.
        self.invalid_tables: set[str] = set()
        # Columns whose problems were reported.
        self.reported: set[tuple[str, str]] = set()

    def run(self, writer: Writer) -> None:
        """Write the records of all files, until there are too many problems."""
        try:
            specifications, tiers = self._specifications(), self._tiers()
            writer.put("flights", self._checked_sizes("flights", self._records("flights")))
            equipment = self._with_parts("equipment", "specifications", specifications)
            writer.put("equipment", self._checked_sizes("equipment", equipment))
            writer.put("projects", self._checked_sizes("projects", self._records("projects")))
            services = self._unique_tiers(self._with_parts("services", "tiers", tiers))
            writer.put("services", self._checked_sizes("services", services))
            self._attach(writer)
        except _TooMany:
            return

    def raise_problems(self) -> None:
        """Raise an error with all problems, if there are any."""
        if self.problems:
            title = " The first ones:" if len(self.problems) >= _MOST_PROBLEMS else ""
            lines = "\n".join(self.problems)
            raise DataError(f"Nothing was imported, because rows are invalid.{title}\n{lines}")

    def _problem(self, name: str, line: Line, message: object) -> None:
        self.invalid_tables.add(name)
        path = self.files[name]
        unit = "row" if path.suffix.lower() == ".parquet" else "line"
        location = f", {unit} {line}" if line else ""
        self.problems.append(sentence(f"{path.name}{location}: {message}"))
        if len(self.problems) >= _MOST_PROBLEMS:
            raise _TooMany

    # -- rows of any table -----------------------------------------------------------------

    def _parsed(self, name: str, parse: Callable[[Values], _T]) -> Iterator[tuple[Line, _T]]:
        """Yield the lines of a table and what their values are parsed to; report invalid ones."""
        path = self.files.get(name)
        if path is None:
            return
        self.rows[name] = 0
        try:
            for row in self._file_rows(path):
                self.rows[name] += 1
                values = self._by_path(name, row)
                try:
                    parsed = parse(values)
                except InvalidCell as problem:
                    self._problem(name, row.line, problem)
                else:
                    yield row.line, parsed
            # The only line may be a file of another kind, such as JSON, with all of its records.
            if not self.rows[name] and path.suffix.lower() == ".csv":
                self._by_path(name, FileRow(1, dict.fromkeys(read_column_names(path))))
        except FileError as problem:
            self._problem(name, problem.line, problem.message)

    def _file_rows(self, path: Path) -> Iterator[FileRow]:
        try:
            yield from _READERS[path.suffix.lower()](path)
        except OSError as problem:
            raise FileError(0, f"it can't be read: {problem.strerror or problem}") from None

    def _by_path(self, name: str, row: FileRow) -> Values:
        known = _NAMES[name]
        values: Values = {}
        for column, value in row.values.items():
            path = known.get(column)
            if path is None:
                hint = did_you_mean(column, known)
                if name == "flights" and column in _NAMES["flight_equipment"]:
                    hint = "The file flight_equipment says which equipment flew."
                message = f"there is no column {brief(column)}. {hint}".strip()
                self._report_once(name, column, row.line, message)
            elif path in values:
                same = " and ".join(other for other in row.values if known.get(other) == path)
                message = f"the columns {same} are of one field; keep one of them"
                self._report_once(name, column, row.line, message)
            else:
                values[path] = value
        return values

    def _report_once(self, name: str, column: str, line: Line, message: str) -> None:
        if (name, column) not in self.reported:
            self.reported.add((name, column))
            self._problem(name, line, message)

    # -- records ---------------------------------------------------------------------------

    def _records(self, name: str) -> Records:
        """Yield the valid records of a table, and then report duplicate ids."""
        ids = IdRecorder()
        for line, record in self._parsed(name, partial(fields.record, _KINDS[name])):
            ids.add(record["id"])
            yield line, record
        for line, identifier in ids.repeated(self._ids(name)):
            self._problem(name, line, f"{identifier} is there twice")

    def _ids(self, name: str) -> Iterator[tuple[Line, str]]:
        """Yield lines and ids of a table that was read before."""
        columns = [column for column, path in _NAMES[name].items() if path == ("id",)]
        with suppress(FileError):  # which is reported already
            for row in self._file_rows(self.files[name]):
                for column in columns:
                    if isinstance(row.values.get(column), str):
                        yield row.line, row.values[column]

    def _checked_sizes(self, name: str, records: Records) -> Iterator[dict[str, Any]]:
        """Yield records that a client can read, 100 of a kind or all services in one answer."""
        total = 0
        for line, record in records:
            size = len(msgspec.json.encode(record))
            total += size
            if size > LONGEST_RECORD:
                message = f"{record['id']} has {size} bytes; a record has at most {LONGEST_RECORD}"
                self._problem(name, line, message)
            elif name == "services" and total > _LONGEST_ANSWER >= total - size:
                message = f"all services together have more than {_LONGEST_ANSWER} bytes"
                self._problem(name, line, message)
            else:
                yield record

    def _unique_tiers(self, services: Records) -> Records:
        seen: set[str] = set()
        for line, service in services:
            for tier in service["tiers"]:
                if tier["id"] in seen:
                    self._problem("services", line, f"the tier {tier['id']} is there twice")
                seen.add(tier["id"])
            yield line, service

    def _with_parts(
        self, name: str, field: str, parts: dict[str, list[tuple[Line, Any]]]
    ) -> Records:
        """Yield records together with their parts from a separate file."""
        collect = dict if field == "specifications" else list
        for line, record in self._records(name):
            own = parts.pop(record["id"], [])
            if own and record[field]:
                message = f"{record['id']} has {field} in {self.files[name].name}, too"
                self._problem(field, own[0][0], message)
            if own or record[field] is None:
                record[field] = collect(part for _, part in own)
            yield line, record
        for identifier, rest in () if name in self.invalid_tables else parts.items():
            self._problem(field, rest[0][0], f"{identifier} is not in the {name} of this folder")

    def _specifications(self) -> dict[str, list[tuple[Line, Any]]]:
        parts: dict[str, list[tuple[Line, Any]]] = {}
        seen: set[tuple[str, str]] = set()
        for line, (owner, name, value) in self._parsed("specifications", _specification):
            if (owner, name) in seen:
                self._problem("specifications", line, f"{owner} has {brief(name)} twice")
            seen.add((owner, name))
            parts.setdefault(owner, []).append((line, (name, value)))
        return parts

    def _tiers(self) -> dict[str, list[tuple[Line, Any]]]:
        parts: dict[str, list[tuple[Line, Any]]] = {}
        for line, (owner, tier) in self._parsed("tiers", _tier):
            parts.setdefault(owner, []).append((line, tier))
        return parts

    # -- pairs of flight and equipment -----------------------------------------------------

    def _attach(self, writer: Writer) -> None:
        pairs, lines = IdRecorder(), {}
        for line, pair in self._parsed("flight_equipment", _pair):
            pairs.add(pair)
            lines[pair] = line
            if len(lines) == writer.BATCH:
                self._attach_batch(writer, lines)
        self._attach_batch(writer, lines)
        for line, (flight, equipment) in pairs.repeated(self._pairs()):
            message = f"the flight {flight} is there twice with the equipment {equipment}"
            self._problem("flight_equipment", line, message)

    def _pairs(self) -> Iterator[tuple[Line, tuple[str, str]]]:
        """Yield lines and pairs of a file that was read before."""
        with suppress(FileError):  # which is reported already
            for row in self._file_rows(self.files["flight_equipment"]):
                with suppress(InvalidCell):
                    yield row.line, _pair(self._by_path("flight_equipment", row))

    def _attach_batch(self, writer: Writer, lines: dict[tuple[str, str], Line]) -> None:
        unknown = writer.attach(lines)
        for pair in () if self.invalid_tables & {"flights", "equipment"} else unknown:
            message = f"there is no flight {pair[0]}, or no equipment {pair[1]}"
            self._problem("flight_equipment", lines[pair], message)
        lines.clear()


def _pair(values: Values) -> tuple[str, str]:
    """Return the ids of a flight and of a piece of equipment on it."""
    flight = fields.identifier(FLIGHT, values.get(("flight",)))
    return flight, fields.identifier(EQUIPMENT, values.get(("equipment",)))


def _specification(values: Values) -> tuple[str, str, str]:
    """Return the id of a piece of equipment, and the name and value of a specification."""
    owner = fields.identifier(EQUIPMENT, values.get(("equipment",)))
    name, value = fields.text("name", values.get(("name",))), values.get(("value",))
    return owner, name, "" if value is None else fields.text("value", value)


def _tier(values: Values) -> tuple[str, dict[str, Any]]:
    """Return the id of a service, and one of its tiers."""
    owner = fields.identifier(SERVICE, values.pop(("service",), None))
    return owner, fields.record(TIER, values)
