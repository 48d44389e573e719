"""No sentence contradicts the data: each number and word of comparison is read back and compared.

Random organisations, whose figures `a_random_organisation` counts in plain Python; the sentences
are those of the section notebooks as they stand.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter, defaultdict
from datetime import date, datetime
from types import SimpleNamespace

import pytest
from a_notebook import made
from a_past import page
from a_random_organisation import RandomOrganisation, hours
from a_sentence import NUMBER, proves, read, stated, written
from hypothesis import given
from hypothesis import strategies as st

from fleetkit import mirror, tables
from fleetkit.kinds import MAY_BE_LATE
from fleetkit.reports import attention, sentences
from fleetkit.time import Period

SEEDS = range(3)


# Whole organisations


def write(organisation: RandomOrganisation, path) -> None:
    """Write the records to a mirror, as of the organisation's moment."""
    reader = tables.FlightReader()
    for piece in organisation.equipment:
        reader.add(piece["id"], page(organisation.logs_of(piece["id"])))
    logged, bridge = reader.finish()
    pieces = [page(organisation.equipment)]
    frames = {
        "equipment": tables.equipment(pieces),
        "specifications": tables.specifications(pieces),
        "projects": tables.projects([page(organisation.projects)]),
        "services": tables.services([page([])]),
        "tiers": tables.tiers([page([])]),
        "flights": logged,
        "flight_equipment": bridge,
    }
    about = {"source": "here", "tz": organisation.zone, "requests": 1, "missing": {}}
    mirror.write(path, frames, fetched_at=organisation.fetched_at, **about)


@pytest.fixture(scope="module", params=SEEDS)
def told(request, tmp_path_factory):
    """Return an organisation and what the three sections say of it."""
    organisation = RandomOrganisation(request.param)
    folder = tmp_path_factory.mktemp("told")
    write(organisation, folder / "mirror")
    given = {
        "mirror": str(folder / "mirror"),
        "period": f"{organisation.since:%Y-%m}",
        "tz": organisation.zone,
        "out": str(folder),
    }
    names = ("flight_hours", "equipment_condition", "project_pipeline")
    sections = {name: made(name, **given) for name in names}
    said = {name: " ".join(section["sentences"]) for name, section in sections.items()}
    lines = [line for section in sections.values() for line in section["attention"]]
    return SimpleNamespace(of=organisation, sections=sections, said=said, lines=lines)


def covered(organisation) -> tuple[datetime, datetime] | None:
    """Return the part of the period that the data cover."""
    since, until = organisation.span
    if organisation.first is None or until <= organisation.first:
        return None
    return max(since, organisation.first), until


def known_before(organisation, months: int) -> float | None:
    """Return the hours of an earlier month, if that is wholly covered."""
    since, until = organisation.earlier(months)
    if organisation.first is None or since < organisation.first:
        return None
    return hours(organisation.flown(since, until))


@proves("sentences.activity")
@pytest.mark.slow
def test_the_activity_is_what_was_flown(told):
    said, organisation = told.said["flight_hours"], told.of
    span = covered(organisation)
    if span is None:
        assert said.startswith("Nothing is known of what was flown ")
        return
    assert ("So far" in said) == (organisation.now < datetime(*organisation.until.timetuple()[:3]))
    flights = organisation.flown(*span)
    assert ("obody flew" in said) == (not flights)
    if not flights:
        return
    count, *amount = re.match(
        rf"(?:So far, )?{NUMBER} flights?(?: and {NUMBER} hours)?", said
    ).groups()
    assert read(count) == len(flights)
    total = hours(flights)
    if total is None:
        assert amount == [None]
        assert f"hours not recorded (0 of {len(flights):,})" in said
    else:
        assert read(amount[0]) == written(total, 1)
    flew = re.search(rf"{NUMBER} of {NUMBER} aircraft flew", said)
    ids = {flight["id"] for flight in flights}
    active = {
        piece for flight, piece in organisation.pairs if flight in ids
    } & organisation.aircraft
    assert (flew is not None) == bool(organisation.aircraft)
    if flew:
        assert (read(flew[1]), read(flew[2])) == (len(active), len(organisation.aircraft))


@pytest.mark.slow
def test_more_and_fewer_are_true_and_nothing_unknown_is_compared(told):
    said, organisation = told.said["flight_hours"], told.of
    span = covered(organisation)
    flights = organisation.flown(*span) if span else []
    total = hours(flights) if flights else None
    earlier = (
        [known_before(organisation, months) for months in (1, 12)] if total is not None else []
    )
    compared = re.findall(
        rf"(under )?{NUMBER} % (more|fewer)(?: hours)? than|(as many)(?: hours)? as (?:in|from)",
        said,
    )
    expected = [before for before in earlier if before]
    assert len(compared) == len(expected)
    for (under, size, word, as_many), before in zip(compared, expected, strict=True):
        percent = 100 * (total - before) / before
        if as_many:
            assert percent == pytest.approx(0, abs=1e-9)
            continue
        assert word == ("more" if percent > 0 else "fewer")
        if under:
            assert abs(percent) < 0.05
        else:
            assert read(size) == written(abs(percent), 1)


