"""What lines of attention say of any rows: counts, "of them", "all", "only", names and the rest."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

import pandas as pd
import pytest
from a_sentence import NUMBER, proves, read, stated, written
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fleetkit.reports import attention
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period

pytestmark = pytest.mark.slow

TODAY = date(2026, 10, 31)
OCTOBER = Period.read("2026-10")
PILOTS = ("Ada", "Bo", "Chloé", "Dag", "Eve")
DAYS = st.integers(-40, 140)
some = settings(max_examples=25, phases=(Phase.explicit, Phase.generate))


def days_from(days: int | None) -> pd.Timestamp:
    return pd.NaT if days is None else pd.Timestamp(TODAY + timedelta(days=days))


def rows_of(columns: list[str], rows: list[tuple[Any, ...]], **dtypes: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns).astype(dtypes)


def line_about(words: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the line that says this; an empty one where none does."""
    matches = [line for line in lines if re.search(words, line["summary"])]
    assert len(matches) < 2
    return matches[0] if matches else {"count": 0, "severity": "", "text": "", "summary": ""}


def assert_named(line: dict[str, Any], names: list[str]) -> None:
    """Check that a line names the worst, and counts those that it doesn't name."""
    shown = line["text"].removeprefix(f"{line['summary']}: ")
    most = len(names) if len(names) <= 3 else 2
    places = [shown.index(name) for name in names[:most]]
    assert places == sorted(places)
    rest = re.search(rf" and {NUMBER} more$", shown)
    assert (read(rest[1]) if rest else 0) == len(names) - most


def of_them(line: dict[str, Any], what: str) -> float:
    """Return of how many of its items a line says something graver."""
    if not line["count"]:
        return 0
    if re.search(f"all of them {what}", line["summary"]):
        return line["count"]
    if line["count"] == 1 and re.search(f", {what}", line["summary"]):
        return 1
    return stated(f"# of them {what}", line["summary"])


# Equipment


@st.composite
def equipment(draw):
    """Draw what metrics say of pieces of equipment, as rows."""
    ids = [f"eq_{place}" for place in range(draw(st.integers(0, 6)))]
    left = {piece: draw(st.none() | DAYS) for piece in ids}
    flown = draw(st.lists(st.tuples(st.sampled_from(ids), st.integers(0, 7)))) if ids else []
    counters = {piece: draw(st.tuples(*[st.integers(0, 60)] * 2)) for piece in ids}
    idle = {piece: draw(st.none() | st.integers(0, 300)) for piece in ids}
    out_of_use = draw(st.lists(st.tuples(st.sampled_from(ids), st.integers(0, 30)))) if ids else []
    due = {piece: draw(DAYS) for piece in ids if draw(st.booleans())}
    return ids, left, sorted({*flown}), counters, idle, sorted({*out_of_use}), due


def graded(drawn) -> list[dict[str, Any]]:
    ids, left, flown, counters, idle, out_of_use, due = drawn
    registrations = rows_of(
        ["name", "registration_expiry", "days_left", "band"],
        [
            (piece, days_from(days), days, "expired" if (days or 0) < 0 else "other")
            for piece, days in left.items()
        ],
        days_left="Int64",
    )
    expired = rows_of(
        ["equipment_id", "name", "flight_id", "registration_expiry", "days_expired", "pilot_name"],
        [(piece, piece, f"fl_{n}", days_from(-n - 1), n + 1, PILOTS[n % 5]) for piece, n in flown],
    )
    reconciliation = rows_of(
        [
            *("equipment_id", "name", "verdict"),
            *("counter_hours", "logged_hours", "hours_difference"),
            *("counter_flights", "logged_flights"),
        ],
        [
            (
                piece,
                piece,
                "match" if counter == logs else f"{'counter' if counter > logs else 'logs'} higher",
                *(counter, logs, counter - logs, counter, logs),
            )
            for piece, (counter, logs) in counters.items()
        ],
    )
    by_piece = defaultdict(list)
    for piece, flight in out_of_use:
        by_piece[piece].append(f"fl_{flight}")
    contradictions = rows_of(
        ["equipment_id", "name", "status", "condition", "severity", "flights", "flight_ids"],
        [
            (piece, piece, "LOST", "GOOD", "question", len(flights), ", ".join(flights[:20]))
            for piece, flights in by_piece.items()
        ],
        flights="Int64",
    )
    maintenance = rows_of(
        ["name", "due", "due_by", "days_left"],
        [(piece, days_from(days), "hours", days) for piece, days in due.items()],
    )
    never = rows_of(
        ["equipment_id", "name", "idle_days", "flights"],
        [(*[piece] * 2, idle[piece], logs) for piece, (_, logs) in counters.items()],
    )
    lines = attention.equipment(
        registrations, expired, reconciliation, contradictions, never,
        maintenance_due=maintenance, aircraft=ids, period=OCTOBER,
    )  # fmt: skip
    return list(lines)


