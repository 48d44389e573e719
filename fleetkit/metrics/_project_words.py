"""The words that projects are counted by: the column behind each, and its order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import narwhals as nw
import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.metrics._stages import order_statuses
from fleetkit.unassigned import UNASSIGNED, or_unassigned

__all__ = ["PROJECT_COLUMN", "ProjectKey", "project_words", "sort_projects", "with_words"]

# The word that a user writes.
ProjectKey = Literal["client", "project_type", "status"]
# The word → its column of projects.
PROJECT_COLUMN: dict[str, str] = {
    "client": "client_account_name",
    "project_type": "project_type",
    "status": "status",
}


def project_words(by: ProjectKey | Iterable[ProjectKey] | None) -> list[str]:
    """Return the words that an argument holds, each once; none where it is None.

    Raises
    ------
    InvalidValue
        One is unknown, or there is none.
    """
    if by is None:
        return []
    given = list(by) if isinstance(by, Iterable) and not isinstance(by, str) else [by]
    words = list(dict.fromkeys(map(str, given)))
    wrong = [word for word in words if word not in PROJECT_COLUMN]
    if wrong or not words:
        raise InvalidValue(
            f"by={brief(wrong[0] if wrong else by)} is not a word that projects are counted by. "
            + (did_you_mean(wrong[0], PROJECT_COLUMN) if wrong else ""),
            advice=f"Write one or several of: {', '.join(get_args(ProjectKey))}.",
        )
    return words


def with_words(projects: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    """Add the words as columns: clients or "Unassigned", statuses in the reference's order."""
    for word in words:
        column = PROJECT_COLUMN[word]
        if word == "client":
            client = or_unassigned(column).alias(word)
            projects = nw.from_native(projects).with_columns(client).to_native()
        elif word == "status":
            projects = projects.assign(status=order_statuses(projects[column]))
        else:
            projects = projects.assign(**{word: projects[column].astype("str")})
    return projects


def sort_projects(rows: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    """Sort rows by the words, then by currency; what is null or unassigned comes last."""
    order = [
        name for word in words for name in ([f"_{word}", word] if word == "client" else [word])
    ]
    placed = rows.assign(_client=rows["client"] == UNASSIGNED) if "client" in words else rows
    return placed.sort_values([*order, "currency"], ignore_index=True)[list(rows.columns)]
