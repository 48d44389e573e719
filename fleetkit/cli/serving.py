"""``fleetkit serve`` and what is under it: the API itself, its organisations, keys and records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from ipaddress import ip_address
from typing import Any

import click
from click.core import ParameterSource

from fleetkit import periods, schema
from fleetkit.cli import options
from fleetkit.cli.databases import Database, say_next
from fleetkit.cli.groups import Group
from fleetkit.errors import InvalidValue

__all__ = ["serve"]

# Modules of the server are imported where they are used: they load a database and a web
# framework, which no other command needs.

DATABASE = "sqlite:///fleet.db"
_size = (
    click.option("--equipment", default=64, show_default=True, help="Pieces of equipment."),
    click.option("--flights", default=12_000, show_default=True, help="Flights."),
    click.option("--seed", default=7, show_default=True, help="Another seed, another fleet."),
)
# Options as they were called before; they work, and the help doesn't show them.
_OLD_NAMES = {
    "dial": "set-dial",
    "dials": "list-dials",
    "limit": "set-limit",
    "limits": "list-limits",
}
_organisation = click.option("--org", required=True, help="Id or name of the organisation.")


def _with(*shared: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for option in reversed(shared):
            command = option(command)
        return command

    return add


@click.group(
    cls=Group,
    invoke_without_command=True,
    epilog=options.examples(
        "fleetkit serve --demo",
        'fleetkit serve orgs create "Nordic Drone Services"',
        'fleetkit serve import --org "Nordic Drone Services" folder/',
        'fleetkit serve keys create --org "Nordic Drone Services" --name cron',
        "fleetkit serve --port 8000",
    ),
    context_settings={"token_normalize_func": lambda name: _OLD_NAMES.get(name, name)},
)
@click.option(
    "--db", default=DATABASE, show_default=True, envvar="FLEETKIT_SERVER_DB", help="Database URL."
)
@click.option(
    "--db-mode",
    metavar="MODE",
    help="Who may read SQLite's file, such as 640; default: a new one is yours alone (600).",
)
@click.option("--demo", is_flag=True, help="Serve an invented organisation from memory.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    help="0 takes a free one.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that answer.",
)
@click.option(
    "--set-dial",
    "dials",
    multiple=True,
    metavar="NAME=VALUE",
    envvar="FLEETKIT_SERVER_DIALS",
    help="Choose how to answer where the reference leaves it open; repeatable.",
)
@click.option("--list-dials", is_flag=True, help="List the dials and exit.")
@click.option(
    "--set-limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    envvar="FLEETKIT_SERVER_LIMITS",
    help="Limit one client's bytes, seconds or connections; repeatable.",
)
@click.option("--list-limits", is_flag=True, help="List the limits and exit.")
@_with(*_size)
@options.debug
@click.pass_context
def serve(
    context: click.Context,
    /,
    db: str,
    db_mode: str | None,
    list_dials: bool,
    list_limits: bool,
    **given: Any,
) -> None:
    """Serve the API itself from a database.

    The database is a file of SQLite; the URL of PostgreSQL takes its place. Without a command the
    server runs until Ctrl+C.
    """
    is_given = context.get_parameter_source("db") is ParameterSource.COMMANDLINE
    context.obj = Database(db, db_mode, is_given)
    if context.invoked_subcommand is not None:
        return
    if list_dials or list_limits:
        _print_options(list_dials, list_limits)
    else:
        _serve(context.obj, **given)


def _print_options(dials: bool, limits: bool) -> None:
    from fleetkit.server.dials import Dials  # noqa: PLC0415
    from fleetkit.server.limits import Limits  # noqa: PLC0415

    described = [("open in the reference", option) for option in Dials.describe() if dials]
    described += [("limits", option) for option in Limits.describe() if limits]
    for title, option in described:
        click.echo(f"{option.name} = {option.default}\n    settings: {option.settings}")
        click.echo(f"    {title}: {option.about}")


def _serve(  # noqa: PLR0917
    database: Database,
    demo: bool,
    host: str,
    port: int,
    workers: int,
    dials: Sequence[str],
    limits: Sequence[str],
    **size: Any,
) -> None:
    from fleetkit.server.dials import Dials  # noqa: PLC0415
    from fleetkit.server.embedded import serve_demo  # noqa: PLC0415
    from fleetkit.server.limits import Limits  # noqa: PLC0415
    from fleetkit.server.running import serve as serve_store  # noqa: PLC0415

    chosen: dict[str, Any] = {
        "host": host,
        "port": port,
        "dials": Dials.parse(*dials),
        "limits": Limits.parse(*limits),
    }
    _warn_of_plain_http(host)
    if demo:
        with _log_on_stderr():
            serve_demo(**chosen, **size, say=click.echo)
        return
    store = database.open()
    _say_what_is_missing(database, store)
    if database.mode is None and database.is_open_to_others():
        click.echo(
            "Other users of this machine can read the database; --db-mode 600 ends that.", err=True
        )

    def ready(base_url: str) -> None:
        click.echo(f"Serving at {base_url}; stop with Ctrl+C.")
        click.echo(
            "Next, in another terminal, with a key in FLEETKIT_API_KEY:"
            f" fleetkit check --base-url {base_url}"
        )

    with _log_on_stderr():
        serve_store(store, **chosen, workers=workers, ready=ready)


def _say_what_is_missing(database: Database, store: Any) -> None:
    """Say what has to be made before a client gets anything."""
    organisations = store.organisations()
    if not organisations:
        say = (
            f"The database holds no organisation yet: {database.command('orgs', 'create', 'NAME')}"
        )
        click.echo(say, err=True)
    elif not store.keys():
        words = ("keys", "create", "--org", organisations[0].name, "--name", "NAME")
        click.echo(f"There is no API key yet: {database.command(*words)}", err=True)


def _warn_of_plain_http(host: str) -> None:
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if not is_local:
        click.echo(
            "API keys and records travel unencrypted to this address, unless a proxy before it adds"
            " TLS: see 'The server' in the README.",
            err=True,
        )


@contextmanager
def _log_on_stderr() -> Iterator[None]:
    """Write what fails while serving to stderr, also where nobody watches, as under systemd."""
    log, handler = logging.getLogger("fleetkit.server"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    propagate, log.propagate = log.propagate, False
    try:
        yield
    finally:
        log.propagate = propagate
        log.removeHandler(handler)


@serve.group()
def orgs() -> None:
    """Make and list organisations; none can see another."""


@orgs.command("create")
@click.argument("name")
@click.pass_obj
def create_organisation(database: Database, name: str) -> None:
    """Make an organisation and print its id."""
    click.echo(database.open().create_organisation(name))
    say_next(database.command("import", "--org", name, "FOLDER"))


@orgs.command("list")
@click.pass_obj
def list_organisations(database: Database) -> None:
    """List the organisations."""
    rows = [(org.id, org.name, _day(org.created_at)) for org in database.open().organisations()]
    _print_table(("id", "name", "created"), rows)


@serve.group()
def keys() -> None:
    """Make, list and revoke API keys."""


@keys.command("create")
@_organisation
@click.option("--name", required=True, help="What the key is called in lists.")
@click.option("--scope", "scopes", multiple=True, help="Repeatable; default: all three.")
@click.option("--expires", help="Date or time from which on the key stops working.")
@click.pass_obj
def create_key(
    database: Database, org: str, name: str, scopes: Sequence[str], expires: str | None
) -> None:
    """Make a key and print it, this once."""
    until = periods.instant(expires) if expires else None
    key = database.open().create_key(org, name=name, scopes=scopes or schema.SCOPES, expires=until)
    _print_key(database, key)


@keys.command("list")
@click.option("--org", help="Id or name of an organisation; default: all.")
@click.pass_obj
def list_keys(database: Database, org: str | None) -> None:
    """List the keys by their first letters, without their values."""
    rows = [
        (
            key.prefix,
            key.organisation,
            key.name,
            " ".join(key.scopes),
            _day(key.expires_at),
            _day(key.revoked_at),
            _day(key.last_used_at),
        )
        for key in database.open().keys(org)
    ]
    titles = ("prefix", "organisation", "name", "scopes", "expires", "revoked", "last used")
    _print_table(titles, rows)


@keys.command("revoke")
@click.argument("prefix")
@click.pass_obj
def revoke_key(database: Database, prefix: str) -> None:
    """Make a key stop working, at once and for good.

    PREFIX is how the list of keys shows it.
    """
    database.open().revoke_key(prefix)
    click.echo(f"{prefix}: revoked.")


@serve.command("import")
@_organisation
@click.argument("folder", required=False)
@click.option("--from-api", "base_url", help="Copy from another server; key: FLEETKIT_API_KEY.")
@click.pass_obj
def import_records(database: Database, org: str, folder: str | None, base_url: str | None) -> None:
    """Put records from files or another API into an organisation.

    All records are imported, or none. The files of FOLDER are named after their table (equipment,
    flights, flight_equipment, projects, services, tiers, specifications) and end in .csv, .json,
    .jsonl or .parquet.
    """
    if (folder is None) == (base_url is None):
        raise InvalidValue("Name a folder or --from-api URL, one of them.")
    if folder is not None:
        from fleetkit.server.importing import import_folder  # noqa: PLC0415

        report = import_folder(store := database.open(), org, folder)
        counts = report.rows
        if report.not_read:
            click.echo(f"Not read, as no table is named so: {', '.join(report.not_read)}", err=True)
    else:
        from fleetkit.cli.copying import copy_organisation  # noqa: PLC0415

        counts = copy_organisation(store := database.open(), org, base_url or "")
    for table, rows in counts.items():
        click.echo(f"{rows:>10,} {table}")
    if unlisted := store.unlisted_flights(org):
        click.echo(
            f"{unlisted:,} flights are of no piece of equipment, so no list shows them;"
            " import flight_equipment too.",
            err=True,
        )
    create = ("keys", "create", "--org", org, "--name", "NAME")
    say_next(database.command() if store.keys(org) else database.command(*create))


@serve.command("demo")
@click.option("--org", default="", help="Name of the organisation; default: the demo's.")
@_with(*_size)
@click.pass_obj
def fill_demo(database: Database, /, org: str, **size: Any) -> None:
    """Fill the database with an invented organisation.

    It has any size; a key to it is printed.
    """
    from fleetkit.server.demo import demo_stream  # noqa: PLC0415
    from fleetkit.server.embedded import ORGANISATION  # noqa: PLC0415

    records = demo_stream(**size)
    store = database.open()
    organisation = store.create_organisation(org or ORGANISATION)
    store.load(organisation, **records)
    _print_key(database, store.create_key(organisation, name="demo"))


def _print_key(database: Database, key: str) -> None:
    click.echo("Keep this key; it can't be shown again.", err=True)
    click.echo(key)
    say_next(database.command())


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [titles, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
