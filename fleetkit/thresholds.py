"""From when on something needs attention: what an organisation may set in ``[thresholds]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fleetkit import conversion
from fleetkit.conversion import ConversionError

__all__ = ["THRESHOLDS", "problems", "read"]

THRESHOLDS: dict[str, float] = {
    # A project that is late for more days is graded high, not medium.
    "late_days": 30,
    # Delivered and not invoiced for more days it is graded medium, not low.
    "uninvoiced_days": 14,
    # An expiry within the first of these is graded medium; a later one within the second, low.
    "expiry_days": 30,
    "expiry_later_days": 90,
    # Within so many days before or after the last day of a period, the end of recency is named.
    "lapse_days": 30,
    # Within so many days maintenance is due soon.
    "service_days": 30,
    # Equipment that did not fly for so many days is counted as idle for long.
    "idle_days": 90,
    # A counter that is off by more than so much of the logs is graded medium, not low.
    "counter_percent": 10,
    # A reported month that moved by so much of its hours is named.
    "restated_percent": 1,
    # A check of the data that counts so many records, or so much of them, is named.
    "many_records": 10,
    "many_percent": 5,
}


def read(value: Any) -> dict[str, float]:
    """Return thresholds as they were written.

    Examples
    --------
    >>> read({"late_days": 45, "counter_percent": 2.5})
    {'late_days': 45, 'counter_percent': 2.5}
    """
    kinds = {
        name: conversion.number if name.endswith("_percent") else conversion.whole_number
        for name in THRESHOLDS
    }
    return conversion.table(value, kinds, "a threshold")


def problems(thresholds: Mapping[str, float]) -> Iterator[ConversionError]:
    """Find the thresholds that can't be.

    Examples
    --------
    >>> [error.problem for error in problems(THRESHOLDS | {"late_days": -1})]
    ['late_days = -1 is below 0']
    """
    for name, value in thresholds.items():
        if value < 0:
            yield ConversionError(f"{name} = {value:g} is below 0", "thresholds", name)
    near, later = "expiry_days", "expiry_later_days"
    if thresholds[later] < thresholds[near]:
        yield ConversionError(
            f"{later} = {thresholds[later]:g} is below {near} = {thresholds[near]:g}",
            "thresholds",
            later,
        )
