"""Charts that can be drawn again for a narrow screen: the same frame, on Axes of another width."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

import narwhals as nw
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.options import check_options
from fleetkit.charts.drawing.style import axes
from fleetkit.context import carry_over

__all__ = ["NARROW", "redrawable"]

# Width that a phone shows unscaled, and height of a plot there that sets none. [mm]
NARROW, _HEIGHT = 84.0, 50.0


def redrawable(chart: Callable[..., Axes]) -> Callable[..., Axes]:
    """Return a chart whose Axes know by ``drawing.chart`` and ``drawing.narrow`` how they came.

    Examples
    --------
    >>> import pandas as pd
    >>> from fleetkit.charts import aircraft_hours
    >>> hours = pd.DataFrame({"name": ["Kestrel"], "flights": [3], "hours": [1.5]})
    >>> drawing = aircraft_hours(hours).drawing
    >>> (drawing.narrow().figure.get_size_inches() * 25.4).round().tolist()[0], drawing.chart
    (84.0, 'aircraft_hours')
    """

    @wraps(chart)
    def draw(*arguments: Any, **options: Any) -> Axes:
        check_options(chart, options)
        ax = chart(*arguments, **options)
        drawing = getattr(ax, "drawing", None)
        if drawing is not None:
            given = inspect.signature(chart).bind(*arguments, **options).arguments
            drawing.chart = chart.__name__
            drawing.measured = next(iter(given.values()))
            drawing.frame = _as_given(drawing.frame, drawing.measured)
            # What stands under the chart's name, for a figure can be pickled.
            drawing.narrow = partial(_narrow, draw, given)
        return ax

    return draw


def _as_given(drawn: pd.DataFrame, measured: Any) -> pd.DataFrame:
    """Return what a chart has read with the whole numbers and the zone that it was given."""
    given = nw.from_native(measured).collect_schema()
    floats = drawn.select_dtypes("float64").columns
    whole = [name for name in floats if name in given and given[name].is_integer()]
    shown = drawn.astype(dict.fromkeys(whole, "Int64"))
    carry_over(shown, measured)
    return shown


def _narrow(chart: Callable[..., Axes], given: Mapping[str, Any]) -> Axes:
    return chart(**{**given, "ax": axes(NARROW, _HEIGHT)})
