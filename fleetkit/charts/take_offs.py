"""Chart of where flights take off; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, floor, log10, radians
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from fleetkit.areas import in_words, written
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.shades import Shades, decimals_of_step
from fleetkit.charts.drawing.shapes import SQUARE, draw_shapes, placed
from fleetkit.charts.drawing.style import COLOURS, FOOT, HALF, MILLIMETRE, Canvas, canvas, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import counted, say, say_count

__all__ = ["take_offs"]

# Hexagons that are drawn, and those that carry their number.
_MOST, _NAMED = 800, 8
# Height of the map at most and at least, and the room around it. [mm]
_HIGHEST, _LOWEST = 44.0, 24.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 14.5, 1.0, 6.0, 5.0
# Room between the name of a parallel, the map and the figure's edge. [mm]
_PAD = 1.2
# Share of the map's width that its scale may take.
_SCALE = 0.2
# Share of the map at its edges where no parallel or meridian is named.
_EDGE = 0.08
# Share of an area that is filled, so that one is told from the next.
_FILLED = 0.92
# Height of a line of numbers, and the least room between two degrees. [pt]
_LINE, _APART = 9.0, 6.0
# Kilometres of a degree of latitude; largest rounding error of a kilometre.
_DEGREE, _NOISE = 111.195, 1e-9


def take_offs(
    take_offs: Any,
    ax: Axes | None = None,
    *,
    width: float = HALF,
    most: float = 0.0,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw take-off points as hexagons or areas, north on top: the more flights, the darker.

    The fullest of them carry their number; flights without a place on the map are counted.

    Parameters
    ----------
    take_offs : frame
        As `metrics.take_offs` returns it: ``position``, ``latitude``, ``longitude`` [°],
        ``east_km``, ``north_km``, ``size_km`` [km], ``flights``; of areas also their edges.
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    width : float
        Width of new Axes. [mm]
    most : float
        So many flights have the darkest shade, where no place has more: two maps with the same
        one can be compared.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> bins = {"position": ["located", "0, 0"], "latitude": [59.9, None], "flights": [7, 2]}
    >>> bins |= {"longitude": [10.7, None], "east_km": [0.0, None], "north_km": [0.0, None]}
    >>> ax = take_offs(pd.DataFrame(bins).assign(size_km=0.5))
    >>> ax.drawing.left_out
    ['2 flights off the map']
    """
    needed = ("latitude", "longitude", "east_km", "north_km", "size_km", "flights")
    frame = read(take_offs, "take_offs", "position", numbers=needed)
    with canvas(frame, ax, title=title, colours=colours, width=width) as page:
        places = frame[["east_km", "north_km", "size_km"]]
        located = (frame["position"] == "located") & places.notna().all(axis=1)
        if not located.any():
            text = say_count(
                int(frame["flights"].sum()),
                "No take-off point (0 of {count} flights)",
                "No take-off point (0 of {count} flights)",
            )
            page.message(text if len(frame) else "No flights")
            return page.ax
        bins = page.first(frame[located], _MOST, "place")
        others = int(frame.loc[~located, "flights"].sum())
        page.leave_out(others, "flight off the map", "flights off the map", how="")
        _map(page, bins, most)
    return page.ax


def _map(page: Canvas, bins: pd.DataFrame, most: float) -> None:
    page.bare()
    room = _place(page, bins, _LEFT)
    names = _degree_lines(page, bins)
    widest = max((text_width(name, SMALL) for name in names), default=0.0) / MILLIMETRE + _PAD
    if widest > _LEFT:  # a small map names small steps of a degree
        room = _place(page, bins, widest)
        _degree_lines(page, bins)
    page.hairlines("x")
    page.hairlines("y")
    size = float(bins["size_km"].iloc[0])
    shades = Shades.of([*bins["flights"], most], least=1.0)
    _hexagons(page, bins, size, shades)
    _name_fullest(page, bins, size)
    unit = "flight" if shades.step * shades.count == 1 else "flights"
    shades.explain(page, unit, bins["flights"], zero=False)
    _scale(page, room)


