"""The restatement ledger: how a period's flights differ from those of an earlier state.

Only flights that changed since are compared, unless the filter looks at other tables: then a
flight may come and go without having changed itself, and both states are read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pandas as pd

from fleetkit.arguments import is_whole_number
from fleetkit.columns import COLUMNS
from fleetkit.differences import is_different
from fleetkit.errors import MirrorError
from fleetkit.filters import OF_EQUIPMENT, Filter
from fleetkit.fleet.filtered import OF_PROJECTS
from fleetkit.fleet.history import of_flights
from fleetkit.fleet.window import Window
from fleetkit.kinds import RESTATEMENTS
from fleetkit.mirror import Mirror
from fleetkit.mirror.history import Versions, between, not_over, sql
from fleetkit.mirror.layout import as_text, stored_name
from fleetkit.mirror.syncs import Sync
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.time import Clock, Moment, Period, instant, widened

__all__ = ["ledger", "needs_other_tables", "state_at"]

_DTYPES: dict[str, Any] = {
    "month": "str",
    "flight_id": "str",
    "kind": pd.CategoricalDtype(list(RESTATEMENTS), ordered=True),
    "observed_at": "datetime64[us, UTC]",
    "flight_date": "datetime64[us, UTC]",
    "hours_before": "float64",
    "hours_after": "float64",
    "hours": "float64",
    "fields": "str",
}
# Columns of the comparison; no column of a service, known or new, begins with "_".
_MONTH, _SIDE = "_month", "_side"
_KEY = ["flight_id", _MONTH]
# A service touches it with every edit; by itself it restates nothing.
_ASIDE = ("flight_id", "updated_at")


def state_at(mirror: Mirror, since: Moment | int, tz: str) -> Sync | None:
    """Return the state of that version, or the newest until that moment; None before the first.

    Raises
    ------
    InvalidValue
        What is not a moment.
    MirrorError
        There is no such version up to the opened one.
    """
    known = mirror.states
    if is_whole_number(since):
        matches = [state for state in known if state.version == since]
        if not matches:
            raise MirrorError(
                f"The mirror {mirror.path}, opened at version {mirror.version}, knows no version "
                f"{since}.",
                advice=f"It knows {known[0].version} to {known[-1].version}.",
            )
        return matches[0]
    moment = instant(since, tz)
    return next((state for state in reversed(known) if state.written_at <= moment), None)


def ledger(
    mirror: Mirror,
    period: Period,
    since: Moment | int | None,
    *,
    filter_: Filter,
    clock: Clock,
    flights_at: Callable[[int, Window], pd.DataFrame],
) -> tuple[pd.DataFrame, Sync]:
    """Return the ledger of a period, and the state that it was compared with.

    Parameters
    ----------
    mirror, period, since
        As for `MirroredFleet.restatements`.
    filter_, clock : Filter, Clock
        Those of the fleet; the clock knows whether flight dates are dates, if anything tells.
    flights_at : callable
        Takes a version of the mirror and a window; returns the flights that the filter leaves.
    """
    tz, clock = clock.tz, replace(clock, tz=period.tz)
    state = _base(mirror, period, since, tz)
    versions, after = mirror.row_versions("flights"), state.fetched_at
    months = between(*widened(period))
    rows = versions.frame(versions.read(*months, versions.changed_after(after)))
    # In UTC it doesn't matter whether dates are instants.
    if clock.dates_only is None and (period.tz, tz) != ("UTC", "UTC"):
        clock = clock.judge(versions.column("flight_date", *months, not_over(after)))
    window = Window(period.since, period.until)
    if needs_other_tables(filter_):
        at = (flights_at(version, window) for version in (state.version, mirror.version))
        old, new = (_as_versions(flights, versions.columns) for flights in at)
    else:
        cuts = (clock.cut(rows[side], window) for side in _current_in_both(rows, after))
        old, new = (of_flights(filter_, replace(clock, tz=tz), flights) for flights in cuts)
    old, new = (versions.with_equal_numbers(flights) for flights in (old, new))
    old, new, rows = (_with_months(flights, clock) for flights in (old, new, rows))
    fields = [column for column in versions.columns if column not in _ASIDE]
    differences = _compared(old, new, fields)
    differences["kind"] = _kinds(differences, rows, versions, after)
    differences["observed_at"] = _observed(differences, rows, after)
    differences = differences.rename(columns={_MONTH: "month"})
    frame = differences.sort_values(["month", "observed_at", "flight_id"], ignore_index=True)
    return frame[list(_DTYPES)].astype(_DTYPES), state


def _base(mirror: Mirror, period: Period, since: Moment | int | None, tz: str) -> Sync:
    """Return the state that the period is compared with; the first that had flights at least."""
    known = mirror.whole_states("flights")
    if since is None:
        return next((state for state in known if state.written_at >= period.until), known[-1])
    state = state_at(mirror, since, tz)
    return state if state is not None and state.version >= known[0].version else known[0]


def needs_other_tables(filter_: Filter) -> bool:
    """Whether a flight may come and go in what a filter selects without having changed itself."""
    return bool(filter_.only(*OF_EQUIPMENT, *OF_PROJECTS))


def _current_in_both(
    rows: pd.DataFrame, after: datetime
) -> tuple[pd.Series[bool], pd.Series[bool]]:
    """Say which row versions were current at the earlier moment, and which are now."""
    return rows["valid_from"] <= after, rows["valid_to"].isna()


def _as_versions(flights: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return flights with the columns of row versions: what the reference doesn't know as text.

    One state may lack a field that the other has, or have numbers in it where the other has texts.
    """
    known = [column.name for column in COLUMNS["flights"]]
    further = {stored_name(name): flights[name] for name in flights.columns.difference(known)}
    texts = {
        name: as_text(further[name]).to_pylist() if name in further else None
        for name in columns
        if name not in known
    }
    shown = flights[known]
    return shown.assign(**pd.DataFrame(texts, flights.index, list(texts), dtype="str"))


