"""Fixtures that every test may use: organisations served over real HTTP."""

from __future__ import annotations

import copy
import errno
import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest
import requests
from a_browser import browser  # noqa: F401 - a fixture
from hypothesis import settings

import fleetkit as fk
from fleetkit import cli
from fleetkit.schema import SCOPES
from fleetkit.server.asgi import create_app
from fleetkit.server.dials import Dials
from fleetkit.server.running import running
from fleetkit.server.store import Store

# jsonschema builds the grammars of this one at every import, for formats that no notebook has:
# three seconds of each process that tests. Without it, jsonschema does not check those formats.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] # how Python says "not installed"

# The same examples on every run, and none fails for being slow: the machine may be busy.
settings.register_profile("fleetkit", deadline=None, derandomize=True)
settings.load_profile("fleetkit")


# What all tests write to folders of their own, and room beside it. Each sync of a mirror waits
# for the disk some dozen times; in memory it waits for nothing.
A_RUN_NEEDS = 4 * 2**30


def pytest_configure(config: pytest.Config) -> None:
    """Keep tests' folders in memory."""
    # What a script starts in the background ignores Ctrl+C, and so does what it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    memory = Path("/dev/shm")  # noqa: S108 - no file of it is used by its name
    if not memory.is_dir() or os.statvfs(memory).f_flag & os.ST_NOEXEC:  # tests install programs
        return
    if shutil.disk_usage(memory).free > A_RUN_NEEDS:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


def pytest_collectstart() -> None:
    """Collect no garbage while tests are collected, in the process that collects them alone."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and keep modules and collected tests out of it.

    It would take a twentieth of the tests' processor time, and two seconds more at the end of each
    worker, whose memory the system takes back anyway.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


_STAMPS = {"createdAt": "2026-01-01T08:00:00.000Z", "updatedAt": "2026-10-01T08:00:00.000Z"}


def an_equipment(identifier: str, **fields: Any) -> dict[str, Any]:
    """Return a piece of equipment with every field of the reference, some of them changed."""
    return {
        "id": identifier,
        "name": identifier,
        "manufacturer": "Aerovia",
        "model": "A4",
        "serialNumber": f"SN-{identifier}",
        "type": "DRONE",
        "category": "MULTIROTOR",
        "status": "ACTIVE",
        "condition": "GOOD",
        "registrationNumber": None,
        "registrationExpiry": None,
        "weight": 4.5,
        "specifications": {},
        "purchaseDate": "2025-01-01T00:00:00.000Z",
        "purchaseCost": 12000,
        "totalFlights": 0,
        "totalFlightHours": 0,
        **_STAMPS,
        **fields,
    }


def a_flight(identifier: str, flight_date: str, **fields: Any) -> dict[str, Any]:
    """Return a flight log with every field of the reference, some of them changed."""
    return {
        "id": identifier,
        "flightDate": flight_date,
        "flightType": "COMMERCIAL",
        "operationType": "INSPECTION",
        "durationSeconds": 1800,
        "maxAltitude": 80,
        "traveledDistance": 2400.5,
        "nightFlight": False,
        "bvlos": False,
        "takeoffLat": 59.91,
        "takeoffLng": 10.75,
        "landingLat": 59.91,
        "landingLng": 10.75,
        "pilotInCommand": None,
        "project": None,
        **_STAMPS,
        **fields,
    }


def a_project(identifier: str, **fields: Any) -> dict[str, Any]:
    """Return a project with every field of its by-id answer, some of them changed."""
    return {
        "id": identifier,
        "title": identifier,
        "description": None,
        "status": "DRAFT",
        "projectType": "INSPECTION",
        "siteAddress": "Havnegata 1, Oslo",
        "agreedPrice": 1000,
        "estimatedCost": None,
        "currency": "EUR",
        "scheduledDate": None,
        "clientAccountName": "Lyngfjord Nett",
        "clientAccountEmail": "drift@lyngfjord.example",
        "assignedPilotName": None,
        "crmDealName": None,
        **_STAMPS,
        **fields,
    }


def a_service(identifier: str, *tiers: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a service with its tiers, some of its fields changed."""
    return {
        "id": identifier,
        "name": identifier,
        "description": None,
        "baseRate": 125.5,
        "currency": "EUR",
        "unitType": "HOUR",
        "pricingModel": "TIERED",
        "isActive": True,
        "displayOrder": 1,
        "tiers": list(tiers),
        **_STAMPS,
        **fields,
    }


