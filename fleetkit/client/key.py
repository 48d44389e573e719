"""The API key: visible in the header of a request, and nowhere else.

**Pickles never hold it.** A fleet is pickled to reach the workers of multiprocessing, joblib or
Dask, but also to be stored in caches, queues and spill files, where nobody expects a secret. So a
pickle holds a salted hash. Where it is opened, the key is one that this process has used before,
or FLEETKIT_API_KEY, if the hash shows that it is the same. Another organisation's key is never used
in its place. Workers inherit the environment, so they find a key that is set there.
"""

from __future__ import annotations

import os
import re
import secrets
from hashlib import blake2b
from hmac import compare_digest
from typing import Any

from fleetkit.errors import InvalidValue

__all__ = ["VARIABLE", "Key", "share"]

VARIABLE = "FLEETKIT_API_KEY"
_QUOTES = "\"'`´“”„‘’‚«»"
# The keys that this process has used, and those that pickles may hold.
_used: set[str] = set()
_shared: set[str] = set()


class Key:
    """An API key that no representation, message or pickle shows.

    Parameters
    ----------
    text : str
        The key itself: visible ASCII only, so that it stays one header's value.

    Raises
    ------
    InvalidValue
        The text is not a key.

    Examples
    --------
    >>> Key("key_1234")
    Key(…)
    """

    def __init__(self, text: str) -> None:
        self._text: str | None = _checked(text)
        self._salt, self._digest = b"", b""
        _used.add(text)

    @property
    def text(self) -> str:
        """The key itself.

        Raises
        ------
        InvalidValue
            It came in a pickle, and this process doesn't know it.
        """
        if self._text is None:
            self._text = _look_up(self._salt, self._digest)
        return self._text

    def __repr__(self) -> str:
        return "Key(…)"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._text is None:
            return _from_hash, (self._salt, self._digest)
        if self._text in _shared:
            return Key, (self._text,)
        salt = secrets.token_bytes(16)
        return _from_hash, (salt, _hash(self._text, salt))

    def __copy__(self) -> Key:
        return self

    def __deepcopy__(self, memo: object) -> Key:
        return self


def share(text: str) -> None:
    """Let pickles hold a key: one for a demo organisation on this machine only."""
    _shared.add(text)


def _checked(text: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InvalidValue("There is no API key.", advice=f"Set {VARIABLE}.")
    problem = _problem(text)
    if problem:
        raise InvalidValue(
            f"The API key {problem}.", advice="Give the key alone, as the dashboard showed it."
        )
    return text


def _problem(text: str) -> str:
    """Return what is wrong with a key, without showing any of it."""
    if text[0] in _QUOTES or text[-1] in _QUOTES:
        return "is in quotes"
    if re.match(r"\s*(Bearer\s|X-API-Key\s*:|Authorization\s*:)", text, re.IGNORECASE):
        return "comes with the name of its header"
    if re.search(r"[\r\n\v\f\x85\u2028\u2029]", text):
        return "holds a line end" if text.strip().isprintable() else "holds several lines"
    if text != text.strip():
        return "has whitespace before or after it"
    wrong = re.search(r"[^\x21-\x7e]", text)
    if wrong is None:
        return ""
    kind = "whitespace" if wrong[0].isspace() else "a character that no key has"
    return f"holds {kind}, at position {wrong.start() + 1} of {len(text)}"


def _from_hash(salt: bytes, digest: bytes) -> Key:
    """Return a key whose text is looked up when it is needed.

    Not earlier: an error while a task is unpickled would hang a pool of multiprocessing.
    """
    key = Key.__new__(Key)
    key._text, key._salt, key._digest = None, salt, digest
    return key


def _hash(text: str, salt: bytes) -> bytes:
    return blake2b(text.encode(), digest_size=32, salt=salt, person=b"fleetkit-key").digest()


def _look_up(salt: bytes, digest: bytes) -> str:
    given = os.environ.get(VARIABLE, "")
    for text in (given, *_used):
        if compare_digest(_hash(text, salt), digest):
            return _checked(text)
    problem = f"{VARIABLE} holds another key" if given else f"{VARIABLE} is not set"
    raise InvalidValue(
        f"This fleet was opened in another process, and {problem} in this one.",
        advice=f"Set {VARIABLE} where the workers start: a pickled fleet never carries its key.",
    )
