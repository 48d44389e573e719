"""When each key was last used, recorded in the background, at most once a minute."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from threading import Lock, Thread

from sqlalchemy.exc import SQLAlchemyError

from fleetkit.errors import FleetkitError
from fleetkit.server.store import Store

__all__ = ["KeyUsage"]

_INTERVAL = 60.0
_log = logging.getLogger("fleetkit.server")


class KeyUsage:
    """Records uses in a thread of its own: no request waits for a write to the database.

    Nor does the end of the process, which may come while another process imports for minutes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recorded: dict[int, float] = {}
        self._lock = Lock()
        self._used: set[int] = set()  # keys whose use is to be written
        self._is_writing = False

    def record(self, key: int) -> None:
        """Record that the key of this row is used now."""
        now = time.monotonic()
        if now - self._recorded.get(key, -_INTERVAL) < _INTERVAL:
            return
        self._recorded[key] = now
        with self._lock:
            self._used.add(key)
            if not self._is_writing:
                with suppress(RuntimeError):  # no thread can be started: it is written with others
                    Thread(target=self._write_all, name="fleetkit-uses", daemon=True).start()
                    self._is_writing = True

    def _write_all(self) -> None:
        while True:
            with self._lock:
                if not self._used:
                    self._is_writing = False
                    return
                key = self._used.pop()
            self._write(key)

    def _write(self, key: int) -> None:
        try:
            self._store.record_use(key)
        except (FleetkitError, SQLAlchemyError):  # the store was closed meanwhile, or stays locked
            _log.info("the last use of a key could not be recorded")