@pytest.mark.slow
def test_the_condition_counts_registrations_counters_and_flights(told):
    said, organisation = told.said["equipment_condition"], told.of
    left = [organisation.days_left(piece) for piece in organisation.serving]
    dated = [days for days in left if days is not None]
    if dated:
        assert f"of {len(dated):,} with an expiry date" in said
    else:
        have = "has" if len(left) == 1 else "have"
        assert f"(0 of {len(left):,} {have} an expiry date)" in said
    for pattern, true in (
        (rf"{NUMBER} registrations? ha(?:s|ve) expired", sum(days < 0 for days in dated)),
        (
            rf"{NUMBER} (?:registrations? )?expires? within 30 days",
            sum(0 <= d <= 30 for d in dated),
        ),
        (
            rf"{NUMBER} flights? of the period w",
            len({pair[1] for pair in expired_pairs(organisation)}),
        ),
    ):
        match = re.search(pattern, said)
        assert (read(match[1]) if match else 0) == true
    compared, wrong = counters(organisation)
    if wrong:
        match = re.search(rf"{NUMBER} of {NUMBER} counters? contradicts? the logs", said)
        assert (read(match[1]), read(match[2])) == (wrong, compared)
    elif compared:
        match = re.search(rf"(?:the|all) {NUMBER} counters? that can be compared agrees?", said)
        assert read(match[1]) == compared
    else:
        assert re.search(r"; 0 of [\d,]+ (?:counters? can|pieces? of equipment ha)", said)


def expired_pairs(organisation) -> set[tuple[str, str]]:
    """Return (piece, flight) of the period's flights after an expiry, of any status."""
    span = organisation.span
    flights = {
        flight["id"]: organisation.clock(flight["flightDate"], dates=organisation.are_dates).date()
        for flight in organisation.flown(*span)
    }
    expiries = {
        piece["id"]: date.fromisoformat(piece["registrationExpiry"][:10])
        for piece in organisation.equipment
        if piece["registrationExpiry"]
    }
    return {
        (piece, flight)
        for flight, piece in organisation.pairs
        if flight in flights and piece in expiries and flights[flight] > expiries[piece]
    }


def counters(organisation) -> tuple[int, int]:
    """Return how many pieces can be compared with their logs, and how many contradict them."""
    compared = wrong = 0
    for piece in organisation.equipment:
        logs = organisation.logs_of(piece["id"])
        logged, counter = hours(logs), piece["totalFlightHours"]
        flights = piece["totalFlights"]
        gap = None if None in (logged, counter) else counter - logged
        if gap is None and flights is None:
            continue
        compared += 1
        off = gap is not None and abs(gap) > max(0.1, 0.01 * counter) + 1e-9
        wrong += off or flights not in (None, len(logs))
    return compared, wrong


@pytest.mark.slow
def test_the_money_is_that_of_the_projects(told):
    said, organisation = told.said["project_pipeline"].replace("\xa0", " "), told.of
    opened = [
        project
        for project in organisation.projects
        if project["status"] not in ("COMPLETED", "CANCELLED")
    ]
    if not organisation.projects:
        assert said.endswith("there is no project.")
        return
    if not opened:
        assert f"none of {len(organisation.projects)} project" in said
        return
    assert read(re.search(rf", {NUMBER} projects? (?:is|are) open", said)[1]) == len(opened)
    head = said.split(";")[0]
    priced = [project for project in opened if project["agreedPrice"] is not None]
    sums = Counter()
    for line in priced:
        sums[line["currency"] or "no currency"] += line["agreedPrice"]
    amounts = re.findall(r"\b([A-Z]{3}|no currency) (−?\d{1,3}(?:,\d{3})*)", head)
    assert {name: read(amount) for name, amount in amounts} == {
        name: written(sums[name], 0) for name, _ in amounts
    }
    further = re.search(rf"{NUMBER} further currenc", head)
    assert len(amounts) + (read(further[1]) if further else 0) == len(sums)
    assert ("price not recorded, 0 of" in head) == (not priced)
    late = lateness(organisation)
    waiting = [project for project in opened if project["status"] in MAY_BE_LATE]
    if late:
        assert read(re.search(rf"; {NUMBER} (?:is|are) late", said)[1]) == len(late)
    elif waiting and all(project["scheduledDate"] is None for project in waiting):
        have = "has" if len(waiting) == 1 else "have"
        assert f"can't be told (0 of {len(waiting)} {have} a date)" in said
    elif any(project["scheduledDate"] is None for project in waiting):
        dated = sum(project["scheduledDate"] is not None for project in waiting)
        assert stated("the # with a date is (?:not )?late", said) == dated
    else:
        assert said.endswith("; none is late.")


