"""How much was flown, in words, as a pointer shows it on a mark."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.charts.drawing.style import number
from fleetkit.language import counted, say
from fleetkit.rounding import HOURS

__all__ = ["flown"]


def flown(hours: Any, flights: Any) -> str:
    """Say how many hours were flown in how many flights.

    Examples
    --------
    >>> flown(1.5, 2), flown(None, 2)
    ('1.5 h in 2 flights', '2 flights, hours not recorded')
    """
    count = counted(flights, "flight")
    if pd.isna(hours):
        return say("{flights}, hours not recorded", flights=count)
    return say("{hours} h in {flights}", hours=number(hours, HOURS), flights=count)
