"""``fleetkit serve`` and what is under it: the API itself, its organisations, keys and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from fleetkit import periods, schema
from fleetkit.cli import options
from fleetkit.cli.groups import Group
from fleetkit.errors import InvalidValue

if TYPE_CHECKING:
    from fleetkit.server import Store

__all__ = ["serve"]

# Modules of the server are imported where they are used: they load a database and a web
# framework, which no other command needs.

DATABASE = "sqlite:///fleet.db"
_size = (
    click.option("--equipment", default=64, show_default=True, help="Pieces of equipment."),
    click.option("--flights", default=12_000, show_default=True, help="Flights."),
    click.option("--seed", default=7, show_default=True, help="Another seed, another fleet."),
)
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
)
@click.option(
    "--db", default=DATABASE, show_default=True, envvar="FLEETKIT_SERVER_DB", help="Database URL."
)
@click.option("--demo", is_flag=True, help="Serve an invented organisation from memory.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, help="0 takes a free one.")
@click.option("--workers", default=1, show_default=True, help="Processes that answer.")
@click.option("--dial", "dials", multiple=True, help="name=value: how open questions are settled.")
@click.option("--dials", "list_dials", is_flag=True, help="List the dials and end.")
@_with(*_size)
@options.debug
@click.pass_context
def serve(context: click.Context, db: str, list_dials: bool, **given: Any) -> None:
    """Serve the API itself from a database.

    The database is a file of SQLite; the URL of PostgreSQL takes its place. Without a command the
    server runs until Ctrl+C.
    """
    context.obj = db
    if context.invoked_subcommand is None:
        _print_dials() if list_dials else _serve(db, **given)


def _print_dials() -> None:
    from fleetkit.server import options as texts  # noqa: PLC0415
    from fleetkit.server.dials import Dials  # noqa: PLC0415

    for each in texts.describe(Dials):
        click.echo(f"{each.name} = {each.default}\n    settings: {each.settings}")
        click.echo(f"    open in the reference: {each.about}")


def _serve(  # noqa: PLR0917
    db: str, demo: bool, host: str, port: int, workers: int, dials: Sequence[str], **size: Any
) -> None:
    from fleetkit.server.dials import from_text  # noqa: PLC0415
    from fleetkit.server.embedded import serve_demo  # noqa: PLC0415
    from fleetkit.server.running import serve as serve_store  # noqa: PLC0415

    settled = from_text(dict(_pair(each) for each in dials))
    if demo:
        serve_demo(host=host, port=port, dials=settled, **size, say=click.echo)
        return
    store = _open(db)
    if not store.organisations():
        click.echo(
            "The database holds no organisation yet: fleetkit serve orgs create NAME", err=True
        )
    serve_store(
        store,
        host=host,
        port=port,
        workers=workers,
        dials=settled,
        ready=lambda base_url: click.echo(f"Serving at {base_url}; stop with Ctrl+C."),
    )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidValue(f"{text!r} is no dial.", advice="Write --dial name=value.")
    return name.strip(), value.strip()


def _open(db: str) -> Store:
    from fleetkit.server.store import Store  # noqa: PLC0415

    return Store(db)


@serve.group()
def orgs() -> None:
    """Make and list organisations; none can see another."""


@orgs.command("create")
@click.argument("name")
@click.pass_obj
def create_organisation(db: str, name: str) -> None:
    """Make an organisation and print its id."""
    click.echo(_open(db).create_organisation(name))


@orgs.command("list")
@click.pass_obj
def list_organisations(db: str) -> None:
    """List the organisations."""
    rows = [(each.id, each.name, _day(each.created_at)) for each in _open(db).organisations()]
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
def create_key(db: str, org: str, name: str, scopes: Sequence[str], expires: str | None) -> None:
    """Make a key and print it, this once."""
    until = periods.instant(expires) if expires else None
    key = _open(db).create_key(org, name=name, scopes=scopes or schema.SCOPES, expires=until)
    click.echo("Keep this key; it can't be shown again.", err=True)
    click.echo(key)


@keys.command("list")
@click.option("--org", help="Id or name of an organisation; default: all.")
@click.pass_obj
def list_keys(db: str, org: str | None) -> None:
    """List the keys by their first letters, without their values."""
    rows = [
        (
            each.prefix,
            each.organisation,
            each.name,
            " ".join(each.scopes),
            _day(each.expires_at),
            _day(each.revoked_at),
            _day(each.last_used_at),
        )
        for each in _open(db).keys(org)
    ]
    titles = ("prefix", "organisation", "name", "scopes", "expires", "revoked", "last used")
    _print_table(titles, rows)


@keys.command("revoke")
@click.argument("prefix")
@click.pass_obj
def revoke_key(db: str, prefix: str) -> None:
    """Make a key stop working, at once and for good.

    PREFIX is how the list of keys shows it.
    """
    _open(db).revoke_key(prefix)
    click.echo(f"{prefix}: revoked.")


@serve.command("import")
@_organisation
@click.argument("folder", required=False)
@click.option("--from-api", "base_url", help="Copy from another server; key: FLEETKIT_API_KEY.")
@click.pass_obj
def import_records(db: str, org: str, folder: str | None, base_url: str | None) -> None:
    """Put records from files or another API into an organisation.

    All records are imported, or none. The files of FOLDER are named after their table (equipment,
    flights, flight_equipment, projects, services, tiers, specifications) and end in .csv, .json,
    .jsonl or .parquet.
    """
    if (folder is None) == (base_url is None):
        raise InvalidValue("Name a folder or --from-api URL, one of them.")
    if folder is not None:
        from fleetkit.server.importing import import_folder  # noqa: PLC0415

        counts = import_folder(_open(db), org, folder)
    else:
        from fleetkit.cli.copying import copy_organisation  # noqa: PLC0415

        counts = copy_organisation(_open(db), org, base_url or "")
    for table, rows in counts.items():
        click.echo(f"{rows:>10,} {table}")


@serve.command("demo")
@click.option("--org", default="", help="Name of the organisation; default: the demo's.")
@_with(*_size)
@click.pass_obj
def fill_demo(db: str, org: str, **size: Any) -> None:
    """Fill the database with an invented organisation.

    It has any size; a key to it is printed.
    """
    from fleetkit.server.demo import demo_stream  # noqa: PLC0415
    from fleetkit.server.embedded import ORGANISATION  # noqa: PLC0415

    store = _open(db)
    organisation = store.create_organisation(org or ORGANISATION)
    store.load(organisation, **demo_stream(**size))
    click.echo(store.create_key(organisation, name="demo"))


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [titles, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
