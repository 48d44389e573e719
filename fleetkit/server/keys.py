"""API keys: how they are created, stored and checked.

A key is ``fk_`` and 40 random letters and digits. Its first eleven characters, the prefix, find its
row by one indexed read and are shown in lists; of the key itself only a salted digest is stored.
The random part has 238 bits, so that nobody can guess it, and a fast keyed hash is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string

__all__ = ["create_key", "digest", "is_key", "matches", "prefix"]

_ALPHABET = string.ascii_letters + string.digits
_PREFIX_LENGTH = len("fk_") + 8
_FORM = re.compile(r"fk_[A-Za-z0-9]{40}")


def create_key() -> str:
    """Return a new key; it is shown once and never stored."""
    return "fk_" + "".join(secrets.choice(_ALPHABET) for _ in range(40))


def is_key(text: str) -> bool:
    """Whether a text has the form of a key.

    Examples
    --------
    >>> is_key(create_key()), is_key("fk_short")
    (True, False)
    """
    return _FORM.fullmatch(text) is not None


def prefix(key: str) -> str:
    """Return the part of a key that identifies it and is not secret.

    Examples
    --------
    >>> prefix("fk_abcdefgh" + "S" * 32)
    'fk_abcdefgh'
    """
    return key[:_PREFIX_LENGTH]


def digest(key: str, salt: bytes) -> bytes:
    """Return the digest of a key, which is what is stored of it."""
    return hmac.digest(salt, key.encode(), hashlib.sha256)


def matches(key: str, salt: bytes, stored: bytes) -> bool:
    """Compare a key with a stored digest in constant time."""
    return hmac.compare_digest(digest(key, salt), stored)
