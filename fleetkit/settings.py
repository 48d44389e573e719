"""What a user may set: one dataclass, filled from ``fleetkit.toml`` and ``FLEETKIT_*``.

Later wins: defaults, then ``fleetkit.toml`` (the folder's own, or the file that FLEETKIT_CONFIG
names), then the environment, then arguments. The API key comes from the environment or an argument
only: a key in a file travels with the file. Where neither has it, `fleetkit.credentials` may.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from fleetkit import base_url, conversion, recency_rules, sources, thresholds, upkeep, views
from fleetkit.bounds import MOST_CONCURRENCY, MOST_SECONDS
from fleetkit.branding import Branding, branding, located
from fleetkit.clusters import engine_at
from fleetkit.conversion import ConversionError
from fleetkit.engines import check_engine_name
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean, shortened, worded
from fleetkit.language import ENGLISH, chosen
from fleetkit.language.catalogue import SUFFIX
from fleetkit.notices import notify
from fleetkit.paths import expanded, is_path, opened
from fleetkit.recency_rules import HOUSE_RULE, PDRA01, RecencyRule
from fleetkit.schema import AUTH_HEADERS, PROJECT_STATUSES, AuthHeader
from fleetkit.sources import Source
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import zone_name
from fleetkit.upkeep import DEPRECIATION, Depreciation, ServiceIntervals
from fleetkit.views import Views

__all__ = ["RecencyRule", "Settings", "load"]

FILE_NAME = "fleetkit.toml"
# Columns whose unit the reference leaves open (2.6).
MEASURES = ("weight", "max_altitude", "traveled_distance")
# Variables that are not settings; Kubernetes sets some for a service that is called fleetkit.
_OTHER_VARIABLES = re.compile(r"FLEETKIT_(CONFIG$|SERVER_|EXPLORE_PASSWORD$|BENCH_|SERVICE_|PORT)")


# From the best to the worst; tokens in neither list come after, by name.
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


class _Default(str):
    """A default that is told from the same value where somebody set it."""

    __slots__ = ()


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
    lang : str
        Language of reports: one that `fleetkit.language` has, or the path of a catalogue.
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
    service_intervals : dict
        Type or model of equipment → after how many ``hours``, ``flights`` and ``days`` it is
        serviced, whichever comes first; that of the model wins.
    depreciation : dict
        ``years`` in which the value of equipment falls, and ``residual_percent`` of the purchase
        cost that is left then.
    thresholds : dict
        From when on something needs attention; `fleetkit.thresholds` lists them.
    mirror_mode : str
        Rights of the folders of a mirror that a sync makes, such as "750" to let a group read it.
    branding : Branding or dict
        How reports look: ``name``, ``logo``, ``accent``, ``footer``.
    engine : str
        What counts for reports: an engine's name, or a cluster's address; empty: Polars.
    spark, dask : str
        Addresses of the clusters that ``engine="spark"`` and ``engine="dask"`` mean.
    views : dict
        Name → `Filter`, or a dict of its fields: what ``--filter @name`` means.
    """

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    auth: AuthHeader = "X-API-Key"
    concurrency: int = 8
    timeout: float = 30.0
    tz: str = _Default("UTC")
    lang: str = ENGLISH
    organisation: str = ""
    aircraft_types: tuple[str, ...] = ()
    condition_order: tuple[str, ...] = CONDITION_ORDER
    status_order: tuple[str, ...] = STATUS_ORDER
    stage_probabilities: dict[str, float] = field(default_factory=lambda: dict(STAGE_PROBABILITIES))
    units: dict[str, str] = field(default_factory=dict)
    recency: tuple[RecencyRule, ...] = (PDRA01, HOUSE_RULE)
    service_intervals: ServiceIntervals = field(default_factory=dict)
    depreciation: Depreciation = field(default_factory=lambda: dict(DEPRECIATION))
    thresholds: dict[str, float] = field(default_factory=lambda: dict(THRESHOLDS))
    mirror_mode: str = "700"
    branding: Branding = field(default_factory=Branding)
    engine: str = ""
    spark: str = ""
    dask: str = ""
    views: Views = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, default in _defaults():
            try:
                value = _converted(name, getattr(self, name), default)
            except ConversionError as error:
                raise InvalidSetting(error.within(name)) from None
            object.__setattr__(self, name, value)
        for problem in _problems(self):
            raise InvalidSetting(problem)

    @property
    def has_zone(self) -> bool:
        """Whether a time zone was set: UTC by name is one, UTC by default is not."""
        return not isinstance(self.tz, _Default)

    @property
    def clusters(self) -> dict[str, str]:
        """Engine → the address of its cluster, or ""."""
        return {"spark": self.spark, "dask": self.dask}

    def public(self) -> dict[str, Any]:
        """Return the settings as JSON-ready values, without those of machines and looks.

        Views may name clients whom a report isn't about, so they stay here.

        Notebooks and manifests carry these.

        Examples
        --------
        >>> Settings(api_key="k", tz="Europe/London").public()["tz"]
        'Europe/London'
        """
        aside = {"api_key", "base_url", "auth", "concurrency", "timeout", "mirror_mode"}
        aside |= {"branding", "lang", "engine", "spark", "dask", "views"}
        return {name: value for name, value in asdict(self).items() if name not in aside}