def _place(page: Canvas, bins: pd.DataFrame, left: float) -> float:
    """Size the map beside a margin [mm], a kilometre as wide as high; return its width [km]."""
    east, north = bins["east_km"], bins["north_km"]
    size = float(bins["size_km"].iloc[0])
    # Half a hexagon stands over on each side; one alone has room around it.
    spans = [np.ptp(east) + 2 * size, np.ptp(north) + 2 * size]
    room = page.figure_width / MILLIMETRE - left - _RIGHT
    height = min(max(room * spans[1] / spans[0], _LOWEST), _HIGHEST)
    per_mm = max(spans[0] / room, spans[1] / height)
    # The scale stands in the line that counts what is left out, where there is room beside that.
    is_shared = page.others and _is_beside(page, float(room * per_mm), room * MILLIMETRE)
    bottom = _BOTTOM + (0.0 if is_shared else FOOT)
    page.size(height + _TOP + bottom)
    page.margins(left=left, right=_RIGHT, top=_TOP, bottom=bottom)
    middle = [(east.min() + east.max()) / 2, (north.min() + north.max()) / 2]
    reach = [room * per_mm / 2, height * per_mm / 2]
    page.ax.set_xlim(middle[0] - reach[0], middle[0] + reach[0])
    page.ax.set_ylim(middle[1] - reach[1], middle[1] + reach[1])
    return float(room * per_mm)


def _degree_lines(page: Canvas, bins: pd.DataFrame) -> list[str]:
    """Name a few round degrees at the edges of the map; return those on its left."""
    west, south = page.ax.get_xlim(), page.ax.get_ylim()
    latitude, longitude = (float(bins[name].iloc[0]) for name in ("latitude", "longitude"))
    across = _kilometres(bins)
    zero = latitude - float(bins["north_km"].iloc[0]) / _DEGREE
    parallels = _round_degrees([zero + limit / _DEGREE for limit in south], "NS", page.height)
    page.ax.set_yticks([(tick - zero) * _DEGREE for tick in parallels], [*parallels.values()])
    zero = longitude - float(bins["east_km"].iloc[0]) / across
    meridians = _round_degrees(
        [zero + limit / across for limit in west], "EW", page.width, width=text_width
    )
    page.ax.set_xticks([(tick - zero) * across for tick in meridians], [*meridians.values()])
    page.ax.tick_params(axis="both", pad=2, labelsize=SMALL, labelcolor=COLOURS["muted"])
    return [*parallels.values()]


def _round_degrees(
    edges: Sequence[float],
    ends: str,
    length: float,
    width: Callable[[str, float], float] = lambda _, size: size,
) -> dict[float, str]:
    """Return round degrees with their names, whose room along the edge [pt] is `width`."""
    span = edges[1] - edges[0]
    inside: dict[float, str] = {}
    for most in (4, 2, 1):
        locator = MaxNLocator(most, steps=[1, 2, 5, 10], min_n_ticks=min(most, 2))
        ticks = locator.tick_values(*edges)
        step = ticks[1] - ticks[0]
        decimals = decimals_of_step(step)
        names = {tick: _degrees((tick + 180) % 360 - 180, ends, decimals) for tick in ticks}
        widest = max(width(name, SMALL) for name in names.values())
        margin = max(_EDGE, widest / 2 / length) * span
        inside = {
            tick: name
            for tick, name in names.items()
            if edges[0] + margin <= tick <= edges[1] - margin
        }
        if widest + _APART <= step / span * length:
            break
    return inside


def _kilometres(bins: pd.DataFrame) -> float:
    """Return the kilometres of a degree of longitude, along the middle of the map."""
    middle = float(bins["latitude"].iloc[0] - bins["north_km"].iloc[0] / _DEGREE)
    return _DEGREE * cos(radians(min(abs(middle), 89.0)))


