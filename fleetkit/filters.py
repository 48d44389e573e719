"""One filter for everything: calls, explorers, notebooks, the command line and the report.

A filter is plain data. It says the same as Python, as options of ``fleetkit report`` and as
notebook parameters, so the filter of an explorer goes into the monthly report as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

import narwhals as nw
import numpy as np

from fleetkit import areas, exclusion
from fleetkit.areas import Area
from fleetkit.arguments import check_tokens, checked_names, refuse_unknown, texts
from fleetkit.conditions import (
    UNKNOWN,
    Answer,
    FrameT,
    has_answer,
    is_assigned,
    is_in,
    is_within,
    selected,
)
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import IS, NOT, Excluding, Values, in_both, named_values
from fleetkit.interface import brief, did_you_mean
from fleetkit.schema import FLIGHT_TYPES, PROJECT_STATUSES
from fleetkit.time import Period, in_utc, instant

__all__ = ["OF_EQUIPMENT", "UNKNOWN", "Answer", "Filter", "check_flight_types"]

_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MOMENTS = ("since", "until")
_ANSWERS = ("night", "bvlos")
_AREAS = ("take_off",)
_SINGLE = (*_MOMENTS, *_ANSWERS, *_AREAS)
_SIGNS = {IS: "=", NOT: "!="}
# Field → the column of equipment that it selects by.
OF_EQUIPMENT = {
    "equipment": "equipment_id",
    **{name: name for name in ("type", "category", "model", "manufacturer", "condition")},
}
# The column of identifiers that is taken where a field is given as a DataFrame.
_IDENTIFIERS = {"equipment": "equipment_id", "pilot": "pilot_id", "project": "project_id"}


@dataclass(frozen=True)
class Filter:
    """Which flights, equipment and projects to select; a filter without a field selects all.

    Several values of one field mean "any of them"; several fields mean "all of them". A field
    without a value, such as ``pilot=[]``, means nothing: no record is any of no values. Where a
    field takes texts, ``excluding("TRAINING")`` means all records but those of that value.

    Parameters
    ----------
    since, until : str, date or datetime, optional
        ``[since, until)`` of the flights, as dates or times.
    flight_type : str or list of str, optional
        COMMERCIAL, RECREATIONAL, TRAINING, MAINTENANCE.
    operation_type : str or list of str, optional
        Tokens as the API sends them.
    equipment, pilot, project : str or list of str, optional
        Identifiers; a Series, or a table that holds them, will do too. ``Unassigned`` means the
        flights without a pilot, or without a project.
    type, category : str or list of str, optional
        Types (``DRONE``) and categories (``MULTIROTOR``) of equipment.
    client : str or list of str, optional
        Names in ``client_account_name``.
    status : str or list of str, optional
        Project statuses.
    night, bvlos : bool or "unknown", optional
        Only flights that say so. A flight that says neither yes nor no (null) is unknown.
    take_off : tuple of float, optional
        South, west, north and east of an area, in degrees: only flights that took off in it. A
        flight without a position, or at 0, 0, did so nowhere. The southern and western edges belong
        to an area, the others to the next one. It doesn't reach across the 180th meridian.
    model, manufacturer, condition : str or list of str, optional
        Those of equipment, as its table has them.

    Raises
    ------
    InvalidValue
        A value that is not valid.

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
    flight_type: Values = None
    operation_type: Values = None
    equipment: Values = None
    type: Values = None
    category: Values = None
    pilot: Values = None
    project: Values = None
    client: Values = None
    status: Values = None
    night: Answer = None
    bvlos: Answer = None
    take_off: Area | tuple[()] | None = None
    model: Values = None
    manufacturer: Values = None
    condition: Values = None

    def __post_init__(self) -> None:
        for name in _names():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _read(value, name))
        check_tokens(named_values(self.status), PROJECT_STATUSES, "project status", "Statuses")

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.to_parameters())

    @classmethod
    def parse(cls, options: Iterable[str] | None) -> Filter:
        r"""Read ``name=value`` texts; several values are separated by commas or by repetition.

        A comma inside a value is written ``\,``, a blank at one of its ends ``\ ``. A name without
        a value means nothing, as an empty list does. ``name!=value`` leaves values out.

        Raises
        ------
        InvalidValue
            For an unknown name, or a value that can't be read.

        Examples
        --------
        >>> Filter.parse(["type=DRONE,VTOL", "bvlos=no"])
        Filter(type=('DRONE', 'VTOL'), bvlos=False)
        >>> Filter.parse(["client!=Fjord, Inc"])
        Filter(client=fk.excluding(('Fjord', 'Inc')))
        """
        values: dict[str, Any] = {}
        left_out: dict[str, Any] = {}
        for option in () if options is None else texts(options, "a filter"):
            name, equals, value = option.partition("=")
            is_left_out = name.rstrip().endswith("!")
            name = name.strip().removesuffix("!").rstrip()
            if not equals or name not in _names():
                near = "" if name in _names() else did_you_mean(name, _names())
                raise InvalidValue(
                    f"{brief(option)} is not a filter. {near}",
                    advice=f"Write name=value; names are: {', '.join(_names())}.",
                )
            if is_left_out:
                left_out[name] = (*left_out.get(name, ()), *_parse_left_out(option, name, value))
            elif name not in _SINGLE:
                values[name] = (*values.get(name, ()), *_parse_values(value))
            elif name in values:
                raise InvalidValue(f"The filter {name} is given twice.", advice="Give it once.")
            else:
                values[name] = value.strip() or ()
        values |= {name: Excluding(left_out[name], values.get(name)) for name in left_out}
        return cls(**values)

    @classmethod
    def read(cls, value: Any) -> Filter:
        """Return a filter, or build one from a dict of its fields.

        Raises
        ------
        InvalidValue
            For anything else, an unknown name, or a value that can't be read.

        Examples
        --------
        >>> Filter.read({"night": True}) == Filter.read(Filter(night=True))
        True
        """
        if isinstance(value, Filter):
            return value
        if isinstance(value, Mapping):
            return cls.from_parameters(value)
        raise InvalidValue(
            f"{type(value).__name__} is not a Filter.",
            advice='Write fk.Filter(pilot="prof_1"), or a dict of its fields.',
        )

    @classmethod
    def from_parameters(cls, values: Mapping[str, Any] | None) -> Filter:
        """Build a filter from the values that `to_parameters` gave.

        Raises
        ------
        InvalidValue
            For an unknown name, or a value that can't be read.

        Examples
        --------
        >>> Filter.from_parameters({"pilot": ["prof_1"]}).pilot
        ('prof_1',)
        """
        if values is None:
            return cls()
        if not isinstance(values, Mapping):
            raise InvalidValue(
                f"{brief(values)} is not a dict of filters.",
                advice='Write {"pilot": ["prof_1"]}, as fk.Filter(…).to_parameters() does.',
            )
        refuse_unknown(map(str, values), _names(), "filter")
        return cls(**values)

    def to_parameters(self) -> dict[str, Any]:
        """Return what is set, as JSON-ready values: the form for notebooks and manifests.

        Examples
        --------
        >>> Filter(flight_type=("TRAINING",), night=True).to_parameters()
        {'flight_type': ['TRAINING'], 'night': True}
        >>> Filter(flight_type=Excluding("TRAINING")).to_parameters()
        {'flight_type': {'not': ['TRAINING']}}
        """
        return {
            name: _as_plain(value)
            for name in _names()
            if (value := getattr(self, name)) is not None
        }

    def to_python(self) -> str:
        """Return the filter as Python.

        Examples
        --------
        >>> Filter(flight_type="TRAINING", night=True).to_python()
        "fk.Filter(flight_type=('TRAINING',), night=True)"
        """
        parts = (f"{name}={getattr(self, name)!r}" for name in self.to_parameters())
        return f"fk.Filter({', '.join(parts)})"

    def to_options(self) -> list[str]:
        """Return the filter as options of ``fleetkit report``.

        Examples
        --------
        >>> Filter(flight_type="TRAINING", night=True).to_options()
        ['--filter', 'flight_type=TRAINING', '--filter', 'night=true']
        """
        options = []
        for name, value in self.to_parameters().items():
            by_key = value if isinstance(value, dict) else {IS: value}
            for key, values in by_key.items():
                for text in _option_texts(name, values):
                    options += ["--filter", f"{name}{_SIGNS[key]}{text}"]
        return options

    def __repr__(self) -> str:
        return self.to_python().removeprefix("fk.")

    def combined_with(self, other: Filter | Mapping[str, Any], tz: str = "UTC") -> Filter:
        """Return the filter of the records that both filters select.

        Parameters
        ----------
        other : Filter or dict
        tz : str
            IANA time zone of dates in ``since`` and ``until``.

        Returns
        -------
        Filter
            Of each field the values that both have. Where they have none in common, the field is
            empty, which selects nothing. What one of them leaves out is left out.

        Raises
        ------
        InvalidValue
            `other` is no filter.

        Examples
        --------
        >>> pilots = Filter(pilot=["prof_1", "prof_2"])
        >>> pilots.combined_with(Filter(pilot=["prof_2", "prof_3"], night=True))
        Filter(pilot=('prof_2',), night=True)
        >>> pilots.combined_with(Filter(pilot="prof_4"))
        Filter(pilot=())
        """
        other = Filter.read(other)
        values = {
            name: _in_both(name, getattr(self, name), getattr(other, name))
            for name in _names()
            if name not in _MOMENTS
        }
        since = _tighter(max, self.since, other.since, tz)
        until = _tighter(min, self.until, other.until, tz)
        if since and until and _utc(since, tz) > _utc(until, tz):
            until = since
        return Filter(since=since, until=until, **values)

    def only(self, *names: str) -> Filter:
        """Return the filter with only the named fields.

        Parameters
        ----------
        *names : str
            Fields to keep, such as ``"night"``.

        Raises
        ------
        InvalidValue
            There is no field of a name.

        Examples
        --------
        >>> Filter(flight_type="TRAINING", night=True).only("night")
        Filter(night=True)
        """
        refuse_unknown(names, _names(), "filter")
        return Filter(**{name: getattr(self, name) for name in names})

    def of_equipment(self, equipment: FrameT) -> FrameT:
        """Return the rows of `equipment`, a frame of any engine, that the filter selects.

        Parameters
        ----------
        equipment : frame of any engine
            As ``fleet.equipment()`` returns it.

        Raises
        ------
        InvalidValue
            It is not a frame, or lacks a column that the filter reads.

        Examples
        --------
        >>> import pandas as pd
        >>> equipment = pd.DataFrame({
        ...     "equipment_id": ["eq_1", "eq_2"], "type": ["DRONE", "CAMERA"],
        ...     "category": ["MULTIROTOR", "PAYLOAD"],
        ... })
        >>> Filter(type="CAMERA").of_equipment(equipment)["equipment_id"].tolist()
        ['eq_2']
        """
        return selected(
            equipment,
            *(is_in(column, getattr(self, name)) for name, column in OF_EQUIPMENT.items()),
        )

    def of_projects(self, projects: FrameT) -> FrameT:
        """Return the rows of `projects`, a frame of any engine, that the filter selects.

        Parameters
        ----------
        projects : frame of any engine
            As ``fleet.projects()`` returns it.

        Raises
        ------
        InvalidValue
            It is not a frame, or lacks a column that the filter reads.

        Examples
        --------
        >>> import pandas as pd
        >>> projects = pd.DataFrame({
        ...     "project_id": ["proj_1", "proj_2"], "status": ["DRAFT", "COMPLETED"],
        ...     "client_account_name": ["Fjord", "Fjord"],
        ... })
        >>> Filter(client="Fjord", status="COMPLETED").of_projects(projects)["project_id"].tolist()
        ['proj_2']
        """
        return selected(
            projects,
            is_in("project_id", self.project),
            is_in("status", self.status),
            is_in("client_account_name", self.client),
        )

    def of_flights(self, flights: FrameT, *, check: bool = True) -> FrameT:
        """Return the rows of `flights`, a frame of any engine, that the filter selects.

        Only by their own columns: equipment and what it is, client and project status are in other
        tables, where ``fleet.where`` follows them; it also cuts the time in the fleet's zone.

        Parameters
        ----------
        flights : frame of any engine
            As ``fleet.flights()`` returns it.
        check : bool
            Refuse a flight type that neither the reference nor these flights know.

        Raises
        ------
        InvalidValue
            It is not a frame, or lacks a column that the filter reads; an unknown flight type.

        Examples
        --------
        >>> import pandas as pd
        >>> flights = pd.DataFrame({
        ...     "flight_id": ["fl_1", "fl_2"], "flight_type": ["TRAINING", "COMMERCIAL"],
        ...     "operation_type": ["INSPECTION"] * 2, "pilot_id": ["prof_1"] * 2,
        ...     "project_id": ["proj_1", None], "night_flight": [False, True],
        ...     "bvlos": [None, None],
        ... })
        >>> Filter(night=True).of_flights(flights)["flight_id"].tolist()
        ['fl_2']
        """
        rows = selected(
            flights,
            is_in("flight_type", self.flight_type),
            is_in("operation_type", self.operation_type),
            is_assigned("pilot_id", self.pilot),
            is_assigned("project_id", self.project),
            has_answer("night_flight", self.night),
            has_answer("bvlos", self.bvlos),
            is_within(self.take_off),
        )
        if check:
            check_flight_types(self.flight_type, lambda: _types_of(flights))
        return rows