def _defaults() -> Iterable[tuple[str, Any]]:
    for setting in fields(Settings):
        made = setting.default_factory
        yield setting.name, setting.default if made is MISSING else made()


class InvalidSetting(InvalidValue):
    """A value that is not valid for a setting."""

    def __init__(self, error: ConversionError) -> None:
        self.error = error
        super().__init__(f"Setting {error.path[0]}: {error.problem}", advice=error.advice)


def _problems(settings: Settings) -> Iterable[ConversionError]:
    yield from _problems_of_names(settings)
    yield from _problems_of_lists(settings)
    yield from _problems_of_single_values(settings)
    yield from _problems_of_stages(settings)
    yield from _problems_of_clusters(settings)
    try:
        settings.branding.check()
    except ConversionError as error:
        yield error.within("branding")
    yield from recency_rules.problems(settings.recency)
    yield from upkeep.problems(settings.service_intervals, settings.depreciation)
    yield from thresholds.problems(settings.thresholds)


def _problems_of_single_values(settings: Settings) -> Iterable[ConversionError]:
    if settings.auth not in AUTH_HEADERS:
        # Not quoted: it may be the key itself.
        yield ConversionError(f"this is not one of {', '.join(AUTH_HEADERS)}", "auth")
    if not re.fullmatch(r"7[0-7]{2}", settings.mirror_mode):
        yield ConversionError(
            f"{brief(settings.mirror_mode)} is not a mode such as 700 or 750", "mirror_mode"
        )
    if settings.concurrency < 1:
        yield ConversionError(f"{settings.concurrency} is below 1", "concurrency")
    if settings.concurrency > MOST_CONCURRENCY:
        yield ConversionError(
            f"{settings.concurrency} is above {MOST_CONCURRENCY:,}", "concurrency"
        )
    if settings.timeout <= 0:
        yield ConversionError(f"{settings.timeout} is not above 0 seconds", "timeout")
    if settings.timeout > MOST_SECONDS:
        yield ConversionError(f"{settings.timeout} is above {MOST_SECONDS:,} seconds", "timeout")


def _problems_of_stages(settings: Settings) -> Iterable[ConversionError]:
    for status, probability in settings.stage_probabilities.items():
        if not 0 <= probability <= 1:
            yield ConversionError(
                f"{status} = {probability} is not within 0 … 1", "stage_probabilities", status
            )


def _problems_of_names(settings: Settings) -> Iterable[ConversionError]:
    checks: dict[str, Callable[[str], Any]] = {"tz": zone_name, "lang": chosen}
    if settings.engine:
        checks["engine"] = check_engine_name
    if settings.base_url:
        checks["base_url"] = base_url.split
    for name, check in checks.items():
        try:
            check(getattr(settings, name))
        except InvalidValue as problem:
            yield ConversionError(problem.message, name, advice=problem.advice)


def _problems_of_lists(settings: Settings) -> Iterable[ConversionError]:
    for name in ("aircraft_types", "condition_order", "status_order"):
        texts = getattr(settings, name)
        for place, text in enumerate(texts):
            if text in texts[:place]:
                yield ConversionError(f"{brief(text)} stands there twice", name)


