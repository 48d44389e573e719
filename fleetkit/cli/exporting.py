"""``fleetkit export``: tables as files for other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import fleetkit as fk
from fleetkit.cli import options
from fleetkit.cli.opening import earlier_state, open_fleet
from fleetkit.cli.results import Result

if TYPE_CHECKING:
    from fleetkit.fleet.exporting import Exported

__all__ = ["export"]

# Options that say what the files hold; `Selection` and `Fleet.export` take them by these names.
_OF_FILES = ("tables", "formats", "columns", "details", "allow_empty")


@click.command(
    epilog=options.examples(
        "fleetkit export --demo",
        "fleetkit export --mirror mirror/ --tables flights,equipment --format xlsx,parquet",
        "fleetkit export --mirror mirror/ --tables flights --period 2026-10 --format geojson",
    )
)
@options.names(
    "--tables",
    metavar="NAMES",
    help="Such as flights,equipment; default: all that the key can read.",
)
@options.names(
    "--format",
    "formats",
    metavar="FORMATS",
    default=("csv",),
    show_default=True,
    help="csv, xlsx, parquet, geojson (points of take-off), or several.",
)
@options.names("--columns", metavar="NAMES", help="These only, in this order; default: all.")
@options.period(
    "Flights of it only, such as 2026-10, 2026-Q4, 2026, 2026-W41, 2026-10-05; default: all."
)
@click.option("--since", metavar="DATE", help="Flights from this day on.")
@click.option("--until", metavar="DATE", help="Flights before this day.")
@options.tz
@options.filters("Export")
@options.client
@click.option(
    "--out",
    metavar="FOLDER",
    default="export",
    show_default=True,
    shell_complete=options.folder,
    help="Takes the files.",
)
@options.stored("Export")
@click.option("--details", is_flag=True, help="Add client's e-mail and deal's name of projects.")
@click.option("--allow-empty", is_flag=True, help="Write tables without any row, too.")
@options.output
@options.connection
def export(period: str | None, since: str | None, until: str | None, **given: Any) -> Result:
    """Write tables to files: CSV, a workbook, Parquet or GeoJSON.

    The data come from the service, from a mirror, or from an invented organisation. Earlier files
    of the same names are replaced once all new ones are whole.
    """
    from fleetkit import settings, views  # noqa: PLC0415 - they load pandas
    from fleetkit.fleet.exporting import Selection  # noqa: PLC0415 - as above

    mirror, demo, out = given.pop("mirror"), given.pop("demo"), given.pop("out")
    given["progress"] = not given.pop("quiet")
    version, as_of = given.pop("version"), given.pop("as_of")
    loaded = settings.load(given["config"], tz=given["tz"], base_url=given["base_url"])
    with options.usage_errors():  # before anything is opened
        options.check_source(mirror, demo=demo, base_url=given["base_url"])
        state = earlier_state(version, as_of, mirror, demo)
        chosen = {name: given.pop(name) for name in _OF_FILES}
        dates = _dates(period, since, until, loaded.tz)
        Selection(**chosen, dates=dates).read_tables()
        selection = views.parse(given.pop("filters"), loaded.views, loaded.tz)
    selection = options.add_clients(selection, given.pop("clients"))
    offline = replace(loaded, base_url="") if mirror else loaded
    with open_fleet(offline, mirror, state, demo, **given) as fleet, options.usage_errors():
        return _result(fleet.where(selection).export(out, **chosen, **dates), fleet)


def _dates(period: str | None, since: str | None, until: str | None, tz: str) -> dict[str, Any]:
    """Return the dates as `Fleet.export` takes them, read once to refuse what isn't one."""
    from fleetkit.time import Period, instant  # noqa: PLC0415 - it loads pandas

    options.check_one_period(period, since, until)
    if period:
        Period.read(period, tz)
    if since and until:
        Period.between(since, until, tz)
    for end in (since, until):
        if end:
            instant(end, tz)
    return {"period": period, "since": since, "until": until}


def _result(exported: Exported, fleet: fk.Fleet) -> Result:
    return Result(
        "partial" if exported.left_out else "complete",
        exported.lines,
        paths={name: str(path) for name, path in exported.paths.items()},
        counts=exported.rows,
        details={
            "version": fleet.mirror.version if fleet.mirror is not None else None,
            "fetched_at": fleet.read_at.isoformat(),
            "left_out": dict(exported.left_out),
            "without_position": exported.without_position,
        },
    )
