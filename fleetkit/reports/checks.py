"""What a report is refused for before a notebook runs: a filter or a period without any data.

What short tables show, such as a misspelt client, is reported before the flights of a service are
loaded; the rest once there is one state of the data, which is read in columns only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fleetkit.arguments import check_tokens
from fleetkit.errors import Forbidden, InvalidValue, NothingToReport
from fleetkit.exclusion import named_values
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.fleet.coverage import reportable_days, zone_of
from fleetkit.fleet.occurring import (
    check_area,
    check_values,
    fields_of,
    flown_values,
    reader,
    values_of,
)
from fleetkit.fleet.window import window
from fleetkit.interface import did_you_mean, worded
from fleetkit.language import short_day
from fleetkit.notices import notify
from fleetkit.reports.subject import Subject
from fleetkit.reports.texts import moment
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Clock, Ends, Period, widened

__all__ = ["check_before_loading", "check_data", "unreadable"]


def check_before_loading(fleet: Fleet, subject: Subject, *, allow_empty: bool) -> None:
    """Refuse what can't be reported as far as that is known without any flights.

    Parameters
    ----------
    fleet : Fleet
        Its short tables are read, if the filter names values of theirs.
    subject : Subject
        Period, filter and settings.
    allow_empty : bool
        Accept values that no record has.

    Raises
    ------
    NothingToReport
        The period lies after the data, the filter's days outside of it, or no record has a value
        of the filter.
    InvalidValue
        A flight type in small letters, or a setting by which nothing is an aircraft.
    Forbidden
        The filter narrows projects, and the key can't read them.
    """
    if isinstance(fleet, MirroredFleet):
        check_data(fleet.whole(), subject, allow_empty=allow_empty)
        return
    _check_begun(fleet, subject.period)
    _check_readable(fleet.whole(), subject.filter)
    if not allow_empty:
        _check_days(subject)
        _check_occurring(subject.filter)
        _check_case(subject.filter)
        _check_short_tables(fleet.whole(), subject)


def check_data(fleet: MirroredFleet, subject: Subject, *, allow_empty: bool) -> None:
    """Refuse what can't be reported from a state of the data.

    Parameters
    ----------
    fleet : MirroredFleet
        The whole organisation, from that state.
    subject, allow_empty
        As for `check_before_loading`.

    Raises
    ------
    NothingToReport
        The period lies after the data, or before the first flight, the filter's days outside of it,
        or no record has a value of the filter.
    InvalidValue
        A setting by which nothing is an aircraft.
    Forbidden
        The filter narrows projects, and the key that read the data couldn't read them.
    """
    _check_begun(fleet, subject.period)
    _check_readable(fleet, subject.filter)
    if allow_empty:
        return
    _check_occurring(subject.filter)
    _check_short_tables(fleet, subject)
    try:
        _check_flights(fleet, subject.filter)
        _check_covered(fleet, subject.period)
    except Forbidden:  # the sections of flights are left out, and the report says so
        return
    _check_days(subject)


def _check_flights(fleet: MirroredFleet, filter_: Filter) -> None:
    """Refuse values that no flight has, and areas where none took off."""
    fields = fields_of(filter_, "flights")
    values = flown_values(fleet, fields)
    check_values(filter_, "flights", values, fields, NothingToReport, read=reader(fleet))
    check_area(filter_, fleet, NothingToReport)


def _check_begun(fleet: Fleet, period: Period) -> None:
    fetched_at = fleet.fetched_at
    if period.since < fetched_at:
        return
    raise NothingToReport(
        f"{period.title} had not begun when the data were fetched, on "
        f"{moment(fetched_at, period.tz)}. {_reportable(fleet)}",
        advice="Choose an earlier period, or bring the data up to date.",
    )


def _check_covered(fleet: MirroredFleet, period: Period) -> None:
    """Refuse a period before the first flight: of that nothing is known.

    A month in between without a flight is known to have none, and is reported so.
    """
    clock, ended, mirror = Clock.of(tz=zone_of(fleet)), Ends(until=period.until), fleet.mirror
    if clock.cut(mirror.flight_dates(*widened(period)), ended).num_rows:
        return
    if clock.cut(mirror.flight_dates(None, period.since), ended).num_rows:
        return
    allow = "Allow" if reportable_days(fleet) is None else "Choose another period, or allow"
    raise NothingToReport(
        f"There are no data of {period.title}. {_reportable(fleet)}",
        advice=worded(
            python=f"{allow} an empty report with allow_empty=True.",
            command_line=f"{allow} an empty report with --allow-empty.",
            page="Choose another period.",
        ),
    )


def _reportable(fleet: Fleet) -> str:
    """Say which days can be reported on; nothing where a service would have to be loaded."""
    if fleet.mirror is None:
        return ""
    days = reportable_days(fleet)
    if days is None:
        return "There are no flights to report on."
    return f"The data cover {short_day(days[0])} to {short_day(days[1])}."


def _check_days(subject: Subject) -> None:
    """Refuse a filter whose own days have none in common with the period, be they dates or not."""
    period, filter_ = subject.period, subject.filter
    days = window(since=filter_.since, until=filter_.until, tz=subject.tz)
    clocks = (Clock(subject.tz, dates_only=only) for only in (True, False))
    common = (clock.edges(days).within(clock.edges(period)) for clock in clocks)
    if any(part.since and part.until and part.since < part.until for part in common):
        return
    raise NothingToReport(
        f"The filter's own days, since and until, have none in common with {period.title}.",
        advice=worded(
            python="Choose others, leave them out, or pass allow_empty=True.",
            command_line="Choose others, leave them out, or give --allow-empty.",
            page="Choose others, or leave them out.",
        ),
    )


def _check_occurring(filter_: Filter) -> None:
    """Refuse a filter that no record can satisfy: a field without values, such as ``client=``."""
    for name, value in filter_.to_parameters().items():
        if value == []:
            raise NothingToReport(
                f"The filter {name} holds no value, so no record is meant.",
                advice=worded(
                    python="Name one, leave the filter out, or pass allow_empty=True.",
                    command_line="Name one, leave the filter out, or give --allow-empty.",
                    page="Name one, or leave the filter out.",
                ),
            )


def _check_readable(fleet: Fleet, filter_: Filter) -> None:
    """Refuse a filter that only projects tell the flights of, where the key can't read these."""
    narrowing = filter_.only("client", "status").to_parameters()
    if not narrowing:
        return
    try:
        fleet.projects()
    except Forbidden as problem:
        raise unreadable(f"The filter {next(iter(narrowing))}", problem) from None


