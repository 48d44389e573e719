"""What all visitors are shown of a service: read once for them, and again when it is old."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from fleetkit.errors import FleetkitError
from fleetkit.explore.app.origin import Origin
from fleetkit.fleet import Fleet
from fleetkit.fleet.handing_over import hand_over, take_over

__all__ = ["FRESH", "HELD", "Held", "opened"]

# Name of the file in the app's folder.
HELD = "held"
# How long what was read is shown to those who open the page. [s]
FRESH = 300.0
_POLL = 0.05  # [s]
_log = logging.getLogger(__name__)


class Held:
    """The records of a service in a file that every visitor's kernel maps.

    Of a mirror nothing is held: its own files are there for all kernels.

    Parameters
    ----------
    origin : Origin
        Where they come from.
    path : Path
        The file, in a folder that nobody else can read; one that is there already is as fresh as
        one that was read now.
    """

    def __init__(self, origin: Origin, path: Path) -> None:
        self._origin, self.path = origin, path
        self._began = monotonic() if path.exists() else None
        self._is_closed = False

    def refresh(self) -> None:
        """Begin to read the records, unless that was done a short while ago; kernels wait for it.

        Where they can't be read there is no file: each kernel asks for itself, and says why not.
        """
        now = monotonic()
        is_fresh = self._began is not None and now - self._began < FRESH
        if self._origin.mirror or is_fresh or _mark(self.path).exists():
            return
        self._began = now
        _mark(self.path).touch()
        try:
            Thread(target=self._read, name="fleetkit-held", daemon=True).start()
        except RuntimeError:  # no thread can be started
            self._began = None
            _mark(self.path).unlink()

    def close(self) -> None:
        """Let the folder go: what is still being read is for nobody, and may fail unheard."""
        self._is_closed = True

    def _read(self) -> None:
        try:
            with self._origin.open_whole() as fleet:
                hand_over(fleet, self.path)
        except Exception as problem:
            self._began = None
            self.path.unlink(missing_ok=True)
            if not (self._is_closed or isinstance(problem, FleetkitError)):
                _log.exception("The records could not be read for all readers.")
        finally:
            _mark(self.path).unlink(missing_ok=True)


def opened(origin: Origin, path: Path) -> Fleet:
    """Return the fleet with the records that are held, if there are any, narrowed by its filters.

    Raises
    ------
    FleetkitError
        As `Origin.open` raises.
    """
    while _mark(path).exists():
        sleep(_POLL)
    if not path.exists():
        return origin.open()
    os.chdir(origin.folder)
    if not origin.is_demo:
        origin.open_whole().close()  # so that this process knows the key
    return origin.filtered(take_over(path))


def _mark(path: Path) -> Path:
    """Return the file that is there while the records are being read."""
    return path.with_suffix(".reading")
