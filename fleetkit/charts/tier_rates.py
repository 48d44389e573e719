"""Chart of the rates of tiers; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import value_dumbbells
from fleetkit.charts.drawing.names import service_names
from fleetkit.charts.drawing.style import canvas, clean, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say
from fleetkit.rounding import rate_decimals

__all__ = ["tier_rates"]

_COMPARED = ("currency", "unit_type", "pricing_model")


def tier_rates(
    rates: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw how far the rates of each service's tiers reach, in the frame's order.

    All services share an axis, on which 1 is the lowest rate of the same currency, unit type and
    pricing model: rates compare only there. The notes are the rates themselves.

    Parameters
    ----------
    rates : frame
        As `metrics.tier_rates` returns it: ``currency``, ``unit_type``, ``pricing_model``,
        ``service_id``, ``service``, ``rate``, ``times_lowest``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    most : int
        Services that are drawn; the others are counted.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> kind = {"currency": ["EUR"], "unit_type": ["HOUR"], "pricing_model": ["TIERED"]}
    >>> service = {"service_id": ["svc_1"], "service": ["Survey"]}
    >>> rates = pd.DataFrame({**kind, **service, "rate": [80.0], "times_lowest": [1.0]})
    >>> tier_rates(pd.concat([rates, rates.assign(rate=100.0, times_lowest=1.25)])).texts[0].get_text()
    '80.00 to 100.00 EUR per HOUR'
    """  # noqa: E501 - the example is one call
    keys = [*_COMPARED, "service_id", "service"]
    frame = read(rates, "tier_rates", *keys, numbers=("rate", "times_lowest"))
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No tiers with a rate")
            return page.ax
        services = frame.groupby(keys, sort=False, dropna=False)[["rate", "times_lowest"]]
        reach = services.agg(["min", "max"])
        reach.columns = ["lowest", "highest", "start", "end"]
        reach = reach.reset_index()
        reach = page.first(reach.assign(service=service_names(reach)), most, "service")
        names, starts, ends = (reach[name].tolist() for name in ("service", "start", "end"))
        notes = [_note(row) for _, row in reach.iterrows()]
        marks = say("lowest tier"), say("highest tier")
        value_dumbbells(page, names, starts, ends, notes=notes, marks=marks)
    return page.ax


def _note(row: pd.Series) -> str:
    parts = {
        "currency": clean(row["currency"], null="no currency"),
        "unit": clean(row["unit_type"]),
    }
    if pd.isna(row["lowest"]):
        return say("not known, {currency} per {unit}", **parts)
    ends = row[["lowest", "highest"]].tolist()
    lowest, highest = (number(rate, rate_decimals(ends)) for rate in ends)
    if lowest == highest:
        return say("{rate} {currency} per {unit}", rate=lowest, **parts)
    return say(
        "{lowest} to {highest} {currency} per {unit}", lowest=lowest, highest=highest, **parts
    )
