"""Prices of services and tiers that changed, as a mirror saw it."""

from __future__ import annotations

import pandas as pd

from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._versions import changes_of, read_versions, with_previous

__all__ = ["price_history"]

_DTYPES = {
    "service_id": "str",
    "name": "str",
    "tier_id": "str",
    "tier_name": "str",
    "observed_at": "datetime64[us, UTC]",
    "field": "str",
    "old": "float64",
    "new": "float64",
    "old_currency": "str",
    "new_currency": "str",
}


def price_history(services: FrameT, tiers: Frame) -> FrameT:
    """List the changes of base rates, and of the price modifiers of tiers.

    A base rate is an amount with its currency: where only the currency changed, the price did.
    Known only since the mirror watched: what it found at first is not a change, and of several
    changes between two syncs the ends are seen.

    Parameters
    ----------
    services : frame of any engine
        As ``fleet.history("services")`` returns it: ``service_id``, ``name``, ``base_rate``,
        ``currency``, ``valid_from``, ``valid_to``; with ``created_at``, an id that was used again
        is another record, in `tiers` too.
    tiers : frame of any engine
        As ``fleet.history("tiers")`` returns it: ``service_id``, ``tier_id``, ``tier_name``,
        ``price_modifier_percent``, ``valid_from``, ``valid_to``.

    Returns
    -------
    frame of the kind of `services`
        One row per change: ``service_id``, ``name`` (of the service, as it is now), ``tier_id``,
        ``tier_name`` (null for a base rate), ``observed_at`` (UTC: the sync that saw it),
        ``field`` ("base_rate" or "price_modifier_percent"), ``old``, ``new`` (float64; in the
        currency beside it, or in %), ``old_currency``, ``new_currency`` (null for a modifier). In
        order of time.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Price change
        Another base rate or currency of a service, or another price modifier of a tier.
    Seen
        See `stage_moves`.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> services = pd.DataFrame({
    ...     "service_id": "svc_1", "name": "Survey", "base_rate": [90.0, 95.0], "currency": "EUR",
    ...     "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> tiers = services.head(0).assign(tier_id="", tier_name="", price_modifier_percent=0.0)
    >>> price_history(services, tiers)[["name", "field", "old", "new", "new_currency"]]
         name      field   old   new new_currency
    0  Survey  base_rate  90.0  95.0          EUR
    """
    rates = read_versions(services, "services", "service_id", ["name", "base_rate", "currency"])
    steps = with_previous(rates, ["base_rate", "currency"])
    by_rate = changes_of(steps, "base_rate", "currency").rename(
        columns={"currency_before": "old_currency", "currency": "new_currency"}
    )
    by_rate = by_rate.dropna(subset=["old", "new"], how="all")  # a currency alone is no price
    keys = ["service_id", "tier_id"]
    modifiers = read_versions(tiers, "tiers", keys, ["tier_name", "price_modifier_percent"])
    steps = with_previous(modifiers, ["price_modifier_percent"])
    by_tier = changes_of(steps, "price_modifier_percent")
    parts = [part.reindex(columns=list(_DTYPES)).astype(_DTYPES) for part in (by_rate, by_tier)]
    changes = pd.concat(parts)
    changes["name"] = changes["service_id"].map(rates.groupby("service_id")["name"].last())
    order = ["observed_at", "service_id", "tier_id"]
    ordered = changes.sort_values(order, na_position="first", ignore_index=True)
    return to_kind_of(ordered.astype(_DTYPES), services)
