"""An organisation's records out of a folder of files, every row checked, all or nothing.

A file is named after its table: ``equipment``, ``flights``, ``flight_equipment``, ``projects``,
``services``, ``tiers``, ``specifications``, ending in ``.csv``, ``.json``, ``.jsonl`` or
``.parquet``. Columns bear the reference's names or those of a DataFrame. ``flight_equipment`` says
which flights stand under which equipment; tiers and specifications may be files of their own or
stand inside their service or equipment.

Nothing is lost without a word: what is read is read whole, and what can't be read, or not in one
meaning, is an error that names file and line. Files of any size take little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from fleetkit.errors import DataError
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT, SERVICE, TIER
from fleetkit.server.importing import fields
from fleetkit.server.importing.csv_files import read_csv
from fleetkit.server.importing.fields import InvalidCell
from fleetkit.server.importing.folder import look_into
from fleetkit.server.importing.json_files import read_json, read_json_lines
from fleetkit.server.importing.located import LONGEST_RECORD, Located, Unreadable
from fleetkit.server.importing.parquet_files import read_parquet
from fleetkit.server.importing.repeats import Ids
from fleetkit.server.store import Store
from fleetkit.server.writer import Writer

__all__ = ["ImportReport", "import_folder"]

# So many problems are told; then reading ends.
_TOLD = 20
# What an answer may hold, so that a client takes it. [bytes]
_LONGEST_ANSWER = 50_000_000
# Records with their lines.
Records = Iterator[tuple[int, dict[str, Any]]]
_READERS: dict[str, Callable[[Path], Iterator[Located]]] = {
    ".csv": read_csv,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".parquet": read_parquet,
}
_KINDS = {"equipment": EQUIPMENT, "flights": FLIGHT, "projects": PROJECT, "services": SERVICE}
_LINKS: dict[str, dict[str, tuple[str, ...]]] = {
    "flight_equipment": {
        "flight_id": ("flight",),
        "flightId": ("flight",),
        "equipment_id": ("equipment",),
        "equipmentId": ("equipment",),
    },
    "specifications": {
        "equipment_id": ("equipment",),
        "equipmentId": ("equipment",),
        "name": ("name",),
        "value": ("value",),
    },
    "tiers": {"service_id": ("service",), "serviceId": ("service",), **fields.names(TIER)},
}
_NAMES = _LINKS | {name: fields.names(kind) for name, kind in _KINDS.items()}


@dataclass(frozen=True)
class ImportReport:
    """What an import did.

    Attributes
    ----------
    rows : dict of int
        Table → rows read.
    not_read : tuple of str
        Names of what lies in the folder and is of no table.
    """

    rows: dict[str, int]
    not_read: tuple[str, ...]


def import_folder(store: Store, organisation: str, folder: str | Path) -> ImportReport:
    """Put the records of a folder into an organisation; known ids are updated.

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
        Rows are wrong; the message lists the first by file and line, and nothing was imported.
    InvalidValue
        No such folder or organisation, no file in it that can be imported, or one that may hold
        records and can't be read.
    """
    found = look_into(Path(folder), _NAMES, _READERS)
    work = _Import(found.tables)
    with store.writing(organisation) as writer:
        work.run(writer)
        work.end()
    return ImportReport(work.rows, found.not_read)


class _Problem(NamedTuple):
    file: str
    line: int
    says: str

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        return f"{self.file}{place}: {self.says}{'' if self.says.endswith('?') else '.'}"


class _TooMany(Exception):
    """Enough problems were found."""


class _Import:
    """One import: reads file after file, counts rows and collects problems."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files
        self.rows: dict[str, int] = {}
        self.problems: list[_Problem] = []
        # Tables with problems: what follows from those is not told.
        self.unsound: set[str] = set()
        # Columns that were told to be wrong, each once.
        self.told: set[tuple[str, str]] = set()

    def run(self, writer: Writer) -> None:
        """Read everything into the writer, up to the first problems."""
        try:
            specifications, tiers = self._specifications(), self._tiers()
            writer.put_flights(self._sized("flights", self._records("flights")))
            equipment = self._holding("equipment", "specifications", specifications)
            writer.put("equipment", self._sized("equipment", equipment))
            writer.put("projects", self._sized("projects", self._records("projects")))
            services = self._each_tier_once(self._holding("services", "tiers", tiers))
            writer.put("services", self._sized("services", services))
            self._attach(writer)
        except _TooMany:
            return

    def end(self) -> None:
        """Refuse the import if there was any problem."""
        if self.problems:
            more = " The first ones:" if len(self.problems) >= _TOLD else ""
            told = "\n".join(str(problem) for problem in self.problems)
            raise DataError(f"Nothing was imported, since rows are wrong.{more}\n{told}")

    def _problem(self, name: str, line: int, says: object) -> None:
        self.unsound.add(name)
        self.problems.append(_Problem(self.files[name].name, line, str(says)))
        if len(self.problems) >= _TOLD:
            raise _TooMany

    # -- rows of any table -----------------------------------------------------------------

    def _rows(self, name: str) -> Iterator[tuple[int, dict[tuple[str, ...], Any]]]:
        """Yield the rows of a table with their columns found, and their lines."""
        path = self.files.get(name)
        if path is None:
            return
        self.rows[name] = 0
        try:
            for row in self._located(path):
                self.rows[name] += 1
                yield row.line, self._placed(name, row)
        except Unreadable as problem:
            self._problem(name, problem.line, problem.says)

    def _located(self, path: Path) -> Iterator[Located]:
        try:
            yield from _READERS[path.suffix.lower()](path)
        except OSError as problem:
            raise Unreadable(0, f"it can't be read: {problem.strerror or problem}") from None

    def _placed(self, name: str, row: Located) -> dict[tuple[str, ...], Any]:
        known = _NAMES[name]
        placed: dict[tuple[str, ...], Any] = {}
        for column, value in row.values.items():
            place = known.get(column)
            if place is None:
                near = get_close_matches(column, known, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                says = f"there is no column {column!r:.60}{hint}"
                self._tell_once(name, column, row.line, says)
            elif place in placed:
                twins = [name for name in row.values if known.get(name) == place]
                says = f"the columns {' and '.join(twins)} are of one field; keep one of them"
                self._tell_once(name, column, row.line, says)
            else:
                placed[place] = value
        return placed

    def _tell_once(self, name: str, column: str, line: int, says: str) -> None:
        if (name, column) not in self.told:
            self.told.add((name, column))
            self._problem(name, line, says)

    # -- records ---------------------------------------------------------------------------

    def _records(self, name: str) -> Records:
        """Yield the valid records of a table, and then tell ids that stood there twice."""
        ids = Ids()
        for line, values in self._rows(name):
            try:
                found = fields.record(_KINDS[name], values)
            except InvalidCell as problem:
                self._problem(name, line, problem)
                continue
            ids.add(found["id"])
            yield line, found
        for line, identifier in ids.repeated(self._ids(name)):
            self._problem(name, line, f"{identifier} is there twice")

    def _ids(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield lines and ids of a table that was read before."""
        columns = [column for column, place in _NAMES[name].items() if place == ("id",)]
        with suppress(Unreadable):  # which was told already
            for row in self._located(self.files[name]):
                for column in columns:
                    if isinstance(row.values.get(column), str):
                        yield row.line, row.values[column]

    def _sized(self, name: str, records: Records) -> Iterator[dict[str, Any]]:
        """Yield records that a client can take, 100 of a kind or all services in one answer."""
        total = 0
        for line, found in records:
            size = len(msgspec.json.encode(found))
            total += size
            if size > LONGEST_RECORD:
                says = f"{found['id']} has {size} bytes; a record has at most {LONGEST_RECORD}"
                self._problem(name, line, says)
            elif name == "services" and total > _LONGEST_ANSWER:
                says = f"all services together have more than {_LONGEST_ANSWER} bytes"
                self._problem(name, line, says)
            else:
                yield found

    def _each_tier_once(self, services: Records) -> Records:
        seen: set[str] = set()
        for line, service in services:
            for tier in service["tiers"]:
                if tier["id"] in seen:
                    self._problem("services", line, f"the tier {tier['id']} is there twice")
                seen.add(tier["id"])
            yield line, service

    def _holding(self, name: str, field: str, parts: dict[str, list[tuple[int, Any]]]) -> Records:
        """Yield records with the parts that have a file of their own put into them."""
        for line, found in self._records(name):
            given = parts.pop(found["id"], [])
            if given and found[field]:
                says = f"{found['id']} has {field} of its own in {self.files[name].name}"
                self._problem(field, given[0][0], says)
            own = [part for _, part in given]
            if own:
                found[field] = dict(own) if field == "specifications" else own
            elif found[field] is None:
                found[field] = {} if field == "specifications" else []
            yield line, found
        for identifier, left in () if name in self.unsound else parts.items():
            self._problem(field, left[0][0], f"{identifier} is not among the {name} of this folder")

    def _specifications(self) -> dict[str, list[tuple[int, Any]]]:
        parts: dict[str, list[tuple[int, Any]]] = {}
        seen: set[tuple[str, str]] = set()
        for line, values in self._rows("specifications"):
            try:
                owner = fields.identifier(EQUIPMENT, values.get(("equipment",)))
                name = fields.text("name", values.get(("name",)))
                value = values.get(("value",))
                pair = (name, "" if value is None else fields.text("value", value))
            except InvalidCell as problem:
                self._problem("specifications", line, problem)
                continue
            if (owner, name) in seen:
                self._problem("specifications", line, f"{owner} has {name!r:.60} twice")
            seen.add((owner, name))
            parts.setdefault(owner, []).append((line, pair))
        return parts

    def _tiers(self) -> dict[str, list[tuple[int, Any]]]:
        parts: dict[str, list[tuple[int, Any]]] = {}
        for line, values in self._rows("tiers"):
            try:
                owner = fields.identifier(SERVICE, values.pop(("service",), None))
                parts.setdefault(owner, []).append((line, fields.record(TIER, values)))
            except InvalidCell as problem:
                self._problem("tiers", line, problem)
        return parts

    # -- which flights stand under which equipment -----------------------------------------

    def _attach(self, writer: Writer) -> None:
        lines: dict[tuple[str, str], int] = {}
        for line, values in self._rows("flight_equipment"):
            try:
                flight = fields.identifier(FLIGHT, values.get(("flight",)))
                equipment = fields.identifier(EQUIPMENT, values.get(("equipment",)))
            except InvalidCell as problem:
                self._problem("flight_equipment", line, problem)
                continue
            lines[flight, equipment] = line
            if len(lines) == writer.BATCH:
                self._attach_batch(writer, lines)
        self._attach_batch(writer, lines)

    def _attach_batch(self, writer: Writer, lines: dict[tuple[str, str], int]) -> None:
        unknown = writer.attach(lines)
        for pair in () if self.unsound & {"flights", "equipment"} else unknown:
            says = f"no flight {pair[0]}, or no equipment {pair[1]}, is here"
            self._problem("flight_equipment", lines[pair], says)
        lines.clear()
