"""What an organisation sets for its equipment: when it is serviced, and how its value falls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fleetkit import conversion
from fleetkit.conversion import ConversionError
from fleetkit.interface import brief

__all__ = [
    "DEPRECIATION",
    "Depreciation",
    "ServiceIntervals",
    "interval_names",
    "problems",
    "read_depreciation",
    "read_intervals",
]

# Type or model of equipment → after how many hours, flights and days it is serviced.
ServiceIntervals = dict[str, dict[str, float]]
Depreciation = dict[str, float]
# A guess where nothing is set, printed wherever it is used.
DEPRECIATION: Depreciation = {"years": 5.0, "residual_percent": 0.0}

_INTERVAL: dict[str, Callable[[Any], float]] = {
    "hours": conversion.number,
    "flights": conversion.whole_number,
    "days": conversion.whole_number,
}


def interval_names(
    models: Iterable[Any], types: Iterable[Any], intervals: Mapping[str, Any]
) -> list[str | None]:
    """Return whose interval each piece of equipment has: its model's, else its type's; or none.

    Examples
    --------
    >>> interval_names(["A6", "A4", None], ["DRONE", "DRONE", "CAMERA"], {"DRONE": {}, "A6": {}})
    ['A6', 'DRONE', None]
    """
    pairs = ((str(model), str(kind)) for model, kind in zip(models, types, strict=True))
    return [next((name for name in pair if name in intervals), None) for pair in pairs]


def read_intervals(value: Any) -> ServiceIntervals:
    """Return service intervals as they were written.

    Examples
    --------
    >>> read_intervals({"DRONE": {"hours": 50, "days": 180}})
    {'DRONE': {'hours': 50.0, 'days': 180}}
    """
    if not isinstance(value, Mapping):
        raise ConversionError(
            f"{brief(value)} is not a table of types or models",
            advice='Write each under [service_intervals]: "DRONE = { hours = 50, days = 180 }".',
        )
    return {str(name): _interval(name, interval) for name, interval in value.items()}


def _interval(name: Any, value: Any) -> dict[str, float]:
    try:
        return conversion.table(value, _INTERVAL, "a part of an interval")
    except ConversionError as error:
        raise error.within(name) from None


def read_depreciation(value: Any) -> Depreciation:
    """Return how value falls, as it was written.

    Examples
    --------
    >>> read_depreciation({"years": 4})
    {'years': 4.0}
    """
    return conversion.table(
        value, dict.fromkeys(DEPRECIATION, conversion.number), "a part of depreciation"
    )


def problems(intervals: ServiceIntervals, depreciation: Depreciation) -> Iterator[ConversionError]:
    """Find the intervals and the depreciation that can't be.

    Examples
    --------
    >>> wrong = problems({"DRONE": {"hours": 0.0}, "VTOL": {}}, {"years": 0, "residual_percent": 0})
    >>> for error in wrong:
    ...     print(".".join(error.path), error.problem)
    service_intervals.DRONE.hours 0 is not above 0
    service_intervals.VTOL it has neither hours, flights nor days
    depreciation.years 0 is not above 0
    """
    for name, interval in intervals.items():
        path = ("service_intervals", name)
        if not interval:
            yield ConversionError("it has neither hours, flights nor days", *path)
        for part, value in interval.items():
            if value <= 0:
                yield ConversionError(f"{value:g} is not above 0", *path, part)
    years, residual = depreciation["years"], depreciation["residual_percent"]
    if years <= 0:
        yield ConversionError(f"{years:g} is not above 0", "depreciation", "years")
    if not 0 <= residual <= 100:
        yield ConversionError(
            f"{residual:g} is not within 0 … 100", "depreciation", "residual_percent"
        )
