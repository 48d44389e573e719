"""The command line: ``fleetkit check · serve · sync · report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import click

import fleetkit as fk
from fleetkit import periods, settings
from fleetkit.errors import FleetkitError, Forbidden, InvalidValue
from fleetkit.server.embedded import ORGANISATION as DEMO_ORGANISATION

__all__ = ["main"]

INTERRUPTED = 130
_SCOPE_OF = {"equipment": "equipment:read", "projects": "project:read", "services": "service:read"}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; every failure is one line on stderr and an exit code that is not 0.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        sys.exit(cli(given, prog_name="fleetkit", standalone_mode=False) or 0)
    except click.exceptions.Exit as wanted:
        sys.exit(wanted.exit_code)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _stop("interrupted; nothing was changed under a final name.", INTERRUPTED)
    except FleetkitError as problem:
        if debug:
            raise
        _stop(" ".join(str(problem).split()), 1)
    except Exception as problem:
        if debug:
            raise
        _stop(f"unexpected {type(problem).__name__}: {problem} Add --debug for the traceback.", 1)


def _stop(message: str, code: int) -> NoReturn:
    click.echo(f"fleetkit: {message}", err=True)
    sys.exit(code)


# `main` looks for it before any command runs, so that no failure escapes it.
_debug = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
)


def _connection(command: Any) -> Any:
    """Add the options that say where the service is."""
    for option in (
        _debug,
        click.option("--config", help="A fleetkit.toml; default: the one in this folder."),
        click.option("--allow-http", is_flag=True, help="Send the key over plain http elsewhere."),
        click.option("--auth", type=click.Choice(settings.AUTH_HEADERS), help="Key's header."),
        click.option("--timeout", type=float, help="Longest wait for one answer, in seconds."),
        click.option("--concurrency", type=int, help="Most requests under way at once."),
        click.option("--base-url", help="Address of the service; default: FLEETKIT_BASE_URL."),
    ):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(fk.__version__, prog_name="fleetkit")
def cli() -> None:
    """Load a drone fleet's API, look at it, and report on it.

    The API key comes from FLEETKIT_API_KEY, never from the command line.
    """


@cli.command()
@_connection
def check(**connection: Any) -> None:
    """Say whether the address answers, the key works, and what it may read."""
    with fk.connect(**connection, progress=False) as fleet:
        counts = {scope: _rows(fleet, table) for table, scope in _SCOPE_OF.items()}
        click.echo(f"{fleet.address} answers, and the key works.")
    for table, scope in _SCOPE_OF.items():
        rows = counts[scope]
        may = "no; reports leave its sections out" if rows is None else f"yes: {rows:,} {table}"
        click.echo(f"  {scope:<15} {may}")


def _rows(fleet: fk.Fleet, table: str) -> int | None:
    try:
        return len(getattr(fleet, table)())
    except Forbidden:
        return None


@cli.command()
@click.option("--demo", is_flag=True, help="Serve an invented organisation.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, help="0 takes a free one.")
@click.option("--equipment", default=64, show_default=True, help="Pieces in the demo.")
@click.option("--flights", default=12_000, show_default=True, help="Flights in the demo.")
@click.option("--seed", default=7, show_default=True, help="Another seed, another organisation.")
@_debug
def serve(demo: bool, host: str, port: int, **size: Any) -> None:
    """Serve the API itself on an embedded database."""
    if not demo:
        raise InvalidValue("Nothing to serve.", advice="Say fleetkit serve --demo.")
    from fleetkit.server.embedded import serve_demo  # noqa: PLC0415 - only this command needs it

    serve_demo(host=host, port=port, **size, say=click.echo)


@cli.command()
@click.argument("mirror")
@click.option("--tz", help="Time zone of the fleet's months; default UTC.")
@click.option("--details/--no-details", default=True, help="Also e-mail and deal of each project.")
@_connection
def sync(mirror: str, details: bool, **connection: Any) -> None:
    """Read the whole organisation into a MIRROR: a folder or an object-store URL."""
    with fk.connect(**connection) as fleet:
        click.echo(fleet.sync(mirror, details=details))


@cli.command()
@click.option("--month", help="Such as 2026-10, 2026-Q3 or 2026; default: the last full month.")
@click.option("--since", help="First day, with --until, for any other period.")
@click.option("--until", help="Day after the last one.")
@click.option("--tz", help="IANA time zone, such as Europe/London; default UTC.")
@click.option("--filter", "filters", multiple=True, help="Such as category=DRONE; repeatable.")
@click.option("--client", help="Short for --filter client=…")
@click.option("--out", default="reports", show_default=True, help="Folder of the reports.")
@click.option("--format", "formats", default="html,pdf", show_default=True)
@click.option("--mirror", help="Keep the data in this mirror; without an address: report from it.")
@click.option("--demo", is_flag=True, help="Report on the embedded, invented organisation.")
@click.option("--organisation", help="Name on the first page.")
@click.option("--strict", is_flag=True, help="Refuse when the key can't read every section.")
@click.option("--allow-gaps", is_flag=True, help="Show a box where a section failed.")
@_connection
def report(month: str | None, since: str | None, until: str | None, **options: Any) -> None:
    """Build a report: HTML and PDF, from the service, a mirror or the demo."""
    asked = {name: options.pop(name) for name in ("filters", "client", "formats", "demo", "mirror")}
    build = {name: options.pop(name) for name in ("out", "strict", "allow_gaps")}
    chosen = settings.load(
        options["config"],
        tz=options.pop("tz"),
        organisation=options.pop("organisation"),
        base_url=options["base_url"],
    )
    _period(month, since, until, chosen.tz)  # a wrong one is refused before anything is opened
    wanted = fk.Filter.parse(asked["filters"])
    if asked["client"]:
        wanted = replace(wanted, client=(*wanted.client, asked["client"]))
    with _fleet(chosen, asked["mirror"], demo=asked["demo"], **options) as fleet:
        named = chosen.organisation or (DEMO_ORGANISATION if asked["demo"] else "")
        paths = fk.report(
            _period(month, since, until, fleet.tz),
            fleet=fleet,
            formats=tuple(each.strip() for each in asked["formats"].split(",")),
            filter=wanted,
            settings=replace(chosen, tz=fleet.tz, organisation=named),
            mirror=asked["mirror"] if fleet.mirror is None else None,
            **build,
        )
    for path in (paths.html, paths.pdf):
        if path is not None:
            click.echo(path)


def _period(month: str | None, since: str | None, until: str | None, tz: str) -> periods.Period:
    if month and (since or until):
        raise InvalidValue("--month and --since/--until exclude each other.")
    if bool(since) != bool(until):
        raise InvalidValue("--since and --until go together.")
    if since and until:
        start, end = periods.instant(since, tz), periods.instant(until, tz)
        if start >= end:
            raise InvalidValue(f"--since {since} does not lie before --until {until}.")
        return periods.Period(start, end, tz)
    return periods.parse(month, tz) if month else periods.last_complete_month(tz=tz)


def _fleet(
    chosen: settings.Settings, mirror: str | None, *, demo: bool, **connection: Any
) -> fk.Fleet:
    if demo:
        return fk.demo(tz=chosen.tz)
    if mirror and not chosen.base_url:
        # A zone that nobody set leaves the mirror its own.
        unset = chosen.tz == settings.Settings.tz
        return fk.open_mirror(mirror, tz=None if unset else chosen.tz)
    return fk.connect(tz=chosen.tz, **connection)


if __name__ == "__main__":
    main()
