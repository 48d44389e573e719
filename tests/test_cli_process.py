"""The command line as a process: what reaches stdout, stderr, a terminal, a pipe and the shell."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest
from a_notebook import notebook
from conftest import TINY, synced
from hostile import hostile, reply
from processes import children, left_of

from fleetkit.fleet.progress import DELAY
from fleetkit.reports.forking import CAN_FORK
from fleetkit.server.dials import Dials

pytestmark = pytest.mark.slow

FLEETKIT = str(Path(sys.executable).with_name("fleetkit"))
INTERRUPTED = "fleetkit: Interrupted; what was there before is unchanged.\n"


@pytest.fixture
def environ(tmp_path, monkeypatch):
    """Return a user's environment in an empty folder, without any setting of fleetkit."""
    monkeypatch.chdir(tmp_path)
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("FLEETKIT_")
    }
    return {**inherited, "FLEETKIT_API_KEY": "fk_key"}


def fleetkit(environ, *arguments, **more):
    """Run the command line to its end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environ}
    return subprocess.run([FLEETKIT, *arguments], check=False, **pipes | more)


def of(served, environ):
    """Return the environment of somebody who has a key to a server."""
    return {
        **environ,
        "FLEETKIT_BASE_URL": served.base_url,
        "FLEETKIT_API_KEY": served.api_key,
    }


def in_a_terminal(environ, *arguments, columns=80):
    """Run the command line in a terminal and return its exit code and all that is drawn."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [FLEETKIT, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    ) as child:
        os.close(theirs)
        drawn = b""
        while select.select([ours], [], [], 120)[0]:
            try:
                drawn += os.read(ours, 65536)
            except OSError:  # the terminal's other end is closed
                break
        os.close(ours)
        return child.wait(), drawn.decode()


def lines_left(drawn):
    """Return the lines that stay on a terminal: what was drawn over is gone."""
    lines = []
    for line in drawn.replace("\r\n", "\n").split("\n"):
        cells = ""
        for part in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).split("\r"):
            cells = part + cells[len(part) :]
        lines.append(cells.rstrip())
    return lines


@pytest.fixture
def slow_service(serve_records):
    """Serve three projects, and the flights of a camera, so slowly that a bar is worth while."""
    pairs = [(flight, piece) for flight, piece in TINY["flight_equipment"] if piece == "eq_camera"]
    camera = {"equipment": TINY["equipment"][1:2], "flight_equipment": pairs}
    return serve_records(TINY | camera, Dials(latency=0.6))


def test_a_report_from_cron_writes_nothing_to_stderr_though_the_service_is_slow(
    slow_service, environ
):
    command = ["report", "--month", "2026-10", "--concurrency", "1"]
    done = fleetkit(of(slow_service, environ), *command, "--sections", "pricing")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bar_in_a_terminal_names_what_is_counted_and_leaves_nothing(slow_service, environ):
    sync = ["sync", "mirror", "--concurrency", "1"]
    code, drawn = in_a_terminal(of(slow_service, environ), *sync)
    assert code == 0
    assert re.search(r"Reading details of projects: +\d+%\|.*\| 2/3 projects", drawn)
    assert re.match(r"Mirror .*/mirror: version 1 \(", "".join(lines_left(drawn)[:2]))


def test_a_bar_counts_the_sections_of_a_report(tiny, environ, tmp_path):
    for name, seconds in (("quick", 0), ("slow", 1.5 * DELAY)):  # a bar isn't drawn before that
        notebook(tmp_path / "own", name, f"import time; time.sleep({seconds})")
    report = ["report", "--month", "2026-10", "--notebooks", str(tmp_path / "own")]
    report += ["--sections", "quick,slow"]
    code, drawn = in_a_terminal(of(tiny, environ), *report, columns=120)
    assert code == 0
    assert re.search(r"Making the report: .*\d/2 sections", drawn)
    assert lines_left(drawn)[-3:] == [
        "reports/2026-10/report.html",
        "reports/2026-10/report.pdf",
        "",
    ]


def test_a_narrow_terminal_and_one_without_colours_get_the_same_words(tiny, environ):
    plain = {**of(tiny, environ), "NO_COLOR": "1", "TERM": "dumb"}
    code, drawn = in_a_terminal(plain, "check", columns=30)
    assert code == 0
    assert "\x1b" not in drawn
    assert "  equipment:read  yes: 3 pieces of equipment" in lines_left(drawn)


