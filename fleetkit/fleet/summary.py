"""A fleet on one page: what there is, since when, how complete it is, and what stands out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import count_known, distinct_names, namesakes, without_blanks
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.occurring import FIELDS
from fleetkit.fleet.showing import summary_html
from fleetkit.interface import brief
from fleetkit.kinds import OUT_OF_SERVICE, is_open
from fleetkit.lettering import single_line
from fleetkit.rounding import HOURS, number, percent

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = ["Summary", "summarize"]

# Most flights, by the counters of equipment, that a summary reads without being asked to.
_FEW = {"service": 20_000, "mirror": 200_000}
# Kinds that a line names, and names that a sentence does.
_KINDS, _NAMED = 4, 3
# Columns whose gaps say how complete a table is → what has them.
_COLUMNS = {
    "flights": {
        "duration_seconds": "duration",
        "pilot_id": "pilot",
        "project_id": "project",
        "takeoff_lat": "position of take-off",
        "night_flight": "night, yes or no",
        "bvlos": "BVLOS, yes or no",
    },
    "equipment": {
        "registration_number": "registration",
        "registration_expiry": "its expiry",
        "purchase_date": "purchase date",
        "total_flight_hours": "counter of hours",
    },
    "projects": {
        "client_account_name": "client",
        "agreed_price": "agreed price",
        "scheduled_date": "scheduled date",
    },
}


@dataclass(frozen=True)
class Summary:
    """What a fleet holds, on one page; it shows itself in a notebook, and prints as text.

    Attributes
    ----------
    title : str
        Where the data come from, in which zone, of when, and narrowed by what.
    contents : DataFrame
        ``what``, ``count`` (null where it can't be read), ``detail``.
    completeness : DataFrame
        ``table``, ``column``, ``meaning``, ``used``, ``of``, ``share`` (0 … 1; null of no rows).
    remarks : list of str
        What stands out, in sentences.
    """

    title: str
    contents: pd.DataFrame
    completeness: pd.DataFrame
    remarks: list[str]

    def __str__(self) -> str:
        heads = "What there is", "How complete", "What stands out"
        lines = [self.title]
        for head, rows in zip(heads, self._blocks(), strict=True):
            lines += ["", head, *(f"  {'  '.join(row)}".rstrip() for row in _aligned(rows))]
        return "\n".join(lines)

    __repr__ = __str__

    def _blocks(self) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
        contents = self.contents.to_dict("records")
        gaps = self.completeness.to_dict("records")
        return (
            [[row["what"], number(row["count"]), row["detail"]] for row in contents],
            [
                [
                    f"{row['table']}: {row['meaning']}",
                    percent(row["share"]),
                    f"{number(row['used'])} of {number(row['of'])}",
                ]
                for row in gaps
            ],
            [[text] for text in self.remarks or ["nothing that fleetkit looks for"]],
        )

    def _repr_html_(self) -> str:
        shares = self.completeness["share"].tolist()
        return summary_html(self.title, *self._blocks(), shares)


def _aligned(rows: list[list[str]]) -> Iterator[list[str]]:
    """Pad the texts of columns to one width; numbers, the second, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield [
            text.rjust(width) if place == 1 else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]


def summarize(fleet: Fleet, *, full: bool | None) -> Summary:
    """Return the summary of a fleet; see `Fleet.summary`.

    Raises
    ------
    InvalidValue
        `full` is neither yes nor no.
    """
    if full is not None and not isinstance(full, bool):
        raise InvalidValue(f"full={brief(full)} is neither True nor False.")
    return _Reading(fleet, full).summary()


class _Reading:
    """What is read of a fleet for its summary: each table once, and what the key can't, not."""

    def __init__(self, fleet: Fleet, full: bool | None) -> None:
        self.fleet = fleet
        self.problems: dict[str, str] = {}
        self.tables: dict[str, pd.DataFrame] = {}
        for name in ("equipment", "projects", "services", "tiers"):
            self._read(name, getattr(fleet, name))
        self.is_full = self._is_small() if full is None else full
        self.period = None if self.is_full else fleet.period()
        self._read("flights", lambda: fleet.flights(self.period))
        self._read("bridge", lambda: fleet.flight_equipment(self.period))

    def _read(self, name: str, read: Callable[[], pd.DataFrame]) -> None:
        try:
            self.tables[name] = read()
        except FleetkitError as problem:
            scope = getattr(problem, "scope", None)
            if scope is None:
                raise
            self.problems[name] = f"the key lacks {scope}"

    def _is_small(self) -> bool:
        """Whether all flights are few, by what the counters of equipment say, if there are any."""
        if "equipment" not in self.tables:
            return False
        pieces, mirror = self.tables["equipment"], self.fleet.mirror
        counted = pieces["total_flights"].astype("float64").sum(min_count=1)
        if pd.isna(counted):  # a service would be asked for all of them, few or not
            return pieces.empty if mirror is None else mirror.count("flights") <= _FEW["mirror"]
        return bool(counted <= _FEW["service" if mirror is None else "mirror"])

    def summary(self) -> Summary:
        fleet = self.fleet
        moment = pd.Timestamp(fleet.fetched_at).tz_convert(fleet.tz)
        parts = [f"Fleet at {fleet.address}", f"times in {fleet.tz}"]
        parts.append(f"as of {moment.day} {moment:%B %Y %H:%M}")
        if fleet.filter:
            parts.append(repr(fleet.filter))
        return Summary(
            " · ".join(single_line(part) for part in parts),
            pd.DataFrame(list(self._contents()), columns=["what", "count", "detail"]).astype(
                {"what": "str", "count": "Int64", "detail": "str"}
            ),
            pd.DataFrame(
                list(self._completeness()),
                columns=["table", "column", "meaning", "used", "of", "share"],
            ),
            [single_line(text) for text in self._remarks()],
        )

    def _contents(self) -> Iterator[tuple[str, Any, str]]:
        yield self._line("equipment", "equipment", lambda rows: _kinds(rows["type"]))
        yield self._line("flights", "flights", self._flown)
        if "flights" in self.tables:
            pilots = self.tables["flights"]["pilot_id"].dropna()
            yield "pilots who flew", pilots.nunique(), self._days()
        yield self._line("projects", "projects", lambda rows: _kinds(rows["status"]))
        if "projects" in self.tables:
            rows = self.tables["projects"]
            named = rows.loc[is_open(rows["status"]), "client_account_name"]
            clients = without_blanks(named).nunique()
            noun = "client" if clients == 1 else "clients"
            yield "open projects", len(named), f"of {number(clients)} {noun}"
        yield self._line("services", "services", lambda rows: "")
        yield self._line("tiers", "pricing tiers", lambda rows: "")

    def _line(
        self, name: str, what: str, detail: Callable[[pd.DataFrame], str]
    ) -> tuple[str, Any, str]:
        if name in self.problems:
            return what, pd.NA, f"not read: {self.problems[name]}"
        rows = self.tables[name]
        said = [detail(rows) if len(rows) else "", self._untouched(name)]
        return what, len(rows), single_line(" · ".join(filter(None, said)))

    def _untouched(self, name: str) -> str:
        """Say so where the filter leaves a table whole; flights it narrows by every field."""
        chosen = self.fleet.filter
        is_whole = chosen and name != "flights" and not chosen.only(*FIELDS.get(name, ()))
        return "whole organisation" if is_whole else ""

    def _days(self) -> str:
        return "" if self.period is None else f"in {self.period.title}"

    def _flown(self, flights: pd.DataFrame) -> str:
        hours = metrics.flight_totals(flights)["hours"].iloc[0]
        spent = "hours not recorded" if pd.isna(hours) else f"{number(hours, HOURS)} hours"
        days = metrics.flight_hours(flights, by="day", tz=self.fleet.tz)["day"].dropna()
        if self.period is not None:
            return f"{spent} {self._days()}; summary(full=True) reads them all"
        ends = f", {days.iloc[0]} to {days.iloc[-1]}" if len(days) else ""
        return f"{spent}{ends}"

    @cached_property
    def _flying(self) -> pd.DataFrame:
        """The aircraft, where any can be told: batteries have no registration to lack."""
        whole = self.fleet.whole()
        bridge: Any = (
            whole.flight_equipment(self.period)
            if self.fleet.mirror is None  # a service would be asked for all of them
            else whole.flight_equipment(engine="polars")
        )
        return aircraft_of(self.fleet, self.tables["equipment"], bridge)

    def _called_aircraft(self) -> str:
        """Return what aircraft are called: with the month, where its flights alone tell them."""
        is_known = self.fleet.settings.aircraft_types or self.fleet.mirror is not None
        return f" (aircraft {self._days()})" if self.period and not is_known else " (aircraft)"

    def _completeness(self) -> Iterator[tuple[str, str, str, int, int, float]]:
        for table, columns in _COLUMNS.items():
            rows = self.tables.get(table)
            if rows is None:
                continue
            kind = ""
            if table == "equipment" and "bridge" in self.tables and len(self._flying):
                rows, kind = self._flying, self._called_aircraft()
            for column, meaning in columns.items():
                used, of = count_known(rows[column]), len(rows)
                yield table, column, f"{meaning}{kind}", used, of, used / of if of else float("nan")

    def _remarks(self) -> Iterator[str]:
        as_of, tz = self.fleet.fetched_at, self.fleet.tz
        if (projects := self.tables.get("projects")) is not None:
            late = metrics.late_projects(projects, as_of, tz=tz)
            yield from _sentence(_titles(late, projects), "project is late", "projects are late")
            waiting = metrics.to_invoice(projects, as_of, tz=tz)
            titles, what = _titles(waiting, projects), "delivered and not invoiced"
            yield from _sentence(titles, f"project is {what}", f"projects are {what}")
        if (equipment := self.tables.get("equipment")) is not None:
            serving = equipment[~equipment["status"].isin(OUT_OF_SERVICE)]
            bands = metrics.registrations(serving, as_of, tz=tz)
            expired = bands[bands["band"].astype("str") == "expired"]
            what = "of equipment in service"
            one, many = f"registration {what} has expired", f"registrations {what} have expired"
            shared = namesakes(equipment["name"], equipment["equipment_id"])
            names = distinct_names(expired["name"], expired["equipment_id"], shared)
            yield from _sentence(names, one, many)
        if {"flights", "bridge", "equipment", "projects"} <= set(self.tables):
            yield from self._wrong(as_of)

    def _wrong(self, as_of: Any) -> Iterator[str]:
        frames = (self.tables[name] for name in ("flights", "bridge", "equipment", "projects"))
        # A service would be asked for the lists of all time.
        copies = None if self.fleet.mirror is None else self.fleet.differing_copies()
        options = {"as_of": as_of, "tz": self.fleet.tz, "aircraft": self._flying, "copies": copies}
        checks = metrics.data_quality(*frames, **options)
        wrong = checks[(checks["severity"].astype("str") == "error") & (checks["count"] > 0)]
        for row in wrong.head(_NAMED).to_dict("records"):  # those of most records come first
            counted = f"{number(row['count'])} of {number(row['of'])} {row['records']}"
            yield f"{row['check']}: {counted}."


def _kinds(column: pd.Series[Any]) -> str:
    """Count the commonest values, and the kinds beyond them."""
    known = without_blanks(column.astype("object"))
    counts = known.where(known.notna(), "not given").value_counts()
    counts = counts.sort_index().sort_values(ascending=False, kind="stable")
    parts = [f"{number(count)} {name}" for name, count in counts.head(_KINDS).items()]
    more = len(counts) - _KINDS
    others = f" and {number(more)} other kind{'' if more == 1 else 's'}" if more > 0 else ""
    return ", ".join(parts) + others


def _titles(rows: pd.DataFrame, projects: pd.DataFrame) -> pd.Series[Any]:
    """Return what some projects are called, so that each is told from all others in hand."""
    in_hand = projects[is_open(projects["status"])]
    shared = namesakes(in_hand["title"], in_hand["project_id"])
    return distinct_names(rows["title"], rows["project_id"], shared)


def _sentence(names: pd.Series[Any], one: str, many: str) -> Iterator[str]:
    if len(names):
        more = len(names) - _NAMED
        ending = f"; and {number(more)} more" if more > 0 else ""
        listed = "; ".join(names.head(_NAMED).astype("str")) + ending
        yield f"{number(len(names))} {one if len(names) == 1 else many}: {listed}."
