"""A Dask cluster of two processes, by its address: it counts, and makes reports."""

from __future__ import annotations

import gc
import json
import pickle
import re
import socket
import weakref
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from a_notebook import notebook
from conftest import TINY, synced

import fleetkit as fk
from fleetkit import language
from fleetkit.clusters import dask_client, engine_at, reading, use_client
from fleetkit.reports import on_workers

KEY = "fk_a-key-that-stays-here"
# A report on the quarry ends the worker that makes it: its kernel is forked by a child of it.
DEADLY = (
    "import os, signal",
    "worker = int(open(f'/proc/{os.getppid()}/stat').read().split()[3])",
    "if filters['project'] == ['proj_quarry']: os.kill(worker, signal.SIGKILL)",
)


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster
        dask_client(cluster.scheduler_address).close()


@pytest.fixture(scope="module")
def scheduler(cluster):
    return cluster.scheduler_address


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return synced(TINY, tmp_path_factory.mktemp("clusters") / "mirror")


@pytest.fixture(scope="module")
def reports(cluster, scheduler, path):
    """Return what becomes of a report for each project, of which the quarry's kills its workers."""
    folder = path.parent
    notebook(folder / "own", "own", *DEADLY)
    fleet, settings = fk.open_mirror(path), fk.settings.Settings(api_key=KEY)
    options = {
        "notebooks": folder / "own",
        "sections": "own",
        "formats": "html",
        "settings": settings,
    }
    with pytest.raises(fk.ReportError) as failed:
        fk.report_by(
            "project", "2026-10", fleet=fleet, out=folder / "out", scheduler=scheduler, **options
        )
    return {entry.group.name: entry for entry in failed.value.reports.entries}


@pytest.mark.slow
def test_an_address_of_a_scheduler_gives_what_pandas_gives(path, scheduler, monkeypatch):
    fleet = fk.open_mirror(path, tz="Europe/Oslo")
    rows = fk.metrics.collect(fleet.flights("2026-10", engine=scheduler))
    expected = fleet.flights("2026-10")
    assert sorted(rows["flight_id"]) == sorted(expected["flight_id"])
    monkeypatch.setenv("FLEETKIT_DASK", scheduler)
    for frame in (
        fk.open_mirror(path).equipment(engine="dask"),
        fleet.equipment(engine=dask_client(scheduler)),
    ):
        hours = fk.metrics.collect(frame)["total_flight_hours"]
        assert hours.sum() == pytest.approx(3.4167)  # 1.9167 of the drone, 1.5 of the camera


@pytest.mark.slow
def test_files_that_a_worker_cannot_reach_are_named_with_what_to_do(path, scheduler):
    frame = fk.open_mirror(path).flights("2026-10", engine=scheduler)
    (month,) = (path / "flights").glob("flight_month=2026-10")
    month.rename(path / "gone")
    with pytest.raises(fk.ClusterError, match=r"Dask can't read .*: .* Its machines must reach"):
        fk.metrics.collect(frame)
    (path / "gone").rename(month)


@pytest.mark.slow
def test_workers_hand_a_report_back_to_the_caller_s_folder(reports, path):
    paths = reports["Bridge inspection"].paths
    assert paths.html.parent.parent == path.parent / "out" / "2026-10-each-project"
    manifest = json.loads(paths.manifest.read_text())
    assert manifest["filter"] == {"project": ["proj_bridge"]}
    assert set(manifest["files"]) <= {
        file.relative_to(paths.html.parent).as_posix() for file in paths.html.parent.rglob("*")
    }


@pytest.mark.slow
def test_a_report_whose_worker_dies_is_begun_once_more_and_then_names_both(reports):
    assert reports["Bridge inspection"].state == "complete"
    assert reports["proj_roof"].state == "nothing to report"
    error = reports["proj_quarry"].error
    assert error.startswith("The Dask workers tcp://127.0.0.1:")
    assert error.count("tcp://127.0.0.1:") == 2


@pytest.mark.slow
def test_a_report_that_was_placed_is_held_no_longer(cluster, scheduler, path, tmp_path):
    fleet = fk.open_mirror(path)
    options = {"notebooks": tmp_path}  # in which there is none
    given = (scheduler, fleet, fleet.period("2026-10"), tmp_path / "out", options)
    with on_workers.made_by_workers(*given) as (make, _):
        made = make(fk.Filter(project="proj_roof"))
        held = weakref.ref(made.result(timeout=60))
        assert "notebook" in held().problem.message
        del made
        gc.collect()
        assert held() is None