def a_tier(identifier: str, level: int, percent: float, **fields: Any) -> dict[str, Any]:
    """Return a pricing tier, some of its fields changed."""
    return {
        "id": identifier,
        "tierName": f"Tier {level}",
        "tierLevel": level,
        "priceModifierPercent": percent,
        "isRecommended": level == 1,
        "isActive": True,
        **fields,
    }


ADA = {"id": "prof_ada", "fullName": "Ada Lind"}
BO = {"id": "prof_bo", "fullName": "Bo Ødegård"}
BRIDGE = {"id": "proj_bridge", "title": "Bridge inspection"}

# Small enough to count by hand:
#   3 pieces of equipment; 5 flights, 7 (flight, equipment) pairs, since the camera was on two;
#   October 2026 (UTC): fl_1, fl_2, fl_3 = 1800 + 3600 + 900 s = 1.75 h;
#   all: 6900 s with fl_5 untimed; 3 projects (2 EUR, 1 GBP); 2 services, one with 2 tiers.
TINY: dict[str, list[Any]] = {
    "equipment": [
        an_equipment(
            "eq_kestrel",
            name="Kestrel 1",
            registrationNumber="N-101",
            registrationExpiry="2027-03-31T00:00:00.000Z",
            specifications={"battery": "6S", "payload": "1.2 kg"},
            totalFlights=5,
            totalFlightHours=1.9167,
        ),
        an_equipment(
            "eq_camera",
            name="Camera 1",
            type="CAMERA",
            category="PAYLOAD",
            weight=0.65,
            totalFlights=2,
            totalFlightHours=1.5,
        ),
        an_equipment(
            "eq_spare",
            name="Kestrel 2",
            status="MAINTENANCE",
            condition="FAIR",
            registrationNumber="N-102",
            registrationExpiry="2026-10-20T00:00:00.000Z",
            weight=None,
            purchaseCost=None,
        ),
    ],
    "flights": [
        a_flight("fl_1", "2026-10-01T09:00:00.000Z", pilotInCommand=ADA, project=BRIDGE),
        a_flight(
            "fl_2",
            "2026-10-15T10:00:00.000Z",
            durationSeconds=3600,
            pilotInCommand=ADA,
            project=BRIDGE,
        ),
        a_flight(
            "fl_3",
            "2026-10-31T23:30:00.000Z",
            flightType="TRAINING",
            durationSeconds=900,
            nightFlight=True,
            pilotInCommand=BO,
        ),
        a_flight(
            "fl_4",
            "2026-11-02T08:00:00.000Z",
            flightType="MAINTENANCE",
            durationSeconds=600,
            bvlos=None,
        ),
        a_flight(
            "fl_5",
            "2026-09-30T23:59:59.999Z",
            flightType="RECREATIONAL",
            durationSeconds=None,
            pilotInCommand=BO,
        ),
    ],
    "flight_equipment": [
        ("fl_1", "eq_kestrel"),
        ("fl_2", "eq_kestrel"),
        ("fl_3", "eq_kestrel"),
        ("fl_4", "eq_kestrel"),
        ("fl_5", "eq_kestrel"),
        ("fl_1", "eq_camera"),
        ("fl_2", "eq_camera"),
    ],
    "projects": [
        a_project(
            "proj_bridge",
            title="Bridge inspection",
            status="IN_PROGRESS",
            estimatedCost=600,
            scheduledDate="2026-10-01T09:00:00.000Z",
            assignedPilotName="Ada Lind",
            crmDealName="Bridge 2026",
        ),
        a_project("proj_quarry", status="DRAFT", agreedPrice=500.5, currency="GBP"),
        a_project("proj_roof", status="COMPLETED", agreedPrice=250),
    ],
    "services": [
        a_service("svc_survey", a_tier("tier_1", 1, 0), a_tier("tier_2", 2, 12.5)),
        a_service("svc_photo", displayOrder=2, pricingModel="FLAT", unitType="DAY", baseRate=800),
    ],
}


