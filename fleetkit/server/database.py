"""The tables, and opening the database: SQLite by default, PostgreSQL by URL.

Each record is stored once, as the JSON text that the API sends (``document``), beside the columns
that lists are filtered and sorted by. So a page of a list is stored texts joined by commas, the
same bytes from every database, and a field that isn't in the reference is retained. A service's
document contains its tiers, as the API nests them.

``flight_equipment`` has a copy of the three values that flights are listed by, so that any page of
any order is one range of one index. Instants are milliseconds since 1970, UTC.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import QueuePool

from fleetkit.errors import InvalidValue

__all__ = [
    "advice",
    "api_keys",
    "equipment",
    "file_of",
    "flight_equipment",
    "flights",
    "metadata",
    "open_engine",
    "organisations",
    "projects",
    "reason",
    "services",
]

metadata = MetaData()
# SQLite numbers rows by itself only where the key is exactly INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")


def _owner() -> Column[int]:
    return Column(
        "organisation", _Number, ForeignKey("organisations.pk", ondelete="CASCADE"), nullable=False
    )


organisations = Table(
    "organisations",
    metadata,
    Column("pk", _Number, primary_key=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)
api_keys = Table(
    "api_keys",
    metadata,
    Column("pk", _Number, primary_key=True),
    _owner(),
    Column("prefix", String(32), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
)


def _listed(name: str, *columns: Column[Any]) -> Table:
    """Create a table of records that the API lists."""
    return Table(
        name,
        metadata,
        Column("pk", _Number, primary_key=True),
        _owner(),
        Column("id", String(255), nullable=False),
        Column("name", Text, nullable=False),
        Column("created_at", BigInteger, nullable=False),
        *columns,
        Column("document", Text, nullable=False),
        UniqueConstraint("organisation", "id"),
        Index(f"{name}_by_creation", "organisation", "created_at", "pk"),
    )


equipment = _listed("equipment")
projects = _listed(
    "projects",
    Column("status", Text),
    # The members that only the by-id answer has (reference, rule 4.4.5).
    Column("detail", Text, nullable=False),
)
services = _listed("services", Column("display_order", BigInteger, nullable=False))
Index("projects_by_status", projects.c.organisation, projects.c.status, projects.c.created_at)

flights = Table(
    "flights",
    metadata,
    Column("pk", _Number, primary_key=True),
    _owner(),
    Column("id", String(255), nullable=False),
    Column("flight_date", BigInteger, nullable=False),
    Column("duration", BigInteger, nullable=False),
    Column("flight_type", Text),
    Column("document", Text, nullable=False),
    UniqueConstraint("organisation", "id"),
)
# The primary key has the default order of flights; a pair of flight and equipment is unique.
flight_equipment = Table(
    "flight_equipment",
    metadata,
    Column("equipment", _Number, ForeignKey("equipment.pk", ondelete="CASCADE"), nullable=False),
    Column("flight", _Number, ForeignKey("flights.pk", ondelete="CASCADE"), nullable=False),
    Column("flight_date", BigInteger, nullable=False),
    Column("duration", BigInteger, nullable=False),
    Column("flight_type", Text),
    PrimaryKeyConstraint("equipment", "flight_date", "flight"),
    UniqueConstraint("flight", "equipment"),
    Index("flight_equipment_by_duration", "equipment", "duration", "flight", "flight_type"),
    sqlite_with_rowid=False,
)

# How long a writer waits for another one, and a reader of PostgreSQL for a connection. [s]
_TIMEOUT = 30
# The file of a database contains all records, so only its owner may read it.
_PRIVATE = 0o600
# The part of SQLite's error code with the kind of the error.
_PRIMARY = 0xFF
_ADVICE_FOR = {
    sqlite3.SQLITE_BUSY: "Another process is writing to it; try again when it has finished.",
    sqlite3.SQLITE_READONLY: "Check that you may write to the file and its folder.",
    sqlite3.SQLITE_CANTOPEN: "Check that its folder exists and that you may write to it.",
    sqlite3.SQLITE_FULL: "Free some space on the disk.",
}
_SQLITE_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -32768",
    "PRAGMA journal_size_limit = 67108864",
)


def open_engine(url: str, mode: int | None = None) -> Engine:
    """Open the database and create missing tables.

    Parameters
    ----------
    url : str
        SQLAlchemy's form: ``sqlite:///fleet.db``, ``postgresql+psycopg://user@host/name``;
        ``sqlite://`` is a database in memory that all threads of this process share.
    mode : int, optional
        Permissions of SQLite's file; default: a new file is readable by its owner only (0o600), and
        an existing one is unchanged.

    Raises
    ------
    InvalidValue
        The address is not of a known kind, or the database can't be opened.
    """
    try:
        target = make_url(url)
        if mode is not None and not file_of(target):
            raise InvalidValue("Only the file of a SQLite database has a mode.")
        engine = _ENGINES[target.get_backend_name()](target, mode)
    except (ArgumentError, NoSuchModuleError, KeyError):
        raise InvalidValue("The database's address can't be used.", advice=_ADVICE) from None
    except ModuleNotFoundError as problem:
        raise InvalidValue(
            f"PostgreSQL needs the package {problem.name}.", advice="Install fleetkit[postgresql]."
        ) from None
    try:
        metadata.create_all(engine)
    except (DBAPIError, sqlite3.Error) as problem:
        raise InvalidValue(
            f"The database {target.render_as_string()} can't be opened: {reason(problem)}.",
            advice=advice(problem),
        ) from None
    return engine


def reason(problem: BaseException) -> str:
    """Return the first line of the database's message."""
    return str(_driver_error(problem)).partition("\n")[0].rstrip(".")


