"""What needs attention: one line of each kind, graded by the worst of its items.

A line names the two or three worst and counts the others, says whose they are and since when.
``section.attention(**line)`` takes each; the first page orders those of all sections by grade,
then by how many, then by how long, and `verdict` says the gravest of them in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Literal, get_args

import pandas as pd

from fleetkit.language import counted, listed, localized, message, say, say_count, titled
from fleetkit.lettering import cut
from fleetkit.reports.sentences import during, hours_moved, of_records, restating
from fleetkit.reports.texts import shown
from fleetkit.rounding import PERCENT, number
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period, to_local_time

__all__ = [
    "GRADES",
    "data_quality",
    "equipment",
    "in_order",
    "pilots",
    "prices",
    "projects",
    "restatements",
    "verdict",
]

Grade = Literal["high", "medium", "low"]
GRADES: tuple[Grade, ...] = get_args(Grade)
# A line names all of so few items; of more, the worst ones.
MOST_NAMED, NAMED_OF_MANY = 3, 2
# Columns that a name takes in a line.
MOST_NAME = 34
# What binary arithmetic may add to a share.
_NOISE = 1e-9
# Lines of one grade that the verdict says in words.
MOST_SAID = 4

Line = dict[str, Any]
Thresholds = Mapping[str, float]


def _line(
    severity: Grade,
    summary: str,
    names: Sequence[str],
    *,
    of: int,
    who: Iterable[Any] = (),
    when: str = "",
    days: float = 0,
) -> Line:
    """Return what `Section.attention` takes of a kind.

    Parameters
    ----------
    severity : str
        The grade of the worst item.
    summary : str
        What it is, with the count and the period's figure; the verdict says it too.
    names : sequence of str
        The worst items, worst first.
    of : int
        How many there are in all.
    who : iterable
        Whom the named ones concern; nulls and repetitions are left out.
    when : str
        Since when, or by when.
    days : float
        For how long the worst has been so.
    """
    named = list(names[: MOST_NAMED if of <= MOST_NAMED else NAMED_OF_MANY])
    rest = of - len(named)
    parts = [*named, say("{count} more", count=number(rest))] if rest else named
    persons = list(
        dict.fromkeys(cut(str(name), MOST_NAME) for name in who if not pd.isna(name) and name)
    )
    if len(persons) > NAMED_OF_MANY:
        others = number(len(persons) - NAMED_OF_MANY)
        persons[NAMED_OF_MANY:] = [say("{count} more", count=others)]
    return {
        "text": f"{summary}: {listed(parts)}" if parts else summary,
        "severity": severity,
        "who": listed(persons),
        "when": when,
        "summary": summary,
        "count": of,
        "days": float(days),
    }


def _of_them(grave: int, count: int, what: str) -> str:
    """Say how many of the items are graver than the others, and how so."""
    if not grave:
        return ""
    if count == 1:
        return f", {what}"
    if grave == count:
        return ", " + say("all of them {what}", what=what)
    return ", " + say_count(grave, "{count} of them {what}", "{count} of them {what}", what=what)


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that a line names."""
    return frame.head(MOST_NAMED if len(frame) <= MOST_NAMED else NAMED_OF_MANY)


def _name(value: Any) -> str:
    return cut(shown(value), MOST_NAME)


