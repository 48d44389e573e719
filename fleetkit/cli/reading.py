"""``fleetkit check``, ``sync`` and ``report``: what reads a service or a mirror."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import click

import fleetkit as fk
from fleetkit import engines, schema
from fleetkit.cli import options
from fleetkit.cli.ages import age
from fleetkit.cli.numbers import NumberRange, WholeNumber
from fleetkit.cli.results import Result
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.interface import one_line

__all__ = ["check", "earlier_state", "open_fleet", "report", "sync"]

_CHECKED = ("equipment", "projects", "services")
_LEFT_OUT = "no; reports leave its sections out"
# Options of `report` that `fk.report` takes under the same names.
_PASSED_ON = ("out", "strict", "allow_gaps", "allow_empty", "data", "accessible", "engine")


@click.command(
    epilog=options.examples(
        "fleetkit check --base-url https://fleet.example", "fleetkit check --mirror mirror/"
    )
)
@click.option(
    "--mirror",
    metavar="MIRROR",
    shell_complete=options.folder,
    help="Verify every row of this mirror instead; reads no service.",
)
@options.output
@options.connection
def check(*, mirror: str | None, quiet: bool, **connection: Any) -> Result:
    """Test the address and the key, and say what the key may read.

    The key is read from FLEETKIT_API_KEY, else it is what fleetkit setup stored. With --mirror,
    every row that the mirror holds, of now and of earlier states, is compared with what its syncs
    wrote.
    """
    with options.usage_errors():
        options.check_source(mirror, base_url=connection["base_url"])
    if mirror is not None:
        return _check_mirror(mirror)
    from fleetkit.fleet.live import check_readable  # noqa: PLC0415 - it loads pandas

    with fk.connect(**connection, progress=not quiet) as fleet:
        lacking, address = fleet.missing, fleet.address
        check_readable(lacking)
        rows = {table: len(getattr(fleet, table)()) for table in _CHECKED if table not in lacking}
    lines = [f"{address} answers, and the key works."]
    for table in _CHECKED:
        may = f"yes: {rows[table]:,} {table}" if table in rows else _LEFT_OUT
        lines.append(f"  {schema.TABLE_SCOPES[table]:<15} {may}")
    scopes = {schema.TABLE_SCOPES[table]: table in rows for table in _CHECKED}
    state = "partial" if lacking else "complete"
    return Result(state, lines, counts=rows, details={"address": address, "scopes": scopes})


def _check_mirror(path: str) -> Result:
    from fleetkit.mirror import verify  # noqa: PLC0415 - it takes long to import

    verification = verify(path)
    if not verification.intact:
        raise verification.error()
    tables = {
        name: {"rows": table.rows, "states": table.states, "problem": table.problem}
        for name, table in verification.tables.items()
    }
    return Result(
        "intact",
        [str(verification)],
        paths={"mirror": verification.path},
        counts={name: table.rows for name, table in verification.tables.items()},
        details={"version": verification.version, "tables": tables},
    )


@click.command(
    epilog=options.examples(
        "fleetkit sync mirror/ --base-url https://fleet.example",
        "fleetkit sync mirror/ --full",
        "fleetkit sync mirror/ --moved-to https://fleet.example",
    )
)
@click.argument("mirror", shell_complete=options.folder)
@options.tz
@click.option(
    "--full",
    is_flag=True,
    help="Read everything, not only what changed; verify and repair what the mirror holds.",
)
@click.option(
    "--audit",
    type=NumberRange(0, 1),
    metavar="SHARE",
    help="Share of the unchanged equipment whose flights are read all the same.  [default: 0.1]",
)
@click.option(
    "--details/--no-details",
    default=True,
    help="Also read the client's e-mail and the deal's name of each project, or not.",
)
@click.option(
    "--moved-to",
    metavar="URL",
    callback=options.checked_address,
    help="New address of the mirror's service; any other service is refused.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Go on though nearly all records are gone; with --full, though history is lost.",
)
@options.output
@options.connection
def sync(
    mirror: str, *, audit: float | None, moved_to: str | None, quiet: bool, **given: Any
) -> Result:
    """Update a mirror of the data from the service.

    MIRROR is a folder or the URL of an object store. The first sync reads everything, later ones
    only what changed. With exit code 0 the mirror is up to date, whether or not anything changed;
    else it is as it was before.
    """
    choices = {name: given.pop(name) for name in ("full", "details", "accept_loss")}
    choices |= {} if audit is None else {"audit": audit}
    if moved_to is not None:
        given["base_url"] = given["base_url"] or moved_to
    with fk.connect(**given, progress=not quiet) as fleet:
        synced = fleet.sync(mirror, moved_to=moved_to, **choices)
    return Result(
        "changed" if synced.changed else "unchanged",
        [str(synced)],
        paths={"mirror": synced.path},
        counts={name: table.rows for name, table in synced.tables.items()},
        details={
            "version": synced.version,
            "fetched_at": synced.fetched_at.isoformat(),
            "requests": synced.requests,
            "fingerprint": synced.fingerprint,
            "changes": {name: asdict(table) for name, table in synced.tables.items()},
            "remarks": list(synced.remarks),
        },
    )


@click.command(
    epilog=options.examples(
        "fleetkit report --demo",
        "fleetkit report --month 2026-10 --tz Europe/London --base-url https://fleet.example",
        "fleetkit report --mirror mirror/ --period 2026-Q4",
        "fleetkit report --mirror mirror/ --since 2026-10-05 --until 2026-10-19",
        "fleetkit report --mirror mirror/ --filter type=DRONE --format pdf",
        "fleetkit report --mirror mirror/ --sections flight_hours,pricing",
        "fleetkit report --mirror mirror/ --month 2026-10 --data",
    )
)
@options.period(
    "Such as 2026-10, 2026-Q4, 2026, 2026-W41, 2026-10-05 or 2026-10-05_2026-10-18; "
    "default: the last complete month."
)
@click.option("--since", metavar="DATE", help="First day of any other period; with --until.")
@click.option("--until", metavar="DATE", help="The day after its last one.")
@options.tz
@options.filters("Report on")
@options.client
@click.option(
    "--each",
    "by",
    metavar="WHAT",
    help="A report each for every client, pilot, category or project, and a page that lists them.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With --each: let a Dask cluster's workers make them, such as tcp://dask.example:8786.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    default="reports",
    show_default=True,
    shell_complete=options.folder,
    help="Takes a folder for each report.",
)
@options.names(
    "--format",
    "formats",
    metavar="FORMATS",
    default=("html,pdf",),
    show_default=True,
    help="html, pdf or both.",
)
@options.names(
    "--sections",
    metavar="NAMES",
    help="Show these only, in this order, such as flight_hours,pricing.",
)
@click.option(
    "--notebooks",
    metavar="FOLDER",
    shell_complete=options.folder,
    help="Add the section notebooks of this folder; one of the same name replaces fleetkit's.",
)
@click.option(
    "--template",
    "templates",
    metavar="FOLDER",
    shell_complete=options.folder,
    help="Templates of one's own, each in place of fleetkit's of the same name.",
)
@click.option(
    "--mirror",
    metavar="MIRROR",
    shell_complete=options.folder,
    help="Keep the data in this mirror; without an address, report from it.",
)
@click.option("--max-age", metavar="AGE", help="Oldest data to report on, such as 90m, 12h or 2d.")
@click.option(
    "--changed-since",
    metavar="WHEN",
    help="When the last report was made: a date, or a version of the mirror.",
)
@click.option(
    "--version", type=WholeNumber(), metavar="N", help="Report from this version of the mirror."
)
@click.option(
    "--as-of", metavar="WHEN", help="Report from the mirror, or the demo, as it was then."
)
@options.lang
@click.option("--data", is_flag=True, help="Write all rows of charts and tables beside it.")
@click.option("--accessible", is_flag=True, help="Tag the PDF (PDF/UA) for those who listen to it.")
@click.option(
    "--engine",
    metavar="ENGINE",
    help="What counts all history: polars, pandas, duckdb, dask, spark, or an address. "
    "Default: the setting engine, else polars.",
)
@click.option("--demo", is_flag=True, help="Report on an invented organisation; needs no account.")
@click.option("--organisation", metavar="NAME", help="Name on the first page.")
@click.option("--strict", is_flag=True, help="Fail where the key can't read what a section needs.")
@click.option("--allow-gaps", is_flag=True, help="Show a box in place of a section that failed.")
@click.option("--allow-empty", is_flag=True, help="Report on a period or filter without data, too.")
@options.output
@options.connection
def report(period: str | None, since: str | None, until: str | None, **given: Any) -> Result:
    """Make the report of a period, as HTML and PDF.

    The data come from the service, from a mirror, or from an invented organisation. An earlier
    report of the same period is replaced once the new one is complete.
    """
    from fleetkit import views  # noqa: PLC0415 - it loads pandas
    from fleetkit.arguments import checked_folder  # noqa: PLC0415 - as above
    from fleetkit.reports.output import check_accessible, checked_formats  # noqa: PLC0415 - as above

    mirror, demo, by = given.pop("mirror"), given.pop("demo"), given.pop("by")
    scheduler = given.pop("scheduler")
    if scheduler and by is None:
        raise click.UsageError("--scheduler goes with --each: one report is made here.")
    build = {name: given.pop(name) for name in _PASSED_ON}
    build["progress"] = given["progress"] = not given.pop("quiet")
    version, as_of = given.pop("version"), given.pop("as_of")
    loaded = _settings(given)
    with options.usage_errors():  # before anything is opened
        # What comes from a service, or the demo, may be kept in a mirror.
        options.check_source(demo=demo, base_url=given["base_url"])
        build |= _history(given.pop("max_age"), given.pop("changed_since"), mirror)
        state = earlier_state(version, as_of, mirror, demo, build["max_age"])
        _period(period, since, until, loaded.tz)
        build |= _layout(given, by)
        if scheduler:
            from fleetkit.reports.on_workers import check_scheduler  # noqa: PLC0415 - as above

            check_scheduler(scheduler, has_mirror=mirror is not None)
        build["engine"] = engines.engine_of_reports(build["engine"], loaded.engine, loaded.clusters)
        selection = views.parse(given.pop("filters"), loaded.views, loaded.tz)
        build["formats"] = checked_formats(given.pop("formats"))
        checked_folder(build["out"])
        if build["accessible"]:
            check_accessible(build["formats"], has_workers=bool(scheduler))
    selection = options.add_clients(selection, given.pop("clients"))
    with open_fleet(loaded, mirror, state, demo, **given) as fleet:
        with options.usage_errors():
            fleet.where(selection)  # whose first day may lie after its last in the fleet's zone
        organisation = loaded.organisation or fleet.settings.organisation
        now = fleet.fetched_at if state else None
        subject = {
            "period": _period(period, since, until, fleet.tz, now),
            "fleet": fleet,
            "filter": selection,
            "settings": replace(loaded, tz=fleet.tz, organisation=organisation),
            "mirror": mirror if fleet.mirror is None else None,
            **build,
        }
        if by is not None:
            return _several(by, {**subject, "scheduler": scheduler})
        return _result(fk.report(**subject))


def _settings(given: dict[str, Any]) -> fk.settings.Settings:
    """Load the settings; take the options that replace some, and are used for nothing else."""
    from fleetkit import settings  # noqa: PLC0415 - it loads pandas

    return settings.load(
        given["config"],
        tz=given["tz"],
        lang=given.pop("lang"),
        organisation=given.pop("organisation"),
        base_url=given["base_url"],
    )


def _several(by: str, subject: dict[str, Any]) -> Result:
    """Make a report each; those that failed don't take the others' results away."""
    from fleetkit.reports.groups import checked_dimension  # noqa: PLC0415 - they take long to import
    from fleetkit.reports.index import STATES  # noqa: PLC0415 - as above
    from fleetkit.reports.several import ReportsFailed  # noqa: PLC0415 - as above

    error = None
    try:
        reports = fk.report_by(checked_dimension(by), **subject)
    except KeyboardInterrupt:
        text = "Interrupted; the reports that were done are written, the index is as it was."
        interrupted = {"type": "KeyboardInterrupt", "message": text}
        return Result("interrupted", [], exit_code=130, error=interrupted)
    except ReportsFailed as problem:
        reports = problem.reports
        error = {"type": "ReportError", "message": one_line(str(problem))}
    counts = {state.replace(" ", "_"): len(reports.of(state)) for state in STATES}
    made = [entry.paths for entry in reports.entries if entry.paths is not None]
    return Result(
        "partial" if error or any(any(_lacking(_record(paths))) for paths in made) else "complete",
        [str(reports.index)],
        paths={"index": str(reports.index)},
        counts=counts,
        details={
            "period": reports.period,
            "reports": [entry.summary() for entry in reports.entries],
        },
        exit_code=FleetkitError.exit_code if error else 0,
        error=error,
    )


def _layout(given: dict[str, Any], by: str | None) -> dict[str, Any]:
    """Take the options of what the report shows out of `given`, checked as far as they can be."""
    from fleetkit.reports import chapters, templates  # noqa: PLC0415 - they take long to import

    if by is not None:
        from fleetkit.reports.groups import checked_dimension  # noqa: PLC0415 - as above

        checked_dimension(by)
    layout = {name: given.pop(name) for name in ("sections", "notebooks", "templates")}
    available = chapters.available(layout["notebooks"])
    chapters.chosen(available, layout["sections"])
    own = templates.Templates(layout["templates"])
    own.check([notebook.name for notebook in available])
    return layout


def _result(paths: fk.reports.Paths) -> Result:
    """Return what a report is made of, as its manifest tells it."""
    record = _record(paths)
    failed, left_out = _lacking(record)
    return Result(
        "partial" if failed or left_out else "complete",
        [
            *(str(path) for path in (paths.html, paths.pdf, paths.data) if path is not None),
            *(f"Left out: {gap['title']}; {gap['reason']}." for gap in record["left_out"]),
            *(f"Failed: {name}; the report has a box in its place." for name in failed),
        ],
        paths={name: path and str(path) for name, path in asdict(paths).items()},
        counts={
            "sections": len(record["sections"]) - len(failed),
            "failed": len(failed),
            "left_out": len(left_out),
        },
        details={
            "period": record["period"],
            "data": record["data"],
            "failed": failed,
            "left_out": left_out,
        },
    )


def _record(paths: fk.reports.Paths) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(paths.manifest.read_text(encoding="utf-8"))
    return record


def _lacking(record: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of sections that failed, and the titles of those that are left out."""
    failed = [section["name"] for section in record["sections"] if section["problem"]]
    return failed, [section["title"] for section in record["left_out"]]


