"""The service as an ASGI application."""

from __future__ import annotations

import os
from functools import lru_cache

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from fleetkit.schema import ENDPOINTS, Endpoint
from fleetkit.server.dials import Dials, from_text, to_text
from fleetkit.server.faults import Faults, misbehaves
from fleetkit.server.human import page
from fleetkit.server.openapi import document
from fleetkit.server.service import Service
from fleetkit.server.store import Store

__all__ = ["app_from_environment", "create_app", "environment"]

_DB, _DIALS = "FLEETKIT_SERVER_DB", "FLEETKIT_SERVER_DIALS"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def create_app(store: Store, dials: Dials | None = None) -> Starlette:
    """Return the service as an ASGI application.

    Parameters
    ----------
    store : Store
        Where organisations, keys and records are.
    dials : Dials, optional
        How to answer where the reference leaves it open; default: the likeliest reading.
    """
    dials = dials or Dials()
    service = Service(store, dials)
    routes = [Route(each.path, _Handler(service, each)) for each in ENDPOINTS.values()]
    routes += _public_pages(dials)
    routes.append(Route("/{rest:path}", _Handler(service, None)))
    layers = [Middleware(Faults, dials=dials)] if misbehaves(dials) else []
    app = Starlette(routes=routes, middleware=layers)
    app.router.redirect_slashes = False
    return app


@lru_cache(maxsize=1)
def app_from_environment() -> Starlette:
    """Return the application that FLEETKIT_SERVER_DB and FLEETKIT_SERVER_DIALS describe.

    FLEETKIT_SERVER_DB is the database's address, by default ``sqlite:///fleet.db``;
    FLEETKIT_SERVER_DIALS is written as ``latency=0.05,error_layout=flat``.
    """
    pairs = (each.partition("=") for each in os.environ.get(_DIALS, "").split(",") if each.strip())
    dials = from_text({name.strip(): value.strip() for name, _, value in pairs})
    return create_app(Store(os.environ.get(_DB, "sqlite:///fleet.db")), dials)


def environment(url: str, dials: Dials) -> dict[str, str]:
    """Return the environment from which `app_from_environment` makes this very application."""
    pairs = (f"{name}={value}" for name, value in to_text(dials).items())
    return {_DB: url, _DIALS: ",".join(pairs)}


def _public_pages(dials: Dials) -> list[Route]:
    """Return the description of the service, for programs and for people; it needs no key."""
    described, welcome = document(dials), page(dials)

    async def openapi(_: Request) -> Response:
        return JSONResponse(described)

    async def human(_: Request) -> Response:
        return HTMLResponse(welcome, headers={"Content-Security-Policy": _POLICY})

    return [Route("/openapi.json", openapi), Route("/", human)]


class _Handler:
    """One route; the work is done by plain functions on the event loop or in a thread.

    A read of an embedded database takes less time than handing it to a thread; one over a network
    would hold everybody else up.
    """

    def __init__(self, service: Service, endpoint: Endpoint | None) -> None:
        self.service = service
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.service.store.local:
            answer = self.service.answer(self.endpoint, scope)
        else:
            answer = await run_in_threadpool(self.service.answer, self.endpoint, scope)
        response = Response(answer.body, answer.status, answer.headers)
        await response(scope, receive, send)
