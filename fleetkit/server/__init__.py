"""The API itself: the service that the reference describes, on your own database.

``Store`` holds organisations and their records, ``create_app`` answers requests from it,
``Dials`` choose how to answer where the reference leaves it open, ``serve`` and ``EmbeddedServer``
serve it on this machine. Under any ASGI server run ``uvicorn fleetkit.server:app`` and set
FLEETKIT_SERVER_DB, FLEETKIT_SERVER_DIALS and FLEETKIT_SERVER_LIMITS.

The names are loaded on first use: a parent process that only starts an ``EmbeddedServer`` loads
neither the database nor the web framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fleetkit.interface import missing_attribute

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

_MODULES = {
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
            return import_module("fleetkit.server.asgi").app_from_environment()
        if name in _MODULES:
            return getattr(import_module(f"fleetkit.server.{_MODULES[name]}"), name)
        raise missing_attribute("fleetkit.server", name, __all__)
