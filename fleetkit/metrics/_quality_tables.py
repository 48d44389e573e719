"""Checks of equipment and projects, and of what loading itself makes sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Self

import narwhals as nw
import pandas as pd

from fleetkit.language import say
from fleetkit.metrics._frames import collect
from fleetkit.metrics._quality import Answer, Check, Records, Run, count_rows
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["CHECKS"]

# Tokens that a note names.
_MOST_TOKENS = 6
# Projects and pilots whose flights are named.
_MOST_PAIRS = 20
_PAIR = ["project_id", "pilot_name"]


def _duplicate(column: str) -> Run:
    """Return a check of equipment that shares a mark with another piece."""

    def run(records: Records) -> Answer:
        marks = _text(records.equipment[column]).str.casefold()
        marked = records.equipment[marks.notna()]
        shared = marks[marks.notna()].duplicated(keep=False)
        return Answer.of_rows(marked["equipment_id"], shared)

    return run


def _unknown_token(column: str) -> Run:
    """Return a check of tokens of equipment that no order of severity has."""
    return lambda records: _outside(
        records.equipment, "equipment_id", column, records.orders[column]
    )


def _unknown_stage(records: Records) -> Answer:
    return _outside(records.projects, "project_id", "status", PROJECT_STATUSES)


def _outside(frame: pd.DataFrame, key: str, column: str, known: Sequence[str]) -> Answer:
    tokens = frame[column].dropna().astype("str")
    unknown = ~tokens.isin(list(known))
    names = sorted(tokens[unknown].unique())
    rest = len(names) - _MOST_TOKENS
    more = [say("{count} more", count=rest)]
    named = [*names[:_MOST_TOKENS], *more] if rest > 0 else names
    note = f"{', '.join(named)}." if names else ""
    return Answer.of_rows(frame.loc[tokens.index, key], unknown, note)


@dataclass(frozen=True)
class _OtherPilots(Answer):
    """Counts flights of pilots and projects; ``rows`` are those of the first such pairs."""

    rows: pd.DataFrame = field(default_factory=pd.DataFrame)

    def with_part(self, other: Self, most: int) -> Self:
        """Add other flights; of how many the pairs are the first is known at the end only."""
        rows = pd.concat([self.rows, other.rows], ignore_index=True)
        pairs = rows[_PAIR].drop_duplicates().sort_values(_PAIR).head(_MOST_PAIRS)
        rows = rows.merge(pairs).sort_values("flight_id").groupby(_PAIR).head(most)
        return replace(
            super().with_part(other, most), rows=rows, ids=sorted(rows["flight_id"].tolist())
        )


def _other_pilot(records: Records) -> Answer:
    """Compare the assigned pilot with who flew, by their names."""
    named = ~nw.col("project_id").is_null() & ~nw.col("pilot_name").is_null()
    flown = records.flights.filter(named).group_by("project_id", "pilot_name")
    pairs = collect(flown.agg(nw.len().alias("flights")))
    assigned = records.projects[["project_id", "assigned_pilot_name"]].dropna()
    pairs = pairs.astype({"project_id": "str", "pilot_name": "str"}).merge(assigned)
    flown_by, planned = (_folded(pairs[name]) for name in ("pilot_name", "assigned_pilot_name"))
    others = pairs[flown_by != planned].sort_values(_PAIR)
    conditions = [
        (nw.col("project_id") == row.project_id) & (nw.col("pilot_name") == row.pilot_name)
        for row in others.head(_MOST_PAIRS).itertuples()
    ]
    rows = pd.DataFrame(columns=["flight_id", *_PAIR], dtype="str")
    if conditions:
        projects = sorted(set(others["project_id"].head(_MOST_PAIRS)))
        of_projects = records.flights.filter(nw.col("project_id").is_in(projects))
        of_others = of_projects.filter(reduce(or_, conditions))
        rows = collect(of_others.select(*rows.columns)).astype("str")
    ids = sorted(rows["flight_id"].tolist())
    count, of = int(others["flights"].sum()), int(pairs["flights"].sum())
    return _OtherPilots(count, of, ids, say("Compared by name only."), rows=rows)


def _no_price(records: Records) -> Answer:
    projects = records.projects[~records.projects["status"].isin(["DRAFT", "CANCELLED"])]
    return Answer.of_rows(
        projects["project_id"],
        projects["agreed_price"].isna(),
        say("Drafts and cancelled ones aside."),
    )


def _no_currency(records: Records) -> Answer:
    priced = records.projects[records.projects["agreed_price"].notna()]
    return Answer.of_rows(priced["project_id"], _text(priced["currency"]).isna())


def _incomplete(_: Records) -> Answer:
    """Say that loading compares ``pagination.total``: what is loaded is complete."""
    return Answer(unseen=say("loading compares them, and fails where they do."))


def _differing_copies(records: Records) -> Answer:
    if records.copies is None:
        return Answer(unseen=say("loading takes the newest copy, and retains no other."))
    pairs = records.bridge.group_by("flight_id").agg(nw.len().alias("_n"))
    listed = count_rows(pairs.filter(nw.col("_n") > 1))
    ids = sorted(records.copies["flight_id"].dropna().unique())
    return Answer(len(ids), max(listed, len(ids)), ids)


def _folded(column: pd.Series) -> pd.Series:
    """Return names as they are compared; of each that occurs often, once."""
    places, names = pd.factorize(column)
    return _text(pd.Series(names)).str.casefold().take(places).set_axis(column.index)


def _text(column: pd.Series) -> pd.Series:
    """Return texts without blanks at their ends; null where nothing is left."""
    stripped = column.astype("str").str.strip()
    return stripped.where(stripped != "")


CHECKS = (
    Check(
        "Serial number of several", "warning", "equipment",
        _duplicate("serial_number"), "a serial number",
    ),
    Check(
        "Registration of several", "warning", "equipment",
        _duplicate("registration_number"), "a registration",
    ),
    Check("Unknown status", "warning", "equipment", _unknown_token("status"), "a status"),
    Check(
        "Unknown condition", "warning", "equipment", _unknown_token("condition"), "a condition"
    ),
    Check("Unknown project status", "warning", "projects", _unknown_stage, "a status"),
    Check(
        "Another pilot than assigned", "info", "flights",
        _other_pilot, "a pilot, and a project with an assigned one",
    ),
    Check("No agreed price", "warning", "projects", _no_price, "been agreed upon"),
    Check("Price without a currency", "error", "projects", _no_currency, "a price"),
    Check("Copies of one flight that differ", "error", "flights", _differing_copies, "copies"),
    Check("Rows received and their total differ", "error", "flights", _incomplete),
)  # fmt: skip