def unreadable(what: str, problem: Forbidden) -> Forbidden:
    """Return the error of a report for which the key lacks a scope, in place of its mirror's."""
    return Forbidden(
        f"{what} needs what the key can't read: it lacks the scope {problem.scope}.",
        scope=problem.scope,
        status=problem.status,
        advice="Give the key that scope in the service's dashboard.",
    )


def _check_case(filter_: Filter) -> None:
    """Refuse a flight type that is one of the reference's but for its letters' case."""
    tokens = (token for token in named_values(filter_.flight_type) if token.upper() in FLIGHT_TYPES)
    check_tokens(tokens, FLIGHT_TYPES, "flight type", "Flight types")


def _check_short_tables(fleet: Fleet, subject: Subject) -> None:
    """Refuse values that no equipment, or no project, has; what the key can't read passes.

    A flight may name a project that isn't listed, so projects are looked for among flights too.
    """
    read = reader(fleet)
    for table in ("equipment", "projects"):
        fields = fields_of(subject.filter, table)
        settings, of_equipment = subject.settings, table == "equipment"
        is_set = of_equipment and (settings.aircraft_types or settings.service_intervals)
        if not fields and not is_set:
            continue
        try:
            rows = read(table)
        except Forbidden:
            continue
        values = values_of(rows, table)
        check_values(subject.filter, table, values, fields, NothingToReport, read=read)
        if of_equipment:
            _check_aircraft(settings.aircraft_types, values["type"])
            models = rows["model"].dropna().unique()
            _notice_intervals(settings.service_intervals, [*values["type"], *models])


def _notice_intervals(names: Iterable[str], known: Sequence[str]) -> None:
    """Say which types or models with a service interval there are none of."""
    for name in names:
        if known and name not in known:
            notify(
                f"Setting service_intervals: no piece of equipment has the type or model {name}. "
                + did_you_mean(name, known)
            )


def _check_aircraft(types: Sequence[str], known: Sequence[str]) -> None:
    """Refuse types of aircraft none of which there is: utilisation would be blank."""
    if types and known and not set(types) & set(known):
        raise InvalidValue(
            f"Setting aircraft_types: no piece of equipment is of type {' or '.join(types)}. "
            + did_you_mean(types[0], known),
            advice=f"Types are: {', '.join(known)}.",
        )
