"""Ages as they are written: ``90m``, ``12h``, ``2d``."""

from __future__ import annotations

import re
from datetime import timedelta

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

__all__ = ["age"]

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def age(text: str) -> timedelta:
    """Read an age.

    Raises
    ------
    InvalidValue
        The text is not an age.

    Examples
    --------
    >>> age("120m"), age("1.5 h"), age("2d")
    (datetime.timedelta(seconds=7200), datetime.timedelta(seconds=5400), datetime.timedelta(days=2))
    """
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?) ?([mhd])", text.strip())
    if match is None:
        raise InvalidValue(
            f"{brief(text)} is not an age.", advice="Write minutes, hours or days: 90m, 12h, 2d."
        )
    return timedelta(**{_UNITS[match[2]]: float(match[1])})
