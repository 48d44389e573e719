"""The flights that choices mean, and what the metrics say of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit import metrics
from fleetkit.explore.measuring import MEASURES
from fleetkit.explore.subject import Selection
from fleetkit.explore.sums import Sums
from fleetkit.time import Zone

if TYPE_CHECKING:
    from fleetkit.explore.flight_subject import Flights

__all__ = ["Figures", "FlightSelection"]


@dataclass(frozen=True)
class Figures:
    """What the KPI row shows; definitions are those of the metrics.

    Attributes
    ----------
    flights, timed_flights : int
        All, and those with a duration above 0.
    hours : float or None
        Flown; None where no duration is recorded. [h]
    pilots, unassigned : int
        Pilots who flew, and flights without a pilot.
    aircraft, equipment : int
        Aircraft that flew, and pieces of equipment of any kind.
    night, bvlos : dict
        ``flights, known_flights, flights_share`` of ``metrics.night_and_bvlos`` each.
    """

    flights: int
    timed_flights: int
    hours: float | None
    pilots: int
    unassigned: int
    aircraft: int
    equipment: int
    night: dict[str, Any]
    bvlos: dict[str, Any]


class FlightSelection(Selection):
    """The flights that choices mean, and what the metrics say of them."""

    subject: Flights

    @cached_property
    def sums(self) -> Sums:
        """What the metrics say of hours, night and BVLOS."""
        return self.subject.sums(self.match.rows)

    @property
    def _are_chosen(self) -> np.ndarray:
        """The flights, as what counts them takes them."""
        return self.match.rows

    def identified(self, grouping: str) -> Any:
        """Return what the metrics count by something else than days, or on a map."""
        return self.subject.identified.filter(pa.array(self.match.rows))

    @property
    def hours(self) -> pd.DataFrame:
        """``month, flight_type, flights, hours`` of the selection. [h]."""
        return self.sums.hours

    def measured_by(self, grouping: str, measure: str) -> pd.DataFrame:
        """Return what the chart draws: the grouping, ``flight_type`` where it adds up, measures."""
        if grouping == "month" and measure in {"hours", "flights"}:
            return self.hours
        subject, words, measures = self.subject, cast(Any, grouping), cast(Any, measure)
        if MEASURES[measure].is_sum:
            links = self._links(only_aircraft=grouping == "equipment")
            amounts = subject.amounts(measure)
            flown: pd.DataFrame = subject.flown_by(grouping).sums(self._are_chosen, amounts, links)
            return flown
        counted = metrics.flight_hours(
            self.identified(grouping),
            by=words,
            tz=Zone("UTC", dates_only=subject.clock.dates_only),
            bridge=self._bridge(only_aircraft=grouping == "equipment"),
            equipment=subject.equipment_types,
            projects=subject.client_names,
            measures=["flights", measures],
        )
        return metrics.collect(counted)

    def take_offs(self, size: float | None = None) -> pd.DataFrame:
        """Return where these flights took off, in areas of about that width [km], if one is given.

        They are counted by the metric.
        """
        return metrics.collect(metrics.take_offs(self.identified("place"), size=size, areas=True))

    def _bridge(self, *, only_aircraft: bool) -> Any:
        """Return the links of these flights to the equipment that is chosen."""
        subject, is_linked = self.subject, self._flown()
        if (links := self._links(only_aircraft=only_aircraft)) is not None:
            is_linked = is_linked & links
        flights = subject.identified["flight_id"].take(pa.array(subject.bridge_flight[is_linked]))
        known = subject.equipment_types["equipment_id"].type
        pieces = pa.array(subject.piece_ids[subject.bridge_piece[is_linked]], known)
        return pa.table({"flight_id": flights, "equipment_id": pieces})

    def _links(self, *, only_aircraft: bool) -> np.ndarray | None:
        """Return which links are to the equipment that is chosen; None where all are."""
        if not only_aircraft:
            return self.match.on_links
        is_aircraft: np.ndarray = self.subject.is_aircraft[self.subject.bridge_piece]
        return is_aircraft if self.match.on_links is None else is_aircraft & self.match.on_links

    def _flown(self) -> np.ndarray:
        """Return which links are of these flights and of the equipment that is chosen."""
        flown: np.ndarray = self.match.rows[self.subject.bridge_flight]
        return flown if self.match.on_links is None else flown & self.match.on_links

    @cached_property
    def figures(self) -> Figures:
        """What the KPI row shows."""
        totals, shares = self.sums.totals, self.sums.shares
        pilots, unassigned = self._pilots()
        pieces = self._pieces()
        return Figures(
            flights=totals["flights"],
            timed_flights=totals["timed_flights"],
            hours=totals["hours"],
            pilots=pilots,
            unassigned=unassigned,
            aircraft=len(self.subject.aircraft_ids.intersection(pieces)),
            equipment=len(pieces),
            night=shares["night_flight"],
            bvlos=shares["bvlos"],
        )

    def _pilots(self) -> tuple[int, int]:
        """Return how many pilots flew, and how many flights have none."""
        flights = np.bincount(self.subject.pilot_codes[self.match.rows] + 1, minlength=1)
        return int(np.count_nonzero(flights[1:])), int(flights[0])

    def _pieces(self) -> list[str]:
        """Return the identifiers of the equipment that flew."""
        listed = self.subject.piece_ids
        flights = np.bincount(self.subject.bridge_piece[self._flown()], minlength=len(listed))
        return list(map(str, listed[flights > 0]))
