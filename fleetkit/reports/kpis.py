"""One key figure: its value, what it was before, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.reports.texts import as_json
from fleetkit.rounding import NOTHING, number

__all__ = ["kpi"]

BETTER = ("up", "down", "")
# Below this, "2 more" says more than "+40 %".
FEW = 50


def kpi(
    label: str,
    value: Any,
    *,
    unit: str,
    decimals: int,
    previous: Any,
    year_before: Any,
    trend: Iterable[Any],
    better: str,
    note: str,
    front: bool,
) -> dict[str, Any]:
    """Return a key figure as JSON: numbers, and the texts that show them."""
    if better not in BETTER:
        raise InvalidValue(f"KPI {label!r}: better={better!r} is none of 'up', 'down', ''.")
    value = as_json(value)
    return {
        "label": label,
        "value": value,
        "text": _text(value, decimals),
        "unit": unit,
        "previous": _change(value, previous, unit, decimals, better),
        "year_before": _change(value, year_before, unit, decimals, better),
        "trend": [as_json(each) for each in trend],
        "note": note,
        "front": front,
    }


def _text(value: Any, decimals: int) -> str:
    if value is None:
        return NOTHING
    return number(value, decimals) if isinstance(value, (int, float)) else str(value)


def _change(value: Any, earlier: Any, unit: str, decimals: int, better: str) -> dict[str, Any]:
    """Compare with an earlier value: in percent, in points for a share, counted where few."""
    earlier = as_json(earlier)
    if not isinstance(value, (int, float)) or not isinstance(earlier, (int, float)):
        return {"value": earlier, "change": None, "text": "", "direction": "", "tone": ""}
    change = value - earlier
    if unit == "%":
        size = f"{number(abs(change), max(decimals, 1))} pt"
    elif earlier <= 0 or (decimals == 0 and max(abs(value), abs(earlier)) < FEW):
        size = number(abs(change), decimals)
    else:
        percent = abs(change) / earlier * 100
        size = f"{number(percent, 0 if percent >= 10 else 1)} %"
    moved = any(digit in size for digit in "123456789")
    direction = "flat" if not moved else "up" if change > 0 else "down"
    tone = "" if not (better and moved) else "good" if direction == better else "bad"
    return {
        "value": earlier,
        "change": change,
        "text": size if moved else "unchanged",
        "direction": direction,
        "tone": tone,
    }
