"""The sentences of a report: activity, risk, money, and what changed since the last one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd

from fleetkit.kinds import MAY_BE_LATE, RESTATEMENTS
from fleetkit.reports.kpis import change_in_percent
from fleetkit.reports.texts import day
from fleetkit.rounding import HOURS, format_number, number
from fleetkit.schema import EQUIPMENT
from fleetkit.time import Part, Period, SoFar

__all__ = [
    "activity",
    "aircraft_note",
    "as_of_text",
    "condition",
    "counted",
    "during",
    "expired_note",
    "hours_moved",
    "listed",
    "money",
    "observed",
    "price_list",
    "restated",
    "restating",
]

# Restated months and currencies that are named; the others are counted.
MOST_MONTHS, MOST_CURRENCIES, MOST_TYPES = 3, 4, 5
# Verdicts of `metrics.reconciliation` that compare nothing.
NOT_COMPARED = ("not comparable", "no counter")
# Statuses of equipment that is out of service.
OUT_OF_SERVICE = ("RETIRED", "LOST")
# Shorter than half a second, a difference of hours is noise of the arithmetic. [h]
_NOISE = 0.5 / 3600


def counted(count: int, one: str, many: str = "") -> str:
    """Write a number and what it counts.

    Examples
    --------
    >>> counted(1, "flight"), counted(1250, "flight"), counted(0, "has", "have")
    ('1 flight', '1,250 flights', '0 have')
    """
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Join parts as a sentence does.

    Examples
    --------
    >>> listed(["EUR 12", "GBP 4", "NOK 90"])
    'EUR 12, GBP 4 and NOK 90'
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def as_of_text(when: date) -> str:
    """Say of which day it is that equipment and projects are shown as they are.

    Examples
    --------
    >>> as_of_text(date(2026, 11, 2))
    'As of 2 Nov 2026'
    """
    return f"As of {day(when)}"


def during(period: Period) -> str:
    """Write a period as the middle of a sentence has it.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> during(Period.read("2026-10")), during(Period.read("2026-10-05"))
    ('in October 2026', 'on 5 October 2026')
    >>> during(Period.read("2026-W41"))
    'in week 41 of 2026'
    >>> during(Period.between("2026-10-05", "2026-10-19", "UTC"))
    'from 5 to 18 October 2026'
    """
    days = period.as_days if isinstance(period, Part) else period
    if days.unit in {"month", "quarter", "year"}:
        return f"in {days.title}"
    if days.unit == "week":
        return f"in {days.title.partition(' (')[0].lower()}"
    first, to, last = (part.strip() for part in days.title.partition("–"))
    return f"from {first} to {last}" if to else f"on {first}"


def activity(
    period: Period,
    flights: Mapping[str, Any],
    hours: Mapping[str, Any],
    active: Mapping[str, Any],
    aircraft: int,
    *,
    is_filtered: bool = False,
) -> str:
    """Say how much was flown, against the period before and the year before.

    Parameters
    ----------
    period : Period
    flights, hours, active : mapping
        As `Comparison` returns them: ``value``, ``previous``, ``year_before``, and ``note``, why
        one of them is null; hours [h], active aircraft. Hours are null too where no flight has a
        duration.
    aircraft : int
        How many aircraft there are.
    is_filtered : bool
        Whether a filter left flights out: that it leaves none doesn't say that nobody flew.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> hours = {"value": 312.4, "previous": 284.0, "year_before": 355.0}
    >>> activity(Period.read("2026-10"), {"value": 402}, hours, {"value": 31}, 44)
    '402 flights and 312.4 hours in October 2026, 10.0 % more hours than in September 2026 and 12.0 % fewer than in October 2025; 31 of 44 aircraft flew.'
    """  # noqa: E501 - the sentence is written as it is printed
    when, note = during(period), flights.get("note", "")
    so_far = "So far, " if isinstance(period, SoFar) else ""
    if flights["value"] is None:
        return f"Nothing is known of what was flown {when}: {note}."
    reach = f" ({note})" if note and not _is_covered(flights) else ""
    if not flights["value"]:
        nobody = f"no flight {when} meets the filter" if is_filtered else f"nobody flew {when}"
        return f"{so_far}{nobody if so_far else nobody[0].upper() + nobody[1:]}{reach}."
    counts = counted(flights["value"], "flight")
    flew = f"{number(active['value'])} of {number(aircraft)} aircraft flew"
    if hours["value"] is None:
        unknown = f"hours not recorded (0 of {number(flights['value'])})"
        return f"{so_far}{counts} {when}{reach}, {unknown}; {flew}."
    amount = f"{counts} and {number(hours['value'], HOURS)} hours"
    return f"{so_far}{amount} {when}{reach}{_changes(period, hours)}; {flew}."


def _is_covered(flights: Mapping[str, Any]) -> bool:
    """Whether what is blank, if anything, lies before the period itself."""
    return flights.get("previous") is not None


def _changes(period: Period, hours: Mapping[str, Any]) -> str:
    """Compare hours with those of the period before and of the year before, where known."""
    is_span = period.unit == "span" and period.is_of_days
    before = f"in {period.previous_title}" if is_span else during(period.previous())
    earlier = {"previous": before, "year_before": during(period.year_before())}
    known = [(hours[key], when) for key, when in earlier.items() if hours.get(key)]
    against = [
        _against(hours["value"], before, when, " hours" if place == 0 else "")
        for place, (before, when) in enumerate(known)
    ]
    return f", {listed(against)}" if against else ""


def _against(now: float, before: float, when: str, what: str) -> str:
    size = change_in_percent(now, before)
    if not size:
        return f"as many{what} as {when}"
    return f"{size} {'more' if now > before else 'fewer'}{what} than {when}"


def condition(
    as_of: date, registrations: pd.DataFrame, reconciliation: pd.DataFrame, expired: pd.DataFrame
) -> str:
    """Say which registrations have run out and whose counters contradict the logs, as of a day.

    Parameters
    ----------
    as_of : date
        The day of which the equipment's records are.
    registrations : DataFrame
        As `metrics.registrations` returns it, of equipment in service.
    reconciliation : DataFrame
        As `metrics.reconciliation` returns it.
    expired : DataFrame
        As `metrics.flown_while_expired` returns it, of the period's flights.

    Examples
    --------
    >>> bands = pd.DataFrame({"band": ["expired", "later", "≤ 30 days", "≤ 30 days", "missing"]})
    >>> checked = pd.DataFrame({"verdict": ["match", "logs higher", "no counter"]})
    >>> flown = pd.DataFrame({"flight_id": ["1", "2", "2"]})
    >>> condition(date(2026, 11, 21), bands, checked, flown)
    'As of 21 Nov 2026, 1 registration has expired and 2 expire within 30 days, of 4 with an expiry date; 2 flights of the period were flown on an expired one; 1 of 2 counters contradicts the logs.'
    """  # noqa: E501 - the sentence is written as it is printed
    flown = counted(
        expired["flight_id"].nunique(), "flight of the period was", "flights of the period were"
    )
    parts = [_registrations(registrations)]
    if len(expired):
        parts.append(f"{flown} flown on an expired one")
    return f"{as_of_text(as_of)}, {'; '.join([*parts, _counters(reconciliation)])}."


def _registrations(registrations: pd.DataFrame) -> str:
    dated = int((registrations["band"] != "missing").sum())
    if not dated:
        known = f"0 of {number(len(registrations))} have an expiry date"
        return f"no registration can be judged ({known})"
    expired, soon = (
        int((registrations["band"] == band).sum()) for band in ("expired", "≤ 30 days")
    )
    states = []
    if expired:
        states.append(counted(expired, "registration has expired", "registrations have expired"))
    if soon:
        noun, nouns = ("", "") if expired else ("registration ", "registrations ")
        states.append(counted(soon, f"{noun}expires", f"{nouns}expire") + " within 30 days")
    summary = " and ".join(states) or "no registration has expired or expires within 30 days"
    return f"{summary}, of {number(dated)} with an expiry date"


def _counters(reconciliation: pd.DataFrame) -> str:
    compared = int((~reconciliation["verdict"].isin(NOT_COMPARED)).sum())
    wrong = compared - int((reconciliation["verdict"] == "match").sum())
    if not compared:
        having = int((reconciliation["verdict"] != "no counter").sum())
        if having:
            return f"0 of {counted(having, 'counter')} can be compared with the logs"
        pieces = counted(len(reconciliation), *EQUIPMENT.nouns)
        return f"0 of {pieces} {'has' if len(reconciliation) == 1 else 'have'} a counter"
    if not wrong:
        agreeing = counted(
            compared, "counter that can be compared agrees", "counters that can be compared agree"
        )
        return f"{'the' if compared == 1 else 'all'} {agreeing} with the logs"
    verb = "contradicts" if wrong == 1 else "contradict"
    return f"{number(wrong)} of {counted(compared, 'counter')} {verb} the logs"


def aircraft_note(aircraft: pd.DataFrame, as_of: date) -> str:
    """Say which equipment is aircraft, and how many of it are out of service by now.

    Parameters
    ----------
    aircraft : DataFrame
        As `metrics.aircraft` returns it: ``type``, ``status``.
    as_of : date
        The day of which the equipment's records are.

    Examples
    --------
    >>> aircraft = pd.DataFrame({"type": ["DRONE", "DRONE"], "status": ["ACTIVE", "LOST"]})
    >>> aircraft_note(aircraft, date(2026, 11, 21))
    'Aircraft are the 2 pieces of equipment of type DRONE; as of 21 Nov 2026, 1 is LOST.'
    """
    if aircraft.empty:
        return "No equipment is known to be aircraft."
    kinds = sorted(aircraft["type"].dropna().unique())
    if len(kinds) > MOST_TYPES:
        kinds[MOST_TYPES:] = [f"{number(len(kinds) - MOST_TYPES)} more"]
    pieces = counted(len(aircraft), *EQUIPMENT.nouns)
    out_of_service = aircraft["status"].value_counts().reindex(OUT_OF_SERVICE).dropna().astype(int)
    out = [f"{counted(count, 'is', 'are')} {status}" for status, count in out_of_service.items()]
    state = f"; as of {day(as_of)}, {listed(out)}" if out else ""
    return f"Aircraft are the {pieces} of type {listed(kinds)}{state}."


def expired_note(ever: pd.DataFrame, expired: pd.DataFrame, period: Period) -> str:
    """Say what the list of flights on an expired registration holds, and count earlier ones.

    Parameters
    ----------
    ever, expired : DataFrame
        As `metrics.flown_while_expired` returns it: of all flights up to the end of the period,
        and of the period's alone.
    period : Period

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> ever = pd.DataFrame({"flight_id": ["1", "2", "3"]})
    >>> expired_note(ever, ever.head(1), Period.read("2026-10"))
    'Flights in October 2026, after an expiry that stands in the record today; 2 earlier ones.'
    """
    earlier = ever["flight_id"].nunique() - expired["flight_id"].nunique()
    more = f"; {counted(earlier, 'earlier one', 'earlier ones')}" if earlier else ""
    return f"Flights {during(period)}, after an expiry that stands in the record today{more}."


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
    stated = f"{as_of_text(as_of)}, "
    open_totals = totals[totals["group"] == "open"]
    ready = totals[totals["group"] == "to invoice"]
    if projects.empty:
        return f"{stated}there is no project."
    if not open_totals["projects"].sum():
        return f"{stated}none of {counted(len(projects), 'project')} is open."
    is_open = counted(int(open_totals["projects"].sum()), "project is open", "projects are open")
    parts = [f"{is_open}{_amounts(open_totals)}"]
    if ready["projects"].sum():
        parts.append(f"{number(ready['projects'].sum())} can be invoiced{_amounts(ready)}")
    return f"{stated}{'; '.join([*parts, _lateness(projects, late)])}."


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
    >>> tiers = pd.DataFrame({"service_id": ["a", "a", "b"]})
    >>> rates = pd.DataFrame({"rate": [80.0, None]})
    >>> flags = pd.DataFrame({"severity": ["error", "question"]})
    >>> price_list(date(2026, 11, 21), services, tiers, rates, flags)
    'As of 21 Nov 2026, 2 of 3 services have tiers; 1 of 2 active tiers has a rate; 2 price flags, 1 of them an error.'
    """  # noqa: E501 - the sentence is written as it is printed
    stated = f"{as_of_text(as_of)}, "
    if services.empty:
        return f"{stated}there is no service."
    tiered = int(services["service_id"].isin(tiers["service_id"]).sum())
    have = "has" if tiered == 1 else "have"
    parts = [f"{number(tiered)} of {counted(len(services), 'service')} {have} tiers"]
    if len(tiers):
        rated = int(rates["rate"].notna().sum())
        active = counted(len(rates), "active tier")
        parts += [f"{number(rated)} of {active} {'has' if rated == 1 else 'have'} a rate"]
        parts += [_flagged(flags)]
    return f"{stated}{'; '.join(parts)}."


