"""Stages of projects: their order, and the moves between them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.kinds import ENDED, STAGES
from fleetkit.metrics._frames import Frame
from fleetkit.metrics._versions import has_changed, read_versions, with_previous
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["NAMES", "find_moves", "order_statuses"]

_MOVES = ("forward", "back", "held", "resumed", "cancelled", "after the end", "unknown")
# What projects are called by.
NAMES = ["title", "client_account_name"]


def order_statuses(status: pd.Series[Any]) -> pd.Series[Any]:
    """Return statuses in the reference's order (section 3), unknown ones after, by name."""
    text = status.astype("str")
    unknown = sorted(set(text.dropna().unique()).difference(PROJECT_STATUSES))
    return text.astype(pd.CategoricalDtype([*PROJECT_STATUSES, *unknown], ordered=True))


def find_moves(history: Frame) -> pd.DataFrame:
    """Return the moves of projects between statuses, as `metrics.stage_moves` describes them."""
    rows = read_versions(history, "history", "project_id", [*NAMES, "status"])
    rows["status"] = rows["status"].astype("str")
    steps = with_previous(rows, ["status"])
    moves = steps[has_changed(steps, "status")].rename(
        columns={"valid_from": "moved_at", "status_before": "from_status", "status": "to_status"}
    )
    ends = zip(moves["from_status"], moves["to_status"], strict=True)
    kinds = [_kind(old, new) for old, new in ends]
    moves["kind"] = pd.Categorical(kinds, list(_MOVES), ordered=True)
    for column in ("from_status", "to_status"):
        moves[column] = order_statuses(moves[column])
    columns = ["project_id", *NAMES, "moved_at", "from_status", "to_status", "kind"]
    ordered = moves.sort_values(["moved_at", "project_id"], ignore_index=True)
    return ordered[columns]


def _kind(old: Any, new: Any) -> str:
    if old in ENDED:
        return "after the end"
    if old not in PROJECT_STATUSES or new not in PROJECT_STATUSES:
        return "unknown"
    if new == "CANCELLED":
        return "cancelled"
    if "ON_HOLD" in {old, new}:
        return "held" if new == "ON_HOLD" else "resumed"
    return "forward" if STAGES.index(new) > STAGES.index(old) else "back"