def equipment(
    registrations: pd.DataFrame,
    expired: pd.DataFrame,
    reconciliation: pd.DataFrame,
    contradictions: pd.DataFrame,
    idle: pd.DataFrame,
    *,
    maintenance_due: pd.DataFrame,
    aircraft: Iterable[str],
    period: Period,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade what equipment needs.

    Parameters
    ----------
    registrations : DataFrame
        As `metrics.registrations` returns it, of equipment in service.
    expired : DataFrame
        As `metrics.flown_while_expired` returns it, of the period's flights and equipment of any
        status.
    reconciliation : DataFrame
        As `metrics.reconciliation` returns it.
    contradictions : DataFrame
        As `metrics.contradictions` returns it, of the period's flights and equipment of any
        status.
    idle, maintenance_due : DataFrame
        As the metrics of these names return them, of equipment in service.
    aircraft : iterable of str
        The ids of equipment that is aircraft.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Yields
    ------
    dict
        What `Section.attention` takes.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> nothing = pd.DataFrame(columns=["equipment_id", "name", "severity", "flights", "idle_days",
    ...     "days_left", "verdict"])
    >>> flown = pd.DataFrame({
    ...     "equipment_id": ["d", "d"], "name": ["Kestrel"] * 2, "flight_id": ["1", "2"],
    ...     "registration_expiry": pd.to_datetime(["2026-09-20"] * 2), "days_expired": [12, 20],
    ...     "pilot_name": ["Ada", "Ada"],
    ... })
    >>> bands = pd.DataFrame({"band": [], "days_left": [], "name": []})
    >>> [line] = equipment(bands, flown, nothing, nothing, nothing, maintenance_due=nothing,
    ...     aircraft=["d"], period=Period.read("2026-10"))
    >>> line["severity"], line["text"], line["who"], line["when"]
    ('high', '1 aircraft flew on an expired registration, 2 flights in October 2026: Kestrel (2)', 'Ada', 'expired on 20 Sep 2026')
    """  # noqa: E501 - the line is written as it is printed
    ids = set(aircraft)
    registrations, expired = to_local_time(registrations), to_local_time(expired)
    yield from _flown_while_expired(expired, ids, period)
    yield from _expired(registrations)
    yield from _expiring(registrations, thresholds)
    yield from _worst_condition(contradictions[contradictions["flights"].isna()])
    yield from _counters(reconciliation, thresholds["counter_percent"])
    yield from _never_flown(idle[idle["equipment_id"].isin(ids)])
    yield from _out_of_use(contradictions[contradictions["flights"].notna()], period)
    yield from _due(maintenance_due, thresholds["service_days"])


def _flown_while_expired(expired: pd.DataFrame, ids: set[str], period: Period) -> Iterator[Line]:
    if expired.empty:
        return
    pieces = expired.groupby("equipment_id").agg(
        name=("name", "first"),
        flights=("flight_id", "nunique"),
        expiry=("registration_expiry", "min"),
        days=("days_expired", "max"),
    )
    pieces = pieces.sort_values(["flights", "days"], ascending=False, kind="stable")
    one = many = "{count} aircraft flew on an expired registration, {flights} {when}"
    if not set(pieces.index) <= ids:
        one = "{count} piece of equipment flew on an expired registration, {flights} {when}"
        many = "{count} pieces of equipment flew on an expired registration, {flights} {when}"
    flights = counted(expired["flight_id"].nunique(), "flight")
    pilots = expired[expired["equipment_id"].isin(_named(pieces).index)]["pilot_name"]
    yield _line(
        "high",
        say_count(len(pieces), one, many, flights=flights, when=during(period)),
        [f"{_name(row.name)} ({number(row.flights)})" for row in _rows(pieces)],
        of=len(pieces),
        who=pilots.value_counts().sort_index().nlargest(MOST_NAMED).index,
        when=say("expired on {day}", day=shown(pieces["expiry"].min())),
        days=pieces["days"].max(),
    )


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Return the rows that a line names, without their index: `name` is a column."""
    return _named(frame).reset_index(drop=True).itertuples(index=False)


def _expired(registrations: pd.DataFrame) -> Iterator[Line]:
    expired = registrations[registrations["band"] == "expired"].sort_values(
        "days_left", kind="stable"
    )
    if expired.empty:
        return
    yield _line(
        "high",
        counted(
            len(expired),
            "registration of equipment in service has expired",
            "registrations of equipment in service have expired",
        ),
        [f"{_name(row.name)} ({shown(row.registration_expiry)})" for row in _rows(expired)],
        of=len(expired),
        when=say("since {day}", day=shown(expired["registration_expiry"].iloc[0])),
        days=-expired["days_left"].iloc[0],
    )


def _expiring(registrations: pd.DataFrame, thresholds: Thresholds) -> Iterator[Line]:
    near, later = int(thresholds["expiry_days"]), int(thresholds["expiry_later_days"])
    left = registrations["days_left"].astype("float64")
    due = registrations[left.between(0, later)].sort_values("days_left", kind="stable")
    if due.empty:
        return
    soon = int((due["days_left"] <= near).sum())
    expire = say_count(
        len(due),
        "{count} registration expires {within}",
        "{count} registrations expire {within}",
        within=_within(near if soon == len(due) else later),
    )
    if 0 < soon < len(due):
        count, days = number(soon), number(near)
        expire += ", " + say("{count} of them within {days}", count=count, days=days)
    yield _line(
        "medium" if soon else "low",
        expire,
        [f"{_name(row.name)} ({shown(row.registration_expiry)})" for row in _rows(due)],
        of=len(due),
        when=say("from {day}", day=shown(due["registration_expiry"].iloc[0])),
        days=later - float(due["days_left"].iloc[0]),
    )


def _worst_condition(pieces: pd.DataFrame) -> Iterator[Line]:
    """Name ACTIVE equipment in the worst condition that any has."""
    if pieces.empty:
        return
    pieces = pieces.sort_values("name", kind="stable")
    yield _line(
        "high",
        say_count(
            len(pieces),
            "{count} piece of equipment in condition {condition} is {status}",
            "{count} pieces of equipment in condition {condition} are {status}",
            condition=pieces["condition"].iloc[0],
            status="ACTIVE",
        ),
        [_name(row.name) for row in _rows(pieces)],
        of=len(pieces),
    )


def _out_of_use(flown: pd.DataFrame, period: Period) -> Iterator[Line]:
    """Name equipment that flew in the period and is out of use today: a question."""
    if flown.empty:
        return
    after = _of_them(
        int((flown["severity"] == "error").sum()),
        len(flown),
        say("after its record last changed"),
    )
    yield _line(
        "low",
        say_count(
            len(flown),
            "{count} piece of equipment out of use today flew {when}{flights}{after}",
            "{count} pieces of equipment out of use today flew {when}{flights}{after}",
            when=during(period),
            flights=_flights_of(flown),
            after=after,
        ),
        [f"{_name(row.name)} ({row.status}: {number(row.flights)})" for row in _rows(flown)],
        of=len(flown),
    )


def _flights_of(flown: pd.DataFrame) -> str:
    """Count the flights of several pieces, each once; nothing where not all of their ids are known.

    A drone and its camera fly together.
    """
    ids = [name for text in flown["flight_ids"] for name in text.split(", ")]
    if len(ids) < flown["flights"].sum():
        return ""
    return f", {counted(len({*ids}), 'flight')}"


def _due(due: pd.DataFrame, within: float) -> Iterator[Line]:
    """Name equipment whose service interval is used up, or soon will be."""
    soon = due[due["days_left"].astype("float64") <= within]
    if soon.empty:
        return
    soon = soon.sort_values("days_left", kind="stable")
    used_up = int((soon["days_left"] <= 0).sum())
    is_due = say_count(
        len(soon),
        "{count} piece of equipment is due for maintenance {within}",
        "{count} pieces of equipment are due for maintenance {within}",
        within=_within(int(within)),
    )
    named = [
        say("{name} ({day}, by {measure})", name=_name(row.name), day=shown(row.due), measure=by)
        for row in _rows(soon)
        for by in [say(row.due_by)]
    ]
    yield _line(
        "low",
        is_due + _of_them(used_up, len(soon), say("already")),
        named,
        of=len(soon),
        when=say("from {day}", day=shown(soon["due"].iloc[0])),
        days=within - float(soon["days_left"].iloc[0]),
    )


def _counters(reconciliation: pd.DataFrame, percent: float) -> Iterator[Line]:
    differing = reconciliation[reconciliation["verdict"].isin(["counter higher", "logs higher"])]
    if differing.empty:
        return
    differing = differing.assign(share=_contradiction(differing))
    differing = differing.sort_values("share", ascending=False, kind="stable")
    grave = int((differing["share"] > percent / 100 + _NOISE).sum())
    size = say("by more than {percent} %", percent=localized(f"{percent:g}"))
    contradict = say_count(
        len(differing),
        "{count} counter contradicts the logs",
        "{count} counters contradict the logs",
    )
    yield _line(
        "medium" if grave else "low",
        contradict + _of_them(grave, len(differing), size),
        [f"{_name(row.name)} ({_gap(row)})" for row in _rows(differing)],
        of=len(differing),
    )


def _contradiction(rows: pd.DataFrame) -> pd.Series[float]:
    """Return by which share of the logs the counters are off, in hours or in flights."""
    shares = [
        _off(rows["counter_hours"], rows["logged_hours"]),
        _off(rows["counter_flights"], rows["logged_flights"]),
    ]
    return pd.concat(shares, axis=1).max(axis=1)


def _off(counter: pd.Series[Any], logged: pd.Series[Any]) -> pd.Series[float]:
    counter, logged = counter.astype("float64"), logged.astype("float64")
    return ((counter - logged).abs() / logged).where(counter != logged, 0.0)


def _gap(row: Any) -> str:
    """Write by how many hours a counter is off, or by how many flights where the hours match."""
    flights = 0 if pd.isna(row.counter_flights) else int(row.counter_flights - row.logged_flights)
    hours = "" if pd.isna(row.hours_difference) else hours_moved(row.hours_difference)
    if hours and (row.hours_difference > 0) == (row.verdict == "counter higher"):
        return hours
    return f"{'+' if flights > 0 else '−'}{counted(abs(flights), 'flight')}"


def _never_flown(idle: pd.DataFrame) -> Iterator[Line]:
    idle = idle[idle["idle_days"].isna()].sort_values("name", kind="stable")
    if idle.empty:
        return
    yield _line(
        "low",
        say_count(
            len(idle),
            "{count} aircraft in service never flew",
            "{count} aircraft in service never flew",
        ),
        [_name(row.name) for row in _rows(idle)],
        of=len(idle),
    )


def pilots(
    recency: pd.DataFrame,
    flown: pd.DataFrame,
    as_of: date,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade the recency of pilots.

    Parameters
    ----------
    recency : DataFrame
        As `metrics.recency` returns it for the period's last day, of pilots who matter still.
    flown : DataFrame
        As `metrics.flown_without_recency` returns it, of the period's flights.
    as_of : date
        The period's last day.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> state = pd.DataFrame({
    ...     "pilot_id": ["a", "b"], "pilot_name": ["Ada", "Bo"], "recent": [True, False],
    ...     "lapses": pd.to_datetime(["2026-11-12", "2026-10-05"]),
    ... })
    >>> flown = pd.DataFrame({
    ...     "flight_id": ["1"], "pilot_id": ["b"], "pilot_name": ["Bo"],
    ...     "lapsed": pd.to_datetime(["2026-10-05"]),
    ... })
    >>> for line in pilots(state, flown, date(2026, 10, 31), Period.read("2026-10")):
    ...     print(line["severity"], line["text"])
    high 1 pilot flew on after recency lapsed, 1 flight in October 2026: Bo (1)
    medium 2 pilots lapsed or lapse within 30 days of 31 Oct 2026: Bo (lapsed 5 Oct 2026) and Ada (lapses 12 Nov 2026)
    """  # noqa: E501 - the line is written as it is printed
    yield from _flew_on(flown, period)
    if len(recency) and not recency["recent"].any():
        yield _none_recent(recency, as_of)
    else:
        yield from _lapsing(recency, as_of, int(thresholds["lapse_days"]))


def _flew_on(flown: pd.DataFrame, period: Period) -> Iterator[Line]:
    """Name pilots who flew in the period after they had lapsed."""
    if flown.empty:
        return
    pilots = flown.groupby("pilot_id").agg(
        name=("pilot_name", "first"), flights=("flight_id", "nunique"), lapses=("lapsed", "min")
    )
    pilots = pilots.sort_values(["flights", "lapses"], ascending=[False, True], kind="stable")
    flights = counted(flown["flight_id"].nunique(), "flight")
    yield _line(
        "high",
        say_count(
            len(pilots),
            "{count} pilot flew on after recency lapsed, {flights} {when}",
            "{count} pilots flew on after recency lapsed, {flights} {when}",
            flights=flights,
            when=during(period),
        ),
        [f"{_name(row.name)} ({number(row.flights)})" for row in _rows(pilots)],
        of=len(pilots),
        when=say("lapsed on {day}", day=shown(pilots["lapses"].min())),
        days=(pd.Timestamp(period.last_day) - pilots["lapses"].min()).days,
    )


def _none_recent(recency: pd.DataFrame, as_of: date) -> Line:
    longest = recency.sort_values("lapses", kind="stable")
    since = longest["lapses"].max()  # until the last one lapsed, one was recent
    return _line(
        "high",
        say_count(
            len(recency),
            "The only pilot is not recent on {day}",
            "None of {count} pilots is recent on {day}",
            day=shown(as_of),
        ),
        [f"{_name(row.pilot_name)} ({_lapse(row)})" for row in _rows(longest)],
        of=len(recency),
        when="" if pd.isna(since) else say("since {day}", day=shown(since)),
        days=0 if pd.isna(since) else (pd.Timestamp(as_of) - since).days,
    )


def _lapsing(recency: pd.DataFrame, as_of: date, within: int) -> Iterator[Line]:
    days = (recency["lapses"] - pd.Timestamp(as_of)).dt.days
    near = recency[days.abs() <= within].sort_values("lapses", kind="stable")
    if near.empty:
        return
    first = near["lapses"].iloc[0]
    yield _line(
        "medium",
        say_count(
            len(near),
            "{count} pilot lapsed or lapses {within} of {day}",
            "{count} pilots lapsed or lapse {within} of {day}",
            within=_within(within),
            day=shown(as_of),
        ),
        [f"{_name(row.pilot_name)} ({_lapse(row)})" for row in _rows(near)],
        of=len(near),
        when=say("from {day}" if near["recent"].iloc[0] else "since {day}", day=shown(first)),
        days=within - (first - pd.Timestamp(as_of)).days,
    )


def _lapse(row: Any) -> str:
    if pd.isna(row.lapses):
        return say("never recent")
    return say("lapses {day}" if row.recent else "lapsed {day}", day=shown(row.lapses))


def _within(days: int) -> str:
    return say_count(days, "within {count} day", "within {count} days")


def projects(
    late: pd.DataFrame,
    ready: pd.DataFrame,
    stalled: pd.DataFrame,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade the projects that wait for somebody.

    Parameters
    ----------
    late, ready, stalled : DataFrame
        As `metrics.late_projects`, `metrics.to_invoice` and `metrics.stalled_projects` return
        them.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> late = pd.DataFrame({
    ...     "title": ["Quarry", "Roof"], "client_account_name": ["Fjord", None],
    ...     "assigned_pilot_name": [None, "Ada"], "days_late": [31, 2],
    ...     "scheduled_date": pd.to_datetime(["2026-10-01", "2026-10-30"]),
    ... })
    >>> nothing = late.head(0).assign(days_since_updated=[], days_untouched=[], updated_at=[])
    >>> [line] = projects(late, nothing, nothing)
    >>> line["severity"], line["text"], line["who"]
    ('high', '2 projects are late, 1 of them for more than 30 days: Quarry (31 days) and Roof (2 days)', 'Fjord and Ada')
    """  # noqa: E501 - the line is written as it is printed
    late, ready, stalled = (to_local_time(rows) for rows in (late, ready, stalled))
    yield from _waiting(
        late, "days_late", "scheduled_date",
        ("{count} project is late", "{count} projects are late"),
        above=thresholds["late_days"], grades=("high", "medium"), since=message("since {day}"),
    )  # fmt: skip
    yield from _waiting(
        ready, "days_since_updated", "updated_at",
        (
            "{count} delivered project is not invoiced",
            "{count} delivered projects are not invoiced",
        ),
        above=thresholds["uninvoiced_days"], grades=("medium", "low"),
        since=message("untouched since {day}"),
    )  # fmt: skip
    yield from _waiting(
        stalled, "days_untouched", "updated_at",
        ("{count} project is stalled", "{count} projects are stalled"),
        above=None, grades=("low", "low"), since=message("untouched since {day}"),
    )  # fmt: skip


