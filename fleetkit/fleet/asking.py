"""The first run: address and key are asked for, tested, and stored on this machine."""

from __future__ import annotations

import getpass
import sys
import warnings
from pathlib import Path

from fleetkit import credentials
from fleetkit import settings as settings_module
from fleetkit.arguments import checked_names
from fleetkit.base_url import split
from fleetkit.errors import InvalidValue
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.live import check_readable
from fleetkit.fleet.opening import connect
from fleetkit.fleet.progress import is_notebook
from fleetkit.interface import worded
from fleetkit.schema import AuthHeader

__all__ = ["setup"]


@checked_names("argument of fk.setup")
def setup(
    base_url: str | None = None,
    *,
    in_file: bool = False,
    auth: AuthHeader | None = None,
    allow_http: bool = False,
    config: str | Path | None = None,
) -> Fleet:
    """Ask for the service's address and key, test them, and store them on this machine.

    The key is asked for in a field that doesn't show it, and stands in no notebook. It goes into
    the system's keyring where the package ``keyring`` is installed and there is one, else into a
    file that you alone can read. From then on `connect` needs no arguments. Where the test fails,
    what was stored before still is.

    Parameters
    ----------
    base_url : str, optional
        Address of the service; default: it is asked for too.
    in_file : bool
        Store the key in the file, also where there is a keyring.
    auth : {"X-API-Key", "Bearer"}, optional
        Header that carries the key in the test; it is not stored.
    allow_http : bool
        Send the key over plain http to another machine.
    config : path, optional
        A ``fleetkit.toml``; default: FLEETKIT_CONFIG or the one in this folder.

    Returns
    -------
    Fleet
        At the service.

    Raises
    ------
    InvalidValue
        Nobody can be asked here, or what was written is not an address or not a key.
    ApiError
        The service doesn't answer, or refuses the key.
    FleetkitError
        They can't be stored.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fk.setup("ftp://fleet.example")
    Traceback (most recent call last):
    fleetkit.errors.InvalidValue: ...
    """
    address = base_url or _asked_address(settings_module.load(config).base_url or _stored_address())
    if not address:
        raise InvalidValue(
            "No address of a service was given.",
            advice="Whoever runs the service knows it; what was stored before still is.",
        )
    # An address that can't be right is refused before a key is asked for.
    connect(address, "key", auth=auth, allow_http=allow_http, config=config).close()
    key = _asked_key()
    if not key:  # without one, the test would be of the key that is stored
        raise InvalidValue(
            "No API key was given.",
            advice="Keys are made in the service's dashboard; what was stored before still is.",
        )
    fleet = connect(address, key, auth=auth, allow_http=allow_http, config=config)
    check_readable(fleet.missing)
    where = credentials.store(fleet.address, key, in_file=in_file)
    sys.stdout.write(f"{fleet.address} answers, and the key works. It is stored in {where}.\n")
    return fleet


def _stored_address() -> str:
    """Return the address that is stored; none of a file that can't be used: it is replaced."""
    try:
        return credentials.stored_address()
    except InvalidValue:
        return ""


def _asked_address(offered: str) -> str:
    hint = f" [{offered}]" if offered else ", such as https://fleet.example"
    try:
        written = input(f"Address of the service{hint}: ")
    except EOFError as problem:
        return _unanswered(problem)
    except Exception as problem:  # a kernel without a person raises an error of its own
        raise _nobody() from problem
    if written.strip():
        split(written)  # later, the error would name an argument that nobody gave
    return written.strip() or offered


def _asked_key() -> str:
    """Return the key as it is typed, unseen; from a pipe, its first line."""
    if not is_notebook() and sys.stdin is not None and not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    try:
        with warnings.catch_warnings():
            # Where a terminal would show what is typed, the key isn't asked for.
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass("API key (not shown): ").strip()
    except EOFError as problem:
        return _unanswered(problem)
    except Exception as problem:
        raise _nobody() from problem


def _unanswered(end: EOFError) -> str:
    """Return no answer where Ctrl+D ended the input; without a terminal, there was nobody."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise _nobody() from end
    sys.stdout.write("\n")  # the question's line is still open
    return ""


def _nobody() -> InvalidValue:
    command = worded(python="fk.setup", command_line="fleetkit setup")
    return InvalidValue(
        f"{command} asks for address and key, and here is nobody to ask.",
        advice="Run fleetkit setup in a terminal, or set FLEETKIT_BASE_URL and FLEETKIT_API_KEY.",
    )
