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
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import QueuePool

from fleetkit.errors import FleetkitError, InvalidValue

__all__ = [
    "api_keys",
    "checked_address",
    "equipment",
    "errors_explained",
    "file_of",
    "flight_equipment",
    "flights",
    "metadata",
    "open_engine",
    "organisations",
    "projects",
    "services",
    "shown_address",
]

metadata = sa.MetaData()
# SQLite numbers rows by itself only where the key is exactly INTEGER.
_Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _sorted_text(length: int | None = None) -> sa.types.TypeEngine[str]:
    """Create the type of a text that sorts by its characters in every database.

    PostgreSQL would sort by the language that it was set up with.
    """
    in_postgresql = sa.String(length, collation="C")
    return sa.String(length).with_variant(in_postgresql, "postgresql")


def _row_number() -> sa.Column[int]:
    return sa.Column("pk", _Number, primary_key=True)


def _reference(name: str, table: str) -> sa.Column[int]:
    """Create a column with the row of another table; without that row, this one is deleted."""
    row = sa.ForeignKey(f"{table}.pk", ondelete="CASCADE")
    return sa.Column(name, _Number, row, nullable=False)


organisations = sa.Table(
    "organisations",
    metadata,
    _row_number(),
    sa.Column("id", sa.String(64), nullable=False, unique=True),
    sa.Column("name", _sorted_text(), nullable=False, unique=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),
)
api_keys = sa.Table(
    "api_keys",
    metadata,
    _row_number(),
    _reference("organisation", "organisations"),
    sa.Column("prefix", sa.String(32), nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
)


def _records(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """Create a table of records: ids, the columns that lists are sorted by, and the JSON text."""
    return sa.Table(
        name,
        metadata,
        _row_number(),
        _reference("organisation", "organisations"),
        sa.Column("id", _sorted_text(255), nullable=False),
        *columns,
        sa.Column("document", sa.Text, nullable=False),
        sa.UniqueConstraint("organisation", "id"),
    )


def _listed(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """Create a table of records that the API lists by when they were created."""
    created_at = sa.Column("created_at", sa.BigInteger, nullable=False)
    label = sa.Column("name", _sorted_text(), nullable=False)
    table = _records(name, label, created_at, *columns)
    sa.Index(f"{name}_by_creation", table.c.organisation, table.c.created_at, table.c.pk)
    return table


def _flight_columns() -> tuple[sa.Column[Any], ...]:
    """Create the columns that lists of flights are sorted and filtered by."""
    return (
        sa.Column("flight_date", sa.BigInteger, nullable=False),
        sa.Column("duration", sa.BigInteger, nullable=False),
        sa.Column("flight_type", sa.Text),
    )


equipment = _listed("equipment")
projects = _listed(
    "projects",
    sa.Column("status", sa.Text),
    # The members that only the by-id answer has (reference, rule 4.4.5).
    sa.Column("detail", sa.Text, nullable=False),
)
sa.Index("projects_by_status", projects.c.organisation, projects.c.status, projects.c.created_at)
services = _listed("services", sa.Column("display_order", sa.BigInteger, nullable=False))
flights = _records("flights", *_flight_columns())
# The primary key has the default order of flights; a pair of flight and equipment is unique.
flight_equipment = sa.Table(
    "flight_equipment",
    metadata,
    _reference("equipment", "equipment"),
    _reference("flight", "flights"),
    *_flight_columns(),
    sa.PrimaryKeyConstraint("equipment", "flight_date", "flight"),
    sa.UniqueConstraint("flight", "equipment"),
    sa.Index("flight_equipment_by_duration", "equipment", "duration", "flight", "flight_type"),
    sqlite_with_rowid=False,
)

# How long a writer waits for another one, and a reader of PostgreSQL for a connection. [s]
_TIMEOUT = 30
# Between two attempts to set the journal mode. [s]
_PAUSE = 0.01
# Number of the lock under which tables of PostgreSQL are created: any that no other program uses.
_CREATING = 0x666C656574
# The file of a database contains all records, so only its owner may read it.
_PRIVATE = 0o600
# The part of SQLite's error code with the kind of the error.
_PRIMARY = 0xFF
# Code of SQLite, or of PostgreSQL → what to do.
_ADVICE_FOR: dict[int | str, str] = {
    sqlite3.SQLITE_BUSY: "Another process is writing to it; try again when it has finished.",
    # Who serves a file that can only be read leaves two beside it that can only be read, too.
    sqlite3.SQLITE_READONLY: "Check that you may write to the file, to its folder, and to those "
    "beside it whose names go on with -wal and -shm.",
    sqlite3.SQLITE_CANTOPEN: "Check that its folder exists and that you may write to it.",
    sqlite3.SQLITE_NOTADB: "Name another file, or one that there isn't yet.",
    sqlite3.SQLITE_IOERR: "Check that its disk has room left and isn't failing, and "
    "that files may grow (ulimit -f).",
    sqlite3.SQLITE_FULL: "Where it is a file, free some space on its disk; where it is in memory, "
    "which holds 1 GiB at most, use a file, such as sqlite:///fleet.db.",
    "53100": "Free some space on the disk of PostgreSQL.",
    "22P05": "Use a database of PostgreSQL that holds every character: one that was created with "
    "ENCODING 'UTF8' TEMPLATE template0.",
}
_ADVICE_FOR_SERVERS = (
    "Check that it runs there and has a connection left, and that the user may use the database."
)
_SQLITE_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -32768",
    "PRAGMA journal_size_limit = 67108864",
)


def open_engine(url: str, mode: int | None) -> sa.Engine:
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
    target = checked_address(url)
    try:
        engine = _ENGINES[target.get_backend_name()](target)
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise _unusable() from None
    except ModuleNotFoundError as problem:
        install = 'Install it: pip install "fleetkit[postgresql]".'
        raise InvalidValue(
            f"The database's address needs the package {problem.name}, which is not installed.",
            advice=install if problem.name == "psycopg" else _ADVICE,
        ) from None
    file = file_of(target)
    if file is None and mode is not None:
        raise InvalidValue("Only the file of a SQLite database has a mode.")
    if file is not None and target.query.get("mode", "rwc") == "rwc":
        _set_mode(file, mode)
    failure = f"The database {shown_address(target)} can't be opened"
    advice = "" if target.get_backend_name() == "sqlite" else _ADVICE_FOR_SERVERS
    with errors_explained(failure, InvalidValue, advice=advice):
        if foreign := _foreign_table(engine):
            raise InvalidValue(
                f"{failure}: its table {foreign} is not of fleetkit's layout.",
                advice="Name another database, or one that there isn't yet.",
            )
        _create_tables(engine)
    return engine


def checked_address(url: str) -> URL:
    """Return the address of a database, if it is one of a known kind.

    Raises
    ------
    InvalidValue
        It is not, or a part of its password would be shown.

    Examples
    --------
    >>> checked_address("sqlite:///fleet.db").database
    'fleet.db'
    """
    try:
        target = make_url(url)
        if target.get_backend_name() not in _ENGINES:
            raise _unusable()
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise _unusable() from None
    _check_password(target)
    return target


def shown_address(target: URL) -> str:
    """Return the address of a database as it may be shown, without password and query.

    The query can hold a secret too, by any of the names that a database has for one, or where a
    file with one lies.

    Examples
    --------
    >>> shown_address(checked_address("postgresql+psycopg://ada:secret@db.example/fleet?sslmode=require"))
    'postgresql+psycopg://ada:***@db.example/fleet'
    """
    return target.set(query={}).render_as_string()


def _unusable() -> InvalidValue:
    return InvalidValue("The database's address can't be used.", advice=_ADVICE)


def _check_password(target: URL) -> None:
    """Refuse an address of which a part of the password is taken for the host, which is shown."""
    if target.host and "@" in f"{target.host}{target.database}":
        raise InvalidValue(
            "The password in the database's address has an @.",
            advice="Write it as %40, and a / as %2F.",
        )


def _foreign_table(engine: sa.Engine) -> str:
    """Return the first table that lacks a column of ours, as one of another program does."""
    inspector = sa.inspect(engine)
    for table in metadata.sorted_tables:
        if inspector.has_table(table.name):
            names = {column["name"] for column in inspector.get_columns(table.name)}
            if not names.issuperset(table.c.keys()):
                return table.name
    return ""


def _create_tables(engine: sa.Engine) -> None:
    """Create missing tables, of several processes that open an empty database the first one."""
    if metadata.tables.keys() <= set(sa.inspect(engine).get_table_names()):
        return  # a database that can only be read has all
    connection = engine.connect().execution_options(writes=True)
    with connection, connection.begin():
        if engine.dialect.name == "postgresql":  # writers of SQLite wait for one another anyway
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CREATING)))
        metadata.create_all(connection)


