"""A frame as a table of a report: its columns, as many rows as are shown, totals, and its data."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice
from numbers import Real
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_timedelta64_dtype

from fleetkit.blanks import distinct_names, names_or_ids, namesakes
from fleetkit.context import carried
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, shortened_list
from fleetkit.language import say, say_count
from fleetkit.mirror.layout import KEYS
from fleetkit.reports.texts import as_json, shown
from fleetkit.reports.words import in_language
from fleetkit.rounding import number
from fleetkit.time import ZONE

__all__ = [
    "MOST_ROWS",
    "MOST_TOTALS",
    "Column",
    "as_data",
    "check_frame",
    "from_data",
    "largest_first",
    "shared_names",
    "tabulated",
]

Column = str | tuple[str, str] | tuple[str, str, Any] | tuple[str, str, Any, str]

# Rows that a table shows where nobody says how many, and totals below it.
MOST_ROWS, MOST_TOTALS = 40, 6
# Columns that a page has room for: with more of them, numbers would break in two.
MOST_COLUMNS = 12
# Column of names → those that may hold the ids of what is named.
_NAMED = {
    "name": ("equipment_id", "service_id"),
    "title": ("project_id",),
    "pilot_name": ("pilot_id",),
    "project_title": ("project_id",),
    "service": ("service_id",),
    "tier": ("tier_id",),
    "tier_name": ("tier_id",),
}
# Names that say what they mean beside another one: each service may have a tier "Basic".
_REPEATED = ("tier", "tier_name")
# Columns of the table in which a name is not that of its equipment: many have a "capacity".
_SPECIFICATIONS = {"equipment_id", "name", "value"}
# How a column of calendar days is called; pandas has no type of its own for them.
_DAYS = "date"
# Length of a column's description that names another column to sort it by.
_WITH_ANOTHER = 4
TONES = ("good", "watch", "bad", "")


def check_frame(frame: Any, name: str) -> None:
    """Refuse what can't be a table of a report.

    Raises
    ------
    InvalidValue
        It is no DataFrame of pandas, or two of its columns have one name.
    """
    if not isinstance(frame, pd.DataFrame):
        raise InvalidValue(
            f"Table {brief(name)} is made from a DataFrame of pandas, not {type(frame).__name__}.",
            advice="Hand over what fk.metrics.collect returns; of a Series, series.reset_index().",
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InvalidValue(
            f"Table {brief(name)} has two columns named {brief(twice)}.",
            advice="Rename one of them.",
        )


def tabulated(
    frame: pd.DataFrame,
    columns: Mapping[str, Column] | None,
    *,
    name: str,
    limit: int = MOST_ROWS,
    sums: Sequence[str] = (),
    per: str = "",
    shared: Mapping[str, Collection[Any]] | None = None,
) -> dict[str, Any]:
    """Return what `Section.table` describes, as JSON can hold it.

    Names in `shared`, by the column of their ids, have namesakes that the frame may lack.

    Examples
    --------
    >>> frame = pd.DataFrame({"title": ["A", "B", "C"], "price": [1.5, 2.5, None]})
    >>> table = tabulated(frame, None, name="late", limit=1, sums=["price"])
    >>> [row["texts"] for row in (*table["rows"], *table["totals"])], table["of"]
    ([['A', '1.5'], ['Total of 2 of 3', '4.0']], 3)
    """
    # Bars are as long as the longest that is shown: a row further down may dwarf them.
    head = _called(frame, shared or {}).head(limit)
    chosen = _columns(head, columns, name)
    sorts = [_sorted_by(key, columns) for key in chosen]
    _check_columns(frame, (*sorts, *sums, *([per] if per else [])), name)
    _check_sums(frame, sums, name)
    rows = zip(_lines(head[list(chosen)]), _lines(head[sorts]), strict=True)
    return {
        "columns": [{"key": key, **column} for key, (column, _) in chosen.items()],
        "rows": [_row(values, by, chosen) for values, by in rows],
        "totals": _totals(frame, chosen, sums, per) if sums and len(frame) > 1 else [],
        "of": len(frame),
    }


def as_data(frame: pd.DataFrame) -> str:
    """Write all of a frame as JSON: its columns with their types, its zone, and a line per row.

    `from_data` reads it back.

    Examples
    --------
    >>> print(as_data(pd.DataFrame({"name": ["Kestrel"], "hours": [1.5]})))
    {"columns": ["name", "hours"], "types": ["str", "float64"], "tz": "",
    "rows": [
    ["Kestrel", 1.5]
    ]}
    """
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    rows = zip(*(_values(column) for _, column in frame.items()), strict=True)
    lines = ",\n".join(map(encoder.encode, rows))
    names, types = (
        json.dumps(texts, ensure_ascii=False)
        for texts in ([*map(str, frame.columns)], [_type(column) for _, column in frame.items()])
    )
    head = f'"columns": {names}, "types": {types}, "tz": {json.dumps(carried(frame).get(ZONE, ""))}'
    return f'{{{head},\n"rows": [\n{lines}\n]}}'


def _values(column: pd.Series) -> list[Any]:
    """Return what `as_json` makes of the values of a column, which may be many."""
    values: list[Any] = column.astype(object).where(column.notna(), None).tolist()
    if isinstance(column.dtype, pd.StringDtype):
        return values
    return [value if value is None else as_json(value) for value in values]


def from_data(text: str) -> pd.DataFrame:
    """Return the frame that `as_data` wrote.

    Examples
    --------
    >>> flown = pd.DataFrame({"flight_date": pd.to_datetime(["2026-10-01T09:00Z"])})
    >>> from_data(as_data(flown)).equals(flown)
    True
    """
    stored = json.loads(text)
    values = [*zip(*stored["rows"], strict=True)] or [()] * len(stored["columns"])
    columns = [_restored(*pair) for pair in zip(values, stored["types"], strict=True)]
    frame = pd.DataFrame(dict(enumerate(columns))).set_axis(stored["columns"], axis=1)
    if stored["tz"]:
        frame.attrs[ZONE] = stored["tz"]
    return frame


def _type(column: pd.Series) -> str:
    """Return what a column holds, in a word that `_restored` reads."""
    if column.dtype == object:
        is_of_days = column.dropna().map(lambda value: type(value) is date).all()
        return _DAYS if is_of_days and column.notna().any() else "object"
    return "str" if isinstance(column.dtype, pd.CategoricalDtype) else str(column.dtype)


def _restored(values: Sequence[Any], type_: str) -> pd.Series:
    if type_ == _DAYS:
        days = (value and date.fromisoformat(value) for value in values)
        return pd.Series([*days], dtype="object")
    column: pd.Series = pd.Series(values, dtype="object")
    dtype: Any = type_
    if type_.startswith("datetime64"):
        return pd.to_datetime(column, format="ISO8601", utc="," in type_).astype(dtype)
    try:
        return column.astype(dtype)
    except (TypeError, ValueError):  # a type of its own, such as a period's: its texts remain
        return column


def largest_first(frame: pd.DataFrame, by: str, size: str) -> pd.DataFrame:
    """Return a frame that no table holds so that its first rows are whole groups, largest first.

    Parameters
    ----------
    frame : DataFrame
    by, size : str
        Column of the groups, and the column whose sum says how large a group is.

    Examples
    --------
    >>> stages = pd.DataFrame({"currency": ["EUR", "NOK"] * 21, "projects": [1, 2] * 21})
    >>> largest_first(stages, "currency", "projects")["currency"].iloc[[0, 20, 21]].tolist()
    ['NOK', 'NOK', 'EUR']
    """
    if len(frame) <= MOST_ROWS:
        return frame
    groups = frame.groupby(by, dropna=False, observed=True, sort=False)
    order = pd.DataFrame({"size": -groups[size].transform("sum"), "group": groups.ngroup()})
    return frame.loc[order.sort_values(["size", "group"], kind="stable").index]


def shared_names(table: str, frame: pd.DataFrame) -> dict[str, set[Any]]:
    """Return the names that several records of a table have, by the column of their ids.

    None of flights: their names are of other records, and come with every engine's frame.

    Examples
    --------
    >>> frame = pd.DataFrame({"project_id": ["a", "b"], "title": ["Roof", "Roof"]})
    >>> shared_names("projects", frame)
    {'project_id': {'Roof'}}
    """
    pairs = [pair for pair in _pairs(frame) if pair[1:] == KEYS[table]]
    return {key: namesakes(frame[name], frame[key]) for name, key in pairs}


def _called(frame: pd.DataFrame, shared: Mapping[str, Collection[Any]]) -> pd.DataFrame:
    """Return rows of which each has a name: what has none is called by its id, where that stands.

    Several would be a dash each, and none could be looked for. Namesakes are called by both.
    """
    return frame.assign(
        **{
            name: names_or_ids(frame[name], frame[key])
            if name in _REPEATED
            else distinct_names(frame[name], frame[key], shared.get(key, ()))
            for name, key in _pairs(frame)
        }
    )


def _pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the columns of names that a frame has with their ids."""
    columns = set(frame.columns)
    if columns >= _SPECIFICATIONS:
        columns.remove("name")
    pairs = [(name, key) for name, keys in _NAMED.items() for key in keys]
    return [(name, key) for name, key in pairs if {name, key} <= columns]


