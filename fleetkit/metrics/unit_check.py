"""Which unit the travelled distances can be in."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

import narwhals as nw
import pandas as pd

from fleetkit.metrics._flown import ones
from fleetkit.metrics._frames import FrameT, Lazy, collect, to_kind_of, to_lazy
from fleetkit.metrics._quality import POSITIONS

__all__ = ["unit_check"]

# Metres in a unit.
UNITS = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}
# Average speeds that a drone can fly: barely moving up to 216 km/h. [m/s]
SLOWEST, FASTEST = 0.05, 60.0
# How far a position can be off. [m]
_POSITION_ERROR = 10.0
# Share of the flights that a unit must suit: single logs are wrong in any unit.
ENOUGH = 0.9
_EARTH_RADIUS = 6_371_000.0
# Coefficients of the sine's power series, of x, x³, x⁵ …: right to nine digits up to 90°.
_SINE = (1.0, -1 / 6, 1 / 120, -1 / 5_040, 1 / 362_880, -1 / 39_916_800, 1 / 6_227_020_800)


def unit_check(flights: FrameT) -> FrameT:
    """Say which units the travelled distances can be in.

    A unit fits where at least nine of ten flights pass both tests: the average speed, distance by
    duration, is one that a drone can fly (0.05 to 60 m/s); and the great circle from take-off to
    landing is no longer than the distance (and 10 m, by which positions are off). Several can fit;
    nothing is converted.

    Parameters
    ----------
    flights : frame of any engine
        With ``traveled_distance``, ``duration_seconds`` [s], ``takeoff_lat``, ``takeoff_lng``,
        ``landing_lat``, ``landing_lng`` [deg].

    Returns
    -------
    frame of the kind of `flights`
        A row for each of m, km, ft and mi: ``unit``, ``timed`` (flights with a distance and a
        duration above 0), ``flyable`` (of these, with such a speed), ``located`` (flights with a
        distance above 0, a take-off and a landing, neither at 0, 0 nor out of range),
        ``reachable`` (of these, with a distance that reaches), ``mean_speed`` (Σ distance /
        Σ duration of the timed) [m/s], ``fits`` (boolean; null where no flight is timed).

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Unit that fits
        With it, at least nine of ten flights have an average speed of 0.05 to 60 m/s, and a
        travelled distance no shorter than from take-off to landing (less 10 m).

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "traveled_distance": [7.2, 3.0], "duration_seconds": [1200, 600],
    ...     "takeoff_lat": [59.9, 59.9], "takeoff_lng": [10.7, 10.7],
    ...     "landing_lat": [59.91, 59.9], "landing_lng": [10.7, 10.7],
    ... })
    >>> unit_check(flights)[["unit", "flyable", "reachable", "mean_speed", "fits"]].round(3)
      unit  flyable  reachable  mean_speed   fits
    0    m        0          1       0.006  False
    1   km        2          2       5.667   True
    2   ft        0          1       0.002  False
    3   mi        2          2       9.120   True
    """
    positions = [name for pair in POSITIONS for name in pair]
    columns = ["traveled_distance", "duration_seconds", *positions]
    counts = _counted(to_lazy(flights, "flights", columns))
    rows = []
    for unit, metres in UNITS.items():
        timed, located = int(counts["timed"]), int(counts["located"])
        flyable, reachable = int(counts[f"flyable_{unit}"]), int(counts[f"reachable_{unit}"])
        fits = flyable >= ENOUGH * timed and reachable >= ENOUGH * located
        speed = counts["distance"] * metres / counts["seconds"] if timed else None
        rows.append((unit, timed, flyable, located, reachable, speed, fits if timed else None))
    names = ["unit", "timed", "flyable", "located", "reachable", "mean_speed", "fits"]
    table = pd.DataFrame(rows, columns=names)
    return to_kind_of(table.astype({"mean_speed": "float64", "fits": "boolean"}), flights)


def _counted(flights: Lazy) -> dict[str, float]:
    """Count the flights that pass the tests, in one query."""
    distance, seconds = nw.col("traveled_distance"), nw.col("duration_seconds")
    reaches = {f"reach_{unit}": _reach(distance * metres) for unit, metres in UNITS.items()}
    angled = _with_sines(_marked(flights), {**_half_angles(), **reaches})
    is_timed, is_located = nw.col("timed") == 1, nw.col("located") == 1
    tests = []
    for unit, metres in UNITS.items():
        speed = distance * metres / seconds.cast(nw.Float64)
        is_flyable = is_timed & (speed >= SLOWEST) & (speed <= FASTEST)
        is_reachable = is_located & (nw.col("apart") <= nw.col(f"reach_{unit}") ** 2)
        tests += [
            ones(is_flyable).alias(f"flyable_{unit}"),
            ones(is_reachable).alias(f"reachable_{unit}"),
        ]
    names = ["timed", "located", "distance", "seconds"]
    tested = angled.with_columns(_apart().alias("apart")).with_columns(*tests)
    names += [f"{test}_{unit}" for unit in UNITS for test in ("flyable", "reachable")]
    sums = collect(tested.select(nw.col(names).sum())).fillna(0)
    return {name: float(sums[name].iloc[0]) for name in names}


def _marked(flights: Lazy) -> Lazy:
    """Add which flights can be tested: by their speed, and by the way between their positions."""
    distance, seconds = nw.col("traveled_distance"), nw.col("duration_seconds")
    is_timed = (distance > 0) & (seconds > 0)
    is_located = distance > 0
    for latitude, longitude in ((nw.col(north), nw.col(east)) for north, east in POSITIONS):
        is_inside = (latitude.abs() <= 90) & (longitude.abs() <= 180)
        is_located = is_located & is_inside & ((latitude != 0) | (longitude != 0))
    return flights.with_columns(
        ones(is_timed).alias("timed"),
        ones(is_located).alias("located"),
        nw.when(is_timed).then(distance).otherwise(nw.lit(0.0)).alias("distance"),
        nw.when(is_timed).then(seconds.cast(nw.Float64)).otherwise(nw.lit(0.0)).alias("seconds"),
    )


def _reach(metres: nw.Expr) -> nw.Expr:
    """Return half the angle, from the earth's centre, that a distance leads at most."""
    angle = (metres + _POSITION_ERROR) / (2 * _EARTH_RADIUS)
    return nw.when(angle < pi / 2).then(angle).otherwise(nw.lit(pi / 2))


