"""The part of an explorer that shows: panes that Python renders, clicks that come back.

``board.js`` also keeps single keys inside the explorer, which a notebook would take as commands.
"""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets

__all__ = ["STYLE", "Board"]

_HERE = Path(__file__).parent
STYLE = (_HERE / "board.css").read_text(encoding="utf-8")


class Board(anywidget.AnyWidget):
    """Figures, chart, chosen filter and table as HTML; sends ``{"do": …, "to": …}`` for clicks.

    Attributes
    ----------
    figures, chart, table, chosen : str
        HTML of the panes; every text of the API in them is escaped.
    said : str
        What a screen reader says after a change.
    """

    _esm = (_HERE / "board.js").read_text(encoding="utf-8")
    _css = STYLE
    figures = traitlets.Unicode().tag(sync=True)
    chart = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
    table = traitlets.Unicode().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
