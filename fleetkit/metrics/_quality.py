"""The records that checks of the data read, and the answers that they give.

`data_quality` is made of these modules::

    _quality              records, rules and answers
    _quality_flights      checks of one flight by itself, and beside its project
    _quality_overlaps     checks of flights beside others and beside equipment, by any engine
    _quality_tables       checks of equipment and projects
    _quality_part         flights in memory, with numbers in place of texts
    _quality_part_checks  the checks that join tables, over these
    _quality_spans        spans of time that overlap
    _quality_counting     how many flights are flagged, by slices of time
    _quality_checking     all checks, one after the other, and the table of their answers
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_number
from fleetkit.blanks import is_blank
from fleetkit.language import say, say_count
from fleetkit.metrics._flown import aircraft_ids, ones, read_bridge
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy, to_pandas
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._slices import Slices
from fleetkit.metrics.aircraft import aircraft as find_aircraft
from fleetkit.time import Clock, Ends, Period, PeriodLike, in_one_zone, instant, is_midnight

__all__ = [
    "EQUIPMENT_COLUMNS",
    "FLIGHT_COLUMNS",
    "MARKS",
    "POSITIONS",
    "PROJECT_COLUMNS",
    "Answer",
    "Check",
    "Checked",
    "Records",
    "Rule",
    "Run",
    "folded",
    "is_suspect",
    "named_tokens",
    "read_checked",
]

# Tokens that a note names.
_MOST_TOKENS = 6
# Why a check could judge none of the records of a table.
_LACKING = {
    "flights": ("0 of {count} flight has {needs}.", "0 of {count} flights have {needs}."),
    "equipment": (
        "0 of {count} piece of equipment has {needs}.",
        "0 of {count} pieces of equipment have {needs}.",
    ),
    "projects": ("0 of {count} project has {needs}.", "0 of {count} projects have {needs}."),
}
Severity = Literal["error", "warning", "info"]
# Latitude and longitude of the take-off, and of the landing.
POSITIONS = (("takeoff_lat", "takeoff_lng"), ("landing_lat", "landing_lng"))
FLIGHT_COLUMNS = (
    "flight_id", "flight_date", "flight_type", "duration_seconds", "pilot_id", "pilot_name",
    "project_id", "created_at", *(name for pair in POSITIONS for name in pair),
)  # fmt: skip
# Columns by which flights are identified and counted.
MARKS = ("flight_id", "_slice")
EQUIPMENT_COLUMNS = (
    "equipment_id", "type", "status", "condition", "serial_number", "registration_number",
    "purchase_date",
)  # fmt: skip
PROJECT_COLUMNS = ("project_id", "status", "agreed_price", "currency", "assigned_pilot_name")


class Rule(NamedTuple):
    """Whether a check can judge a flight, and whether it flags it."""

    looked_at: nw.Expr
    suspect: nw.Expr
    note: str = ""


class Checked(NamedTuple):
    """The flights that a check could judge, with ``_slice``; those that it flags, with `MARKS`."""

    looked_at: Lazy
    suspect: Lazy
    unseen: str = ""


@dataclass(frozen=True)
class Answer:
    """How many records a check flags, of how many that it could judge, and the first ids.

    ``unseen`` says why it could judge none, where the reason is another than a missing field.
    """

    count: int = 0
    of: int = 0
    ids: Sequence[str] = ()
    note: str = ""
    unseen: str = ""

    @classmethod
    def of_rows(cls, ids: pd.Series[Any], suspect: pd.Series[bool], note: str = "") -> Answer:
        """Count the records of a small table, all of which could be judged."""
        return cls(int(suspect.sum()), len(ids), sorted(ids[suspect].tolist()), note)


class Plans(NamedTuple):
    """Ids of all projects, of those with a status and of the cancelled ones; assigned pilots."""

    known: frozenset[str]
    staged: frozenset[str]
    cancelled: frozenset[str]
    pilots: Mapping[str, str]

    @classmethod
    def of(cls, projects: pd.DataFrame) -> Plans:
        """Read the projects, once for all parts of the flights."""
        staged = projects.loc[projects["status"].notna(), "project_id"]
        cancelled = projects.loc[projects["status"] == "CANCELLED", "project_id"]
        assigned = projects[["project_id", "assigned_pilot_name"]].dropna()
        pilots = assigned["assigned_pilot_name"]
        names = pilots.map({name: folded(name) for name in pilots.unique()}).tolist()
        pairs = zip(assigned["project_id"].tolist(), names, strict=True)
        return cls(
            frozenset(projects["project_id"].tolist()),
            frozenset(staged.tolist()),
            frozenset(cancelled.tolist()),
            {project: name for project, name in pairs if name},
        )


@dataclass(frozen=True)
class Records:
    """The records that are checked, and what counts as normal.

    Attributes
    ----------
    flights, bridge : LazyFrame
        The columns that checks read.
    equipment, projects : DataFrame
    plans : Plans
        The projects, as flights are checked beside them.
    orders : dict of str → sequence of str
        Column of equipment → the tokens that are known.
    aircraft : list of str
        Ids of the equipment that is aircraft.
    clock : Clock
        It knows whether flight dates are dates.
    as_of : datetime
        The moment from which on nothing can have been flown.
    shortest, longest : float
        Durations that are usual. [s]
    copies : DataFrame or None
        Copies of flights that differ, where they are known.
    slices : Slices
        The slices of time that flights are counted in.
    """

    flights: Lazy
    bridge: Lazy
    equipment: pd.DataFrame
    projects: pd.DataFrame
    plans: Plans
    orders: dict[str, Sequence[str]]
    aircraft: list[str]
    clock: Clock
    as_of: datetime
    shortest: float
    longest: float
    slices: Slices
    copies: pd.DataFrame | None = field(default=None)

    @classmethod
    def read(
        cls,
        flights: Frame,
        bridge: Frame,
        equipment: Any,
        projects: Frame,
        *,
        as_of: str | date | datetime,
        tz: str | None,
        orders: dict[str, Sequence[str]],
        shortest: float,
        longest: float,
        aircraft: Frame | None = None,
        copies: Frame | None = None,
        periods: Iterable[PeriodLike] = (),
    ) -> Records:
        """Read the columns that checks need from frames of any engine."""
        frame = read_checked(flights)
        clock = clock_of(flights, equipment, bridge, projects, tz=tz).judge(frame)
        moment = instant(as_of, clock.tz)
        is_day = not isinstance(as_of, datetime) and is_midnight(moment)
        flown_by = find_aircraft(equipment, bridge) if aircraft is None else aircraft
        slices = Slices(frame, [Period.read(period, clock.tz) for period in periods], clock)
        planned = to_pandas(projects, "projects", PROJECT_COLUMNS).astype({"status": "str"})
        return cls(
            slices.label(frame),
            read_bridge(bridge, frame),
            to_pandas(equipment, "equipment", EQUIPMENT_COLUMNS),
            planned,
            Plans.of(planned),
            orders,
            aircraft_ids(flown_by),
            clock,
            clock.end_of(moment) if is_day else moment,
            checked_number(shortest, "shortest"),
            checked_number(longest, "longest"),
            slices,
            None if copies is None else to_pandas(copies, "copies", ["flight_id"]),
        )

    @cached_property
    def flown_projects(self) -> list[str]:
        """The ids of projects that flights name."""
        named = self.flights.filter(~nw.col("project_id").is_null())
        ids = collect(named.select("project_id").unique())["project_id"]
        return sorted(ids.astype("str").tolist())

    @cached_property
    def differing(self) -> list[str]:
        """The ids of flights of which copies differ."""
        return [] if self.copies is None else sorted(self.copies["flight_id"].dropna().unique())

    @cached_property
    def bought_on(self) -> pd.Series[pd.Timestamp]:
        """The day, without a zone, that equipment was bought on, by its id."""
        bought = self.equipment.dropna(subset=["purchase_date"])
        return self.clock.days(bought["purchase_date"]).groupby(bought["equipment_id"]).max()

    @cached_property
    def bought_at(self) -> dict[str, int]:
        """The days of `bought_on` in seconds since 1970."""
        seconds = self.bought_on.astype("datetime64[s]").astype("int64")
        return dict(zip(seconds.index.tolist(), seconds.tolist(), strict=True))

    @property
    def flown(self) -> Lazy:
        """Each flight once per piece of equipment, with the columns that overlaps are found by."""
        flights = self.flights.select(*MARKS, "flight_date", "duration_seconds")
        return self.bridge.join(flights, on="flight_id", how="inner")

    @property
    def end(self) -> datetime:
        """The moment `as_of`, in the form in which ``flight_date`` is compared with it."""
        _, until = self.clock.bounds(self.flights, Ends(None, self.as_of))
        return until or self.as_of


Run: TypeAlias = Callable[[Records], Rule | Checked | Answer]


@dataclass(frozen=True)
class Check:
    """One check: its name, its severity, the table that it checks, and the function that does.

    ``error`` can't be true, ``warning`` is hardly ever true, ``info`` is worth knowing. ``needs``
    says what a record must have to be judged: "a duration".
    """

    name: str
    severity: Severity
    records: Literal["flights", "equipment", "projects"]
    run: Run
    needs: str = ""

    def note(self, answer: Answer, total: int) -> str:
        """Return the note on an answer; where no record could be judged, the reason."""
        if answer.of:
            return answer.note
        if answer.unseen:
            return answer.unseen
        one, many = _LACKING[self.records]
        return say_count(total, one, many, needs=say(self.needs))


def read_checked(flights: Frame) -> Lazy:
    """Return the columns of flights that checks read; their moments can be compared."""
    frame = to_lazy(flights, "flights", FLIGHT_COLUMNS)
    return in_one_zone(frame, "flight_date", "created_at")


def is_suspect(rule: Rule) -> nw.Expr:
    """Return 1 where a rule flags a flight, else 0."""
    return ones(rule.looked_at & rule.suspect)


def named_tokens(tokens: Iterable[str]) -> str:
    """Return a note that names some tokens; of more than a few, how many others there are."""
    # Of blanks alone nothing would be seen.
    names = sorted(repr(token) if is_blank(token) else token for token in tokens)
    rest = len(names) - _MOST_TOKENS
    more = [say("{count} more", count=rest)] if rest > 0 else []
    return f"{', '.join([*names[:_MOST_TOKENS], *more])}." if names else ""


def folded(name: str) -> str:
    """Return a name without blanks at its ends and in small letters, for comparisons."""
    return name.strip().casefold()
