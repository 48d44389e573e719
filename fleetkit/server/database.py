"""The tables, and how the database is opened: SQLite by default, PostgreSQL by URL.

Each record is kept once, as the JSON text that the API sends (``document``), beside the columns
that lists are filtered and ordered by. So a page of a list is stored texts joined by commas, the
same bytes from every database, and a field that the reference doesn't know survives. A service's
document holds its tiers, as the API nests them.

``flight_equipment`` carries a copy of the three values that flights are listed by, so that any page
of any order is one range of one index. Instants are milliseconds since 1970, UTC.
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
    """Make a table of records that have a list of their own."""
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
# Kept in the order in which flights are listed by default; one pair stands once all the same.
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

# Seconds that a writer waits for another one, and a reader of PostgreSQL for a connection.
_PATIENCE = 30
# Nobody but its owner has anything to do with the file of a database: it holds all records.
_PRIVATE = 0o600
# The part of SQLite's error code that says what kind of an error it is.
_PRIMARY = 0xFF
_ADVICE_FOR = {
    sqlite3.SQLITE_BUSY: "Another process is writing to it; try again when that has ended.",
    sqlite3.SQLITE_READONLY: "See whether you may write the file and its folder.",
    sqlite3.SQLITE_CANTOPEN: "See whether its folder is there, and whether you may write to it.",
    sqlite3.SQLITE_FULL: "Make room on the disk.",
}
_SQLITE_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -32768",
    "PRAGMA journal_size_limit = 67108864",
)


def open_engine(url: str, mode: int | None = None) -> Engine:
    """Open the database and make the tables that it lacks.

    Parameters
    ----------
    url : str
        SQLAlchemy's form: ``sqlite:///fleet.db``, ``postgresql+psycopg://user@host/name``;
        ``sqlite://`` is a database in memory that all threads of this process share.
    mode : int, optional
        Who may read and write the file of a SQLite database, as ``chmod`` has it; default: a new
        file is its owner's alone (0o600), and an existing one stays as it is.

    Raises
    ------
    InvalidValue
        An address of no database that we know, or of one that can't be opened.
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
    """Return the first line of what the database says."""
    said = problem.orig if isinstance(problem, DBAPIError) else problem
    return str(said).partition("\n")[0].rstrip(".")


def advice(problem: BaseException) -> str:
    """Return what to do where a database can't be opened or written."""
    said = problem.orig if isinstance(problem, DBAPIError) else problem
    return _ADVICE_FOR.get(getattr(said, "sqlite_errorcode", 0) & _PRIMARY, "")


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
    """Make the file with its mode before SQLite does; its -wal and -shm take the same mode.

    Made by SQLite it would be readable by everybody until the mode was changed. Where it can't be
    made, SQLite says why.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE))
    if mode is not None:
        for path in (file, *(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))):
            with suppress(FileNotFoundError):
                path.chmod(mode)


def _postgresql(target: URL, _mode: int | None) -> Engine:
    return create_engine(target, pool_size=10, pool_timeout=_PATIENCE, hide_parameters=True)


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
        # The one that was used last has the pages at hand.
        pool_use_lifo=True,
        paramstyle="named",
        connect_args={
            "timeout": _PATIENCE if "timeout" not in target.query else _timeout(target),
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
    # Transactions are begun by _begin: the driver's own begin late, and then may fail as locked.
    connection.isolation_level = None
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_READONLY:
            raise  # one that may only be read keeps the journal that it has


def _begin(connection: Any) -> None:
    # Straight to the driver: this runs in every request.
    writes = connection.get_execution_options().get("writes", False)
    driver = connection.connection.dbapi_connection
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


_ENGINES = {"sqlite": _sqlite, "postgresql": _postgresql}
_ADVICE = "Give one such as sqlite:///fleet.db or postgresql+psycopg://user@host/name."