@pytest.mark.slow
def test_reports_that_no_worker_is_left_for_fail(monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(on_workers, "LONGEST_START", 0)
    monkeypatch.setattr(on_workers, "_LOOK", 0.01)
    empty = LocalCluster(n_workers=0, processes=False, dashboard_address=":0")
    with empty, Client(empty, set_as_default=False) as client:
        waiting = client.get_executor().submit(len, ())
        on_workers._watch(client, [waiting], Event())
        with pytest.raises(fk.ClusterError, match=r"at inproc://.* had no worker for 5 minutes"):
            waiting.result(timeout=0)


@pytest.mark.slow
def test_notebooks_of_sections_that_failed_on_a_worker_come_back_until_a_report_succeeds(
    scheduler, path, tmp_path
):
    fleet, out = fk.open_mirror(path), tmp_path / "out" / "2026-10-each-pilot"
    given = {"notebooks": tmp_path / "own", "sections": "own", "formats": "html", "out": out.parent}
    notebook(tmp_path / "own", "own", "assert not filters['pilot']")
    with pytest.raises(fk.ReportError) as failed:
        fk.report_by("pilot", "2026-10", fleet=fleet, scheduler=scheduler, **given)
    folders = sorted(out.glob("*.failed"))
    assert [[file.name for file in folder.iterdir()] for folder in folders] == [["own.ipynb"]] * 2
    errors = sorted(entry.error for entry in failed.value.reports.of("failed"))
    for folder in folders:
        assert [f"notebooks are in {folder}; " in error for error in errors].count(True) == 1
    notebook(tmp_path / "own", "own")
    fk.report_by("pilot", "2026-10", fleet=fleet, scheduler=scheduler, **given)
    assert [*out.glob("*.failed")] == []


@pytest.mark.slow
def test_the_key_reaches_no_task_and_no_log(reports, cluster, scheduler, path):
    client = dask_client(scheduler)
    logs = [*client.get_worker_logs().values(), client.get_scheduler_logs()]
    names = [str(topic) for topic in cluster.scheduler.get_events()]
    for text in (*map(str, logs), *names):
        assert KEY not in text
        assert "quarry" not in text
    whole = fk.open_mirror(path, settings=fk.settings.Settings(api_key=KEY))
    shared = on_workers._task(whole, whole.period("2026-10"), {})
    assert KEY.encode() not in pickle.dumps(shared)
    assert "mirror" not in repr(shared)


@pytest.mark.slow
def test_a_worker_that_lacks_the_mirror_is_no_reason_to_sync_one_there(path):
    shared = on_workers._task(fk.open_mirror(path), fk.time.Period.read("2026-10"), {})
    with pytest.raises(
        fk.ClusterError, match=r"^The Dask worker tcp://w:1 can't .* at file:///gone\. Its machines"
    ) as problem:
        on_workers._made(replace(shared, mirror="file:///gone"), "tcp://w:1")
    assert "fleetkit sync" not in str(problem.value)


def test_a_logo_and_a_catalogue_of_the_caller_s_machine_are_a_worker_s_under_their_names(
    path, tmp_path
):
    catalogue, logo, here = tmp_path / "fr.po", tmp_path / "ours.svg", tmp_path / "worker"
    catalogue.write_text('msgid ""\nmsgstr ""\n\nmsgid "Flights"\nmsgstr "Vols"\n')
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    branding = {"name": "Nordic", "logo": str(logo)}
    fleet = fk.open_mirror(path, settings={"lang": str(catalogue), "branding": branding})
    shared = on_workers._task(fleet, fleet.period("2026-10"), {})
    content = logo.read_bytes()
    for file in (catalogue, logo):
        file.unlink()  # on the worker's machine there is none
    here.mkdir()
    settings, _ = on_workers._with_files(shared, here)
    with language.using(settings.lang):
        assert (language.named(), language.say("Flights")) == ("fr", "Vols")
    made = Path(settings.branding.logo)
    assert (made.name, made.read_bytes()) == ("ours.svg", content)


def test_a_file_that_bears_the_name_of_a_language_is_no_catalogue_of_a_worker(
    path, tmp_path, monkeypatch
):
    (tmp_path / "de").touch()
    fleet = fk.open_mirror(Path(path).absolute(), settings={"lang": "de"})
    monkeypatch.chdir(tmp_path)
    shared = on_workers._task(fleet, fleet.period("2026-10"), {})
    settings, _ = on_workers._with_files(shared, tmp_path)
    assert settings.lang == "de"


@pytest.mark.slow
def test_a_worker_without_credentials_is_told_that_they_are_its_own(path, bucket, monkeypatch):
    shared = on_workers._task(fk.open_mirror(path), fk.time.Period.read("2026-10"), {})
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    refused = r"m can't be read: no credentials were found\. A worker takes .* its own environment"
    with pytest.raises(fk.ClusterError, match=refused) as problem:
        on_workers._made(replace(shared, mirror=f"{bucket}/m"), "tcp://w:1")
    assert "put it into an object store" not in str(problem.value)


@pytest.mark.slow
def test_workers_with_another_version_are_refused(scheduler, path, tmp_path, monkeypatch):
    from distributed import default_client

    dask_client(scheduler).close()
    (tmp_path / "fleetkit-9.0.dist-info").mkdir()
    (tmp_path / "fleetkit-9.0.dist-info" / "METADATA").write_text("Name: fleetkit\nVersion: 9.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(fk.ClusterError, match=r"has fleetkit 0\.1\.0; this process has fleetkit 9"):
        fk.open_mirror(path).flights(engine=scheduler)
    with pytest.raises(ValueError, match="No client"):  # what was opened is closed
        default_client()


@pytest.mark.slow
def test_a_client_that_dask_does_not_compute_with_is_refused(scheduler):
    from distributed import Client

    other = Client(scheduler, set_as_default=False)
    dask_client(scheduler).close()
    with pytest.raises(fk.ClusterError, match="Dask computes in this process, not at tcp://127"):
        use_client(other)
    current = dask_client(scheduler)
    with pytest.raises(fk.ClusterError, match=r"Dask computes at tcp://127\.0\.0\.1:.* already"):
        use_client(other)
    other.close()
    with pytest.raises(fk.ClusterError, match="The Dask client is closed"):
        use_client(other)
    assert use_client(current) is current


@pytest.mark.slow
def test_another_scheduler_than_the_first_is_refused_and_the_first_stays(path, scheduler):
    current = dask_client(scheduler)
    with socket.create_server(("127.0.0.1", 0)) as another:
        address = f"tcp://127.0.0.1:{another.getsockname()[1]}"
        with pytest.raises(
            fk.ClusterError, match=f"computes at {scheduler} already, not at {address}"
        ):
            fk.open_mirror(path).flights(engine=address)
    assert use_client(current) is current


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("java.io.FileNotFoundException: /mirror", "its files are not there. Its machines must"),
        ("No FileSystem for scheme: s3", "it has no library for such an object store. Give it"),
        ("Status Code: 403; AccessDenied", "the store refuses it. The credentials are the cluster"),
        ("HTTP 403 Forbidden", "the store refuses it. The credentials are the cluster"),
    ],
)
def test_why_spark_cannot_read_a_mirror_is_one_line(text, message):
    refused = pytest.raises(fk.ClusterError, match=f"Spark can't read s3://bucket: {message}")
    with refused, reading("s3://bucket"):
        raise RuntimeError(text)
    with pytest.raises(RuntimeError, match="anything else"), reading("s3://bucket"):
        raise RuntimeError("anything else")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1:9", "[::1"])  # nobody answers; not closed
def test_a_scheduler_that_does_not_answer_is_one_line(path, host):
    message = re.escape(f"scheduler at tcp://{host} can't be reached")
    with pytest.raises(fk.ClusterError, match=message):
        fk.open_mirror(path).flights(engine=f"tcp://{host}")


def test_reports_of_a_service_need_a_mirror_that_workers_reach(tiny, tmp_path):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    given = {"fleet": fleet, "out": tmp_path}
    with pytest.raises(fk.InvalidValue, match="Workers of a cluster read the data from a mirror"):
        fk.report_by("client", "2026-10", scheduler="tcp://127.0.0.1:9", **given)
    with pytest.raises(fk.InvalidValue, match="is not the address of a Dask scheduler"):
        fk.report_by("client", "2026-10", scheduler="http://127.0.0.1:9", **given)


def test_a_scheduler_is_for_reports_by_group(run):
    code, _, message = run("report", "--demo", "--scheduler", "tcp://127.0.0.1:9")
    assert (code, "--scheduler goes with --each" in message) == (2, True)


@pytest.mark.parametrize(
    "address", ["sc://spark.example/;token=abcd", "tcp://me:abcd@dask.example:8786"]
)
def test_a_secret_in_an_address_is_refused_and_not_shown(address, monkeypatch):
    with pytest.raises(fk.InvalidValue, match="can't hold a token or a password") as refused:
        engine_at(address)
    assert "abcd" not in str(refused.value)
    monkeypatch.setenv("FLEETKIT_SPARK", address)
    with pytest.raises(fk.InvalidValue) as refused:
        fk.settings.load()
    assert "abcd" not in str(refused.value)


def test_a_setting_that_is_no_address_of_its_engine_is_refused(monkeypatch):
    monkeypatch.setenv("FLEETKIT_DASK", "sc://spark.example")
    with pytest.raises(fk.InvalidValue, match=r"FLEETKIT_DASK.*not an address such as tcp://"):
        fk.settings.load()
