"""Tables of a fleet and of metrics as a notebook shows them; they stay plain DataFrames.

Units stand in the heads, numbers on the right, money with its currency, moments as the fleet's
clock shows them, and there is no index. Below stands what ``attrs["notes"]`` says, such as why
something is blank. A frame that carries no fleet's zone, or has an index of its own, is shown as
pandas shows it, and so is ``pd.DataFrame(frame)``.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

import pandas as pd

from fleetkit.columns import COLUMNS
from fleetkit.context import carried
from fleetkit.lettering import single_line
from fleetkit.rounding import NOTHING, decimals_of, number
from fleetkit.time import ZONE, Zone, to_local_time

__all__ = ["html_of"]

# The end of a column's name → its unit.
_UNITS = (
    (r"(^|_)hours(_(per_day|per_aircraft_day|before|after|difference|left|since))?", "h"),
    (r"_minutes", "min"),
    (r"_seconds", "s"),
    (r"(^|_)percent", "%"),
    (r"_km", "km"),
    (r"_speed", "m/s"),
)
_OF_FIELDS = {
    column.name: column.unit for table in COLUMNS.values() for column in table if column.unit
}
_MONEY = re.compile(r"(^|_)(value|price|price_per_hour|cost|margin|rate|to_invoice)$")
# The end of what a comparison has beside a measure, of which it is another amount.
_BESIDE = re.compile(r"_(other|change)$")
# Characters that stand on one line: a wide table scrolls, and would break texts at each space.
_LINE = 36
_HEAD = "font-weight:400;opacity:.7"


def html_of(frame: pd.DataFrame) -> str | None:
    """Return a table of a fleet as HTML; None for what pandas shows.

    Examples
    --------
    >>> html_of(pd.DataFrame({"hours": [1.5]})) is None
    True
    >>> hours = pd.DataFrame({"month": ["2026-10"], "hours": [1.5]})
    >>> hours.attrs["tz"] = Zone("UTC")
    >>> "hours <span" in html_of(hours)
    True
    """
    zone = carried(frame).get(ZONE)
    if not isinstance(zone, Zone) or not _is_plain(frame):
        return None
    if not pd.get_option("display.notebook_repr_html"):
        return None
    rows, columns = _bounds(frame)
    part = to_local_time(_with_zone(frame.iloc[:, columns].iloc[rows], zone))
    names = [str(name) for name in part.columns]
    currencies = frame["currency"].iloc[rows].tolist() if "currency" in frame else []
    texts = {name: _texts(part[name], name, frame[name], currencies) for name in names}
    is_right = {name: _is_number(part[name]) for name in names}
    head = "".join(_head(name, part[name], right=is_right[name]) for name in names)
    lines = [
        "".join(_cell(texts[name][row], right=is_right[name]) for name in names)
        for row in range(len(part))
    ]
    if len(part) < len(frame):
        gap = f'<td colspan="{len(names)}" style="text-align:left">…</td>'
        lines.insert(len(part) - len(part) // 2, gap)
    is_whole = part.shape == frame.shape
    size = "" if is_whole and not frame.empty else f"<p>{_size(frame)}</p>"
    said = frame.attrs.get("notes")
    notes = said if isinstance(said, list) else []
    below = "".join(f"<p>{escape(single_line(str(note)))}</p>" for note in notes)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        '<div><table border="1" class="dataframe">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{size}{below}</div>"
    )


def _size(frame: pd.DataFrame) -> str:
    """Return how many rows and columns a table has, in words."""
    return " × ".join(
        f"{number(count)} {noun}{'' if count == 1 else 's'}"
        for count, noun in zip(frame.shape, ("row", "column"), strict=True)
    )


def _is_plain(frame: pd.DataFrame) -> bool:
    """Whether a table has nothing to say in its index, and a text as the name of each column."""
    index = frame.index
    numbered = index.nlevels == 1 and index.name is None and pd.api.types.is_integer_dtype(index)
    names = frame.columns
    return bool(
        (numbered or frame.empty) and names.nlevels == 1 and names.is_unique and len(names)
    ) and all(isinstance(name, str) for name in names)


def _bounds(frame: pd.DataFrame) -> tuple[list[int], list[int]]:
    """Return the rows and columns that are shown: as many as pandas is set to show."""
    most = pd.get_option("display.max_rows")
    least = pd.get_option("display.min_rows") or most
    wide = pd.get_option("display.max_columns")
    height, width = frame.shape
    rows = list(range(height))
    if most and height > most:
        count = min(least, most)
        rows = [*rows[: count - count // 2], *rows[height - count // 2 :]]
    columns = list(range(width))
    return rows, columns[:wide] if wide else columns


def _with_zone(part: pd.DataFrame, zone: Zone) -> pd.DataFrame:
    part.attrs[ZONE] = zone
    return part


def _is_number(column: pd.Series[Any]) -> bool:
    dtype = column.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _unit(name: str, column: pd.Series[Any]) -> str:
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return "" if _are_days(column) else str(column.dt.tz)
    if not _is_number(column):
        return ""
    measure = _measure(name)
    named = next((unit for pattern, unit in _UNITS if re.search(f"({pattern})$", measure)), "")
    return named or _OF_FIELDS.get(measure, "")


def _measure(name: str) -> str:
    return _BESIDE.sub("", name)


def _head(name: str, column: pd.Series[Any], *, right: bool) -> str:
    unit = _unit(name, column)
    text = f'{escape(_line(name))} <span style="{_HEAD}">[{escape(unit)}]</span>' if unit else ""
    side = "right" if right else "left"
    return f'<th scope="col" style="text-align:{side}">{text or escape(_line(name))}</th>'


def _cell(text: str, *, right: bool) -> str:
    side = "right;font-variant-numeric:tabular-nums" if right else "left"
    side += ";white-space:nowrap" if len(text) <= _LINE else f";min-width:{_LINE}ch"
    return f'<td style="text-align:{side}">{escape(text)}</td>'


def _texts(
    column: pd.Series[Any], name: str, whole: pd.Series[Any], currencies: list[Any]
) -> list[str]:
    """Return what stands in the cells of a column, whose whole may be longer."""
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        form = "%Y-%m-%d" if _are_days(column) else "%Y-%m-%d %H:%M"
        return [NOTHING if pd.isna(value) else value.strftime(form) for value in column]
    if not _is_number(column):
        return [NOTHING if _is_null(value) else _line(str(value)) for value in column]
    # All rows have the decimals of the whole column, also where some are not shown.
    decimals = _decimals(whole, name)
    texts = [number(value, decimals) for value in column]
    if _MONEY.search(_measure(name)) is None or not currencies:
        return texts
    return [
        text if text == NOTHING or pd.isna(currency) else f"{text} {_line(str(currency))}"
        for text, currency in zip(texts, currencies, strict=True)
    ]


def _decimals(column: pd.Series[Any], name: str) -> int:
    if pd.api.types.is_integer_dtype(column.dtype):
        return 0
    known = column.dropna().astype("float64")
    are_whole = len(known) and bool((known % 1 == 0).all())
    return decimals_of(_measure(name), 0 if are_whole else 2)


def _are_days(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    return bool(len(known)) and bool((known == known.dt.normalize()).all())


def _is_null(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _line(text: str) -> str:
    """Return a text on one line, cut where it is long."""
    line = single_line(text)
    width = pd.get_option("display.max_colwidth")
    return line if not width or len(line) <= width else f"{line[: width - 1]}…"
