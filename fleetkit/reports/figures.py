"""Charts as SVG: written by matplotlib, then made fit to stand inside a page."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

from fleetkit.errors import InvalidValue

__all__ = ["to_svg"]

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def to_svg(ax: Any, alt: str) -> str:
    """Return the figure of `ax` as SVG: the same bytes from the same figure.

    Parameters
    ----------
    ax : matplotlib Axes or Figure
    alt : str
        What the picture shows, in words; becomes its ``<title>``.
    """
    import matplotlib  # noqa: PLC0415 - only notebooks draw; the report's process doesn't

    figure = ax.get_figure(root=True) if hasattr(ax, "get_figure") else ax
    if not hasattr(figure, "savefig"):
        raise InvalidValue(
            f"A section's figure is made from matplotlib Axes, not {type(ax).__name__}.",
            advice="Pass what fk.charts returns.",
        )
    buffer = BytesIO()
    # Text stays text; the salt makes ids repeatable.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "fleetkit"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": alt})
    return _CONTROLS.sub("", buffer.getvalue().decode())
