"""One filter for everything: calls, explorers, notebooks, the command line and the report.

A filter is plain data. It says the same as Python, as options of ``fleetkit report`` and as
notebook parameters, so what an explorer found goes into the monthly report as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.schema import FLIGHT_TYPES, PROJECT_STATUSES

__all__ = ["UNASSIGNED", "Filter"]

# Stands for "no pilot" and "no project", as it does in the metrics.
UNASSIGNED = "Unassigned"
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Filter:
    """Which flights, equipment and projects are meant; an empty filter means all.

    Several values of one field mean "any of them"; several fields mean "all of them".

    Parameters
    ----------
    since, until : str, optional
        ``[since, until)`` of the flights, as dates or times.
    flight_type : tuple of str
        COMMERCIAL, RECREATIONAL, TRAINING, MAINTENANCE.
    operation_type : tuple of str
        Tokens as the API sends them.
    equipment, pilot, project : tuple of str
        Identifiers. ``Unassigned`` means the flights without a pilot, or without a project.
    category : tuple of str
        Equipment categories.
    client : tuple of str
        Names in ``client_account_name``.
    status : tuple of str
        Project statuses.
    night, bvlos : bool, optional
        Only flights that say so. A flight that says neither (null) is in neither.

    Examples
    --------
    >>> chosen = Filter(flight_type="TRAINING", night=True)
    >>> chosen.to_python()
    "fk.Filter(flight_type=('TRAINING',), night=True)"
    >>> chosen.to_options()
    ['--filter', 'flight_type=TRAINING', '--filter', 'night=true']
    """

    since: str | None = None
    until: str | None = None
    flight_type: tuple[str, ...] = ()
    operation_type: tuple[str, ...] = ()
    equipment: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    pilot: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    client: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    night: bool | None = None
    bvlos: bool | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, tuple):
                items = (value,) if isinstance(value, str) else tuple(value or ())
                object.__setattr__(self, each.name, tuple(str(item) for item in items))
            elif isinstance(value, date):
                object.__setattr__(self, each.name, value.isoformat())
        for status in self.status:
            if status not in PROJECT_STATUSES:
                raise InvalidValue(
                    f"{status!r} is no project status.",
                    advice=f"Statuses are: {', '.join(PROJECT_STATUSES)}.",
                )

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.to_parameters())

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Filter:
        r"""Read ``name=value`` texts; several values are separated by commas or by repetition.

        A comma inside a value is written ``\,``.

        Raises
        ------
        InvalidValue
            For an unknown name, or a value that can't be read.

        Examples
        --------
        >>> Filter.parse(["category=DRONE,CAMERA", "bvlos=no"])
        Filter(category=('DRONE', 'CAMERA'), bvlos=False)
        """
        values: dict[str, Any] = {}
        defaults = {each.name: each.default for each in fields(cls)}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals or name not in defaults:
                raise InvalidValue(
                    f"{text!r} is no filter.",
                    advice=f"Write name=value; names are: {', '.join(defaults)}.",
                )
            if isinstance(defaults[name], tuple):
                values[name] = (*values.get(name, ()), *_listed(value))
            elif name in {"since", "until"}:
                values[name] = value
            elif value.lower() in _YES_NO:
                values[name] = _YES_NO[value.lower()]
            else:
                raise InvalidValue(f"{text!r} is no filter.", advice=f"Write {name}=yes or no.")
        return cls(**values)

    @classmethod
    def from_parameters(cls, values: Mapping[str, Any] | None) -> Filter:
        """Build a filter from the values that `to_parameters` gave.

        Examples
        --------
        >>> Filter.from_parameters({"pilot": ["prof_1"]}).pilot
        ('prof_1',)
        """
        known = {each.name for each in fields(cls)}
        unknown = set(values or ()) - known
        if unknown:
            raise InvalidValue(
                f"{', '.join(sorted(unknown))}: no such filter.",
                advice=f"Names are: {', '.join(sorted(known))}.",
            )
        return cls(**dict(values or {}))

    def to_parameters(self) -> dict[str, Any]:
        """Return what is set, as JSON-ready values: the form for notebooks and manifests."""
        return {
            each.name: list(value) if isinstance(value, tuple) else value
            for each in fields(self)
            if (value := getattr(self, each.name)) not in (None, ())
        }

    def to_python(self) -> str:
        """Return the filter as Python."""
        parts = (
            f"{name}={tuple(value) if isinstance(value, list) else value!r}"
            for name, value in self.to_parameters().items()
        )
        return f"fk.Filter({', '.join(parts)})"

    def to_options(self) -> list[str]:
        """Return the filter as options of ``fleetkit report``."""
        options = []
        for name, value in self.to_parameters().items():
            for item in value if isinstance(value, list) else [value]:
                text = str(item).lower() if isinstance(item, bool) else str(item)
                text = text.replace(",", r"\,") if isinstance(value, list) else text
                options += ["--filter", f"{name}={text}"]
        return options

    def __repr__(self) -> str:
        return self.to_python().removeprefix("fk.")

    def only(self, *names: str) -> Filter:
        """Return the filter with the named fields alone."""
        kept = {name: getattr(self, name) for name in names}
        return replace(Filter(), **kept)

    def of_equipment(self, equipment: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `equipment` that are meant."""
        kept = _among(equipment["equipment_id"], self.equipment)
        return equipment[kept & _among(equipment["category"], self.category)]

    def of_projects(self, projects: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `projects` that are meant."""
        kept = _among(projects["project_id"], self.project) & _among(
            projects["status"], self.status
        )
        return projects[kept & _among(projects["client_account_name"], self.client)]

    def of_flights(self, flights: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `flights` that are meant by their own columns.

        Equipment, category, client and project status stand in other tables; ``fleet.where``
        follows them there, and cuts the time in the fleet's zone.
        """
        _check_types(self.flight_type, flights["flight_type"])
        kept = (
            _among(flights["flight_type"], self.flight_type)
            & _among(flights["operation_type"], self.operation_type)
            & _assigned(flights["pilot_id"], self.pilot)
            & _assigned(flights["project_id"], self.project)
            & _says(flights["night_flight"], self.night)
            & _says(flights["bvlos"], self.bvlos)
        )
        return flights[kept]


def _listed(value: str) -> list[str]:
    parts = re.split(r"(?<!\\),", value)
    return [each.replace(r"\,", ",").strip() for each in parts]


def _among(column: pd.Series, values: tuple[str, ...]) -> pd.Series:
    return column.isin(values) if values else pd.Series(True, index=column.index)


def _assigned(column: pd.Series, values: tuple[str, ...]) -> pd.Series:
    kept = _among(column, values)
    return kept | column.isna() if UNASSIGNED in values else kept


def _says(column: pd.Series, answer: bool | None) -> pd.Series:
    if answer is None:
        return pd.Series(True, index=column.index)
    return (column == answer).fillna(False).astype(bool)


def _check_types(wanted: tuple[str, ...], column: pd.Series) -> None:
    """Refuse a flight type that neither the reference nor the data know: it would show nothing."""
    known = dict.fromkeys((*FLIGHT_TYPES, *column.dropna().unique()))
    for each in wanted:
        if each not in known:
            raise InvalidValue(
                f"{each!r} is no flight type.", advice=f"Flight types are: {', '.join(known)}."
            )
