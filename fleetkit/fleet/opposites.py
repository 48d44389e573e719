"""What a filter leaves out of flights by other tables: just what the opposite filter selects.

So ``equipment!=eq_1`` and ``equipment=eq_1`` are all flights together, and no flight is in both,
whatever else logged it; a flight of which the other table knows nothing is left out by neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from fleetkit.exclusion import Excluding
from fleetkit.filters import Filter

__all__ = ["has_both", "opposites", "selecting", "without_fulfilled"]


def _excluding(filter_: Filter) -> dict[str, Excluding]:
    """Return the values that a filter leaves out, by field."""
    values = {field.name: getattr(filter_, field.name) for field in fields(filter_)}
    return {name: value for name, value in values.items() if isinstance(value, Excluding)}


def selecting(filter_: Filter) -> Filter:
    """Return a filter without what it leaves out.

    Examples
    --------
    >>> from fleetkit.exclusion import excluding
    >>> selecting(Filter(type=excluding("CAMERA", of="DRONE"), client=excluding("Fjord")))
    Filter(type=('DRONE',))
    """
    values: dict[str, Any] = {name: value.of for name, value in _excluding(filter_).items()}
    return replace(filter_, **values)


def has_both(filter_: Filter) -> bool:
    """Say whether a field of a filter selects values and leaves out others.

    Examples
    --------
    >>> from fleetkit.exclusion import excluding
    >>> has_both(Filter(type=excluding("CAMERA", of="DRONE"))), has_both(Filter(type="DRONE"))
    (True, False)
    """
    return any(value.of is not None for value in _excluding(filter_).values())


def opposites(filter_: Filter, names: Iterable[str]) -> list[Filter]:
    """Return, of each of these fields that leaves values out, the filter that selects them.

    Examples
    --------
    >>> from fleetkit.exclusion import excluding
    >>> opposites(Filter(type=excluding("CAMERA"), pilot="prof_1"), ("type", "pilot"))
    [Filter(type=('CAMERA',))]
    """
    excluding = _excluding(filter_)
    return [Filter(**{name: excluding[name].values}) for name in names if name in excluding]


def without_fulfilled(filter_: Filter, other: Filter) -> Filter:
    """Return a filter without what another one leaves out too, or doesn't select anyway.

    Examples
    --------
    >>> from fleetkit.exclusion import excluding
    >>> without_fulfilled(Filter(client=excluding("Fjord"), night=True), Filter(client="Quay"))
    Filter(night=True)
    """
    left_out = _excluding(filter_)
    both = {
        name: other.combined_with({name: Excluding(left_out[name].values)}) for name in left_out
    }
    rest: dict[str, Any] = {name: left_out[name].of for name in both if both[name] == other}
    return replace(filter_, **rest)
