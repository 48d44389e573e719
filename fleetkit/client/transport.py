"""One request over the wire: requests' adapter, configured once.

A `requests.Session` merges proxies, certificates, cookies, .netrc and redirects into every call;
here that is done once, and a call is a copy of one prepared request with another URL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util.response import assert_header_parsing

from fleetkit.client import unanswered
from fleetkit.client.bodies import ACCEPTED, PackingError, read_body
from fleetkit.client.connections import POOLS
from fleetkit.client.deadline import deadline
from fleetkit.client.service import Service
from fleetkit.client.unanswered import WRONG_CERTIFICATES, NoAnswer
from fleetkit.errors import InvalidValue
from fleetkit.schema import AuthHeader

__all__ = ["Answer", "Transport"]

# A page of 100 records is some 50 kB; a longer one is not an answer of the API. [bytes]
MOST_BYTES = 64 * 2**20

# What is raised where a connection breaks; ValueError where a chunk is said to have -5 bytes.
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and the whole body, and how long it took.

    Attributes
    ----------
    seconds : float
        From the request to the whole answer. [s]
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float = 0.0
    too_long: bool = False


class _Adapter(HTTPAdapter):
    """Requests' adapter over connections that keep to the deadline, from one pool."""

    def __init__(self, connections: int) -> None:
        super().__init__(pool_connections=1, pool_maxsize=connections)
        self._pool: Any = None

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = POOLS
        return manager

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        self._pool = self._pool or super().get_connection_with_tls_context(*args, **kwargs)
        return self._pool

    def close_idle(self) -> None:
        if self._pool is not None:
            self._pool.close_idle()

    def close(self) -> None:
        super().close()
        if self._pool is not None:  # requests only forgets it
            self._pool.close()

    def build_response(self, req: Any, resp: Any) -> Any:
        """Give urllib3's answer as it is: no cookies, encodings, history to work out."""
        return resp


class Transport:
    """Sends requests to one service, with the key in one header.

    Raises
    ------
    InvalidValue
        The environment names certificates that don't exist.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._adapter = _Adapter(service.concurrency)
        self._prepared: requests.PreparedRequest | None = None
        with requests.Session() as session:
            environment = session.merge_environment_settings(self._url, {}, True, None, None)
        # A proxy must not see requests to this machine, least of all their key.
        self._proxies = {} if service.address.loopback else environment["proxies"]
        self._verify = environment["verify"] or True
        if isinstance(self._verify, str) and not Path(self._verify).exists():
            raise InvalidValue(
                f"The certificates {self._verify} don't exist.",
                advice=WRONG_CERTIFICATES,
            )

    @property
    def _url(self) -> str:
        return self._service.address.url

    def _request(self, target: str) -> requests.PreparedRequest:
        # Not a cached_property: its lock, one for all instances, may be held where a process forks.
        if self._prepared is None:
            headers = _headers(self._service.key.text, self._service.auth)
            self._prepared = requests.Request("GET", self._url, headers=headers).prepare()
        request = self._prepared.copy()
        request.url = self._url + target
        return request

    def send(self, target: str, *, timeout: float, stop: Event) -> Answer | NoAnswer:
        """Send ``GET target`` and return the whole answer, or why there is none.

        Parameters
        ----------
        target : str
            Path and query.
        timeout : float
            Longest time for connecting, and for the whole answer. [s]
        stop : Event
            Once it is set, `StoppedError` is raised.
        """
        request = self._request(target)
        began = monotonic()
        try:
            with deadline(timeout, stop):
                raw: Any = self._adapter.send(
                    request,
                    stream=True,
                    timeout=timeout,
                    verify=self._verify,
                    proxies=self._proxies,
                )
                return _whole(raw, began)
        except PackingError as problem:
            return NoAnswer(str(problem), problem.final)
        except _BROKEN as problem:
            # The exceptions themselves hold the request, and that holds the key.
            return unanswered.read(problem)

    def redact(self, text: str) -> str:
        """Take the key out of a text that the service sent, however that writes its characters.

        Percent-encoded, escaped as in JSON (also where the text as a whole is none), in capitals.
        """
        characters = self._service.key.text
        forms = (
            rf"(?:\\?{re.escape(one)}|%{ord(one):02x}|\\u{ord(one):04x})" for one in characters
        )
        return re.sub("".join(forms), "…", text, flags=re.IGNORECASE)

    @property
    def origin(self) -> str:
        """Scheme, host and port, for messages."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc}"

    def close_idle(self) -> None:
        """Close the idle connections; later requests open new ones."""
        self._adapter.close_idle()

    def close(self) -> None:
        """Close the idle connections at once, and those in use as soon as they are idle."""
        self._adapter.close()


def _headers(api_key: str, auth: AuthHeader) -> dict[str, str]:
    key = {"X-API-Key": api_key} if auth == "X-API-Key" else {"Authorization": f"Bearer {api_key}"}
    return {
        **key,
        "Accept": "application/json",
        "Accept-Encoding": ACCEPTED,
        "User-Agent": f"fleetkit/{version('fleetkit')}",
    }


def _whole(raw: urllib3.HTTPResponse, began: float) -> Answer:
    body = None
    try:
        if raw.length_remaining is None and not raw.chunked:  # perhaps behind a malformed header
            assert_header_parsing(raw._original_response.msg)  # type: ignore[union-attr]
        body = read_body(raw, MOST_BYTES)
    finally:
        if body is None:  # too long, or cancelled: the rest of it would be the next answer
            raw.close()
    seconds = monotonic() - began
    return Answer(raw.status, raw.headers, body or b"", seconds, too_long=body is None)
