"""What the chapter on projects shows of scheduled work, and of whose projects are worth most."""

from __future__ import annotations

from datetime import date

import pandas as pd

from fleetkit.language import counted, listed, say, short_day
from fleetkit.reports.sentences import with_rest
from fleetkit.reports.texts import shown
from fleetkit.reports.words import in_language
from fleetkit.rounding import number, percent

__all__ = ["largest_shares", "weekly"]

# Pilots of a week, and currencies, that are named; the others are counted.
MOST_PILOTS, MOST_CURRENCIES = 3, 3


def weekly(workload: pd.DataFrame, as_of: date) -> pd.DataFrame:
    """Count the scheduled work of each week, and name whose it is.

    Parameters
    ----------
    workload : DataFrame
        As the metric of this name returns it.
    as_of : date
        What was scheduled before the week of this day is one row, the first.

    Returns
    -------
    DataFrame
        ``week`` (as a text), ``projects``, ``pilots`` (most projects first; the others counted).

    Examples
    --------
    >>> workload = pd.DataFrame({
    ...     "pilot": ["Ada", "Bo", "Ada"], "week": ["2026-W40", "2026-W45", "2026-W45"],
    ...     "projects": [1, 1, 2],
    ... })
    >>> weekly(workload, date(2026, 11, 4))
                     week  projects        pilots
    0             earlier         1         Ada 1
    1  W45, from 2 Nov 2026         3  Ada 2, Bo 1
    """
    this_week = f"{as_of:%G-W%V}"
    rows = workload.assign(week=workload["week"].where(workload["week"] >= this_week, ""))
    by_pilot = rows.groupby(["week", "pilot"])["projects"].sum().reset_index()
    by_pilot = by_pilot.sort_values(
        ["week", "projects", "pilot"], ascending=[True, False, True], ignore_index=True
    )
    weeks = [
        {"week": _week(str(week)), "projects": int(part["projects"].sum()), "pilots": _pilots(part)}
        for week, part in by_pilot.groupby("week")
    ]
    columns = {"week": "str", "projects": "int64", "pilots": "str"}
    return pd.DataFrame(weeks, columns=list(columns)).astype(columns)


def _week(week: str) -> str:
    """Write an ISO week with its Monday."""
    if not week:
        return say("earlier")
    year, number_of_week = week.split("-W")
    monday = date.fromisocalendar(int(year), int(number_of_week), 1)
    return say("W{week}, from {day}", week=number_of_week, day=short_day(monday))


def _pilots(part: pd.DataFrame) -> str:
    pairs = zip(part["pilot"], part["projects"].tolist(), strict=True)
    names = [f"{in_language('pilot', shown(pilot))} {number(count)}" for pilot, count in pairs]
    others = len(names) - MOST_PILOTS
    return with_rest(names[:MOST_PILOTS], others)


def largest_shares(client_shares: pd.DataFrame) -> str:
    """Say which client holds the largest share of each currency's value.

    Nothing is said of a single client, nor where no project has a price, nor of a currency in
    which a client's value is below 0: those of the others are then not shares of a whole.

    Parameters
    ----------
    client_shares : DataFrame
        As the metric of this name returns it.

    Examples
    --------
    >>> shares = pd.DataFrame({
    ...     "currency": ["EUR", "EUR"], "client": ["Fjord", "Kirk"], "projects": [2, 1],
    ...     "share": [0.75, 0.25],
    ... })
    >>> largest_shares(shares)
    'Largest share: Fjord (75 % of EUR).'
    """
    known = client_shares[client_shares["share"].notna() & client_shares["currency"].notna()]
    known = known[known.groupby("currency")["share"].transform("min") >= 0]
    if known["client"].nunique() < 2:
        return ""
    sizes = known.groupby("currency")["projects"].sum().sort_values(ascending=False, kind="stable")
    largest = known.sort_values("share", ascending=False, kind="stable")
    largest = largest.drop_duplicates("currency").set_index("currency")
    named = [
        say(
            "{client} ({share} of {currency})",
            client=in_language("client", shown(largest["client"][currency])),
            share=percent(largest["share"][currency], 0),
            currency=shown(currency),
        )
        for currency in sizes.index[:MOST_CURRENCIES]
    ]
    if others := len(sizes) - len(named):
        named.append(counted(others, "more currency", "more currencies"))
    return say("Largest share: {clients}.", clients=listed(named))
