"""Any way in which HTTP carries an answer: compressed, in chunks, encrypted, through a proxy."""

import gzip
import json
import shutil
import ssl
import subprocess
import tracemalloc
import zlib

import pytest
from conftest import lacking
from hostile import hostile, page, records, reply

from fleetkit.client import Client
from fleetkit.errors import UnexpectedAnswer, Unreachable

ROWS = records(250)
DRIP = 0.05


def body(asked):
    return json.dumps(page(asked, ROWS)).encode()


def compressed(asked):
    return reply(gzip.compress(body(asked)), Content_Encoding="gzip")


def deflated(asked):
    return reply(zlib.compress(body(asked)), Content_Encoding="Deflate")


def in_two_parts(asked):
    whole = body(asked)
    parts = gzip.compress(whole[:1000]) + gzip.compress(b"") + gzip.compress(whole[1000:])
    return reply(parts, Content_Encoding="x-gzip")


def broken_off_every_other_time(asked):
    packed = gzip.compress(body(asked))
    return reply(packed[: -20 if asked.n % 2 else None], Content_Encoding="gzip")


def in_chunks(asked):
    whole = body(asked)
    pieces = (whole[n : n + 500] for n in range(0, len(whole), 500))
    sized = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + sized + b"0\r\n\r\n"


def until_closed(asked):
    return [b"HTTP/1.0 200 OK\r\n\r\n" + body(asked)]


def announced(asked):
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
    return b"HTTP/1.1 102 Processing\r\n\r\n" + hints + in_chunks(asked)


def cut_every_other_time(asked):
    return [in_chunks(asked)[:-300]] if asked.n % 2 else in_chunks(asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (compressed, 3),
        (deflated, 3),
        (in_two_parts, 3),
        (in_chunks, 3),
        (until_closed, 3),
        (announced, 3),
        (cut_every_other_time, 6),
        (broken_off_every_other_time, 6),
    ],
)
def test_a_list_comes_whole_however_it_is_carried(answer, requests):
    with hostile(answer) as server, Client(server.base_url, "k", concurrency=1) as client:
        pages = client.pages("equipment_list")
    assert [row for page in pages for row in json.loads(page)["data"]] == ROWS
    assert len(server.asked) == requests


@pytest.mark.slow
def test_a_compressed_answer_without_end_is_cut_off():
    bomb = gzip.compress(b" " * (65 * 2**20), 1)
    with (
        hostile(lambda asked: reply(bomb, Content_Encoding="gzip")) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(UnexpectedAnswer, match="far longer than any page"),
    ):
        client.pages("equipment_list")


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_a_small_answer_that_unpacks_to_a_huge_one_never_fills_the_memory(pack, monkeypatch):
    monkeypatch.setattr("fleetkit.client.transport.MOST_BYTES", 2**20)
    bomb = pack(b" " * 2**26)
    packing = "gzip" if pack is gzip.compress else "deflate"
    with (
        hostile(lambda asked: reply(bomb, Content_Encoding=packing)) as server,
        Client(server.base_url, "key_abc") as client,
    ):
        tracemalloc.start()
        with pytest.raises(UnexpectedAnswer, match="far longer than any page"):
            client.pages("equipment_list")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2**22


@pytest.mark.slow
def test_an_answer_without_end_that_unpacks_to_nothing_is_given_up_at_the_deadline():
    nothing = gzip.compress(b"") * 1000

    def answer(asked):
        yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        while True:
            yield nothing

    with (
        hostile(answer) as server,
        Client(server.base_url, "key_abc", timeout=0.3, patience=0.6) as client,
        pytest.raises(Unreachable, match="no whole answer in time"),
    ):
        client.pages("equipment_list")


@pytest.mark.parametrize(
    ("packing", "name"), [("br", "br"), ("gzip, gzip", "something"), ("\x1b[31m", "something")]
)
def test_an_answer_packed_as_nobody_asked_is_named_and_not_asked_for_again(packing, name):
    with (
        hostile(lambda asked: reply(body(asked), Content_Encoding=packing)) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Unreachable, match=f"it is packed as {name}, which was not asked for"),
    ):
        client.pages("equipment_list")
    assert [request.headers["accept-encoding"] for request in server.asked] == ["gzip"]


