"""The command line: what a user types, reads and gets back as exit code."""

import contextlib
import http.server
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import click
import pandas as pd
import pytest
from manual import MANUAL
from processes import no_thread

import fleetkit as fk
from fleetkit import interrupts
from fleetkit.cli import results, streams
from fleetkit.cli.program import cli as program
from fleetkit.server import Store, create_app
from fleetkit.server.running import running

KEYS = {"command", "state", "exit_code", "paths", "counts", "notices", "error"}
HTML = b"<html><body>Welcome to the hotel's network. Please log in.</body></html>"


@pytest.fixture
def run(run):
    """Return a function that runs the command line with a key."""
    return partial(run, key="fk_key")


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
        "  equipment:read  yes: 3 pieces of equipment",
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
    assert "fleetkit setup" in (text := run(*command)[2])
    assert "FLEETKIT_BASE_URL" in text
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
        (["--month", "2026-13"], "'2026-13' is not a valid period"),
        (["--month", "October"], "'October' is not a valid period"),
        (["--since", "2026-10-01"], "go together"),
        (
            ["--since", "2026-10-02", "--until", "2026-10-01"],
            "lie after --since 2026-10-02",
        ),
        (["--period", "2026-Q5"], "'2026-Q5' is not a valid period"),
        (["--month", "2026-10", "--since", "2026-10-02"], "exclude each other"),
        (["--period", "2026-Q4", "--until", "2026-10-02"], "exclude each other"),
        (["--month", "2026-10", "--period", "2026-09"], "one period at a time"),
        (["--filter", "colour=red"], "is not a filter"),
        (["--filter", "status=SOLD"], "is not a project status"),
        (["--max-age", "soon"], "is not an age"),
        (["--tz", "Mars/Base"], "is not a time zone"),
        (["--tz", "x" * 5_000], "Write an IANA name such as Europe/London."),
        (["--lang", "xx"], "There is no language 'xx'"),
        (["--concurrency", "0"], "--concurrency"),
        (["--format", "docx", "--base-url", "http://127.0.0.1:9"], "docx"),
        (["--out", "s3://bucket/reports", "--base-url", "http://127.0.0.1:9"], "s3://bucket"),
        (["--accessible", "--format", "html", "--base-url", "http://127.0.0.1:9"], "--accessible"),
        (["--format", "docx", "--format", "pdf", "--base-url", "http://127.0.0.1:9"], "docx"),
        (["--config", "none.toml"], "none.toml can't be read"),
        (
            ["--demo", "--base-url", "http://127.0.0.1:9"],
            "--demo and --base-url exclude each other",
        ),
    ],
)
def test_an_option_of_report_that_cannot_be_read_is_one_line_and_exit_code_2(run, options, says):
    code, _, err = run("report", *options)
    assert (code, len(err.splitlines())) == (2, 1)
    assert says in err


def test_a_mirror_and_an_address_are_not_checked_both(run):
    code, _, err = run("check", "--mirror", "mirror", "--base-url", "http://127.0.0.1:9")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "--mirror and --base-url exclude each other" in err


@pytest.mark.parametrize("command", ["check", "sync mirror", "export", "explore"])
def test_a_wrong_zone_and_a_missing_file_end_every_command_alike(run, command):
    wrong = [["--config", "none.toml"]]
    wrong += [] if command == "check" else [["--tz", "Mars/Base"]]
    assert [run(*command.split(), *options)[0] for options in wrong] == [2] * len(wrong)


def test_a_mirror_that_is_not_there_is_one_clear_line(run):
    code, _, err = run("report", "--mirror", "no/such/mirror")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "no/such/mirror" in err


def test_a_comma_behind_the_last_name_of_an_option_names_nothing_more(run):
    mirror = ["report", "--mirror", "no/such/mirror"]
    code, _, err = run(*mirror, "--format", "html, pdf,")
    assert (code, "no/such/mirror" in err) == (1, True)  # not a word on formats
    code, _, err = run(*mirror, "--format", ",")
    assert (code, "Nothing is not a format of a report" in err) == (2, True)