def _with_months(flights: pd.DataFrame, clock: Clock) -> pd.DataFrame:
    times = clock.times(flights["flight_date"])
    return flights.assign(**{_MONTH: times.dt.strftime("%Y-%m").astype("str")})


def _compared(old: pd.DataFrame, new: pd.DataFrame, fields: Sequence[str]) -> pd.DataFrame:
    """Return one row per flight and month that only one state has, or both but differing."""
    pairs = old.merge(new, "outer", _KEY, suffixes=("_old", "_new"), indicator=_SIDE)
    names = pd.Series("", index=pairs.index, dtype="str")
    for field in fields:
        differs = pairs[_SIDE].eq("both") & is_different(
            pairs[f"{field}_old"], pairs[f"{field}_new"]
        )
        names[differs] += f", {field}"
    before, after = (_hours(pairs[f"duration_seconds{side}"]) for side in ("_old", "_new"))
    dates = pairs["flight_date_new"].where(pairs[_SIDE].ne("left_only"), pairs["flight_date_old"])
    differences = pairs[[*_KEY, _SIDE]].assign(
        flight_date=dates,
        hours_before=before,
        hours_after=after,
        hours=after - before,
        fields=names.str.removeprefix(", ").where(names.ne("")),
    )
    return differences[pairs[_SIDE].ne("both") | names.ne("")]


def _hours(seconds: pd.Series[Any]) -> pd.Series[Any]:
    flown = seconds.astype("Float64").fillna(0).clip(lower=0)
    return (flown / SECONDS_PER_HOUR).astype("float64")


def _kinds(
    differences: pd.DataFrame, rows: pd.DataFrame, versions: Versions, after: datetime
) -> pd.Series[Any]:
    """Tell a flight that came or went from one that was, or is, in another place.

    A flight that is in one state only but didn't change itself moved in what the filter sees.
    """
    begun, over = f"valid_from > {sql(after)}", f"valid_to > {sql(after)}"
    before, now = _current_in_both(rows, after)
    kinds = pd.Series("edit", index=differences.index, dtype="str")
    for side, changed, other, moved, otherwise in (
        ("right_only", now, [f"valid_from <= {sql(after)}", over], "moved in", "late log"),
        ("left_only", before, [begun, not_over(versions.until)], "moved out", "vanished"),
    ):
        is_on_side = differences[_SIDE].eq(side)
        if not is_on_side.any():
            continue
        elsewhere = versions.read(*other, columns=["flight_id"])["flight_id"].to_pandas()
        ids = differences["flight_id"]
        gone = ids.isin(rows.loc[changed, "flight_id"]) & ~ids.isin(elsewhere)
        kinds[is_on_side] = moved
        kinds[is_on_side & gone] = otherwise
    return kinds


def _observed(differences: pd.DataFrame, rows: pd.DataFrame, after: datetime) -> pd.Series[Any]:
    """Return when each flight was first seen, last edited or last seen gone, by its kind."""
    begun = rows.assign(first=rows["valid_from"].where(rows["valid_from"] > after))
    ends = begun.groupby(_KEY).agg(
        first=("first", "min"), last=("first", "max"), over=("valid_to", "max")
    )
    known = differences.merge(ends.reset_index(), "left", _KEY).set_axis(differences.index)
    observed = known["last"]
    observed = observed.where(known[_SIDE].ne("right_only"), known["first"])
    return observed.where(known[_SIDE].ne("left_only"), known["over"])
