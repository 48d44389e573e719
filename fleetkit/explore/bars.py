"""What a click on a bar of the chart chooses: what it stands for, or all again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fleetkit.explore import tiles
from fleetkit.explore.fields import Choices, Field
from fleetkit.time import Period
from fleetkit.unassigned import name_of

__all__ = ["bar_choices"]


def bar_choices(
    grouping: str, key: str, kind: str, fields: Mapping[str, Field], choices: Choices
) -> tuple[dict[str, Any], bool] | None:
    """Return what a click sends, and whether just that is chosen; None where nothing can be.

    Parameters
    ----------
    grouping, key : str
        What bars stand for, and which of it this one does.
    kind : str
        Its flight type, where bars are stacked by it.
    fields : mapping
        Name → field.
    choices : mapping
        What is chosen already.
    """
    of_group = _of_group(grouping, key, fields, choices)
    if of_group is None:
        return None
    sent, is_chosen = of_group
    if not kind:
        return sent(is_chosen), is_chosen
    types = fields["flight_type"]
    if kind not in types.tokens:
        return None
    is_chosen = is_chosen and tiles.is_chosen(types, kind, choices)
    return {**sent(is_chosen), **tiles.choice(types, kind, back=is_chosen)}, is_chosen


def _of_group(grouping: str, key: str, fields: Mapping[str, Field], choices: Choices) -> Any:
    """Return what sends a bar's choice, or takes it back, and whether it is chosen."""
    if not key:
        return None
    if grouping == "month":
        value = fields["period"].value(choices)
        return lambda back: {"period": "" if back else key}, value == key
    if grouping == "week":
        week = Period.read(key)
        ends = {"since": week.since.date(), "until": week.until.date()}
        is_chosen = all(choices[name] == day for name, day in ends.items())
        return lambda back: {
            name: "" if back else day.isoformat() for name, day in ends.items()
        }, is_chosen
    field = fields.get(grouping)
    # The client's field holds names, without an option for none.
    value = name_of(key) if grouping == "client" else key
    if field is None or field.disabled or value not in field.labels(choices):
        return None
    is_chosen = tiles.is_chosen(field, value, choices)
    return lambda back: tiles.choice(field, value, back=back), is_chosen
