"""Lists that move while somebody reads them page by page, as a living service's do.

At first a list differs from what the store holds: a record is not there yet, one is still there
that will be deleted, or one stands in another place. Once somebody has read the first page and
asks for a further one, that changes. So whoever doesn't notice has lost a record or counted one
twice. After the dialled number of moves, the list is what the store holds, and stays so: whoever
reads again each time that it moved gets it right in the end.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import msgspec

from fleetkit.server.dials import Dials
from fleetkit.server.reader import FlightQuery, Page, Reader

__all__ = ["Moves", "ShiftingReader"]

_ALL = 2**31
_KINDS = ("appears", "vanishes", "changes place")


@dataclass
class _Course:
    """How often a list has moved, and whether its first page was read since."""

    moved: int = 0
    read: bool = False


@dataclass
class Moves:
    """Remembers for each list how far it has come."""

    dials: Dials
    _courses: dict[Hashable, _Course] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cut(
        self, name: tuple[Hashable, ...], documents: Sequence[str], page: int, limit: int
    ) -> Page:
        """Return a page of a list as it stands at this moment."""
        if len(documents) <= limit:
            return Page(len(documents), documents if page == 1 else ())
        with self._lock:
            course = self._courses.setdefault((name, limit), _Course())
            if page > 1 and course.read and course.moved < self.dials.shifting:
                course.moved += 1
            course.read = page == 1
            moved = course.moved
        if moved < self.dials.shifting:
            rng = random.Random(f"{self.dials.seed} {moved} {name}")
            documents = _moved(list(documents), _KINDS[moved % len(_KINDS)], limit, rng)
        start = (page - 1) * limit
        return Page(len(documents), documents[start : start + limit])


def _moved(documents: list[str], kind: str, limit: int, rng: random.Random) -> list[str]:
    """Return a list as it was before a record appeared, vanished or changed its place."""
    early, late = rng.randrange(limit), rng.randrange(limit, len(documents))
    if kind == "appears" and len(documents) > limit + 1:
        del documents[early]
    elif kind == "changes place":
        documents.insert(late, documents.pop(early))
    else:
        documents.insert(early, _double(documents[late]))
    return documents


def _double(document: str) -> str:
    """Return a record of the same content that nobody will see again."""
    record = msgspec.json.decode(document)
    return msgspec.json.encode({**record, "id": f"{record['id']}gone"}).decode()


class ShiftingReader(Reader):
    """A reader whose lists move; everything else is as it is."""

    def __init__(self, reader: Reader, moves: Moves) -> None:
        super().__init__(reader.connection)
        self._moves = moves

    def page(
        self,
        name: str,
        organisation: int,
        *,
        page: int,
        limit: int,
        order: str = "usual",
        status: str | None = None,
    ) -> Page:
        """Return a page of equipment or projects as it stands at this moment."""
        whole = super().page(name, organisation, page=1, limit=_ALL, order=order, status=status)
        return self._moves.cut((name, organisation, status), whole.documents, page, limit)

    def flights(
        self, organisation: int, equipment: str, query: FlightQuery, *, page: int, limit: int
    ) -> Page | None:
        """Return a page of flights as it stands at this moment."""
        whole = super().flights(organisation, equipment, query, page=1, limit=_ALL)
        if whole is None:
            return None
        name = ("flights", organisation, equipment, query)
        return self._moves.cut(name, whole.documents, page, limit)