def _period(
    name: str | None,
    since: str | None,
    until: str | None,
    tz: str,
    now: datetime | None = None,
) -> fk.Period:
    """Return the period to report on; by default the last complete month before `now`."""
    from fleetkit.time import Period, last_complete_month  # noqa: PLC0415 - it loads pandas

    if name and (since or until):
        raise InvalidValue("--period (or --month) and --since/--until exclude each other.")
    if bool(since) != bool(until):
        raise InvalidValue("--since and --until go together.")
    if since and until:
        return Period.between(since, until, tz)
    return Period.read(name, tz) if name else last_complete_month(now, tz)


def _history(max_age: str | None, changed_since: str | None, mirror: str | None) -> dict[str, Any]:
    """Return these options as `fk.report` takes them; a text of digits is a version."""
    from fleetkit.time import instant  # noqa: PLC0415 - it loads pandas

    when: str | int | None = changed_since
    if changed_since is not None and changed_since.isdecimal():
        when = int(changed_since)
    elif changed_since is not None:
        instant(changed_since)
    if changed_since is not None and not mirror:
        raise InvalidValue("--changed-since needs --mirror: only a mirror keeps its states.")
    return {"max_age": max_age and age(max_age), "changed_since": when}


def earlier_state(
    version: int | None, as_of: str | None, mirror: str | None, demo: bool, max_age: Any = None
) -> dict[str, Any]:
    """Return which earlier state of the mirror, or of the demo, to open; empty for the newest."""
    if as_of is not None:
        from fleetkit.time import instant  # noqa: PLC0415 - it loads pandas

        instant(as_of)
    choices = {"version": version, "as_of": as_of}
    state = {name: value for name, value in choices.items() if value is not None}
    if demo:
        if version is not None:
            raise InvalidValue("--version and --demo exclude each other: a demo has no versions.")
        return state
    if state and not mirror:
        raise InvalidValue("--version and --as-of need --mirror: only a mirror keeps its states.")
    if len(state) > 1:
        raise InvalidValue("--version and --as-of exclude each other.")
    if state and max_age is not None:
        raise InvalidValue("--max-age excludes --version and --as-of, which ask for an old state.")
    return state


def open_fleet(
    loaded: fk.settings.Settings,
    mirror: str | None,
    state: dict[str, Any],
    demo: bool,
    **connection: Any,
) -> fk.Fleet:
    """Open the demo, a state of a mirror, or the service, whichever the options name."""
    if demo:
        progress = connection["progress"]
        return fk.demo(tz=loaded.tz, settings=loaded, progress=progress, **state)
    if mirror and (state or not loaded.base_url):
        return fk.open_mirror(mirror, settings=loaded, **state)
    connection["tz"] = loaded.tz
    if mirror and not loaded.has_zone:  # then the mirror keeps its own
        from fleetkit.mirror import zone  # noqa: PLC0415 - it takes long to import

        connection["tz"] = zone(mirror) or loaded.tz
    return fk.connect(**connection)
