"""What charts call pilots, equipment and services: by their names, with ids where those repeat."""

from __future__ import annotations

import pandas as pd

from fleetkit.blanks import distinct_names
from fleetkit.charts.drawing.style import clean
from fleetkit.unassigned import UNASSIGNED, say_name

__all__ = ["equipment_names", "pilot_names", "service_names"]


def pilot_names(frame: pd.DataFrame) -> list[str]:
    """Return the name of each pilot, or the id where there is none; both of namesakes."""
    names = distinct_names(frame["pilot_name"], frame["pilot_id"])
    return [say_name(clean(UNASSIGNED if pd.isna(name) else name)) for name in names]


def equipment_names(frame: pd.DataFrame) -> list[str]:
    """Return the name of each piece of equipment, or the id where there is none and that is known.

    Those of one name have both.

    Examples
    --------
    >>> equipment_names(pd.DataFrame({"name": ["Kestrel", None], "equipment_id": ["a", "b"]}))
    ['Kestrel', 'b']
    """
    has_ids = "equipment_id" in frame
    names = distinct_names(frame["name"], frame["equipment_id"]) if has_ids else frame["name"]
    return [clean(name) for name in names]


def service_names(frame: pd.DataFrame) -> list[str]:
    """Return the name of each service, or the id where there is none; both of namesakes."""
    return [clean(name) for name in distinct_names(frame["service"], frame["service_id"])]
