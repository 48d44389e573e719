"""Where flights take off: counted in hexagons on a local map."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import cos, inf, log, radians, sqrt

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.arguments import checked_number
from fleetkit.errors import InvalidValue
from fleetkit.metrics._frames import FrameT, Lazy, collect, to_kind_of, to_lazy

__all__ = ["take_offs"]

# Kilometres of a degree of latitude.
_DEGREE = 111.195
# Hexagons across the map, and the least width of one. [km]
_ACROSS, _SMALLEST = 24, 0.05
# A share of the flights, and the distance within which they lie: where the furthest flight is
# beyond this multiple of it, the others are left out as far away. Least such distance [km].
_NEAR_SHARE, _FURTHER, _NEAR = 0.98, 3.0, 100.0
# Why a flight has no place on the map, in the order of the rows.
_LEFT_OUT = ("far away", "0, 0", "out of range", "not recorded")
_DTYPES = {
    "position": "str",
    **dict.fromkeys(("latitude", "longitude", "east_km", "north_km", "size_km"), "float64"),
    "flights": "int64",
}
_EDGES = ("south", "west", "north", "east")
# Widths of areas: 0.0001° to 10°. Each divides 90, so that none reaches beyond a pole or 180° E.
_DECIMALS = 4
_STEPS = [
    Fraction(first) * Fraction(10) ** power for power in range(-_DECIMALS, 2) for first in (1, 2, 5)
]
_STEPS = [step for step in _STEPS if 90 % step == 0]


def take_offs(flights: FrameT, *, size: float | None = None, areas: bool = False) -> FrameT:
    """Count flights by where they took off, in hexagons on a map without tiles.

    The map is a local one: kilometres east and north of its middle, true along the middle latitude
    and along each meridian, so that areas are nearly so. It leaves out the farthest 2 % of the
    flights where they lie more than three times as far away as all others.

    Parameters
    ----------
    flights : frame of any engine
        With ``takeoff_lat`` and ``takeoff_lng`` [°].
    size : float, optional
        Width of a hexagon [km]; default: a 24th of the map's longer side.
    areas : bool
        Count in areas of about that width instead, whose edges are round degrees:
        ``fleet.where(take_off=…)`` takes one, and selects the flights that are counted in it.

    Returns
    -------
    frame of the kind of `flights`
        One row per hexagon with flights, most of them first: ``position`` ("located"),
        ``latitude`` and ``longitude`` of its middle [°], ``east_km`` and ``north_km`` from the
        middle of the map [km], ``size_km`` [km], ``flights`` (int64); of areas also ``south``,
        ``west``, ``north`` and ``east`` [°]. Then one row for the flights that have no place on
        it, where there are any, by their ``position``: "far away", "0, 0", "out of range", "not
        recorded" (one of the two numbers, or both, are missing). All rows together count each
        flight once.

    Raises
    ------
    InvalidValue
        A missing column, or a size that is not above 0.

    Definitions
    -----------
    Take-off point
        Latitude and longitude in the flight's log. One at 0, 0 or out of range is a fault of the
        log: it is counted, and left out of the map.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "takeoff_lat": [59.9, 59.9, 60.1, 0.0], "takeoff_lng": [10.7, 10.7, 10.7, 0.0],
    ... })
    >>> take_offs(flights)[["position", "latitude", "flights"]].round(1)
       position  latitude  flights
    0   located      59.9        2
    1   located      60.1        1
    2      0, 0       NaN        1
    """
    if size is not None and not 0 < checked_number(size, "size") < inf:
        raise InvalidValue(
            f"A hexagon can't be {size} km wide.", advice="Pass a size above 0, or none at all."
        )
    points = _points(to_lazy(flights, "flights", ["takeoff_lat", "takeoff_lng"]))
    located = points.filter(nw.col("position") == "located")
    cells, counted = _cells(located), collect(points.group_by("position").agg(nw.len().alias("n")))
    left_out = counted.set_index("position")["n"].reindex(_LEFT_OUT, fill_value=0)
    dtypes = _DTYPES | (dict.fromkeys(_EDGES, "float64") if areas else {})
    bins = pd.DataFrame(columns=list(dtypes))
    if len(cells):
        view = _View.of(cells)
        bins = view.areas(located, size) if areas else view.hexagons(located, size)
        left_out["far away"] = cells["flights"].sum() - bins["flights"].sum()
    others = left_out[left_out > 0].rename_axis("position").rename("flights").reset_index()
    parts = [part.reindex(columns=list(dtypes)).astype(dtypes) for part in (bins, others)]
    return to_kind_of(pd.concat(parts, ignore_index=True), flights)


def _points(frame: Lazy) -> Lazy:
    """Add ``position``: whether the take-off is known, or why it is not."""
    latitude, longitude = nw.col("takeoff_lat"), nw.col("takeoff_lng")
    position = (
        nw.when((latitude == 0) & (longitude == 0))
        .then(nw.lit("0, 0"))
        .otherwise(
            nw.when((latitude.abs() > 90) | (longitude.abs() > 180))
            .then(nw.lit("out of range"))
            .otherwise(nw.lit("located"))
        )
    )
    known = ~latitude.is_null() & ~longitude.is_null()
    return frame.with_columns(
        nw.when(known).then(position).otherwise(nw.lit("not recorded")).alias("position")
    )


def _cells(located: Lazy) -> pd.DataFrame:
    """Count the points in cells of a degree, with the outermost points of each."""
    latitude, longitude = nw.col("takeoff_lat"), nw.col("takeoff_lng")
    return collect(
        located.with_columns(latitude.floor().alias("_row"), longitude.floor().alias("_column"))
        .group_by("_row", "_column")
        .agg(
            nw.len().alias("flights"),
            latitude.min().alias("south"),
            latitude.max().alias("north"),
            longitude.min().alias("west"),
            longitude.max().alias("east"),
        )
    ).sort_values(["_row", "_column"], ignore_index=True)


@dataclass(frozen=True)
class _View:
    """The part of the world that a map shows, in degrees; longitudes run on beyond `seam`."""

    south: float
    north: float
    west: float
    east: float
    seam: float

    @classmethod
    def of(cls, cells: pd.DataFrame) -> _View:
        """Return the part that holds all cells, or nearly all points where a few are far away."""
        # Longitudes begin after the widest stretch without a point, wherever the date line is.
        edges = np.sort(cells["west"].unique())
        seam = float(edges[np.argmax(np.diff(edges, prepend=edges[-1] - 360.0))])
        turn = np.where(cells["west"] < seam, 360.0, 0.0)
        cells = cells.assign(west=cells["west"] + turn, east=cells["east"] + turn)
        near = cells[_is_near(cells)]
        return cls(
            float(near["south"].min()),
            float(near["north"].max()),
            float(near["west"].min()),
            float(near["east"].max()),
            seam,
        )

    @property
    def middle(self) -> tuple[float, float]:
        """Latitude and longitude of the middle [°]."""
        return (self.south + self.north) / 2, (self.west + self.east) / 2

    @property
    def degree_east(self) -> float:
        """Kilometres of a degree of longitude along the middle latitude."""
        return _DEGREE * cos(radians(min(abs(self.middle[0]), 89.0)))

    @property
    def size(self) -> float:
        """Kilometres that a hexagon is wide where nothing else is asked for."""
        reach = max((self.north - self.south) * _DEGREE, (self.east - self.west) * self.degree_east)
        return max(reach / _ACROSS, _SMALLEST)

    def hexagons(self, located: Lazy, size: float | None) -> pd.DataFrame:
        """Count the points of the part in hexagons.

        Their middles are those of two lattices of rectangles, one set between the other; a point
        belongs to the nearer middle.
        """
        latitude, longitude = self.middle
        width = size or self.size
        height = width * sqrt(3)
        turned = nw.col("takeoff_lng") + nw.when(nw.col("takeoff_lng") < self.seam).then(
            nw.lit(360.0)
        ).otherwise(nw.lit(0.0))
        shown = located.with_columns(turned.alias("_turned")).filter(
            (nw.col("takeoff_lat") >= self.south)
            & (nw.col("takeoff_lat") <= self.north)
            & (nw.col("_turned") >= self.west)
            & (nw.col("_turned") <= self.east)
        )
        counted = collect(
            _in_lattices(
                shown.select(
                    ((nw.col("_turned") - longitude) * (self.degree_east / width)).alias("_x"),
                    ((nw.col("takeoff_lat") - latitude) * (_DEGREE / height)).alias("_y"),
                )
            )
            .group_by("_i", "_j")
            .agg(nw.len().alias("flights"))
        )
        east, north = counted["_i"] / 2 * width, counted["_j"] / 2 * height
        return counted.assign(
            position="located",
            latitude=latitude + north / _DEGREE,
            longitude=(longitude + east / self.degree_east + 180) % 360 - 180,
            east_km=east,
            north_km=north,
            size_km=width,
        ).sort_values(["flights", "_j", "_i"], ascending=[False, True, True])

    def areas(self, located: Lazy, size: float | None) -> pd.DataFrame:
        """Count the points in areas of which some part is shown: then each is counted whole."""
        width = size or self.size
        tall, wide = _round(width / _DEGREE), _round(width / self.degree_east)
        counted = collect(
            located.select(
                _place("takeoff_lat", tall, 90).alias("_j"),
                _place("takeoff_lng", wide, 180).alias("_i"),
            )
            .group_by("_i", "_j")
            .agg(nw.len().alias("flights"))
        )
        edges = {
            "south": _degrees(counted["_j"], tall),
            "north": _degrees(counted["_j"] + 1, tall),
            "west": _degrees(counted["_i"], wide),
            "east": _degrees(counted["_i"] + 1, wide),
        }
        counted = counted.assign(**edges)
        turn = np.where(counted["east"] <= self.seam, 360.0, 0.0)
        is_shown = counted["north"].gt(self.south) & counted["south"].le(self.north)
        is_shown &= (counted["east"] + turn).gt(self.west) & (counted["west"] + turn).le(self.east)
        latitude, longitude = self.middle
        middles = (counted["south"] + counted["north"]) / 2, (counted["west"] + counted["east"]) / 2
        return counted.assign(
            position="located",
            latitude=middles[0],
            longitude=middles[1],
            east_km=(middles[1] + turn - longitude) * self.degree_east,
            north_km=(middles[0] - latitude) * _DEGREE,
            size_km=max(tall * _DEGREE, wide * self.degree_east),
        )[is_shown].sort_values(["flights", "_j", "_i"], ascending=[False, True, True])


def _round(degrees: float) -> Fraction:
    """Return the width of an area that is nearest."""
    return min(_STEPS, key=lambda step: abs(log(step / degrees)))


def _place(column: str, step: Fraction, last: int) -> nw.Expr:
    """Return how many steps a coordinate lies from 0, as its comparison with the edges says.

    Division alone would put 0.29° below the edge at 0.29°.
    """
    value = nw.col(column)
    place = (value * step.denominator / step.numerator).floor()
    # Some engines multiply by a fraction where they are asked to divide; no edge has more decimals.
    upper, lower = (
        (edge * step.numerator / step.denominator).round(_DECIMALS) for edge in (place + 1, place)
    )
    place = place + (value >= upper).cast(nw.Int64) - (value < lower).cast(nw.Int64)
    end = last * step.denominator // step.numerator
    return nw.when(place >= end).then(nw.lit(end - 1)).otherwise(place.cast(nw.Int64))


def _degrees(places: pd.Series[int], step: Fraction) -> pd.Series[float]:
    """Return the degrees of edges: the numbers that a reader writes, such as 0.29."""
    return places * step.numerator / step.denominator


def _is_near(cells: pd.DataFrame) -> pd.Series[bool]:
    """Return which cells a map shows: all, unless a few flights are much further away."""
    rows, columns = (cells["south"] + cells["north"]) / 2, (cells["west"] + cells["east"]) / 2
    latitude, longitude = (_median(values, cells["flights"]) for values in (rows, columns))
    east = (columns - longitude) * np.cos(np.radians((rows + latitude) / 2))
    distance = np.hypot(rows - latitude, east) * _DEGREE
    ordered = cells["flights"].iloc[np.argsort(distance, kind="stable")].cumsum()
    enough = int(np.argmax(ordered.to_numpy() >= _NEAR_SHARE * cells["flights"].sum()))
    near = max(float(np.sort(distance)[enough]), _NEAR)
    is_near: pd.Series[bool] = distance <= (
        near if distance.max() > _FURTHER * near else distance.max()
    )
    return is_near


def _median(values: pd.Series[float], weights: pd.Series[int]) -> float:
    order = values.sort_values().index
    passed = weights[order].cumsum()
    return float(values[order[int(np.argmax(passed >= passed.iloc[-1] / 2))]])


def _in_lattices(points: Lazy) -> Lazy:
    """Add the nearer middle of both lattices, as ``_i`` and ``_j``: twice its coordinates."""
    x, y = nw.col("_x"), nw.col("_y")
    i, j = (x + 0.5).floor(), (y + 0.5).floor()
    between_i, between_j = x.floor() + 0.5, y.floor() + 0.5
    squared = (x - i) * (x - i) + (y - j) * (y - j) * 3
    between = (x - between_i) * (x - between_i) + (y - between_j) * (y - between_j) * 3
    is_first = squared <= between
    return points.select(
        nw.when(is_first).then(i * 2).otherwise(between_i * 2).cast(nw.Int64).alias("_i"),
        nw.when(is_first).then(j * 2).otherwise(between_j * 2).cast(nw.Int64).alias("_j"),
    )
