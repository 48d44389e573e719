"""Checks of equipment and projects, and of what loading itself makes sure of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fleetkit.blanks import stripped
from fleetkit.language import say
from fleetkit.metrics._quality import Answer, Check, Records, Run, named_tokens
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["CHECKS"]


def _duplicate(column: str) -> Run:
    """Return a check that flags equipment which shares a value with another piece."""

    def run(records: Records) -> Answer:
        marks = stripped(records.equipment[column]).str.casefold()
        marked = records.equipment[marks.notna()]
        shared = marks[marks.notna()].duplicated(keep=False)
        return Answer.of_rows(marked["equipment_id"], shared)

    return run


def _unknown_token(column: str) -> Run:
    """Return a check that flags equipment whose token is in no order of severity."""
    return lambda records: _outside(
        records.equipment, "equipment_id", column, records.orders[column]
    )


def _unknown_stage(records: Records) -> Answer:
    return _outside(records.projects, "project_id", "status", PROJECT_STATUSES)


def _outside(frame: pd.DataFrame, key: str, column: str, known: Sequence[str]) -> Answer:
    tokens = frame[column].dropna().astype("str")
    unknown = ~tokens.isin(list(known))
    note = named_tokens(tokens[unknown].unique())
    return Answer.of_rows(frame.loc[tokens.index, key], unknown, note)


def _no_price(records: Records) -> Answer:
    projects = records.projects[~records.projects["status"].isin(["DRAFT", "CANCELLED"])]
    return Answer.of_rows(
        projects["project_id"],
        projects["agreed_price"].isna(),
        say("Drafts and cancelled ones aside."),
    )


def _no_currency(records: Records) -> Answer:
    priced = records.projects[records.projects["agreed_price"].notna()]
    return Answer.of_rows(priced["project_id"], priced["currency"].isna())


def _incomplete(_: Records) -> Answer:
    """Say that loading compares ``pagination.total``: what is loaded is complete."""
    return Answer(unseen=say("loading compares them, and fails where they do."))


CHECKS = (
    Check(
        "Serial number of several", "warning", "equipment",
        _duplicate("serial_number"), "a serial number",
    ),
    Check(
        "Registration of several", "warning", "equipment",
        _duplicate("registration_number"), "a registration",
    ),
    Check("Unknown status", "warning", "equipment", _unknown_token("status"), "a status"),
    Check(
        "Unknown condition", "warning", "equipment", _unknown_token("condition"), "a condition"
    ),
    Check("Unknown project status", "warning", "projects", _unknown_stage, "a status"),
    Check("No agreed price", "warning", "projects", _no_price, "been agreed upon"),
    Check("Price without a currency", "error", "projects", _no_currency, "a price"),
    Check("Rows received and their total differ", "error", "flights", _incomplete),
)  # fmt: skip