def test_quiet_draws_no_bar_in_a_terminal_either(slow_service, environ):
    sync = ["sync", "mirror", "--concurrency", "1", "--quiet"]
    assert in_a_terminal(of(slow_service, environ), *sync) == (0, "")


def test_notices_are_single_lines_on_stderr_and_in_the_json(serve_records, tiny_records, environ):
    tiny_records["projects"][0]["status"] = "SOLD"
    service = of(serve_records(tiny_records), environ)
    said = "status holds SOLD, which the reference doesn't know; kept, after the known values."
    done = fleetkit(service, "check", "--json")
    assert (done.returncode, done.stderr) == (0, f"fleetkit: note: {said}\n")
    assert f'"{said}"' in done.stdout
    assert fleetkit(service, "check", "--quiet").stderr == ""


def test_cron_hears_of_a_new_field_of_the_service_once(serve_records, tiny_records, environ):
    tiny_records["equipment"][0]["colour"] = "red"
    service = of(serve_records(tiny_records), environ)
    said = "fleetkit: note: Equipment.colour is not in the reference; kept as column colour.\n"
    runs = [["sync", "mirror"], ["sync", "mirror"], ["sync", "mirror", "--full"]]
    ended = [fleetkit(service, *run) for run in runs]
    assert [(done.returncode, done.stderr) for done in ended] == [(0, said), (0, ""), (0, "")]


def test_what_libraries_print_reaches_stderr_with_debug_alone(tiny, environ, tmp_path):
    # A library that prints below Python, as one written in C or Rust does.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, threading, warnings, logging\n"
        "class Noisy:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pyarrow.json':\n"
        "            os.write(2, b'native\\n')\n"
        "            warnings.warn('of a library')\n"
        "            logging.getLogger('library').warning('logged')\n"
        "            threading.Thread(target=lambda: 1 / 0).start()\n"
        "import sys; sys.meta_path.insert(0, Noisy())\n"
    )
    noisy = {**of(tiny, environ), "PYTHONPATH": str(tmp_path)}
    quiet = fleetkit(noisy, "check")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    told = fleetkit(noisy, "check", "--debug").stderr
    assert all(word in told for word in ("native", "of a library", "logged", "ZeroDivisionError"))


@pytest.mark.parametrize("command", [["sync", "mirror"], ["report"]])
def test_ctrl_c_while_the_service_is_silent_is_one_line_and_exit_code_130(environ, command):
    asked, over = threading.Event(), threading.Event()

    def silent(_):
        asked.set()
        over.wait()
        return reply({})

    with hostile(silent) as server, _started(environ, *command, base_url=server.base_url) as child:
        assert asked.wait(60)
        os.killpg(child.pid, signal.SIGINT)
        ended = (*child.communicate(timeout=60), child.returncode)
        over.set()
    assert ended == ("", INTERRUPTED, 130)
    assert not Path("mirror").exists()


_SWALLOWING = """
import os, signal, sys
class Finder:
    def find_spec(name, *_):
        if name == "{loaded}":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                {then}
sys.meta_path.insert(0, Finder)
from fleetkit.cli import main
main(["--version"])
"""