def _columns(
    frame: pd.DataFrame, columns: Mapping[str, Column] | None, table: str
) -> dict[str, tuple[dict[str, Any], str]]:
    """Return key → (how the column is shown, format)."""
    if columns is not None and not isinstance(columns, Mapping):
        raise InvalidValue(
            f"Table {brief(table)}: columns={brief(columns)} is not a dict.",
            advice='Write each column with its label, such as {"name": "Aircraft"}.',
        )
    shown_columns = columns or {
        key: say(str(key).replace("_", " ").capitalize()) for key in frame.columns
    }
    _check_columns(frame, shown_columns, table)
    first = islice(shown_columns.items(), MOST_COLUMNS)
    return {key: _column(frame[key], key, spec) for key, spec in first}


def _check_columns(frame: pd.DataFrame, names: Iterable[str], table: str) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise InvalidValue(
            f"Table {brief(table)}: no column {shortened_list(missing)}.",
            advice=f"There are: {shortened_list(frame.columns)}.",
        )


def _check_sums(frame: pd.DataFrame, sums: Iterable[str], table: str) -> None:
    """Refuse what doesn't add up: a sum of texts is their letters in a row."""
    for name in sums:
        column = frame[name]
        if is_numeric_dtype(column) or is_timedelta64_dtype(column):
            continue
        other = next((v for v in column.dropna() if not isinstance(v, (Real, Decimal))), None)
        if other is not None:
            raise InvalidValue(
                f"Table {brief(table)}: the sum of {name} can't be made of {brief(other)}.",
                advice="Leave it out of sums, or make numbers of the column: pd.to_numeric(…).",
            )