@proves("attention.equipment")
@some
@given(equipment())
def test_lines_on_equipment_count_what_there_is(drawn):
    _, left, flown, counters, _, out_of_use, due = drawn
    lines = graded(drawn)

    flew = line_about("flew on an expired", lines)
    flights = Counter(piece for piece, _ in flown)
    assert flew["count"] == stated("^# aircraft flew on", flew["summary"]) == len(flights)
    assert stated("registration, # flight", flew["summary"]) == len({flight for _, flight in flown})

    gone = {piece: days for piece, days in left.items() if days is not None and days < 0}
    expired = line_about("in service ha", lines)
    assert expired["count"] == stated("^# registration", expired["summary"]) == len(gone)

    near = [days for days in left.values() if days is not None and 0 <= days <= 90]
    soon = sum(days <= 30 for days in near)
    expiring = line_about("expires? within", lines)
    assert expiring["count"] == stated("^# registration", expiring["summary"]) == len(near)
    if near:
        assert expiring["severity"] == ("medium" if soon else "low")
        within = stated("expires? within # day", expiring["summary"])
        assert within == (30 if soon == len(near) else 90)
        assert stated("# of them within 30", expiring["summary"]) == soon * (within == 90)

    off = [(abs(counter - logs), logs) for counter, logs in counters.values() if counter != logs]
    contradicting = line_about("contradicts? the logs", lines)
    assert contradicting["count"] == len(off)
    grave = sum(10 * gap > logs + 1e-9 for gap, logs in off)
    assert of_them(contradicting, "by more than 10 %") == grave

    never = line_about("never flew", lines)
    names = [piece for piece, (_, logs) in counters.items() if not logs]
    assert never["count"] == stated("^# aircraft", never["summary"]) == len(names)
    if names:
        assert_named(never, names)

    used = line_about("out of use today", lines)
    assert used["count"] == len({piece for piece, _ in out_of_use})
    if used["count"]:
        assert stated(", # flight", used["summary"]) == len({flight for _, flight in out_of_use})

    wanting = line_about("due for maintenance", lines)
    soon_due = [days for days in due.values() if days <= 30]
    assert wanting["count"] == len(soon_due)
    assert of_them(wanting, "already") == sum(days <= 0 for days in soon_due)


# Pilots


@proves("attention.pilots")
@some
@given(
    st.lists(st.tuples(st.sampled_from(PILOTS), DAYS | st.none()), unique_by=lambda pair: pair[0]),
    st.lists(st.tuples(st.sampled_from(PILOTS), st.integers(0, 20)), unique=True),
)
def test_lines_on_pilots_count_who_lapsed_and_who_will(lapses, late):
    state = rows_of(
        ["pilot_id", "pilot_name", "recent", "lapses"],
        [(name, name, (days or 0) > 0, days_from(days)) for name, days in lapses],
        recent="bool",
        lapses="datetime64[us]",
    )
    flown = rows_of(
        ["flight_id", "pilot_id", "pilot_name", "lapsed"],
        [(f"fl_{flight}", name, name, days_from(-30)) for name, flight in late],
    )
    lines = list(attention.pilots(state, flown, TODAY, OCTOBER))

    flew_on = line_about("flew on after", lines)
    assert flew_on["count"] == stated("^# pilot", flew_on["summary"]) == len({n for n, _ in late})
    assert stated("lapsed, # flight", flew_on["summary"]) == len({flight for _, flight in late})

    recent = sum((days or 0) > 0 for _, days in lapses)
    none = line_about("none of|the only pilot", lines)
    near = line_about("lapsed or lapse", lines)
    if lapses and not recent:
        assert none["count"] == len(lapses)
        assert stated("none of # pilots", none["summary"]) == len(lapses) * (len(lapses) > 1)
        known = [days for _, days in lapses if days is not None]
        # It is so of all of them since the last one lapsed.
        assert none["days"] == (-max(known) if known else 0)
        assert near["count"] == 0
    else:
        assert none["count"] == 0
        ending = [days for _, days in lapses if days is not None and abs(days) <= 30]
        assert near["count"] == stated("^# pilot", near["summary"]) == len(ending)
        if ending:
            word = "from" if min(ending) > 0 else "since"
            assert near["when"].startswith(word)


# Projects and prices


@proves("attention.projects")
@some
@given(*[st.lists(st.integers(1, 60), max_size=6)] * 3)
def test_lines_on_projects_count_who_waits_and_how_long(late, ready, stalled):
    def waiting(days: list[int], column: str, moment: str) -> pd.DataFrame:
        rows = [
            (f"Project {n}", "Fjord", "Ada", length, days_from(-length))
            for n, length in enumerate(days)
        ]
        columns = ["title", "client_account_name", "assigned_pilot_name", column, moment]
        return rows_of(columns, rows)

    lines = list(
        attention.projects(
            waiting(late, "days_late", "scheduled_date"),
            waiting(ready, "days_since_updated", "updated_at"),
            waiting(stalled, "days_untouched", "updated_at"),
        )
    )
    for words, days, above, grades in (
        ("projects? (?:is|are) late", late, 30, ("high", "medium")),
        ("not invoiced", ready, 14, ("medium", "low")),
        ("stalled", stalled, None, ("low", "low")),
    ):
        line = line_about(words, lines)
        assert line["count"] == stated("^# ", line["summary"]) == len(days)
        if days:
            grave = 0 if above is None else sum(length > above for length in days)
            assert of_them(line, "for more than") == grave
            assert stated("for more than # day", line["summary"]) == (above if grave else 0)
            assert line["severity"] == grades[0 if grave else 1]
            shown = [f"({days} day{'s' * (days > 1)})" for days in sorted(days, reverse=True)]
            first = dict.fromkeys(shown)  # equal ones stand at one place
            assert [text for text in first if text in line["text"]][:1] == shown[:1]


