"""Voila with the explorers' notebook: who asks for the page gets a kernel that shows it."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import tornado.web
from jupyter_server.base.handlers import Template404
from tornado.httpserver import HTTPServer
from traitlets.config import Config
from voila.app import Voila

from fleetkit.explore.app.access import Access
from fleetkit.explore.app.held import HELD, Held
from fleetkit.explore.app.origin import Origin
from fleetkit.explore.app.page import EXPLORERS
from fleetkit.explore.app.visitors import NAME, Leaving, OwnKernel, Visitors, fork_server
from fleetkit.interrupts import STOPS

__all__ = ["App"]

_TEMPLATES = Path(__file__).parent / "templates"
# The browser itself refuses what a page would fetch from elsewhere.
_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'self'",
    ]
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
# The extensions of JupyterLab that pages need; other installed ones are not loaded.
_EXTENSIONS = [
    "anywidget",
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
]
_PAGE = {
    "allow_template_override": "NO",
    "allow_theme_override": "NO",
    "attempt_fix_notebook": False,
    "file_allowlist": [],
    "extension_allowlist": _EXTENSIONS,
    "multi_kernel_manager_class": Visitors,
    "kernel_spec_manager_class": OwnKernel,
}


class App(Voila):  # type: ignore[misc] # Voila has no types
    """The explorers' app; settings of the user's Jupyter are not read.

    Parameters
    ----------
    origin : Origin
        Where each visitor's kernel finds the fleet.
    access : Access
        Who may open it.
    folder : str
        A folder that its owner alone can read, with nothing in it but what is held already.
    most : int
        Visitors at once.
    is_loud : bool
        Let through what the libraries log.
    """

    def __init__(
        self, origin: Origin, access: Access, folder: str, *, most: int, is_loud: bool = False
    ) -> None:
        # It imports in parallel with this process. It can't pass on what kernels print.
        self._warm = None if is_loud else fork_server()
        self._held = Held(origin, Path(folder) / HELD)
        super().__init__(
            config=Config(
                {
                    "VoilaConfiguration": _PAGE | {"show_tracebacks": is_loud},
                    "Visitors": {"most": most, "is_loud": is_loud},
                    # Another kernel in place of one that died would know nothing of its page.
                    "AsyncIOLoopKernelRestarter": {"restart_limit": 0},
                    # The notebook is written here and now; the user's signatures stay as they are.
                    "NotebookNotary": {"db_file": ":memory:", "secret": secrets.token_bytes(32)},
                    "PasswordIdentityProvider": {
                        "hashed_password": access.hashed,
                        "allow_password_change": False,
                        "cookie_options": {"SameSite": "Lax"},
                    },
                }
            ),
            notebook_path=str(_notebook(origin, self._held.path)),
            connection_dir_root=folder,
            config_file_paths=[],
            token=access.token,
            log_level=logging.INFO if is_loud else logging.CRITICAL,
            tornado_settings={"headers": _HEADERS},
        )
        self.initialize([])

    def setup_template_dirs(self) -> None:
        """Put the app's own templates before Voila's."""
        super().setup_template_dirs()
        self.template_paths.insert(0, str(_TEMPLATES))

    def init_settings(self) -> dict[str, Any]:
        """Return Tornado's settings, in which errors and the login have the app's own pages."""
        settings: dict[str, Any] = super().init_settings()
        own = jinja2.FileSystemLoader(str(_TEMPLATES))
        for name in ("jinja2_env", "voila_jinja2_env"):
            settings[name].loader = jinja2.ChoiceLoader([own, settings[name].loader])
        return settings

    def init_handlers(self) -> list[Any]:
        """Return Voila's handlers, with one for pages that are closed and one for other addresses.

        Voila takes those for files, of which it serves none.
        """
        own = [(r"/leave/([\w-]+)", Leaving), (r"/voila/files/.*", Template404)]
        return [*own, *super().init_handlers()]

    def serve(self, listener: socket.socket, ready: Callable[[], object]) -> None:
        """Serve until Ctrl+C, SIGTERM or SIGHUP, then end all kernels; from then on none counts.

        Parameters
        ----------
        listener : socket
            Where to listen.
        ready : callable
            Called as soon as browsers are answered.
        """
        asyncio.run(self._serve(listener, ready))

    async def _serve(self, listener: socket.socket, ready: Callable[[], object]) -> None:
        over = _stopped()
        self.connection_dir = tempfile.mkdtemp(dir=self.connection_dir_root)
        self.app = tornado.web.Application(**self.init_settings())
        self.app.settings.update(self.tornado_settings)
        self.app.add_handlers(".*$", self.init_handlers())
        self.kernel_manager.warm, self.kernel_manager.held = self._warm, self._held
        server = HTTPServer(self.app)
        listener.setblocking(False)
        server.add_sockets([listener])
        try:
            ready()
            self._held.refresh()
            await over.wait()
        finally:
            self._held.close()
            server.stop()
            await self.kernel_manager.shutdown_all(now=True)
            if self._warm is not None:
                self._warm.close()
            await server.close_all_connections()


def _stopped() -> asyncio.Event:
    """Return an event that what stops a command sets; another one cuts off nothing that ends then.

    A closed terminal doesn't stop what nohup started.
    """
    over, loop = asyncio.Event(), asyncio.get_running_loop()
    stops = [signal.SIGINT, *(n for n in STOPS if signal.getsignal(n) != signal.SIG_IGN)]

    def stop(*_: object) -> None:
        for number in stops:
            signal.signal(number, signal.SIG_IGN)
        loop.call_soon_threadsafe(over.set)

    for number in stops:
        signal.signal(number, stop)
    return over


def _notebook(origin: Origin, held: Path) -> Path:
    """Write the notebook that each visitor's kernel runs: one cell for each explorer."""
    page = f"page = Page({origin.write()!r}, {str(held)!r})"
    first = f"from fleetkit.explore.app.page import Page\n{page}\n"
    cells = [f"page.show({name!r})" for name in EXPLORERS]
    code: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
    }
    notebook = {
        "cells": [
            {**code, "id": name, "source": source}
            for name, source in zip(EXPLORERS, (first + cells[0], *cells[1:]), strict=True)
        ],
        "metadata": {
            "title": "Explorers · fleetkit",
            "kernelspec": {"name": NAME, "display_name": "Python 3", "language": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = held.with_name("explorers.ipynb")
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path
