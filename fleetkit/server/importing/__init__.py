"""An organisation's records out of a folder of files, every row checked, all or nothing.

A file is named after its table: ``equipment``, ``flights``, ``flight_equipment``, ``projects``,
``services``, ``tiers``, ``specifications``, ending in ``.csv``, ``.json``, ``.jsonl`` or
``.parquet``. Columns bear the reference's names or those of a DataFrame. ``flight_equipment`` says
which flights stand under which equipment; tiers and specifications may be files of their own or
stand inside their service or equipment.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from fleetkit.errors import DataError, InvalidValue
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT, SERVICE, TIER, Record
from fleetkit.server.importing import fields
from fleetkit.server.importing.files import READERS, Located, Unreadable
from fleetkit.server.store import Store
from fleetkit.server.writer import Writer

__all__ = ["import_folder"]

# So many problems are told; then reading ends.
_TOLD = 20
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


def import_folder(store: Store, organisation: str, folder: str | Path) -> dict[str, int]:
    """Put the records of a folder into an organisation; known ids are updated.

    Parameters
    ----------
    store : Store
    organisation : str
        Its id or name.
    folder : str or Path

    Returns
    -------
    dict of int
        Table → rows read.

    Raises
    ------
    DataError
        Rows are wrong; the message lists the first by file and line, and nothing was imported.
    InvalidValue
        No such folder or organisation, or no file in it that can be imported.
    """
    files = _files(Path(folder))
    work = _Import(files)
    with store.writing(organisation) as writer:
        work.run(writer)
        work.end()
    return work.counts


def _files(folder: Path) -> dict[str, Path]:
    """Return the file of each table."""
    if not folder.is_dir():
        raise InvalidValue(f"There is no folder {folder}.")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in READERS:
            continue
        if path.stem not in _NAMES:
            raise InvalidValue(
                f"{path.name} is named after no table.", advice=f"Tables are: {', '.join(_NAMES)}."
            )
        if path.stem in found:
            raise InvalidValue(
                f"{found[path.stem].name} and {path.name} are of one table.",
                advice="Keep one of them.",
            )
        found[path.stem] = path
    if not found:
        raise InvalidValue(
            f"{folder} holds nothing to import.",
            advice=f"Name files {', '.join(_NAMES)}, ending in {', '.join(READERS)}.",
        )
    return found


class _Problem(NamedTuple):
    file: str
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.says}."


class _TooMany(Exception):
    """Enough problems were found."""


class _Import:
    """One import: reads file after file, remembers ids and problems."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files
        self.counts: dict[str, int] = {}
        self.problems: list[_Problem] = []
        self.unknown: set[tuple[str, str]] = set()

    def run(self, writer: Writer) -> None:
        """Read everything into the writer, up to the first problems."""
        try:
            specifications, tiers = self._specifications(), self._tiers()
            writer.put_flights(self._records("flights"))
            writer.put("equipment", self._holding("equipment", "specifications", specifications))
            writer.put("projects", self._records("projects"))
            writer.put("services", self._holding("services", "tiers", tiers))
            self._attach(writer)
        except _TooMany:
            return

    def end(self) -> None:
        """Refuse the import if there was any problem."""
        if self.problems:
            more = " The first ones:" if len(self.problems) >= _TOLD else ""
            told = "\n".join(str(each) for each in self.problems)
            raise DataError(f"Nothing was imported, since rows are wrong.{more}\n{told}")

    def _problem(self, name: str, line: int, says: object) -> None:
        self.problems.append(_Problem(self.files[name].name, line, str(says)))
        if len(self.problems) >= _TOLD:
            raise _TooMany

    def _rows(self, name: str) -> Iterator[tuple[int, dict[tuple[str, ...], Any]]]:
        """Yield the rows of a table with their columns found, and their lines."""
        path = self.files.get(name)
        if path is None:
            return
        self.counts[name] = 0
        try:
            for row in READERS[path.suffix.lower()](path):
                self.counts[name] += 1
                yield row.line, self._placed(name, row)
        except Unreadable as problem:
            self._problem(name, problem.line, problem.says)
        except UnicodeDecodeError:
            self._problem(name, self.counts[name] + 1, "this is no UTF-8 text")

    def _placed(self, name: str, row: Located) -> dict[tuple[str, ...], Any]:
        known = _NAMES[name]
        placed: dict[tuple[str, ...], Any] = {}
        for column, value in row.values.items():
            if column in known:
                placed[known[column]] = value
            elif (name, column) not in self.unknown:
                self.unknown.add((name, column))
                near = get_close_matches(column, known, 1)
                hint = f"; {near[0]} is meant?" if near else ""
                self._problem(name, row.line, f"there is no column {column!r}{hint}")
        return placed

    def _records(self, name: str, kind: Record | None = None) -> Iterator[dict[str, Any]]:
        """Yield the valid records of a table; each id once."""
        kind = kind or _KINDS[name]
        seen: set[str] = set()
        for line, values in self._rows(name):
            try:
                found = fields.record(kind, values)
            except fields.Refused as problem:
                self._problem(name, line, problem)
                continue
            if found["id"] in seen:
                self._problem(name, line, f"{found['id']} stands there twice")
            seen.add(found["id"])
            yield found

    def _holding(
        self, name: str, field: str, parts: dict[str, list[tuple[int, Any]]]
    ) -> Iterator[dict[str, Any]]:
        """Yield records with the parts that have a file of their own put into them."""
        for found in self._records(name):
            own = [part for _, part in parts.pop(found["id"], ())]
            if own:
                found[field] = dict(own) if field == "specifications" else own
            elif found[field] is None:
                found[field] = {} if field == "specifications" else []
            yield found
        for identifier, left in parts.items():
            self._problem(field, left[0][0], f"{identifier} is not among the {name} of this folder")

    def _specifications(self) -> dict[str, list[tuple[int, Any]]]:
        parts: dict[str, list[tuple[int, Any]]] = {}
        for line, values in self._rows("specifications"):
            try:
                owner = fields.identifier(EQUIPMENT, values.get(("equipment",)))
            except fields.Refused as problem:
                self._problem("specifications", line, problem)
                continue
            pair = (str(values.get(("name",))), str(values.get(("value",)) or ""))
            parts.setdefault(owner, []).append((line, pair))
        return parts

    def _tiers(self) -> dict[str, list[tuple[int, Any]]]:
        parts: dict[str, list[tuple[int, Any]]] = {}
        for line, values in self._rows("tiers"):
            try:
                owner = fields.identifier(SERVICE, values.pop(("service",), None))
                parts.setdefault(owner, []).append((line, fields.record(TIER, values)))
            except fields.Refused as problem:
                self._problem("tiers", line, problem)
        return parts

    def _attach(self, writer: Writer) -> None:
        lines: dict[tuple[str, str], int] = {}
        for line, values in self._rows("flight_equipment"):
            try:
                flight = fields.identifier(FLIGHT, values.get(("flight",)))
                equipment = fields.identifier(EQUIPMENT, values.get(("equipment",)))
            except fields.Refused as problem:
                self._problem("flight_equipment", line, problem)
                continue
            lines[flight, equipment] = line
            if len(lines) == writer.BATCH:
                self._attach_batch(writer, lines)
        self._attach_batch(writer, lines)

    def _attach_batch(self, writer: Writer, lines: dict[tuple[str, str], int]) -> None:
        for pair in writer.attach(lines):
            says = f"no flight {pair[0]}, or no equipment {pair[1]}, is here"
            self._problem("flight_equipment", lines[pair], says)
        lines.clear()