def advice(problem: BaseException) -> str:
    """Return what to do where a database can't be opened or written."""
    code = getattr(_driver_error(problem), "sqlite_errorcode", 0)
    return _ADVICE_FOR.get(code & _PRIMARY, "")


def _driver_error(problem: BaseException) -> BaseException | None:
    return problem.orig if isinstance(problem, DBAPIError) else problem


def file_of(target: URL) -> Path | None:
    """Return the file of a SQLite database; None for one in memory, or of another kind.

    Examples
    --------
    >>> file_of(make_url("sqlite:///fleet.db"))
    PosixPath('fleet.db')
    """
    name = target.database or ""
    if target.get_backend_name() != "sqlite" or name in {"", ":memory:"}:
        return None
    if not target.query.get("uri"):
        return Path(name)
    if target.query.get("vfs") == "memdb" or target.query.get("mode") == "memory":
        return None
    return Path(unquote(name.removeprefix("file:").removeprefix("//")))


def _set_mode(file: Path, mode: int | None) -> None:
    """Create the file with its mode before SQLite does; its -wal and -shm get the same mode.

    If SQLite created it, all users could read it until the mode was changed. If it can't be
    created, SQLite reports why.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE))
    if mode is not None:
        for path in (file, *(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))):
            with suppress(FileNotFoundError):
                path.chmod(mode)


def _postgresql(target: URL, _mode: int | None) -> Engine:
    return create_engine(target, pool_size=10, pool_timeout=_TIMEOUT, hide_parameters=True)


def _sqlite(target: URL, mode: int | None) -> Engine:
    file = file_of(target)
    if file is not None and target.query.get("mode", "rwc") == "rwc":
        _set_mode(file, mode)
    if target.database in {None, "", ":memory:"}:
        name = f"file:/fleetkit-{uuid.uuid4().hex}"
        target = target.set(database=name, query={"vfs": "memdb", "uri": "true"})
    engine = create_engine(
        target,
        poolclass=QueuePool,
        # The connection that was used last has the most pages in its cache.
        pool_use_lifo=True,
        paramstyle="named",
        connect_args={
            "timeout": _TIMEOUT if "timeout" not in target.query else _timeout(target),
            "check_same_thread": False,
        },
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _timeout(target: URL) -> float:
    try:
        return float(str(target.query["timeout"]))
    except ValueError:
        raise ArgumentError("The timeout is not a number of seconds.") from None


def _prepare(connection: Any, _record: Any) -> None:
    # _begin begins transactions: the driver's own begin late, and then may fail as locked.
    connection.isolation_level = None
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_READONLY:
            raise  # a read-only database keeps its journal mode


def _begin(connection: Any) -> None:
    # Uses the driver directly, because it runs in every request.
    writes = connection.get_execution_options().get("writes", False)
    driver = connection.connection.dbapi_connection
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


_ENGINES = {"sqlite": _sqlite, "postgresql": _postgresql}
_ADVICE = "Write an address such as sqlite:///fleet.db or postgresql+psycopg://user@host/name."
