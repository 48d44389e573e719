"""Chart of the days that registrations have left; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import COLOURS, HALF, canvas, clean, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.kinds import BANDS
from fleetkit.language import say

__all__ = ["registrations"]


def registrations(
    registrations: Any, ax: Axes | None = None, *, title: str = "", colours: Colours = None
) -> Axes:
    """Draw how many registrations are expired, expire soon, later, or are missing.

    Parameters
    ----------
    registrations : frame
        As `metrics.registrations` returns it: one row per piece of equipment, with its ``band``.
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"band": ["later", "expired", "later"]})
    >>> [text.get_text() for text in registrations(frame).texts]
    ['1', '0', '0', '0', '2', '0']
    """
    frame = read(registrations, "registrations", "band")
    with canvas(frame, ax, title=title, colours=colours, width=HALF) as page:
        if frame.empty:
            page.message("No equipment to show")
            return page.ax
        sizes = frame["band"].value_counts(sort=False, dropna=False).to_dict()
        bands = list(dict.fromkeys([*BANDS, *sizes]))
        page.leave_out(len(bands) - ROWS, "band")
        names = [clean(band) for band in bands[:ROWS]]
        counts = [sizes.get(band, 0) for band in bands[:ROWS]]
        rows(
            page,
            [say(_BANDS.get(name, name)) for name in names],
            {"equipment": counts},
            [number(count) for count in counts],
            unit="pieces of equipment",
            colours=[COLOURS[_BAND_COLOURS.get(name, "accent")] for name in names],
        )
    return page.ax


_BANDS = {
    "≤ 30 days": "expires within 30 days",
    "≤ 60 days": "within 60 days",
    "≤ 90 days": "within 90 days",
    "missing": "no expiry date",
}
_BAND_COLOURS = {"expired": "red", "≤ 30 days": "amber", "missing": "quiet"}