@pytest.mark.parametrize(
    ("loaded", "then"),
    [
        ("fleetkit.errors", "pass"),
        ("fleetkit.cli.program", "pass"),
        ("fleetkit.cli.program", "raise ImportError"),
    ],
)
def test_ctrl_c_that_a_library_swallows_while_it_is_loaded_ends_the_command(environ, loaded, then):
    Path("fleetkit").write_text(_SWALLOWING.format(loaded=loaded, then=then))
    ended = subprocess.run(
        [sys.executable, "./fleetkit"], env=environ, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("", INTERRUPTED, 130)


@pytest.mark.parametrize(
    ("before", "after"), [("SIG_DFL", "default_int_handler"), ("SIG_IGN", "SIG_IGN")]
)
def test_a_closed_terminal_interrupts_a_command_unless_nohup_started_it(environ, before, after):
    begins = f"import signal; signal.signal(signal.SIGHUP, signal.{before})"
    looks = f"print(signal.getsignal(signal.SIGHUP) is signal.{after})"
    Path("fleetkit").write_text(
        f"{begins}\nfrom fleetkit import cli\ntry:\n    cli.main()\nfinally:\n    {looks}\n"
    )
    ran = [sys.executable, "fleetkit", "--version"]
    printed = subprocess.check_output(ran, env=environ, text=True)
    assert printed.splitlines()[-1] == "True"


@pytest.mark.parametrize(
    ("variables", "out", "says"),
    [
        ({"TZ": "UTC-25"}, b"reports", "The environment's TZ='UTC-25' is not a time zone."),
        (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            "wé".encode(),
            "Invalid value for '--out': this locale knows only ascii; set LC_ALL=C.UTF-8.",
        ),
    ],
)
def test_an_environment_that_no_report_can_be_made_in_is_named(tiny, environ, variables, out, says):
    told = fleetkit({**of(tiny, environ), **variables}, "report", "--out", out).stderr
    assert told.startswith(f"fleetkit: {says} ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_a_report_while_notebooks_run_stops_their_kernels_and_leaves_the_old_one_alone(
    tiny, environ, number
):
    Path("temporary").mkdir()
    old = Path("reports", "2026-10", "manifest.json")
    old.parent.mkdir(parents=True)
    old.write_text("{}")
    given = {**of(tiny, environ), "TMPDIR": str(Path("temporary").resolve())}
    report = ["report", "--month", "2026-10", "--sections", "flight_hours"]
    with _started(given, *report) as child:
        while not (kernels := _kernels_of(child.pid)) and child.poll() is None:
            time.sleep(0.02)
        os.killpg(child.pid, number)
        assert (*child.communicate(timeout=60), child.returncode) == ("", INTERRUPTED, 130)
    assert left_of(kernels) == []
    assert [*Path("reports").rglob("*"), *Path("temporary").iterdir()] == [old.parent, old]
    assert old.read_text() == "{}"


# What a kernel finds of the command line that it was forked from.
FINDS = """
import os, sys, warnings
from pathlib import Path
from fleetkit.interface import worded
print("fork_server" in Path(f"/proc/{os.getppid()}/cmdline").read_text())
print(worded(python="a notebook's words", command_line="a terminal's"))
print("boto3" in sys.modules, Path(sys.executable).parent in map(Path, sys.path))
print(("ignore", None, Warning, None, 0) in warnings.filters)
"""


@pytest.fixture(scope="module")
def without_home(tmp_path_factory):
    """Report without a key, where no home can be written; return what ended, and its folder."""
    folder = tmp_path_factory.mktemp("without_home")
    (folder / "temporary").mkdir()
    notebook(folder / "own", "finds", FINDS)
    unset = re.compile("FLEETKIT_|XDG_CONFIG_HOME|XDG_CACHE_HOME|MPLCONFIGDIR")
    given = {name: value for name, value in os.environ.items() if not unset.match(name)}
    given |= {"HOME": "/dev/null", "TMPDIR": str(folder / "temporary")}
    asked = ("--month", "2026-10", "--notebooks", "own", "--sections", "finds", "--format", "html")
    report = ["report", "--mirror", str(synced(TINY, folder / "mirror")), *asked]
    return fleetkit(given, *report, cwd=folder), folder


@pytest.mark.skipif(not CAN_FORK, reason="this system starts each kernel anew")
def test_kernels_are_forks_of_a_command_that_has_no_key_and_find_nothing_of_it(without_home):
    paper = (without_home[1] / "reports/2026-10/notebooks/finds.ipynb").read_text()
    [found] = [json.loads(paper)["cells"][3]["outputs"][0]["text"]]
    assert "".join(found).splitlines() == ["False", "a notebook's words", "False False", "False"]


@pytest.mark.skipif(not CAN_FORK, reason="this system starts each kernel anew")
def test_a_report_leaves_no_temporary_folder_where_no_home_can_be_written(without_home):
    """There, matplotlib writes its list of fonts into a folder of its own."""
    done, folder = without_home
    assert (done.returncode, done.stderr) == (0, "")
    assert [*(folder / "temporary").iterdir()] == []


# Python, where no further process of it can be started.
ALONE = """
import sys
from fleetkit.cli import main
sys.executable = "/dev/null/python"
sys.argv = ["fleetkit", "report", "--month", "2026-10"]
main()
"""


@pytest.mark.skipif(not CAN_FORK, reason="this system starts each kernel anew")
def test_a_report_for_which_no_process_can_be_started_is_one_line_and_an_exit_code(tiny, environ):
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        capture_output=True,
        text=True,
        env=of(tiny, environ),
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fleetkit: ")
    assert done.stderr.count("\n") == 1
    assert [*Path().iterdir()] == []


def _started(environ, *arguments, base_url=None):
    """Start the command line in a process group of its own, as a shell does."""
    given = environ if base_url is None else {**environ, "FLEETKIT_BASE_URL": base_url}
    return subprocess.Popen(
        [FLEETKIT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=given,
        start_new_session=True,
    )


def _kernels_of(pid):
    servers = [child for child in children(pid) if b"fork_server" in _command_line(child)]
    return [kernel for server in servers for kernel in children(server)]


def _command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("command", [["serve", "--list-dials"], ["--help"], ["check", "--json"]])
def test_a_reader_that_goes_away_ends_the_command_without_a_word(tiny, environ, command):
    nobody, ours = os.pipe()
    os.close(nobody)
    done = fleetkit(of(tiny, environ), *command, stdout=ours)
    os.close(ours)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            ["--month", "2026-10", "--out", "{here}/out"],
            "The folder that this process runs in is gone; run it in another.",
        ),
        (
            ["--mirror", "mirror"],
            "The folder that the command was started in is gone. Go to another.",
        ),
    ],
)
def test_a_folder_that_is_deleted_below_a_report_is_named(tiny, environ, tmp_path, given, says):
    gone = tmp_path / "gone"
    gone.mkdir()
    options = [part.format(here=tmp_path) for part in given]
    line = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", FLEETKIT, "report", *options]
    given = {"env": of(tiny, environ), "cwd": gone, "capture_output": True, "text": True}
    done = subprocess.run(line, check=False, **given)
    assert done.returncode == 1
    assert done.stderr.startswith("fleetkit: ")
    assert done.stderr.endswith(f" {says}\n")


