"""Commands on the server's database: organisations, their keys and their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from fleetkit import schema
from fleetkit.cli import options
from fleetkit.cli.databases import Database, say_next
from fleetkit.cli.groups import Group
from fleetkit.cli.numbers import WholeNumber
from fleetkit.cli.options import usage_errors
from fleetkit.cli.results import say
from fleetkit.interface import one_line

__all__ = ["COMMANDS", "create_key_words", "size"]

# Modules of the server are imported where they are used: they load a database, which other
# commands don't need.

_organisation = click.option("--org", required=True, help="Id or name of the organisation.")


def size(when: str = "") -> Callable[..., Any]:
    """Return the options of an invented organisation's size, with when they count in their help."""
    helps = ("Pieces of equipment", "Flights", "A different seed gives a different fleet")
    sizes = {"--equipment": 64, "--flights": 12_000, "--seed": 7}
    return options.combined(
        *(
            click.option(
                name, type=WholeNumber(), default=size, show_default=True, help=f"{about}{when}."
            )
            for (name, size), about in zip(sizes.items(), helps, strict=True)
        )
    )


def create_key_words(organisation: str) -> tuple[str, ...]:
    """Return the words of the command that creates a key."""
    return ("keys", "create", "--org", organisation, "--name", "NAME")


@click.group(cls=Group)
def orgs() -> None:
    """Create and list organisations."""


@orgs.command("create")
@click.argument("name")
@click.pass_obj
def create_organisation(database: Database, name: str) -> None:
    """Create an organisation and print its id."""
    say(database.open().create_organisation(name))
    say_next(database.command("import", "--org", name, "FOLDER"))


@orgs.command("list")
@click.pass_obj
def list_organisations(database: Database) -> None:
    """List the organisations.

    All times are in UTC.
    """
    _print_table(database.open().organisations(), ("id", "name", "created_at"))


@click.group(cls=Group)
def keys() -> None:
    """Create, list and revoke API keys."""


@keys.command("create")
@_organisation
@click.option("--name", required=True, help="Name of the key in lists.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(schema.SCOPES),
    metavar="SCOPE",
    multiple=True,
    help=f"Repeatable; default: all three, {', '.join(schema.SCOPES)}.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    help="When the key stops working: a day, whose start it is, or a time; UTC without an offset.",
)
@click.pass_obj
def create_key(
    database: Database, org: str, name: str, scopes: Sequence[str], expires: str | None
) -> None:
    """Create a key and print it; it can't be shown again."""
    from fleetkit.time import instant  # noqa: PLC0415 - it loads pandas

    with usage_errors():
        until = instant(expires) if expires else None
    key = database.open().create_key(org, name=name, scopes=scopes or schema.SCOPES, expires=until)
    if until and until <= datetime.now(UTC):
        click.echo(f"The key has expired already: --expires {expires} lies in the past.", err=True)
    _print_key(database, key)


@keys.command("list")
@click.option("--org", help="Id or name of an organisation; default: all.")
@click.pass_obj
def list_keys(database: Database, org: str | None) -> None:
    """List the keys by their prefixes, without their values.

    All times are in UTC.
    """
    times = ("expires_at", "revoked_at", "last_used_at")
    _print_table(database.open().keys(org), ("prefix", "organisation", "name", "scopes", *times))


@keys.command("revoke")
@click.argument("prefix")
@click.pass_obj
def revoke_key(database: Database, prefix: str) -> None:
    """Revoke a key, at once and for good.

    PREFIX is the start of the key, as the list of keys shows it.
    """
    database.open().revoke_key(prefix)
    say(f"{prefix}: revoked.")


@click.command("import")
@_organisation
@click.argument("folder", required=False)
@click.option(
    "--from-api",
    "base_url",
    metavar="URL",
    callback=options.checked_address,
    help="Copy from another server; key: FLEETKIT_API_KEY, else the stored one.",
)
@options.allow_http
@click.pass_obj
def import_records(
    database: Database, org: str, folder: str | None, base_url: str | None, allow_http: bool
) -> None:
    """Import records from files or another API into an organisation.

    All records are imported, or none; one whose id exists already is replaced as a whole. The files
    of FOLDER are named after their table (equipment, flights, flight_equipment, projects, services,
    tiers, specifications) and end in .csv, .json, .jsonl, .ndjson or .parquet.
    """
    if (folder is None) == (base_url is None):
        raise click.UsageError("Write either a folder or --from-api URL.")
    if allow_http and base_url is None:
        raise click.UsageError("--allow-http goes with --from-api URL.")
    if folder is not None:
        from fleetkit.server.importing import import_folder  # noqa: PLC0415

        report = import_folder(store := database.open(), org, folder)
        counts = report.rows
        if report.not_read:
            click.echo(
                one_line(f"Not read, because no table has this name: {', '.join(report.not_read)}"),
                err=True,
            )
    else:
        from fleetkit.cli.copying import copy_organisation  # noqa: PLC0415

        counts = copy_organisation(
            store := database.open(), org, base_url or "", allow_http=allow_http
        )
    for table, rows in counts.items():
        say(f"{rows:>10,} {table}")
    if unlisted := store.unlisted_flights(org):
        click.echo(
            f"Flights without equipment, which no list shows: {unlisted:,};"
            " import flight_equipment, too.",
            err=True,
        )
    say_next(database.command(*(() if store.keys(org) else create_key_words(org))))


@click.command("demo")
@click.option("--org", default="", help="Name of the organisation; default: the demo's.")
@size()
@click.pass_obj
def fill_demo(database: Database, org: str, equipment: int, flights: int, seed: int) -> None:
    """Add an invented organisation, and print a key to it."""
    from fleetkit.server.demo import demo_stream  # noqa: PLC0415
    from fleetkit.server.embedded import ORGANISATION  # noqa: PLC0415

    with usage_errors():
        records = demo_stream(seed, equipment, flights)
    store = database.open()
    organisation = org or ORGANISATION
    store.load(organisation, is_new=True, **records)
    _print_key(database, store.create_key(organisation, name="demo"))


def _print_key(database: Database, key: str) -> None:
    click.echo("Keep this key; it can't be shown again.", err=True)
    say(key)
    say_next(database.command())


def _print_table(records: Iterable[object], attributes: Sequence[str]) -> None:
    """Print a line per record, in columns below the names of its attributes."""
    titles = [name.removesuffix("_at").replace("_", " ") for name in attributes]
    rows = [[_cell(getattr(record, name)) for name in attributes] for record in records]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for line in (titles, *rows):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _cell(value: str | Sequence[str] | datetime | None) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return one_line(value if isinstance(value, str) else " ".join(value or ()))


COMMANDS = (orgs, keys, import_records, fill_demo)
