"""The sentences of a report: activity, risk, money, and what changed since the last one."""

from fleetkit.reports.sentences.changed import (
    NOISE,
    hours_moved,
    observed,
    reported_month,
    restated,
    restating,
)
from fleetkit.reports.sentences.flown import activity
from fleetkit.reports.sentences.money import money, price_list
from fleetkit.reports.sentences.records import aircraft_note, condition, expired_note
from fleetkit.reports.sentences.words import (
    as_of_text,
    during,
    first_listed,
    of_records,
    with_rest,
)

__all__ = [
    "NOISE",
    "activity",
    "aircraft_note",
    "as_of_text",
    "condition",
    "during",
    "expired_note",
    "first_listed",
    "hours_moved",
    "money",
    "observed",
    "of_records",
    "price_list",
    "reported_month",
    "restated",
    "restating",
    "with_rest",
]
