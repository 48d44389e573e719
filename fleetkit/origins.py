"""What is remembered of a frame while it lives: which call made it, and of what.

It is remembered beside the frame, not in its ``attrs``: pandas drops all ``attrs`` where two frames
meet whose own differ, and with them the time zone. So a frame that was made from another one, such
as a part of its rows, has no origin of its own.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
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
    "origin_of",
    "record_columns",
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
    fleet that metrics look at and that aren't the default.
    """

    period: str
    filter: Any
    fetched_at: datetime
    parts: tuple[Ends, ...] = (Ends(),)
    settings: Mapping[str, Any] = field(default_factory=dict)

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
    """A frame that a metric was given, and what is known of it."""

    frame: Any
    read: Read | None


@dataclass(frozen=True)
class Measured:
    """What a metric returned: its name, its frames and other arguments, and the columns it read."""

    metric: str
    inputs: dict[str, Input]
    arguments: dict[str, Any]
    columns: dict[str, list[str]] = field(default_factory=dict)


_ORIGINS: dict[int, tuple[weakref.ref[Any], Read | Measured]] = {}
_COLUMNS: ContextVar[dict[str, list[str]] | None] = ContextVar("columns", default=None)


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


def recorded(metric: _Function) -> _Function:
    """Return a metric whose result is remembered with what it was made of."""

    @wraps(metric)
    def measure(*arguments: Any, **options: Any) -> Any:
        refuse_unknown(
            options, _signature(metric).parameters, f"argument of fk.metrics.{metric.__name__}"
        )
        check_switches(metric, options)
        with _columns() as columns:
            result = metric(*arguments, **options)
        given = _signature(metric).bind(*arguments, **options).arguments
        frames = {name: value for name, value in given.items() if hasattr(type(value), "columns")}
        if not any(frame is result for frame in frames.values()):
            inputs = {name: _input(frame) for name, frame in frames.items()}
            others = {name: value for name, value in given.items() if name not in frames}
            remember(result, Measured(metric.__name__, inputs, others, columns))
        return result

    return measure  # type: ignore[return-value] # it is called as the metric is


def record_columns(name: str, columns: Iterable[str]) -> None:
    """Note which columns of its table the metric that is being called reads."""
    columns_read = _COLUMNS.get()
    if columns_read is not None:
        listed = columns_read.setdefault(name, [])
        listed += [column for column in columns if column not in listed]


@contextmanager
def _columns() -> Iterator[dict[str, list[str]]]:
    columns: dict[str, list[str]] = {}
    token = _COLUMNS.set(columns)
    try:
        yield columns
    finally:
        _COLUMNS.reset(token)


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _input(frame: Any) -> Input:
    """Return a frame as it is now: pandas copies it where one of the two is changed.

    What a metric returned, such as the aircraft, is of the filter and the state that all of its own
    tables are of, and of the days of its flights.
    """
    origin = origin_of(frame)
    if isinstance(origin, Measured):
        origin = _read_of_all(origin.inputs)
    shown = frame.copy(deep=False) if isinstance(frame, pd.DataFrame) else frame
    return Input(shown, origin)


def _read_of_all(inputs: Mapping[str, Input]) -> Read | None:
    """Return how a fleet read the flights among some tables, or else the first of them.

    None where they are not of one filter and one state.
    """
    reads = [table.read for table in inputs.values()]
    states = [read and (read.filter, read.fetched_at) for read in reads]
    if not reads or states.count(states[0]) < len(states):
        return None
    dated = next((inputs[name] for name in OF_FLIGHTS if name in inputs), None)
    return dated.read if dated else reads[0]
