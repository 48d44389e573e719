"""Which metrics need all flights, also where figures of a period are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["of_all_flights"]

_Metric = TypeVar("_Metric", bound=Callable[..., Any])


def of_all_flights(metric: _Metric) -> _Metric:
    """Declare that a metric needs all flights: by a period's, nothing was flown before.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fk.metrics.idle.is_of_all_flights
    True
    """
    vars(metric)["is_of_all_flights"] = True
    return metric