def prices(flags: pd.DataFrame) -> Iterator[Line]:
    """Name the services whose prices contradict themselves.

    Parameters
    ----------
    flags : DataFrame
        As `metrics.price_flags` returns it; a question about a price is no matter for the first
        page.

    Examples
    --------
    >>> flags = pd.DataFrame({
    ...     "service_id": ["a", "a", "b"], "service": ["Survey", "Survey", "Filming"],
    ...     "flag": ["level twice", "modifier ≤ −100", "modifier falls"],
    ...     "severity": ["error", "error", "question"],
    ... })
    >>> [line] = prices(flags)
    >>> line["severity"], line["text"]
    ('low', '1 service has prices that contradict themselves: Survey (level twice and 1 more)')
    """
    errors = flags[flags["severity"] == "error"].groupby("service_id", sort=False)
    services = errors.agg(name=("service", "first"), flag=("flag", "first"), count=("flag", "size"))
    services = services.sort_values("count", ascending=False, kind="stable")
    if services.empty:
        return
    yield _line(
        "low",
        say_count(
            len(services),
            "{count} service has prices that contradict themselves",
            "{count} services have prices that contradict themselves",
        ),
        [
            f"{_name(row.name)} ({_with_more(say(row.flag), row.count - 1)})"
            for row in _rows(services)
        ],
        of=len(services),
    )


