"""What is remembered of a frame while it lives: which call made it, and of what.

It is remembered beside the frame, not in its ``attrs``: pandas drops all ``attrs`` where two frames
meet whose own differ, and with them the time zone. So a frame that was made from another one, such
as a part of its rows, has no origin of its own.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, wraps
from typing import Any, TypeVar

import pandas as pd

from fleetkit.arguments import check_switches, refuse_unknown
from fleetkit.time import Ends, Period

__all__ = [
    "OF_FLIGHTS",
    "Input",
    "Measured",
    "Read",
    "newest_fetch",
    "origin_of",
    "record_columns",
    "record_zone",
    "recorded",
    "remember",
]

# The parameters of metrics whose rows are of some days; equipment and projects are of none.
OF_FLIGHTS = ("flights", "bridge")
_DAY = timedelta(days=1)
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Read:
    """A table as a fleet returned it: of which period and filter, fetched when.

    ``parts`` are the ends of what period and filter leave of all days, ``settings`` those of the
    fleet that metrics look at and that aren't the default, ``tz`` is the zone of the fleet's days.
    """

    period: str
    filter: Any
    fetched_at: datetime
    parts: tuple[Ends, ...] = (Ends(),)
    settings: Mapping[str, Any] = field(default_factory=dict)
    tz: str = ""

    @property
    def is_from_the_first(self) -> bool:
        """Whether no earlier rows were left out."""
        return any(part.since is None for part in self.parts)

    def covers(self, period: Period) -> bool:
        """Whether no day of a period was left out, of which the zone may be another one."""
        return any(
            (part.since is None or part.since < period.since + _DAY)
            and (part.until is None or part.until > period.until - _DAY)
            for part in self.parts
        )


@dataclass(frozen=True)
class Input:
    """A table that a metric was given, in one frame or in parts, and what is known of it.

    ``tz`` is the zone by whose clocks another metric counted it; blank where none did.
    """

    frames: tuple[Any, ...]
    read: Read | None
    tz: str = ""


@dataclass
class Measured:
    """What a metric returned: its name, its tables and other arguments.

    ``columns`` are those that it read of each table; ``tz`` is the zone whose clocks it counted by,
    blank where it looked at none.
    """

    metric: str
    inputs: dict[str, Input] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    tz: str = ""

    @property
    def zone(self) -> str:
        """The zone of its days, which another metric may have counted; blank where it has none."""
        first = next(iter(self.inputs.values()), None)
        is_given = self.arguments.get("tz") is not None
        return self.tz if first is None or is_given or not first.tz else first.tz


_ORIGINS: dict[int, tuple[weakref.ref[Any], Read | Measured]] = {}
_MEASURED: ContextVar[Measured | None] = ContextVar("measured", default=None)


def remember(frame: Any, origin: Read | Measured) -> None:
    """Remember where a frame comes from, as long as it lives; some engines' frames can't be."""
    key = id(frame)
    try:
        reference = weakref.ref(frame, lambda _: _ORIGINS.pop(key, None))
    except TypeError:
        return
    _ORIGINS[key] = reference, origin


def origin_of(frame: Any) -> Read | Measured | None:
    """Return where a frame comes from, if that is remembered."""
    reference, origin = _ORIGINS.get(id(frame), (None, None))
    return origin if reference is not None and reference() is frame else None


def newest_fetch(frames: Iterable[Any]) -> datetime | None:
    """Return when the newest data of frames were fetched; None where it is unknown of one."""
    moments: list[datetime | None] = []
    for frame in frames:
        origin = origin_of(frame)
        inputs = origin.inputs.values() if isinstance(origin, Measured) else ()
        reads = [origin] if isinstance(origin, Read) else [table.read for table in inputs] or [None]
        moments += [None if read is None else read.fetched_at for read in reads]
    known = [moment for moment in moments if moment is not None]
    return max(known) if known and len(known) == len(moments) else None


def recorded(metric: _Function) -> _Function:
    """Return a metric whose result is remembered with what it was made of."""

    @wraps(metric)
    def measure(*arguments: Any, **options: Any) -> Any:
        refuse_unknown(
            options, _signature(metric).parameters, f"argument of fk.metrics.{metric.__name__}"
        )
        check_switches(metric, options)
        with _recording(Measured(metric.__name__)) as measured:
            result = metric(*arguments, **options)
        given = _signature(metric).bind(*arguments, **options).arguments
        frames = {name: (value,) for name, value in given.items() if _is_frame(value)}
        measured.arguments = {name: value for name, value in given.items() if name not in frames}
        if isinstance(parts := given.get("parts"), list | tuple):
            del measured.arguments["parts"]
            frames = dict(zip(OF_FLIGHTS, zip(*parts, strict=True), strict=True)) | frames
        if not any(frame is result for table in frames.values() for frame in table):
            measured.inputs = {name: _input(table) for name, table in frames.items()}
            for table in result if isinstance(result, tuple) else (result,):
                remember(table, measured)
        return result

    return measure  # type: ignore[return-value] # it is called as the metric is


def record_columns(name: str, columns: Iterable[str]) -> None:
    """Note which columns of its table the metric that is being called reads."""
    measured = _MEASURED.get()
    if measured is not None:
        listed = measured.columns.setdefault(name, [])
        listed += [column for column in columns if column not in listed]


def record_zone(tz: str) -> None:
    """Note the zone by whose clocks the metric that is being called counts."""
    measured = _MEASURED.get()
    if measured is not None:
        measured.tz = measured.tz or tz


@contextmanager
def _recording(measured: Measured) -> Iterator[Measured]:
    token = _MEASURED.set(measured)
    try:
        yield measured
    finally:
        _MEASURED.reset(token)


def _is_frame(value: Any) -> bool:
    return hasattr(type(value), "columns")


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _input(frames: tuple[Any, ...]) -> Input:
    """Return a table as it is now: pandas copies a frame where one of the two is changed.

    What a metric returned, such as the aircraft, is of the filter and the state that all of its own
    tables are of, and of the days of its flights.
    """
    origins = [origin_of(frame) for frame in frames]
    reads = [
        _read_of_all(origin.inputs) if isinstance(origin, Measured) else origin
        for origin in origins
    ]
    shown = (
        frame.copy(deep=False) if isinstance(frame, pd.DataFrame) else frame for frame in frames
    )
    first = origins[0]
    return Input(tuple(shown), _joined(reads), first.zone if isinstance(first, Measured) else "")


def _joined(reads: Sequence[Read | None]) -> Read | None:
    """Return how a fleet read parts of a table; None where they are not of one state."""
    known = [read for read in reads if read is not None]
    if len(known) < len(reads) or not _are_of_one_state(known):
        return None
    return replace(
        known[0],
        period=", ".join(read.period for read in known),
        parts=tuple(part for read in known for part in read.parts),
    )


def _are_of_one_state(reads: Sequence[Read | None]) -> bool:
    states = [read and (read.filter, read.fetched_at) for read in reads]
    return states.count(states[0]) == len(states)


def _read_of_all(inputs: Mapping[str, Input]) -> Read | None:
    """Return how a fleet read the flights among some tables, or else the first of them.

    None where they are not of one filter and one state.
    """
    reads = [table.read for table in inputs.values()]
    if not reads or not _are_of_one_state(reads):
        return None
    dated = next((inputs[name] for name in OF_FLIGHTS if name in inputs), None)
    return dated.read if dated else reads[0]