def test_a_setting_in_a_file_that_cannot_be_right_is_no_error_of_the_command_line(run, tmp_path):
    (tmp_path / "own.toml").write_text('tz = "Mars/Base"')
    assert run("report", "--config", "own.toml")[0] == 1


def test_an_output_folder_that_cannot_be_written_is_refused_first(run, tmp_path):
    (tmp_path / "reports").write_text("a file stands where the folder should be")
    code, _, err = run("report", "--base-url", "http://127.0.0.1:9", "--month", "2026-10")
    assert (code, err) == (
        1,
        "fleetkit: The report can't be written to reports/2026-10: Not a directory. "
        "Choose another folder with --out.\n",
    )
    code, _, err = run("export", "--demo", "--tables", "services", "--out", "reports")
    assert (code, err) == (
        1,
        "fleetkit: reports/services.csv can't be written: Not a directory. "
        "Choose another folder.\n",
    )


def test_debug_shows_the_traceback_and_keeps_the_exit_code(run):
    code, _, err = run("report", "--month", "2026-13", "--debug")
    lines = err.splitlines()
    assert (code, lines[0]) == (2, "Traceback (most recent call last):")
    assert lines[-2].startswith("fleetkit.errors.InvalidValue: '2026-13'")
    assert lines[-1].startswith("fleetkit: '2026-13'")


@pytest.mark.slow
def test_sync_writes_a_mirror_and_says_what_changed(run, tiny, tmp_path):
    code, out, _ = run("sync", "mirror", "--base-url", tiny.base_url, key=tiny.api_key)
    said = re.findall("^  flights +(.*)$", out, re.MULTILINE)
    assert (code, said) == (0, ["5 rows: 5 new"])
    assert len(fk.open_mirror(tmp_path / "mirror").flights()) == 5


@pytest.mark.parametrize(
    ("words", "hook", "expected"),
    [
        (["python", "-m", "fleetkit"], signal.default_int_handler, interrupts.end),
        (["python", "-m", "pytest"], signal.default_int_handler, signal.default_int_handler),
        # As nohup and the jobs of a shell's background ignore it.
        (["python", "-m", "fleetkit"], signal.SIG_IGN, signal.SIG_IGN),
    ],
)
def test_an_interrupt_ends_the_command_line_while_it_loads_unless_it_is_ignored(
    monkeypatch, words, hook, expected
):
    monkeypatch.setattr(sys, "orig_argv", words)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *interrupts.STOPS)}
    signal.signal(signal.SIGINT, hook)
    try:
        interrupts.watch()
        assert signal.getsignal(signal.SIGINT) == expected
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def test_a_job_that_is_stopped_while_the_command_line_loads_says_so_as_it_does_later():
    begins = "import os, signal, sys\nsys.orig_argv[1:] = ['-m', 'fleetkit']"
    for number in interrupts.STOPS:
        heeded = f"signal.signal({int(number)}, signal.SIG_DFL)"  # also by tests below nohup
        code = f"{begins}\n{heeded}\nimport fleetkit\nos.kill(os.getpid(), {int(number)})"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (ended.returncode, ended.stderr.decode()) == (
            130,
            "fleetkit: Interrupted; what was there before is unchanged.\n",
        )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no limit of processes")
