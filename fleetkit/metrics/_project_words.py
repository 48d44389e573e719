"""The words that projects are counted by: the column behind each, and its order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_words
from fleetkit.metrics._stages import order_statuses
from fleetkit.unassigned import UNASSIGNED, or_unassigned

__all__ = ["PROJECT_COLUMN", "ProjectKey", "project_words", "sort_projects", "with_words"]

# The word that a user writes.
ProjectKey = Literal["client", "pilot", "project_type", "status"]
# What is called by a name, or "Unassigned".
_NAMED = ("client", "pilot")
# The word → its column of projects.
PROJECT_COLUMN: dict[str, str] = {
    "client": "client_account_name",
    "pilot": "assigned_pilot_name",
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
    return checked_words(by, "by", PROJECT_COLUMN, "a word that projects are counted by")


def with_words(projects: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    """Add the words as columns: names or "Unassigned", statuses in the reference's order."""
    for word in words:
        column = PROJECT_COLUMN[word]
        if word in _NAMED:
            named = or_unassigned(column).alias(word)
            projects = nw.from_native(projects).with_columns(named).to_native()
        elif word == "status":
            projects = projects.assign(status=order_statuses(projects[column]))
        else:
            projects = projects.assign(**{word: projects[column].astype("str")})
    return projects


def sort_projects(rows: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    """Sort rows by the words, then by currency; what is null or unassigned comes last."""
    return rows.sort_values(
        [*words, "currency"],
        key=lambda column: column.mask(column == UNASSIGNED),
        ignore_index=True,
    )
