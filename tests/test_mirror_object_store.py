"""A mirror in an object store: how it is opened, how it fails, and that no secret shows.

What holds for every mirror is tested in both places: ``anywhere`` of test_mirror and its kin.
"""

from __future__ import annotations

import http.server
import json
import threading
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from deltalake import write_deltalake

import fleetkit as fk
from fleetkit import mirror, schema, tables
from fleetkit.errors import MirrorError
from fleetkit.interface import using
from fleetkit.mirror.locations import reason
from fleetkit.mirror.store import ONCE, Conflict, Store

SECRET = "a-secret-of-the-tests"
NOBODY = "http://127.0.0.1:1"  # a port where nothing listens
ROWS = pa.table({"a": [1]})


def write(path):
    empty = {name: tables.empty(name) for name in schema.TABLES}
    return mirror.write(path, empty, source="", tz="UTC", requests=0, missing={})


def test_a_table_is_made_once_however_many_try(anywhere):
    Store(anywhere).create("services", ROWS)
    with pytest.raises(Conflict):
        Store(anywhere).create("services", ROWS)
    assert Store(anywhere).table("services").to_pyarrow_table().num_rows == 1


def test_a_commit_on_an_earlier_state_is_refused(anywhere):
    store = Store(anywhere)
    store.create("services", ROWS)
    first, second = store.table("services"), store.table("services")
    write_deltalake(first, ROWS, mode="append", commit_properties=ONCE)
    with pytest.raises(Conflict), store.doing("written"):
        write_deltalake(second, ROWS, mode="append", commit_properties=ONCE)
    assert store.table("services").to_pyarrow_table().num_rows == 2


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["/", "/deep/two words/åse 🚁/a'b=c&d+e/"])
def test_a_mirror_may_lie_under_any_prefix(bucket, prefix):
    write(bucket + prefix)
    assert mirror.open((bucket + prefix).rstrip("/")).version == 1


@pytest.mark.slow
def test_a_bucket_without_a_mirror_says_how_to_make_one(bucket):
    message = rf"There is no mirror at {bucket}/m\. Make one with: fleetkit sync {bucket}/m\."
    with pytest.raises(MirrorError, match=message):
        mirror.open(f"{bucket}/m")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"AWS_ENDPOINT_URL": NOBODY}, r"the store doesn't answer\. Check the network"),
        ({"AWS_ALLOW_HTTP": None}, r"endpoint is plain http\. Set AWS_ALLOW_HTTP=true"),
        ({"AWS_ACCESS_KEY_ID": None}, r"no credentials were found\. Set AWS_ACCESS_KEY_ID"),
        (
            {
                "AWS_ACCESS_KEY_ID": None,
                "AWS_SECRET_ACCESS_KEY": None,
                "AWS_METADATA_ENDPOINT": NOBODY,
            },
            r"no credentials were found\. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ),
        ({"AWS_SKIP_SIGNATURE": "true"}, r"the store refuses these credentials\. Check those"),
        ({"AWS_CONDITIONAL_PUT": "disabled"}, r"overwrite each other\. Unset AWS_CONDITIONAL_PUT"),
    ],
    ids=["unreachable", "plain http", "half a key", "no key", "refused", "unconditional"],
)
def test_what_keeps_a_store_shut_is_one_line_with_what_to_do(bucket, monkeypatch, change, message):
    for name, value in change.items():
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    with pytest.raises(MirrorError, match=message) as refused:
        write(f"{bucket}/m")
    assert f"The mirror {bucket}/m can't be " in str(refused.value)
    assert "\n" not in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.slow
def test_a_bucket_that_does_not_exist_is_named(bucket):
    for use in (mirror.open, write):
        with pytest.raises(MirrorError, match=rf"{bucket}0/m can't be read: there is no such buc"):
            use(f"{bucket}0/m")


class Overloaded(http.server.BaseHTTPRequestHandler):
    """Asks everybody to come back later, as S3 does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Refuse."""
        said = b"<Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>"
        self.send_response(503)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        """Say nothing."""


class Talkative(http.server.BaseHTTPRequestHandler):
    """Refuses everything and quotes what was sent, as S3 does where a signature is wrong."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Refuse."""
        said = f"<Error><Code>Odd</Code><Sent>{SECRET} {self.headers}</Sent></Error>".encode()
        self.send_response(400)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def answering(handler):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.slow
def test_an_overloaded_store_is_to_be_asked_again_later(bucket, monkeypatch):
    with answering(Overloaded) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        words = r"the store is overloaded, or has a fault\. Try again in some minutes\.$"
        with pytest.raises(MirrorError, match=words):
            mirror.open(f"{bucket}/m")


@pytest.mark.slow
def test_no_secret_shows_in_what_a_store_answers(bucket, monkeypatch):
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a-token-of-the-tests")
    with answering(Talkative) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://me:pass-word@127.0.0.1:{port}")
        with pytest.raises(MirrorError, match=r"400 Bad Request ↳ Odd\.$") as refused:
            mirror.open(f"{bucket}/m")
    for secret in (SECRET, "a-token-of-the-tests", "pass-word", "AKIAFLEETKITTESTS"):
        assert secret not in str(refused.value)


