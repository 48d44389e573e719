"""``fleetkit serve``: its output, the next command, and who may read the database."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import threading
from codecs import BOM_UTF8

import pytest
import requests
from conftest import a_flight
from hostile import hostile, page, reply

import fleetkit as fk
from fleetkit import cli, credentials
from fleetkit.cli import copying, serving
from fleetkit.cli.databases import Database
from fleetkit.errors import InvalidValue
from fleetkit.server import Store, create_app
from fleetkit.server.asgi import app_from_environment
from fleetkit.server.running import running

UMASK = 0o022


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """Work in an empty folder, with the mask that most users have."""
    monkeypatch.chdir(tmp_path)
    for name in [variable for variable in os.environ if variable.startswith("FLEETKIT_")]:
        monkeypatch.delenv(name)
    before = os.umask(UMASK)
    yield tmp_path
    os.umask(before)


@pytest.fixture
def serve(capsys):
    """Return a function that runs ``fleetkit serve``: exit code, stdout and stderr as lines."""

    def serve(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["serve", *arguments])
        printed = capsys.readouterr()
        return ended.value.code, printed.out.splitlines(), printed.err.splitlines()

    return serve


def started(*arguments):
    """Return a server in a process of its own, and what it prints until it accepts requests."""
    command = [sys.executable, "-m", "fleetkit", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    lines = []
    while not lines or "fleetkit check" not in lines[-1]:
        line = process.stdout.readline()
        if not line:
            break
        lines.append(line.strip())
    return process, lines


def ended(process):
    """Stop a server; return what it printed on stderr."""
    process.terminate()
    return process.communicate(timeout=30)[1].splitlines()


# -- the next command ------------------------------------------------------------------------


def test_each_step_ends_with_the_next_one(serve, folder):
    (folder / "in").mkdir()
    (folder / "in" / "equipment.csv").write_text("id\neq_1\n")
    assert serve("orgs", "create", "Ada's fleet")[2] == [
        """Next: fleetkit serve import --org 'Ada'"'"'s fleet' FOLDER"""
    ]
    assert serve("import", "--org", "Ada's fleet", "in")[2] == [
        """Next: fleetkit serve keys create --org 'Ada'"'"'s fleet' --name NAME"""
    ]
    _, out, err = serve("keys", "create", "--org", "Ada's fleet", "--name", "k")
    assert (len(out), out[0][:3], err[-1]) == (1, "fk_", "Next: fleetkit serve")
    assert serve("import", "--org", "Ada's fleet", "in")[2] == ["Next: fleetkit serve"]


def test_filling_a_database_with_the_demo_ends_with_the_command_that_serves_it(serve):
    code, out, err = serve("demo", "--flights", "20", "--equipment", "16")
    assert (code, len(out)) == (0, 1)
    assert out[0].startswith("fk_")
    assert err[-1] == "Next: fleetkit serve"


def test_the_demo_in_a_database_has_the_name_and_the_seed_that_are_given(serve):
    invented = []
    for name, seed in (("A", "7"), ("B", "7"), ("C", "8")):
        size = ("--flights", "1", "--equipment", "16", "--seed", seed)
        key = serve("demo", "--org", name, *size)[1][0]
        with Store("sqlite:///fleet.db").reading() as reader:
            owner = reader.authenticate(key).organisation
            invented.append(reader.page("equipment", owner, page=1, limit=16).documents)
    assert invented[0] == invented[1] != invented[2]
    assert [line.split()[1] for line in serve("orgs", "list")[1][1:]] == ["A", "B", "C"]


def test_the_next_command_is_about_the_same_database_and_can_be_typed(serve):
    _, _, err = serve("--db", "sqlite:///my fleet.db", "orgs", "create", "A")
    assert shlex.split(err[-1])[1:5] == ["fleetkit", "serve", "--db", "sqlite:///my fleet.db"]


def test_an_organisation_that_is_not_there_is_not_to_be_made_in_another_database(serve):
    database = ("--db", "sqlite:///other.db")
    _, _, err = serve(*database, "keys", "create", "--org", "A", "--name", "k")
    advice = "There is none yet; the command orgs create NAME makes one."
    assert err == [f"fleetkit: There is no organisation 'A'. {advice}"]
    serve(*database, "orgs", "create", "A")
    assert serve(*database, "keys", "create", "--org", "A", "--name", "k")[0] == 0


def test_a_database_from_the_environment_is_not_in_the_next_command(serve, monkeypatch):
    monkeypatch.setenv("FLEETKIT_SERVER_DB", "sqlite:///other.db")
    assert serve("orgs", "create", "A")[2] == ["Next: fleetkit serve import --org A FOLDER"]


def test_flights_that_no_list_shows_are_counted_and_a_copy_needs_a_key(serve, folder):
    serve("orgs", "create", "A")
    (folder / "in").mkdir()
    (folder / "in" / "flights.jsonl").write_text(json.dumps(a_flight("fl_1", "2026-10-01")))
    _, out, err = serve("import", "--org", "A", "in")
    assert (out, err[0]) == (
        ["         1 flights"],
        "Flights without equipment, which no list shows: 1; import flight_equipment, too.",
    )
    copied = serve("import", "--org", "A", "--from-api", "http://127.0.0.1:9")
    assert (copied[0], copied[1]) == (1, [])
    assert copied[2] == [
        "fleetkit: There is no API key for http://127.0.0.1:9. fleetkit setup asks for it and "
        "stores it; or set FLEETKIT_API_KEY. Keys are made in the service's dashboard."
    ]


def test_a_copy_needs_no_other_key_than_the_one_stored_for_its_server(serve, tiny, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    credentials.store(tiny.base_url, tiny.api_key, in_file=True)
    serve("orgs", "create", "A")
    code, out, _ = serve("import", "--org", "A", "--from-api", tiny.base_url)
    assert (code, out[0]) == (0, "         3 equipment")


def test_an_address_to_copy_from_is_refused_as_that_of_any_command_is(serve):
    wrong = "fleetkit: The base URL is not an http(s) address. Write it as https://api.example.com."
    assert serve("import", "--org", "A", "--from-api", "ftp://x") == (2, [], [wrong])


def test_a_key_is_listed_with_the_day_on_which_it_ends(serve):
    serve("orgs", "create", "A")
    serve("keys", "create", "--org", "A", "--name", "k", "--expires", "2027-03-31")
    assert "2027-03-31 00:00" in serve("keys", "list")[1][1]


def test_times_of_keys_are_listed_in_utc_and_the_help_says_so(serve):
    serve("orgs", "create", "A")
    expires = ("--expires", "2027-03-31T23:00+05:00")
    serve("keys", "create", "--org", "A", "--name", "k", *expires)
    assert "2027-03-31 18:00" in serve("keys", "list")[1][1]
    for command in ("keys", "orgs"):
        assert "All times are in UTC." in " ".join(serve(command, "list", "--help")[1])


def test_keys_are_listed_of_one_organisation_with_the_scopes_that_they_were_given(serve):
    for name, scopes in (("A", ["--scope", "service:read", "--scope", "project:read"]), ("B", [])):
        serve("orgs", "create", name)
        serve("keys", "create", "--org", name, "--name", "k", *scopes)
    _, line = serve("keys", "list", "--org", "A")[1]
    assert line.split()[1:5] == ["A", "k", "service:read", "project:read"]
    assert len(serve("keys", "list")[1]) == 3


def test_a_name_controls_no_terminal_and_takes_one_line_of_a_list(serve):
    _, _, err = serve("orgs", "create", "A\n\x1b]0;title\x07")
    assert err == [r"Next: fleetkit serve import --org $'A\012\033]0;title\007' FOLDER"]
    (_, line) = serve("orgs", "list")[1]
    assert r"A \x1b]0;title\x07" in line


def test_a_key_that_has_ended_already_is_made_with_a_word(serve):
    serve("orgs", "create", "A")
    made = serve("keys", "create", "--org", "A", "--name", "k", "--expires", "2020-01-01")
    assert made[2][0] == "The key has expired already: --expires 2020-01-01 lies in the past."


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ada:secret@db.example/fleet", "…"),
        ("postgresql://db.example/?password=secret", "…"),
        ("postgresql://db.example/?oauth_client_secret=secret", "…"),
        ("postgresql://ada@db.example/fleet", "postgresql://ada@db.example/fleet"),
    ],
)
def test_a_secret_of_a_database_is_not_in_the_next_command(address, shown):
    database = Database(address, mode=None, is_given=True)
    assert database.command("orgs", "list") == f"fleetkit serve --db {shown} orgs list"


@pytest.mark.slow
def test_serving_says_what_is_missing_and_how_to_look():
    process, lines = started()
    base_url = lines[0].split()[2].rstrip(";")
    assert requests.get(base_url, timeout=20).status_code == 200
    assert lines[-1].endswith(f"FLEETKIT_API_KEY: fleetkit check --base-url {base_url}")
    assert ended(process) == [
        "The database has no organisation yet: fleetkit serve orgs create NAME"
    ]


@pytest.mark.slow
def test_serving_without_a_key_says_how_to_make_one(serve):
    serve("orgs", "create", "A")
    process, _ = started()
    assert ended(process) == [
        "There is no API key yet: fleetkit serve keys create --org A --name NAME"
    ]


@pytest.mark.slow
def test_the_demo_says_how_to_look_at_it():
    size = ("--flights", "20", "--equipment", "16")
    process, lines = started("--demo", *size, "--host", "localhost")
    base_url, key = (line.rpartition(" ")[2] for line in lines[:2])
    answer = requests.get(f"{base_url}/v1/equipment", headers={"X-API-Key": key}, timeout=20)
    assert ended(process) == []
    assert answer.json()["meta"]["pagination"]["total"] == 16
    assert base_url.startswith("http://localhost:")
    assert lines[-1].endswith(
        f"with that key in FLEETKIT_API_KEY: fleetkit check --base-url {base_url}"
    )


@pytest.mark.parametrize(
    ("served", "command"),
    [
        ("http://127.0.0.1:8000", "fleetkit check --base-url http://127.0.0.1:8000"),
        ("http://0.0.0.0:8000", "fleetkit check --base-url http://127.0.0.1:8000"),
        ("http://[::]:8000", "fleetkit check --base-url http://[::1]:8000"),
        ("http://192.0.2.1:8000", "fleetkit check --base-url http://192.0.2.1:8000 --allow-http"),
    ],
)
def test_the_next_command_reads_a_server_that_others_can_reach_too(served, command):
    assert serving._next_step(served, "a key").endswith(
        f"with a key in FLEETKIT_API_KEY: {command}"
    )


# -- who may read ----------------------------------------------------------------------------


def modes(folder):
    """Return the permissions of each file of the database, by the end of its name."""
    return {
        path.name.removeprefix("fleet.db"): stat.S_IMODE(path.stat().st_mode)
        for path in folder.glob("fleet.db*")
    }


def test_a_new_database_is_readable_by_its_owner_only(folder):
    store = Store("sqlite:///fleet.db")
    store.create_organisation("A")
    assert modes(folder) == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    store.close()


def test_a_given_mode_is_set_for_new_and_for_existing_databases(serve, folder):
    serve("--db-mode", "640", "orgs", "create", "A")
    assert modes(folder)[""] == 0o640
    store = Store("sqlite:///fleet.db")
    store.create_organisation("B")
    assert set(modes(folder).values()) == {0o640}
    serve("--db-mode", "600", "orgs", "list")
    assert set(modes(folder).values()) == {0o600}
    store.close()


def test_the_mode_of_an_existing_database_does_not_change(serve, folder):
    serve("orgs", "create", "A")
    (folder / "fleet.db").chmod(0o660)
    serve("orgs", "create", "B")
    assert modes(folder)[""] == 0o660


@pytest.mark.parametrize("mode", ["999", "rw", "0o600", "-1", "77777"])
def test_what_is_not_a_mode_is_one_clear_line(serve, mode):
    code, _, err = serve("--db-mode", mode, "orgs", "list")
    assert (code, len(err)) == (2, 1)
    assert "such as 640" in err[0]


def test_only_a_file_has_a_mode(serve):
    address = "postgresql+psycopg://ada@db.example/fleet"
    _, _, err = serve("--db", address, "--db-mode", "600", "keys", "list")
    assert err == ["fleetkit: Only the file of a SQLite database has a mode."]


@pytest.mark.parametrize(
    "address", ["sqlite://", "sqlite:///:memory:", "sqlite:///x?mode=memory&uri=true"]
)
def test_a_database_that_ends_with_the_command_is_refused(serve, address):
    code, out, err = serve("--db", address, "orgs", "create", "A")
    assert (code, out, len(err)) == (2, [], 1)
    assert "is gone when the command ends. Name a file, such as sqlite:///fleet.db" in err[0]


def test_a_database_is_open_to_others_where_its_file_lets_any_user_read(serve, folder):
    serve("orgs", "create", "A")
    file = Database("sqlite:///fleet.db", mode=None, is_given=False)
    are_open = []
    for mode in (0o600, 0o640, 0o602, 0o604):
        (folder / "fleet.db").chmod(mode)
        are_open.append(file.is_open_to_others())
    in_memory = Database("sqlite://", mode=None, is_given=True)
    assert (are_open, in_memory.is_open_to_others()) == ([False, False, False, True], False)


@pytest.mark.slow
def test_a_database_that_others_can_read_is_said(serve, folder):
    serve("orgs", "create", "A")
    (folder / "fleet.db").chmod(0o644)
    process, _ = started()
    assert "--db-mode 600 ends that" in ended(process)[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "is_told"),
    [("0.0.0.0", True), ("127.1.2.3", False)],  # noqa: S104
)
def test_serving_at_a_public_address_warns_that_it_is_unencrypted(host, is_told):
    process, _ = started("--demo", "--flights", "20", "--equipment", "16", "--host", host)
    errors = ended(process)
    assert [("unencrypted" in line, "docs/guide/server.md" in line) for line in errors] == [
        (True, True)
    ] * is_told


# -- dials, limits, failures -----------------------------------------------------------------


def test_the_limits_are_listed_with_what_they_mean(serve):
    _, out, _ = serve("--list-limits")
    assert out[:3] == [
        "header_bytes = 16384",
        "    settings: bytes, 512 … 1000000000",
        "    limits: longest address and headers of a request",
    ]
    assert len(out) == 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set-limit", "connections=0"], "Limit connections = 0 is not valid. Settings: 1 …"),
        (["--set-limit", "colour=1"], "There is no limit 'colour'"),
        (["--set-limit", "connections"], "'connections' is not a limit. Write name=value."),
        (["--set-limit", "connections=1", "--set-limit", "connections=2"], "given twice"),
        (["--set-limit", "connections=1,connections=2"], "given twice"),
        (["--set-dial", "latency=nan"], "Dial latency = nan is not valid"),
        (["--set-dial", "latency=inf"], "Dial latency = inf is not valid"),
        (["--set-dial", "window=1e12"], "Dial window"),
        (["--set-dial", "seed=1.5"], "Dial seed = '1.5' is not valid"),
        (["--set-dial", "seed=-1"], "a whole number, 0 … 1000000000000"),
        (["--set-dial", "latency=1", "--set-dial", "latency=2"], "given twice"),
    ],
)
def test_a_wrong_limit_or_dial_is_one_clear_line(serve, arguments, message):
    code, _, err = serve(*arguments)
    assert (code, len(err)) == (2, 1)
    assert message in err[0]


@pytest.mark.parametrize("name", ["DIALS", "LIMITS"])
def test_a_wrong_dial_or_limit_of_the_environment_is_named_with_its_variable(
    serve, monkeypatch, name
):
    monkeypatch.setenv(f"FLEETKIT_SERVER_{name}", "colour = red")
    says = f"FLEETKIT_SERVER_{name}: There is no {name.lower()[:-1]} 'colour'. "
    code, _, err = serve("--demo")
    assert (code, len(err)) == (2, 1)
    assert says in err[0]
    with pytest.raises(InvalidValue, match=f"^{says}"):
        app_from_environment.__wrapped__()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--demo", "--db", "sqlite:///a.db"],
            "--db changes nothing here: it goes with a database",
        ),
        (["--demo", "--workers", "2"], "--workers changes nothing here"),
        (["--flights", "9"], "--flights changes nothing here: it goes with --demo"),
        (
            ["--flights", "9", "demo", "--org", "Nordic"],
            "--flights changes nothing here: options of demo stand behind it.",
        ),
        (
            ["--demo", "orgs", "list"],
            "--demo changes nothing here: options of orgs stand behind it.",
        ),
    ],
)
def test_an_option_of_the_other_kind_of_organisation_is_refused(serve, arguments, message):
    code, _, err = serve(*arguments)
    assert (code, len(err)) == (2, 1)
    assert message in err[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "70000"], "'70000' is not a whole number from 0 to 65535."),
        (["--port", "-1"], "'-1' is not a whole number from 0 to 65535."),
        (["--workers", "0"], "'0' is not a whole number from 1 to 1000."),
        (["demo", "--flights", "1e6"], "'1e6' is not a whole number."),
        (["--port", "9" * 10_000], f"'{'9' * 59}…' is not a whole number from 0 to 65535."),
    ],
)
def test_a_number_out_of_range_is_refused_in_words(serve, arguments, says):
    code, _, err = serve(*arguments)
    assert code == 2
    assert says in err[-1]


def test_help_names_the_variables_that_options_are_read_from(serve):
    code, out, _ = serve("--help")
    named = {variable for line in out for variable in re.findall(r"FLEETKIT_\w+", line)}
    assert (code, named) == (0, {f"FLEETKIT_SERVER_{name}" for name in ("DB", "DIALS", "LIMITS")})


def test_serve_invents_the_organisation_that_fk_demo_does():
    defaults = {option.name: option.default for option in serving.serve.params}
    for name in ("equipment", "flights", "seed"):
        assert defaults[name] == inspect.signature(fk.demo).parameters[name].default


def test_help_says_which_options_go_with_the_demo(serve):
    words = " ".join(" ".join(serve("--help")[1]).split())
    for about in ("Pieces of equipment", "Flights", "A different seed gives a different fleet"):
        assert f"{about}, with --demo." in words


@pytest.mark.slow
def test_limits_come_from_the_environment_and_from_the_command_line(monkeypatch):
    monkeypatch.setenv("FLEETKIT_SERVER_LIMITS", "header_bytes=600,body_bytes=10")
    monkeypatch.setenv("FLEETKIT_SERVER_DIALS", "error_layout=flat")
    demo = ("--demo", "--flights", "20", "--equipment", "16")
    for arguments, expected in (((), 413), (("--set-limit", "body_bytes=20"), 200)):
        process, lines = started(*demo, *arguments)
        answer = requests.get(lines[0].rpartition(" ")[2], data=b"x" * 15, timeout=20)
        assert answer.status_code == expected
        if expected == 413:
            assert answer.json()["code"] == "CONTENT_TOO_LARGE"
        ended(process)


@pytest.mark.slow
def test_failures_while_serving_are_logged_also_without_a_terminal():
    store = Store("sqlite:///fleet.db")
    key = store.create_key(store.create_organisation("A"), name="k")
    process, lines = started()
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE services")
    base_url = lines[0].split()[2].rstrip(";")
    answer = requests.get(f"{base_url}/v1/services", headers={"X-API-Key": key}, timeout=20)
    assert answer.status_code == 500
    log = ended(process)
    assert "ERROR /v1/services failed" in log[0]
    assert key not in "\n".join(log)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"id": "eq_1", "name": "\\ud800"}', "other server can't be read: JSON is malformed"),
        ('{"id": "eq_1", "createdAt": "yesterday"}', "createdAt = 'yesterday' is not an ISO 8601"),
        ('{"id": "eq/1"}', "'eq/1' is not a valid id."),
        ('{"id": "eq_1", "a": 1, "a": 2}', "fleetkit: Record eq_1: a is given twice, as 1"),
        ('{"id": "eq_1", "a": ' + "[" * 2_000 + "]" * 2_000 + "}", "values are nested too deeply"),
    ],
)
def test_records_of_another_server_that_cannot_be_stored_are_one_clear_line(
    serve, monkeypatch, record, message
):
    def answer(request):
        meta = b'{"pagination":{"page":1,"limit":100,"total":1,"hasMore":false}}'
        return reply(b'{"success":true,"data":[' + record.encode() + b'],"meta":' + meta + b"}")

    monkeypatch.setattr("fleetkit.client.retry.BASE", 0)  # no wait between attempts
    monkeypatch.setenv("FLEETKIT_API_KEY", "fk_key")
    serve("orgs", "create", "A")
    with hostile(answer) as other:
        code, _, err = serve("import", "--org", "A", "--from-api", other.base_url)
    assert (code, len(err)) == (1, 1)
    assert message in err[0]
    assert "Unexpected" not in err[0]


@pytest.mark.slow
@pytest.mark.parametrize("late", ["eq_1", "eq_2"])
def test_of_a_flight_of_two_pieces_the_newest_copy_is_copied_whichever_arrives_last(
    serve, monkeypatch, late
):
    # All of it begins with a byte order mark, as some services send it.
    copies = {
        "eq_1": a_flight("fl_1", "2026-10-05", durationSeconds=60, updatedAt="2026-10-06"),
        "eq_2": a_flight("fl_1", "2026-10-05", durationSeconds=90, updatedAt="2026-10-07"),
    }

    def answer(request):
        piece = request.path.split("/")[-2] if request.path.endswith("/flights") else ""
        is_equipment = request.path.endswith("/equipment")
        rows = [copies[piece]] if piece else [{"id": id_} for id_ in copies if is_equipment]
        body = BOM_UTF8 + json.dumps(page(request, rows)).encode()
        return [0.5, reply(body)] if piece == late else reply(body)

    monkeypatch.setenv("FLEETKIT_API_KEY", "fk_key")
    serve("orgs", "create", "A")
    with hostile(answer) as other:
        code, out, err = serve("import", "--org", "A", "--from-api", other.base_url)
    counts = [line.split() for line in out[1:3]]
    assert (code, counts) == (0, [["1", "flights"], ["2", "flight_equipment"]]), err
    store = Store("sqlite:///fleet.db")
    with running(create_app(store)) as url:
        fleet = fk.connect(url, store.create_key("A", name="look"), progress=False)
        assert fleet.flights()["duration_seconds"].tolist() == [90]
        assert fleet.flight_equipment()["equipment_id"].tolist() == ["eq_1", "eq_2"]


def test_of_equally_new_copies_that_of_the_first_piece_is_copied_whichever_arrives_first():
    flight = a_flight("fl_1", "2026-10-05")
    stored = {}
    arrived = [len([*copying._newer([flight], f"eq_{piece}", stored)]) for piece in (2, 1, 3)]
    assert arrived == [1, 1, 0]


def test_an_organisation_is_copied_with_the_header_that_the_settings_name(serve, monkeypatch):
    requests = []

    def answer(request):
        requests.append(request)
        meta = b'{"pagination":{"page":1,"limit":100,"total":0,"hasMore":false}}'
        return reply(b'{"success":true,"data":[],"meta":' + meta + b"}")

    monkeypatch.setenv("FLEETKIT_API_KEY", "fk_key")
    monkeypatch.setenv("FLEETKIT_AUTH", "Bearer")
    serve("orgs", "create", "A")
    with hostile(answer) as other:
        assert serve("import", "--org", "A", "--from-api", other.base_url)[0] == 0
    assert len(requests) == 3  # equipment, projects, services
    assert {request.headers["authorization"] for request in requests} == {"Bearer fk_key"}
    assert not any("x-api-key" in request.headers for request in requests)


def test_an_unencrypted_copy_from_another_machine_is_asked_for(serve, monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0)  # no wait between attempts
    monkeypatch.setenv("FLEETKIT_API_KEY", "fk_key")
    serve("orgs", "create", "A")
    copied = ("import", "--org", "A", "--from-api", "http://fleet.invalid")
    assert "add --allow-http to allow it" in serve(*copied)[2][0]
    assert "add --allow-http to allow it" not in serve(*copied, "--allow-http")[2][0]


def test_a_locked_database_is_one_clear_line(serve, folder):
    import sqlite3

    serve("orgs", "create", "A")
    (folder / "in").mkdir()
    (folder / "in" / "equipment.csv").write_text("id\neq_1\n")
    locked, released = threading.Event(), threading.Event()

    def hold():
        connection = sqlite3.connect(folder / "fleet.db", isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        locked.set()
        released.wait()
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    locked.wait()
    db = "sqlite:///fleet.db?timeout=0.05"
    code, _, err = serve("--db", db, "import", "--org", "A", "in")
    released.set()
    thread.join()
    assert (code, len(err)) == (1, 1)
    assert "database is locked" in err[0]
    assert "try again" in err[0]
