"""``fleetkit explore``: the explorers as a page for colleagues who write no code."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from contextlib import ExitStack
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fleetkit.cli import options
from fleetkit.cli.numbers import WholeRange
from fleetkit.cli.opening import earlier_state
from fleetkit.engines import addressed, engine_of_processes, lazy_engine
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.temporary import TemporaryFolder, home_in

if TYPE_CHECKING:
    from fleetkit.explore.app.access import Access
    from fleetkit.explore.app.origin import Origin
    from fleetkit.fleet import Fleet

__all__ = ["explore"]


@click.command(
    epilog=options.examples(
        "fleetkit explore --demo",
        "fleetkit explore --mirror mirror/",
        "fleetkit explore --demo --link '?flights.night=true'",
    )
)
@options.stored("Show")
@options.filters("Show")
@options.tz
@click.option(
    "--engine",
    metavar="ENGINE",
    help="What counts a mirror's flights: polars, pandas, duckdb, dask, spark, or an address. "
    "Default: polars from a million flights on, else pandas.",
)
@options.listening(port=8866)
@click.option(
    "--visitors",
    type=WholeRange(1, 100),
    default=8,
    show_default=True,
    help="Pages that may be open at once.",
)
@click.option(
    "--link",
    default="",
    metavar="?NAME=VALUE",
    help="Choose at first what this link chooses, as an explorer gives it.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open it in a browser here.")
@options.connection
def explore(*, host: str, port: int, visitors: int, link: str, opens: bool, **given: Any) -> None:
    """Show the explorers in browsers.

    One page holds those of flights, equipment and projects.

    Whoever has the address that is printed can open it, on this machine. With --host of another
    address other machines can, too, with a password, which is asked for here, or read from
    FLEETKIT_EXPLORE_PASSWORD. Each page that is open has a process of its own. What a service has
    is read once for all pages that are opened within five minutes; reports are made of what it has
    by then.
    """
    if find_spec("voila") is None:
        raise FleetkitError(
            "The explorers' page needs the package voila, which is not installed.",
            advice='Install it: pip install "fleetkit[explore]".',
        )
    from fleetkit.server.running import listen, netloc  # noqa: PLC0415 - it loads a web framework

    with options.usage_errors():
        origin, query = _origin(**given), _query(link)
        access = _access(host)
    with TemporaryFolder() as folder, ExitStack() as served:
        os.environ.update(home_in(folder))
        _check(origin, folder)
        listener = served.enter_context(listen(host, port))
        from fleetkit.explore.app.server import App  # noqa: PLC0415 - it loads Voila

        app = App(origin, access, str(folder), most=visitors, is_loud="--debug" in sys.argv)
        address = f"http://{netloc(_shown(host), listener.getsockname()[1])}/"

        token = f"token={access.token}" if access.token else ""
        target = f"{address}?{'&'.join(filter(None, [token, query]))}".removesuffix("?")

        def ready() -> None:
            # The address ends its line: terminals and eyes take what follows it as part of it.
            password = "The page asks for the password. " if access.hashed else ""
            click.echo(f"{password}Stop with Ctrl+C. Exploring at {target}")
            if opens:
                _open(target, folder)

        app.serve(listener, ready)


def _origin(
    *,
    mirror: str | None,
    version: int | None,
    as_of: str | None,
    demo: bool,
    filters: tuple[str, ...],
    tz: str | None,
    engine: str | None,
    **connection: Any,
) -> Origin:
    """Return where the fleet comes from, with what can be checked before it is opened."""
    from fleetkit import settings, views  # noqa: PLC0415 - they load pandas
    from fleetkit.explore.app.origin import Origin  # noqa: PLC0415 - as above

    options.check_source(mirror, demo=demo, base_url=connection["base_url"])
    state = earlier_state(version, as_of, mirror, demo)
    loaded = settings.load(connection["config"], tz=tz)
    views.parse(filters, loaded.views)
    if engine is not None:
        engine = engine_of_processes(addressed(engine, loaded.clusters))
        if lazy_engine(engine) is not None and not mirror:
            raise InvalidValue(
                f"--engine {engine} needs --mirror: it counts a mirror's flights.",
                advice="Leave it out: what a service has is counted by pandas.",
            )
    return Origin(
        folder=str(Path.cwd()),
        is_demo=demo,
        mirror=mirror or "",
        state=state,
        filters=list(filters),
        tz=tz,
        connection=connection,
        engine=engine or "",
    )


def _query(link: str) -> str:
    """Return the query of a link, with or without its address; refuse what it can't mean."""
    from fleetkit.explore import links  # noqa: PLC0415 - as for the origin

    query, other = link.rpartition("?")[2], ["token"]
    compared = links.compared_in_query(query, other=other)
    return links.to_query(links.from_query(query, other=other), compared=compared)


