"""Waits of a report's main thread: Ctrl+C ends them, whatever a library did to the signal."""

import signal
import subprocess
import sys
from threading import Timer

import pytest

WAITING = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)
from concurrent.futures import ThreadPoolExecutor
import polars  # has waits go on after a signal
from fleetkit.reports.waiting import as_completed

signal.siginterrupt(signal.SIGINT, False)
pool = ThreadPoolExecutor()
try:
    future = pool.submit(sys.stdin.read)
    print("waiting", flush=True)
    list(as_completed([future]))
except KeyboardInterrupt:
    print("interrupted, done:", future.done(), flush=True)
    os._exit(0)
"""


@pytest.mark.slow
def test_an_interruption_ends_a_wait_that_the_system_would_go_on_with():
    with subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        limit = Timer(30, process.kill)
        limit.start()
        try:
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted, done: False\n"
        finally:
            limit.cancel()
            process.kill()
