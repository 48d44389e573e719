"""`compare`: a metric of two periods or filters, side by side, with changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.arguments import refuse_unknown
from fleetkit.comparison.sides import Side, measured, sides
from fleetkit.context import carry_over
from fleetkit.errors import InvalidValue
from fleetkit.fleet import Fleet
from fleetkit.interface import brief
from fleetkit.notices import notify
from fleetkit.time import FREQUENCIES, Period, PeriodLike

__all__ = ["compare"]

# Column of the places of months, weeks … → the places that a period has.
Places = dict[str, set[int]]
# Metric → what tells its rows apart; its other texts and flags may differ between the sides.
_IDENTITIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("age_and_value", "aircraft", "idle"), ("equipment_id",)),
    **dict.fromkeys(("maintenance", "maintenance_due"), ("equipment_id",)),
    **dict.fromkeys(("reconciliation", "registrations"), ("equipment_id",)),
    # Money of two currencies has no difference.
    **dict.fromkeys(("late_projects", "project_effort"), ("project_id", "currency")),
    **dict.fromkeys(("stalled_projects", "to_invoice"), ("project_id", "currency")),
    **dict.fromkeys(("data_quality", "data_quality_of_parts"), ("check", "severity", "records")),
    "contradictions": ("equipment_id", "contradiction"),
    "flown_while_expired": ("equipment_id", "flight_id"),
    "recency": ("pilot_id",),
    "tier_rates": (
        *("currency", "unit_type", "pricing_model"),
        *("service_id", "tier_id", "tier_level"),
    ),
    "unit_check": ("unit",),
    "untimed_flights": ("flight_id",),
}
# Numbers that tell rows apart; names beside ids, which may change.
_NUMBERS = ("weekday", "hour", "tier_level")
_NAMES = ("pilot_name", "project_title", "name", "title", "service", "tier", "period")
# Sums that are known to be 0 where there is no row, as are counts, which are whole numbers.
_SUMS = (
    *("hours", "aircraft_hours", "night_hours", "bvlos_hours", "logged_hours", "distance"),
    *("value", "weighted_value", "to_invoice", "price", "cost", "margin"),
)
# What begins or ends so is a whole number and no count of rows: without a row, it is unknown.
_NOT_COUNTED = ("rolling_", "cumulative_", "days_", "duration_", "counter_", "total_")
_NOT_COUNTED_ENDS = ("_days", "_left", "_since")


def compare(
    metric: str | Callable[..., Any],
    one: Any,
    other: Any,
    *,
    fleet: Fleet | None = None,
    period: PeriodLike | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Measure two periods, filters, fleets or frames, side by side, with what changed.

    Parameters
    ----------
    metric : str or function
        Of `fk.metrics`, such as ``"flight_hours"``.
    one, other : period, Filter, dict, Fleet, frame or name of a view
        What is measured, and what it is compared with. A frame is what the metric takes first;
        ``"@night"`` is the view of that name.
    fleet : Fleet, optional
        Whose periods they are, or what the filters narrow; its tables are read.
    period : str, int, date, pandas.Period or Period, optional
        Of which days, where filters or fleets are compared, or frames by a metric that takes a
        period; default: all.
    **options
        What else the metric takes: ``by="pilot"``.

    Returns
    -------
    DataFrame
        The metric's keys; what may differ of the same equipment, project, pilot or check, such as
        ``status`` and ``status_other``; then of each of its numbers four columns: ``hours`` (of
        `one`), ``hours_other``, ``hours_change`` (the difference), ``hours_percent`` [%]; counts
        are Int64, other numbers float64. Rows stand as the metric sorts them, then those that only
        `other` has. Of `margins`, ``margin_percent`` is the metric's own, the margin in percent of
        the price. Of two periods, years to days are matched by their place in the period:
        ``month``, and ``month_other`` beside it; of periods that begin on the same day of two
        years, by their names: 1 March with 1 March also after 29 February, week 10 with week 10. A
        key that only one side has counts 0 in sums on the other, and nothing (null) in medians,
        shares, days, counters and the like. There is no percentage of 0. Of a period that the data
        or ``since`` and ``until`` of the fleet's filter don't wholly reach, all is null, and
        ``attrs["notes"]`` says why, as it does of numbers that are unknown in some rows, such as
        hours where no duration was reported; ``attrs["compared"]`` names both sides. A period that
        isn't over is compared with the same days of the one before, or of the year before.

    Raises
    ------
    InvalidValue
        There is no such metric or view; something can't be compared, or isn't given; or rows can't
        be told apart by their keys.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_type": ["TRAINING"] * 2, "duration_seconds": [3600, 1800]})
    >>> both = compare("flight_hours", flights, flights.head(1), by="flight_type")
    >>> both[["flight_type", "hours", "hours_other", "hours_change", "hours_percent"]]
      flight_type  hours  hours_other  hours_change  hours_percent
    0    TRAINING    1.5          1.0           0.5           50.0
    """
    name = _metric_name(metric)
    pair = sides(one, other, fleet, period)
    tables = [measured(name, side, options, period) for side in pair]
    keys = _keys(name, tables)
    if not _numbers(tables[0], keys):
        raise InvalidValue(
            f"fk.metrics.{name} lists rows and counts nothing, so there is no change to show.",
            advice="Compare a metric with numbers, such as flight_hours or pilots.",
        )
    # Two periods don't share their dates: those are counted from the first one on.
    dated = [key for key in keys if key in FREQUENCIES]
    spans = [side.period for side in pair if side.period is not None]
    if dated and len({span.whole for span in spans}) > 1:
        tables, existing = _with_places(tables, spans, dated)
    else:
        if dated and not spans:
            _notice_apart(name, tables, dated[0])
        dated, existing = [], [{}, {}]
    result = _side_by_side(tables, keys, pair, dated, existing)
    carry_over(result, tables[0])
    result.attrs["compared"] = [side.title for side in pair]
    result.attrs["notes"] = [
        note
        for side, table, frame in zip(pair, tables, ("one", "other"), strict=True)
        for note in ([side.note] if side.note else _unknown(side.title or frame, table, keys))
    ]
    return result