def _half_angles() -> dict[str, nw.Expr]:
    """Return half of each angle that the way from take-off to landing is computed from."""
    radian = pi / 180
    north, east = (
        nw.col(landing) - nw.col(takeoff) for takeoff, landing in zip(*POSITIONS, strict=True)
    )
    apart = east.abs()
    around = nw.when(apart > 180).then(360 - apart).otherwise(apart)
    start, end = (nw.col(pair[0]) * radian / 2 for pair in POSITIONS)
    return {"north": north * radian / 2, "east": around * radian / 2, "start": start, "end": end}


def _apart() -> nw.Expr:
    """Return the squared sine of half the angle between take-off and landing, by the haversine."""
    start, end = (1 - 2 * nw.col(name) ** 2 for name in ("start", "end"))
    squared: nw.Expr = nw.col("north") ** 2
    return squared + start * end * nw.col("east") ** 2


def _with_sines(flights: Lazy, angles: Mapping[str, nw.Expr]) -> Lazy:
    """Add the sines of angles up to a right one [rad], in arithmetic that every engine has.

    Step by step: Narwhals works out an expression anew wherever it stands in another one.
    """
    rows = flights.with_columns(*(angle.alias(name) for name, angle in angles.items()))
    squares = [(nw.col(name) * nw.col(name)).alias(f"{name}_squared") for name in angles]
    return rows.with_columns(*squares).with_columns(*(_sine(name).alias(name) for name in angles))


def _sine(name: str) -> nw.Expr:
    series: nw.Expr = nw.lit(_SINE[-1])
    for coefficient in _SINE[-2::-1]:
        series = series * nw.col(f"{name}_squared") + coefficient
    return nw.col(name) * series