def _hexagons(page: Canvas, bins: pd.DataFrame, size: float, shades: Shades) -> None:
    places: list[Any] = list(bins.itertuples())
    across = _kilometres(bins)
    paths = [_path(row, size, across) for row in places]
    styles = [shades.style(float(row.flights)) for row in places]
    titles = [f"{_where(row)} · {counted(row.flights, 'flight')}" for row in places]
    keys = [(written(_edges(row)), "") for row in places] if "south" in bins else None
    draw_shapes(page, paths, styles, titles, keys)


def _path(row: Any, size: float, across: float) -> Path:
    """Return the hexagon of a row, or its area, of so many kilometres for a degree of longitude."""
    middle = float(row.east_km), float(row.north_km)
    edges = _edges(row)
    if not edges:
        return placed(Path.unit_regular_polygon(6), middle, size / np.sqrt(3))
    south, west, north, east = edges
    wide, tall = (east - west) * across * _FILLED, (north - south) * _DEGREE * _FILLED
    return placed(SQUARE, middle, (wide, tall))


def _edges(row: Any) -> tuple[float, ...]:
    return (row.south, row.west, row.north, row.east) if hasattr(row, "south") else ()


def _where(row: Any) -> str:
    if edges := _edges(row):
        return in_words(edges)
    return f"{_degrees(row.latitude, 'NS')}, {_degrees(row.longitude, 'EW')}"


def _degrees(value: float, ends: str, decimals: int = 2) -> str:
    return f"{number(abs(value), decimals)}° {say(ends[int(value < 0)])}"


def _name_fullest(page: Canvas, bins: pd.DataFrame, size: float) -> None:
    """Write the number of flights beside the fullest hexagons, where no other number stands."""
    taken: list[tuple[float, float]] = []
    half = size / 2 / np.ptp(page.ax.get_xlim()) * page.width + 2
    fullest: list[Any] = list(bins.nlargest(_NAMED, "flights").itertuples())
    for row in fullest:
        text = number(row.flights)
        place = page.ax.transAxes.inverted().transform(
            page.ax.transData.transform((row.east_km, row.north_km))
        )
        x, y = place * (page.width, page.height)
        is_inside = x + half + text_width(text, SMALL) <= page.width
        room = text_width(text, SMALL) + 2 * half
        if all(abs(x - other[0]) > 2 * room or abs(y - other[1]) > _LINE for other in taken):
            taken.append((x, y))
            page.ax.text(
                x + half if is_inside else x - half,
                y,
                text,
                transform=page.from_corner(0, 0),
                ha="left" if is_inside else "right",
                va="center_baseline",
                fontsize=SMALL,
            )


def _is_beside(page: Canvas, across: float, width: float) -> bool:
    """Whether what is left out ends before the scale of a map so wide [km, pt] begins."""
    begin, _, _ = _length(across, width)
    return text_width(page.others, SMALL) + _APART <= begin


def _length(across: float, width: float) -> tuple[float, float, str]:
    """Return where the scale's line begins and ends [pt], and its length in words."""
    power = 10.0 ** floor(log10(across * _SCALE))
    length = max(factor * power for factor in (1, 2, 5) if factor * power <= across * _SCALE)
    long, unit = (length, "km") if length > 1 - _NOISE else (1000 * length, "m")
    text = f"{number(long, decimals_of_step(long))} {unit}"
    end = width - text_width(text, SMALL) - 4
    return end - length / across * width, end, text


def _scale(page: Canvas, across: float) -> None:
    """Draw a line of a round number of kilometres or metres below the map, at its right end."""
    begin, end, text = _length(across, page.width)
    height = page.foot + SMALL / 3
    if page.others and not _is_beside(page, across, page.width):
        height += FOOT * MILLIMETRE
    line = Line2D([begin, end], [height, height], linewidth=1.2)
    line.set(transform=page.from_corner(0, 0), color=COLOURS["muted"], clip_on=False)
    page.ax.add_line(line)
    page.ax.text(
        page.width,
        height,
        text,
        transform=page.from_corner(0, 0),
        ha="right",
        va="center_baseline",
        fontsize=SMALL,
        color=COLOURS["muted"],
    )