def _notice_apart(metric: str, tables: Sequence[pd.DataFrame], dated: str) -> None:
    """Say where two frames have no month … in common, as those of two periods have none."""
    first, second = (set(table[dated].dropna()) for table in tables)
    if first and second and not first & second:
        notify(
            f"No {dated} is on both sides, so each counts 0 on one. Two periods are matched by the"
            f' place of each {dated}: fk.compare("{metric}", "2026-10", "2026-09", fleet=fleet).'
        )


def _with_places(
    tables: Sequence[pd.DataFrame], spans: Sequence[Period], dated: Sequence[str]
) -> tuple[list[pd.DataFrame], list[Places]]:
    """Add the places of each row in its period, and return the places that each period has.

    So the first day of one stands beside the first day of the other.
    """
    is_yearly = len({(span.since.month, span.since.day) for span in spans}) == 1
    placed: list[pd.DataFrame] = []
    existing: list[Places] = []
    for table, span in zip(tables, spans, strict=True):
        days = pd.date_range(span.since.date(), span.last_day)
        places = {
            _placed(key): partial(_place, period=span, dated=key, is_yearly=is_yearly)
            for key in dated
        }
        columns = {
            name: table[key].map(place).astype("int64")
            for key, (name, place) in zip(dated, places.items(), strict=True)
        }
        placed.append(table.assign(**columns))
        existing.append({name: set(map(place, days)) for name, place in places.items()})
    return placed, existing


def _placed(key: str) -> str:
    """Return the column of the places of a month, week …."""
    return f"_place_of_{key}"