def _check(origin: Origin, folder: Path) -> None:
    """Open the fleet once, so that what is wrong with it is said here, and not on the page.

    What a service is asked for that is held in the folder for all readers.
    """
    if origin.is_demo and not origin.filters:
        return  # it takes long, and nothing can be wrong
    from fleetkit.explore.app.held import HELD  # noqa: PLC0415 - as for the origin
    from fleetkit.fleet.handing_over import hand_over  # noqa: PLC0415 - as for the origin
    from fleetkit.fleet.live import check_readable  # noqa: PLC0415 - as for the origin
    from fleetkit.fleet.occurring import check_flown  # noqa: PLC0415 - as for the origin

    with origin.open_whole() as whole:
        check_readable(whole.missing)
        if not origin.filters:
            return
        fleet = origin.filtered(whole)
        if not origin.mirror:
            hand_over(whole, folder / HELD)
        if _is_empty(fleet, origin.engine):  # refuses what no record has
            check_flown(fleet)


def _is_empty(fleet: Fleet, engine: str) -> bool:
    """Say whether a fleet has no flights; those of a large mirror are counted by an engine."""
    from fleetkit import metrics  # noqa: PLC0415 - as for the origin
    from fleetkit.explore.sizes import engine_of  # noqa: PLC0415 - as for the origin

    counting = lazy_engine(engine) if engine else engine_of(fleet)
    totals = metrics.collect(metrics.flight_totals(fleet.flights(engine=counting)))
    return int(totals["flights"].iloc[0]) == 0


def _access(host: str) -> Access:
    """Return who may open the page: for other machines, whoever has the password."""
    from fleetkit.client.address import is_loopback  # noqa: PLC0415 - as for the origin
    from fleetkit.explore.app.access import PASSWORD, Access  # noqa: PLC0415 - as for the origin

    if is_loopback(host):
        return Access.by_token()
    password = os.environ.pop(PASSWORD, "") or _asked_password(host, PASSWORD)
    click.echo(
        "The password and what is shown are sent unencrypted to this address, unless a proxy in"
        " front of it adds TLS.",
        err=True,
    )
    return Access.by_password(password)


def _asked_password(host: str, variable: str) -> str:
    if not sys.stdin.isatty():
        raise InvalidValue(
            f"--host {host} lets other machines in, so a password is needed.",
            advice=f"Set {variable}, or run it in a terminal, which asks for one.",
        )
    password: str = click.prompt(
        "Password of the page (not shown)", hide_input=True, confirmation_prompt=True, err=True
    )
    return password


def _shown(host: str) -> str:
    """Return the host as a browser's address has it."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - it is compared, not listened on
        return socket.gethostname()
    return host


def _open(target: str, folder: Path) -> None:
    """Open the page in a browser; its token stands in a file, for command lines can be seen."""
    if sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ}:
        return  # a browser in the terminal would take it
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(
        f'<meta http-equiv="refresh" content="0;url={escape(target)}">', encoding="utf-8"
    )
    webbrowser.open(page.as_uri())
