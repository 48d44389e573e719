"""Address and key that a user has stored on this machine, once, for every session.

The key is in the system's keyring, where the package ``keyring`` and a keyring are there, else in a
file that its owner alone can read. It belongs to one address and is never used for another.
An address is as a client gives it, so that it is the same however somebody writes it.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.paths import opened

__all__ = ["Store", "forget", "key_of", "store", "stored_address"]

Store = Literal["keyring", "file"]
# Name of fleetkit's entries in a keyring.
_SERVICE = "fleetkit"
_PRIVATE = stat.S_IRUSR | stat.S_IWUSR


def _path() -> Path | None:
    """Return the file that names the address; None where the environment names no home."""
    for name, parts in (
        ("XDG_CONFIG_HOME", ()),
        ("APPDATA", ()),
        ("HOME", (".config",)),
        ("USERPROFILE", (".config",)),
    ):
        if home := os.environ.get(name):
            return Path(home, *parts, "fleetkit", "credentials.json")
    return None


def stored_address() -> str:
    """Return the address that is stored; empty where there is none."""
    return str(_read(_path()).get("base_url", ""))


def key_of(base_url: str) -> str:
    """Return the key that is stored for an address; empty where there is none for that one.

    Raises
    ------
    InvalidValue
        Others can read the file that holds it, or the keyring doesn't give it.
    """
    values = _read(_path())
    if values.get("base_url") != base_url:
        return ""
    if values.get("store") != "keyring":
        return str(values.get("api_key", ""))
    try:
        import keyring  # noqa: PLC0415 - optional

        key = keyring.get_password(_SERVICE, base_url)
    except Exception as problem:
        raise InvalidValue(
            f"The key is in the system's keyring, which doesn't give it: {_reason(problem)}.",
            advice="Unlock the keyring, or run fleetkit setup --file to store the key anew.",
        ) from None
    return key or ""


def store(base_url: str, api_key: str, *, in_file: bool = False) -> str:
    """Store an address and its key in place of those that are stored; returns where the key is.

    Parameters
    ----------
    base_url, api_key : str
    in_file : bool
        Store the key in the file also where there is a keyring.

    Raises
    ------
    FleetkitError
        Nothing can be written; what was stored before still is.
    """
    path = _path()
    if path is None:
        raise FleetkitError(
            "There is no home to store settings in.", advice="Set HOME, or FLEETKIT_API_KEY."
        )
    before = _read_or_nothing(path)
    previous = _from_keyring(base_url)
    if not in_file and _in_keyring(base_url, api_key):
        try:
            _write(path, {"base_url": base_url, "store": "keyring"})
        except FleetkitError:
            if previous:
                _in_keyring(base_url, previous)
            raise
        where = "the system's keyring"
    else:
        _write(path, {"base_url": base_url, "store": "file", "api_key": api_key})
        where = str(path)
    # Of the address before, or of this one where the key is in the file now.
    is_replaced = before.get("base_url") != base_url or where == str(path)
    if before.get("store") == "keyring" and is_replaced:
        _delete_from_keyring(str(before["base_url"]))
    return where


def forget() -> bool:
    """Delete what is stored, and say whether there was anything."""
    path = _path()
    try:
        if path is None or not path.exists():
            return False
        before = _read_or_nothing(path)
        if before.get("store") == "keyring":
            _delete_from_keyring(str(before.get("base_url", "")))
        path.unlink()
    except OSError as problem:
        raise FleetkitError(
            f"{path} can't be deleted: {problem.strerror}.", advice="Delete it by hand."
        ) from None
    return True


def _read(path: Path | None) -> dict[str, Any]:
    """Return what is stored; nothing, where there is none."""
    if path is None:
        return {}
    try:
        # Of the file that is read: another one may take its place meanwhile.
        with opened(path) as file:
            mode = os.fstat(file.fileno()).st_mode
            values = json.load(file)
    except FileNotFoundError:
        return {}
    except PermissionError:  # as where HOME is another user's, after su or in a container
        raise InvalidValue(
            f"{path}, where address and key are stored, is not yours to read.",
            advice="Set HOME to a folder of your own, or FLEETKIT_BASE_URL and FLEETKIT_API_KEY.",
        ) from None
    except (OSError, ValueError) as problem:
        raise InvalidValue(
            f"{path}, where address and key are stored, can't be read: {_reason(problem)}.",
            advice="Delete it and run fleetkit setup again.",
        ) from None
    if not isinstance(values, dict):
        raise InvalidValue(
            f"{path} doesn't hold an address and a key.",
            advice="Delete it and run fleetkit setup again.",
        )
    if os.name == "posix" and "api_key" in values and mode & ~_PRIVATE & 0o777:
        raise InvalidValue(
            f"{path} holds an API key, and others than its owner can read it.",
            advice=f"Run chmod 600 {path}, and have the key replaced if others use this machine.",
        )
    return values


def _read_or_nothing(path: Path) -> dict[str, Any]:
    """Return what is stored; nothing, where that can't be used and is about to be replaced."""
    try:
        return _read(path)
    except InvalidValue:
        return {}


def _from_keyring(base_url: str) -> str:
    try:
        import keyring  # noqa: PLC0415 - optional

        return keyring.get_password(_SERVICE, base_url) or ""
    except Exception:
        return ""


def _reason(problem: BaseException) -> str:
    """Return what went wrong, without any value: it may be a key."""
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return type(problem).__name__


def _write(path: Path, values: Mapping[str, str]) -> None:
    """Write the file whole or not at all, for its owner alone from the first byte on."""
    temporary = ""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".credentials-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:  # mkstemp's mode is 600
            json.dump(values, file)
        Path(temporary).replace(path)
    except OSError as problem:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        raise FleetkitError(
            f"Address and key can't be stored in {path.parent}: {_reason(problem)}.",
            advice="What was stored before still is.",
        ) from None


def _in_keyring(base_url: str, api_key: str) -> bool:
    """Store a key in the system's keyring, and say whether it is there."""
    try:
        import keyring  # noqa: PLC0415 - optional

        keyring.set_password(_SERVICE, base_url, api_key)
        return bool(keyring.get_password(_SERVICE, base_url) == api_key)
    except Exception:  # none is installed, or it is locked: the file will do
        return False


def _delete_from_keyring(base_url: str) -> None:
    with suppress(Exception):
        import keyring  # noqa: PLC0415 - optional

        keyring.delete_password(_SERVICE, base_url)