def test_an_interrupt_by_a_library_that_can_start_no_thread_names_the_limit_of_processes():
    """OpenBLAS interrupts the process that loads it, and a user who did nothing is told why."""
    import resource

    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.getuid() == 0:  # who has no such limit
            os.setuid(65534)
        os.dup2(writes, 2)
        interrupts.end()
    os.close(writes)
    with os.fdopen(reads) as said:
        assert said.read() == (
            "fleetkit: No thread can be started. Raise the limit of processes (ulimit -u), or end "
            "some.\n"
        )
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_an_unexpected_error_names_the_limit_of_memory_that_may_be_its_reason(run, monkeypatch):
    resource = pytest.importorskip("resource", reason="this system has no such limit")
    before = resource.getrlimit(resource.RLIMIT_AS)

    def fail(**_):
        raise ImportError("failed to map segment from shared object")

    monkeypatch.setattr("fleetkit.fleet.connect", fail)
    resource.setrlimit(resource.RLIMIT_AS, (2**40, before[1]))  # more than anything takes
    try:
        err = run("check", "--base-url", "http://127.0.0.1:9")[2]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert err == (
        "fleetkit: Unexpected ImportError: failed to map segment from shared object. That may be "
        "for the limit of the address space (ulimit -v), 1,024.0 GiB: raise it to 4 GiB or more, "
        "or lift it. Add --debug for the traceback.\n"
    )


def test_a_thread_that_can_not_be_started_names_the_limit_of_processes(run, monkeypatch):
    monkeypatch.setattr("fleetkit.fleet.connect", lambda **_: no_thread(None))
    code, _, err = run("check", "--base-url", "http://127.0.0.1:9")
    assert (code, err.splitlines()) == (1, [f"fleetkit: {interrupts.NO_THREAD}"])


def test_help_lists_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    assert {"check", "serve", "sync", "report"} <= set(program.commands)
    assert [
        name for name in program.commands if not re.search(rf"^  {name} ", out, re.MULTILINE)
    ] == []


@pytest.mark.slow
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
        assert "  equipment:read  yes: 2 pieces of equipment" in checked[1].splitlines()
        serve("keys", "revoke", listed.splitlines()[1].split()[0])
        assert run("check", "--base-url", base_url, key=key.strip())[0] == 1


@pytest.mark.slow
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
                *(frame.sort_values(order, ignore_index=True) for frame in (original, copied))
            )


def test_the_dials_are_listed_with_the_sentence_that_leaves_them_open(run):
    out = run("serve", "--list-dials")[1]
    assert "page_past_end = empty\n    settings: empty, 400, 404\n" in out
    assert "4.4.6: behaviour for a page past the last page" in out


