"""When each key was last used, recorded in the background, at most once a minute."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy.exc import SQLAlchemyError

from fleetkit.errors import FleetkitError
from fleetkit.server.store import Store

__all__ = ["KeyUsage"]

_INTERVAL = 60.0
_log = logging.getLogger("fleetkit.server")


class KeyUsage:
    """Records uses in its own thread: no request waits for a write to the database."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recorded: dict[int, float] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fleetkit-uses")

    def record(self, key: int) -> None:
        """Record that the key of this row is used now."""
        now = time.monotonic()
        if now - self._recorded.get(key, -_INTERVAL) >= _INTERVAL:
            self._recorded[key] = now
            self._thread.submit(self._write, key)

    def _write(self, key: int) -> None:
        try:
            self._store.record_use(key)
        except (FleetkitError, SQLAlchemyError):  # the store was closed meanwhile, or stays locked
            _log.info("the last use of a key could not be recorded")