def _metric_name(metric: Any) -> str:
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", None)
    if not isinstance(name, str):
        raise InvalidValue(
            f"{brief(metric)} is not a metric.", advice='Write its name: "flight_hours".'
        )
    known = [other for other in dir(metrics) if other not in ("definitions", "collect")]
    refuse_unknown([name.removeprefix("fk.metrics.")], known, "metric")
    return name.removeprefix("fk.metrics.")


def _keys(metric: str, tables: Sequence[pd.DataFrame]) -> list[str]:
    """Return the columns that identify a row on either side."""
    words = _words(tables[0])
    keys = [name for name in words if name in _IDENTITIES.get(metric, words)]
    if any(table.duplicated(keys).any() if keys else len(table) > 1 for table in tables):
        raise InvalidValue(
            f"Rows of fk.metrics.{metric} can't be told apart by {', '.join(keys) or 'a key'}.",
            advice="Compare a metric with one row per key, such as flight_hours or pilots.",
        )
    return keys


def _words(table: pd.DataFrame) -> list[str]:
    """Return what isn't measured: texts, categories and flags, without names of ids."""
    names = [
        str(name)
        for name, column in table.items()
        if name in _NUMBERS
        or isinstance(column.dtype, pd.CategoricalDtype)
        or pd.api.types.is_bool_dtype(column.dtype)
        or (pd.api.types.is_string_dtype(column.dtype) and not _holds_lists(column))
    ]
    return [name for name in names if name not in _NAMES] or names


def _holds_lists(column: pd.Series[Any]) -> bool:
    return bool(column.map(lambda value: isinstance(value, list | dict)).any())


def _unknown(title: str, table: pd.DataFrame, keys: list[str]) -> list[str]:
    """Say which measures of a side are unknown in some rows, and in how many."""
    missing = {name: int(table[name].isna().sum()) for name in _numbers(table, keys)}
    rows = f"{len(table):,} {'row' if len(table) == 1 else 'rows'}"
    return [
        f"{title}: {name} unknown in {count:,} of {rows}"
        for name, count in missing.items()
        if count
    ]


def _place(key: Any, period: Period, dated: str, *, is_yearly: bool) -> int:
    """Return the place of a month, week … in its period; within years, days and weeks by name."""
    if pd.isna(key):
        return -1
    if dated == "week" and isinstance(key, str):
        year, _, week = key.partition("-W")
        key = pd.Timestamp.fromisocalendar(int(year), int(week), 1)
    first = period.since.date()
    if is_yearly and dated == "week":
        years = pd.Timestamp(key).isocalendar().year - first.year
        # The first days of a year may lie in the last week of another one.
        return 100 * years + pd.Timestamp(key).isocalendar().week if years >= 0 else 0
    if is_yearly and dated == "day":
        day = pd.Timestamp(key)
        return 10_000 * (day.year - first.year) + 100 * day.month + day.day
    start = pd.Period(first, freq=FREQUENCIES[dated])
    return int(pd.Period(key, freq=FREQUENCIES[dated]).ordinal - start.ordinal)


def _side_by_side(
    tables: list[pd.DataFrame],
    keys: list[str],
    pair: tuple[Side, Side],
    dated: Sequence[str],
    existing: list[Places],
) -> pd.DataFrame:
    first = tables[0]
    on = [_placed(key) if key in dated else key for key in keys]
    numbers = _numbers(first, [*on, *keys])
    described = [name for name in _words(first) if name not in keys]
    texts = [name for name in _NAMES if name in first.columns and name not in keys]
    both = _merged(tables, on, [*dated, *described, *texts, *numbers])
    parts: dict[str, Any] = {}
    for key in keys:
        parts[key] = _as_key(both[key], [table[key] for table in tables])
        if key in dated:
            parts[f"{key}_other"] = both[f"{key}_other"]
    for name in described:
        is_flag = pd.api.types.is_bool_dtype(first[name])
        for column in (name, f"{name}_other"):
            parts[column] = both[column].astype("boolean") if is_flag else both[column]
    for name in texts:
        parts[name] = both[name].fillna(both[f"{name}_other"])
    for name in numbers:
        is_sum = name in _SUMS or _is_count(first[name], name)
        columns = (name, "_first", pair[0]), (f"{name}_other", "_second", pair[1])
        values = [
            _known(both[column], _blank(both, row, side, places, is_sum=is_sum))
            for (column, row, side), places in zip(columns, existing, strict=True)
        ]
        is_whole = all(pd.api.types.is_integer_dtype(table[name]) for table in tables)
        parts |= _changes(name, *values, is_whole=is_whole)
    return pd.DataFrame(parts)


