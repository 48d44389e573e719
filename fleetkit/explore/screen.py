"""The widget of an explorer: everything on the screen is sent over its one comm.

Python sends whole states, numbered; the browser sends what a reader changes and asks, numbered too.
Widgets with comms of their own would not do: since ipykernel 7 JupyterLab's messages to different
widgets of one explorer may reach Python in different threads and in another order than they were
sent, so that a Reset undoes what was chosen after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from fleetkit.charts import COLOURS, DARK
from fleetkit.explore.panes import numbered

__all__ = ["STYLE", "Screen", "palette"]

_HERE = Path(__file__).parent


def palette(selector: str, colours: Mapping[str, str]) -> str:
    """Return the charts' colours as CSS variables."""
    variables = " ".join(f"--fk-{name}: {colour};" for name, colour in colours.items())
    return f"{selector} {{ {variables} }}"


STYLE = "\n".join(
    [
        palette(".fk-explorer", COLOURS),
        palette('[data-jp-theme-light="false"] .fk-explorer, .vscode-dark .fk-explorer', DARK),
        (_HERE / "screen.css").read_text(encoding="utf-8"),
    ]
)


class Screen(anywidget.AnyWidget):
    """Controls and panes; ``screen.js`` shows them and sends what a reader does.

    Attributes
    ----------
    label : str
        What a screen reader calls the whole.
    record : str
        CSS class of its records, which are hidden while it is shown; see `Records`.
    outcome : str
        HTML of what came of the last button: a view that was saved, how far a report is.
    controls : list of dict
        What there is to choose: see `Field.describe`.
    shown : dict
        One state, whole, so that a browser never has parts of two: ``number``, ``actions`` (client
        → its last action that is included), ``values`` of the controls, ``counts`` of their
        options, whether one can go ``back`` and ``forward``, HTML of the ``panes``, and the
        ``announcement``.
    """

    _esm = (_HERE / "screen.js").read_text(encoding="utf-8")
    _css = STYLE
    label = traitlets.Unicode().tag(sync=True)
    record = traitlets.Unicode().tag(sync=True)
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    outcome = traitlets.Unicode().tag(sync=True)
    shown: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    @traitlets.default("record")
    def _name_record(self) -> str:
        return f"fk-record-{uuid4().hex[:12]}"

    def show(self, controls: list[dict[str, Any]], shown: dict[str, Any]) -> None:
        """Send one state in one message."""
        with self.hold_sync():
            self.controls = controls
            self.shown = shown

    @property
    def number(self) -> int:
        """Number of the state that is shown."""
        return int(self.shown["number"])

    @property
    def chips(self) -> str:
        """HTML of what is chosen."""
        return self._pane("chips")

    @property
    def figures(self) -> str:
        """HTML of the KPI row."""
        return self._pane("figures")

    @property
    def chart(self) -> str:
        """HTML of the chart."""
        return self._pane("chart")

    @property
    def chosen(self) -> str:
        """HTML of the filter, in its export forms."""
        return self._pane("chosen")

    @property
    def table(self) -> str:
        """HTML of one page of the rows."""
        return self._pane("table")

    def _pane(self, name: str) -> str:
        return numbered(self.shown["number"], self.shown["panes"][name])

    def close(self) -> None:
        """Close the comms of the widget and of its layout."""
        if self.comm is not None:
            self.layout.close()
        super().close()
