"""The sentences on equipment: registrations, counters, and which pieces are aircraft."""

from __future__ import annotations

from datetime import date

import pandas as pd

from fleetkit.filters import Filter
from fleetkit.kinds import OUT_OF_SERVICE
from fleetkit.language import counted, listed, say, say_count, short_day
from fleetkit.reports.scope import is_for_one_client
from fleetkit.reports.sentences.words import dated, during, first_listed
from fleetkit.rounding import number
from fleetkit.time import Period

__all__ = ["aircraft_note", "condition", "expired_note"]

# Types of equipment that are named; the others are counted.
_MOST_TYPES = 5
# Verdicts of `metrics.reconciliation` that compare nothing.
_NOT_COMPARED = ("not comparable", "no counter")


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
    return dated(as_of, [*facts, _counters(reconciliation)])


def _registrations(registrations: pd.DataFrame) -> str:
    dated = int((registrations["band"] != "missing").sum())
    if not dated:
        return say_count(
            len(registrations),
            "no registration can be judged (0 of {count} has an expiry date)",
            "no registration can be judged (0 of {count} have an expiry date)",
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
    compared = int((~reconciliation["verdict"].isin(_NOT_COMPARED)).sum())
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


def aircraft_note(aircraft: pd.DataFrame, as_of: date, filters: Filter | None = None) -> str:
    """Say which equipment is aircraft, and how many of it are out of service by now.

    In a report of one client, what never flew for it isn't among them, and that is said.

    Parameters
    ----------
    aircraft : DataFrame
        As `metrics.aircraft` returns it: ``type``, ``status``.
    as_of : date
        The day of which the equipment's records are.
    filters : Filter, optional
        The report's.

    Examples
    --------
    >>> aircraft = pd.DataFrame({"type": ["DRONE", "DRONE"], "status": ["ACTIVE", "LOST"]})
    >>> aircraft_note(aircraft, date(2026, 11, 21))
    'Aircraft are the 2 pieces of equipment of type DRONE; as of 21 Nov 2026, 1 is LOST.'
    """
    left_out = ""
    if filters is not None and is_for_one_client(filters):
        left_out = " " + say("Equipment without a flight that meets the filter is left out.")
    if aircraft.empty:
        return say("No equipment of this report is known to be aircraft.") + left_out
    kinds = sorted(aircraft["type"].dropna().unique())
    out_of_service = aircraft["status"].value_counts().reindex(OUT_OF_SERVICE).dropna().astype(int)
    out = [
        say_count(count, "{count} is {status}", "{count} are {status}", status=status)
        for status, count in out_of_service.items()
    ]
    note = say_count(
        len(aircraft),
        "Aircraft is the {count} piece of equipment of type {types}",
        "Aircraft are the {count} pieces of equipment of type {types}",
        types=first_listed(kinds, _MOST_TYPES),
    )
    if out:
        note += "; " + say("as of {day}, {states}", day=short_day(as_of), states=listed(out))
    return f"{note}.{left_out}"


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