def _with_more(name: str, count: int) -> str:
    return listed([name, say("{count} more", count=number(count))]) if count else name


def _waiting(
    rows: pd.DataFrame,
    days: str,
    moment: str,
    words: tuple[str, str],
    *,
    above: float | None,
    grades: tuple[Grade, Grade],
    since: str,
) -> Iterator[Line]:
    """Name projects by how many days they wait, the longest first; graver above so many."""
    if rows.empty:
        return
    waited = rows[days].astype("float64").fillna(0.0)
    rows = rows.assign(waited=waited).sort_values("waited", ascending=False, kind="stable")
    grave = 0 if above is None else int((rows["waited"] > above).sum())
    by = ""
    if above is not None and grave:
        longer = say_count(int(above), "for more than {count} day", "for more than {count} days")
        by = _of_them(grave, len(rows), longer)
    named = _named(rows)
    oldest = rows[moment].iloc[0]
    yield _line(
        grades[0] if grave else grades[1],
        say_count(len(rows), *words) + by,
        [f"{_name(row.title)} ({_days(getattr(row, days))})" for row in _rows(rows)],
        of=len(rows),
        who=named[["client_account_name", "assigned_pilot_name"]].to_numpy().ravel(),
        when="" if pd.isna(oldest) else say(since, day=shown(oldest)),
        days=rows["waited"].iloc[0],
    )


