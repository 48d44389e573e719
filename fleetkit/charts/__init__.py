"""Charts: a small frame of `fleetkit.metrics` → matplotlib Axes, in one house style.

A chart has the name of the metric that it draws, and a module of that name; it is found by
existing. Each takes ``ax=None`` and returns the Axes; new Axes show themselves in a notebook and
leave nothing behind in pyplot.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fleetkit.charts.drawing.again import redrawable
from fleetkit.charts.drawing.style import COLOURS as COLOURS
from fleetkit.charts.drawing.style import COLUMN as COLUMN
from fleetkit.charts.drawing.style import DARK as DARK
from fleetkit.charts.drawing.style import HALF as HALF
from fleetkit.charts.drawing.style import axes as axes
from fleetkit.interface import missing_attribute
from fleetkit.namespaces import discover

if TYPE_CHECKING:  # type checkers don't run `discover`; `make format` writes what they read
    from fleetkit.charts._declared import *  # noqa: F403
    from fleetkit.gallery import gallery as gallery
else:
    _CHARTS = discover(__name__, __path__, redrawable)  # noqa: F405
    globals().update(_CHARTS)
    __all__ = ["COLOURS", "COLUMN", "DARK", "HALF", "axes", "gallery"]
    __all__ += list(_CHARTS)

    def __getattr__(name: str) -> Any:
        """Load the gallery, which measures a whole fleet; name near ones of what there isn't."""
        if name == "gallery":
            return import_module("fleetkit.gallery").gallery
        raise missing_attribute("fleetkit.charts", name, __all__)

    def __dir__() -> list[str]:
        """Show the names that are for users."""
        return sorted(__all__)
