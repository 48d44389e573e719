"""What checks of the data look at, what they answer, and how flights are counted by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import narwhals as nw
import pandas as pd

from fleetkit.language import say
from fleetkit.metrics._flown import read_bridge
from fleetkit.metrics._frames import Frame, Lazy, collect, in_narwhals, to_lazy, to_pandas
from fleetkit.metrics.aircraft import aircraft as find_aircraft
from fleetkit.rounding import number
from fleetkit.time import Clock, Ends, instant, with_utc

__all__ = [
    "EQUIPMENT_COLUMNS",
    "FLIGHT_COLUMNS",
    "POSITIONS",
    "PROJECT_COLUMNS",
    "Answer",
    "Check",
    "Checked",
    "LastDay",
    "Records",
    "Rule",
    "answer_of",
    "answers_of_rules",
    "count_rows",
    "first_ids",
    "in_memory",
    "mark",
    "rows_of_rule",
    "with_sound_share",
]

# What sentences call the records of a table.
_LACKING = {
    "flights": "0 of {count} flights have {needs}.",
    "equipment": "0 of {count} pieces of equipment have {needs}.",
    "projects": "0 of {count} projects have {needs}.",
}
Severity = Literal["error", "warning", "info"]
# Latitude and longitude of the take-off, and of the landing.
POSITIONS = (("takeoff_lat", "takeoff_lng"), ("landing_lat", "landing_lng"))
FLIGHT_COLUMNS = (
    "flight_id", "flight_date", "flight_type", "duration_seconds", "pilot_id", "pilot_name",
    "project_id", "created_at", *(name for pair in POSITIONS for name in pair),
)  # fmt: skip
# Of them those whose texts occur often.
_REPEATED = ("flight_type", "pilot_id", "pilot_name", "project_id")
# What tells the flights of a part apart.
_NUMBER = "_number"
EQUIPMENT_COLUMNS = (
    "equipment_id", "type", "status", "condition", "serial_number", "registration_number",
    "purchase_date",
)  # fmt: skip
PROJECT_COLUMNS = ("project_id", "status", "agreed_price", "currency", "assigned_pilot_name")


class Rule(NamedTuple):
    """What a check asks of one flight: whether it could be looked at, and whether it stands out."""

    looked_at: nw.Expr
    suspect: nw.Expr
    note: str = ""


class Checked(NamedTuple):
    """Which flights could be looked at, a row each, and ``flight_id`` of those that stand out."""

    looked_at: Lazy
    suspect: Lazy
    unseen: str = ""


@dataclass(frozen=True)
class Answer:
    """What a check counted, of how many that it could look at, and the ids of the first ones.

    ``unseen`` says why there was nothing to look at, where that is not for the lack of a field.
    """

    count: int = 0
    of: int = 0
    ids: Sequence[str] = ()
    note: str = ""
    unseen: str = ""

    @classmethod
    def of_rows(cls, ids: pd.Series[Any], suspect: pd.Series[bool], note: str = "") -> Answer:
        """Count the records of a small table, all of which could be looked at."""
        return cls(int(suspect.sum()), len(ids), sorted(ids[suspect].tolist()), note)

    def with_part(self, other: Self, most: int) -> Self:
        """Add what the same check counted of other flights, and keep the first `most` ids."""
        count, of = self.count + other.count, self.of + other.of
        ids = sorted([*self.ids, *other.ids])[:most]
        return replace(self, count=count, of=of, ids=ids, note=self.note or other.note)


class LastDay(NamedTuple):
    """The flights of a day, and once under each piece of equipment: some flew past midnight."""

    flights: Lazy
    flown: Lazy


@dataclass(frozen=True)
class Records:
    """The records that are checked, and what is normal.

    Attributes
    ----------
    flights, bridge : LazyFrame
        Of the columns that checks look at.
    equipment, projects : DataFrame
    orders : dict of str → sequence of str
        Column of equipment → the tokens that are known.
    aircraft : list of str
        Ids of the equipment that is aircraft.
    clock : Clock
        It knows whether flight dates are dates.
    as_of : datetime
        The moment after which nothing can have been flown.
    shortest, longest : float
        Durations that are usual. [s]
    copies : DataFrame or None
        Copies of flights that differ, where they are known.
    is_loaded : bool
        Whether the flights are in memory, and what is joined to them may be too.
    before : LastDay or None
        The day flown last before these flights, where they are a part of several.
    key : str
        The column that tells flights apart: of a part a number, which is compared faster.
    """

    flights: Lazy
    bridge: Lazy
    equipment: pd.DataFrame
    projects: pd.DataFrame
    orders: dict[str, Sequence[str]]
    aircraft: list[str]
    clock: Clock
    as_of: datetime
    shortest: float
    longest: float
    copies: pd.DataFrame | None = field(default=None)
    is_loaded: bool = False
    before: LastDay | None = None
    key: str = "flight_id"

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
    ) -> Records:
        """Take the columns that checks look at from frames of any engine."""
        frame = to_lazy(flights, "flights", FLIGHT_COLUMNS)
        clock = Clock.of(flights, equipment, bridge, projects, tz=tz).judge(frame)
        moment = instant(as_of, clock.tz)
        is_day = not isinstance(as_of, datetime) and moment.time() == datetime.min.time()
        flown_by = find_aircraft(equipment, bridge) if aircraft is None else aircraft
        return cls(
            frame,
            read_bridge(bridge, frame),
            to_pandas(equipment, "equipment", EQUIPMENT_COLUMNS),
            to_pandas(projects, "projects", PROJECT_COLUMNS).astype({"status": "str"}),
            orders,
            to_pandas(flown_by, "equipment", ["equipment_id"])["equipment_id"].tolist(),
            clock,
            instant(moment.date() + timedelta(days=1), clock.tz) if is_day else moment,
            shortest,
            longest,
            None if copies is None else to_pandas(copies, "copies", ["flight_id"]),
            is_loaded=isinstance(in_narwhals(flights), nw.DataFrame),
        )

    def of_part(self, flights: Frame, bridge: Frame, before: LastDay | None = None) -> Records:
        """Return the records with a part of the flights, which is loaded."""
        frame = to_lazy(flights, "flights", FLIGHT_COLUMNS)
        pairs = _in_categories(read_bridge(bridge, frame), "equipment_id")
        loaded = _in_categories(frame, *_REPEATED).collect().with_row_index(_NUMBER).lazy()
        whole = replace(self, is_loaded=True, before=before, key=_NUMBER)
        return replace(whole, flights=loaded, bridge=in_memory(pairs))

    def with_key(self, *columns: str) -> list[str]:
        """Return the columns that name flights and tell them apart, and others, each once."""
        return list(dict.fromkeys([self.key, "flight_id", *columns]))

    @cached_property
    def flown(self) -> Lazy:
        """The flights once under each piece of equipment, with what overlaps are told by."""
        flights = self.flights.select(*self.with_key("flight_date", "duration_seconds"))
        flown = self.bridge.join(flights, on="flight_id", how="inner")
        return in_memory(flown) if self.is_loaded else flown

    @property
    def last_day(self) -> LastDay | None:
        """The day flown last, by UTC; the one before the flights where none has a date."""
        dated, moment = with_utc(self.flights), nw.col("_utc")
        last = collect(dated.select(moment.max()))["_utc"].iloc[0]
        if pd.isna(last):
            return self.before
        midnight = last.normalize().to_pydatetime()
        flights, flown = (
            with_utc(rows.select("flight_id", key, "flight_date", "duration_seconds"))
            .filter(moment >= midnight)
            .drop("_utc")
            for rows, key in ((self.flights, "pilot_id"), (self.flown, "equipment_id"))
        )
        return LastDay(in_memory(flights), in_memory(flown))

    @property
    def end(self) -> datetime:
        """The moment `as_of`, as it is compared with ``flight_date``."""
        _, until = self.clock.bounds(self.flights, Ends(None, self.as_of))
        return until or self.as_of


Run: TypeAlias = Callable[[Records], Rule | Checked | Answer]


@dataclass(frozen=True)
class Check:
    """One check: its name, how grave what it counts is, of which table's records, what it does.

    ``error`` can't be true, ``warning`` is hardly ever true, ``info`` is worth knowing. ``needs``
    says what records must have to be looked at: "a duration".
    """

    name: str
    severity: Severity
    records: Literal["flights", "equipment", "projects"]
    run: Run
    needs: str = ""

    def note(self, answer: Answer, total: int) -> str:
        """Return what is to say of an answer; of one that looked at nothing, that and why."""
        if answer.of:
            return answer.note
        if answer.unseen:
            return answer.unseen
        return say(_LACKING[self.records], count=number(total), needs=say(self.needs))


def mark(flights: Lazy, rules: Iterable[Rule]) -> Lazy:
    """Return flights with ``of0``, ``n0`` and so on: 1 where a rule looked, where it is suspect.

    Else they are 0.
    """
    ones = [
        condition.alias(f"{part}{place}")
        for place, rule in enumerate(rules)
        for part, condition in (("of", _ones(rule.looked_at)), ("n", _is_suspect(rule)))
    ]
    return flights.select("flight_id", *ones)


def answers_of_rules(marked: Lazy, rules: Mapping[str, Rule], most: int) -> dict[str, Answer]:
    """Count marked flights: all in one query, and one more for the ids of each rule with any."""
    if not rules:
        return {}
    counts = collect(marked.drop("flight_id").select(nw.all().sum())).fillna(0)
    answers = {}
    for place, (name, rule) in enumerate(rules.items()):
        count, of = int(counts[f"n{place}"].iloc[0]), int(counts[f"of{place}"].iloc[0])
        ids = first_ids(marked.filter(nw.col(f"n{place}") == 1), most) if count else []
        answers[name] = Answer(count, of, ids, rule.note)
    return answers


def rows_of_rule(flights: Lazy, rule: Rule) -> Lazy:
    """Return the flights that a rule makes stand out."""
    return flights.filter(_is_suspect(rule) == 1).select("flight_id")


def _is_suspect(rule: Rule) -> nw.Expr:
    """Return 1 where a rule makes a flight stand out, else 0."""
    return _ones(rule.looked_at & rule.suspect)


def first_ids(flights: Lazy, most: int) -> list[str]:
    """Return the first ids of flights in their order."""
    rows = collect(flights.select("flight_id").sort("flight_id").head(most))
    ids: list[str] = rows["flight_id"].astype("str").tolist()
    return ids


def answer_of(checked: Checked, most: int) -> Answer:
    """Count the flights of a check that is more than a rule."""
    suspects = in_memory(checked.suspect)  # once: it takes a join, and they are few
    count = count_rows(suspects)
    ids = first_ids(suspects, most) if count else []
    return Answer(count, count_rows(checked.looked_at), ids, unseen=checked.unseen)


def _in_categories(frame: Lazy, *columns: str) -> Lazy:
    """Return a frame with numbers for texts, which Polars compares, looks up and groups faster."""
    if not frame.implementation.is_polars():
        return frame
    return frame.with_columns(nw.col(*columns).cast(nw.Categorical))


def in_memory(frame: Lazy) -> Lazy:
    return frame.collect().lazy()


def count_rows(frame: Lazy) -> int:
    return int(collect(frame.select(nw.len().alias("n")))["n"].iloc[0])


def _ones(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, 0 where it doesn't or can't be told."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def with_sound_share(totals: pd.DataFrame) -> pd.DataFrame:
    """Add ``sound_share``, of ``flights`` those that are ``sound``; null without flights."""
    flights = totals["flights"]
    return totals.assign(sound_share=totals["sound"] / flights.where(flights > 0))
