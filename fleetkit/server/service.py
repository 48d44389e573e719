"""From a request to its answer: who asks, may they, and what the answer is."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from starlette.types import Scope

from fleetkit.schema import Endpoint
from fleetkit.server.contents import Question, body, not_found
from fleetkit.server.dials import Dials
from fleetkit.server.errors import PRIVATE, HttpError, method_not_allowed
from fleetkit.server.quota import Quota
from fleetkit.server.reader import Access, Reader
from fleetkit.server.shifting import Moves, ShiftingReader
from fleetkit.server.store import Store
from fleetkit.server.uses import Uses

__all__ = ["Answer", "Service"]

_log = logging.getLogger("fleetkit.server")
_KEY_HEADERS = (b"x-api-key", b"authorization")


class Answer(NamedTuple):
    """An answer: HTTP status, body, and headers without the length."""

    status: int
    body: bytes
    headers: dict[str, str]


class Service:
    """Answers requests from a store, as the dials say.

    A request passes, in this order: the key (401), its quota (429), the path (404), the method
    (405), the key's scope (403), the parameters (400), and then the record (404). Nothing of
    another organisation is ever looked at: its records are as unknown as ids that nobody has.
    """

    def __init__(self, store: Store, dials: Dials) -> None:
        self.store = store
        self.dials = dials
        self.quota = Quota(dials)
        self.moves = Moves(dials)
        self.uses = Uses(store)

    def answer(self, endpoint: Endpoint | None, scope: Scope) -> Answer:
        """Answer one request to an endpoint; None stands for any other path."""
        standing = self.quota.untouched()
        try:
            with self._reading() as reader:
                access = self._access(reader, _key(scope["headers"]))
                self.uses.note(access.key)
                standing = self.quota.take(access.key)
                if standing.exceeded:
                    raise HttpError(int(self.dials.over_quota), "The quota of requests is used up.")
                content = body(_question(endpoint, access, scope), reader, self.dials)
            status, more = 200, {"Content-Type": "application/json", **PRIVATE}
        except HttpError as error:
            status, content, more = self.failure(error)
        except Exception:
            # Of the request only its path's pattern is logged: the rest may hold secrets.
            _log.exception("%s failed", endpoint.path if endpoint else "an unknown path")
            status, content, more = self.failure(HttpError(500, "Something went wrong here."))
        return Answer(status, content, {**self.quota.headers(standing), **more})

    def failure(self, error: HttpError) -> Answer:
        """Return an error in the layout that the dials say."""
        return Answer(error.status, *error.answer(self.dials.error_layout))

    @contextmanager
    def _reading(self) -> Iterator[Reader]:
        with self.store.reading() as reader:
            yield ShiftingReader(reader, self.moves) if self.dials.shifting else reader

    def _access(self, reader: Reader, key: str) -> Access:
        access = reader.authenticate(key) if key else None
        if access is None:
            wrong = "This API key is not valid." if key else "An API key is needed."
            raise HttpError(401, wrong, WWW_Authenticate="Bearer")
        if access.expired:
            raise HttpError(int(self.dials.expired_key), "This API key has expired.")
        return access


def _question(endpoint: Endpoint | None, access: Access, scope: Scope) -> Question:
    # A slash that was sent as %2F is part of an id, and no id has one.
    if endpoint is None or b"%2f" in scope.get("raw_path", b"").lower():
        raise not_found()
    if scope["method"] not in {"GET", "HEAD"}:
        raise method_not_allowed()
    if endpoint.scope not in access.scopes:
        raise HttpError(403, f"This API key lacks the scope {endpoint.scope}.")
    identifier = scope["path_params"].get("id", "")
    return Question(endpoint, identifier, scope["query_string"], access.organisation)


def _key(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the key that a request carries (rule 5.2), or an empty text.

    A header that is given twice with two values is an error: whoever reads only one of them, such
    as a proxy, may have read the other.
    """
    given: dict[bytes, str] = {}
    for name, value in headers:
        if name in _KEY_HEADERS:
            text = value.strip().decode("latin-1")
            if given.setdefault(name, text) != text:
                raise HttpError(401, "A header with an API key is given twice.")
    scheme, _, token = given.get(b"authorization", "").partition(" ")
    return given.get(b"x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")
