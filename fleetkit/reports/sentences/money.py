"""The sentences on projects and prices: what is open, to invoice or late, and what tiers cost."""

from __future__ import annotations

from datetime import date

import pandas as pd

from fleetkit.kinds import MAY_BE_LATE
from fleetkit.language import counted, listed, say, say_count
from fleetkit.reports.sentences.words import dated
from fleetkit.rounding import number

__all__ = ["money", "price_list"]

# Currencies that are named; the others are counted.
_MOST_CURRENCIES = 4


def money(as_of: date, projects: pd.DataFrame, totals: pd.DataFrame, late: pd.DataFrame) -> str:
    """Say what is open, what can be invoiced, in each currency, and what is late, as of a day.

    Parameters
    ----------
    as_of : date
        The day of which the projects' records are.
    projects : DataFrame
        With ``status`` and ``scheduled_date``.
    totals : DataFrame
        As `metrics.pipeline_totals` returns it.
    late : DataFrame
        As `metrics.late_projects` returns it.

    Examples
    --------
    >>> projects = pd.DataFrame({"status": ["DRAFT"], "scheduled_date": ["2026-10-01"]})
    >>> totals = pd.DataFrame({
    ...     "group": ["open", "open", "to invoice"], "currency": ["EUR", "NOK", "EUR"],
    ...     "projects": [3, 1, 1], "priced": [2, 1, 1], "value": [12500.0, 90000.0, 4000.0],
    ... })
    >>> money(date(2026, 11, 21), projects, totals, pd.DataFrame({"days_late": [2]}))
    'As of 21 Nov 2026, 4 projects are open (EUR 12,500 and NOK 90,000 in the 3 with a price); 1 can be invoiced (EUR 4,000); 1 is late.'
    """  # noqa: E501 - the sentence is written as it is printed
    open_totals = totals[totals["group"] == "open"]
    ready = totals[totals["group"] == "to invoice"]
    if projects.empty:
        return dated(as_of, [say("there is no project")])
    if not open_totals["projects"].sum():
        none = say_count(
            len(projects), "none of {count} project is open", "none of {count} projects is open"
        )
        return dated(as_of, [none])
    is_open = counted(int(open_totals["projects"].sum()), "project is open", "projects are open")
    facts = [f"{is_open}{_amounts(open_totals)}"]
    if ready["projects"].sum():
        count = number(ready["projects"].sum())
        facts.append(say("{count} can be invoiced", count=count) + _amounts(ready))
    return dated(as_of, [*facts, _lateness(projects, late)])


def price_list(
    as_of: date,
    services: pd.DataFrame,
    tiers: pd.DataFrame,
    rates: pd.DataFrame,
    flags: pd.DataFrame,
) -> str:
    """Say how many services have tiers, how many of these have a rate, and what is flagged.

    Parameters
    ----------
    as_of : date
        The day of which the services' records are.
    services, tiers : DataFrame
        With ``service_id``.
    rates : DataFrame
        As `metrics.tier_rates` returns it, of active tiers.
    flags : DataFrame
        As `metrics.price_flags` returns it.

    Examples
    --------
    >>> services = pd.DataFrame({"service_id": ["a", "b", "c"]})
    >>> tiers = pd.DataFrame({"service_id": ["a", "a"]})
    >>> rates = pd.DataFrame({"rate": [80.0, None]})
    >>> flags = pd.DataFrame({"severity": ["error", "question"]})
    >>> price_list(date(2026, 11, 21), services, tiers, rates, flags)
    'As of 21 Nov 2026, 1 of 3 services has tiers; 1 of 2 active tiers has a rate; 2 price flags, 1 of them an error.'
    """  # noqa: E501 - the sentence is written as it is printed
    if services.empty:
        return dated(as_of, [say("there is no service")])
    tiered = int(services["service_id"].isin(tiers["service_id"]).sum())
    of = say_count(len(services), "of {count} service", "of {count} services")
    # Of what is none the verb follows the others: "0 of 1 service has tiers".
    verb, shown = tiered or len(services), {"tiered": number(tiered), "of": of}
    facts = [say_count(verb, "{tiered} {of} has tiers", "{tiered} {of} have tiers", **shown)]
    if len(tiers):
        rated = int(rates["rate"].notna().sum())
        of = say_count(len(rates), "of {count} active tier", "of {count} active tiers")
        verb, shown = rated or len(rates), {"rated": number(rated), "of": of}
        facts += [say_count(verb, "{rated} {of} has a rate", "{rated} {of} have a rate", **shown)]
        facts += [_flagged(flags)]
    return dated(as_of, facts)


def _flagged(flags: pd.DataFrame) -> str:
    errors = int((flags["severity"] == "error").sum())
    if flags.empty:
        return say("no price flag")
    of_them = say_count(errors, "{count} of them an error", "{count} of them errors")
    return f"{counted(len(flags), 'price flag')}, {of_them if errors else say('no error')}"


def _lateness(projects: pd.DataFrame, late: pd.DataFrame) -> str:
    """Count what is late, of the projects that wait to begin and have a date to be late by."""
    if len(late):
        return counted(len(late), "is late", "are late")
    waiting = projects[projects["status"].isin(MAY_BE_LATE)]
    dated = int(waiting["scheduled_date"].notna().sum())
    if dated == len(waiting):
        return say("none is late")
    if not dated:
        return say_count(
            len(waiting),
            "whether any is late can't be told (0 of {count} has a date)",
            "whether any is late can't be told (0 of {count} have a date)",
        )
    return say_count(
        dated, "the {count} with a date is not late", "none of the {count} with a date is late"
    )


def _amounts(rows: pd.DataFrame) -> str:
    """Write the value in each currency; of many those of most projects, and how many more."""
    known = rows[rows["value"].notna()]
    priced, projects = int(rows["priced"].sum()), int(rows["projects"].sum())
    if known.empty:
        return " " + say("(price not recorded, 0 of {of})", of=number(projects))
    # What has no currency is named before others are counted: it is none of them.
    order = known.assign(is_none=known["currency"].isna()).sort_values(
        ["is_none", "priced"], ascending=False, kind="stable"
    )
    named = order.index[:_MOST_CURRENCIES]
    pairs = known.loc[known.index.isin(named), ["currency", "value"]].itertuples(index=False)
    amounts = [
        f"{say('no currency') if pd.isna(currency) else currency} {number(value)}"
        for currency, value in pairs
    ]
    if others := len(known) - len(named):
        amounts.append(counted(others, "further currency", "further currencies"))
    if priced < projects:
        priced_text = say("in the {priced} with a price", priced=number(priced))
        return f" ({listed(amounts)} {priced_text})"
    return f" ({listed(amounts)})"