def test_connections_are_kept_for_the_next_requests():
    ports = set()

    def answer(asked):
        ports.add(asked.port)
        return reply(page(asked, ROWS))

    with hostile(answer) as server, Client(server.base_url, "k", concurrency=2) as client:
        for _ in range(3):
            client.pages("equipment_list")
    assert len(ports) <= 2


def test_another_machine_is_reached_through_the_proxy_of_the_environment(monkeypatch):
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with hostile(lambda asked: reply(page(asked, ROWS))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url)
        with Client("http://api.example.com/v1", "key_abc", allow_http=True) as client:
            assert len(client.pages("equipment_list")) == 3
    assert {request.path for request in proxy.asked} == {"http://api.example.com/v1/equipment"}


@pytest.mark.slow
def test_a_proxy_that_is_gone_is_not_taken_for_the_service(monkeypatch):
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with hostile(lambda asked: b"") as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url)
    with (
        Client("http://api.example.com/v1", "key_abc", allow_http=True) as client,
        pytest.raises(
            Unreachable, match=r"the proxy refuses the connection .* Correct HTTPS_PROXY"
        ),
    ):
        client.pages("equipment_list")


def issued(folder, days=2, name="IP:127.0.0.1"):
    """Return a certificate of one's own, and a server's context with it."""
    if not shutil.which("openssl"):
        lacking("openssl")
    made, key = folder / "certificate.pem", folder / "key.pem"
    for command in (
        "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj"
        f" /CN=localhost -addext subjectAltName={name} -out {folder / 'request'} -keyout {key}",
        f"openssl x509 -req -in {folder / 'request'} -signkey {key} -copy_extensions copy"
        f" -days {days} -out {made}",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return issued(tmp_path_factory.mktemp("tls"))


@pytest.mark.slow
def test_an_encrypted_answer_is_read_with_the_certificates_of_the_environment(
    certificate, monkeypatch
):
    made, context = certificate
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made))
    with (
        hostile(lambda asked: reply(page(asked, ROWS)), context) as server,
        Client(server.base_url, "key_abc") as client,
    ):
        assert len(client.pages("equipment_list")) == 3


@pytest.mark.slow
def test_a_certificate_that_nobody_vouches_for_is_not_retried(certificate):
    with (
        hostile(lambda asked: reply(), certificate[1]) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Unreachable, match="certificate is not trusted") as caught,
    ):
        client.pages("equipment_list")
    assert (client.requests_made, server.asked, caught.value.retryable) == (1, [], False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "name", "is_known", "advice"),
    [
        (2, "IP:127.0.0.1", False, "name the file of that authority's certificate in REQ"),
        (-1, "IP:127.0.0.1", True, "Check this machine's clock; then ask the service's op"),
        (2, "DNS:api.example.com", True, "Write the host in the base URL as the certifica"),
    ],
)
def test_what_to_do_about_a_certificate_goes_by_what_is_wrong_with_it(  # noqa: PLR0917
    days, name, is_known, advice, tmp_path, monkeypatch
):
    made, context = issued(tmp_path, days, name)
    if is_known:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made))
    with (
        hostile(lambda asked: reply(), context) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Unreachable, match=advice),
    ):
        client.pages("equipment_list")


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "no certificate"])
def test_a_file_of_certificates_that_holds_none_is_told_of_and_not_retried(
    content, certificate, monkeypatch, tmp_path
):
    (tmp_path / "ca.pem").write_text(content)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    with (
        hostile(lambda asked: reply(), certificate[1]) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Unreachable, match="CURL_CA_BUNDLE names holds no certificates") as caught,
    ):
        client.pages("equipment_list")
    assert (client.requests_made, server.asked, caught.value.retryable) == (1, [], False)


@pytest.mark.slow
def test_an_encrypted_answer_that_drips_is_given_up_at_the_deadline(certificate, monkeypatch):
    made, context = certificate
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made))

    def answer(asked):
        for n in reply(page(asked, ROWS)):
            yield bytes([n])
            yield DRIP

    with (
        hostile(answer, context) as server,
        Client(server.base_url, "key_abc", timeout=0.3, patience=0.5) as client,
        pytest.raises(Unreachable, match="no whole answer in time"),
    ):
        client.pages("equipment_list")