@pytest.mark.parametrize(
    ("arguments", "ends_with", "says"),
    [
        (["--db", "oracle://x"], 2, "sqlite:///fleet.db"),
        (["import", "--org", "Nobody", "no_such_folder"], 1, "no_such_folder"),
        (["keys", "create", "--org", "Nobody", "--name", "x"], 1, "Nobody"),
        (["keys", "revoke", "fk_none"], 1, "fk_none"),
    ],
)
def test_what_serve_can_not_do_is_one_clear_line(run, arguments, ends_with, says):
    code, _, err = run("serve", *arguments)
    assert (code, len(err.splitlines())) == (ends_with, 1)
    assert says in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["reprot"], "There is no command 'reprot'. Did you mean report? See: fleetkit --help"),
        (
            ["serve", "key"],
            "There is no command 'key'. Did you mean keys? See: fleetkit serve --help",
        ),
        (
            ["report", "--mont", "2026-10"],
            "There is no option --mont. Did you mean --month? See: fleetkit report --help",
        ),
        (["report", "--month"], "See: fleetkit report --help"),
        (["sync"], "Missing argument 'MIRROR'. See: fleetkit sync --help"),
        (["sync", "m", "--audit", "2"], "--audit"),
        (["sync", "m", "--audit", "nan"], "'nan' is not a finite number"),
        (["check", "--timeout", "inf"], "'inf' is not a number above 0, up to 86400."),
        (["check", "--auth", "fk_1"], "Invalid value for '--auth': it is not one of X-API-Key, B"),
        (["setup", "--auth", "fk_1"], "Invalid value for '--auth': it is not one of X-API-Key, B"),
        (["check", "--timeout", "0"], "'0' is not a number above 0, up to 86400."),
        (["check", "--timeout", "soon"], "--timeout"),
        (["report", "--month", ""], "Invalid value for '--period' / '--month': it is empty."),
        (["report", "--filter", " "], "Invalid value for '--filter': it is empty."),
        (["sync", ""], "Invalid value for 'MIRROR': it is empty."),
        (["serve", "orgs", "create", ""], "Invalid value for 'NAME': it is empty."),
        (["report", "--client", "\udcff"], "'--client': it is not a text in UTF-8."),
        (["serve", "--set-dial", "page_past_end=teapot"], "Settings: empty, 400, 404"),
        (["serve", "--set-dial", "no_such=1"], "There is no dial 'no_such'"),
        (["serve", "--set-dial", "latency"], "name=value"),
        (["serve", "--port", "65536"], "'--port'"),
        (["serve", "--workers", "0"], "'--workers'"),
        (["serve", "--workers", "1001"], "'1001' is not a whole number from 1 to 1000"),
        (["serve", "--db", "fleet"], "The database's address can't be used"),
        (["check", "--concurrency", "1001"], "'1001' is not a whole number from 1 to 1000"),
        (["serve", "--demo", "--equipment", "9"], "at least 16 pieces of equipment, 1 flight"),
        (["serve", "demo", "--flights", "0"], "at least 16 pieces of equipment, 1 flight"),
        (["serve", "demo", "--equipment", "99999999999"], "at most 100,000 pieces and 100,000,000"),
        (["serve", "import", "--org", "A"], "Write either a folder or --from-api URL. See:"),
        (["serve", "import", "--org", "A", "in", "--allow-http"], "--allow-http goes with --from"),
        (
            ["serve", "keys", "create", "--org", "A", "--name", "x", "--scope", "y"],
            "'project:read'",
        ),
        (["serve", "keys", "create", "--org", "A", "--name", "x", "--expires", "y"], "not a date"),
        (
            ["serve", "orgs", "create", "A", "--db", "sqlite://"],
            "--db is an option of fleetkit serve: write fleetkit serve --db … See:",
        ),
        (["check", "--base-url", "ftp://fleet"], "The base URL is not an http(s) address"),
        (["sync", "m", "--moved-to", "https://a@b"], "The base URL holds a user or password"),
        (["report", "--each", "client", "--mirror", "m", "--scheduler", "x"], "not the address of"),
        (["check", "--json", "--quiet"], "--json and --quiet exclude each other"),
    ],
)
def test_a_command_line_that_cannot_be_understood_is_one_line_and_exit_code_2(run, arguments, says):
    code, _, err = run(*arguments)
    assert (code, len(err.splitlines())) == (2, 1)
    assert err.startswith("fleetkit: ")
    assert says in err


def test_a_filter_that_ends_before_it_begins_cannot_be_understood_either(run, tiny):
    ends = ["--filter", "since=2026-11-01", "--filter", "until=2026-10-01"]
    for command in (["report", "--month", "2026-10"], ["export"]):
        code, _, err = run(*command, *ends, "--base-url", tiny.base_url, key=tiny.api_key)
        assert (code, len(err.splitlines())) == (2, 1)
        assert "lies after until=2026-10-01" in err


def test_fleetkit_alone_shows_its_help(run):
    code, _, err = run()
    assert code == 2
    assert "fleetkit report --demo" in err


@pytest.mark.parametrize("command", ["report", "export", "explore", "sync"])
def test_the_help_says_whose_time_zone_holds_where_none_is_given(run, command):
    words = " ".join(run(command, "--help")[1].split())
    assert "default: the setting tz, else that of the mirror, else UTC." in words


def test_the_help_of_an_option_names_the_setting_that_stands_in_for_it():
    settings = set(fk.settings.Settings.__dataclass_fields__)
    shown = {
        (command, option.name): option.help
        for command in ("setup", "check", "sync", "report", "export", "explore")
        for option in program.commands[command].params
        if option.name in settings
    }
    # Setup asks for the address; what counts for an explorer is chosen by its size.
    others = {("setup", "base_url"), ("explore", "engine")}
    assert {name for _, name in shown} == {
        *("base_url", "auth", "concurrency", "timeout", "tz", "lang", "organisation", "engine")
    }
    unsaid = {where for where, text in shown.items() if f"the setting {where[1]}" not in text}
    assert unsaid == others