def _flagged(flags: pd.DataFrame) -> str:
    errors = int((flags["severity"] == "error").sum())
    if flags.empty:
        return "no price flag"
    of_them = f", {number(errors)} of them {'an error' if errors == 1 else 'errors'}"
    return counted(len(flags), "price flag") + (of_them if errors else ", no error")


def _lateness(projects: pd.DataFrame, late: pd.DataFrame) -> str:
    """Count what is late, unless no project that waits to begin has a date to be late by."""
    if len(late):
        return counted(len(late), "is late", "are late")
    waiting = projects[projects["status"].isin(MAY_BE_LATE)]
    if len(waiting) and waiting["scheduled_date"].isna().all():
        return f"whether any is late can't be told (0 of {number(len(waiting))} have a date)"
    return "none is late"


def _amounts(rows: pd.DataFrame) -> str:
    """Write the value in each currency, those of most projects first; bounded, the rest counted."""
    known = rows[rows["value"].notna()]
    priced, projects = int(rows["priced"].sum()), int(rows["projects"].sum())
    if known.empty:
        return f" (price not recorded, 0 of {number(projects)})"
    named = known.sort_values("priced", ascending=False, kind="stable").index[:MOST_CURRENCIES]
    pairs = known.loc[known.index.isin(named), ["currency", "value"]].itertuples(index=False)
    amounts = [
        f"{'no currency' if pd.isna(currency) else currency} {number(value)}"
        for currency, value in pairs
    ]
    if others := len(known) - len(named):
        amounts.append(counted(others, "further currency", "further currencies"))
    of = f" in the {number(priced)} with a price" if priced < projects else ""
    return f" ({listed(amounts)}{of})"


