"""What charts call pilots and equipment: by their names, or by their ids where these lack."""

from __future__ import annotations

import pandas as pd

from fleetkit.charts.drawing.style import clean
from fleetkit.unassigned import UNASSIGNED, say_name

__all__ = ["equipment_names", "pilot_names"]


def pilot_names(frame: pd.DataFrame) -> list[str]:
    """Return the name of each pilot, or the id where there is none."""
    pairs = zip(frame["pilot_name"], frame["pilot_id"], strict=True)
    names = [clean(name, null=clean(identifier, null=UNASSIGNED)) for name, identifier in pairs]
    return [say_name(name) for name in names]


def equipment_names(frame: pd.DataFrame) -> list[str]:
    """Return the name of each piece of equipment, or the id where there is none and that is known.

    Examples
    --------
    >>> equipment_names(pd.DataFrame({"name": ["Kestrel", None], "equipment_id": ["a", "b"]}))
    ['Kestrel', 'b']
    """
    ids = frame["equipment_id"] if "equipment_id" in frame else [None] * len(frame)
    pairs = zip(frame["name"], ids, strict=True)
    return [clean(name, null=clean(identifier)) for name, identifier in pairs]