def _days(days: Any) -> str:
    return say("for how long is not known") if pd.isna(days) else counted(int(days), "day")


def restatements(
    months: pd.DataFrame,
    impossible: pd.DataFrame,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade what changed since the last report: months that moved, moves that shouldn't be.

    Parameters
    ----------
    months : DataFrame
        As `Past.months` returns it. A month counts that moved by the threshold or more.
    impossible : DataFrame
        As `metrics.impossible_moves` returns it.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2], "share": [0.046]})
    >>> moves = pd.DataFrame({
    ...     "project_id": ["r"], "title": ["Roof"], "client_account_name": ["Fjord"],
    ...     "from_status": ["COMPLETED"], "to_status": ["DRAFT"],
    ...     "moved_at": pd.to_datetime(["2026-10-20T06:00Z"]),
    ... })
    >>> for line in restatements(months, moves, Period.read("2026-10")):
    ...     print(line["severity"], line["text"], line["when"])
    high 1 project moved as none should: Roof (COMPLETED → DRAFT) seen 20 Oct 2026
    low 1 reported month moved by 1 % of its hours or more: September (+1.2 h) by 4.6 %
    """
    yield from _impossible(impossible)
    # A month that had no hours before moved by all of them.
    percent = thresholds["restated_percent"]
    noticed = months[months["hours"].abs().gt(0) & months["share"].fillna(1).ge(percent / 100)]
    if noticed.empty:
        return
    worst = noticed.sort_values("share", ascending=False, na_position="first", kind="stable")
    share = worst["share"].iloc[0]
    yield _line(
        "low",
        say_count(
            len(worst),
            "{count} reported month moved by {percent} % of its hours or more",
            "{count} reported months moved by {percent} % of their hours or more",
            percent=localized(f"{percent:g}"),
        ),
        [
            f"{Period.read(row.month).title_beside(period)} ({hours_moved(row.hours)})"
            for row in _rows(worst)
        ],
        of=len(worst),
        who=[restating(row) for row in _rows(worst)] if len(worst) == 1 else (),
        when="" if pd.isna(share) else say("by {percent} %", percent=number(100 * share, PERCENT)),
    )


def _impossible(moves: pd.DataFrame) -> Iterator[Line]:
    if moves.empty:
        return
    latest = moves.sort_values("moved_at", ascending=False, kind="stable")
    projects = latest.drop_duplicates("project_id")
    yield _line(
        "high",
        say_count(
            len(projects),
            "{count} project moved as none should",
            "{count} projects moved as none should",
        ),
        [f"{_name(row.title)} ({row.from_status} → {row.to_status})" for row in _rows(projects)],
        of=len(projects),
        who=_named(projects)["client_account_name"],
        when=say("seen {day}", day=shown(latest["moved_at"].iloc[0])),
    )


def data_quality(
    checks: pd.DataFrame,
    of_period: pd.DataFrame,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Name the checks that count many records, or a large share of what they could look at.

    Parameters
    ----------
    checks, of_period : DataFrame
        As `metrics.data_quality` returns it, of all flights and of those of the period: flights
        are counted in the period, other records as they are.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> checks = pd.DataFrame({"check": ["Position at 0, 0", "No price"], "severity": ["error"] * 2,
    ...     "records": ["flights", "projects"], "count": [90, 12], "of": [900, 80]})
    >>> lately = checks.assign(count=[11, 12], of=[100, 80])
    >>> [line] = data_quality(checks, lately, Period.read("2026-10"))
    >>> line["severity"], line["text"]
    ('low', '2 checks of the data count many records: No price (12 of 80 projects) and Position at 0, 0 (11 of 100 flights in October 2026)')
    """  # noqa: E501 - the line is written as it is printed
    dated = checks["records"] == "flights"
    rows = pd.concat([of_period[of_period["records"] == "flights"], checks[~dated]])
    share = rows["count"] / rows["of"].where(rows["of"] > 0)
    many, percent = thresholds["many_records"], thresholds["many_percent"]
    is_many = (rows["count"] >= many) | (share >= percent / 100)
    rows = rows[is_many & (rows["count"] > 0) & rows["severity"].isin(["error", "warning"])]
    if rows.empty:
        return
    rows = rows.sort_values(["count", "check"], ascending=[False, True])
    yield _line(
        "low",
        counted(
            len(rows),
            "check of the data counts many records",
            "checks of the data count many records",
        ),
        [f"{say(row.check)} ({_part(row, period)})" for row in _rows(rows)],
        of=len(rows),
    )


