"""The service as an ASGI application."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from fleetkit.schema import ENDPOINTS, Endpoint
from fleetkit.server.dials import FAULTS, Dials
from fleetkit.server.errors import NO_SNIFF, HttpError, method_not_allowed, unexpected_error
from fleetkit.server.faults import Faults
from fleetkit.server.landing_page import page
from fleetkit.server.limits import Limits
from fleetkit.server.openapi import document
from fleetkit.server.request_checks import RequestChecks
from fleetkit.server.service import Service
from fleetkit.server.store import Store

__all__ = ["app_from_environment", "create_app", "environment"]

_DB, _DIALS, _LIMITS = "FLEETKIT_SERVER_DB", "FLEETKIT_SERVER_DIALS", "FLEETKIT_SERVER_LIMITS"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def create_app(store: Store, dials: Dials | None = None, limits: Limits | None = None) -> Starlette:
    """Return the service as an ASGI application.

    Parameters
    ----------
    store : Store
        Where organisations, keys and records are.
    dials : Dials, optional
        How to answer where the reference leaves it open; default: its likeliest reading.
    limits : Limits, optional
        The application itself applies ``body_bytes`` only. The others apply to connections:
        `running`, `serve` and ``fleetkit serve`` apply them.
    """
    dials, limits = dials or Dials(), limits or Limits()
    service = Service(store, dials)
    routes = [_Route(endpoint.path, _Handler(service, endpoint)) for endpoint in ENDPOINTS.values()]
    middleware = [
        Middleware(RequestChecks, body_bytes=limits.body_bytes, error_layout=dials.error_layout)
    ]
    if dials.latency or any(getattr(dials, fault) for fault in FAULTS):
        middleware.append(Middleware(Faults, dials=dials))
    app = Starlette(
        routes=[*routes, *_public_pages(dials)],
        middleware=middleware,
        exception_handlers={
            405: _handler_of(method_not_allowed(), dials),
            Exception: _handler_of(unexpected_error(), dials),
        },
    )
    app.router.redirect_slashes = False
    app.router.default = _Handler(service, None)
    app.state.error_layout = dials.error_layout
    return app


@lru_cache(maxsize=1)
def app_from_environment() -> Starlette:
    """Return the application that the environment describes.

    FLEETKIT_SERVER_DB is the database's address, by default ``sqlite:///fleet.db``;
    FLEETKIT_SERVER_DIALS is written as ``latency=0.05,error_layout=flat``, and
    FLEETKIT_SERVER_LIMITS likewise. One that is empty counts as not set.
    """
    dials, limits = Dials.from_environment(_DIALS), Limits.from_environment(_LIMITS)
    return create_app(Store(os.environ.get(_DB) or "sqlite:///fleet.db"), dials, limits)


def environment(url: str, dials: Dials, limits: Limits) -> dict[str, str]:
    """Return the environment from which `app_from_environment` creates the same application."""
    return {_DB: url, _DIALS: dials.to_text(), _LIMITS: limits.to_text()}


def _handler_of(error: HttpError, dials: Dials) -> ExceptionHandler:
    """Return a handler that answers with an error of this service, whatever was raised."""

    async def handle(_: Request, __: Exception) -> Response:
        return error.response(dials.error_layout)

    return handle


def _public_pages(dials: Dials) -> list[Route]:
    """Return the routes that need no key: the OpenAPI document and the landing page."""
    openapi = JSONResponse(document(dials), headers=NO_SNIFF)
    landing = HTMLResponse(page(dials), headers={**NO_SNIFF, "Content-Security-Policy": _POLICY})
    return [
        _Route("/openapi.json", openapi, methods=["GET"]),
        _Route("/", landing, methods=["GET"]),
    ]


class _Route(Route):
    """A route of exactly its path: Starlette takes one that ends with a line end (%0A), too."""

    def __init__(self, path: str, endpoint: ASGIApp, methods: list[str] | None = None) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.path_regex = re.compile(self.path_regex.pattern.removesuffix("$") + r"\Z")


class _Handler:
    """Handles one route, on the event loop or in a thread.

    A read of an embedded database takes less time than passing it to a thread; a read over a
    network would block all other requests.
    """

    def __init__(self, service: Service, endpoint: Endpoint | None) -> None:
        self.service = service
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.service.store.local:
            response = self.service.answer(self.endpoint, scope)
        else:
            response = await run_in_threadpool(self.service.answer, self.endpoint, scope)
        await response(scope, receive, send)