def restated(months: pd.DataFrame, period: Period) -> str:
    """Say which reported months moved since the last report, by how much and why.

    Parameters
    ----------
    months : DataFrame
        As `metrics.restatements` returns it, the newest month first.
    period : Period
        The report's.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2]})
    >>> restated(months, Period.read("2026-10"))
    'September moved by +1.2 h since its report: 3 late logs, 1 edit, 1 vanished.'
    """
    if months.empty:
        return "No month that was reported has changed since."
    named = list(months.head(MOST_MONTHS).itertuples())
    its = "its" if named[0].month == period.previous().name else "the last"
    since = f" since {its} report"
    titles = [Period.read(row.month).title_beside(period) for row in named]
    parts = [
        _restated(row, title, since if row is named[0] else "")
        for title, row in zip(titles, named, strict=True)
    ]
    others = len(months) - len(parts)
    if others:
        parts.append(counted(others, "earlier month changed too", "earlier months changed too"))
    return "; ".join(parts) + "."


def _restated(row: Any, title: str, since: str) -> str:
    size = hours_moved(row.hours)
    return f"{title} {f'moved by {size}' if size else 'kept its hours'}{since}: {restating(row)}"


def hours_moved(hours: float) -> str:
    """Write by how many hours something moved; nothing where it didn't.

    Examples
    --------
    >>> hours_moved(1.24), hours_moved(-0.5), hours_moved(-0.01), hours_moved(0.0)
    ('+1.2 h', '−0.5 h', 'less than 0.1 h', '')
    """
    if abs(hours) < _NOISE:
        return ""
    size = format_number(hours, f"+,.{HOURS}f")
    return f"{size} h" if size.strip("0.") else "less than 0.1 h"


