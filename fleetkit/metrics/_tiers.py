"""Tiers beside the service that they belong to."""

from __future__ import annotations

import pandas as pd

from fleetkit.blanks import stripped
from fleetkit.metrics._frames import Frame, to_pandas

__all__ = ["COMPARED", "read_tiers"]

# Rates compare only where these are the same.
COMPARED = ["currency", "unit_type", "pricing_model"]
_OF_SERVICE = ["service_id", "name", "base_rate", *COMPARED, "is_active"]
_OF_TIER = [
    "service_id",
    "tier_id",
    "tier_name",
    "tier_level",
    "price_modifier_percent",
    "is_recommended",
    "is_active",
]
_DTYPES = {
    "service_id": "str",
    "service": "str",
    "base_rate": "float64",
    **dict.fromkeys(COMPARED, "str"),
    "service_is_active": "boolean",
    "tier_id": "str",
    "tier": "str",
    "tier_level": "Int64",
    "price_modifier_percent": "float64",
    "is_recommended": "boolean",
    "is_active": "boolean",
}


def read_tiers(services: Frame, tiers: Frame) -> pd.DataFrame:
    """Return one row per tier with what its service says: ``service``, ``service_is_active``.

    Unit and pricing model stand as a currency does: without blanks at their ends, and null where
    they are nothing else.
    """
    of_service = to_pandas(services, "services", _OF_SERVICE).rename(
        columns={"name": "service", "is_active": "service_is_active"}
    )
    of_tier = to_pandas(tiers, "tiers", _OF_TIER).rename(columns={"tier_name": "tier"})
    keys = {"service_id": "str"}
    rows = of_tier.astype(keys).merge(of_service.astype(keys), on="service_id", how="left")
    rows = rows[list(_DTYPES)].astype(_DTYPES)
    return rows.assign(**{name: stripped(rows[name]) for name in COMPARED})
