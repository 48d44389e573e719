"""One key figure: its value, what it was before, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, Literal, get_args

from pandas.api.types import is_list_like

from fleetkit.arguments import checked_list, checked_number, is_finite
from fleetkit.blanks import is_blank
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.language import say
from fleetkit.reports.texts import as_json
from fleetkit.rounding import NOTHING, PERCENT, number, per_cent

__all__ = ["change_in_percent", "kpi"]

Better = Literal["up", "down", ""]
BETTER: tuple[Better, ...] = get_args(Better)
# Below this, "2 more" says more than "+40 %".
FEW = 50
# Differences up to this share of a figure are noise of the arithmetic.
_NOISE = 1e-12


def kpi(
    label: str,
    value: Any,
    *,
    unit: str,
    of: int | None,
    decimals: int,
    previous: Any,
    year_before: Any,
    trend: Iterable[Any],
    better: Better,
    note: str,
    missing: str,
    front: bool,
) -> dict[str, Any]:
    """Return a key figure as JSON: numbers, and the texts that show them."""
    if not isinstance(better, str) or better not in BETTER:
        raise InvalidValue(
            f"KPI {brief(label)}: better={brief(better)} is none of 'up', 'down', ''."
        )
    decimals = int(checked_number(decimals, "decimals", kind=Integral))
    for name, given in (("value", value), ("previous", previous), ("year_before", year_before)):
        if is_list_like(given) or (isinstance(given, int) and not is_finite(given)):
            raise InvalidValue(
                f"KPI {brief(label)}: {name}={brief(given)} is not one number or text.",
                advice="Hand over one, such as frame[column].sum() or frame.loc[row, column].",
            )
    if of is not None:
        unit = say("of {count}", count=number(checked_number(of, "of")))
    value = None if of == 0 else as_json(value)
    value = None if is_blank(value) else value
    return {
        "label": label,
        "value": value,
        "text": (missing or NOTHING) if value is None else _text(value, unit, decimals),
        "unit": "" if value is None else unit,
        "decimals": decimals,
        "previous": _change(value, previous, unit, decimals, better),
        "year_before": _change(value, year_before, unit, decimals, better),
        "trend": [_number(point, label) for point in checked_list(trend, "trend")],
        "note": note,
        "front": front,
    }


def _number(point: Any, label: str) -> float | None:
    point = as_json(point)
    if point is None or isinstance(point, (int, float)):
        return point
    raise InvalidValue(
        f"KPI {brief(label)}: trend holds {brief(point)}, which is not a number.",
        advice="Write numbers, and None for a month of which none is known.",
    )


def _text(value: Any, unit: str, decimals: int) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "%":
        return per_cent(value / 100, decimals)
    return number(value, decimals)


def change_in_percent(now: float, before: float) -> str:
    """Write by how much a figure changed, without its sign.

    Examples
    --------
    >>> change_in_percent(110, 100), change_in_percent(90, 100), change_in_percent(100.01, 100)
    ('10.0 %', '10.0 %', 'under 0.1 %')
    >>> change_in_percent(100.0, 100.0)
    ''
    """
    if _is_same(now, before):
        return ""
    return _size(100 * (now - before) / abs(before), PERCENT, " %")


def _is_same(now: float, before: float) -> bool:
    return abs(now - before) <= _NOISE * max(abs(now), abs(before))


def _change(value: Any, earlier: Any, unit: str, decimals: int, better: str) -> dict[str, Any]:
    """Compare with an earlier value: in percent, in points for a share, counted where few."""
    earlier = as_json(earlier)
    if not isinstance(value, (int, float)) or not isinstance(earlier, (int, float)):
        return {"value": earlier, "change": None, "text": "", "direction": "", "tone": ""}
    if _is_same(value, earlier):
        return {"value": earlier, "change": 0, "text": say("same"), "direction": "flat", "tone": ""}
    change = value - earlier
    if unit == "%":
        size = _size(change, max(decimals, 1), " " + say("pt"))
    elif earlier <= 0 or (decimals == 0 and max(abs(value), abs(earlier)) < FEW):
        # A bare number has its sign: beside a triangle, 6 before "May 2025" would read as a day.
        sign = "+" if change > 0 else "−"
        size = _size(change, decimals, sign=sign)
    else:
        size = change_in_percent(value, earlier)
    direction = "up" if change > 0 else "down"
    return {
        "value": earlier,
        "change": change,
        "text": size,
        "direction": direction,
        "tone": "" if not better else "good" if direction == better else "bad",
    }


def _size(change: float, decimals: int, unit: str = "", sign: str = "") -> str:
    """Write a difference that is not 0, without its sign unless that is given."""
    text = number(abs(change), decimals)
    if text.strip("0.,"):
        return f"{sign}{text}{unit}"
    return say("under {size}", size=f"{number(0.1**decimals, decimals)}{unit}")
