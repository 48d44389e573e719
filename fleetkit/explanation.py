"""`explain`: how a figure came about, from what its metric says and was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import count_known, known_or_null
from fleetkit.context import carried
from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.html import html_table
from fleetkit.interface import brief
from fleetkit.language import localized, message, say, say_count
from fleetkit.origins import OF_FLIGHTS, Input, Measured, Read, origin_of
from fleetkit.time import ZONE, Clock, Period

__all__ = ["Explanation", "explain", "is_explained"]

# Parameter of a metric → the section of docs/api-reference.md that describes its records.
_SECTIONS = {
    "equipment": "2.1",
    "aircraft": "2.1",
    "specifications": "2.1",
    "flights": "2.2",
    "bridge": "2.2",
    "projects": "2.3",
    "services": "2.4",
    "tiers": "2.4",
}
# A parameter that is no plural → what its rows are called where they are several.
_SEVERAL = {
    message("equipment"): message("pieces of equipment"),
    message("earlier"): message("earlier flights"),
    message("history"): message("row versions"),
    message("hours"): message("rows of hours"),
}
# Columns in which null is an answer: a row version without an end is current.
_ANSWERED = frozenset(["valid_to"])
# Column → what it is in words, which stand beside its name in languages other than English.
WORDS = {
    "agreed_price": message("agreed price"),
    "assigned_pilot_name": message("assigned pilot"),
    "base_rate": message("base rate"),
    "bvlos": message("beyond line of sight, yes or no"),
    "category": message("category"),
    "client_account_name": message("client"),
    "condition": message("condition"),
    "created_at": message("date of the record"),
    "currency": message("currency"),
    "duration_seconds": message("duration"),
    "estimated_cost": message("estimated cost"),
    "flight_date": message("flight date"),
    "flight_type": message("flight type"),
    "is_active": message("active, yes or no"),
    "is_recommended": message("recommended, yes or no"),
    "landing_lat": message("latitude of landing"),
    "landing_lng": message("longitude of landing"),
    "manufacturer": message("manufacturer"),
    "model": message("model"),
    "name": message("name"),
    "night_flight": message("night, yes or no"),
    "operation_type": message("operation type"),
    "pilot_id": message("pilot"),
    "pilot_name": message("pilot's name"),
    "price_modifier_percent": message("price modifier"),
    "pricing_model": message("pricing model"),
    "project_id": message("project"),
    "project_title": message("project's title"),
    "project_type": message("project type"),
    "purchase_cost": message("purchase cost"),
    "purchase_date": message("purchase date"),
    "registration_expiry": message("expiry of the registration"),
    "registration_number": message("registration"),
    "scheduled_date": message("scheduled date"),
    "serial_number": message("serial number"),
    "status": message("status"),
    "takeoff_lat": message("latitude of take-off"),
    "takeoff_lng": message("longitude of take-off"),
    "tier_level": message("level of the tier"),
    "tier_name": message("name of the tier"),
    "title": message("title"),
    "total_flight_hours": message("counter of hours"),
    "total_flights": message("counter of flights"),
    "traveled_distance": message("distance travelled"),
    "type": message("type"),
    "unit_type": message("unit"),
    "updated_at": message("last change of the record"),
}
# Arguments that have a line of their own, and the longest text of another one.
_SHOWN, _LONGEST = ("period", "tz"), 200
_UNSHIFTED = "; flight dates are dates, which no zone shifts"
_NOT_KNOWN = "not known: the rows aren't a table as a fleet returned it"


@dataclass(frozen=True)
class Explanation:
    """How a figure came about.

    Attributes
    ----------
    metric : str
        Which of `fk.metrics` made it.
    definition : dict
        Term → what it means.
    reference : str
        Where the records are described.
    period, tz : str
        Which days its flights are of, or else its rows, and by which clocks it counted, or else
        these days are; the period is empty where it isn't known.
    filter : Filter or None
        What the rows of all its tables were narrowed by; None where it isn't known, or isn't one.
    fetched_at : datetime or None
        When its rows were fetched, of several tables the first: of a mirror its sync, of a service
        when its fleet began to fetch what it keeps; None where it isn't known of each.
    arguments : dict
        What else the metric was given.
    """

    metric: str
    definition: dict[str, str]
    reference: str
    period: str
    tz: str
    filter: Filter | None
    fetched_at: datetime | None
    arguments: dict[str, Any]
    _inputs: dict[str, Input] = field(repr=False)
    _columns: dict[str, list[str]] = field(repr=False)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The rows that the figure was counted from, all of their columns; a lazy frame is read."""
        parts = [_in_pandas(frame) for frame in next(iter(self._inputs.values())).frames]
        return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """How many rows have a value, of each column that was read: table, column, used, of."""
        return pd.DataFrame(self._covered, columns=["table", "column", "used", "of"])

    @cached_property
    def _covered(self) -> list[tuple[str, str, int, int]]:
        return [
            (table, *counted)
            for table, columns in self._columns.items()
            if table in self._inputs
            for counted in _summed(self._inputs[table].frames, columns)
        ]

    @property
    def gaps(self) -> list[str]:
        """What the coverage says of columns that lack values, in words."""
        return [
            # Of what is none the verb follows the others: "0 of 1 row of projects has".
            say_count(
                used or count,
                "{used} of {rows} has {column}",
                "{used} of {rows} have {column}",
                used=localized(f"{used:,}"),
                rows=_rows(table, count),
                column=_named(column),
            )
            for table, column, used, count in self._covered
            if used < count and column not in _ANSWERED
        ]

    def __str__(self) -> str:
        return "\n".join(f"{label}: {text}" for label, text in self._lines())

    def _repr_html_(self) -> str:
        return html_table(list(self._lines()))

    def _lines(self) -> Iterable[tuple[str, str]]:
        yield "Metric", f"fk.metrics.{self.metric}"
        yield from self.definition.items()
        rows = [count for *_, count in self._covered]
        none = "there are no rows" if rows and not any(rows) else "every row has what was read"
        yield "Coverage", "; ".join(self.gaps) or none
        others = {name: value for name, value in self.arguments.items() if name not in _SHOWN}
        if others:
            yield (
                "Arguments",
                "; ".join(f"{name}={_written(value)}" for name, value in others.items()),
            )
        yield "Period", f"{self.period or _NOT_KNOWN}{self._compared}"
        yield "Time zone", f"{self.tz}{_UNSHIFTED if self._has_dates else ''}"
        yield "Filter", self._by_table(lambda read: repr(read.filter) if read.filter else "none")
        yield "Fetched", self._by_table(lambda read: f"{read.fetched_at:%Y-%m-%d %H:%M %Z}")
        yield "Records", self.reference

    @property
    def _has_dates(self) -> bool:
        """Whether flight dates are dates, which were not shifted to the zone."""
        table = self._inputs.get("flights")
        if table is None or self.tz == "UTC":
            return False
        flights = table.frames[0]
        if "flight_date" not in nw.from_native(flights).lazy().collect_schema().names():
            return False
        return bool(Clock.of(flights, tz=self.tz).judge(flights).dates_only)

    @property
    def _compared(self) -> str:
        """Say of which days the flights are that others are compared with, where there are such."""
        if "earlier" not in self._inputs:
            return ""
        read = self._inputs["earlier"].read
        return f"; of the earlier flights {read.period if read else _NOT_KNOWN}"

    def _by_table(self, written: Callable[[Read], str]) -> str:
        """Write what is known of the tables, of each by itself where it isn't the same."""
        texts = {
            name: written(table.read) if table.read else _NOT_KNOWN
            for name, table in self._inputs.items()
        }
        if len(set(texts.values())) == 1:
            return next(iter(texts.values()))
        return "; ".join(f"of {name} {text}" for name, text in texts.items())