@contextmanager
def errors_explained(
    failure: str,
    kind: type[FleetkitError] = FleetkitError,
    consequence: str = "",
    advice: str = "",
) -> Iterator[None]:
    """Raise an error of the database again with what failed, the reason, and what to do."""
    try:
        yield
    # SQLite's own error comes from the start of a transaction, which SQLAlchemy doesn't see.
    except (DBAPIError, sqlite3.Error) as problem:
        cause = problem.orig if isinstance(problem, DBAPIError) else problem
        reason = str(cause).partition("\n")[0].rstrip(".")
        code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorcode", 0) & _PRIMARY
        what_next = _ADVICE_FOR.get(code, advice)
        raise kind(f"{failure}: {reason}. {consequence}", advice=what_next) from problem


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


def _postgresql(target: URL) -> sa.Engine:
    # Of a database without an encoding (SQL_ASCII) psycopg would otherwise read bytes, not texts.
    is_libpq = target.get_driver_name().startswith("psycopg")
    return sa.create_engine(
        target,
        connect_args={"client_encoding": "utf8"} if is_libpq else {},
        pool_size=10,
        pool_timeout=_TIMEOUT,
        pool_pre_ping=True,  # connections end where the database is restarted
        hide_parameters=True,
    )


def _sqlite(target: URL) -> sa.Engine:
    if target.database in {None, "", ":memory:"}:
        name = f"file:/fleetkit-{uuid.uuid4().hex}"
        target = target.set(database=name, query={"vfs": "memdb", "uri": "true"})
    timeout = {} if "timeout" in target.query else {"timeout": _TIMEOUT}
    engine = sa.create_engine(
        target,
        poolclass=QueuePool,
        # The connection that was used last has the most pages in its cache.
        pool_use_lifo=True,
        paramstyle="named",
        connect_args={"check_same_thread": False, **timeout},
        hide_parameters=True,
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: Any) -> None:
    # _begin begins transactions: the driver's own begin late, and then may fail as locked.
    connection.isolation_level = None
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)
    _write_ahead(connection)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Set the journal mode, for which SQLite itself doesn't wait while another one sets it."""
    (wait,) = connection.execute("PRAGMA busy_timeout").fetchone()  # [ms]
    deadline = time.monotonic() + wait / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            code = problem.sqlite_errorcode & _PRIMARY
            if code == sqlite3.SQLITE_READONLY:
                return  # the journal mode of a read-only database can't change
            if code != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _begin(connection: Any) -> None:
    # Uses the driver directly, because it runs in every request.
    writes = connection.get_execution_options().get("writes", False)
    driver = connection.connection.dbapi_connection
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


_ENGINES = {"sqlite": _sqlite, "postgresql": _postgresql}
_ADVICE = "Write an address such as sqlite:///fleet.db or postgresql+psycopg://user@host/name."