def lateness(organisation) -> list[int]:
    """Return the days by which projects are late."""
    today = organisation.now.date()
    days = [
        (today - date.fromisoformat(project["scheduledDate"][:10])).days
        for project in organisation.projects
        if project["status"] in MAY_BE_LATE and project["scheduledDate"]
    ]
    return [day for day in days if day > 0]


@pytest.mark.slow
def test_every_line_is_of_the_grade_of_its_worst_and_counts_all(told):
    organisation, lines = told.of, {line["summary"]: line for line in told.lines}
    left = [organisation.days_left(piece) for piece in organisation.serving]
    dated = [days for days in left if days is not None]
    late, pairs = lateness(organisation), expired_pairs(organisation)
    ready = [
        (
            organisation.now.date() - organisation.clock(project["updatedAt"], dates=False).date()
        ).days
        for project in organisation.projects
        if project["status"] == "DELIVERED"
    ]
    due = [days for days in dated if 0 <= days <= 90]
    expected = {
        "flew on an expired registration": (len({piece for piece, _ in pairs}), "high"),
        "of equipment in service ha": (sum(days < 0 for days in dated), "high"),
        r"registrations? expires? within": (
            len(due),
            "medium" if any(days <= 30 for days in due) else "low",
        ),
        r"projects? (?:is|are) late": (
            len(late),
            "high" if any(days > 30 for days in late) else "medium",
        ),
        "not invoiced": (len(ready), "medium" if any(days > 14 for days in ready) else "low"),
    }
    for words, (count, grade) in expected.items():
        matches = [line for summary, line in lines.items() if re.search(words, summary)]
        assert [(line["count"], line["severity"]) for line in matches] == (
            [(count, grade)] if count else []
        )


@pytest.mark.slow
def test_a_line_names_and_counts_as_many_as_it_says(told):
    for line in told.lines:
        *named, last = re.split(r", | and ", line["text"].split(": ", 1)[1])
        more = re.fullmatch(r"(\d+) more", last)
        names = len(named) + (int(more[1]) if more else 1)
        assert names == line["count"]
        assert re.match(rf"{line['count']} |none of {line['count']} |the only ", line["summary"])


@proves("attention.verdict")
@pytest.mark.slow
def test_the_verdict_is_as_grave_as_the_gravest_line_and_counts_the_others(told):
    said = attention.verdict(told.lines)
    grades = Counter(line["severity"] for line in told.lines)
    if not grades:
        assert said == "Nothing needs attention."
        return
    gravest = next(grade for grade in attention.GRADES if grades[grade])
    assert said.startswith(f"{gravest.capitalize()}: ")
    named = sum(line["summary"] in said for line in told.lines if line["severity"] == gravest)
    more = re.search(rf"{NUMBER} more matters?", said)
    assert named + (read(more[1]) if more else 0) == len(told.lines)


@proves("section.Section.kpi", "section.Section.coverage")
@pytest.mark.slow
def test_every_figure_that_is_shown_is_the_number_behind_it(told):
    for section in told.sections.values():
        for kpi in section["kpis"]:
            if isinstance(kpi["value"], (int, float)):
                decimals = len(kpi["text"].partition(".")[2])
                assert read(kpi["text"]) == written(kpi["value"], decimals)
            of = re.fullmatch(rf"of {NUMBER}", kpi["unit"])
            assert of is None or 0 <= kpi["value"] <= read(of[1]) > 0
        for coverage in section["coverage"]:
            assert 0 <= coverage["used"] <= coverage["of"]


@proves("comparison.Comparison.notes", "comparison.Comparison.reach")
@pytest.mark.slow
def test_what_lies_beyond_the_data_is_counted_and_dated(told):
    organisation, section = told.of, told.sections["flight_hours"]
    notes = " ".join(section["notes"])
    ahead = organisation.flown(organisation.now, datetime.max) if organisation.first else []
    assert stated("# flights? (?:is|are) dated after", notes) == len(ahead)
    caption = next(block["caption"] for block in section["blocks"] if block["name"] == "by_month")
    first, back = organisation.first, organisation.earlier(12)[0]
    begin = re.search(r"No data before (\d+ \w+ \d{4})\.", caption)
    is_before = first is not None and back < first <= organisation.now  # of what has been flown
    assert (begin is not None) == is_before
    if begin:
        assert datetime.strptime(begin[1], "%d %B %Y") == first