def is_explained(figure: Any) -> bool:
    """Whether a frame is as a metric returned it, or a chart was drawn of one that is."""
    origin = origin_of(_measured(figure))
    return isinstance(origin, Measured) and bool(origin.inputs)


def explain(figure: Any) -> Explanation:
    """Say how a figure came about: definition, coverage, filter, state, and the rows behind it.

    Parameters
    ----------
    figure : frame or Axes
        What a metric of `fk.metrics` returned, or a chart of `fk.charts` that was drawn of it.

    Returns
    -------
    Explanation
        ``definition``, ``reference``, ``coverage``, ``filter``, ``period``, ``tz``, ``fetched_at``
        and ``rows``; it shows itself in a notebook. Filter, period and moment are known where the
        metric was given tables as a fleet returned them, not parts of them.

    Raises
    ------
    InvalidValue
        No metric returned this frame: it was made of such a frame, or comes from elsewhere.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20")
    >>> late = fk.metrics.late_projects(fleet.projects(), "2026-11-20")
    >>> explanation = fk.explain(late)
    >>> explanation.definition
    {'Late': 'The scheduled date is past and the project is DRAFT, CONFIRMED or SCHEDULED.'}
    >>> explanation.reference
    'docs/api-reference.md, section 2.3'
    >>> len(explanation.rows) == len(fleet.projects())
    True
    """
    frame = _measured(figure)
    origin = origin_of(frame)
    if not isinstance(origin, Measured) or not origin.inputs:
        what = f"this {type(figure).__name__}" if frame is figure else "what this chart draws"
        raise InvalidValue(
            f"No metric is known to have returned {what}.",
            advice="Explain what fk.metrics returned, before it is filtered, merged or saved.",
        )
    first = next(iter(origin.inputs.values()))
    reads = [table.read for table in origin.inputs.values() if table.read]
    are_known = len(reads) == len(origin.inputs)
    filters = [read.filter for read in reads]
    # A lazy frame carries no zone, also where its result is given one when it is collected.
    counted = frame if isinstance(first.frames[0], pd.DataFrame) else None
    # Equipment and projects are of no days, but flights under them may be.
    dated = next((origin.inputs[name] for name in OF_FLIGHTS if name in origin.inputs), first).read
    given = origin.arguments.get("tz") or carried(counted).get(ZONE)
    tz = origin.zone or str(given or (dated and dated.tz) or "UTC")
    period = origin.arguments.get("period")
    return Explanation(
        metric=origin.metric,
        definition=metrics.definitions(origin.metric),
        reference=_reference(origin.inputs),
        period=Period.read(period, tz).name if period else dated.period if dated else "",
        tz=tz,
        filter=filters[0] if are_known and filters.count(filters[0]) == len(filters) else None,
        fetched_at=min(read.fetched_at for read in reads) if are_known else None,
        arguments=origin.arguments,
        _inputs=origin.inputs,
        _columns=origin.columns,
    )