def test_the_help_documents_exit_codes_and_completion(run):
    out = run("--help")[1]
    assert re.findall(r"^    (\d+) ", out, re.MULTILINE) == ["0", "1", "2", "3", "130"]
    assert "_FLEETKIT_COMPLETE=bash_source fleetkit" in out


def _groups(command, path):
    """Return the names that lead to each command with commands of its own."""
    if isinstance(command, click.Group):
        yield path
        for name, below in command.commands.items():
            yield from _groups(below, (*path, name))


def test_no_line_of_the_list_of_commands_is_cut(run):
    groups = [*_groups(program, ())]
    assert ("serve", "keys") in groups
    for group in groups:
        assert "..." not in run(*group, "--help")[1].replace("[ARGS]...", "")


def test_a_name_in_json_controls_no_terminal(capsys):
    results.show(
        results.Result("complete", [], details={"name": "Ås\x9b31m"}), results.Flags(json=True), []
    )
    out = capsys.readouterr().out
    assert (json.loads(out)["name"], '"Ås\\u009b31m"' in out) == ("Ås\x9b31m", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "own"),
    [
        (["check"], {"address", "scopes"}),
        (
            ["sync", "mirror"],
            {"version", "fetched_at", "requests", "fingerprint", "changes", "remarks"},
        ),
    ],
)
def test_json_prints_one_object_with_the_documented_keys(run, tiny, arguments, own):
    code, out, err = run(*arguments, "--json", "--base-url", tiny.base_url, key=tiny.api_key)
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert set(told) == KEYS | own
    assert [key for key in told if f"`{key}`" not in MANUAL] == []
    assert (told["command"], told["exit_code"], told["error"]) == (arguments[0], 0, None)
    assert (told["counts"]["equipment"], told["counts"]["projects"]) == (3, 3)


@pytest.mark.slow
def test_json_tells_whether_a_sync_changed_anything(run, tiny):
    sync = ["sync", "mirror", "--json", "--base-url", tiny.base_url]
    states = [json.loads(run(*sync, key=tiny.api_key)[1])["state"] for _ in range(2)]
    assert states == ["changed", "unchanged"]


def test_json_tells_which_scopes_a_key_has(run, tiny):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["service:read"])
    told = json.loads(run("check", "--json", "--base-url", tiny.base_url, key=key)[1])
    assert told["state"] == "partial"
    assert told["scopes"] == {
        "equipment:read": False,
        "project:read": False,
        "service:read": True,
    }


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["report", "--month", "2026-13"], 2, "InvalidValue"),
        (["sync", "mirror"], 1, "InvalidValue"),
        (["check", "--no-such"], 2, "NoSuchOption"),
    ],
)
def test_json_tells_of_a_failure_too(run, arguments, code, kind):
    ended, out, err = run(*arguments, "--json")
    told = json.loads(out)
    assert (ended, told["exit_code"], told["state"]) == (code, code, "failed")
    assert told["error"]["type"] == kind
    assert err == f"fleetkit: {told['error']['message']}\n"
    assert set(told) == KEYS