def _part(row: Any, period: Period) -> str:
    part = say("{count} {of}", count=number(row.count), of=of_records(row.records, int(row.of)))
    return f"{part} {during(period)}" if row.records == "flights" else part


def in_order(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Order lines by grade, then by how many they count, then by how long.

    Examples
    --------
    >>> lines = [
    ...     {"severity": "low", "count": 9, "days": 0, "summary": "9 aircraft never flew"},
    ...     {"severity": "high", "count": 1, "days": 48, "summary": "1 project is late"},
    ... ]
    >>> [line["summary"] for line in in_order(lines)]
    ['1 project is late', '9 aircraft never flew']
    """
    return sorted(
        lines,
        key=lambda line: (GRADES.index(line["severity"]), -line["count"], -line["days"]),
    )


def verdict(lines: Iterable[Mapping[str, Any]], left_out: Sequence[str] = ()) -> str:
    """Say in a sentence what needs attention most; never milder than the lines are.

    Parameters
    ----------
    lines : iterable of dict
        As `Section.attention` keeps them.
    left_out : sequence of str
        Titles of chapters that could not be looked at.

    Examples
    --------
    >>> late = {"severity": "high", "summary": "3 projects are late", "count": 3, "days": 48}
    >>> verdict([late, {**late, "severity": "low", "summary": "2 projects are stalled"}])
    'High: 3 projects are late; 1 more matter is graded low.'
    >>> verdict([], left_out=["Equipment condition"])
    'Nothing needs attention; not looked at: Equipment condition.'
    """
    ordered = in_order(lines)
    missing = say("not looked at: {chapters}", chapters=listed([*left_out])) if left_out else ""
    if not ordered:
        nothing = say("Nothing needs attention")
        return "; ".join(part for part in (nothing, missing) if part) + "."
    gravest = ordered[0]["severity"]
    worst = [line["summary"] for line in ordered if line["severity"] == gravest]
    summaries = "; ".join(worst[:MOST_SAID])
    counts = {grade: sum(line["severity"] == grade for line in ordered) for grade in GRADES}
    counts[gravest] -= len(worst[:MOST_SAID])
    others = [grade for grade, count in counts.items() if count]
    graded = [f"{number(counts[grade])} {say(grade)}" for grade in others]
    more = say_count(
        sum(counts.values()),
        "{count} more matter is graded {grades}",
        "{count} more matters are graded {grades}",
        grades=listed(graded) if len(others) > 1 else "".join(map(say, others)),
    )
    parts = [f"{titled(say(gravest))}: {summaries}", more if others else "", missing]
    return "; ".join(part for part in parts if part) + "."
