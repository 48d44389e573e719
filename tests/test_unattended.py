"""The guide's lines for cron and systemd are commands of today, and run as they stand."""

import re
import shlex
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import lacking

from fleetkit.cli.program import cli

GUIDE = (Path(__file__).parents[1] / "docs" / "guide" / "scripts.md").read_text(encoding="utf-8")
TEXT = GUIDE.split("## Unattended")[1]
[CRONTAB] = re.findall(r"```crontab\n(.*?)```", TEXT, re.DOTALL)
UNITS = dict(re.findall(r"```ini\n# /etc/systemd/system/(\S+)\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = re.findall(r"fleetkit ((?:sync|report) [^\n]*)", "\n".join([CRONTAB, *UNITS.values()]))


def test_each_line_of_cron_and_systemd_has_options_that_there_are():
    assert len(COMMANDS) == 4
    for line in COMMANDS:
        name, *words = shlex.split(line)
        given = cli.commands[name].make_context(name, words).params
        assert (given["quiet"], given["mirror"]) == (True, "mirror/")
    # Cron syncs every night: the report of the 2nd compares with that of last month's 2nd.
    [report] = re.findall(r"report .*--changed-since \"(.*)\"", CRONTAB)
    when = subprocess.check_output(["/bin/sh", "-c", f'echo "{report}"'], text=True)
    ago = datetime.now(UTC) - datetime.fromisoformat(when.strip())
    assert timedelta(27) < ago < timedelta(32)


def test_systemd_accepts_the_units(tmp_path):
    assert sorted(UNITS) == ["fleet-failed.service", "fleet-report.service", "fleet-report.timer"]
    if not shutil.which("systemd-analyze"):
        lacking("systemd-analyze")
    for name, unit in UNITS.items():
        here = unit.replace("/srv/fleet/venv/bin/fleetkit", shutil.which("true"))
        (tmp_path / name).write_text(here)
    checked = ["systemd-analyze", "verify", *map(str, tmp_path.iterdir())]
    done = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_cron_mails_nothing_where_the_nightly_sync_succeeds_and_one_line_where_not(
    tiny, tmp_path, monkeypatch
):
    if not shutil.which("flock"):
        lacking("flock")
    for name in ("FLEETKIT_BASE_URL", "FLEETKIT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    own = Path(sys.executable).parent
    line = next(line for line in CRONTAB.splitlines() if " sync " in line)
    command = line.split(maxsplit=5)[5].replace("/srv/fleet", str(tmp_path))
    environ = {"HOME": str(tmp_path), "PATH": f"{own}:/usr/bin:/bin", "SHELL": "/bin/sh"}
    for key, said in ((tiny.api_key, ""), ("fk_wrong", "fleetkit: 401: ")):
        given = {**environ, "FLEETKIT_BASE_URL": tiny.base_url, "FLEETKIT_API_KEY": key}
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=given, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr[: len("fleetkit: 401: ")]) == ("", said)
        assert len(done.stderr.splitlines()) == bool(said)
    assert (tmp_path / "mirror" / "syncs").is_dir()