def flown_by_kestrel(flights: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return ``TINY`` with these flights in place of its own, all under its first drone."""
    pairs = [(flight["id"], "eq_kestrel") for flight in flights]
    return TINY | {"flights": flights, "flight_equipment": pairs}


@dataclass
class Served:
    """A server under test: its address, a key that opens all, and the store behind it."""

    base_url: str
    api_key: str = field(repr=False)
    store: Store
    organisation: str


def serving(
    stack: ExitStack,
    records: dict[str, list[Any]],
    dials: Dials | None = None,
    url: str = "sqlite://",
) -> Served:
    """Serve records until the stack ends."""
    store = Store(url)
    stack.callback(store.close)
    organisation = store.create_organisation("Nordic Drone Services")
    store.load(organisation, **records)
    key = store.create_key(organisation, name="tests", scopes=SCOPES)
    base_url = stack.enter_context(running(create_app(store, dials)))
    return Served(base_url, key, store, organisation)


def get(served: Served, path: str, key: str = "", **params: Any) -> requests.Response:
    """Ask for a path, with parameters, with the key of `served` or another one."""
    headers = {"X-API-Key": key or served.api_key}
    return requests.get(served.base_url + path, params=params, headers=headers, timeout=10)


def ids(answer: requests.Response) -> list[str]:
    """Return the ids of the records of an answer."""
    return [record["id"] for record in answer.json()["data"]]


@contextmanager
def counted(served: Served) -> Iterator[tuple[str, list[str]]]:
    """Serve the same store once more; yields its address and the list of paths asked for."""
    app, asked = create_app(served.store), []

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            asked.append(scope["path"])
        await app(scope, receive, send)

    with running(noting) as base_url:
        yield base_url, asked


def synced(records: dict[str, list[Any]], path: Path) -> Path:
    """Return where a mirror of some records was made."""
    with ExitStack() as stack:
        served = serving(stack, records)
        with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
            fleet.sync(path)
    return path


@pytest.fixture(scope="session")
def warm_kernels() -> Iterator[None]:
    """Fork the kernels of all reports that tests make here from one process, as `--each` does."""
    from fleetkit.reports.kernels import shared_server

    with shared_server():
        yield


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """Return a folder on a disk of 4 MB of its own, or None where nothing may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.call(mount, stderr=subprocess.DEVNULL):
        yield None
        return
    try:
        yield folder
    finally:
        # Of a process that is still ending, files may be open there.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def names(folder: Path) -> list[str]:
    """Return the names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def leave(folder: Path, kilobytes: int) -> Path:
    """Fill a disk up to some kilobytes; return the file to delete."""
    filler = folder / "filler"
    filler.unlink(missing_ok=True)
    filler.write_bytes(bytes(shutil.disk_usage(folder).free - kilobytes * 1024))
    return filler


@pytest.fixture(scope="session", autouse=True)
def scratch_of_dask(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let clusters that tests start write among the tests' folders: they leave an empty one."""
    os.environ["DASK_TEMPORARY_DIRECTORY"] = str(tmp_path_factory.getbasetemp() / "dask")


@pytest.fixture(scope="session")
def tiny() -> Iterator[Served]:
    """Serve ``TINY``, the same for all tests: none may change it."""
    with ExitStack() as stack:
        yield serving(stack, TINY)


@pytest.fixture
def serve_records() -> Iterator[Callable[..., Served]]:
    """Return a function ``(records, dials=None) -> Served``; it serves until the test ends."""
    with ExitStack() as stack:
        yield lambda records, dials=None: serving(stack, records, dials)


@pytest.fixture
def tiny_records() -> dict[str, list[Any]]:
    """Return a copy of ``TINY`` that the test may change."""
    return copy.deepcopy(TINY)


def lacking(what: str) -> NoReturn:
    """Skip what this machine can't test; in CI, which must have everything, fail instead."""
    why = f"{what} is not installed; .ci/run installs it on Debian"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def object_store() -> Iterator[str]:
    """Run an emulator of S3 and return its address."""
    if importlib.util.find_spec("moto") is None:
        lacking("moto[server]")
    # A process of its own: delta-rs holds Python's lock while it waits for some answers.
    command = [sys.executable, str(Path(__file__).with_name("an_object_store.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield f"http://127.0.0.1:{int(child.stdout.readline())}"
        finally:
            child.kill()


@pytest.fixture
def bucket(object_store: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a bucket, set the environment that opens it, and return its address."""
    for name in [name for name in os.environ if name.upper().startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", object_store)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAFLEETKITTESTS")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-the-tests")
    name = f"bucket-{uuid.uuid4().hex}"
    requests.put(f"{object_store}/{name}", timeout=10).raise_for_status()
    return f"s3://{name}"


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file system have locks, as those of some networks."""

    def flock(descriptor: int, operation: int) -> NoReturn:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)


@pytest.fixture(
    params=["folder", pytest.param("object_store", marks=pytest.mark.slow)], ids=["folder", "s3"]
)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Return where a mirror may be made: in a folder, and in an object store."""
    if request.param == "folder":
        return tmp_path / "mirror"
    return f"{request.getfixturevalue('bucket')}/mirror"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """Run a PostgreSQL of the tests' own, without a port, and return the folder of its socket."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = programs[-1] if programs else shutil.which("initdb")
    if initdb is None:
        lacking("PostgreSQL")
    # PostgreSQL refuses to run as root.
    runuser = shutil.which("runuser") or "/usr/sbin/runuser"  # where not every PATH leads
    as_other = [runuser, "-u", "postgres", "--"] if os.getuid() == 0 else []
    # In memory, too, as the tests' folders, but not among them: a socket's path may have 107 bytes.
    memory = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    folder = Path(tempfile.mkdtemp(prefix="fleetkit-pg-", dir=memory))
    if as_other:
        shutil.chown(folder, "postgres")

    said = folder / "output"

    def run(tool: str, *arguments: str) -> None:
        command = [*as_other, str(Path(initdb).with_name(tool)), "-D", str(folder / "data")]
        # To a file: what PostgreSQL writes to a pipe would keep it open as long as it runs.
        with said.open("wb") as output:
            ended = subprocess.run(
                [*command, *arguments], check=False, stdout=output, stderr=output, cwd=folder
            )
        if ended.returncode:
            pytest.fail(f"{tool} ended with {ended.returncode}: {said.read_text()}")

    settings = f"-F -c listen_addresses= -c unix_socket_directories={folder} -c max_connections=200"
    try:
        access = ("-A", "trust", "-U", "fleetkit")
        english = ("--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
        run("initdb", *access, "-E", "UTF8", *english, "--no-sync")
        run("pg_ctl", "-w", "-t", "300", "-l", str(folder / "log"), "-o", settings, "start")
        yield str(folder)
        run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def new_database(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Return a function that returns the address of a new, empty database of either kind."""
    if request.param == "sqlite":
        return lambda: "sqlite://"
    import psycopg

    folder = request.getfixturevalue("postgresql")

    def new() -> str:
        name = f"test_{uuid.uuid4().hex}"
        where = f"host={folder} user=fleetkit dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql+psycopg://fleetkit@/{name}?host={folder}"

    return new


@pytest.fixture
def store(new_database: Callable[[], str]) -> Iterator[Store]:
    """Return an empty store, in a database of either kind."""
    store = Store(new_database())
    yield store
    store.close()


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[Any, str, str]]:
    """Return a function that runs the command line: exit code, what was printed, what was wrong.

    It runs in a folder of its own, without settings from the environment but the key that is given,
    and 80 columns wide, whatever the terminal.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in [name for name in os.environ if name.startswith("FLEETKIT_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str, key: str | None = None) -> tuple[Any, str, str]:
        if key is not None:
            monkeypatch.setenv("FLEETKIT_API_KEY", key)
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run
