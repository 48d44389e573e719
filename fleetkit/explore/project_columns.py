"""The columns of the table of projects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fleetkit.blanks import names_or_ids
from fleetkit.explore import cells
from fleetkit.explore.columns import day_column, number_column, text_column
from fleetkit.explore.subject import Column
from fleetkit.unassigned import UNASSIGNED

if TYPE_CHECKING:
    from fleetkit.explore.project_subject import Projects

__all__ = ["project_columns"]


def project_columns(projects: Projects) -> list[Column]:
    """Return the columns of the table, in their order."""
    frame, measured = projects.frame, projects.measured
    day = partial(day_column, clock=projects.clock)

    def money(name: str, head: str, **options: Any) -> Column:
        def written(numbers: np.ndarray) -> list[str]:
            rows = frame.iloc[numbers]
            return [cells.money(*pair) for pair in zip(rows[name], rows["currency"], strict=True)]

        return Column(name, head, written, lambda: frame[name], is_number=True, **options)

    titles = names_or_ids(frame["title"], frame["project_id"])
    stages, pilots, clients = frame["status"], measured["pilot"], measured["client"]
    return [
        text_column("title", "Title", titles, "project", values=frame["project_id"]),
        text_column("client_account_name", "Client", clients, "client"),
        text_column(
            "status",
            "Stage",
            stages,
            "status",
            keys=lambda: stages.cat.codes.replace(-1, None),
        ),
        text_column("project_type", "Type", frame["project_type"], "project_type"),
        Column(
            "pilot",
            "Pilot",
            lambda numbers: [cells.named(name, name) for name in pilots.iloc[numbers]],
            lambda: pilots,
            field="pilot",
            values=lambda numbers: pilots.iloc[numbers].fillna(UNASSIGNED).tolist(),
        ),
        day("scheduled_date", "Scheduled", frame["scheduled_date"]),
        money("agreed_price", "Agreed price"),
        money("estimated_cost", "Estimated cost", is_shown=False),
        text_column("currency", "Currency", measured["currency"], "currency", is_shown=False),
        text_column("waiting", "Waits", measured["waiting"], "waiting"),
        number_column("days", "Days", measured["days"]),
        day("updated_at", "Updated", frame["updated_at"]),
        day("created_at", "Created", frame["created_at"], is_shown=False),
        text_column("project_id", "Identifier", frame["project_id"], is_shown=False),
    ]
