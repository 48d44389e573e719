"""``fleetkit serve``: the API itself, from a database or of an invented organisation."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from fleetkit.cli import options
from fleetkit.cli.databases import Database
from fleetkit.cli.groups import Group
from fleetkit.cli.numbers import WholeRange
from fleetkit.cli.options import usage_errors
from fleetkit.cli.organisations import COMMANDS, create_key_words, size

__all__ = ["serve"]

# Modules of the server are imported where they are used: they load a database and a web
# framework, which other commands don't need.

DATABASE = "sqlite:///fleet.db"

# Options for the demo only, and options for a database only.
_OF_DEMO, _OF_DATABASE = {"equipment", "flights", "seed"}, {"db", "db_mode", "workers"}
# Options of `serve` itself that its subcommands use.
_OF_COMMANDS = {"db", "db_mode", "debug"}


@click.group(
    cls=Group,
    commands=COMMANDS,
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
    "--db",
    default=DATABASE,
    show_default=True,
    envvar="FLEETKIT_SERVER_DB",
    show_envvar=True,
    help="Database URL.",
)
@click.option(
    "--db-mode",
    metavar="MODE",
    help="Permissions of SQLite's file, such as 640; default: 600 for a new file.",
)
@click.option("--demo", is_flag=True, help="Serve an invented organisation from memory.")
@options.listening(port=8000)
@click.option(
    "--workers",
    type=WholeRange(1, 1_000),
    default=1,
    show_default=True,
    help="Number of server processes; a key has the quota of each of them.",
)
@click.option(
    "--set-dial",
    "dials",
    multiple=True,
    metavar="NAME=VALUE",
    envvar="FLEETKIT_SERVER_DIALS",
    show_envvar=True,
    help="Choose how to answer where the reference leaves it open; repeatable, in the variable with"
    " commas between.",
)
@click.option("--list-dials", is_flag=True, help="List the dials and exit.")
@click.option(
    "--set-limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    envvar="FLEETKIT_SERVER_LIMITS",
    show_envvar=True,
    help="Limit one client's bytes, seconds or connections; repeatable, in the variable with commas"
    " between.",
)
@click.option("--list-limits", is_flag=True, help="List the limits and exit.")
@size(", with --demo")
@click.pass_context
def serve(
    context: click.Context,
    /,
    db: str,
    db_mode: str | None,
    list_dials: bool,
    list_limits: bool,
    **options: Any,
) -> None:
    """Serve the API itself from a database.

    The database is an SQLite file, or PostgreSQL by its URL. Without a command the server runs
    until Ctrl+C.
    """
    is_given = context.get_parameter_source("db") is ParameterSource.COMMANDLINE
    context.obj = Database(db, db_mode, is_given)
    if context.invoked_subcommand is not None:
        others = {option.name for option in context.command.params} - _OF_COMMANDS
        reason = f"options of {context.invoked_subcommand} stand behind it"
        _refuse_without_effect(context, others, reason)
        return
    if list_dials or list_limits:
        _print_options(list_dials, list_limits)
    else:
        is_demo = options["demo"]
        reason = "it goes with a database" if is_demo else "it goes with --demo"
        _refuse_without_effect(context, _OF_DATABASE if is_demo else _OF_DEMO, reason)
        _serve(context.obj, **options)


def _refuse_without_effect(
    context: click.Context, names: Collection[str | None], reason: str
) -> None:
    """Refuse options of these names on the command line: they would change nothing."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is ParameterSource.COMMANDLINE:
            message = f"{option.opts[0]} changes nothing here: {reason}."
            raise click.UsageError(message, context)


def _print_options(dials: bool, limits: bool) -> None:
    from fleetkit.server.dials import Dials  # noqa: PLC0415
    from fleetkit.server.limits import Limits  # noqa: PLC0415

    described = [("open in the reference", option) for option in Dials.describe() if dials]
    described += [("limits", option) for option in Limits.describe() if limits]
    for title, option in described:
        click.echo(f"{option.name} = {option.default}\n    settings: {option.settings}")
        click.echo(f"    {title}: {option.about}")


