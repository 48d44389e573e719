"""Where a price list contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from fleetkit.blanks import names_or_ids
from fleetkit.language import say, say_count
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._tiers import read_tiers
from fleetkit.rounding import format_number, number

__all__ = ["price_flags"]

_ORDER = ("error", "question")
# A modifier from which on nothing is left of the price. [%]
_NOTHING_LEFT = -100.0
_COLUMNS = ("service_id", "service", "tiers", "flag", "severity", "words")


class _Flag(NamedTuple):
    """A flag of one service."""

    tiers: pd.DataFrame
    flag: str
    severity: str
    words: str


def price_flags(services: FrameT, tiers: Frame, *, active: bool = True) -> FrameT:
    """List what contradicts itself, or may not be meant, in the tiers of services.

    Flags are ``level twice``, ``modifier ≤ −100``, ``inactive service`` (each an ``error``),
    ``several recommended`` and ``modifier falls`` (each a ``question``: a discount on quantity
    falls on purpose). Null is neither a level nor a modifier, and isn't flagged.

    Parameters
    ----------
    services, tiers : frames of any engine
        As :func:`tier_rates` takes them.
    active : bool
        Look at active tiers of active services only; but for ``inactive service``, which is about
        active tiers of a service that is not. Where it isn't known, a tier is looked at.

    Returns
    -------
    frame of the kind of `services`
        One row per flag: ``service_id``, ``service`` (its name), ``tiers`` (their names, or
        identifiers, by level), ``flag``, ``severity`` (ordered categorical: error, question),
        ``words``. Errors first, then by service. A level that is twice in a service is a row; the
        other flags are one row per service.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Price flag
        Of the active tiers of a service: a level twice, several recommended, a modifier that falls
        as the level rises, or one of −100 % or less; and active tiers of an inactive service.

    Examples
    --------
    >>> services = pd.DataFrame({
    ...     "service_id": ["s"], "name": ["Survey"], "base_rate": [80.0], "currency": ["EUR"],
    ...     "unit_type": ["HOUR"], "pricing_model": ["TIERED"], "is_active": [True],
    ... })
    >>> tiers = pd.DataFrame({
    ...     "service_id": ["s", "s"], "tier_id": ["a", "b"], "tier_name": ["Basic", "Night"],
    ...     "tier_level": [1, 1], "price_modifier_percent": [0.0, 25.0],
    ...     "is_recommended": [True, False], "is_active": [True, True],
    ... })
    >>> price_flags(services, tiers)[["service", "tiers", "flag", "words"]]
      service         tiers         flag                   words
    0  Survey  Basic, Night  level twice  2 tiers are of level 1
    """
    rows = read_tiers(services, tiers)
    rows["tier"] = names_or_ids(rows["tier"], rows["tier_id"])
    rows = rows.sort_values(["service", "service_id", "tier_level", "tier", "tier_id"])
    flags = [
        (service_id, part["service"].iloc[0], ", ".join(flag.tiers["tier"].dropna()), *flag[1:])
        for service_id, part in rows.groupby("service_id", sort=False)
        for flag in _flags(part, active=active)
    ]
    result = pd.DataFrame(flags, columns=_COLUMNS).astype("str")
    result["severity"] = pd.Categorical(result["severity"], _ORDER, ordered=True)
    return to_kind_of(result.sort_values("severity", kind="stable", ignore_index=True), services)


def _flags(tiers: pd.DataFrame, *, active: bool) -> Iterator[_Flag]:
    """Yield the flags of the tiers of one service, which are sorted by level."""
    is_inactive = (~tiers["service_is_active"]).fillna(False).all()
    sold = tiers[tiers["is_active"].fillna(False)]
    if is_inactive and len(sold):
        one, many = "not active, but {count} tier is", "not active, but {count} tiers are"
        words = say_count(len(sold), one, many)
        yield _Flag(sold, "inactive service", "error", words)
    if active:
        if is_inactive:
            return
        tiers = tiers[tiers["is_active"].fillna(True)]
    yield from _of_levels(tiers)
    recommended = tiers[tiers["is_recommended"].fillna(False)]
    if len(recommended) > 1:
        one, many = "{count} tier is recommended", "{count} tiers are recommended"
        words = say_count(len(recommended), one, many)
        yield _Flag(recommended, "several recommended", "question", words)
    free = tiers[tiers["price_modifier_percent"] <= _NOTHING_LEFT]
    if len(free):
        least = _percent(free["price_modifier_percent"].min())
        words = say_count(
            len(free),
            "{count} tier is at −100 % or less, down to {least}",
            "{count} tiers are at −100 % or less, down to {least}",
            least=least,
        )
        yield _Flag(free, "modifier ≤ −100", "error", words)


def _of_levels(tiers: pd.DataFrame) -> Iterator[_Flag]:
    """Yield the levels that are twice, and the modifiers that fall as the level rises."""
    levels = [(level, part) for level, part in tiers.groupby("tier_level") if len(part)]
    for level, part in levels:
        if len(part) > 1:
            words = say_count(
                len(part),
                "{count} tier is of level {level}",
                "{count} tiers are of level {level}",
                level=number(level),
            )
            yield _Flag(part, "level twice", "error", words)
    modifiers = [
        (level, part.dropna(subset="price_modifier_percent"))
        for level, part in levels
        if part["price_modifier_percent"].notna().any()
    ]
    falls = [
        (lower, higher)
        for lower, higher in pairwise(modifiers)
        if lower[1]["price_modifier_percent"].max() > higher[1]["price_modifier_percent"].min()
    ]
    if falls:
        parts = {level: part for both in falls for level, part in both}
        yield _Flag(pd.concat(parts.values()), "modifier falls", "question", _fall(falls[0], falls))


def _fall(first: Iterable[tuple[Any, pd.DataFrame]], falls: list[Any]) -> str:
    """Write between which levels the modifier falls first, and how often it does again."""
    (low, lower), (high, higher) = first
    start = _percent(lower["price_modifier_percent"].max())
    end = _percent(higher["price_modifier_percent"].min())
    ends = {"start": start, "low": number(low), "end": end, "high": number(high)}
    fall = say("from {start} at level {low} to {end} at level {high}", **ends)
    if len(falls) == 1:
        return fall
    return say("{fall}, and {count} more", fall=fall, count=number(len(falls) - 1))


def _percent(value: float) -> str:
    """Write a modifier with the digits that it has, two at most.

    Examples
    --------
    >>> _percent(-12.5), _percent(18.0)
    ('−12.5 %', '18 %')
    """
    text = format_number(value, ",.2f")
    return f"{text.rstrip('0').rstrip('.,')} %"