def _column(values: pd.Series, key: str, spec: Column) -> tuple[dict[str, Any], str]:
    parts = (spec,) if isinstance(spec, str) else spec
    is_usable = isinstance(parts, (tuple, list)) and bool(parts)
    label, form, style = (*parts, "", "")[:3] if is_usable else (None, "", "")
    if not isinstance(label, str) or not isinstance(form or "", str):
        raise InvalidValue(
            f"Column {brief(key)}: {brief(spec)} is not a label.",
            advice='Write "Hours", or with a format ("Hours", "{:,.1f}").',
        )
    numeric = is_numeric_dtype(values) and not is_bool_dtype(values)
    align = "end" if numeric else "start"
    column: dict[str, Any] = {"label": say(label), "align": align, "style": _style(key, style)}
    if style == "bar":
        column["longest"] = _longest(values, key, spec)
    return column, "" if form in ("", "{}") else form


def _style(key: str, style: Any) -> str | dict[str, str]:
    if isinstance(style, Mapping) and set(style.values()) <= set(TONES):
        return {in_language(key, text): tone for text, tone in style.items()}
    if style in ("", "bar"):
        return str(style)
    raise InvalidValue(
        f"Column {brief(key)}: {brief(style)} is not a style.",
        advice=f"A style is 'bar' or a dict of text → {', '.join(TONES[:3])}.",
    )