@proves("attention.prices")
@some
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from(["level twice", "modifier ≤ −100", "inactive service"]),
            st.sampled_from(["error", "question"]),
        )
    )
)
def test_a_line_on_prices_counts_services_with_errors(drawn):
    flags = rows_of(
        ["service_id", "service", "flag", "severity"],
        [(f"svc_{n}", f"Service {n}", flag, severity) for n, flag, severity in drawn],
    )
    lines = list(attention.prices(flags))
    errors = Counter(service for service, _, severity in drawn if severity == "error")
    assert [(line["count"], line["severity"]) for line in lines] == [(len(errors), "low")][
        : len(errors)
    ]
    for line in lines:
        assert stated("^# service", line["summary"]) == len(errors)
        for service, count in errors.most_common(2):
            shown = re.search(rf"Service {service} \(([^)]*)\)", line["text"])
            if shown:
                assert stated("and # more", shown[1]) == count - 1
        assert f"Service {errors.most_common(1)[0][0]} (" in line["text"]


# What changed, and the data


def reported(drawn) -> pd.DataFrame:
    """Return months that moved, the newest first."""
    kinds = ["late_logs", "edits", "moved_in", "moved_out", "vanished"]
    rows = [
        (f"2026-{9 - place:02d}", *counts, hours, share)
        for place, (counts, hours, share) in enumerate(drawn)
    ]
    return rows_of(["month", *kinds, "hours", "share"], rows, hours="float64", share="float64")


MOVED = st.lists(
    st.tuples(
        st.tuples(*[st.integers(0, 4)] * 5).filter(any),
        st.sampled_from([0.0, 0.02, -0.04, 1.2, -3.55, 1234.5]),
        st.none() | st.sampled_from([0.0, 0.005, 0.01, 0.5]),
    ),
    max_size=6,
)


@proves("attention.restatements")
@some
@given(MOVED, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 20)), max_size=6))
def test_lines_on_changes_count_months_that_moved_and_projects(months, moves):
    impossible = rows_of(
        ["project_id", "title", "client_account_name", "from_status", "to_status", "moved_at"],
        [
            (f"p_{n}", f"Project {n}", "Fjord", "COMPLETED", "DRAFT", days_from(-days))
            for n, days in moves
        ],
    )
    lines = list(attention.restatements(reported(months), impossible, OCTOBER))
    moved = line_about("moved as none should", lines)
    assert moved["count"] == stated("^# project", moved["summary"]) == len({n for n, _ in moves})
    noticed = [share for _, hours, share in months if hours and (share is None or share >= 0.01)]
    changed = line_about("of (?:its|their) hours or more", lines)
    assert changed["count"] == stated("^# reported month", changed["summary"]) == len(noticed)
    if noticed and None not in noticed:
        words = "by # %" if len(noticed) == 1 else "by up to # %"
        assert stated(words, changed["when"]) == written(100 * max(noticed), 1)


@proves("attention.data_quality")
@some
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["error", "warning", "info"]),
            st.sampled_from(["flights", "projects", "equipment"]),
            st.integers(0, 30),
            st.integers(0, 200),
        ),
        max_size=8,
    )
)
def test_a_line_on_the_data_counts_checks_of_many_records(drawn):
    rows = [
        (f"Check {place}", severity, records, count, count + more)
        for place, (severity, records, count, more) in enumerate(drawn)
    ]
    checks = rows_of(["check", "severity", "records", "count", "of"], rows)
    lines = list(attention.data_quality(checks, checks, OCTOBER))
    many = {
        name: (count, of)
        for name, severity, _, count, of in rows
        if severity != "info" and count and (count >= 10 or count / of >= 0.05)
    }
    assert [line["count"] for line in lines] == [len(many)][: len(many)]
    for line in lines:
        assert stated("^# check", line["summary"]) == len(many)
        for name, count, of in re.findall(rf"(Check \d+) \({NUMBER} of {NUMBER} ", line["text"]):
            assert (read(count), read(of)) == many[name]


def test_thresholds_of_these_tests_are_those_of_a_fleet_without_settings():
    """Figures of these tests such as 30 and 90 days are written where they are compared."""
    expected = {"late_days": 30, "uninvoiced_days": 14, "expiry_days": 30, "expiry_later_days": 90}
    expected |= {"lapse_days": 30, "service_days": 30, "counter_percent": 10}
    expected |= {"restated_percent": 1, "many_records": 10, "many_percent": 5}
    assert expected.items() <= THRESHOLDS.items()
