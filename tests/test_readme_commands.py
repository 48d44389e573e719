"""Every command line of the README, the guides and the help runs as it stands."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from a_notebook import notebook
from manual import MANUAL

import fleetkit as fk
from fleetkit.cli.program import cli
from fleetkit.server.embedded import EmbeddedServer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]

FLEETKIT = str(Path(sys.executable).with_name("fleetkit"))
ORGANISATION = "Nordic Drone Services"
# What asks for more than this machine has: an object store, a PostgreSQL.
ELSEWHERE = ("s3://", "postgresql+psycopg://")
# What a user has and this machine doesn't; and sizes that a test needs no more of than this.
SMALLER = {
    "--flights 1000000": "--flights 1000",
    "--equipment 500": "--equipment 16",
    "--each client": "--each client --client 'Lumengrid Nett'",
}
# What test_explore_app.py starts, with an option or without; each start takes seconds.
STARTED_BY_ANOTHER = {
    "fleetkit explore --demo",
    "fleetkit explore --demo --link '?flights.night=true'",
}
# A section that counts flights, in no time: those of fleetkit are proven elsewhere.
COUNTS = (
    "import fleetkit as fk; print(len(fk.open_mirror(mirror, version=version).flights(period)))"
)


def lines_of_the_readme():
    """Return the command lines of the README's blocks, without their comments."""
    blocks = re.split(r"^```.*$", MANUAL, flags=re.MULTILINE)[1::2]
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("fleetkit ")]


def lines_of_the_help(command=cli):
    """Return the examples at the end of each command's help."""
    examples = [
        line.strip() for line in (command.epilog or "").splitlines() if "  fleetkit " in line
    ]
    for inner in getattr(command, "commands", {}).values():
        examples += lines_of_the_help(inner)
    return examples


@pytest.fixture(scope="module")
def service():
    """Serve an invented organisation that has flown in October 2026."""
    with EmbeddedServer(as_of=date(2026, 11, 20), equipment=32, flights=600) as server:
        yield server


@pytest.fixture(scope="module")
def mirror(service, tmp_path_factory):
    """Return a mirror of the service with one state."""
    path = tmp_path_factory.mktemp("synced") / "mirror"
    with fk.connect(service.base_url, service.api_key) as fleet:
        fleet.sync(path)
    return path


@pytest.fixture
def folder(mirror, tmp_path):
    """Return a user's folder with a mirror, with files to import and with a notebook."""
    shutil.copytree(mirror, tmp_path / "mirror")
    notebook(tmp_path / "counting", "counts", COUNTS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "equipment.csv").write_text("id,name\neq_1,Kestrel\n")
    return tmp_path


LINES = [
    line
    for line in dict.fromkeys([*lines_of_the_readme(), *lines_of_the_help()])
    if not any(other in line for other in ELSEWHERE) and line not in STARTED_BY_ANOTHER
]


def test_the_readme_and_the_help_hold_command_lines():
    assert len(lines_of_the_readme()) >= 20
    assert len(lines_of_the_help()) >= 10


def test_each_command_has_a_line_in_its_help_and_one_in_the_readme_or_a_guide():
    for lines in (lines_of_the_help(), lines_of_the_readme()):
        assert set(cli.commands) - {line.split()[1] for line in lines} == set()


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_runs_as_it_stands(line, service, folder, run, monkeypatch):
    for word, smaller in SMALLER.items():
        line = line.replace(word, smaller)
    line = line.replace("https://fleet.example", service.base_url).replace("8000", "0")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FLEETKIT_API_KEY", service.api_key)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    if "--mirror" not in line and "--base-url" not in line:
        monkeypatch.setenv("FLEETKIT_BASE_URL", service.base_url)
    if "--org" in line:
        run("serve", "orgs", "create", ORGANISATION)
    words = _short(shlex.split(line)[1:])
    if _is_server(words):
        _serve_until_told([FLEETKIT, *words])
        return
    # What asks for a key runs as a user's process does; the others spare loading everything anew.
    alone = words[0] == "setup"
    code, _, said = _ended([FLEETKIT, *words], service) if alone else run(*words)
    assert "Traceback" not in said, said
    assert code == 0, said


def _short(words):
    """Return the command; a report of our own section: the wheel's test makes a whole one.

    A server listens on a free port, and its page is opened by nobody.
    """
    if words[0] == "explore":
        return [*words, "--port", "0", "--no-open"]
    if _is_server(words) and "--port" not in words:
        return [*words, "--port", "0"]
    if words[0] != "report" or "--sections" in words or "--notebooks" in words:
        return words
    return [*words, "--notebooks", "counting", "--sections", "counts"]


def _is_server(words):
    """Whether a command serves until it is told to stop."""
    ends = {"--help", "--list-dials", "--list-limits", "orgs", "keys", "import", "demo"}
    return words[0] == "explore" or (words[0] == "serve" and not ends & set(words))


def _ended(command, service):
    """Run a process to its end, typing what `setup` asks for."""
    typed = f"\n{service.api_key}\n"
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _serve_until_told(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        lines = iter(child.stdout.readline, "")
        assert any("http://127.0.0.1:" in line for line in lines)
        child.send_signal(signal.SIGINT)
        child.stdout.read()
        assert child.wait(60) == 0