def _longest(values: pd.Series, key: str, spec: Column) -> float:
    """Return the number that the longest bar of a column stands for."""
    numbers = [size for size in map(as_json, values) if size is not None]
    is_numeric = all(isinstance(size, (int, float)) for size in numbers)
    if not is_numeric or _sorted_by(key, {key: spec}) != key:
        raise InvalidValue(
            f"Column {brief(key)} can't have bars: it holds other than numbers, or is sorted "
            "by another column.",
            advice="Leave the style out, or the other column.",
        )
    return max(numbers, default=0) or 0


def _sorted_by(key: str, columns: Mapping[str, Column] | None) -> str:
    """Return the column by whose values a column is sorted: another one, or itself."""
    spec: Any = (columns or {}).get(key)
    return str(spec[3]) if isinstance(spec, tuple) and len(spec) == _WITH_ANOTHER else key


def _lines(frame: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    return frame.itertuples(index=False, name=None)


def _row(
    values: Iterable[Any], by: Iterable[Any], columns: Mapping[str, tuple[dict[str, Any], str]]
) -> dict[str, list[Any]]:
    values, by = (
        [in_language(key, value) for key, value in zip(columns, line, strict=True)]
        for line in (values, by)
    )
    stored = [as_json(value) for value in by]
    return {
        # A value without a key to sort by, such as a day that never comes, is sorted by its text.
        "values": [
            as_json(value) if other is None else other
            for value, other in zip(values, stored, strict=True)
        ],
        "texts": [
            _formatted(key, value, form)
            for value, (key, (_, form)) in zip(values, columns.items(), strict=True)
        ],
    }


def _formatted(key: str, value: Any, form: str) -> str:
    try:
        return shown(value, form)
    except (ValueError, TypeError, LookupError, AttributeError) as problem:
        raise InvalidValue(
            f"Column {brief(key)}: the format {brief(form)} can't write {brief(value)}: {problem}.",
            advice='Such a format is "{:,.1f}" for numbers, and "{:%d %b %Y}" for days.',
        ) from None


def _totals(
    frame: pd.DataFrame,
    columns: Mapping[str, tuple[dict[str, Any], str]],
    sums: Sequence[str],
    per: str,
) -> list[dict[str, list[Any]]]:
    """Return a last row, or one for each value of `per`, the most frequent first.

    Where records are summed that are counted already, the one that counts most of them is first.
    """
    parts: list[tuple[Any, pd.DataFrame]] = [(None, frame)]
    if per:
        groups: Iterable[tuple[Any, pd.DataFrame]] = frame.groupby(per, dropna=False, observed=True)
        parts = sorted(groups, key=lambda group: -_size(group[1], sums[0]))
    parts = [(value, part) for value, part in parts if _known(part, sums)]
    rows = [_total(part, columns, sums, {per: value}) for value, part in parts[:MOST_TOTALS]]
    others = len(parts) - len(rows)
    if others:
        more = say_count(others, "{count} more total", "{count} more totals")
        texts = [more, *[""] * (len(columns) - 1)]
        rows.append({"values": [None] * len(columns), "texts": texts})
    return rows


def _size(part: pd.DataFrame, first: str) -> int:
    """Return how many records a part is of: rows, or what its first sum counts."""
    counted = pd.api.types.is_integer_dtype(part[first])
    return int(part[first].sum()) if counted else len(part)


def _known(part: pd.DataFrame, sums: Sequence[str]) -> int:
    """Return of how many rows the first of the sums is known that is known of any."""
    return next((int(count) for count in part[list(sums)].count() if count), 0)


def _total(
    part: pd.DataFrame,
    columns: Mapping[str, tuple[dict[str, Any], str]],
    sums: Sequence[str],
    of: Mapping[str, Any],
) -> dict[str, list[Any]]:
    known = _known(part, sums)
    label = say("Total")
    if known < len(part):
        label = say("Total of {known} of {of}", known=number(known), of=number(len(part)))
    values = {**of, **{key: part[key].sum(min_count=1) for key in sums}}
    texts = [
        _formatted(key, values[key], form) if key in values else ""
        for key, (_, form) in columns.items()
    ]
    return {
        "values": [as_json(values.get(key)) for key in columns],
        # A currency, or a sum, that stands first is said after the label, which takes its place.
        "texts": [": ".join(filter(None, (label, texts[0]))), *texts[1:]],
    }