def test_output_that_cannot_be_written_is_an_error(tiny, environ):
    buffered = of(tiny, environ)
    buffered.pop("PYTHONUNBUFFERED", None)  # where it is set, Python has nothing left to write
    for command in (["check"], ["serve", "orgs", "create", "Aerie"]):
        with Path("/dev/full").open("w") as full:
            done = fleetkit(buffered, *command, stdout=full)
        assert done.returncode == 1
        assert done.stderr == (
            "fleetkit: The command's output can't be written: No space left on device. "
            "What it did stands.\n"
        )


def test_a_process_without_stdin_stdout_and_stderr_still_tells_its_exit_code(tiny, environ):
    report = ["report", "--month", "2026-10", "--sections", "pricing", "--format", "html"]
    for command, code in ((["check", "--base-url", "ftp://x"], 2), (report, 0)):
        line = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", FLEETKIT, *command]
        done = subprocess.run(line, env=of(tiny, environ), check=False)
        assert done.returncode == code


def test_names_that_the_terminals_encoding_lacks_are_escaped(environ):
    narrow = {**environ, "PYTHONIOENCODING": "latin-1"}
    fleetkit(narrow, "serve", "orgs", "create", "北")
    done = fleetkit(narrow, "serve", "orgs", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\u5317" in done.stdout
    plain = {**environ, "LANG": "C", "LC_ALL": "C"}
    wrong = fleetkit(plain, "report", "--tz", "Øst", "--base-url", "http://127.0.0.1:9")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)


def completed(environ, *words):
    """Return what the Tab key offers after these words."""
    asked = {
        **environ,
        "_FLEETKIT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("fleetkit", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = fleetkit(asked)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_tab_key_completes_commands_options_and_zones(environ):
    assert completed(environ, "re") == ["report"]
    assert completed(environ, "report", "--mo") == ["--month"]
    assert completed(environ, "serve", "k") == ["keys"]
    assert completed(environ, "sync", "--tz", "Europe/Lond") == ["Europe/London"]


def test_the_line_that_the_help_gives_for_bash_works(environ):
    path = f"{Path(FLEETKIT).parent}:{environ['PATH']}"
    said = fleetkit(environ, "--help").stdout
    line = re.search(r"bash +(eval .*)", said)[1]
    done = subprocess.run(
        ["bash", "-c", f"{line}; complete -p fleetkit"],
        env={**environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == "fleetkit"
