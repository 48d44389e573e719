"""One request over the wire: requests' adapter, configured once.

A `requests.Session` merges proxies, certificates, cookies, .netrc and redirects into every call;
here that is done once, and a call is a copy of one prepared request with another URL.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import BadStatusLine, HTTPException, LineTooLong, RemoteDisconnected
from importlib.metadata import version
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from fleetkit.client.bodies import ACCEPTED, PackingError, read_body
from fleetkit.client.connections import POOLS
from fleetkit.client.deadline import deadline
from fleetkit.client.service import Service
from fleetkit.errors import InvalidValue
from fleetkit.schema import AuthHeader

__all__ = ["Answer", "NoAnswer", "Transport"]

# A page of 100 records is some 50 kB; a longer one is not an answer of the API. [bytes]
MOST_BYTES = 64 * 2**20

# What is raised where a connection breaks; ValueError where a chunk is said to have -5 bytes.
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError)

_NO_CERTIFICATES = "the file that REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names holds no certificates"
# OpenSSL's word for a failure → why another attempt wouldn't help.
_OF_TLS = {
    "WRONG_VERSION_NUMBER": "it doesn't speak https",
    "NO_CERTIFICATE_OR_CRL_FOUND": _NO_CERTIFICATES,
    "NO_START_LINE": _NO_CERTIFICATES,  # as older ones call it
}
# The address of the service itself was checked before.
_WRONG_PROXIES = (
    requests.exceptions.InvalidProxyURL,
    urllib3.exceptions.ProxySchemeUnknown,
    urllib3.exceptions.LocationValueError,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    too_long: bool = False


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no whole answer; `final` where another attempt wouldn't help."""

    reason: str
    final: bool = False


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
                advice="Correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE, or unset it.",
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
        try:
            with deadline(timeout, stop):
                raw: Any = self._adapter.send(
                    request,
                    stream=True,
                    timeout=timeout,
                    verify=self._verify,
                    proxies=self._proxies,
                )
                return _whole(raw)
        except PackingError as problem:
            return NoAnswer(str(problem), problem.final)
        except _BROKEN as problem:
            # The exceptions themselves hold the request, and that holds the key.
            return _no_answer(problem)

    def redact(self, text: str) -> str:
        """Take the key out of a text that the service sent, also where it is percent-encoded."""
        characters = self._service.key.text
        forms = (f"(?:{re.escape(one)}|(?i:%{ord(one):02x}))" for one in characters)
        return re.sub("".join(forms), "…", text)

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


def _whole(raw: urllib3.BaseHTTPResponse) -> Answer:
    body = None
    try:
        body = read_body(raw, MOST_BYTES)
    finally:
        if body is None:  # too long, or cancelled: the rest of it would be the next answer
            raw.close()
    return Answer(raw.status, raw.headers, body or b"", too_long=body is None)


def _no_answer(problem: BaseException) -> NoAnswer:
    causes = list(_causes(problem))
    for cause in causes:
        if reason := _final_reason(cause):
            return NoAnswer(reason, final=True)
        if isinstance(cause, BadStatusLine) and not isinstance(cause, RemoteDisconnected):
            return NoAnswer("it doesn't speak HTTP")
        if isinstance(cause, LineTooLong) or type(cause) is HTTPException:
            return NoAnswer("its headers are too long, or too many")
    for kind, reason in (
        # Before what it wraps, which is of the proxy too.
        (urllib3.exceptions.ProxyError, "the proxy can't be reached, or refuses"),
        (socket.gaierror, "its name can't be resolved"),
        (ConnectionRefusedError, "the connection is refused"),
        (TimeoutError, "no whole answer in time"),
        (urllib3.exceptions.TimeoutError, "no whole answer in time"),
    ):
        if any(isinstance(cause, kind) for cause in causes):
            return NoAnswer(reason)
    return NoAnswer("the connection broke before the answer was complete")


def _final_reason(cause: BaseException) -> str:
    """Return why another attempt wouldn't help; empty where it may."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return _OF_TLS.get(cause.reason, "")
    if isinstance(cause, requests.exceptions.InvalidSchema):
        return 'a SOCKS proxy needs another package: pip install "requests[socks]"'
    if isinstance(cause, _WRONG_PROXIES):
        return "what HTTPS_PROXY, HTTP_PROXY or ALL_PROXY holds is not a proxy's address"
    return ""


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Everything an exception wraps; requests and urllib3 put it in different places."""
    seen: list[BaseException] = []
    stack: list[Any] = [problem]
    while stack:
        cause = stack.pop()
        if isinstance(cause, BaseException) and not any(cause is other for other in seen):
            seen.append(cause)
            stack += [*cause.args, cause.__cause__, cause.__context__]
            stack.append(getattr(cause, "reason", None))
            yield cause
