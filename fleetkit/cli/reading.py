"""``fleetkit check``, ``sync`` and ``report``: what reads a service or a mirror."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import click

import fleetkit as fk
from fleetkit import periods, schema, settings
from fleetkit.cli import options
from fleetkit.cli.ages import age
from fleetkit.errors import InvalidValue
from fleetkit.mirror import AUDIT
from fleetkit.server.embedded import ORGANISATION as DEMO_ORGANISATION

__all__ = ["check", "report", "sync"]

_CHECKED = ("equipment", "projects", "services")


@click.command()
@options.connection
def check(**connection: Any) -> None:
    """Say whether the address answers, the key works, and what it may read."""
    with fk.connect(**connection, progress=False) as fleet:
        lacking = fleet.missing
        rows = {each: len(getattr(fleet, each)()) for each in _CHECKED if each not in lacking}
        click.echo(f"{fleet.address} answers, and the key works.")
    for each in _CHECKED:
        unread = "no; reports leave its sections out"
        may = f"yes: {rows[each]:,} {each}" if each in rows else unread
        click.echo(f"  {schema.TABLE_SCOPES[each]:<15} {may}")


@click.command()
@click.argument("mirror")
@click.option("--tz", help="Time zone of the fleet's months; default UTC.")
@click.option("--full", is_flag=True, help="Read everything, whatever the counters say.")
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    default=AUDIT,
    show_default=True,
    help="Share of what did not move to read all the same, in turn.",
)
@click.option("--details/--no-details", default=True, help="Also e-mail and deal of each project.")
@options.connection
def sync(mirror: str, audit: float, full: bool, details: bool, **connection: Any) -> None:
    """Bring a MIRROR, a folder or an object-store URL, in step with the service.

    The first time everything is read, then only what moved. Exit code 0: the mirror is in step,
    whether or not anything changed; 1: it stands as it was.
    """
    with fk.connect(**connection) as fleet:
        click.echo(fleet.sync(mirror, audit=audit, full=full, details=details))


@click.command()
@click.option("--month", help="Such as 2026-10, 2026-Q3 or 2026; default: the last full month.")
@click.option("--since", help="First day, with --until, for any other period.")
@click.option("--until", help="Day after the last one.")
@click.option("--tz", help="IANA time zone, such as Europe/London; default UTC.")
@click.option("--filter", "filters", multiple=True, help="Such as category=DRONE; repeatable.")
@click.option("--client", help="Short for --filter client=…")
@click.option("--out", default="reports", show_default=True, help="Folder of the reports.")
@click.option("--format", "formats", default="html,pdf", show_default=True)
@click.option("--mirror", help="Keep the data in this mirror; without an address: report from it.")
@click.option("--max-age", help="Oldest data to report on, such as 90m, 12h or 2d.")
@click.option("--changed-since", help="When the last report was: a date, or a mirror's version.")
@click.option("--version", type=int, help="Rebuild from this version of the mirror.")
@click.option("--as-of", help="Rebuild from the mirror's state at this date or time.")
@click.option("--demo", is_flag=True, help="Report on the embedded, invented organisation.")
@click.option("--organisation", help="Name on the first page.")
@click.option("--strict", is_flag=True, help="Refuse when the key can't read every section.")
@click.option("--allow-gaps", is_flag=True, help="Show a box where a section failed.")
@options.connection
def report(month: str | None, since: str | None, until: str | None, **given: Any) -> None:
    """Build a report: HTML and PDF, from the service, a mirror or the demo."""
    asked = {name: given.pop(name) for name in ("filters", "client", "formats", "demo", "mirror")}
    build = {name: given.pop(name) for name in ("out", "strict", "allow_gaps")}
    build |= _history(given.pop("max_age"), given.pop("changed_since"))
    kept = None if asked["demo"] else asked["mirror"]
    state = _earlier(given.pop("version"), given.pop("as_of"), kept, build["max_age"])
    chosen = settings.load(
        given["config"],
        tz=given.pop("tz"),
        organisation=given.pop("organisation"),
        base_url=given["base_url"],
    )
    _period(month, since, until, chosen.tz)  # a wrong one is refused before anything is opened
    wanted = fk.Filter.parse(asked["filters"])
    if asked["client"]:
        wanted = replace(wanted, client=(*wanted.client, asked["client"]))
    with _fleet(chosen, asked["mirror"], state, demo=asked["demo"], **given) as fleet:
        named = chosen.organisation or (DEMO_ORGANISATION if asked["demo"] else "")
        paths = fk.report(
            _period(month, since, until, fleet.tz, _moment(fleet) if state else None),
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


def _period(
    month: str | None,
    since: str | None,
    until: str | None,
    tz: str,
    now: datetime | None = None,
) -> periods.Period:
    """Return the period that is asked for; of an earlier state, the last month that it knows."""
    if month and (since or until):
        raise InvalidValue("--month and --since/--until exclude each other.")
    if bool(since) != bool(until):
        raise InvalidValue("--since and --until go together.")
    if since and until:
        start, end = periods.instant(since, tz), periods.instant(until, tz)
        if start >= end:
            raise InvalidValue(f"--since {since} does not lie before --until {until}.")
        return periods.Period(start, end, tz)
    return periods.parse(month, tz) if month else periods.last_complete_month(now, tz)


def _history(max_age: str | None, changed_since: str | None) -> dict[str, Any]:
    """Return what `fk.report` takes of these options; digits alone are a version."""
    if changed_since is not None and changed_since.isdecimal():
        return {"max_age": max_age and age(max_age), "changed_since": int(changed_since)}
    if changed_since is not None:
        periods.instant(changed_since)  # a wrong one is refused before anything is opened
    return {"max_age": max_age and age(max_age), "changed_since": changed_since}


def _moment(fleet: fk.Fleet) -> datetime | None:
    return None if fleet.mirror is None else fleet.mirror.fetched_at


def _earlier(
    version: int | None, as_of: str | None, mirror: str | None, max_age: Any
) -> dict[str, Any]:
    """Return which earlier state to open, if one is asked for."""
    state = {"version": version, "as_of": as_of}
    asked = {name: each for name, each in state.items() if each is not None}
    if asked and not mirror:
        raise InvalidValue("--version and --as-of need --mirror: only a mirror keeps its states.")
    if len(asked) > 1:
        raise InvalidValue("--version and --as-of exclude each other.")
    if asked and max_age is not None:
        raise InvalidValue("--max-age excludes --version and --as-of, which ask for an old state.")
    return asked


def _fleet(
    chosen: settings.Settings,
    mirror: str | None,
    state: dict[str, Any],
    *,
    demo: bool,
    **connection: Any,
) -> fk.Fleet:
    if demo:
        return fk.demo(tz=chosen.tz)
    if mirror and (state or not chosen.base_url):
        # A zone that nobody set leaves the mirror its own.
        unset = chosen.tz == settings.Settings.tz
        return fk.open_mirror(mirror, tz=None if unset else chosen.tz, **state)
    return fk.connect(tz=chosen.tz, **connection)
