"""Words of fleetkit's own that tables show as values, such as a band or a verdict.

Frames hold them in English, so that code can compare them; a table shows them in the language of
the report. What comes from the service, such as a status or a title, is shown as it came.
"""

from __future__ import annotations

from typing import Any

from fleetkit.language import message, say
from fleetkit.unassigned import say_name

__all__ = ["in_language", "is_worded"]

# Columns whose texts are fleetkit's, and those that list several with commas.
_WORDED = {"band", "check", "due_by", "field", "flag", "kind", "severity", "verdict"}
_LISTING = {"fields"}
# Columns of names, in which one stands for what has no pilot or client.
_NAMES = {"client", "pilot", "pilot_name"}
# The words in them; names of checks stand where checks are made.
WORDS = (
    *map(message, ("expired", "≤ 30 days", "≤ 60 days", "≤ 90 days", "later", "missing")),
    *map(message, ("match", "counter higher", "logs higher", "not comparable", "no counter")),
    *map(message, ("error", "warning", "info", "question")),
    *map(message, ("hours", "flights", "days", "status", "condition")),
    *map(message, ("forward", "back", "held", "resumed", "cancelled", "after the end", "unknown")),
    *map(message, ("late log", "edit", "moved in", "moved out", "vanished")),
)


def is_worded(column: str) -> bool:
    """Whether a column's texts are fleetkit's own.

    Examples
    --------
    >>> is_worded("verdict"), is_worded("title")
    (True, False)
    """
    return column in _WORDED or column in _LISTING


def in_language(column: str, value: Any) -> Any:
    """Return a value as the report's language has it, if it is a word of fleetkit's.

    Examples
    --------
    >>> in_language("verdict", "logs higher"), in_language("title", "logs higher")
    ('logs higher', 'logs higher')
    """
    if not isinstance(value, str):
        return value
    if not is_worded(column):
        return say_name(value) if column in _NAMES else value
    if column in _LISTING:
        return ", ".join(map(say, value.split(", ")))
    return say(value)