def _problems_of_clusters(settings: Settings) -> Iterable[ConversionError]:
    examples = {"spark": "sc://spark.example:15002", "dask": "tcp://dask.example:8786"}
    for name, address in settings.clusters.items():
        try:
            if address and engine_at(address) != name:
                problem = f"{brief(address)} is not an address such as {examples[name]}"
                yield ConversionError(problem, name)
        except InvalidValue as problem:
            yield ConversionError(problem.message, name, advice=problem.advice)


def from_values(
    values: Mapping[str, Any], *, source: str | Source, base: Settings | None = None
) -> Settings:
    """Lay plain values (of a TOML file, a notebook parameter) over settings.

    Parameters
    ----------
    values : dict
        Setting → its value, as TOML, JSON or the environment has it.
    source : str or Source
        Where they were given: a name, or a function of `fleetkit.sources`.
    base : Settings, optional
        Default: the defaults.

    Raises
    ------
    InvalidValue
        For a name that is not a setting, or a value that is not valid; it names the source.

    Examples
    --------
    >>> from_values({"tz": "Asia/Tokyo", "aircraft_types": ["DRONE"]}, source="here").aircraft_types
    ('DRONE',)
    """
    where = sources.named(source) if isinstance(source, str) else source
    base = base or Settings()
    names = [field.name for field in fields(Settings)]
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if name not in names:
            raise _unknown(str(name), where)
        try:
            changed[name] = _converted(name, value, getattr(base, name))
        except ConversionError as error:
            place = where(name, *error.path)
            raise InvalidValue(f"{place}: {error.problem}", advice=error.advice) from None
    try:
        return replace(base, **changed)
    except InvalidSetting as problem:
        wrong = problem.error
        raise InvalidValue(f"{where(*wrong.path)}: {wrong.problem}", advice=wrong.advice) from None


def _unknown(name: str, where: Source) -> InvalidValue:
    """Return the error of a name that is not a setting."""
    # Without `api_key`: users who read it here would write it into a file, where it is refused.
    names = [field.name for field in fields(Settings) if field.name != "api_key"]
    return InvalidValue(
        f"{where(name)}: this is not a setting. {did_you_mean(name, names)}",
        advice=f"Settings are: {', '.join(names)}. The API key goes into FLEETKIT_API_KEY.",
    )


def resolve(settings: Settings | Mapping[str, Any] | None) -> Settings:
    """Return the settings that an argument holds; None means those of this folder and environment.

    Raises
    ------
    InvalidValue
        It is neither settings nor a dict of them, or one of them is not valid.
    """
    if settings is None:
        return load()
    if isinstance(settings, Mapping):
        return from_values(settings, source="settings")
    if isinstance(settings, Settings):
        return settings
    raise InvalidValue(
        f"{brief(settings)} is not settings.",
        advice="Hand over fk.settings.Settings(…), or a dict of settings.",
    )


def _converted(name: str, value: Any, before: Any) -> Any:
    """Return a plain value as the setting holds it; the value before tells its kind."""
    if name == "api_key" and not isinstance(value, str):  # never shown, not even a wrong one
        raise ConversionError("the key is not a text")
    if name == "branding":
        return branding(value, before)
    if name in _READERS:
        read: Any = _READERS[name](value)
        return {**before, **read} if isinstance(before, dict) else read
    if isinstance(before, tuple):
        return conversion.texts(value)
    if isinstance(before, int):
        return conversion.whole_number(value)
    return conversion.number(value) if isinstance(before, float) else conversion.text(value)


def _units(value: Any) -> dict[str, str]:
    measures = dict.fromkeys(MEASURES, conversion.text)
    units = conversion.table(value, measures, "a measure with a unit")
    return {measure: unit for measure, unit in units.items() if unit.strip()}


def _probabilities(value: Any) -> dict[str, float]:
    stages: dict[str, Any] = dict.fromkeys(PROJECT_STATUSES, conversion.number)
    return conversion.table(value, stages, "a project status")


# What reads the settings that are tables, or lists of them; a table is laid over the one before.
_READERS: dict[str, Callable[[Any], Any]] = {
    "recency": recency_rules.read,
    "units": _units,
    "stage_probabilities": _probabilities,
    "service_intervals": upkeep.read_intervals,
    "depreciation": upkeep.read_depreciation,
    "thresholds": thresholds.read,
    "views": views.read,
}


