"""The seven endpoints as an ASGI application.

A request passes, in this order: the key (401), its quota (429), the path (404) and method (405),
the key's scope (403), the parameters (400), and then the record (404). Nothing of another
organisation is ever looked at: its records are as unknown as ids that nobody has.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from fleetkit.schema import ENDPOINTS, Endpoint
from fleetkit.server import parameters
from fleetkit.server.dials import Dials, from_text
from fleetkit.server.quota import Quota
from fleetkit.server.refusals import Refusal
from fleetkit.server.store import Access, Page, Store

__all__ = ["app_from_environment", "create_app"]

TABLE_OF = {"Equipment": "equipment", "Project": "projects", "Service": "services"}


def create_app(store: Store, dials: Dials | None = None) -> Starlette:
    """Return the service as an ASGI application.

    Parameters
    ----------
    store : Store
        Where organisations, keys and records are.
    dials : Dials, optional
        How to answer where the reference leaves it open; default: the likeliest reading.
    """
    service = _Service(store, dials or Dials())
    routes = [Route(each.path, _Handler(service, each)) for each in ENDPOINTS.values()]
    routes.append(Route("/{rest:path}", _Handler(service, None)))
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app


@lru_cache(maxsize=1)
def app_from_environment() -> Starlette:
    """Return the application that FLEETKIT_SERVER_DB and FLEETKIT_SERVER_DIALS describe.

    FLEETKIT_SERVER_DIALS is written as ``latency=0.05,error_layout=flat``.
    """
    texts = os.environ.get("FLEETKIT_SERVER_DIALS", "")
    pairs = (each.partition("=") for each in texts.split(",") if each.strip())
    dials = from_text({name.strip(): value.strip() for name, _, value in pairs})
    return create_app(Store(os.environ.get("FLEETKIT_SERVER_DB", "sqlite:///fleet.db")), dials)


class _Handler:
    """One route; the work is done by plain functions on the event loop or in a thread.

    A read of an embedded database takes less time than handing it to a thread; one over a network
    would hold everybody else up.
    """

    def __init__(self, service: _Service, endpoint: Endpoint | None) -> None:
        self.service = service
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.service.store.local:
            response = self.service.answer(self.endpoint, scope)
        else:
            response = await run_in_threadpool(self.service.answer, self.endpoint, scope)
        await response(scope, receive, send)


class _Service:
    def __init__(self, store: Store, dials: Dials) -> None:
        self.store = store
        self.dials = dials
        self.quota = Quota(dials)

    def answer(self, endpoint: Endpoint | None, scope: Scope) -> Response:
        standing = self.quota.untouched()
        try:
            access = self._access(scope)
            standing = self.quota.take(access.key)
            if standing.exceeded:
                raise Refusal(int(self.dials.over_quota), "The quota of requests is used up.")
            body = self._content(_allowed(endpoint, access, scope), access, scope)
        except Refusal as refusal:
            content, kind = refusal.body(self.dials.error_layout)
            headers = {**self.quota.headers(standing), **refusal.headers}
            return Response(content, refusal.status, headers, kind)
        return Response(body, 200, self.quota.headers(standing), "application/json")

    def _access(self, scope: Scope) -> Access:
        key = _key(scope["headers"])
        access = self.store.authenticate(key) if key else None
        if access is None:
            wrong = "This API key is not valid." if key else "An API key is needed."
            raise Refusal(401, wrong, WWW_Authenticate="Bearer")
        if access.expired:
            raise Refusal(int(self.dials.expired_key), "This API key has expired.")
        return access

    def _content(self, endpoint: Endpoint, access: Access, scope: Scope) -> bytes:
        identifier = scope["path_params"].get("id", "")
        if endpoint.name == "flights":
            return self._flights(access, identifier, scope["query_string"])
        if endpoint.by_id:
            return self._record(endpoint, access, identifier)
        if not endpoint.paginated:
            page = self.store.services(access.organisation, self.dials.list_order)
            return _listed(page.documents)
        values = parameters.lenient(scope["query_string"])
        paging = parameters.paging(values, self.dials)
        page = self.store.page(
            TABLE_OF[endpoint.record.name],
            access.organisation,
            page=paging.page,
            limit=paging.limit,
            order=self.dials.list_order,
            status=parameters.status(values) if endpoint.name == "project_list" else None,
        )
        return self._paginated(page, paging)

    def _flights(self, access: Access, identifier: str, query_string: bytes) -> bytes:
        values = parameters.strict(query_string)
        paging = parameters.paging(values, self.dials, strictly=True)
        query = parameters.flight_query(values, self.dials)
        page = self.store.flights(
            access.organisation,
            _identifier(identifier),
            query,
            page=paging.page,
            limit=paging.limit,
        )
        if page is None:
            raise _not_found()
        return self._paginated(page, paging)

    def _record(self, endpoint: Endpoint, access: Access, identifier: str) -> bytes:
        table = TABLE_OF[endpoint.record.name]
        found = self.store.record(table, access.organisation, _identifier(identifier))
        if found is None:
            raise _not_found()
        document, detail = found
        if detail != "{}":
            document = f"{document[:-1]},{detail[1:]}"
        return f'{{"success":true,"data":{document}}}'.encode()

    def _paginated(self, page: Page, paging: parameters.Paging) -> bytes:
        number, limit = paging
        past_end = number > 1 and (number - 1) * limit >= page.total
        if past_end and self.dials.page_past_end != "empty":
            raise Refusal(int(self.dials.page_past_end), "There is no such page.")
        more = "true" if number * limit < page.total else "false"
        meta = (
            f',"meta":{{"pagination":{{"page":{number},"limit":{limit},'
            f'"total":{page.total},"hasMore":{more}}}}}'
        )
        return _listed(page.documents, meta)


def _listed(documents: Iterable[str], meta: str = "") -> bytes:
    return f'{{"success":true,"data":[{",".join(documents)}]{meta}}}'.encode()


def _key(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the key that a request carries (rule 5.2), or an empty text."""
    bearer = ""
    for name, value in headers:
        if name == b"x-api-key" and value.strip():
            return value.strip().decode("latin-1")
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            bearer = token.strip() if scheme.lower() == "bearer" else ""
    return bearer


def _allowed(endpoint: Endpoint | None, access: Access, scope: Scope) -> Endpoint:
    # A slash that was sent as %2F is part of an id, and no id has one.
    if endpoint is None or b"%2f" in scope.get("raw_path", b"").lower():
        raise _not_found()
    if scope["method"] not in {"GET", "HEAD"}:
        raise Refusal(405, "Only GET is answered here.", Allow="GET, HEAD")
    if endpoint.scope not in access.scopes:
        raise Refusal(403, f"This API key lacks the scope {endpoint.scope}.")
    return endpoint


def _identifier(text: str) -> str:
    """Pass on what can be an id; a database would choke on some of the rest."""
    if len(text) > 255 or "\x00" in text:
        raise _not_found()
    return text


def _not_found() -> Refusal:
    return Refusal(404, "There is no such record.")
