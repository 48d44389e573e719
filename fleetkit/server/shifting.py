"""Lists that change while a client reads them page by page, as those of a live service do.

At first a list differs from what the store holds: a record is missing, an additional one is there,
or one is at another place. When a client has read the first page and asks for a further one, that
changes. A client that doesn't notice loses a record or counts one twice. After as many changes as
the dial says, the list is what the store holds: a client that reads the list again after each
change gets the right records in the end.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Select

from fleetkit.server.dials import Dials
from fleetkit.server.reader import EVERYTHING, Page, Reader

__all__ = ["ListChanges", "ShiftingReader"]

_KINDS = ("added", "removed", "moved")


@dataclass
class _State:
    """How often a list has changed, and whether the last page that was read is its first one."""

    changes: int = 0
    is_first_read: bool = False


@dataclass
class ListChanges:
    """Remembers how often each list has changed."""

    dials: Dials
    _states: dict[Hashable, _State] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def page(
        self, key: tuple[Hashable, ...], documents: Sequence[str], offset: int, limit: int
    ) -> Page:
        """Return the page of a list at an offset, as it is now."""
        if len(documents) <= limit:
            return Page(len(documents), documents[offset:])
        with self._lock:
            state = self._states.setdefault((key, limit), _State())
            if offset and state.is_first_read and state.changes < self.dials.shifting:
                state.changes += 1
            state.is_first_read = not offset
            changes = state.changes
        if changes < self.dials.shifting:
            rng = random.Random(f"{self.dials.seed} {changes} {key}")
            documents = _before(list(documents), _KINDS[changes % len(_KINDS)], limit, rng)
        return Page(len(documents), documents[offset : offset + limit])


def _before(documents: list[str], kind: str, limit: int, rng: random.Random) -> list[str]:
    """Return a list as it was before a record was added, removed or moved."""
    early, late = rng.randrange(limit), rng.randrange(limit, len(documents))
    if kind == "added" and len(documents) > limit + 1:
        del documents[early]
    elif kind == "moved":
        documents.insert(late, documents.pop(early))
    else:
        documents.insert(early, _copy(documents[late]))
    return documents


def _copy(document: str) -> str:
    """Return a record with the same content and another id."""
    record = msgspec.json.decode(document)
    return msgspec.json.encode({**record, "id": f"{record['id']}gone"}).decode()


class ShiftingReader(Reader):
    """A reader whose lists change while they are read."""

    def __init__(self, reader: Reader, list_changes: ListChanges) -> None:
        super().__init__(reader.connection)
        self._list_changes = list_changes

    def _page(
        self, key: tuple[Hashable, ...], total: int, rows: Select[Any], values: dict[str, Any]
    ) -> Page:
        """Return a page of the list as it is now."""
        whole = super()._page(key, total, rows, {**values, **EVERYTHING})
        return self._list_changes.page(key, whole.documents, values["offset"], values["limit"])
