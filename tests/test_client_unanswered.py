"""What is said of failures as Python's libraries report them, and whether to try once more."""

import ssl
from http.client import BadStatusLine, RemoteDisconnected

import pytest
import requests
import urllib3

from fleetkit.client import unanswered


def aborted(cause):
    """Return a failure of a connection as it arrives from requests."""
    return requests.ConnectionError(urllib3.exceptions.ProtocolError("Connection aborted.", cause))


def test_a_connection_that_ends_without_an_answer_is_not_one_that_speaks_no_http():
    ended, greeted = aborted(RemoteDisconnected("")), aborted(BadStatusLine("220 mail.example"))
    assert unanswered.read(ended).reason == "the connection broke before the answer was complete"
    assert unanswered.read(greeted).reason == "it doesn't speak HTTP"


@pytest.mark.parametrize(("status", "is_final"), [(403, True), (407, True), (503, False)])
def test_a_proxy_that_is_out_of_order_is_asked_once_more_one_that_refuses_is_not(status, is_final):
    refused = OSError(f"Tunnel connection failed: {status} No")
    problem = requests.exceptions.ProxyError(urllib3.exceptions.ProxyError("No.", refused))
    assert unanswered.read(problem).final is is_final


# OpenSSL's numbers: not yet valid, expired, of another host, of another address, of nobody known.
@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (9, "Check this machine's clock."),
        (10, "Check this machine's clock; then ask"),
        (62, "Write the host in the base URL"),
        (64, "Write the host in the base URL"),
        (20, "If an authority of your own issued it"),
    ],
)
def test_what_is_wrong_with_a_certificate_says_what_to_do(number, advice):
    problem = ssl.SSLCertVerificationError()
    problem.verify_code, problem.verify_message = number, "no"
    answer = unanswered.read(requests.exceptions.SSLError(problem))
    assert answer.advice.startswith(advice)
    assert answer.final
