"""``fleetkit check`` and ``sync``: what reads a service, or a mirror, as a whole."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

import fleetkit as fk
from fleetkit import schema
from fleetkit.cli import options
from fleetkit.cli.numbers import NumberRange
from fleetkit.cli.results import Result

__all__ = ["check", "sync"]

_CHECKED = {
    "equipment": schema.EQUIPMENT.nouns,
    "projects": schema.PROJECT.nouns,
    "services": schema.SERVICE.nouns,
}
_LEFT_OUT = "no; reports leave its sections out"


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
    for table, nouns in _CHECKED.items():
        count = rows.get(table)
        may = _LEFT_OUT if count is None else f"yes: {count:,} {nouns[count != 1]}"
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
    help="Also read the client's e-mail and the deal's name of each project, or not; default: yes.",
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
