"""From a request to its answer: authentication, permission, and the response."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from sqlalchemy.exc import OperationalError
from starlette.responses import Response
from starlette.types import Scope

from fleetkit.interface import one_line
from fleetkit.schema import Endpoint
from fleetkit.server.dials import Dials
from fleetkit.server.errors import (
    PRIVATE,
    HttpError,
    method_not_allowed,
    not_found,
    unexpected_error,
)
from fleetkit.server.key_usage import KeyUsage
from fleetkit.server.quota import Quota
from fleetkit.server.reader import Access, Reader
from fleetkit.server.responses import ApiRequest, response_body
from fleetkit.server.shifting import ListChanges, ShiftingReader
from fleetkit.server.store import Store

__all__ = ["Service"]

_log = logging.getLogger("fleetkit.server")
_KEY_HEADERS = (b"x-api-key", b"authorization")


class Service:
    """Answers requests from a store, as the dials say.

    A request is checked in this order: the key (401), its quota (429), the path (404), the method
    (405), the key's scope (403), the parameters (400), and then the record (404). Records of other
    organisations are never read: their ids are unknown, like ids that don't exist.
    """

    def __init__(self, store: Store, dials: Dials) -> None:
        self.store = store
        self.dials = dials
        self.quota = Quota(dials)
        self.list_changes = ListChanges(dials)
        self.key_usage = KeyUsage(store)

    def answer(self, endpoint: Endpoint | None, scope: Scope) -> Response:
        """Answer a request to an endpoint; None is for any other path."""
        quota, shifting = self.quota.unused(), self.dials.shifting
        try:
            with self.store.reading() as stored:
                reader = ShiftingReader(stored, self.list_changes) if shifting else stored
                access = self._access(reader, _key(scope["headers"]))
                self.key_usage.record(access.key)
                quota = self.quota.take(access.key)
                if quota.exceeded:
                    raise HttpError(int(self.dials.over_quota), "The quota of requests is used up.")
                content = response_body(_api_request(endpoint, access, scope), reader, self.dials)
            response = Response(content, 200, PRIVATE, "application/json")
        except HttpError as error:
            response = error.response(self.dials.error_layout)
        except Exception as problem:
            # Only the path's pattern is logged: the rest of the request may hold secrets.
            path = endpoint.path if endpoint else "an unknown path"
            if isinstance(problem, OperationalError):  # such as a database that is down
                _log.error("%s failed: %s", path, one_line(str(problem.orig)))
            else:
                _log.exception("%s failed", path)
            response = unexpected_error().response(self.dials.error_layout)
        response.headers.update(self.quota.headers(quota))
        return response

    def _access(self, reader: Reader, key: str) -> Access:
        access = reader.authenticate(key) if key else None
        if access is None:
            message = "This API key is not valid." if key else "An API key is needed."
            raise HttpError(401, message)
        if access.is_expired:
            raise HttpError(int(self.dials.expired_key), "This API key has expired.")
        return access


def _api_request(endpoint: Endpoint | None, access: Access, scope: Scope) -> ApiRequest:
    # A slash that is sent as %2F would be part of an id, but ids have no slashes.
    if endpoint is None or b"%2f" in scope.get("raw_path", b"").lower():
        raise not_found()
    if scope["method"] not in {"GET", "HEAD"}:
        raise method_not_allowed()
    if endpoint.scope not in access.scopes:
        raise HttpError(403, f"This API key lacks the scope {endpoint.scope}.")
    identifier = scope["path_params"].get("id", "")
    return ApiRequest(endpoint, identifier, scope["query_string"], access.organisation)


def _key(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the key of a request (rule 5.2), or an empty text.

    A header with two different values is an error: a proxy may have read the other one.
    """
    values: dict[bytes, str] = {}
    for name, value in headers:
        if name in _KEY_HEADERS:
            text = value.strip().decode("latin-1")
            if values.setdefault(name, text) != text:
                raise HttpError(401, "A header with an API key is given twice.")
    scheme, _, token = values.get(b"authorization", "").partition(" ")
    return values.get(b"x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")
