"""The panes of an explorer: what of a state is HTML."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PANES", "Panes", "numbered"]

# In the order of the screen.
PANES = ("chips", "figures", "chart", "chosen", "table")


@dataclass(frozen=True)
class Panes:
    """HTML of one state; every text of the API in it is escaped.

    Attributes
    ----------
    chips, figures, chart, chosen, table : str
        One pane each: what is chosen, the KPI row, the chart, the filter in its export forms, a
        page of the rows.
    announcement : str
        What a screen reader says of it.
    """

    chips: str
    figures: str
    chart: str
    chosen: str
    table: str
    announcement: str = ""


def numbered(number: int, html: str) -> str:
    """Return a pane with the number of its state, so that its reader knows which state it shows."""
    return f'<div data-r="{number}">{html}</div>'
