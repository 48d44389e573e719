"""Fields that the reference doesn't know, cut out of pages as JSON text.

A service that adds a field sends it with every record from then on, so its name is learned once.
From then on a pass over the page that skips what is known takes out its text, whatever its type,
and stops at a name that it doesn't know: then the names of these pages are learned as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.schema import Record
from fleetkit.tables.records import Path
from fleetkit.tables.values import parse

__all__ = ["RawFields"]

# JSON type of a known field → as what its values are skipped; Arrow has checked them.
_SKIPPED: dict[str, Any] = {
    "string": str | None,
    "timestamp": str | None,
    "integer": int | None,
    "number": float | None,
    "boolean": bool | None,
}
# Characters that msgspec doesn't allow in the name of a field.
_NOT_NAMED = re.compile(r'[\\"\x00-\x1f]')


class RawFields:
    """Takes the unknown fields of one kind of record out of pages, and remembers their names.

    Parameters
    ----------
    record : Record
        The kind. Its own fields are known, and those of the records inside it.

    Attributes
    ----------
    expected : bool
        Whether there were pages that the reference doesn't describe whole.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._inner = record.objects
        self.expected = False
        self._paths: list[Path] = []
        self._decoder = self._decoder_of_rows()

    def texts(self, pages: list[bytes]) -> dict[Path, pa.Array]:
        """Return the JSON text of each unknown field, one per record; null where there is none.

        Parameters
        ----------
        pages : list of bytes
            Whole answers whose known fields have the types that the reference gives them.

        Raises
        ------
        DataError, msgspec.MsgspecError, ValueError, RecursionError
            A page that can't be read this way, or with a field that is in a record twice.
        """
        values: dict[Path, list[bytes | None]] = {path: [] for path in self._paths}
        rows = 0
        for page in pages:
            flights = self._rows(page)
            of_page = {
                path: _values(flights, f"raw_{number}", path)
                for number, path in enumerate(self._paths)
            }
            self._check_once(page, of_page)
            for path, texts in of_page.items():
                if path not in values:  # just learned
                    values[path] = [None] * rows
                values[path] += texts
            rows += len(flights)
        return {path: _texts(texts) for path, texts in values.items()}

    def _rows(self, page: bytes) -> list[Any]:
        try:
            return list(self._decoder.decode(page).data)
        except msgspec.ValidationError:
            self._learn(page)
            return list(self._decoder.decode(page).data)

    def _check_once(self, page: bytes, values: Mapping[Path, list[bytes | None]]) -> None:
        """Refuse a page with a field that is in a record twice and differs: the last is found."""
        records = (self._record, *self._inner.values())
        for name in {path[-1] for path in values}:
            texts = [text for path in values if path[-1] == name for text in values[path]]
            known = sum(name in record.field_names for record in records)
            most = len(texts) - texts.count(None) + known * len(texts)
            if page.count(f'"{name}"'.encode()) > most:
                parse(page.decode("utf-8-sig"))  # it may be a value, too, or in an object within

    def _learn(self, page: bytes) -> None:
        """Add the names of all unknown fields in this page."""
        inner = [(name, dict[str, msgspec.Raw] | None, None) for name in self._inner]
        levels: dict[Path, tuple[Record, list[Any]]] = {
            (): (self._record, _decode(page, dict[str, msgspec.Raw]))
        }
        rows = _decode(page, msgspec.defstruct("Inner", inner))
        for name, record in self._inner.items():
            levels[name,] = record, [getattr(row, name) or {} for row in rows]
        paths = {
            (*outer, name)
            for outer, (record, objects) in levels.items()
            for name in set().union(*objects) - record.field_names
        }
        if any(_NOT_NAMED.search(path[-1]) for path in paths):
            raise ValueError("a field has a name that the decoder can't be told")
        self._paths += sorted(paths - set(self._paths))
        self._decoder = self._decoder_of_rows()

    def _decoder_of_rows(self) -> msgspec.json.Decoder[Any]:
        """Return a decoder that refuses what is neither known nor learned."""
        types = {
            name: _struct(record, {}, self._learned(name)) | None
            for name, record in self._inner.items()
        }
        return msgspec.json.Decoder(_page_of(_struct(self._record, types, self._learned())))

    def _learned(self, *outer: str) -> dict[str, str]:
        """Return attribute → name of the unknown fields at one level."""
        return {
            f"raw_{number}": path[-1]
            for number, path in enumerate(self._paths)
            if path[:-1] == outer
        }


def _struct(record: Record, types: dict[str, Any], unknown: dict[str, str]) -> Any:
    known = [
        (field.name, types[field.name] if field.record else _SKIPPED[field.type], None)
        for field in record.fields
    ]
    raw = [
        (attribute, msgspec.Raw, msgspec.field(name=name, default=None))
        for attribute, name in unknown.items()
    ]
    return msgspec.defstruct(record.name, [*known, *raw], gc=False, forbid_unknown_fields=True)


def _page_of(rows: Any) -> Any:
    return msgspec.defstruct("Page", [("data", list[rows])])


def _decode(page: bytes, rows: Any) -> list[Any]:
    return list(msgspec.json.decode(page, type=_page_of(rows)).data)


def _values(rows: list[Any], attribute: str, path: Path) -> list[bytes | None]:
    *outer, _ = path
    if outer:
        objects = map(attrgetter(outer[0]), rows)
        values = [getattr(item, attribute, None) for item in objects]  # an object may be null
    else:
        values = [*map(attrgetter(attribute), rows)]
    return [None if value is None else bytes(value) for value in values]


def _texts(values: list[bytes | None]) -> pa.Array:
    texts = pa.array(values, pa.large_binary()).cast(pa.large_string())
    return pc.if_else(pc.equal(texts, "null"), pa.scalar(None, texts.type), texts)
