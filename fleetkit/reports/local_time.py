"""The own time of this machine: Jupyter stamps messages with it, though reports go by another."""

from __future__ import annotations

import os
from datetime import datetime

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

__all__ = ["require"]


def require() -> None:
    """Refuse to make a report where this machine's zone is no zone of Python's.

    Raises
    ------
    InvalidValue
        TZ is a day or more away from UTC.
    """
    try:
        datetime.now().astimezone()
    except ValueError:
        raise InvalidValue(
            f"The environment's TZ={brief(os.environ.get('TZ', ''))} is not a time zone.",
            advice="Correct it, or unset it; the zone of a report is another setting.",
        ) from None
