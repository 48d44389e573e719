"""Ways to open a fleet: a service, a mirror on disk, an invented organisation."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fleetkit import credentials
from fleetkit import mirror as mirrors
from fleetkit import settings as settings_module
from fleetkit.arguments import checked_names, checked_path, is_whole_number
from fleetkit.client import Client, share
from fleetkit.client.address import read as read_address
from fleetkit.errors import InvalidValue
from fleetkit.fleet.arguments import checked_version
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.live import LiveSource
from fleetkit.fleet.mirrored import MirroredFleet
from fleetkit.fleet.progress import Progress
from fleetkit.interface import brief, worded
from fleetkit.schema import AuthHeader
from fleetkit.settings import Settings
from fleetkit.time import Moment, instant, zone_name

if TYPE_CHECKING:
    from fleetkit.server.embedded import EmbeddedServer

__all__ = ["client_of", "connect", "demo", "demo_identity", "open_mirror", "sync", "with_stored"]


@checked_names("argument of fk.connect")
def connect(
    base_url: str | None = None,
    api_key: str | None = None,
    *,
    tz: str | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    auth: AuthHeader | None = None,
    progress: bool = True,
    allow_http: bool = False,
    config: str | Path | None = None,
) -> Fleet:
    """Open a fleet at a server of the API.

    Nothing is sent before the first table is asked for.

    Parameters
    ----------
    base_url, api_key : str, optional
        Default: FLEETKIT_BASE_URL and FLEETKIT_API_KEY, then ``base_url`` of ``fleetkit.toml``,
        then what `setup` stored; a stored key is used for the address that it was stored with.
    tz : str, optional
        IANA time zone of periods; default: the setting `tz`, UTC where none is set.
    concurrency : int, optional
        Most requests at once; default: the setting of this name, else 8.
    timeout : float, optional
        Longest wait for one answer [s]; default: the setting of this name, else 30.
    auth : {"X-API-Key", "Bearer"}, optional
        Header that carries the key (reference, rule 5.2); default: the setting of this name, else
        ``X-API-Key``.
    progress : bool
        Show a bar for long loads, where a terminal or a notebook is open.
    allow_http : bool
        Send the key over plain http to another machine.
    config : path, optional
        A ``fleetkit.toml``; default: FLEETKIT_CONFIG or the one in this folder.

    Raises
    ------
    InvalidValue
        No address, no key, or a setting that can't be right.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fk.connect("https://fleet.example", "demo_0123", tz="Europe/London")
    <Fleet at https://fleet.example, Europe/London>
    """
    chosen = settings_module.load(
        config,
        base_url=base_url,
        api_key=api_key,
        tz=tz,
        concurrency=concurrency,
        timeout=timeout,
        auth=auth,
    )
    chosen = with_stored(chosen)
    if not chosen.base_url:
        raise InvalidValue(
            "There is no address of a service.",
            advice=worded(
                python="fk.setup() asks for address and key, and stores them. Or pass base_url, "
                "set FLEETKIT_BASE_URL, or write base_url in fleetkit.toml; the key goes into "
                "FLEETKIT_API_KEY. fk.demo() needs neither.",
                command_line="fleetkit setup asks for address and key, and stores them. Or give "
                "--base-url, set FLEETKIT_BASE_URL, or write base_url in fleetkit.toml; "
                "fleetkit report --demo needs none.",
            ),
        )
    return _connect(chosen, progress=progress, allow_http=allow_http)


def with_stored(chosen: Settings) -> Settings:
    """Fill in the address and the key that `setup` stored; its key is for that address alone."""
    if chosen.base_url and chosen.api_key:
        return chosen
    address, key = chosen.base_url or credentials.stored_address(), chosen.api_key
    if address and not key:
        key = credentials.key_of(read_address(address, allow_http=True).url)
    return replace(chosen, base_url=address, api_key=key)


def client_of(chosen: Settings, *, allow_http: bool, progress: bool = False) -> Client:
    """Create the client that settings describe: address, key, its header, and waits.

    Raises
    ------
    InvalidValue
        There is no key, or the address can't be right.
    """
    if not chosen.api_key:
        raise InvalidValue(
            f"There is no API key for {read_address(chosen.base_url, allow_http=allow_http).url}.",
            advice=worded(
                python="fk.setup() asks for it and stores it; or set FLEETKIT_API_KEY. Keys are "
                "made in the service's dashboard.",
                command_line="fleetkit setup asks for it and stores it; or set FLEETKIT_API_KEY. "
                "Keys are made in the service's dashboard.",
            ),
        )
    return Client(
        chosen.base_url,
        chosen.api_key,
        auth=chosen.auth,
        concurrency=chosen.concurrency,
        timeout=chosen.timeout,
        allow_http=allow_http,
        progress=Progress() if progress else None,
    )


def _connect(
    chosen: Settings,
    *,
    progress: bool,
    allow_http: bool = False,
    fetched_at: datetime | None = None,
    identity: str = "",
) -> Fleet:
    client = client_of(chosen, progress=progress, allow_http=allow_http)
    source = LiveSource(client, fetched_at, identity=identity)
    return Fleet(source, tz=chosen.tz, settings=chosen)


@checked_names("argument of fk.demo")
def demo(
    tz: str | None = None,
    *,
    as_of: Moment | None = None,
    equipment: int = 64,
    flights: int = 12_000,
    seed: int = 7,
    settings: Settings | Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Fleet:
    """Open the embedded server with an invented organisation, over real HTTP.

    The server is a child process on a free port of this machine; it ends with this process.

    Parameters
    ----------
    tz : str, optional
        IANA time zone of periods; default: that of the settings, UTC where none is set.
    as_of : str or date, optional
        The invented organisation's today; default: today.
    equipment, flights : int
        Size of the organisation; 16 pieces of equipment at least.
    seed : int
        Another seed, another organisation.
    settings : Settings or dict, optional
        Settings of metrics, explorers and reports; default: those of this folder and environment.
    progress : bool
        Show a bar for long loads, where a terminal or a notebook is open.

    Raises
    ------
    InvalidValue
        An argument that can't be right.

    Examples
    --------
    >>> import fleetkit as fk
    >>> len(fk.demo().services()) >= 8
    True
    """
    size = {"equipment": equipment, "flights": flights, "seed": seed}
    for name, number in size.items():
        if not is_whole_number(number) or number < _SMALLEST[name]:
            raise InvalidValue(
                f"{name}={brief(number)} is not a size of the demo.",
                advice=f"Write a whole number, {_SMALLEST[name]} or more.",
            )
    size = {name: int(number) for name, number in size.items()}
    chosen = settings_module.resolve(settings)
    zone = zone_name(chosen.tz if tz is None else tz)
    day = datetime.now(UTC).date() if as_of is None else instant(as_of, zone).date()
    server = _server(day, **size)
    return _connect(
        replace(
            chosen,
            tz=chosen.tz if tz is None else zone,
            base_url=server.base_url,
            api_key=server.api_key,
            organisation=chosen.organisation or chosen.branding.name or server.organisation,
        ),
        progress=progress,
        # Flown up to the day before: so the same day gives the same report, whatever the hour.
        fetched_at=datetime.combine(day, time(), UTC),
        identity=demo_identity(**size),
    )


def demo_identity(equipment: int = 64, flights: int = 12_000, seed: int = 7) -> str:
    """Return what an invented organisation is known by; its port is another one at each start."""
    return f"the demo (equipment {equipment}, flights {flights}, seed {seed})"


_SMALLEST = {"equipment": 16, "flights": 1, "seed": 0}


@cache
def _server(as_of: date, **size: int) -> EmbeddedServer:
    """Start one server per organisation asked for, however often a notebook's cell is run."""
    from fleetkit.server.demo import check_size  # noqa: PLC0415 - a lazy import
    from fleetkit.server.embedded import EmbeddedServer  # noqa: PLC0415 - as above

    check_size(size["equipment"], size["flights"])
    server = EmbeddedServer(as_of=as_of, **size)
    server.start()
    share(server.api_key)  # so that workers which get the fleet in a pickle can use it
    atexit.register(server.stop)
    return server


