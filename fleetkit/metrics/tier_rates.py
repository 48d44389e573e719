"""What each tier of a service costs."""

from __future__ import annotations

from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._tiers import COMPARED, read_tiers

__all__ = ["tier_rates"]


def tier_rates(services: FrameT, tiers: Frame, *, active: bool = True) -> FrameT:
    """Return the rate of each tier: base rate × (1 + price modifier / 100).

    The reference doesn't say how a modifier changes a rate: the formula is an assumption. Rates
    compare only within one currency, unit type and pricing model; without a currency, within the
    service.

    Parameters
    ----------
    services : frame of any engine
        With ``service_id``, ``name``, ``base_rate``, ``currency``, ``unit_type``,
        ``pricing_model``, ``is_active``.
    tiers : frame of any engine
        With ``service_id``, ``tier_id``, ``tier_name``, ``tier_level``,
        ``price_modifier_percent`` [%], ``is_recommended``, ``is_active``.
    active : bool
        Leave out tiers that are not active, and those of services that are not. A tier of which
        it isn't known stays.

    Returns
    -------
    frame of the kind of `services`
        One row per tier: ``currency``, ``unit_type``, ``pricing_model`` (null last),
        ``service_id``, ``service`` (its name), ``tier_id``, ``tier`` (its name), ``tier_level``
        (Int64), ``base_rate``, ``price_modifier_percent`` [%], ``rate`` (in that currency per
        unit; null without base rate or modifier), ``times_lowest`` (rate / lowest rate above 0 of
        those that it compares with), ``is_recommended`` and ``active``
        (boolean; of tier and service). By what compares, then by service and level.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Tier rate
        Base rate × (1 + price modifier / 100), an assumption. Compared only within one currency,
        unit type and pricing model. A tier is active unless its record, or its service's, says that
        it is not.

    Examples
    --------
    >>> import pandas as pd
    >>> services = pd.DataFrame({
    ...     "service_id": ["s"], "name": ["Survey"], "base_rate": [80.0], "currency": ["EUR"],
    ...     "unit_type": ["HOUR"], "pricing_model": ["TIERED"], "is_active": [True],
    ... })
    >>> tiers = pd.DataFrame({
    ...     "service_id": ["s", "s"], "tier_id": ["a", "b"], "tier_name": ["Basic", "Night"],
    ...     "tier_level": [1, 2], "price_modifier_percent": [0.0, 25.0],
    ...     "is_recommended": [True, False], "is_active": [True, True],
    ... })
    >>> tier_rates(services, tiers)[["currency", "unit_type", "tier", "rate", "times_lowest"]]
      currency unit_type   tier   rate  times_lowest
    0      EUR      HOUR  Basic   80.0          1.00
    1      EUR      HOUR  Night  100.0          1.25
    """
    rows = read_tiers(services, tiers)
    # In this order 0.95 with 30 % more is 1.235, and not a little less.
    rows["rate"] = rows["base_rate"] * (100 + rows["price_modifier_percent"]) / 100
    rows["active"] = rows["is_active"] & rows["service_is_active"]
    if active:
        rows = rows[rows["active"].fillna(True)]
    above_nothing = rows["rate"].where(rows["rate"] > 0)
    # A currency that isn't known needn't be the same in two services.
    its_service = rows["service_id"].where(rows["currency"].isna())
    keys = [*(rows[column] for column in COMPARED), its_service]
    lowest = above_nothing.groupby(keys, dropna=False).transform("min")
    rows = rows.assign(times_lowest=rows["rate"] / lowest)
    order = [*COMPARED, "service", "service_id", "tier_level", "tier", "tier_id"]
    columns = [*COMPARED, "service_id", "service", "tier_id", "tier", "tier_level", "base_rate"]
    columns += ["price_modifier_percent", "rate", "times_lowest", "is_recommended", "active"]
    return to_kind_of(rows.sort_values(order, ignore_index=True)[columns], services)
