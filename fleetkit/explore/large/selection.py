"""The chosen flights of a large mirror, with the figures that the metrics give of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl

from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.explore.fields import Choices
from fleetkit.explore.flight_selection import FlightSelection
from fleetkit.explore.flight_subject import POSITION
from fleetkit.explore.large.bits import count
from fleetkit.explore.large.facets import BitMatch
from fleetkit.explore.large.files import MOST_ROWS, written
from fleetkit.explore.large.hours import HoursOf

if TYPE_CHECKING:
    from fleetkit.explore.large.subject import LargeFlights

__all__ = ["LargeSelection"]

_NAMES = {"pilot": ("pilot_id", "pilot_name"), "project": ("project_id", "project_title")}
_OF_DAYS = ("week", "weekday")
_TIMES = ("month", *_OF_DAYS)


class LargeSelection(FlightSelection):
    """The chosen flights of a large mirror.

    Parameters
    ----------
    subject : LargeFlights
    match : Match
        Which of its flights.
    choices : mapping, optional
        What was chosen; None for choices that contradict each other.
    """

    subject: LargeFlights
    match: BitMatch

    def __init__(
        self, subject: LargeFlights, match: BitMatch, choices: Choices | None = None
    ) -> None:
        self.subject, self.match, self.choices = subject, match, choices
        self._count = match.count

    @cached_property
    def sums(self) -> HoursOf:
        """Hours, night and BVLOS of the selection."""
        hours, part = self.subject.hours, self.match.part
        return HoursOf(
            hours, hours.count(self.match.words) if part is None else part.counted(hours.codes)
        )

    @property
    def _selected(self) -> np.ndarray | slice:
        """What takes the rows from an array fastest: a slice for all, else a mask."""
        return slice(None) if len(self) == len(self.subject) else self.match.rows

    def _pilots(self) -> tuple[int, int]:
        """Return how many pilots flew, and how many flights have none."""
        subject, words = self.subject, self.match.words
        flew = np.count_nonzero(subject.pilots.occurring(words))
        return int(flew), count(words & subject.unassigned)

    def _pieces(self) -> list[str]:
        """Return the identifiers of the equipment that flew."""
        is_on = self.subject.linked.occurring(self.match.words, self.match.pieces)
        return list(map(str, self.subject.piece_ids[is_on]))

    @property
    def _are_chosen(self) -> np.ndarray:
        """The flights, as bits."""
        return self.match.words

    def measured_by(self, grouping: str, measure: str) -> pd.DataFrame:
        """Return what the chart draws; see `FlightSelection`."""
        if grouping in _OF_DAYS and measure in {"hours", "flights"}:
            return self.subject.by_days(grouping, self.sums)
        return super().measured_by(grouping, measure)

    def identified(self, grouping: str) -> pl.DataFrame:
        """Return flights as the metrics take them, for groups other than days, and for the map."""
        subject, rows = self.subject, self._selected
        if grouping == "place":
            return pl.DataFrame([self._further(name) for name in POSITION])
        columns = [
            subject.days_at(rows) if grouping in _TIMES else self._times(),
            subject.flown.durations.column(rows).alias("duration_seconds"),
            pl.Series("flight_id", subject.flown.sets[rows]),
        ]
        for name in _NAMES.get(grouping, ("project_id",) if grouping == "client" else ()):
            columns.append(subject.flown.texts[name].column(rows).alias(name))
        return pl.DataFrame(columns)

    def _times(self) -> pl.Series:
        """Return the local time of each flight, labelled UTC."""
        return self.subject.moments_at(self._selected, is_local=True).alias("flight_date")

    def _further(self, name: str) -> pl.Series:
        column, rows = self.subject.further(name), self._selected
        return column if isinstance(rows, slice) else column.filter(pl.Series(rows))

    def _bridge(self, *, only_aircraft: bool) -> pl.DataFrame:
        """Return the bridge from sets of equipment, in place of flights, to their pieces."""
        subject = self.subject
        links = self._links(only_aircraft=only_aircraft)
        is_linked = np.ones(len(subject.bridge_piece), dtype=bool) if links is None else links
        sets = subject.bridge_flight[is_linked].astype(subject.flown.sets.dtype)
        pieces = subject.piece_ids[subject.bridge_piece[is_linked]]
        return pl.DataFrame(
            [pl.Series("flight_id", sets), pl.Series("equipment_id", pieces, pl.String)]
        )

    def numbers(self, order_by: str) -> np.ndarray:
        """Return the row numbers of the selection, in that order."""
        return self.page(order_by, 0, len(self))

    def page(self, order_by: str, start: int, stop: int) -> np.ndarray:
        """Return the row numbers at some places of the selection, in that order."""
        return self.subject.page(self.match.rows, order_by, start, stop)

    def rows(self, order_by: str) -> pd.DataFrame:
        """Return the selection with the columns of the fleet's table, read from the mirror.

        Raises
        ------
        InvalidValue
            They are more than a pandas frame should hold.
        """
        if len(self) > MOST_ROWS:
            raise InvalidValue(
                f"{len(self):,} flights are more than fit into a pandas frame here.",
                advice="Choose fewer, or hand .filter over: "
                'fleet.where(explorer.filter).flights(engine="polars").',
            )
        if not len(self):
            return self.subject.nobody
        frame = self.subject.read(self.choices)
        if len(frame) != len(self):
            raise MirrorError(
                f"The mirror gives {len(frame):,} flights where {len(self):,} are chosen.",
                advice="Open the explorer again.",
            )
        numbers = self.numbers(order_by)
        places = np.searchsorted(np.flatnonzero(self.match.rows), numbers)
        return frame.iloc[places].reset_index(drop=True)

    def file(self, order_by: str, form: str) -> bytes:
        """Return the content of a file with these rows; see `Selection.file`."""
        return written(self, order_by, form, super().file)