@checked_names("argument of fk.open_mirror")
def open_mirror(
    path: str | Path,
    *,
    version: int | None = None,
    as_of: Moment | None = None,
    tz: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
) -> MirroredFleet:
    """Open a fleet from a mirror: offline, one state of the data.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL that a sync wrote.
    version : int, optional
        An earlier state, by the number of its sync; default: the newest.
    as_of : datetime, date or str, optional
        The state at that moment instead: the newest sync until then. A date, or a time without a
        zone, is in `tz`; a date means its first moment.
    tz : str, optional
        IANA time zone of periods; default: the setting `tz`, UTC too, or where none is set the
        mirror's own, that of its first sync.
    settings : Settings or dict, optional
        Settings of metrics, explorers and reports; default: those of this folder and environment.

    Raises
    ------
    MirrorError
        There is no mirror, it is of another layout, or it has no such state.
    InvalidValue
        Both `version` and `as_of`, or what is not a date or time.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> len(fleet.equipment())
    16
    """
    chosen, path = settings_module.resolve(settings), checked_path(path, "a mirror")
    version = None if version is None else checked_version(version)
    mirror = mirrors.open(path, version=version)
    zone = zone_name(tz) if tz is not None else chosen.tz if chosen.has_zone else mirror.tz
    if as_of is not None:
        mirror = mirrors.open(path, version=version, as_of=instant(as_of, zone))
    return MirroredFleet(mirror, tz=zone, settings=chosen)


@checked_names("argument of fk.sync")
def sync(
    path: str | Path,
    *,
    audit: float = mirrors.AUDIT,
    full: bool = False,
    details: bool = True,
    moved_to: str | None = None,
    accept_loss: bool = False,
    base_url: str | None = None,
    api_key: str | None = None,
    tz: str | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    auth: AuthHeader | None = None,
    progress: bool = True,
    allow_http: bool = False,
    config: str | Path | None = None,
) -> mirrors.SyncReport:
    """Bring a mirror up to date with the service; returns what changed.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    audit, full, details, moved_to, accept_loss
        As for `Fleet.sync`.
    base_url, api_key, tz, concurrency, timeout, auth, progress, allow_http, config
        As for `connect`.

    Returns
    -------
    SyncReport
        The mirror's new version, and what changed in each table.

    Raises
    ------
    InvalidValue
        An argument or a setting that can't be right, or no address.
    ApiError
        The service could not be read whole; the mirror is unchanged.
    MirrorError
        The mirror can't be written, is damaged, or belongs to another service.

    Examples
    --------
    >>> import fleetkit as fk
    >>> from fleetkit.server.embedded import EmbeddedServer
    >>> with EmbeddedServer(equipment=16, flights=50) as demo:
    ...     report = fk.sync("mirror", base_url=demo.base_url, api_key=demo.api_key)
    >>> len(fk.open_mirror("mirror").equipment())
    16
    """
    with connect(
        base_url,
        api_key,
        tz=tz,
        concurrency=concurrency,
        timeout=timeout,
        auth=auth,
        progress=progress,
        allow_http=allow_http,
        config=config,
    ) as fleet:
        return fleet.sync(
            path,
            audit=audit,
            full=full,
            details=details,
            moved_to=moved_to,
            accept_loss=accept_loss,
        )