Filter.__init__ = checked_names("filter")(Filter.__init__)  # type: ignore[method-assign]


def _names() -> list[str]:
    return [field.name for field in fields(Filter)]


def _read(value: Any, name: str) -> str | bool | Values | Area:
    """Return the value of a field in its one form."""
    if name in _MOMENTS:
        return _read_moment(value, name)
    if name in _ANSWERS:
        return _read_answer(value, name)
    if name in _AREAS:
        return areas.read(value, name)
    values = exclusion.read(value, name, _IDENTIFIERS.get(name))
    return in_both(values, has_several=name in OF_EQUIPMENT)


def _read_moment(value: Any, name: str) -> str:
    try:
        moment = instant(value)
    except InvalidValue as problem:
        raise InvalidValue(f"{name}: {problem.message}", advice=problem.advice) from None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Period):
        return moment.isoformat()
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    zoned = getattr(value, "tzinfo", None) is not None
    return moment.isoformat() if zoned else moment.replace(tzinfo=None).isoformat()


def _read_answer(value: Any, name: str) -> bool | str | tuple[()]:
    if isinstance(value, bool | np.bool_ | int) and value in (0, 1):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _YES_NO:
        return _YES_NO[word]
    if word == UNKNOWN:
        return UNKNOWN
    if isinstance(value, list | tuple) and not value:
        return ()
    raise InvalidValue(
        f"{name}={brief(value)} is not a filter.", advice=f"Write {name}=yes, no or unknown."
    )


