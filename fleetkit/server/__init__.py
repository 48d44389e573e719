"""The API itself: the service that the reference describes, on a database of one's own.

``Store`` holds organisations and their records, ``create_app`` answers requests from it,
``Dials`` settle what the reference leaves open, ``running`` and ``EmbeddedServer`` serve it here.
Under any ASGI server: ``uvicorn fleetkit.server:app``, set by FLEETKIT_SERVER_DB and
FLEETKIT_SERVER_DIALS.

The names are loaded when first used: a parent process that only starts an ``EmbeddedServer`` loads
neither the database nor the web framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fleetkit.server.asgi import app_from_environment, create_app
    from fleetkit.server.demo import demo_records
    from fleetkit.server.dials import Dials
    from fleetkit.server.embedded import EmbeddedServer
    from fleetkit.server.running import serve
    from fleetkit.server.store import Store

__all__ = [
    "Dials",
    "EmbeddedServer",
    "Store",
    "app_from_environment",
    "create_app",
    "demo_records",
    "serve",
]

_HOMES = {
    "Dials": "dials",
    "EmbeddedServer": "embedded",
    "Store": "store",
    "app_from_environment": "asgi",
    "create_app": "asgi",
    "demo_records": "demo",
    "serve": "running",
}


if not TYPE_CHECKING:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> Any:
        if name == "app":
            found = import_module("fleetkit.server.asgi").app_from_environment()
        elif name in _HOMES:
            found = getattr(import_module(f"fleetkit.server.{_HOMES[name]}"), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found