def _as_key(merged: pd.Series[Any], originals: list[pd.Series[Any]]) -> pd.Series[Any]:
    """Return a merged key; of two categoricals a categorical, the first side's categories first."""
    if not all(isinstance(original.dtype, pd.CategoricalDtype) for original in originals):
        return merged
    tokens = dict.fromkeys(token for original in originals for token in original.cat.categories)
    return merged.astype(pd.CategoricalDtype(list(tokens), originals[0].cat.ordered))


def _merged(tables: list[pd.DataFrame], on: list[str], rest: list[str]) -> pd.DataFrame:
    """Return the rows of both, in the order of the first, then those that only the second has.

    ``_first`` and ``_second`` are their places there, null where a table has no such row.
    """
    left, right = (
        table[list(dict.fromkeys([*on, *rest]))].assign(**{place: range(len(table))})
        for table, place in zip(tables, ("_first", "_second"), strict=True)
    )
    right = right.rename(columns={name: f"{name}_other" for name in rest})
    if not on or (left.empty and right.empty):  # two empty columns pandas can't always merge
        return pd.concat([left, right.drop(columns=on)], axis=1)
    plain = {
        key: "str" for key in on if isinstance(left[key].dtype, pd.CategoricalDtype)
    }  # each has the categories of its own
    both = left.astype(plain).merge(right.astype(plain), on=on, how="outer")
    return both.sort_values(["_first", "_second"], ignore_index=True)


def _numbers(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return what is measured."""
    return [
        str(name)
        for name, column in table.items()
        if pd.api.types.is_numeric_dtype(column.dtype)
        and not pd.api.types.is_bool_dtype(column.dtype)
        and name not in keys
    ]


def _is_count(column: pd.Series[Any], name: str) -> bool:
    is_other = name.startswith(_NOT_COUNTED) or name.endswith(_NOT_COUNTED_ENDS)
    return pd.api.types.is_integer_dtype(column) and not is_other


def _blank(
    both: pd.DataFrame, row: str, side: Side, existing: Places, *, is_sum: bool
) -> pd.Series[Any]:
    """Return the value for a side without a row: 0 for a sum, null where nothing is known."""
    if side.note:
        return pd.Series(pd.NA, index=both.index, dtype="Float64")
    value: Any = 0.0 if is_sum else pd.NA
    blank = pd.Series(value, index=both.index, dtype="Float64").where(both[row].isna(), -1.0)
    for column, places in existing.items():
        # September has no 31st; flights without a date have a row without a place.
        is_nowhere = both[column].ge(0) & ~both[column].isin(places)
        blank = blank.mask(is_nowhere & both[row].isna(), pd.NA)
    return blank


def _known(values: pd.Series[Any], blank: pd.Series[Any]) -> pd.Series[Any]:
    """Return the numbers of a side where it has a row (-1), and `blank` elsewhere."""
    has_row = blank.eq(-1.0).fillna(False)
    return values.astype("Float64").where(has_row, blank)


def _changes(
    name: str, value: pd.Series[Any], other: pd.Series[Any], *, is_whole: bool
) -> dict[str, Any]:
    change = value - other
    percent = (100 * change / other).where(other > 0)  # none of 0
    numbers = {name: value, f"{name}_other": other, f"{name}_change": change}
    columns = {
        column: of.astype("Int64" if is_whole else "float64") for column, of in numbers.items()
    }
    # Replaced by a number of the metric's own.
    return columns | {f"{name}_percent": percent.astype("float64")}
