"""Why there is no whole answer: the service, its certificate, the network or a proxy."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import BadStatusLine, HTTPException, LineTooLong, RemoteDisconnected
from typing import Any

import requests
import urllib3

__all__ = ["PROXY_ADVICE", "PROXY_LOGIN", "WRONG_CERTIFICATES", "NoAnswer", "read"]

_CHECK = "Check the base URL and the network."
_SLOW = "Check the base URL and the network; where the service is slow, raise the setting timeout."
WRONG_CERTIFICATES = "Correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE, or unset it."
_NO_CERTIFICATES = "the file that REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names holds no certificates"
# What cron starts knows nothing of a proxy that the shell has.
_NO_NAME = "Check the base URL and the network; where only a proxy leads there, set HTTPS_PROXY."
_PROXY = "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
_WRONG_PROXY = f"Correct {_PROXY}, or name the service's host in NO_PROXY."
PROXY_LOGIN = "407: the proxy asks for a user and a password"
PROXY_ADVICE = f"Write both, or correct them, in {_PROXY}: http://user:password@proxy.example:3128."
# OpenSSL's word for a failure → why another attempt wouldn't help, and what to do.
_OF_TLS = {
    "WRONG_VERSION_NUMBER": ("it doesn't speak https", _CHECK),
    "NO_CERTIFICATE_OR_CRL_FOUND": (_NO_CERTIFICATES, WRONG_CERTIFICATES),
    "NO_START_LINE": (_NO_CERTIFICATES, WRONG_CERTIFICATES),  # as older ones call it
}
# OpenSSL's number of what is wrong with a certificate → what to do.
_OTHER_HOST = "Write the host in the base URL as the certificate names it."
_OF_CERTIFICATES = {
    9: "Check this machine's clock.",
    10: "Check this machine's clock; then ask the service's operator for a new one.",
    62: _OTHER_HOST,
    64: _OTHER_HOST,
}
_OWN_AUTHORITY = (
    "If an authority of your own issued it, or a proxy's, name the file of that authority's "
    "certificate in REQUESTS_CA_BUNDLE."
)
# The address of the service itself was checked before.
_WRONG_PROXIES = (
    requests.exceptions.InvalidProxyURL,
    urllib3.exceptions.ProxySchemeUnknown,
    urllib3.exceptions.LocationValueError,
)
# How http.client says that a proxy let no connection through.
_TUNNEL = re.compile(r"Tunnel connection failed: (\d+)")


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no whole answer, what to do, and `final` where no other attempt would help."""

    reason: str
    final: bool = False
    advice: str = _CHECK


def read(problem: BaseException) -> NoAnswer:
    """Say why a request that raised an exception has no answer."""
    causes = list(_causes(problem))
    for cause in causes:
        if answer := _final(cause):
            return answer
        if reason := _malformed(cause):
            return NoAnswer(reason)
    if any(isinstance(cause, urllib3.exceptions.ProxyError) for cause in causes):
        return _of_proxy(causes)
    for kind, reason, advice in (
        (socket.gaierror, "its name can't be resolved", _NO_NAME),
        (ConnectionRefusedError, "the connection is refused", _CHECK),
        (TimeoutError, "no whole answer in time", _SLOW),
        (urllib3.exceptions.TimeoutError, "no whole answer in time", _SLOW),
    ):
        if any(isinstance(cause, kind) for cause in causes):
            return NoAnswer(reason, advice=advice)
    return NoAnswer("the connection broke before the answer was complete")


def _malformed(cause: BaseException) -> str:
    """Return how an answer's head breaks the rules of HTTP; empty where it doesn't."""
    if isinstance(cause, BadStatusLine) and not isinstance(cause, RemoteDisconnected):
        return "it doesn't speak HTTP"
    if isinstance(cause, LineTooLong) or type(cause) is HTTPException:
        return "its headers are too long, or too many"
    if isinstance(cause, urllib3.exceptions.InvalidHeader):
        return "its headers name two different lengths"
    if isinstance(cause, urllib3.exceptions.HeaderParsingError):
        return "a line of its headers has no colon, and none before it says how long it is"
    return ""


def _of_proxy(causes: list[BaseException]) -> NoAnswer:
    """Say what is wrong with the proxy; another attempt helps where it is out of order."""
    statuses = [int(number) for cause in causes for number in _TUNNEL.findall(str(cause))]
    status = statuses[0] if statuses else 0
    if status == 407:
        return NoAnswer(PROXY_LOGIN, True, PROXY_ADVICE)
    if status:
        return NoAnswer(f"the proxy refuses with {status}", 400 <= status < 500, _WRONG_PROXY)
    for kind, reason in (
        (socket.gaierror, "the name of the proxy can't be resolved"),
        (ConnectionRefusedError, "the proxy refuses the connection"),
    ):
        if any(isinstance(cause, kind) for cause in causes):
            return NoAnswer(reason, advice=_WRONG_PROXY)
    return NoAnswer("the proxy can't be reached, or refuses", advice=_WRONG_PROXY)


def _final(cause: BaseException) -> NoAnswer | None:
    """Return why another attempt wouldn't help; None where it may."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = f"its certificate is not trusted: {cause.verify_message}"
        return NoAnswer(reason, True, _OF_CERTIFICATES.get(cause.verify_code, _OWN_AUTHORITY))
    if isinstance(cause, ssl.SSLError) and cause.reason in _OF_TLS:
        reason, advice = _OF_TLS[cause.reason]
        return NoAnswer(reason, True, advice)
    if isinstance(cause, requests.exceptions.InvalidSchema):
        advice = 'Install it: pip install "requests[socks]".'
        return NoAnswer("a SOCKS proxy needs another package", True, advice)
    if isinstance(cause, _WRONG_PROXIES):
        return NoAnswer(f"what {_PROXY} holds is not a proxy's address", True, _WRONG_PROXY)
    return None


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
