"""What a user may set: one dataclass, filled from ``fleetkit.toml`` and ``FLEETKIT_*``.

Later wins: defaults, then ``fleetkit.toml`` (the folder's own, or the file that FLEETKIT_CONFIG
names), then the environment, then arguments. The API key comes from the environment or an argument
only: a key in a file travels with the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import did_you_mean
from fleetkit.periods import zone_name
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["RecencyRule", "Settings", "load"]

FILE_NAME = "fleetkit.toml"
AUTH_HEADERS = ("X-API-Key", "Bearer")


@dataclass(frozen=True)
class RecencyRule:
    """How much a pilot must have flown lately to count as recent.

    Parameters
    ----------
    name : str
        Printed in the report.
    months, days : int
        Length of the window that ends today: calendar months, or days. One of them is 0.
    hours : float
        Least flown hours in the window. [h]
    flights : int
        Least number of flights in the window.
    night_only : bool
        Count night flights only.
    """

    name: str
    months: int = 0
    days: int = 0
    hours: float = 0.0
    flights: int = 0
    night_only: bool = False


PDRA01 = RecencyRule("2 h in 3 calendar months (UK PDRA01)", months=3, hours=2.0)
HOUSE_RULE = RecencyRule("3 flights in 90 days (house rule)", days=90, flights=3)

# From the best to the worst; tokens that stand in neither list come after, by name.
CONDITION_ORDER = ("NEW", "EXCELLENT", "GOOD", "FAIR", "WORN", "POOR", "DAMAGED", "UNSERVICEABLE")
STATUS_ORDER = ("ACTIVE", "AVAILABLE", "IN_USE", "MAINTENANCE", "GROUNDED", "RETIRED", "LOST")

# Our guess at how likely work in each stage is to be paid for; printed wherever it is used.
STAGE_PROBABILITIES = {
    "DRAFT": 0.2,
    "CONFIRMED": 0.7,
    "SCHEDULED": 0.85,
    "IN_PROGRESS": 0.95,
    "DELIVERED": 1.0,
    "INVOICED": 1.0,
    "ON_HOLD": 0.3,
}


@dataclass(frozen=True)
class Settings:
    """Everything that can be set, with its default.

    Parameters
    ----------
    base_url : str
        Address of the service, without ``/v1``.
    api_key : str
        Sent as a header, never shown.
    auth : {"X-API-Key", "Bearer"}
        Header that carries the key (reference, rule 5.2).
    concurrency : int
        Most requests under way at once.
    timeout : float
        Longest wait for one answer. [s]
    tz : str
        IANA time zone of months and days.
    organisation : str
        Name on the report's first page; the API doesn't send one.
    aircraft_types : tuple of str
        Equipment types that are aircraft. Empty: every type that the logs show flying with no
        other piece of equipment.
    condition_order, status_order : tuple of str
        Severity, from best to worst.
    stage_probabilities : dict
        Project status → probability, for the weighted value.
    units : dict
        Declared units of ``weight``, ``max_altitude``, ``traveled_distance``; unset ones are shown
        "as reported".
    recency : tuple of RecencyRule
        Rules for pilots; the first is the one of the first page.
    """

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    auth: str = "X-API-Key"
    concurrency: int = 8
    timeout: float = 30.0
    tz: str = "UTC"
    organisation: str = ""
    aircraft_types: tuple[str, ...] = ()
    condition_order: tuple[str, ...] = CONDITION_ORDER
    status_order: tuple[str, ...] = STATUS_ORDER
    stage_probabilities: dict[str, float] = field(default_factory=lambda: dict(STAGE_PROBABILITIES))
    units: dict[str, str] = field(default_factory=dict)
    recency: tuple[RecencyRule, ...] = (PDRA01, HOUSE_RULE)

    def __post_init__(self) -> None:
        for name, unknown in _unknown_values(self):
            raise InvalidValue(f"Setting {name}: {unknown}.")

    def public(self) -> dict[str, Any]:
        """Return the settings as JSON-ready values, without address and key.

        Notebooks and manifests carry these.

        Examples
        --------
        >>> Settings(api_key="k", tz="Europe/London").public()["tz"]
        'Europe/London'
        """
        secret = {"api_key", "base_url", "auth", "concurrency", "timeout"}
        return {name: value for name, value in asdict(self).items() if name not in secret}


def _unknown_values(settings: Settings) -> list[tuple[str, str]]:
    wrong = []
    try:
        zone_name(settings.tz)
    except InvalidValue as problem:
        wrong.append(("tz", str(problem).removesuffix(".")))
    if settings.auth not in AUTH_HEADERS:
        wrong.append(("auth", f"{settings.auth!r} is none of {', '.join(AUTH_HEADERS)}"))
    if settings.concurrency < 1:
        wrong.append(("concurrency", f"{settings.concurrency} is below 1"))
    if settings.timeout <= 0:
        wrong.append(("timeout", f"{settings.timeout} is not above 0 seconds"))
    for status, probability in settings.stage_probabilities.items():
        if status not in PROJECT_STATUSES:
            unknown = (
                f"{status!r} is not a project status. {did_you_mean(status, PROJECT_STATUSES)}"
            )
            wrong.append(("stage_probabilities", unknown.strip().removesuffix(".")))
        elif not 0 <= probability <= 1:
            wrong.append(("stage_probabilities", f"{status} = {probability} is not within 0 … 1"))
    return wrong


def from_values(
    values: Mapping[str, Any], *, source: str, base: Settings | None = None
) -> Settings:
    """Lay plain values (of a TOML file, a notebook parameter) over settings.

    Raises
    ------
    InvalidValue
        For a name that is no setting, or a value of the wrong kind; it names `source`.

    Examples
    --------
    >>> from_values({"tz": "Asia/Tokyo", "aircraft_types": ["DRONE"]}, source="here").aircraft_types
    ('DRONE',)
    """
    base = base or Settings()
    known = {each.name: getattr(base, each.name) for each in fields(Settings)}
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise InvalidValue(
                f"{source}: {name!r} is not a setting. {did_you_mean(str(name), known)}",
                advice=f"Settings are: {', '.join(known)}.",
            )
        changed[name] = _converted(name, value, known[name], source)
    return replace(base, **changed)


def _converted(name: str, value: Any, default: Any, source: str) -> Any:
    try:
        if name == "recency":
            return tuple(
                each if isinstance(each, RecencyRule) else RecencyRule(**each) for each in value
            )
        if isinstance(default, tuple):
            items = value.split(",") if isinstance(value, str) else value
            return tuple(str(each).strip() for each in items)
        if isinstance(default, dict):
            return {**default, **value}
        if isinstance(default, str) and not isinstance(value, str):
            raise TypeError(f"{value!r} is no text")
        return type(default)(value)
    except (TypeError, ValueError) as problem:
        raise InvalidValue(f"{source}: {name} = {value!r} can't be read: {problem}.") from None


def load(
    path: str | Path | None = None, *, environ: Mapping[str, str] | None = None, **overrides: Any
) -> Settings:
    """Return the settings of this folder and environment.

    Parameters
    ----------
    path : str or Path, optional
        A TOML file; default: FLEETKIT_CONFIG, or ``fleetkit.toml`` here where there is one.
    environ : mapping, optional
        Default: the process's environment.
    **overrides
        Settings that win over both; None means "not given".

    Raises
    ------
    InvalidValue
        A file that is missing or no TOML, an unknown name, a value that can't be read, a key in
        the file.

    Examples
    --------
    >>> load(environ={"FLEETKIT_TZ": "Europe/Paris"}, concurrency=4).tz
    'Europe/Paris'
    """
    environ = os.environ if environ is None else environ
    settings = Settings()
    chosen = path or environ.get("FLEETKIT_CONFIG")
    if chosen or Path(FILE_NAME).is_file():
        settings = from_values(
            _read_toml(Path(chosen or FILE_NAME)), source=str(chosen or FILE_NAME)
        )
    simple = {
        each.name: environ[f"FLEETKIT_{each.name.upper()}"]
        for each in fields(Settings)
        if f"FLEETKIT_{each.name.upper()}" in environ and _from_text(each.name)
    }
    settings = from_values(simple, source="the environment (FLEETKIT_*)", base=settings)
    given = {name: value for name, value in overrides.items() if value is not None}
    return from_values(given, source="the arguments", base=settings)


def _from_text(name: str) -> bool:
    """Whether a setting can be written as one environment variable."""
    return name not in {"stage_probabilities", "units", "recency"}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InvalidValue(f"{path} can't be read: {problem.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InvalidValue(f"{path} is no TOML: {problem}.") from None
    if "api_key" in values:
        raise InvalidValue(
            f"{path} holds an API key.",
            advice="Take it out and set FLEETKIT_API_KEY instead: a file is copied and committed.",
        )
    return values
