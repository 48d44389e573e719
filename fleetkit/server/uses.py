"""When a key was last used, noted beside the answering of requests, at most once a minute."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy.exc import SQLAlchemyError

from fleetkit.errors import FleetkitError
from fleetkit.server.store import Store

__all__ = ["Uses"]

_EVERY = 60.0
_log = logging.getLogger("fleetkit.server")


class Uses:
    """Notes uses in a thread of its own: no request waits for a database that is being written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[int, float] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fleetkit-uses")

    def note(self, key: int) -> None:
        """Note that the key of this row is being used."""
        now = time.monotonic()
        if now - self._noted.get(key, -_EVERY) >= _EVERY:
            self._noted[key] = now
            self._thread.submit(self._write, key)

    def _write(self, key: int) -> None:
        try:
            self._store.note_use(key)
        except (
            FleetkitError,
            SQLAlchemyError,
        ):  # a store that was closed meanwhile, or stays locked
            _log.info("the last use of a key could not be noted")