def test_a_secret_is_taken_out_of_a_reason_before_that_is_cut_to_300_letters(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    quoted = reason(OSError(f"It was sent {SECRET} twice"), "s3://bucket/m")
    assert quoted == ("It was sent … twice", "")
    told, _ = reason(OSError("x" * 290 + f" {SECRET}, and more" * 9), "s3://bucket/m")
    assert told == "x" * 290 + " …, and mo"
    monkeypatch.setenv("AWS_SESSION_TOKEN", "odd")  # too short to be one, and within a word
    assert reason(OSError("\x1b[31mIt is odd\x1b[0m"), "s3://bucket/m") == ("It is odd", "")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("404 Not Found: <Error><Code>NoSuchBucket</Code></Error>", "there is no such bucket."),
        (
            "404 Not Found: <Error><Code>ContainerNotFound</Code></Error>",
            "there is no such bucket.",
        ),
        ("403 Forbidden", "the store refuses these credentials."),
        ("401 Unauthorized", "the store refuses these credentials."),
        ("<Error><Code>AccessDenied</Code></Error>", "the store refuses these credentials."),
        ("Received redirect without LOCATION", "the bucket is in another region."),
        ("Client error with status 301 Moved Permanently", "the bucket is in another region."),
        ("<Error><Code>PermanentRedirect</Code></Error>", "the bucket is in another region."),
        ("status code: 429 Too Many Requests", "the store is overloaded, or has a fault."),
        ("status code: 503 Service Unavailable", "the store is overloaded, or has a fault."),
        ("Missing SecretAccessKey", "no credentials were found."),
        ("error sending request for url (http://169.254.169.254/x)", "no credentials were found."),
        ("error sending request for url (https://store.example)", "the store doesn't answer."),
        ("TokioMultiThreadExecutor has crashed: RecvError", "the store's client crashed."),
        ('Path "//m" contained empty path segment', "it has two slashes where one belongs."),
    ],
)
def test_what_a_store_said_is_told_in_our_words(said, words):
    assert reason(OSError(f"Generic S3 error: {said}"), "s3://bucket/m")[0] == words


@pytest.mark.parametrize(
    "name",
    [
        *("AWS_SECRET_ACCESS_KEY", "aws_session_token", "AZURE_STORAGE_SAS", "STORE_PASSWORD"),
        *("CLIENT_SECRET", "GOOGLE_CREDENTIALS", "URL_SIGNATURE"),
    ],
)
def test_what_a_variable_says_is_secret_is_not_told(monkeypatch, name):
    monkeypatch.setenv(name, "hidden")
    assert reason(OSError("It was sent hidden"), "s3://bucket/m") == ("It was sent …", "")


def test_neither_addresses_nor_bodies_of_answers_are_told():
    said = (
        "400 at https://store.example/m?sig=hidden for <Error><Code>Odd</Code><K>hidden</K></Error>"
    )
    assert reason(OSError(said), "s3://bucket/m") == ("400 at … for Odd", "")
    assert reason(OSError('400 for {"key": "hidden"}'), "s3://bucket/m") == ("400 for", "")


def test_of_a_backtrace_nothing_is_told():
    problem = OSError("It is odd\n\nStack backtrace:\n   0: <unknown>\n   1: <unknown>")
    assert reason(problem, "s3://bucket/m") == ("It is odd Stack backtrace:", "")


def test_a_cloud_s_machine_that_gives_no_keys_is_told_as_a_lack_of_credentials():
    problem = OSError(
        "Kernel error -> Operation not supported: an error occurred while loading credentials: "
        "failed to load IMDS session token: service error: request forbidden"
    )
    words, advice = reason(problem, "s3://bucket/m")
    assert words == "no credentials were found."
    assert advice.startswith("Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")


@pytest.mark.parametrize(
    "address",
    [
        "s3://AKIA:hidden@bucket/m",
        "s3://AKIA:hid/hidden@bucket/m",
        "az://c/m?sig=hidden",
        "az://c/m#hidden",
    ],
)
def test_an_address_that_holds_a_secret_is_refused_without_showing_it(address):
    with pytest.raises(MirrorError, match="Set an object store's credentials in the env") as raised:
        mirror.open(address)
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3:///mirror", "names no bucket"),
        ("https://fleet.example", "no object store. Write s3://bucket/mirror, or a folder: a mir"),
        ("s3://[bucket/mirror", "A mirror's address can't be read. Write it as s3://bucket/mirror"),
        (Path("s3://bucket/mirror"), "one slash after its colon.*Pass it as text"),
        (Path("s3a://bucket/mirror"), "one slash after its colon.*Pass it as text"),
        (Path("file:///data/mirror"), "one slash after its colon.*Pass it as text"),
        ("s3://bucket/100%", "can't hold %"),
    ],
)
def test_an_address_that_cannot_work_is_refused(address, message):
    with pytest.raises(MirrorError, match=message):
        mirror.open(address)


def test_a_slash_that_is_missing_of_an_address_is_told_to_who_types_it():
    with using("command line"), pytest.raises(MirrorError) as refused:
        mirror.open("s3:/bucket/mirror")
    assert refused.value.advice == "Write it as s3://bucket/mirror."


@pytest.mark.slow
def test_a_fleet_from_an_object_store_answers_like_the_service(tiny, bucket):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live:
        assert live.sync(f"{bucket}/mirror").version == 1
        offline = fk.open_mirror(f"{bucket}/mirror")
        pd.testing.assert_frame_equal(offline.flights(), live.flights())
        assert not live.sync(f"{bucket}/mirror").changed


@pytest.mark.slow
def test_a_report_is_made_from_an_object_store_and_names_no_secret(tiny, bucket, tmp_path):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live:
        live.sync(f"{bucket}/mirror")
    stored = fk.open_mirror(f"{bucket}/mirror")
    paths = fk.report(
        "2026-10", fleet=stored, out=tmp_path, formats=["html"], sections=["flight_hours"]
    )
    made = paths.html.parent
    section = json.loads((made / "sections" / "flight_hours" / "section.json").read_text())
    figures = {kpi["label"]: kpi["value"] for kpi in section["kpis"]}
    assert (figures["Flights"], figures["Hours"]) == (3, 1.75)
    for path in (path for path in made.rglob("*") if path.is_file()):
        assert SECRET.encode() not in path.read_bytes()
