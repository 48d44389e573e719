"""The address of the service: the base URL, checked before anything is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

import requests

from fleetkit.base_url import DEFAULT_PORTS, split
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, worded
from fleetkit.schema import ENDPOINTS

__all__ = ["Address", "is_loopback", "read"]

# What an address may end with where it was copied from a request. A /v1 that something else follows
# is a gateway's own.
_LISTS = "|".join({endpoint.path.split("/")[2] for endpoint in ENDPOINTS.values()})
_ENDPOINT = re.compile(rf"/v1(/({_LISTS})(/.*)?)?$")


@dataclass(frozen=True)
class Address:
    """``scheme://host[:port][/prefix]``, and whether it is on this machine."""

    url: str
    loopback: bool


def read(base_url: str, *, allow_http: bool = False) -> Address:
    """Return the address of the service, without ``/v1``, trailing slash and the scheme's own port.

    Raises
    ------
    InvalidValue
        No ``http(s)://``, no host, a user, password, query or fragment in it; plain http to
        another machine unless `allow_http`, since the key would travel unencrypted.

    Examples
    --------
    >>> read("https://api.example.com/fleet/v1/").url
    'https://api.example.com/fleet'
    >>> read("http://127.0.0.1:8000").loopback
    True
    """
    parts = split(base_url if isinstance(base_url, str) else "")
    loopback = is_loopback(parts.hostname or "")
    if parts.scheme == "http" and not (loopback or allow_http):
        raise InvalidValue(
            f"http://{parts.netloc} is not encrypted: the key would travel unencrypted.",
            advice=worded(
                python="Write https://, or pass allow_http=True to allow it.",
                command_line="Write https://, or add --allow-http to allow it.",
            ),
        )
    netloc = parts.netloc.removesuffix(f":{DEFAULT_PORTS[parts.scheme]}")
    path = _ENDPOINT.sub("", parts.path.rstrip("/")).rstrip("/")
    try:  # international host names, odd characters, ports: as requests understands them
        url = requests.Request("GET", f"{parts.scheme}://{netloc}{path}").prepare().url
    except requests.RequestException:
        raise InvalidValue(f"The base URL's host {brief(parts.hostname)} is not valid.") from None
    return Address((url or "").rstrip("/"), loopback)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, so that what is sent to it stays here."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
