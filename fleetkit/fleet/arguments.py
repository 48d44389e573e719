"""What a call of a fleet is given besides a period, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fleetkit.arguments import is_whole_number, texts
from fleetkit.engines import lazy_engine
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import Excluding
from fleetkit.interface import brief, did_you_mean
from fleetkit.schema import FLIGHT_ORDERS, is_identifier

__all__ = ["check_identifier", "check_order", "checked_version", "equipment_ids"]

_DEFAULT_ORDER = "date_asc"


def equipment_ids(equipment: Iterable[str] | str | None) -> tuple[str, ...]:
    """Return the identifiers that an argument holds; none where it is left out."""
    if equipment is None:
        return ()
    if isinstance(equipment, Excluding):
        raise InvalidValue(
            "equipment= of a call names what to select.", advice="fleet.where(…) leaves it out."
        )
    identifiers = texts(equipment, "equipment", "equipment_id")
    if not identifiers:
        raise InvalidValue("equipment=[] names no equipment.", advice="Leave it out to mean all.")
    return identifiers


def check_order(order_by: str, engine: Any = None) -> None:
    """Refuse an order that the API doesn't know, and one for a lazy frame, which has none."""
    if not isinstance(order_by, str) or order_by not in FLIGHT_ORDERS:
        suggestion = did_you_mean(order_by, FLIGHT_ORDERS) if isinstance(order_by, str) else ""
        raise InvalidValue(
            f"order_by={brief(order_by)} is not an order. {suggestion}",
            advice=f"Orders are: {', '.join(FLIGHT_ORDERS)}.",
        )
    if lazy_engine(engine) is not None and order_by != _DEFAULT_ORDER:
        raise InvalidValue(
            f"order_by={brief(order_by)} is for pandas: the rows of a lazy frame are in no order.",
            advice="Leave it out, and sort the result by means of its engine.",
        )


def check_identifier(identifier: str, endpoint: str) -> None:
    """Refuse what can't be the identifier of a record."""
    if not is_identifier(identifier):
        raise InvalidValue(
            f"{brief(identifier)} is not an identifier.",
            advice=f"Write it as a text, as the tables have it in {endpoint}_id.",
        )


def checked_version(version: Any) -> int:
    """Return the number of a mirror's state, if it can be one."""
    if not is_whole_number(version):
        raise InvalidValue(
            f"version={brief(version)} is not the number of a state.",
            advice="Write a whole number; fleet.mirror.syncs() lists them.",
        )
    return int(version)