def _in_both(name: str, one: Any, other: Any) -> Any:
    """Return what two values of a field have in common; the empty tuple where that is nothing."""
    if one is None or other is None:
        return other if one is None else one
    if name in _AREAS:
        return areas.in_both(one, other)
    if name in _ANSWERS:
        return one if one == other else ()
    return in_both(one, other, has_several=name in OF_EQUIPMENT)


def _utc(text: str, tz: str) -> datetime:
    return in_utc(instant(text, tz))


def _tighter(choose: Callable[..., str], one: str | None, other: str | None, tz: str) -> str | None:
    """Return the later or the earlier of two moments; where one is None, the other."""
    if one is None or other is None:
        return one or other
    return choose((one, other), key=lambda text: _utc(text, tz))


def _parse_left_out(option: str, name: str, value: str) -> list[str]:
    """Return the values of an option that leaves them out."""
    if name in _SINGLE:
        raise InvalidValue(
            f"{brief(option)} is not a filter: {name} takes no values to leave out.",
            advice=f"Write {name}= and what to select.",
        )
    values = _parse_values(value)
    if not values:
        raise InvalidValue(
            f"{brief(option)} names nothing to leave out.",
            advice="Name a value, or leave the filter out.",
        )
    return values


def _parse_values(value: str) -> list[str]:
    """Return the values of an option: between commas, without blanks around, escapes read."""
    if not value.strip():
        return []
    parts = (part.lstrip() for part in re.split(r"(?<!\\),", value))
    stripped = (re.sub(r"(?<!\\)\s+$", "", part) for part in parts)
    return [re.sub(r"\\([,\s])", r"\1", part) for part in stripped]