def test_quiet_prints_nothing_but_an_error(run, tiny):
    assert run("check", "--quiet", "--base-url", tiny.base_url, key=tiny.api_key) == (0, "", "")
    code, out, err = run("check", "--quiet", "--base-url", "ftp://x")
    assert (code, out, len(err.splitlines())) == (2, "", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("warm_kernels")
@pytest.mark.parametrize(
    ("options", "tz"),
    [
        ([], "Asia/Tokyo"),
        (["--tz", "UTC"], "UTC"),
        (["--tz", "Asia/Seoul"], "Asia/Seoul"),
    ],
)
def test_a_report_of_a_mirror_keeps_its_zone_unless_one_is_given(run, tiny, options, tz):
    tokyo = ["--tz", "Asia/Tokyo", "--base-url", tiny.base_url]
    run("sync", "mirror", *tokyo, key=tiny.api_key)
    report = ["report", "--mirror", "mirror", "--month", "2026-10", "--format", "html", "--json"]
    report += ["--sections", "pricing"]
    told = json.loads(run(*report, *options)[1])
    assert told["period"]["tz"] == tz


@pytest.mark.slow
@pytest.mark.usefixtures("warm_kernels")
def test_json_of_a_report_names_its_files_and_sections_and_the_readme_its_keys(run, tiny):
    words = ["--json", "--format", "html", "--month", "2026-10", "--base-url", tiny.base_url]
    sections = ["--sections", "pricing,equipment_condition"]
    code, out, err = run("report", *words, *sections, key=tiny.api_key)
    told = json.loads(out)
    assert (code, err, told["state"]) == (0, "", "complete")
    assert told["paths"] == {
        "html": "reports/2026-10/report.html",
        "pdf": None,
        "manifest": "reports/2026-10/manifest.json",
        "data": None,
    }
    assert all(Path(path).is_file() for path in told["paths"].values() if path)
    assert told["counts"] == {"sections": 2, "failed": 0, "left_out": 0}
    assert told["period"]["name"] == "2026-10"
    assert [key for key in told if f"`{key}`" not in MANUAL] == []


@pytest.mark.slow
@pytest.mark.usefixtures("warm_kernels")
def test_a_report_by_a_key_that_lacks_scopes_is_partial_and_counts_what_it_leaves_out(run, tiny):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["service:read"])
    words = ["--json", "--format", "html", "--month", "2026-10", "--base-url", tiny.base_url]
    told = json.loads(run("report", *words, "--allow-empty", key=key)[1])
    assert (told["state"], told["exit_code"]) == ("partial", 0)
    out = run("report", *words[1:], "--allow-empty", key=key)[1].splitlines()
    assert out[1] == "Left out: Flight hours; the key lacks the scope equipment:read."
    assert len(out) == 5
    assert told["counts"] == {"sections": 1, "failed": 0, "left_out": 4}


@pytest.mark.parametrize("error", [fk.FleetkitError("It failed"), fk.NothingToReport("Nobody")])
def test_an_error_ends_with_its_own_exit_code(run, monkeypatch, error):
    def fail(**_):
        raise error

    monkeypatch.setattr(fk.fleet, "connect", fail)
    code, out, err = run("check", "--json", "--base-url", "http://127.0.0.1:9")
    assert code == error.exit_code
    assert err == f"fleetkit: {error}\n"
    state = "nothing to report" if code == 3 else "failed"
    assert json.loads(out)["state"] == state


def test_messages_name_options_of_the_command_line(run):
    err = run("check", "--base-url", "http://fleet.example")[2]
    assert "--allow-http" in err
    assert "allow_http" not in err
    assert "fleetkit report --demo" in run("check")[2]


def test_messages_name_arguments_in_python(monkeypatch):
    monkeypatch.delenv("FLEETKIT_BASE_URL", raising=False)
    with pytest.raises(fk.InvalidValue, match=r"allow_http=True"):
        fk.connect("http://fleet.example", "fk_key")
    with pytest.raises(fk.InvalidValue, match=r"fk\.demo\(\)"):
        fk.connect(api_key="fk_key")


@pytest.mark.parametrize(("quiet", "said"), [(False, "fleetkit: Odd\n"), (True, "")])
def test_the_log_is_shown_unless_quiet(capsys, quiet, said):
    with streams._logging(everything=False, quiet=quiet):
        logging.getLogger("fleetkit.mirror").warning("Odd")
    assert capsys.readouterr().err == said