def restating(row: Any) -> str:
    """Count what moved a month, by its kind; see `metrics.restatements`.

    Examples
    --------
    >>> columns = ("late_logs", "edits", "moved_in", "moved_out", "vanished")
    >>> row = pd.Series([3, 1, 0, 0, 1], columns)
    >>> restating(row)
    '3 late logs, 1 edit, 1 vanished'
    """
    counts = ((getattr(row, kind.column), name, kind) for name, kind in RESTATEMENTS.items())
    return ", ".join(counted(count, name, kind.plural) for count, name, kind in counts if count)


def observed(
    moves: pd.DataFrame,
    states: pd.DataFrame,
    prices: pd.DataFrame,
    readable: Container[str] = ("projects", "equipment", "services"),
) -> str:
    """Say what else changed since the last report.

    Parameters
    ----------
    moves, states, prices : DataFrame
        As `metrics.stage_moves`, `metrics.condition_history` and `metrics.price_history` return
        them.
    readable : collection of str
        The tables that syncs could read: the others are left out.

    Examples
    --------
    >>> moves = pd.DataFrame({"project_id": ["a", "a", "b"]})
    >>> observed(moves, pd.DataFrame({"equipment_id": ["d"]}), pd.DataFrame())
    '2 projects moved stage, 1 piece of equipment changed its status or condition.'
    """
    pieces = ("piece of equipment changed its", "pieces of equipment changed their")
    parts = [
        counted(moves["project_id"].nunique(), "project") + " moved stage" if len(moves) else "",
        counted(states["equipment_id"].nunique(), *pieces) + " status or condition"
        if len(states)
        else "",
        counted(len(prices), "price") + " changed" if len(prices) else "",
    ]
    summary = ", ".join(part for part in parts if part)
    return f"{summary or _unchanged(readable)}."


def _unchanged(readable: Container[str]) -> str:
    """Say that nothing changed, of what was looked at."""
    things = {
        "projects": "no project moved stage",
        "equipment": "no status or condition changed",
        "services": "no price changed",
    }
    summary = ", ".join(thing for table, thing in things.items() if table in readable)
    return summary.capitalize() or "Of projects, equipment and prices no changes can be known"
