"""Paths as people write them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["expanded"]


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path whose ``~`` is the user's home; a ``~`` of no user is a name, as in a shell.

    Examples
    --------
    >>> expanded("~/fleetkit.toml").is_absolute(), str(expanded("~no-user"))
    (True, '~no-user')
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser fails for no user