def _written(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST and text.isprintable() else brief(value)


def _rows(table: str, count: int) -> str:
    """Count the rows of a table, called what they are where they are several."""
    name = say(table if count == 1 else _SEVERAL.get(table, table))
    return say_count(count, "{count} row of {table}", "{count} {table}", table=name)


def _named(column: str) -> str:
    """Return the name of a column, with what it is in words where that isn't English."""
    words = WORDS.get(column, column)
    return column if say(words) == words else f"{say(words)} ({column})"


def _measured(figure: Any) -> Any:
    """Return the frame that a chart was drawn of; what isn't a chart, as it is."""
    drawing = getattr(figure, "drawing", None)
    return figure if drawing is None else drawing.measured


def _reference(inputs: Iterable[str]) -> str:
    sections = sorted({_SECTIONS[name] for name in inputs if name in _SECTIONS})
    if not sections:
        return "docs/api-reference.md"
    return f"docs/api-reference.md, section {' and '.join(sections)}"


def _in_pandas(frame: Any) -> pd.DataFrame:
    if isinstance(frame, pd.DataFrame):
        return frame.copy()
    rows: pd.DataFrame = nw.from_native(frame).lazy().collect("pandas").to_native()
    return rows


def _summed(frames: Sequence[Any], columns: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return what `_counted` does of a table in parts."""
    known: dict[str, int] = {}
    of: dict[str, int] = {}
    for frame in frames:
        for name, used, count in _counted(frame, columns):
            known[name] = known.get(name, 0) + used
            of[name] = of.get(name, 0) + count
    return [(name, known[name], of[name]) for name in known]


def _counted(frame: Any, columns: Iterable[str]) -> list[tuple[str, int, int]]:
    """Return of each column how many rows have a value, of how many."""
    if isinstance(frame, pd.DataFrame):
        return [(name, count_known(frame[name]), len(frame)) for name in columns if name in frame]
    lazy = nw.from_native(frame).lazy()
    names = lazy.collect_schema().names()
    present = [name for name in columns if name in names]
    if not present:
        return []
    counts = [nw.col(name).count().alias(f"_{index}") for index, name in enumerate(present)]
    counted = lazy.select(*map(known_or_null, present)).select(nw.len().alias("_of"), *counts)
    row = counted.collect("pandas").to_native().iloc[0]
    return [(name, int(row[f"_{index}"]), int(row["_of"])) for index, name in enumerate(present)]
