"""A report says how many threads it needs where the limit of processes leaves too few."""

import threading

import pytest

from fleetkit.errors import ReportError
from fleetkit.reports import notebooks, threads

resource = pytest.importorskip("resource")
LEFT = 70


@pytest.fixture
def few(monkeypatch):
    """Let the system begin some threads and no more; root is under no such limit."""
    start, begun = threading.Thread.start, []

    def limited(thread):
        if len(begun) == LEFT:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))
    return begun


def test_too_few_threads_for_the_kernels_of_a_report_are_told_and_none_is_left(few):
    with pytest.raises(ReportError) as refused:
        threads.require(2)
    assert str(refused.value) == (
        "A report needs 100 threads at once, and this process may begin 70. "
        "Raise the limit of processes (ulimit -u), or end some."
    )
    assert [thread for thread in few if thread.is_alive()] == []


def test_threads_that_are_enough_for_one_kernel_are_enough_for_a_report_of_one_section(few):
    threads.require(1)
    assert (len(few), [thread for thread in few if thread.is_alive()]) == (60, [])


def test_no_thread_is_needed_here_for_reports_that_workers_of_a_cluster_make(few):
    with notebooks.shared_by_reports(has_workers=True):
        assert few == []
    with pytest.raises(ReportError), notebooks.shared_by_reports():
        pass


def test_no_thread_is_begun_where_the_limit_is_high_or_there_is_none(few, monkeypatch):
    for limit in (1_000, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        threads.require(64)
    assert few == []