def _as_plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Excluding):
        return value.to_plain()
    return list(value) if isinstance(value, tuple) else value


def _option_texts(name: str, value: Any) -> list[str]:
    """Return the values of a field as they are read again."""
    if name in _AREAS:
        return [areas.written(value)]
    if not isinstance(value, list):
        return [str(value).lower() if isinstance(value, bool) else str(value)]
    if not value:
        return [""]
    return [_escaped(text) for text in value]


def _escaped(text: str) -> str:
    if not text:
        return ","  # the empty text, twice: a name without a value means nothing
    text = re.sub(r"^\s|\s$|(?<=\\)\s", lambda blank: f"\\{blank[0]}", text)
    return text.replace(",", r"\,")


def check_flight_types(types: Values, occurring: Callable[[], Iterable[str]]) -> None:
    """Refuse a flight type that neither the reference nor the data know: it would show nothing.

    Parameters
    ----------
    types : tuple of str, Excluding or None
        As a filter has them.
    occurring : callable
        Returns the types that occur; asked only where the reference lacks one.

    Raises
    ------
    InvalidValue
        There is no such type.

    Examples
    --------
    >>> check_flight_types(("TRAINING", "FERRY"), lambda: ["FERRY"])
    """
    named = named_values(types)
    if set(named) <= set(FLIGHT_TYPES):
        return
    known = dict.fromkeys((*FLIGHT_TYPES, *sorted(occurring())))
    check_tokens(named, known, "flight type", "Flight types")


def _types_of(flights: Any) -> list[str]:
    """Return the flight types that occur in a frame of any engine."""
    column = nw.from_native(flights, pass_through=True).lazy().select("flight_type")
    occurring = column.drop_nulls().unique().collect("pandas").to_native()["flight_type"]
    return list(occurring.astype("str"))
