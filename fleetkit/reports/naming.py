"""How sections, figures and tables may be called: their names are folders, files and anchors."""

from __future__ import annotations

import re
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief

__all__ = ["checked_name"]

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def checked_name(name: Any, what: str) -> str:
    """Return the name of a section, or of a block of one, if it can be one.

    Raises
    ------
    InvalidValue
        It holds other than small letters, digits and ``_``.

    Examples
    --------
    >>> checked_name("flight_hours", "section")
    'flight_hours'
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidValue(
            f"{brief(name)} can't name a {what}.",
            advice="Use small letters, digits and _, a letter first.",
        )
    return name
