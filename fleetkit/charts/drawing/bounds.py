"""How much a chart shows: it doesn't grow with the organisation.

What lies beyond a bound is counted below the plot, and stands in the frame that the chart keeps.
"""

from __future__ import annotations

__all__ = [
    "CONDITIONS",
    "LARGEST",
    "LEGEND_LINES",
    "LINES",
    "NARROW_ROWS",
    "PANELS",
    "ROWS",
    "SERIES",
    "SLOTS",
    "STATUSES",
]

# Rows of bars or of dots, and lines that the name of one takes.
ROWS, LINES = 15, 2
# Rows of a narrow figure, each of one line: it shares a page with others.
NARROW_ROWS = 8
# Panels of a currency each, beside the one of the count.
PANELS = 4
# Parts of a stack; the last one gathers what is more.
SERIES = 8
# Lines of the legend above a narrow stack: a plot stays below them.
LEGEND_LINES = 4
# Rows and columns of tiles.
STATUSES, CONDITIONS = 12, 8
# Months, weeks or days of a time axis: a year of days, and a little more.
SLOTS = 400
# Numbers are drawn as if they were no larger: an axis and its margins must be finite.
LARGEST = 1e300
