"""``fleetkit report``: the report of a period, or one each for several."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import click

import fleetkit as fk
from fleetkit import engines
from fleetkit.cli import options
from fleetkit.cli.ages import age
from fleetkit.cli.numbers import WholeNumber
from fleetkit.cli.opening import earlier_state, open_fleet
from fleetkit.cli.results import Result
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.interface import one_line

__all__ = ["report"]

# Options that `fk.report` takes under the same names.
_PASSED_ON = ("out", "strict", "allow_gaps", "allow_empty", "data", "accessible", "engine")


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
    help="When the last report was made: a date or time, or a version of the mirror.",
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
@click.option(
    "--organisation",
    metavar="NAME",
    help="Name on the first page; default: the setting organisation.",
)
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

    options.check_one_period(name, since, until)
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
