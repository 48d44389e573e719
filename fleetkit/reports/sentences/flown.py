"""The sentence on activity: how much was flown, against the period before and the year before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fleetkit.language import counted, listed, say, say_count, titled
from fleetkit.reports.kpis import change_in_percent
from fleetkit.reports.sentences.words import during
from fleetkit.rounding import HOURS, number
from fleetkit.time import Period, SoFar

__all__ = ["activity"]


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
        # Of one aircraft, too: its number differs in other languages.
        text = "{active} of {count} aircraft flew"
        sentence += "; " + say_count(aircraft, text, text, active=number(active["value"]))
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
    pairs = [(hours.get("previous"), before)]
    # The period before a year, or before twelve months, is the year before: it is said once.
    if period.previous() != period.year_before():
        pairs.append((hours.get("year_before"), during(period.year_before())))
    known = [(value, when) for value, when in pairs if value]
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
