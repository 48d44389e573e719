"""The columns of the table of equipment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetkit.blanks import names_or_ids
from fleetkit.explore.columns import day_column, number_column, text_column
from fleetkit.explore.subject import Column
from fleetkit.rounding import HOURS

if TYPE_CHECKING:
    from fleetkit.explore.equipment_subject import Equipment

__all__ = ["equipment_columns"]


def equipment_columns(equipment: Equipment) -> list[Column]:
    """Return the columns of the table, in their order."""
    frame, measured = equipment.frame, equipment.measured
    day = partial(day_column, clock=equipment.clock)
    return [
        text_column("name", "Name", names_or_ids(frame["name"], frame["equipment_id"])),
        text_column("type", "Type", frame["type"], "type"),
        text_column("category", "Category", frame["category"], "category"),
        text_column("model", "Model", frame["model"]),
        text_column("status", "Status", frame["status"], "status"),
        text_column("condition", "Condition", frame["condition"], "condition"),
        text_column(
            "registration_number", "Registration", frame["registration_number"], is_shown=False
        ),
        day("registration_expiry", "Expires", frame["registration_expiry"]),
        number_column("days_left", "Days left", measured["days_left"]),
        day("last_flight", "Last flight", measured["last_flight"]),
        number_column("idle_days", "Idle days", measured["idle_days"]),
        number_column("counter_hours", "Counter h", measured["counter_hours"], HOURS),
        number_column("logged_hours", "Logged h", measured["logged_hours"], HOURS),
        text_column("verdict", "Counters", measured["verdict"], "verdict"),
        number_column(
            "counter_flights", "Counter flights", measured["counter_flights"], is_shown=False
        ),
        number_column(
            "logged_flights", "Logged flights", measured["logged_flights"], is_shown=False
        ),
        text_column("serial_number", "Serial number", frame["serial_number"], is_shown=False),
        text_column("equipment_id", "Identifier", frame["equipment_id"], is_shown=False),
    ]