# Recency: two hours within three calendar months


def is_recent(flown: dict[date, float], when: date) -> bool:
    """Whether a pilot who flew so many hours on these days fulfils the rule on a day."""
    year, month = divmod(when.year * 12 + when.month - 1 - 3, 12)
    begin = date(year, month + 1, min(when.day, monthrange(year, month + 1)[1]))
    return sum(hours for day, hours in flown.items() if begin < day <= when) >= 2


@proves("recency.Recency.note", "recency.Recency.compared", "recency.Recency.calendar")
@pytest.mark.slow
def test_as_many_are_recent_and_flew_without_recency_as_is_said(told):
    organisation, section = told.of, told.sections["flight_hours"]
    notes = " ".join(section["notes"])
    if "Recency: it can't be judged" in notes or not organisation.flights:
        assert "recency had lapsed" not in notes
        return
    by_pilot = defaultdict(lambda: defaultdict(float))
    for flight in organisation.flights:
        when = organisation.clock(flight["flightDate"], dates=organisation.are_dates).date()
        pilot = flight["pilotInCommand"]
        by_pilot[pilot and pilot["id"]][when] += max(flight["durationSeconds"] or 0, 0) / 3600
    flown = [
        (
            flight["pilotInCommand"] and flight["pilotInCommand"]["id"],
            organisation.clock(flight["flightDate"], dates=organisation.are_dates).date(),
        )
        for flight in organisation.flown(*organisation.span)
    ]
    late = 0
    for pilot, when in flown:
        earlier = {day: spent for day, spent in by_pilot[pilot].items() if day < when}
        had_been = any(is_recent(earlier, day) for day in earlier)
        late += pilot is not None and had_been and not is_recent(earlier, when)
    assert stated("# flights? w(?:as|ere) flown [^.]* after recency had lapsed", notes) == late
    named = sum(pilot is not None for pilot, _ in flown)
    assert ("Nobody flew" in notes) == (0 < named == len(flown) and not late)
    unnamed = "(?:None of|The) # flights? with a pilot came"
    assert stated(unnamed, notes) == (named if named < len(flown) and not late else 0)

    last = organisation.span[1].date()
    if organisation.span[1] == datetime(*organisation.until.timetuple()[:3]):
        last = date.fromordinal(last.toordinal() - 1)
    recent = {pilot for pilot, days in by_pilot.items() if pilot and is_recent(days, last)}
    figure = next(kpi for kpi in section["kpis"] if kpi["label"] == "Pilots recent")
    assert (figure["value"] or 0) == len(recent)
    table = next(block for block in section["blocks"] if block["name"] == "recency")
    texts = [row["texts"][2] for row in table["rows"]]
    lapsed = sum(text.startswith("lapsed ") or text == "not fulfilled" for text in texts)
    assert stated("of #", figure["unit"]) == len(texts) == lapsed + len(recent)


# Sentences alone, of any numbers

FIGURE = st.one_of(st.none(), st.just(0.0), st.floats(0.01, 1e6), st.integers(1, 10**6))


@pytest.mark.slow
@given(FIGURE, FIGURE, FIGURE, st.integers(1, 10**7))
def test_a_comparison_says_more_where_there_is_more(now, before, year, flights):
    values = {"value": now, "previous": before, "year_before": year}
    active = {"value": 3}
    said = sentences.activity(Period.read("2026-10"), {"value": flights}, values, active, 5)
    compared = re.findall(rf"(under )?{NUMBER} % (more|fewer)|(as many)", said)
    expected = [value for value in (before, year) if value] if now is not None else []
    assert len(compared) == len(expected)
    for (under, size, word, as_many), earlier in zip(compared, expected, strict=True):
        percent = 100 * (now - earlier) / earlier
        if as_many:
            assert abs(percent) < 1e-9
        elif under:
            assert (abs(percent) < 0.05, percent > 0) == (True, word == "more")
        else:
            assert (read(size), percent > 0) == (written(abs(percent), 1), word == "more")


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(attention.GRADES), st.integers(1, 99)), max_size=12))
def test_a_verdict_is_never_milder_than_its_lines(graded):
    lines = [
        {"severity": grade, "summary": f"summary {place}.", "count": count, "days": 0.0}
        for place, (grade, count) in enumerate(graded)
    ]
    said = attention.verdict(lines)
    gravest = min((attention.GRADES.index(grade) for grade, _ in graded), default=None)
    if gravest is None:
        assert said == "Nothing needs attention."
        return
    assert said.startswith(f"{attention.GRADES[gravest].capitalize()}: ")
    named = sum(line["summary"] in said for line in lines)
    more = re.search(rf"{NUMBER} more matters?", said)
    assert named + (read(more[1]) if more else 0) == len(lines)
