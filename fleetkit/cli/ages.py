"""Ages as they are typed: ``90m``, ``12h``, ``2d``."""

from __future__ import annotations

import re
from datetime import timedelta

from fleetkit.errors import InvalidValue

__all__ = ["age"]

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def age(text: str) -> timedelta:
    """Read an age.

    Raises
    ------
    InvalidValue
        What is none.

    Examples
    --------
    >>> age("90m"), age("1.5 h"), age("2d")
    (datetime.timedelta(seconds=5400), datetime.timedelta(seconds=5400), datetime.timedelta(days=2))
    """
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?) ?([mhd])", text.strip())
    if found is None:
        raise InvalidValue(
            f"{text!r} is no age.", advice="Write minutes, hours or days: 90m, 12h, 2d."
        )
    return timedelta(**{_UNITS[found[2]]: float(found[1])})
