"""Flights counted and summed by day and by the fields with few options, as a data cube.

Flights of one day that have the same type, operation and answers are one cell. What is chosen by
these fields and whole days is answered from the cells, without looking at flights.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from fleetkit.explore.large.bits import unpacked
from fleetkit.explore.large.encoding import Numbers
from fleetkit.explore.large.hours import Counted
from fleetkit.explore.sums import FLAG_COLUMNS

__all__ = ["Cube", "Part"]

# Cells that a cube may always have, and flights per cell from which on it may have more.
_CELLS, _SHARE = 1 << 20, 8


class Cube:
    """Flights, flights with a duration, seconds flown and flights above 0 s of each cell.

    Parameters
    ----------
    starts : array of int
        The first flight of each run of flights on one day.
    fields : mapping
        Name of a field → the code of each flight, −1 for none, and how many codes there are; as
        many fields are taken as make few cells.
    durations : Numbers
        Of each flight. [s]
    """

    def __init__(
        self,
        starts: np.ndarray,
        fields: Mapping[str, tuple[np.ndarray, int]],
        durations: Numbers,
    ) -> None:
        seconds, recorded = durations.above_0, unpacked(durations.known, 0, len(durations.values))
        self.starts = np.append(starts, len(seconds))
        self.fields: list[str] = []
        shape = [len(starts)]
        for name, (_, codes) in fields.items():
            size = codes + 1
            if np.prod(shape) * size <= max(_CELLS, len(seconds) // _SHARE):
                self.fields.append(name)
                shape.append(size)
        cells = int(np.prod(shape[1:]))
        tables = np.zeros((4, len(starts), cells))
        for run, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            rows = slice(int(start), int(stop))
            cell = np.zeros(int(stop - start), dtype=np.intp)
            for name, size in zip(self.fields, shape[1:], strict=True):
                cell *= size
                cell += fields[name][0][rows]
                cell += 1
            flown = seconds[rows]
            amounts = (None, recorded[rows], flown, flown > 0)
            for table, amount in zip(tables, amounts, strict=True):
                table[run] = np.bincount(cell, amount, cells)
        self.tables = [table.reshape(shape) for table in tables]

    def part(self, start: int, stop: int, chosen: Mapping[str, Collection[int]]) -> Part | None:
        """Return the part that is chosen; None where no cells make it up.

        Parameters
        ----------
        start, stop : int
            The flights of the period.
        chosen : mapping
            Name of a field → codes, of those that something is chosen in.
        """
        first, last = np.searchsorted(self.starts, [start, stop]).tolist()
        is_of_days = [*self.starts[[first, last]]] == [start, stop]
        if not is_of_days or {*chosen, "flight_type", *FLAG_COLUMNS} - {*self.fields}:
            return None
        shape = self.tables[0].shape
        weights = [np.ones(size) for size in shape]
        weights[0][:first] = weights[0][last:] = 0
        for name, codes in chosen.items():
            axis = 1 + self.fields.index(name)
            weights[axis] = np.isin(np.arange(-1, shape[axis] - 1), list(codes)).astype(float)
        return Part(self, weights)


class Part:
    """The cells that are chosen.

    Parameters
    ----------
    cube : Cube
    weights : list of array
        Of each axis, 1 for what is chosen and else 0.
    """

    def __init__(self, cube: Cube, weights: list[np.ndarray]) -> None:
        self._cube, self._weights = cube, weights
        self.fields = frozenset(cube.fields)

    def _sums(self, table: np.ndarray, *axes: int) -> np.ndarray:
        """Sum the chosen cells over all axes but these."""
        for axis in reversed(range(table.ndim)):
            if axis not in axes:
                table = np.tensordot(table, self._weights[axis], axes=(axis, 0))
        return table

    def counts(self, name: str) -> list[int]:
        """Return how many flights have each code of a field, from −1 on.

        What is chosen in that field is left out of account.
        """
        sums = self._sums(self._cube.tables[0], 1 + self._cube.fields.index(name))
        return list(map(int, sums))

    def counted(self, codes: list[int]) -> Counted:
        """Return the counts and hours of the flight types with these codes."""
        axis = 1 + self._cube.fields.index("flight_type")
        is_chosen = np.outer(self._weights[axis], self._weights[0])
        flights, recorded, flown = (
            (self._sums(table, 0, axis).T * is_chosen)[[code + 1 for code in codes]]
            for table in self._cube.tables[:3]
        )
        timed = self._sums(self._cube.tables[3])
        answers = {flag: self._answers(name) for name, flag in FLAG_COLUMNS.items()}
        return Counted(flights, recorded, flown, int(timed), answers)

    def _answers(self, flag: str) -> tuple[int, int]:
        """Return how many flights have a flag set to yes, and how many to no."""
        axis = 1 + self._cube.fields.index(flag)
        sums = self._sums(self._cube.tables[0], axis) * self._weights[axis]
        _, no, yes = map(int, sums)
        return yes, no
