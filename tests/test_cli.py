"""The command line: what a user types, reads and gets back as exit code."""

import contextlib
import http.server
import os
import threading

import pandas as pd
import pytest

import fleetkit as fk
from fleetkit import cli
from fleetkit.server import Store, create_app
from fleetkit.server.running import running

HTML = b"<html><body>Welcome to the hotel's network. Please log in.</body></html>"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Return a function that runs the command line: exit code, what was printed, what was wrong."""
    monkeypatch.chdir(tmp_path)
    for name in [each for each in os.environ if each.startswith("FLEETKIT_")]:
        monkeypatch.delenv(name)

    def run(*arguments, key="fk_key"):
        monkeypatch.setenv("FLEETKIT_API_KEY", key)
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@contextlib.contextmanager
def _answering(status, headers, body):
    """Serve the same answer to every request; yields the address."""

    class Same(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Same) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_check_says_that_address_and_key_work_and_what_the_key_may_read(run, tiny):
    code, out, _ = run("check", "--base-url", tiny.base_url, key=tiny.api_key)
    assert code == 0
    assert out.splitlines() == [
        f"{tiny.base_url} answers, and the key works.",
        "  equipment:read  yes: 3 equipment",
        "  project:read    yes: 3 projects",
        "  service:read    yes: 2 services",
    ]


def test_check_names_the_scopes_that_the_key_lacks(run, tiny):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["service:read"])
    code, out, _ = run("check", "--base-url", tiny.base_url, key=key)
    assert code == 0
    assert "  equipment:read  no; reports leave its sections out" in out.splitlines()


@pytest.mark.parametrize("command", [["check"], ["report"], ["sync", "mirror"]])
def test_no_address_and_no_key_are_named(run, command):
    assert "FLEETKIT_BASE_URL" in run(*command)[2]
    assert "FLEETKIT_API_KEY" in run(*command, "--base-url", "http://127.0.0.1:9", key="")[2]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["check"], ["report"], ["sync", "mirror"]])
@pytest.mark.parametrize(
    ("status", "headers", "body", "says"),
    [
        (401, {"Content-Type": "application/json"}, b'{"code": "UNAUTHORIZED"}', "key"),
        (200, {"Content-Type": "text/html"}, HTML, "web page"),
        (302, {"Location": "https://login.example/portal"}, b"", "login.example"),
        (404, {"Content-Type": "text/html"}, b"<html>nothing here</html>", "base URL"),
    ],
)
def test_what_is_no_service_is_one_clear_line(run, command, status, headers, body, says):  # noqa: PLR0917
    with _answering(status, headers, body) as base_url:
        code, out, err = run(*command, "--base-url", base_url, key="fk_very_secret")
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert says.lower() in err.lower()
    assert "fk_very_secret" not in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_dead_address_is_one_clear_line(run):
    code, _, err = run("check", "--base-url", "http://127.0.0.1:9", "--timeout", "1")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "127.0.0.1:9" in err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--month", "2026-13"], "'2026-13' is no period"),
        (["--month", "October"], "'October' is no period"),
        (["--since", "2026-10-01"], "go together"),
        (["--since", "2026-10-02", "--until", "2026-10-01"], "does not lie before"),
        (["--month", "2026-10", "--since", "2026-10-02"], "exclude each other"),
        (["--tz", "Mars/Base"], "no IANA time zone"),
        (["--filter", "colour=red"], "is no filter"),
        (["--filter", "status=SOLD"], "is no project status"),
        (["--format", "docx", "--base-url", "http://127.0.0.1:9"], "docx"),
        (["--mirror", "no/such/mirror"], "no/such/mirror"),
        (["--config", "none.toml"], "none.toml"),
    ],
)
def test_a_wrong_option_of_report_is_one_clear_line(run, options, says):
    code, _, err = run("report", *options)
    assert (code, len(err.splitlines())) == (1, 1)
    assert says in err


def test_an_output_folder_that_cannot_be_written_is_refused_first(run, tmp_path):
    (tmp_path / "reports").write_text("a file stands where the folder should be")
    code, _, err = run("report", "--base-url", "http://127.0.0.1:9", "--month", "2026-10")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "reports" in err


def test_debug_shows_the_traceback(run):
    from fleetkit.errors import InvalidValue

    with pytest.raises(InvalidValue):
        cli.main(["report", "--month", "2026-13", "--debug"])


def test_sync_writes_a_mirror_and_says_what_changed(run, tiny, tmp_path):
    code, out, _ = run("sync", "mirror", "--base-url", tiny.base_url, key=tiny.api_key)
    assert (code, "flights" in out) == (0, True)
    assert len(fk.open_mirror(tmp_path / "mirror").flights()) == 5


def test_help_lists_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(f"  {each}" in out for each in ("check", "serve", "sync", "report"))


def test_an_organisation_is_made_filled_keyed_and_served_from_the_command_line(run, tmp_path):
    def serve(*arguments):
        return run("serve", "--db", f"sqlite:///{tmp_path}/fleet.db", *arguments)

    serve("orgs", "create", "Nordic")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "equipment.csv").write_text("id,name\neq_1,Kestrel\neq_2,Tern\n")
    assert serve("import", "--org", "Nordic", "in")[1].split() == ["2", "equipment"]
    _, key, warned = serve(
        "keys", "create", "--org", "Nordic", "--name", "cron", "--scope", "equipment:read"
    )
    assert "can't be shown again" in warned
    listed = serve("keys", "list")[1]
    assert "cron" in listed
    assert key.strip() not in listed
    with running(create_app(Store(f"sqlite:///{tmp_path}/fleet.db"))) as base_url:
        checked = run("check", "--base-url", base_url, key=key.strip())
        assert "  equipment:read  yes: 2 equipment" in checked[1].splitlines()
        serve("keys", "revoke", listed.splitlines()[1].split()[0])
        assert run("check", "--base-url", base_url, key=key.strip())[0] == 1


def test_an_organisation_is_copied_from_another_server(run, tiny, tmp_path):
    db = ["serve", "--db", f"sqlite:///{tmp_path}/copy.db"]
    run(*db, "orgs", "create", "Copy")
    code, out, _ = run(
        *db, "import", "--org", "Copy", "--from-api", tiny.base_url, key=tiny.api_key
    )
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["3", "equipment"],
        ["5", "flights"],
        ["7", "flight_equipment"],
        ["3", "projects"],
        ["2", "services"],
    ]
    store = Store(f"sqlite:///{tmp_path}/copy.db")
    key = store.create_key("Copy", name="look")
    with running(create_app(store)) as base_url:
        for table in ("flights", "flight_equipment", "projects", "tiers", "specifications"):
            original, copied = (
                getattr(fk.connect(url, secret), table)()
                for url, secret in ((tiny.base_url, tiny.api_key), (base_url, key))
            )
            order = list(original.columns[:3])
            pd.testing.assert_frame_equal(
                *(each.sort_values(order, ignore_index=True) for each in (original, copied))
            )


def test_the_dials_are_listed_with_the_sentence_that_leaves_them_open(run):
    out = run("serve", "--dials")[1]
    assert "page_past_end = empty\n    settings: empty, 400, 404\n" in out
    assert "4.4.6: behaviour for a page past the last page" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--dial", "page_past_end=teapot"], "Settings: empty, 400, 404"),
        (["--dial", "no_such=1"], "There is no dial 'no_such'"),
        (["--dial", "latency"], "name=value"),
        (["--db", "oracle://x"], "sqlite:///fleet.db"),
        (["import", "--org", "Nobody", "no_such_folder"], "no_such_folder"),
        (["import", "--org", "Nobody"], "one of them"),
        (["keys", "create", "--org", "Nobody", "--name", "x"], "Nobody"),
        (["keys", "revoke", "fk_none"], "fk_none"),
    ],
)
def test_a_wrong_option_of_serve_is_one_clear_line(run, arguments, says):
    code, _, err = run("serve", *arguments)
    assert (code, len(err.splitlines())) == (1, 1)
    assert says in err
