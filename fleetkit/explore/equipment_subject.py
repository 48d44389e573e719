"""The equipment of a fleet, prepared to follow controls: fields, figures, chart and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.explore import tiles
from fleetkit.explore.equipment_columns import equipment_columns
from fleetkit.explore.facets import Facet, Facets
from fleetkit.explore.fields import Choices, Field, Select, Ticks
from fleetkit.explore.options import occurring
from fleetkit.explore.subject import Card, Selection, Subject
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.time import Clock, instant

__all__ = ["Equipment"]

# Equipment that no registration and no idle day is counted of.
_OUT_OF_SERVICE, _RETIRED = "out of service", ("RETIRED", "LOST")
_NEVER = "never flew"
# Most idle days → name of the band.
_LONG, _LONGER = "91 to 365 days", "over 365 days"
_IDLE = {30: "≤ 30 days", 90: "31 to 90 days", 365: _LONG}
_DIFFERENT = ["counter higher", "logs higher"]


class Equipment(Subject):
    """All equipment of a fleet, with what the metrics say of each piece.

    Parameters
    ----------
    fleet : Fleet
        Its equipment is read once, and all flights, which the idle days and the logged hours are
        counted from.
    """

    name = "equipment"
    label = "Equipment explorer"
    noun = ("piece of equipment", "pieces of equipment")
    first_order = "name_asc"
    held = ("type", "category")

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self.frame = fleet.equipment()
        whole = fleet.whole()
        flights, bridge = whole.flights(), whole.flight_equipment()
        self.clock = Clock.of(self.frame, tz=fleet.tz)
        self.as_of = instant(fleet.fetched_at, fleet.tz).date()
        self.aircraft_ids = set(metrics.aircraft(whole.equipment(), bridge)["equipment_id"])
        self.measured = self._measure(flights, bridge)
        self.fields = {field.name: field for field in self._fields()}
        self.facets = self._facets()
        self.columns = {column.name: column for column in equipment_columns(self)}
        self.caption = f"As of {self.as_of}, days in {fleet.tz}."

    def _measure(self, flights: pd.DataFrame, bridge: pd.DataFrame) -> pd.DataFrame:
        """Return what the metrics say of each piece of equipment, in the order of the rows."""
        measures = (
            metrics.registrations(self.frame, self.as_of)[["equipment_id", "days_left", "band"]],
            metrics.idle(self.frame, flights, bridge, self.as_of)[
                ["equipment_id", "last_flight", "idle_days"]
            ],
            metrics.reconciliation(self.frame, flights, bridge).drop(columns="name"),
        )
        by_id = [rows.set_index("equipment_id") for rows in measures]
        measured = pd.concat(by_id, axis=1).reindex(self.frame["equipment_id"]).reset_index()
        is_out = self.frame["status"].isin(_RETIRED)
        measured["registration"] = measured["band"].astype("str").mask(is_out, _OUT_OF_SERVICE)
        measured["idle"] = _idle_bands(measured["idle_days"]).mask(is_out, _OUT_OF_SERVICE)
        measured["verdict"] = measured["verdict"].astype("str")
        return measured

    def _fields(self) -> list[Field]:
        frame = self.frame
        matrix = metrics.equipment_condition(frame)
        statuses, conditions = (
            [str(token) for token in matrix[name].cat.categories]
            for name in ("status", "condition")
        )
        return [
            Select("type", "Equipment type", occurring(frame["type"])),
            Select("category", "Equipment category", occurring(frame["category"])),
            Select("condition", "Condition", [(token, token) for token in conditions]),
            self._measured_field("registration", "Registration", _REGISTRATIONS),
            self._measured_field("idle", "Last flight", _LAST_FLIGHTS),
            self._measured_field("verdict", "Counters against logs", _VERDICTS),
            Ticks("status", "Status", statuses),
        ]

    def _measured_field(self, name: str, label: str, bands: Sequence[str]) -> Select:
        """Return a field of the bands that occur, in their order."""
        present = set(self.measured[name])
        return Select(name, label, [(band, band) for band in bands if band in present])

    def _facets(self) -> Facets:
        columns = {
            name: self.measured[name] if name in self.measured else self.frame[name]
            for name in self.fields
        }
        return Facets(
            len(self),
            {name: Facet(column, self.fields[name].tokens) for name, column in columns.items()},
        )

    def to_filter(self, choices: Choices, selection: Selection) -> Filter:
        """Return the choices as a filter; by identifiers where a filter has no such field."""
        chosen = {name: field.chosen(choices) for name, field in self.fields.items()}
        if any(values for name, values in chosen.items() if name not in ("type", "category")):
            return Filter(equipment=tuple(selection.rows(self.first_order)["equipment_id"]))
        return Filter(type=chosen["type"] or None, category=chosen["category"] or None)

    def cards(self, selection: Selection) -> Sequence[Card]:
        """Return counts of equipment, aircraft, and of what needs somebody."""
        rows, measured = self.frame[selection.match.rows], self.measured[selection.match.rows]
        bands, idle = Counter(measured["registration"]), Counter(measured["idle"])
        verdicts = Counter(measured["verdict"])
        different = sum(verdicts[verdict] for verdict in _DIFFERENT)
        aircraft = int(rows["equipment_id"].isin(self.aircraft_ids).sum())
        soon = f"≤ 30 days: {bands['≤ 30 days']:,}"
        longest = f"over 365 days: {idle[_LONGER]:,}, never flew: {idle[_NEVER]:,}"
        compared = f"of {different + verdicts['match']:,} compared"
        return [
            Card("Equipment", f"{len(rows):,}", f"of {len(self):,}"),
            Card("Aircraft", f"{aircraft:,}", f"of {len(self.aircraft_ids):,}"),
            self._worst(rows),
            Card("Expired registrations", f"{bands['expired']:,}", soon),
            Card("Idle over 90 days", f"{idle[_LONG] + idle[_LONGER]:,}", longest),
            Card("Counters that differ", f"{different:,}", compared),
        ]

    def _worst(self, rows: pd.DataFrame) -> Card:
        conditions = self.fields["condition"].tokens
        if not conditions:
            return Card("Condition", "–", "not given")
        worst = rows[rows["condition"] == conditions[-1]]
        active = int((worst["status"] == "ACTIVE").sum())
        return Card(f"In condition {conditions[-1]}", f"{len(worst):,}", f"ACTIVE: {active:,}")

    def chart(self, selection: Selection, choices: Choices) -> str:
        """Return status × condition, and bars of types, registrations and last flights."""
        matrix = metrics.equipment_condition(self.frame[selection.match.rows])
        counts = {
            (str(row["status"]), str(row["condition"])): int(row["equipment"])
            for row in matrix.to_dict("records")
        }
        table = tiles.matrix(counts, self.fields["status"], self.fields["condition"], choices)
        shown = [self.fields[name] for name in ("type", "registration", "idle")]
        bars = [
            tiles.bars(field, field.counts(selection.match, choices), choices) for field in shown
        ]
        return (
            '<div class="fk-tiles" data-rove role="group" aria-label="Chart">'
            f'<div><p class="fk-title">Status and condition</p>{table}</div>{"".join(bars)}</div>'
        )


_REGISTRATIONS = (
    "expired",
    "≤ 30 days",
    "≤ 60 days",
    "≤ 90 days",
    "later",
    "missing",
    _OUT_OF_SERVICE,
)
_LAST_FLIGHTS = (*_IDLE.values(), _LONGER, _NEVER, _OUT_OF_SERVICE)
_VERDICTS = ("match", *_DIFFERENT, "not comparable", "no counter")


def _idle_bands(idle_days: Any) -> Any:
    """Return the band of each number of idle days.

    Examples
    --------
    >>> _idle_bands(pd.Series([0, 31, 366, None], dtype="Int64")).tolist()
    ['≤ 30 days', '31 to 90 days', 'over 365 days', 'never flew']
    """
    edges = [-float("inf"), *_IDLE, float("inf")]
    bands = pd.cut(idle_days.astype("float64"), edges, labels=[*_IDLE.values(), _LONGER])
    return bands.astype("object").fillna(_NEVER)
