"""A Spark of several processes, by its master's address: executors of their own read and count."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import TINY, lacking, synced

import fleetkit as fk

pytestmark = pytest.mark.slow

# A process drives one Spark, so a driver of its own asks; it prints a line of JSON.
DRIVER = """
import json, sys
import fleetkit as fk

path, address = sys.argv[1:]
fleet = fk.open_mirror(path, tz="Europe/Oslo")
flights = fleet.flights("2026-10", engine=address)
hours = fk.metrics.collect(fk.metrics.flight_hours(flights, by="pilot", tz=fleet.tz))
processes = flights.sparkSession.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
ports = [process.port() for process in processes]
print(json.dumps({"hours": json.loads(hours.to_json(orient="records")), "ports": ports}))
"""
# Small processes, which start sooner, and nothing but this machine.
QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.extraJavaOptions": QUICK,
    # No task begins before both executors are there.
    "spark.cores.max": "2",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "200s",
    "spark.sql.shuffle.partitions": "2",
    # For a few rows, compiling a query and planning it well take longer than running it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@pytest.fixture
def environment(tmp_path):
    """Return what the processes of Spark are started with."""
    import pyspark

    if shutil.which("java") is None:
        lacking("Java")
    (tmp_path / "conf").mkdir()
    written = "".join(f"{name} {value}\n" for name, value in SETTINGS.items())
    (tmp_path / "conf" / "spark-defaults.conf").write_text(written, encoding="utf-8")
    return {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_CONF_DIR": str(tmp_path / "conf"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "PYSPARK_PYTHON": sys.executable,
    }


@pytest.fixture
def master(tmp_path, environment):
    """Run a master with two workers of one processor each, and return its address."""
    command = [Path(environment["SPARK_HOME"]) / "bin" / "spark-class"]
    here = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with ExitStack() as stack:

        def start(name, *arguments):
            """Start one of Spark's processes; it tells in its log where it listens."""
            child = subprocess.Popen(
                [*command, f"org.apache.spark.deploy.{name}", *here, *arguments],
                env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            stack.enter_context(child)
            stack.callback(child.kill)
            return child.stderr

        def wait_for(log, pattern):
            return next(found for line in log if (found := re.search(pattern, line)))

        address = wait_for(start("master.Master"), r"spark://127\.0\.0\.1:\d+")[0]
        for number in range(2):
            folder = str(tmp_path / f"worker {number}")
            sizes = ["--cores", "1", "--memory", "600m", "--work-dir", folder]
            wait_for(start("worker.Worker", *sizes, address), "Successfully registered")
        yield address


def test_two_executors_of_a_master_count_what_pandas_counts(tmp_path, environment, master):
    path = synced(TINY, tmp_path / "mirror")
    asked = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DRIVER, path, master],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout.splitlines()[-1])
    assert len(set(answer["ports"])) == 3  # two, and the driver
    fleet = fk.open_mirror(path, tz="Europe/Oslo")
    expected = fk.metrics.flight_hours(fleet.flights("2026-10"), by="pilot", tz=fleet.tz)
    assert answer["hours"] == json.loads(expected.to_json(orient="records"))
    assert sum(row["flights"] for row in answer["hours"]) == len(fleet.flights("2026-10")) > 0