def _serve(
    database: Database,
    *,
    demo: bool,
    workers: int,
    dials: Sequence[str],
    limits: Sequence[str],
    host: str,
    port: int,
    **size: Any,
) -> None:
    from fleetkit.client.address import is_loopback  # noqa: PLC0415
    from fleetkit.server.demo import check_size  # noqa: PLC0415
    from fleetkit.server.dials import Dials  # noqa: PLC0415
    from fleetkit.server.limits import Limits  # noqa: PLC0415
    from fleetkit.server.running import serve as serve_store  # noqa: PLC0415

    with usage_errors():
        options: dict[str, Any] = {
            "host": host,
            "port": port,
            "dials": _parsed(Dials, "dials", dials),
            "limits": _parsed(Limits, "limits", limits),
        }
        if demo:
            check_size(size["equipment"], size["flights"])
    if not is_loopback(host):
        click.echo(
            "API keys and records are sent unencrypted to this address, unless a proxy in front of"
            " it adds TLS: see docs/guide/server.md.",
            err=True,
        )
    if demo:
        _serve_demo(size, options)
        return
    store = database.open()
    _report_missing(database, store)
    if database.mode is None and database.is_open_to_others():
        click.echo(
            "Other users of this machine can read the database; --db-mode 600 ends that.", err=True
        )

    def ready(base_url: str) -> None:
        click.echo(f"Serving at {base_url}; stop with Ctrl+C.")
        click.echo(_next_step(base_url, "a key"))

    with _log_on_stderr():
        serve_store(store, **options, workers=workers, ready=ready)


def _parsed(kind: Any, name: str, texts: Sequence[str]) -> Any:
    """Return dials or limits, as the command line has them, or a variable of the environment.

    click would separate those of a variable at blanks.
    """
    source = click.get_current_context().get_parameter_source(name)
    if source is ParameterSource.ENVIRONMENT:
        return kind.from_environment(f"FLEETKIT_SERVER_{name.upper()}")
    return kind.parse(*texts)


def _serve_demo(size: dict[str, int], options: dict[str, Any]) -> None:
    from fleetkit.server.embedded import ORGANISATION, demo_store  # noqa: PLC0415
    from fleetkit.server.running import serve as serve_store  # noqa: PLC0415

    with _log_on_stderr(), demo_store(as_of=None, **size) as (store, api_key):

        def ready(base_url: str) -> None:
            click.echo(f"{ORGANISATION}: {base_url}")
            click.echo(f"API key: {api_key}")
            click.echo(_next_step(base_url, "that key"))
            click.echo("Stop with Ctrl+C.")

        serve_store(store, **options, ready=ready)


def _next_step(base_url: str, key: str) -> str:
    """Return how to read the server from this machine, whichever address it listens on."""
    from fleetkit.client import address  # noqa: PLC0415 - it loads requests

    here = base_url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    is_local = address.read(here, allow_http=True).loopback
    return (
        f"Next, in another terminal, with {key} in FLEETKIT_API_KEY:"
        f" fleetkit check --base-url {here}{'' if is_local else ' --allow-http'}"
    )


def _report_missing(database: Database, store: Any) -> None:
    """Say what must be created before a client can read anything."""
    organisations = store.organisations()
    if not organisations:
        command = database.command("orgs", "create", "NAME")
        click.echo(f"The database has no organisation yet: {command}", err=True)
    elif not store.keys():
        command = database.command(*create_key_words(organisations[0].name))
        click.echo(f"There is no API key yet: {command}", err=True)


@contextmanager
def _log_on_stderr() -> Iterator[None]:
    """Log failures while serving to stderr, also in the background, such as under systemd."""
    log, handler = logging.getLogger("fleetkit.server"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    propagate, log.propagate = log.propagate, False
    try:
        yield
    finally:
        log.propagate = propagate
        log.removeHandler(handler)
