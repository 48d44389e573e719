"""The columns of the table of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fleetkit.explore import cells
from fleetkit.explore.subject import Column
from fleetkit.filters import UNASSIGNED

if TYPE_CHECKING:
    from fleetkit.explore.project_subject import Projects

__all__ = ["project_columns"]


def project_columns(projects: Projects) -> list[Column]:
    """Return the columns of the table, in their order."""
    frame, measured, clock = projects.frame, projects.measured, projects.clock

    def text(name: str, head: str, rows: pd.DataFrame, field: str = "", **options: Any) -> Column:
        column = rows[name]
        return Column(
            name,
            head,
            lambda numbers: cells.texts(column.iloc[numbers]),
            lambda: column if name != "status" else column.cat.codes.replace(-1, None),
            field=field,
            values=lambda numbers: column.iloc[numbers].tolist(),
            **options,
        )

    def day(name: str, head: str, **options: Any) -> Column:
        def written(numbers: np.ndarray) -> list[str]:
            return cells.days(clock.days(frame[name].iloc[numbers]))

        return Column(name, head, written, lambda: frame[name], **options)

    def money(name: str, head: str, **options: Any) -> Column:
        def written(numbers: np.ndarray) -> list[str]:
            rows = frame.iloc[numbers]
            return [cells.money(*pair) for pair in zip(rows[name], rows["currency"], strict=True)]

        return Column(name, head, written, lambda: frame[name], is_number=True, **options)

    pilots = frame["assigned_pilot_name"]
    return [
        Column(
            "title",
            "Title",
            lambda numbers: cells.texts(frame["title"].iloc[numbers]),
            lambda: frame["title"],
            field="project",
            values=lambda numbers: frame["project_id"].iloc[numbers].tolist(),
        ),
        text("client_account_name", "Client", frame, "client"),
        text("status", "Stage", frame, "status"),
        text("project_type", "Type", frame, "project_type"),
        Column(
            "pilot",
            "Pilot",
            lambda numbers: [cells.named(name, name) for name in pilots.iloc[numbers]],
            lambda: pilots,
            field="pilot",
            values=lambda numbers: pilots.iloc[numbers].fillna(UNASSIGNED).tolist(),
        ),
        day("scheduled_date", "Scheduled"),
        money("agreed_price", "Agreed price"),
        money("estimated_cost", "Estimated cost", is_shown=False),
        text("currency", "Currency", measured, "currency", is_shown=False),
        text("waiting", "Waits", measured, "waiting"),
        Column(
            "days",
            "Days",
            lambda numbers: cells.numbers(measured["days"].iloc[numbers]),
            lambda: measured["days"],
            is_number=True,
        ),
        day("updated_at", "Updated"),
        day("created_at", "Created", is_shown=False),
        text("project_id", "Identifier", frame, is_shown=False),
    ]
