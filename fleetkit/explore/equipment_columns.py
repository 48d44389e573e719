"""The columns of the table of equipment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fleetkit.explore import cells
from fleetkit.explore.subject import Column
from fleetkit.rounding import HOURS

if TYPE_CHECKING:
    from fleetkit.explore.equipment_subject import Equipment

__all__ = ["equipment_columns"]


def equipment_columns(equipment: Equipment) -> list[Column]:
    """Return the columns of the table, in their order."""
    frame, measured, clock = equipment.frame, equipment.measured, equipment.clock

    def text(name: str, head: str, rows: pd.DataFrame, field: str = "", **options: Any) -> Column:
        column = rows[name]
        return Column(
            name,
            head,
            lambda numbers: cells.texts(column.iloc[numbers]),
            lambda: column,
            field=field,
            values=lambda numbers: column.iloc[numbers].tolist(),
            **options,
        )

    def figure(
        name: str, head: str, rows: pd.DataFrame, decimals: int = 0, **options: Any
    ) -> Column:
        column = rows[name]
        return Column(
            name,
            head,
            lambda numbers: cells.numbers(column.iloc[numbers], decimals),
            lambda: column,
            is_number=True,
            **options,
        )

    def day(name: str, head: str, rows: pd.DataFrame, **options: Any) -> Column:
        column = rows[name]

        def written(numbers: np.ndarray) -> list[str]:
            return cells.days(clock.days(column.iloc[numbers]))

        return Column(name, head, written, lambda: column, **options)

    return [
        text("name", "Name", frame),
        text("type", "Type", frame, "type"),
        text("category", "Category", frame, "category"),
        text("model", "Model", frame),
        text("status", "Status", frame, "status"),
        text("condition", "Condition", frame, "condition"),
        text("registration_number", "Registration", frame, is_shown=False),
        day("registration_expiry", "Expires", frame),
        figure("days_left", "Days left", measured),
        day("last_flight", "Last flight", measured),
        figure("idle_days", "Idle days", measured),
        figure("counter_hours", "Counter h", measured, HOURS),
        figure("logged_hours", "Logged h", measured, HOURS),
        text("verdict", "Counters", measured, "verdict"),
        figure("counter_flights", "Counter flights", measured, is_shown=False),
        figure("logged_flights", "Logged flights", measured, is_shown=False),
        text("serial_number", "Serial number", frame, is_shown=False),
        text("equipment_id", "Identifier", frame, is_shown=False),
    ]