def file(environ: Mapping[str, str] | None = None) -> Path:
    """Return the file of settings: the one that FLEETKIT_CONFIG names, or that of this folder.

    Examples
    --------
    >>> file(environ={"FLEETKIT_CONFIG": "my.toml"}).name
    'my.toml'
    """
    environ = os.environ if environ is None else environ
    return expanded(environ.get("FLEETKIT_CONFIG") or FILE_NAME)


def load(
    path: str | Path | None = None, *, environ: Mapping[str, str] | None = None, **overrides: Any
) -> Settings:
    """Return the settings of this folder and environment.

    Parameters
    ----------
    path : str or Path, optional
        A TOML file; default: FLEETKIT_CONFIG, or ``fleetkit.toml`` here where there is one.
    environ : mapping, optional
        Default: the process's environment. A variable that is empty counts as not set.
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
    environ = {variable: value for variable, value in environ.items() if value}
    settings = Settings()
    if not (path is None or is_path(path) or (isinstance(path, str) and not path)):
        raise InvalidValue(
            f"{brief(path)} is not the path of a file of settings.", advice=f"Write {FILE_NAME!r}."
        )
    path = path or environ.get("FLEETKIT_CONFIG")
    if path or os.path.lexists(FILE_NAME):  # also a link to a file that is gone
        values, where = _read_toml(expanded(path or FILE_NAME))
        settings = from_values(values, source=where)
    tables = {*_READERS, "branding"}
    simple = {
        name: environ[variable]
        for name in (field.name for field in fields(Settings))
        if (variable := sources.environment(name)) in environ and name not in tables
    }
    settings = from_values(simple, source=sources.environment, base=settings)
    _notice_unknown(environ, simple)
    arguments = {name: value for name, value in overrides.items() if value is not None}
    return from_values(arguments, source=sources.arguments, base=settings)


def _notice_unknown(environ: Mapping[str, str], simple: Mapping[str, str]) -> None:
    """Tell of each variable that looks like a setting and isn't one, such as FLEETKIT_TIMEZONE."""
    read = {sources.environment(name) for name in simple}
    for variable in sorted(environ.keys() - read):
        if variable.startswith("FLEETKIT_") and not _OTHER_VARIABLES.match(variable):
            notify(
                f"{shortened(variable)} is not a variable that fleetkit reads: it changes nothing."
            )


def _in_words(problem: tomllib.TOMLDecodeError) -> str:
    """Return what is wrong with a TOML file; of a name given twice Python says what it couldn't."""
    return re.sub(
        r"Cannot (overwrite|declare|redefine|mutate|add) .*?(?=\(at |$)",
        "a name is given twice ",
        str(problem),
    )


def _read_toml(path: Path) -> tuple[dict[str, Any], Source]:
    """Return what a file holds, and what tells its lines."""
    try:
        with TextIOWrapper(opened(path), encoding="utf-8-sig") as file:
            text = file.read()
        values = tomllib.loads(text)
    except OSError as problem:
        option = worded(python="config=", command_line="--config")
        raise InvalidValue(
            f"{path} can't be read: {problem.strerror}.",
            advice=f"Name another file by {option} or FLEETKIT_CONFIG, or none: each setting has a "
            "default.",
        ) from None
    except UnicodeDecodeError:
        raise InvalidValue(f"{path} is not a text in UTF-8.", advice="Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as problem:
        raise InvalidValue(
            f"{path} is not TOML: {_in_words(problem)}.",
            advice='Write each setting once, on its line, as tz = "Europe/London".',
        ) from None
    except RecursionError:
        raise InvalidValue(f"{path} nests its values too deeply.") from None
    where = sources.toml_file(str(path), text)
    if "api_key" in values:
        raise InvalidValue(
            f"{where('api_key')}: an API key is in a file.",
            advice="Take it out and set FLEETKIT_API_KEY instead: a file is copied and committed.",
        )
    return _with_catalogue(located(values, path.parent), path.parent), where


def _with_catalogue(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of a file; a catalogue's path is relative to its folder, or to ~."""
    lang = values.get("lang")
    if isinstance(lang, str) and lang.endswith(SUFFIX):
        return {**values, "lang": str(folder / expanded(lang))}
    return values
