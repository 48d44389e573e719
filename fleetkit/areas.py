"""Areas of take-off: rectangles between two parallels and two meridians, in degrees.

A point on the southern or western edge belongs to an area, one on the northern or eastern edge to
the next one; those at 90° N and 180° E have no next one. So areas side by side share no point.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.language import localized, say

__all__ = ["Area", "in_both", "in_words", "is_within", "read", "written"]

# South, west, north, east. [°]
Area = tuple[float, float, float, float]


def read(value: Any, name: str) -> Area | tuple[()]:
    """Return an area in its one form; the empty tuple is none.

    Parameters
    ----------
    value : str, or iterable of four numbers
        South, west, north, east. [°]
    name : str
        What to call it in an error.

    Raises
    ------
    InvalidValue
        It isn't four numbers, or there is no such area; one across the 180th meridian is two.

    Examples
    --------
    >>> read("47.1, 8.2, 47.3, 8.5", "take_off"), read([], "take_off")
    ((47.1, 8.2, 47.3, 8.5), ())
    """
    parts = value
    if isinstance(value, str):
        parts = value.split(",") if value.strip() else ()
    try:
        edges = tuple(map(_degrees, parts))
        if not edges:
            return ()
        south, west, north, east = edges
    except (TypeError, ValueError):
        raise InvalidValue(
            f"{name}={brief(value)} is not an area.",
            advice="Write its south, west, north and east in degrees, such as 47.1,8.2,47.3,8.5.",
        ) from None
    for low, high, most, words in (
        (south, north, 90, "south and north from −90° to 90°, south below north"),
        (west, east, 180, "west and east from −180° to 180°, west below east"),
    ):
        if not -most <= low < high <= most:
            across = " One across the 180th meridian is two areas." if most >= low > high else ""
            raise InvalidValue(
                f"{name}={written((south, west, north, east))} is not an area on the globe.",
                advice=f"Write {words}.{across if most == 180 else ''}",
            )
    return south, west, north, east


def _degrees(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(value)


def written(area: Iterable[float]) -> str:
    """Return an area as an option has it.

    Examples
    --------
    >>> written((47.0, 8.25, 48.0, 8.5))
    '47,8.25,48,8.5'
    """
    return ",".join(repr(float(edge)).removesuffix(".0") for edge in area)


def in_words(area: Iterable[float]) -> str:
    """Return an area in words, in the language in force.

    Examples
    --------
    >>> in_words((-1.5, -8.25, 0.0, 8.5))
    '1.5° S – 0° N, 8.25° W – 8.5° E'
    """
    south, west, north, east = area
    (low, high), (left, right) = (_named((south, north), "SN"), _named((west, east), "WE"))
    return f"{low} – {high}, {left} – {right}"


def _named(edges: Iterable[float], ends: str) -> list[str]:
    """Return degrees with their directions, to the hundredth of a metre at most."""
    return [f"{localized(f'{abs(edge):.10g}')}° {say(ends[edge >= 0])}" for edge in edges]


def in_both(one: Area | tuple[()], other: Area | tuple[()]) -> Area | tuple[()]:
    """Return what two areas have in common; the empty tuple where that is nothing.

    Examples
    --------
    >>> in_both((0, 0, 2, 2), (1, 1, 3, 3))
    (1, 1, 2, 2)
    >>> in_both((0, 0, 1, 1), (1, 0, 2, 1)), in_both((0, 0, 1, 1), (0, 1, 1, 2))
    ((), ())
    """
    if not one or not other:
        return ()
    south, west, north, east = (*map(max, one[:2], other[:2]), *map(min, one[2:], other[2:]))
    return (south, west, north, east) if south < north and west < east else ()


def is_within(latitude: Any, longitude: Any, area: Area) -> Any:
    """Say of points whether an area holds them; 0, 0 is a fault of the log, not a place.

    Parameters
    ----------
    latitude, longitude : Series, array or Narwhals expression
        [°]
    area : tuple
        Not an empty one.

    Examples
    --------
    >>> import numpy as np
    >>> is_within(np.array([47.1, 47.3, np.nan]), np.array([8.2, 8.2, 8.2]), (47.1, 8.2, 47.3, 8.5))
    array([ True, False, False])
    """
    south, west, north, east = area
    below = latitude <= north if north == 90 else latitude < north
    left = longitude <= east if east == 180 else longitude < east
    is_inside = (latitude >= south) & below & (longitude >= west) & left
    return is_inside & ~((latitude == 0) & (longitude == 0))
