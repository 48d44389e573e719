"""The sentences of a report: activity, risk, money, and what changed since the last one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd

from fleetkit.kinds import MAY_BE_LATE, RESTATEMENTS
from fleetkit.language import counted, listed, say, say_count, titled
from fleetkit.reports.kpis import change_in_percent
from fleetkit.reports.texts import day
from fleetkit.rounding import HOURS, format_number, number
from fleetkit.time import Part, Period, SoFar

__all__ = [
    "activity",
    "aircraft_note",
    "as_of_text",
    "condition",
    "during",
    "expired_note",
    "hours_moved",
    "money",
    "observed",
    "of_records",
    "price_list",
    "restated",
    "restating",
    "with_rest",
]

# Restated months and currencies that are named; the others are counted.
MOST_MONTHS, MOST_CURRENCIES, MOST_TYPES = 3, 4, 5
# Verdicts of `metrics.reconciliation` that compare nothing.
NOT_COMPARED = ("not comparable", "no counter")
# Statuses of equipment that is out of service.
OUT_OF_SERVICE = ("RETIRED", "LOST")
# Of how many records of a table.
_OF = {
    "equipment": ("of {count} piece of equipment", "of {count} pieces of equipment"),
    "flights": ("of {count} flight", "of {count} flights"),
    "projects": ("of {count} project", "of {count} projects"),
    "services": ("of {count} service", "of {count} services"),
    "tiers": ("of {count} tier", "of {count} tiers"),
}
# Shorter than half a second, a difference of hours is noise of the arithmetic. [h]
_NOISE = 0.5 / 3600


def of_records(records: str, count: int) -> str:
    """Say of how many records of a table something is counted.

    Parameters
    ----------
    records : str
        The table's name.
    count : int

    Examples
    --------
    >>> of_records("projects", 80), of_records("equipment", 1)
    ('of 80 projects', 'of 1 piece of equipment')
    """
    one, many = _OF[records]
    return say_count(count, one, many)


def with_rest(names: Sequence[str], others: int) -> str:
    """Name the first ones, and count the others, where there are any.

    Examples
    --------
    >>> with_rest(["Ada", "Bo"], 3), with_rest(["Ada", "Bo"], 0)
    ('Ada, Bo and 3 more', 'Ada, Bo')
    """
    text = ", ".join(names)
    if others <= 0:
        return text
    return say("{names} and {count} more", names=text, count=number(others))


def as_of_text(when: date) -> str:
    """Say of which day it is that equipment and projects are shown as they are.

    Examples
    --------
    >>> as_of_text(date(2026, 11, 2))
    'As of 2 Nov 2026'
    """
    return say("As of {day}", day=day(when))


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
    if days.unit == "month":
        return say("in {month}", month=days.title)
    if days.unit == "quarter":
        return say("in {quarter}", quarter=days.title)
    if days.unit == "year":
        return say("in {year}", year=days.title)
    if days.unit == "week":
        year, week, _ = days.since.date().isocalendar()
        return say("in week {week} of {year}", week=week, year=year)
    first, last = days.title_of_ends
    return (
        say("from {first} to {last}", first=first, last=last)
        if last
        else say("on {day}", day=first)
    )


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
    if flights["value"] is None:
        return say("Nothing is known of what was flown {when}: {note}.", when=when, note=note)
    reach = f" ({note})" if note and not _is_covered(flights) else ""
    parts = {"flights": counted(flights["value"], "flight"), "when": f"{when}{reach}"}
    if not flights["value"]:
        if is_filtered:
            sentence = say("no flight {when} meets the filter", when=when) + reach
        else:
            sentence = say("nobody flew {when}", when=when) + reach
    elif hours["value"] is None:
        sentence = say(
            "{flights} {when}, hours not recorded (0 of {of})", **parts, of=number(flights["value"])
        )
    else:
        parts |= {"hours": number(hours["value"], HOURS), "changes": _changes(period, hours)}
        sentence = say("{flights} and {hours} hours {when}{changes}", **parts)
    if flights["value"] and aircraft:  # there are none among batteries
        counts = {"active": number(active["value"]), "aircraft": number(aircraft)}
        sentence += "; " + say("{active} of {aircraft} aircraft flew", **counts)
    if isinstance(period, SoFar):
        return say("So far, {sentence}", sentence=sentence) + "."
    return titled(sentence) + "."


def _is_covered(flights: Mapping[str, Any]) -> bool:
    """Whether what is blank, if anything, lies before the period itself."""
    return flights.get("previous") is not None


def _changes(period: Period, hours: Mapping[str, Any]) -> str:
    """Compare hours with those of the period before and of the year before, where known."""
    is_span = period.unit == "span" and period.is_of_days
    before = during(period.previous())
    if is_span:
        before = say("in {time_before}", time_before=period.previous_title)
    earlier = {"previous": before, "year_before": during(period.year_before())}
    known = [(hours[key], when) for key, when in earlier.items() if hours.get(key)]
    against = [
        _against(hours["value"], before, when, is_first=place == 0)
        for place, (before, when) in enumerate(known)
    ]
    return f", {listed(against)}" if against else ""


def _against(now: float, before: float, when: str, *, is_first: bool) -> str:
    """Say by how much hours changed; what is counted only the first comparison says."""
    size = change_in_percent(now, before)
    parts = {"size": size, "when": when}
    if not size:
        return say("as many hours as {when}" if is_first else "as many as {when}", when=when)
    if now > before:
        more = "{size} more hours than {when}" if is_first else "{size} more than {when}"
        return say(more, **parts)
    fewer = "{size} fewer hours than {when}" if is_first else "{size} fewer than {when}"
    return say(fewer, **parts)


def _dated(as_of: date, facts: Sequence[str]) -> str:
    """Write what is so on a day."""
    return say("As of {day}, {facts}.", day=day(as_of), facts="; ".join(facts))


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
    facts = [_registrations(registrations)]
    if len(expired):
        flown = say_count(
            expired["flight_id"].nunique(),
            "{count} flight of the period was flown on an expired one",
            "{count} flights of the period were flown on an expired one",
        )
        facts.append(flown)
    return _dated(as_of, [*facts, _counters(reconciliation)])


def _registrations(registrations: pd.DataFrame) -> str:
    dated = int((registrations["band"] != "missing").sum())
    if not dated:
        return say(
            "no registration can be judged (0 of {of} have an expiry date)",
            of=number(len(registrations)),
        )
    expired, soon = (
        int((registrations["band"] == band).sum()) for band in ("expired", "≤ 30 days")
    )
    states = []
    if expired:
        states.append(counted(expired, "registration has expired", "registrations have expired"))
    if soon:
        one, many = "{count} expires within 30 days", "{count} expire within 30 days"
        if not expired:
            one = "{count} registration expires within 30 days"
            many = "{count} registrations expire within 30 days"
        states.append(say_count(soon, one, many))
    none = say("no registration has expired or expires within 30 days")
    summary = {"states": listed(states) or none, "dated": number(dated)}
    return say("{states}, of {dated} with an expiry date", **summary)


def _counters(reconciliation: pd.DataFrame) -> str:
    compared = int((~reconciliation["verdict"].isin(NOT_COMPARED)).sum())
    wrong = compared - int((reconciliation["verdict"] == "match").sum())
    if not compared:
        having = int((reconciliation["verdict"] != "no counter").sum())
        if having:
            return say_count(
                having,
                "0 of {count} counter can be compared with the logs",
                "0 of {count} counters can be compared with the logs",
            )
        return say_count(
            len(reconciliation),
            "0 of {count} piece of equipment has a counter",
            "0 of {count} pieces of equipment have a counter",
        )
    if not wrong:
        return say_count(
            compared,
            "the {count} counter that can be compared agrees with the logs",
            "all {count} counters that can be compared agree with the logs",
        )
    of = say_count(compared, "of {count} counter", "of {count} counters")
    return say_count(
        wrong, "{count} {of} contradicts the logs", "{count} {of} contradict the logs", of=of
    )


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
        return say("No equipment is known to be aircraft.")
    kinds = sorted(aircraft["type"].dropna().unique())
    if len(kinds) > MOST_TYPES:
        kinds[MOST_TYPES:] = [say("{count} more", count=number(len(kinds) - MOST_TYPES))]
    out_of_service = aircraft["status"].value_counts().reindex(OUT_OF_SERVICE).dropna().astype(int)
    out = [
        say_count(count, "{count} is {status}", "{count} are {status}", status=status)
        for status, count in out_of_service.items()
    ]
    note = say_count(
        len(aircraft),
        "Aircraft are the {count} piece of equipment of type {types}",
        "Aircraft are the {count} pieces of equipment of type {types}",
        types=listed(kinds),
    )
    if out:
        note += "; " + say("as of {day}, {states}", day=day(as_of), states=listed(out))
    return f"{note}."


def expired_note(ever: pd.DataFrame, expired: pd.DataFrame, period: Period) -> str:
    """Say what the list of flights on an expired registration holds, and count earlier ones.

    Parameters
    ----------
    ever : DataFrame
        As `metrics.expired_totals` returns it, of all flights up to the end of the period.
    expired : DataFrame
        As `metrics.flown_while_expired` returns it, of the period's alone.
    period : Period

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> ever, expired = pd.DataFrame({"flights": [3]}), pd.DataFrame({"flight_id": ["1"]})
    >>> expired_note(ever, expired, Period.read("2026-10"))
    'Flights in October 2026, after an expiry that stands in the record today; 2 earlier ones.'
    """
    earlier = int(ever["flights"].iloc[0]) - expired["flight_id"].nunique()
    more = f"; {counted(earlier, 'earlier one')}" if earlier else ""
    return say(
        "Flights {when}, after an expiry that stands in the record today{more}.",
        when=during(period),
        more=more,
    )


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
        return _dated(as_of, [say("there is no project")])
    if not open_totals["projects"].sum():
        none = say_count(
            len(projects), "none of {count} project is open", "none of {count} projects is open"
        )
        return _dated(as_of, [none])
    is_open = counted(int(open_totals["projects"].sum()), "project is open", "projects are open")
    facts = [f"{is_open}{_amounts(open_totals)}"]
    if ready["projects"].sum():
        count = number(ready["projects"].sum())
        facts.append(say("{count} can be invoiced", count=count) + _amounts(ready))
    return _dated(as_of, [*facts, _lateness(projects, late)])


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
    if services.empty:
        return _dated(as_of, [say("there is no service")])
    tiered = int(services["service_id"].isin(tiers["service_id"]).sum())
    of = say_count(len(services), "of {count} service", "of {count} services")
    facts = [say_count(tiered, "{count} {of} has tiers", "{count} {of} have tiers", of=of)]
    if len(tiers):
        rated = int(rates["rate"].notna().sum())
        of = say_count(len(rates), "of {count} active tier", "of {count} active tiers")
        facts += [say_count(rated, "{count} {of} has a rate", "{count} {of} have a rate", of=of)]
        facts += [_flagged(flags)]
    return _dated(as_of, facts)


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
        return say(
            "whether any is late can't be told (0 of {of} have a date)", of=number(len(waiting))
        )
    return say_count(
        dated, "the {count} with a date is not late", "none of the {count} with a date is late"
    )


def _amounts(rows: pd.DataFrame) -> str:
    """Write the value in each currency, those of most projects first; bounded, the rest counted."""
    known = rows[rows["value"].notna()]
    priced, projects = int(rows["priced"].sum()), int(rows["projects"].sum())
    if known.empty:
        return " " + say("(price not recorded, 0 of {of})", of=number(projects))
    named = known.sort_values("priced", ascending=False, kind="stable").index[:MOST_CURRENCIES]
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
        return say("No month that was reported has changed since.")
    named = list(months.head(MOST_MONTHS).itertuples())
    titles = [Period.read(row.month).title_beside(period) for row in named]
    its = bool(named[0].month == period.previous().name)
    parts = [
        _restated(row, title, its if row is named[0] else None)
        for title, row in zip(titles, named, strict=True)
    ]
    others = len(months) - len(parts)
    if others:
        parts.append(counted(others, "earlier month changed too", "earlier months changed too"))
    return "; ".join(parts) + "."


def _restated(row: Any, title: str, its: bool | None) -> str:
    """Say how a month moved: since its own report, since the last one, or without saying which."""
    size = hours_moved(row.hours)
    parts = {"month": titled(title), "size": size, "why": restating(row)}
    if its is None:
        if size:
            return say("{month} moved by {size}: {why}", **parts)
        return say("{month} kept its hours: {why}", **parts)
    if its:
        if size:
            return say("{month} moved by {size} since its report: {why}", **parts)
        return say("{month} kept its hours since its report: {why}", **parts)
    if size:
        return say("{month} moved by {size} since the last report: {why}", **parts)
    return say("{month} kept its hours since the last report: {why}", **parts)


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
    if not size.strip("0.,"):
        return say("less than {hours} h", hours=number(0.1, HOURS))
    return f"{size} h"


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
    parts = [
        counted(moves["project_id"].nunique(), "project moved stage", "projects moved stage")
        if len(moves)
        else "",
        counted(
            states["equipment_id"].nunique(),
            "piece of equipment changed its status or condition",
            "pieces of equipment changed their status or condition",
        )
        if len(states)
        else "",
        counted(len(prices), "price changed", "prices changed") if len(prices) else "",
    ]
    summary = ", ".join(part for part in parts if part)
    return f"{summary or _unchanged(readable)}."


def _unchanged(readable: Container[str]) -> str:
    """Say that nothing changed, of what was looked at."""
    things = {
        "projects": say("no project moved stage"),
        "equipment": say("no status or condition changed"),
        "services": say("no price changed"),
    }
    summary = ", ".join(thing for table, thing in things.items() if table in readable)
    return titled(summary) or say("Of projects, equipment and prices no changes can be known")
