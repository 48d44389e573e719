"""What checks of the data look at, what they answer, and how flights are counted by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

import narwhals as nw
import pandas as pd

from fleetkit.language import say
from fleetkit.metrics._flown import read_bridge
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy, to_pandas
from fleetkit.metrics.aircraft import aircraft as find_aircraft
from fleetkit.rounding import number
from fleetkit.time import Clock, Ends, instant

__all__ = [
    "EQUIPMENT_COLUMNS",
    "FLIGHT_COLUMNS",
    "POSITIONS",
    "PROJECT_COLUMNS",
    "Answer",
    "Check",
    "Checked",
    "Records",
    "Rule",
    "answer_of",
    "answers_of_rules",
    "count_rows",
    "first_ids",
    "rows_of_rule",
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
    """Which flights could be looked at, and which of them stand out: frames of ``flight_id``."""

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
        )

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


def answers_of_rules(
    flights: Lazy, rules: Iterable[tuple[str, Rule]], most: int
) -> dict[str, Answer]:
    """Count flights by rules: all in one query, and one more for the ids of each that has any."""
    by_name = dict(rules)
    sums = [
        _ones(condition).sum().alias(f"{part}{place}")
        for place, rule in enumerate(by_name.values())
        for part, condition in (("of", rule.looked_at), ("n", rule.looked_at & rule.suspect))
    ]
    counts = collect(flights.select(*sums)).fillna(0)
    answers = {}
    for place, (name, rule) in enumerate(by_name.items()):
        count, of = int(counts[f"n{place}"].iloc[0]), int(counts[f"of{place}"].iloc[0])
        ids = first_ids(rows_of_rule(flights, rule), most) if count else []
        answers[name] = Answer(count, of, ids, rule.note)
    return answers


def rows_of_rule(flights: Lazy, rule: Rule) -> Lazy:
    """Return the flights that a rule makes stand out."""
    return flights.filter(_ones(rule.looked_at & rule.suspect) == 1).select("flight_id")


def first_ids(flights: Lazy, most: int | None) -> list[str]:
    """Return the ids of flights in their order: the first `most`, or all."""
    ordered = flights.select("flight_id").sort("flight_id")
    rows = collect(ordered if most is None else ordered.head(most))
    ids: list[str] = rows["flight_id"].astype("str").tolist()
    return ids


def answer_of(checked: Checked, most: int) -> Answer:
    """Count the flights of a check that is more than a rule."""
    suspects = checked.suspect.collect()  # once: it takes a join, and they are few
    ids = first_ids(suspects.lazy(), most) if len(suspects) else []
    return Answer(len(suspects), count_rows(checked.looked_at), ids, unseen=checked.unseen)


def count_rows(frame: Lazy) -> int:
    return int(collect(frame.select(nw.len().alias("n")))["n"].iloc[0])


def _ones(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, 0 where it doesn't or can't be told."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))
