"""The equipment of a fleet, prepared to follow controls: fields, figures, chart and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.explore import tiles
from fleetkit.explore.comparing import CompareField
from fleetkit.explore.equipment_columns import equipment_columns
from fleetkit.explore.facets import Facet, Facets
from fleetkit.explore.fields import Choices, Field, Select, Ticks, shown_token
from fleetkit.explore.options import named, occurring
from fleetkit.explore.sizes import engine_of
from fleetkit.explore.subject import Card, Selection, Subject, count_card
from fleetkit.filters import OF_EQUIPMENT, Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import zone_of
from fleetkit.kinds import OUT_OF_SERVICE
from fleetkit.schema import EQUIPMENT
from fleetkit.time import Clock, Zone, instant

__all__ = ["Equipment"]

# Equipment that no registration and no idle day is counted of.
_OUT_OF_SERVICE = "out of service"
_NEVER = "never flew"
# Idle days of equipment with flights, none of which has a date until the day of the data.
_NOT_KNOWN = "not known"
# Idle days below which equipment is in a band → name of the band.
_LONG, _LONGER = "90 to 364 days", "365 days or more"
_IDLE = {30: "under 30 days", 90: "30 to 89 days", 365: _LONG}
_DIFFERENT = ["counter higher", "logs higher"]
# Fields whose options the chart shows as bars.
_BARS = ("type", "registration", "idle")


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
    nouns = EQUIPMENT.nouns
    first_order = "name_asc"
    held = ("type", "category", "equipment", "condition")
    not_held = tuple(OF_EQUIPMENT.keys() - set(held))

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self.frame = fleet.equipment()
        whole = fleet.whole()
        engine = engine_of(whole)
        flights, bridge = whole.flights(engine=engine), whole.flight_equipment(engine=engine)
        self.clock = Clock.of(self.frame, tz=fleet.tz)
        self.fetched_at = fleet.fetched_at
        self.as_of = instant(self.fetched_at, fleet.tz).date()
        self.aircraft_ids = set(aircraft_of(fleet, self.frame, bridge)["equipment_id"])
        self.measured = self._measure(flights, bridge, zone_of(whole))
        self.tz = fleet.tz
        self._severity = fleet.settings.condition_order
        self.fields = {field.name: field for field in self._fields(fleet)}
        self.facets = self._facets()
        self.columns = {column.name: column for column in equipment_columns(self)}
        self.caption = f"As of {self.as_of}, days in {fleet.tz}."

    def _measure(self, flights: Any, bridge: Any, zone: Zone) -> pd.DataFrame:
        """Return what the metrics say of each piece of equipment, in the order of the rows."""
        measures = (
            metrics.registrations(self.frame, self.as_of)[["equipment_id", "days_left", "band"]],
            metrics.idle(self.frame, flights, bridge, self.fetched_at, tz=zone)[
                ["equipment_id", "last_flight", "idle_days"]
            ],
            metrics.reconciliation(self.frame, flights, bridge).drop(columns="name"),
        )
        by_id = [rows.set_index("equipment_id") for rows in measures]
        measured = pd.concat(by_id, axis=1).reindex(self.frame["equipment_id"]).reset_index()
        is_out = self.frame["status"].isin(OUT_OF_SERVICE)
        measured["registration"] = measured["band"].astype("str").mask(is_out, _OUT_OF_SERVICE)
        idle = _idle_bands(measured["idle_days"], measured["logged_flights"])
        measured["idle"] = idle.mask(is_out, _OUT_OF_SERVICE)
        measured["verdict"] = measured["verdict"].astype("str")
        return measured

    def _fields(self, fleet: Fleet) -> list[Field]:
        frame = self.frame
        matrix = metrics.equipment_condition(frame)
        statuses, conditions = (
            [str(token) for token in matrix[name].cat.categories]
            for name in ("status", "condition")
        )
        return [
            Select("type", "Equipment type", occurring(frame["type"])),
            Select("category", "Equipment category", occurring(frame["category"])),
            Select("equipment", "Piece of equipment", named(frame, "equipment_id", "name")),
            Select("condition", "Condition", [(shown_token(token), token) for token in conditions]),
            self._measured_field("registration", "Registration", _REGISTRATIONS),
            self._measured_field("idle", "Last flight", _LAST_FLIGHTS),
            self._measured_field("verdict", "Counters against logs", _VERDICTS),
            Ticks("status", "Status", statuses),
            CompareField(self, fleet, has_periods=False),
        ]

    def _measured_field(self, name: str, label: str, bands: Sequence[str]) -> Select:
        """Return a field of the bands that occur, in their order."""
        present = set(self.measured[name])
        return Select(name, label, [(band, band) for band in bands if band in present])

    def _facets(self) -> Facets:
        columns = {
            name: self.measured[name] if name in self.measured else self.frame[name]
            for name, field in self.fields.items()
            if name != "equipment" and not field.is_display
        }
        columns["equipment"] = self.frame["equipment_id"]
        return Facets(
            len(self),
            {name: Facet(column, self.fields[name].tokens) for name, column in columns.items()},
        )

    def to_filter(self, choices: Choices, selection: Selection) -> Filter:
        """Return the choices as a filter; by identifiers where a filter has no such field."""
        chosen = {name: field.chosen(choices) for name, field in self.fields.items()}
        if any(values for name, values in chosen.items() if name not in self.held):
            return Filter(equipment=tuple(selection.rows(self.first_order)["equipment_id"]))
        return Filter.from_parameters({name: chosen[name] or None for name in self.held})

    def comparison(self, choices: Choices) -> dict[str, Any]:
        """Return the counts by status and condition, as the chart shows them."""
        return {"metric": "equipment_condition"}

    def cards(self, selection: Selection) -> Sequence[Card]:
        """Return counts of equipment, aircraft, and of what needs somebody."""
        rows, measured = self.frame[selection.match.rows], self.measured[selection.match.rows]
        bands, idle = Counter(measured["registration"]), Counter(measured["idle"])
        verdicts = Counter(measured["verdict"])
        different = sum(verdicts[verdict] for verdict in _DIFFERENT)
        aircraft = int(rows["equipment_id"].isin(self.aircraft_ids).sum())
        soon = f"≤ 30 days: {bands['≤ 30 days']:,}"
        longest = f"{_LONGER}: {idle[_LONGER]:,}, never flew: {idle[_NEVER]:,}"
        compared = f"of {different + verdicts['match']:,} compared"
        return [
            count_card("Equipment", len(rows), f"of {len(self):,}"),
            count_card("Aircraft", aircraft, f"of {len(self.aircraft_ids):,}"),
            self._worst(rows),
            count_card("Expired registrations", bands["expired"], soon),
            count_card("Idle for 90 days or more", idle[_LONG] + idle[_LONGER], longest),
            count_card("Counters that differ", different, compared),
        ]

    def _worst(self, rows: pd.DataFrame) -> Card:
        """Count equipment in the worst condition; what the order doesn't know isn't judged."""
        tokens = self.fields["condition"].tokens
        conditions = [token for token in tokens if token in self._severity]
        if not conditions:
            return Card("Condition", "–", "none is graded" if tokens else "not given")
        worst = rows[rows["condition"] == conditions[-1]]
        active = int((worst["status"] == "ACTIVE").sum())
        return count_card(f"In condition {conditions[-1]}", len(worst), f"ACTIVE: {active:,}")

    def chart(self, selection: Selection, choices: Choices) -> str:
        """Return status × condition, and bars of fields; below them those of what is beside it."""
        if not len(self):
            return self.no_chart()
        other = self.beside(choices)
        if other is None or other.choices is None:
            return self._chart(selection, choices)
        rest = self.select(other.choices)
        return self._chart(selection, choices, rest) + self._chart(
            rest, choices, selection, beside=other.name
        )

    def _chart(
        self,
        selection: Selection,
        choices: Choices,
        scaled: Selection | None = None,
        *,
        beside: str = "",
    ) -> str:
        """Return one chart, of the same scale as that of other rows, where they are given."""
        drawn = [chosen for chosen in (selection, scaled) if chosen is not None]
        prefix = "other-" if beside else ""
        matrices = [self._by_status_and_condition(chosen) for chosen in drawn]
        table = tiles.matrix(
            matrices[0],
            self.fields["status"],
            self.fields["condition"],
            choices,
            most=tiles.largest(*(counts.values() for counts in matrices)),
            prefix=prefix,
        )
        bars = [self._bars(name, drawn, choices, prefix) for name in _BARS]
        label = "Other chart" if beside else "Chart"
        named = f", {escape(beside)}" if beside else ""
        return (
            f'<div class="fk-tiles" data-rove role="group" aria-label="{label}">'
            f'<div><p class="fk-title">Status and condition{named}</p>{table}</div>'
            f"{''.join(bars)}</div>"
        )

    def _by_status_and_condition(self, selection: Selection) -> dict[tuple[str, str], int]:
        matrix = metrics.equipment_condition(self.frame[selection.match.rows])
        return {
            (str(row["status"]), str(row["condition"])): int(row["equipment"])
            for row in matrix.to_dict("records")
        }

    def _bars(self, name: str, drawn: Sequence[Selection], choices: Choices, prefix: str) -> str:
        """Return the bars of a field, of the first of several selections, on a scale for all."""
        field = self.fields[name]
        counts = [field.counts(selection.match, choices) for selection in drawn]
        # The first option is that of no choice.
        most = tiles.largest(*(of_options[1:] for of_options in counts))
        return tiles.bars(field, counts[0], choices, most=most, prefix=prefix)


_REGISTRATIONS = (
    "expired",
    "≤ 30 days",
    "≤ 60 days",
    "≤ 90 days",
    "later",
    "missing",
    _OUT_OF_SERVICE,
)
_LAST_FLIGHTS = (*_IDLE.values(), _LONGER, _NOT_KNOWN, _NEVER, _OUT_OF_SERVICE)
_VERDICTS = ("match", *_DIFFERENT, "not comparable", "no counter")


def _idle_bands(idle_days: Any, flights: Any) -> Any:
    """Return the band of each number of idle days, of equipment with so many flights.

    Examples
    --------
    >>> idle_days = pd.Series([29, 30, 90, None, None], dtype="Int64")
    >>> _idle_bands(idle_days, pd.Series([5, 5, 5, 0, 1])).tolist()
    ['under 30 days', '30 to 89 days', '90 to 364 days', 'never flew', 'not known']
    """
    edges = [-float("inf"), *_IDLE, float("inf")]
    names = [*_IDLE.values(), _LONGER]
    bands = pd.cut(idle_days.astype("float64"), edges, right=False, labels=names).astype("object")
    return bands.mask(bands.isna() & (flights > 0), _NOT_KNOWN).fillna(_NEVER)
