"""The base URL of a service as text: what can't be one is refused before anything looks it up."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from fleetkit.errors import InvalidValue

__all__ = ["DEFAULT_PORTS", "split"]

# The port that a scheme has of itself: an address is the same with it and without it.
DEFAULT_PORTS = {"http": 80, "https": 443}

_EXAMPLE = "Write it as https://api.example.com."


def split(text: str) -> SplitResult:
    """Return the parts of a base URL.

    Raises
    ------
    InvalidValue
        No ``http(s)://``, no host, a user, password, query or fragment in it.

    Examples
    --------
    >>> split("https://api.example.com/fleet").path
    '/fleet'
    """
    text = text.strip()
    try:
        parts = urlsplit(text)
        # No service has port 0, which requests would leave out; at a backslash requests ends the
        # host, and Python doesn't: what is sent would go elsewhere than what was checked.
        if parts.port == 0 or "\\" in text:
            raise ValueError
    except ValueError:
        raise InvalidValue("The base URL can't be read.", advice=_EXAMPLE) from None
    # None of these messages quotes the text: it may hold a password, or a pasted key.
    if "@" in text:
        raise InvalidValue("The base URL holds a user or password.", advice=_EXAMPLE)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidValue("The base URL is not an http(s) address.", advice=_EXAMPLE)
    if parts.query or parts.fragment or re.search(r"\s", text):
        raise InvalidValue("The base URL holds a query, a fragment or blanks.", advice=_EXAMPLE)
    return parts
