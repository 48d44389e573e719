"""What sentences say of any rows is what a reader counts in them: numbers, "all", "none", "no"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from a_sentence import NUMBER, PER_CENT, is_per_cent, proves, read, stated, written
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from fleetkit import metrics
from fleetkit.filters import Filter
from fleetkit.reports import kpis, pdf, plan, quality, scope, sentences, unknown, upkeep_note, why
from fleetkit.reports.flying import (
    double_count_note,
    flags_in_words,
    lag_note,
    take_off_coverage,
)
from fleetkit.settings import Settings
from fleetkit.time import Period

pytestmark = pytest.mark.slow

TODAY = date(2026, 10, 31)
OCTOBER = Period.read("2026-10")
NAMES = ("Ada", "Bo", "Chloé")
PHASES = (Phase.explicit, Phase.generate)
some = settings(max_examples=40, phases=PHASES)
# Where metrics count first.
few = settings(max_examples=12, phases=PHASES)
SMALL = st.integers(0, 4)
SECONDS = st.sampled_from([None, 0, -5, 30, 1800, 5400, 360_000])
MOMENTS = ("flight_date", "created_at", "scheduled_date")
YES_NO = st.sampled_from([True, False, None])


def rows_of(columns: str, rows: list[tuple[Any, ...]], **dtypes: str) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=columns.split())
    moments = {name: pd.to_datetime(frame[name], utc=True) for name in frame if name in MOMENTS}
    return frame.assign(**moments).astype(dtypes)


def day_at(days: int | None) -> pd.Timestamp:
    return pd.NaT if days is None else pd.Timestamp(TODAY + timedelta(days=days), tz="UTC")


def hours_in(seconds: list[int | None]) -> float | None:
    """Return the hours of flights; None where there are some and none has a duration."""
    if seconds and all(duration is None for duration in seconds):
        return None
    return sum(max(duration or 0, 0) for duration in seconds) / 3600


# Equipment


BANDS = ("expired", "≤ 30 days", "≤ 60 days", "later", "missing")
VERDICTS = ("match", "counter higher", "logs higher", "not comparable", "no counter")


@proves("sentences.condition", "sentences.expired_note")
@some
@given(
    st.lists(st.sampled_from(BANDS), max_size=8),
    st.lists(st.sampled_from(VERDICTS), max_size=8),
    st.lists(SMALL, max_size=5),
    st.lists(st.integers(5, 9), max_size=5),
)
def test_the_condition_counts_bands_verdicts_and_flights(bands, verdicts, flown, earlier):
    expired = pd.DataFrame({"flight_id": [str(flight) for flight in flown]})
    said = sentences.condition(
        TODAY, pd.DataFrame({"band": bands}), pd.DataFrame({"verdict": verdicts}), expired
    )
    count = Counter(bands)
    dated = len(bands) - count["missing"]
    assert stated("# registrations? ha(?:s|ve) expired", said) == count["expired"]
    assert stated("# (?:registrations? )?expires? within 30 days", said) == count["≤ 30 days"]
    assert stated("of # with an expiry date", said) == dated
    assert ("no registration has" in said) == (
        dated > 0 and not count["expired"] and not count["≤ 30 days"]
    )
    assert ("no registration can be judged" in said) == (not dated)
    assert stated("# flights? of the period w", said) == len({*flown})
    count = Counter(verdicts)
    compared = len(verdicts) - count["not comparable"] - count["no counter"]
    wrong = compared - count["match"]
    assert stated("# of [\\d,]+ counters? contradicts? the logs", said) == wrong
    assert stated("# counters? that can be compared agrees?", said) == compared * (not wrong)
    assert stated("of # counters? contradict", said) == (compared if wrong else 0)
    having = len(verdicts) - count["no counter"]
    assert stated("; 0 of # counters? can be compared", said) == (0 if compared else having)

    ever = pd.DataFrame({"flights": [len({*flown}) + len({*earlier})]})
    note = sentences.expired_note(ever, expired, OCTOBER)
    assert stated("; # earlier one", note) == len({*earlier})


@proves("sentences.aircraft_note")
@some
@given(
    st.lists(
        st.tuples(
            st.sampled_from([f"TYPE_{n}" for n in range(8)]),
            st.sampled_from(["ACTIVE", "RETIRED", "LOST", "LENT"]),
        ),
        max_size=12,
    )
)
def test_aircraft_are_counted_with_their_types_and_who_is_out_of_service(drawn):
    said = sentences.aircraft_note(rows_of("type status", drawn), TODAY)
    # A client for whom nothing flew has none, whatever others have.
    assert ("No equipment of this report is known" in said) == (not drawn)
    one_client = sentences.aircraft_note(rows_of("type status", drawn), TODAY, Filter(client="A"))
    assert one_client == f"{said} Equipment without a flight that meets the filter is left out."
    assert sentences.aircraft_note(rows_of("type status", drawn), TODAY, Filter(night=True)) == said
    types, states = {kind for kind, _ in drawn}, Counter(status for _, status in drawn)
    assert stated("the # pieces? of equipment", said) == len(drawn)
    named = len(re.findall(r"TYPE_\d", said))
    assert named + stated("# more", said) == len(types)
    for status in ("RETIRED", "LOST"):
        assert stated(f"# (?:is|are) {status}", said) == states[status]


@proves("upkeep.upkeep_note")
@some
@given(st.integers(0, 6), st.booleans())
def test_service_intervals_are_named_and_counted(count, has_due):
    names = [f"TYPE_{n}" for n in range(count)]
    set_up = Settings(service_intervals={name: {"hours": 50} for name in names})
    said = upkeep_note(set_up, pd.DataFrame({"due": [1] * has_due}))
    assert ("No service interval" in said) == (not count)
    assert ("No equipment" in said) == (count > 0 and not has_due)
    assert len(re.findall(r"TYPE_\d", said)) + stated("# more", said) == count


# Projects


STATUSES = ("DRAFT", "CONFIRMED", "SCHEDULED", "IN_PROGRESS", "DELIVERED", "COMPLETED", "CANCELLED")
PROJECTS = st.lists(
    st.tuples(
        st.sampled_from(STATUSES),
        st.sampled_from([None, "EUR", "NOK", "GBP", "USD", "AUD", "ZAR"]),
        st.sampled_from([None, 0.0, -1500.5, 1234.5, 90_000.0]),
        st.none() | st.integers(-60, 60),
        st.sampled_from([None, "Fjord", "Kirk", "Lyng"]),
        st.sampled_from([None, *NAMES, "Dag", "Eve"]),
    ),
    max_size=14,
)


def projects_of(drawn) -> pd.DataFrame:
    columns = "status currency agreed_price scheduled_date client_account_name assigned_pilot_name"
    rows = [(*row[:3], day_at(row[3]), *row[4:]) for row in drawn]
    frame = rows_of(columns, rows, agreed_price="float64")
    ids = [f"p_{n}" for n in range(len(drawn))]
    return frame.assign(project_id=ids, title=ids)


@proves("sentences.money")
@few
@given(PROJECTS)
def test_the_money_is_that_of_open_projects_by_currency(drawn):
    projects = projects_of(drawn)
    totals, late = metrics.pipeline_totals(projects), metrics.late_projects(projects, TODAY)
    said = sentences.money(TODAY, projects, totals, late).replace("\xa0", " ")
    opened = [row for row in drawn if row[0] not in ("COMPLETED", "CANCELLED")]
    assert ("there is no project" in said) == (not drawn)
    assert stated("none of # project", said) == (0 if opened else len(drawn))
    if not opened:
        return
    assert stated(", # projects? (?:is|are) open", said) == len(opened)
    parts = said.split("; ")
    assert_amounts(parts[0], opened)
    ready = [row for row in opened if row[0] == "DELIVERED"]
    assert stated("; # can be invoiced", said) == len(ready)
    if ready:
        assert_amounts(parts[1], ready)
    waiting = [row[3] for row in opened if row[0] in ("DRAFT", "CONFIRMED", "SCHEDULED")]
    dated = [days for days in waiting if days is not None]
    is_late = sum(days < 0 for days in dated)
    assert stated("; # (?:is|are) late", said) == is_late
    if not is_late and waiting and not dated:
        have = "has" if len(waiting) == 1 else "have"
        assert f"can't be told (0 of {len(waiting)} {have} a date)" in said
    elif not is_late and len(dated) < len(waiting):
        assert stated("(?:none of )?the # with a date is (?:not )?late", said) == len(dated)
    else:
        assert said.endswith("; none is late.") == (not is_late)


def assert_amounts(text: str, projects: list[tuple[Any, ...]]) -> None:
    """Check amounts by currency, how many have a price, and how many currencies are not named."""
    priced = [row for row in projects if row[2] is not None]
    sums: dict[str, float] = defaultdict(float)
    for row in priced:
        sums[row[1] or "no currency"] += row[2]
    amounts = re.findall(r"\b([A-Z]{3}|no currency) (−?\d{1,3}(?:,\d{3})*)", text)
    assert {name: read(amount) for name, amount in amounts} == {
        name: written(sums[name], 0) for name, _ in amounts
    }
    assert len(amounts) + stated("# further currenc", text) == len(sums)
    assert stated("price not recorded, 0 of #", text) == (0 if priced else len(projects))
    in_part = 0 < len(priced) < len(projects)
    assert stated("in the # with a price", text) == (len(priced) if in_part else 0)


@proves("plan.largest_shares")
@few
@given(PROJECTS)
def test_no_client_has_a_larger_share_than_the_one_that_is_named(drawn):
    said = plan.largest_shares(metrics.client_shares(projects_of(drawn)))
    values: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for _, currency, price, _, client, _ in drawn:
        if currency and price is not None:
            values[currency][client or "Unassigned"] += price
    named = re.findall(rf"(\w+) \({PER_CENT} % of ([A-Z]{{3}})\)", said)
    for client, share, currency in named:
        whole = sum(values[currency].values())
        assert values[currency][client] == max(values[currency].values()) > 0
        assert is_per_cent(share, 100 * values[currency][client] / whole, 0)
    shared = [clients for clients in values.values() if is_shared(clients)]
    if named:
        assert len(named) + stated("# more currenc", said) == len(shared)
    else:
        assert len({client for clients in shared for client in clients}) < 2


def is_shared(clients: dict[str, float]) -> bool:
    """Whether values are shares of a whole: some are above 0, and none is below."""
    return sum(clients.values()) > 0 and min(clients.values()) >= 0


@proves("plan.weekly", "sentences.with_rest")
@few
@given(PROJECTS)
def test_a_week_counts_its_projects_and_its_pilots(drawn):
    rows = plan.weekly(metrics.workload(projects_of(drawn)), TODAY)
    weeks: dict[str, Counter[str]] = defaultdict(Counter)
    for status, _, _, days, _, pilot in drawn:
        if status in ("CONFIRMED", "SCHEDULED", "IN_PROGRESS") and days is not None:
            when = TODAY + timedelta(days=days)
            week = f"{when:%G-W%V}"
            is_past = week < f"{TODAY:%G-W%V}"
            weeks["" if is_past else week][pilot or "Unassigned"] += 1
    assert rows["projects"].tolist() == [weeks[week].total() for week in sorted(weeks)]
    for text, week in zip(rows["pilots"], sorted(weeks), strict=True):
        named = {name: int(count) for name, count in re.findall(r"(\w+) (\d+)(?:,|$| and)", text)}
        assert named.items() <= weeks[week].items()
        assert len(named) + stated("and # more", text) == len(weeks[week])
        assert min(named.values()) >= max(
            [count for name, count in weeks[week].items() if name not in named], default=0
        )


# Prices


@st.composite
def price_lists(draw):
    """Draw services and their tiers."""
    services = [
        (f"svc_{n}", draw(st.sampled_from([None, 80.0])), draw(YES_NO))
        for n in range(draw(st.integers(0, 4)))
    ]
    ids = [service[0] for service in services]
    percents = st.sampled_from([None, -120.0, -100.0, -10.0, 0.0, 12.5])
    tier = st.tuples(
        st.sampled_from(ids or ["none"]), st.sampled_from([None, 1, 2, 3]), percents, YES_NO, YES_NO
    )
    return services, draw(st.lists(tier, max_size=8)) if ids else []


@proves("sentences.price_list", "price_flags.price_flags")
@few
@given(price_lists())
def test_prices_and_flags_are_those_of_the_tiers(drawn):
    services, tiers = drawn
    frame = rows_of("service_id base_rate is_active", services, base_rate="float64")
    frame = frame.astype({"is_active": "boolean"})
    frame = frame.assign(
        name=frame["service_id"], currency="EUR", unit_type="HOUR", pricing_model="T"
    )
    columns = "service_id tier_level price_modifier_percent is_recommended is_active"
    dtypes = {"tier_level": "Int64", "price_modifier_percent": "float64"}
    steps = rows_of(columns, tiers, **dtypes, is_recommended="boolean", is_active="boolean")
    ids = [f"t_{n}" for n in range(len(tiers))]
    steps = steps.assign(tier_id=ids, tier_name=ids)
    rates, flags = metrics.tier_rates(frame, steps), metrics.price_flags(frame, steps)
    said = sentences.price_list(TODAY, frame, steps, rates, flags)

    assert ("there is no service" in said) == (not services)
    base = {service: (rate, active) for service, rate, active in services}
    active = [row for row in tiers if row[4] is not False and base[row[0]][1] is not False]
    rated = [row for row in active if row[2] is not None and base[row[0]][0] is not None]
    if services:
        having = f"{len({row[0] for row in tiers})} of {len(services)} service"
        assert f", {having}" in said
    if tiers:
        assert f"; {len(rated)} of {len(active)} active tier" in said
        errors = int((flags["severity"] == "error").sum())
        assert stated("; # price flag", said) == len(flags)
        assert ("no price flag" in said) == flags.empty
        assert stated("# of them (?:an )?error", said) == errors
        assert ("no error" in said) == (len(flags) > 0 and not errors)

    counts: dict[str, list[Any]] = defaultdict(list)
    for flag, text in zip(flags["flag"], flags["words"], strict=True):
        pattern = "# tiers? (?:is|are)" if flag != "modifier falls" else "and # more"
        counts[flag].append(stated(pattern, text) + (flag == "modifier falls"))
    assert {flag: sorted(found) for flag, found in counts.items()} == flags_of(services, tiers)


def flags_of(services, tiers) -> dict[str, list[int]]:
    """Return each price flag → how many tiers it counts at each service that has it, sorted."""
    expected: dict[str, list[int]] = defaultdict(list)
    for service, _, is_active in services:
        own = [row for row in tiers if row[0] == service]
        if is_active is False:
            expected["inactive service"].append(sum(row[4] is True for row in own))
            continue
        own = [row for row in own if row[4] is not False]
        levels = Counter(row[1] for row in own if row[1] is not None)
        expected["level twice"] += [count for count in levels.values() if count > 1]
        recommended = sum(row[3] is True for row in own)
        expected["several recommended"] += [recommended] * (recommended > 1)
        expected["modifier ≤ −100"].append(sum((row[2] or 0) <= -100 for row in own))
        by_level = [
            [row[2] for row in own if row[1] == level and row[2] is not None]
            for level in sorted(levels)
        ]
        known = [percents for percents in by_level if percents]
        falls = sum(max(low) > min(high) for low, high in pairwise(known))
        expected["modifier falls"].append(falls)
    counts = {flag: sorted(filter(None, found)) for flag, found in expected.items()}
    return {flag: found for flag, found in counts.items() if found}


# Flights


FLIGHTS = st.lists(
    st.tuples(
        SECONDS,
        st.sampled_from([None, *NAMES]),
        st.sampled_from(["COMMERCIAL", "TRAINING"]),
        st.sampled_from([None, "Roof", "Quarry"]),
        st.sets(st.sampled_from(["d", "e", "c"]), max_size=2),
        YES_NO,
        st.sampled_from([-90, -1, 0, 30, 600, 5000, None]),
        st.sampled_from([(59.9, 10.7), (0.0, 0.0), (95.0, 10.0), (None, 10.7), (60.0, 10.8)]),
    ),
    max_size=14,
)


def flights_of(drawn) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return flights at noon of October's days, with logs that came late, and the bridge."""
    begun = pd.Timestamp("2026-10-01T12:00Z")
    rows = [
        (
            f"fl_{n:02d}", begun + pd.Timedelta(days=n), seconds, pilot, pilot, kind, project,
            project, night, night, *place,
            pd.NaT if late is None
            else begun + pd.Timedelta(days=n, seconds=seconds or 0, minutes=late),
        )
        for n, (seconds, pilot, kind, project, _, night, late, place) in enumerate(drawn)
    ]  # fmt: skip
    columns = "flight_id flight_date duration_seconds pilot_id pilot_name flight_type project_id "
    columns += "project_title night_flight bvlos takeoff_lat takeoff_lng created_at"
    numbers = dict.fromkeys(["duration_seconds", "takeoff_lat", "takeoff_lng"], "float64")
    flags = dict.fromkeys(["night_flight", "bvlos"], "boolean")
    pairs = [(f"fl_{n:02d}", piece) for n, row in enumerate(drawn) for piece in sorted(row[4])]
    bridge = rows_of("flight_id equipment_id", pairs, flight_id="str", equipment_id="str")
    return rows_of(columns, rows, **numbers, **flags), bridge


# Nine logs: five written at once, four half an hour later.
LOGGED = [
    (1800, None, "TRAINING", None, set(), None, late, (0.0, 0.0)) for late in [0] * 5 + [30] * 4
]


@proves("flying.lag_note")
@few
@given(FLIGHTS)
@example(LOGGED)
@example([*LOGGED, (*LOGGED[0][:6], 600, LOGGED[0][7])])
def test_as_many_logs_were_written_in_time_as_is_said(drawn):
    said = lag_note(metrics.logging_lag(flights_of(drawn)[0]))
    assert bool(said) == bool(drawn)
    lags = [row[6] / 60 for row in drawn if (row[0] or 0) > 0 and row[6] is not None]
    assert stated(r"\(# of", said) == len(lags)
    assert ("is unknown" in said) == (bool(drawn) and not lags)
    if "dated before the end" in said:
        assert 2 * sum(lag < 0 for lag in lags) >= len(lags)
        return
    # Of what is shown with one decimal.
    if "Half" in said:
        assert 2 * sum(lag <= stated("within # h of", said) + 0.05 for lag in lags) >= len(lags)
    assert ("nine of ten" in said) == (len(lags) >= 10)
    if "nine of ten" in said:
        within = stated("nine of ten within # h", said)
        assert sum(lag <= within + 0.05 for lag in lags) >= 0.9 * len(lags) - 1


@proves("flying.double_count_note")
@few
@given(FLIGHTS)
def test_what_is_shared_leads_from_the_pieces_to_the_fleet(drawn):
    said = double_count_note(metrics.double_count(*flights_of(drawn)))
    assert bool(said) == bool(drawn)
    if not drawn:
        return
    pieces = sum(len(row[4]) for row in drawn)
    shared = sum(max(len(row[4]) - 1, 0) for row in drawn)
    without = sum(not row[4] for row in drawn)
    first = re.search(rf": {NUMBER} − {NUMBER}(?: \+ {NUMBER})? = {NUMBER} flights?", said)
    assert first is not None
    counts = [read(text or "0") for text in first.groups()]
    assert counts == [pieces, shared, without, len(drawn)]
    total = hours_in([row[0] for row in drawn])
    assert ("hours not recorded" in said) == (total is None)
    if total is not None:
        sums = re.search(rf", {NUMBER} − {NUMBER}(?: \+ {NUMBER})? = {NUMBER} h\.", said)
        assert sums is not None
        over, off, more, whole = (read(text or "0") for text in sums.groups())
        assert whole == written(total, 1)
        assert over - off + more == pytest.approx(whole)


@proves("flying.take_off_coverage", "flying.flags_in_words")
@few
@given(FLIGHTS)
def test_places_and_flags_count_each_flight_once(drawn):
    flights = flights_of(drawn)[0]
    coverage = take_off_coverage(metrics.take_offs(flights))
    places = Counter(row[7] for row in drawn)
    assert coverage["of"] == len(drawn)
    assert coverage["used"] == places[59.9, 10.7] + places[60.0, 10.8]
    left_out = {"at 0, 0": (0, 0), "out of range": (95, 10), "not recorded": (None, 10.7)}
    for reason, place in left_out.items():
        assert stated(f"{reason}: #", coverage["why"]) == places[place]

    by_pilot = flags_in_words(metrics.night_and_bvlos_by_pilot(flights))
    for pilot, text in zip(by_pilot["pilot_name"], by_pilot["night"], strict=True):
        own = [row for row in drawn if (row[1] or "Unassigned") == pilot]
        flown = [row[0] for row in own if row[5]]
        assert stated("^#", text) == len(flown)
        assert stated(r"#\s\?$", text) == sum(row[5] is None for row in own)
        total = hours_in(flown)
        assert ("not recorded" in text) == (total is None)
        if flown and total is not None:
            assert stated(r"\(#\sh\)", text) == written(total, 1)


@proves("why.why", "why.concentration")
@few
@given(FLIGHTS, FLIGHTS)
def test_what_is_named_contributed_most_and_who_flew_most_did(now, before):
    (flights, bridge), (earlier, bridge_before) = flights_of(now), flights_of(before)
    earlier["flight_id"] = "old_" + earlier["flight_id"]
    bridge_before["flight_id"] = "old_" + bridge_before["flight_id"]
    both = pd.concat([bridge, bridge_before], ignore_index=True)
    fleet = pd.DataFrame({"equipment_id": ["d", "e"], "name": ["Drone d", "Drone e"]})
    changes = metrics.contributions(flights, earlier, both, fleet)
    total, total_before = (hours_in([row[0] for row in rows]) or 0.0 for rows in (now, before))
    said = why.why(changes, {"now": total, "before": total_before}, Period.read("2026-09"))

    by_name, named = contributions_of(now, before)
    change = total - total_before
    largest = max((by_name[name] * change for name in named), default=0)
    assert bool(said) == (largest > 0 and written(abs(change), 1) > 0)
    if said:
        name = re.match(r"(.*?)(?: added|:)", said)[1]
        assert name in named
        assert by_name[name] * change == pytest.approx(largest)
        assert_explains(said, abs(by_name[name]), change)

    if total:
        most = why.concentration(changes, total)
        flown_by, _ = contributions_of(now, [])
        shares = dict(re.findall(rf"([\w ]+?) flew {PER_CENT} % of the hours\. ?", most))
        pilots_and_aircraft = {*NAMES, "Drone d", "Drone e"} & named
        assert {*shares} == {name for name in pilots_and_aircraft if flown_by[name] > total / 2}
        for name, percent in shares.items():
            assert is_per_cent(percent, 100 * flown_by[name] / total, 0)


def contributions_of(now, before) -> tuple[dict[str, float], set[str]]:
    """Return by how many hours each name changed, and the names that have others beside them."""
    by_name: dict[str, float] = defaultdict(float)
    dimensions: dict[str, set[str]] = defaultdict(set)
    for rows, sign in ((now, 1), (before, -1)):
        for seconds, pilot, kind, project, pieces, *_ in rows:
            names = [
                ("pilot", pilot or "Flights without a pilot"),
                ("flight type", f"{kind} flights"),
                ("project", project or "Flights without a project"),
                *(("aircraft", f"Drone {piece}") for piece in pieces & {"d", "e"}),
            ]
            for dimension, name in names:
                by_name[name] += max(seconds or 0, 0) / 3600 * sign
                dimensions[dimension].add(name)
    return by_name, {name for names in dimensions.values() if len(names) > 1 for name in names}


def assert_explains(said: str, part: float, change: float) -> None:
    """Read what a sentence says of a change [h], and of the part of it that it explains."""
    assert (" added " in said or "h more than" in said) == (change > 0)
    assert stated("(?:added|:) #", said) == written(part, 1)
    if "all others" in said:
        assert part > abs(change)
        assert stated("together: # h", said) == written(part - abs(change), 1) > 0
        assert said.endswith("fewer." if change > 0 else "more.")
    else:
        assert stated("of the # h", said) == written(abs(change), 1)


# What changed


KINDS = ("late_logs", "edits", "moved_in", "moved_out", "vanished")
WORDS = ("late logs?", "edits?", "moved in", "moved out", "vanished")
MOVED = st.lists(
    st.tuples(
        st.tuples(*[SMALL] * len(KINDS)).filter(any),
        st.sampled_from([0.0, 1e-9, 0.02, -0.04, 1.24, -3.55, 1234.5]),
    ),
    max_size=6,
)


@proves("sentences.restated", "sentences.restating", "sentences.hours_moved")
@some
@given(MOVED)
def test_months_moved_by_as_much_as_is_said_for_what_is_said(drawn):
    names = [f"2026-{9 - place:02d}" for place in range(len(drawn))]
    rows = [(name, *counts, hours) for name, (counts, hours) in zip(names, drawn, strict=True)]
    months = rows_of(f"month {' '.join(KINDS)} hours", rows)
    said = sentences.restated(months, OCTOBER)
    assert ("No month" in said) == (not drawn)
    if not drawn:
        return
    parts = said.removesuffix(".").split("; ")
    for part, (counts, hours) in zip(parts[:3], drawn[:3], strict=False):
        assert [stated(f"# {words}", part) for words in WORDS] == list(counts)
        assert ("kept its hours" in part) == (abs(hours) < 0.5 / 3600)
        if "less than" in part:
            assert 0 < abs(hours) < 0.1
        elif "moved by" in part:
            size = re.search(r"moved by ([+−])([\d,.]+) h", part)
            assert (size[1] == "+") == (hours > 0)
            assert read(size[2]) == written(abs(hours), 1)
    assert stated("; # earlier month", said) == max(len(drawn) - 3, 0)


@proves("sentences.observed")
@some
@given(*[st.lists(SMALL, max_size=6)] * 2, SMALL)
def test_what_else_changed_is_counted_once_each(moves, states, prices):
    said = sentences.observed(
        pd.DataFrame({"project_id": moves}),
        pd.DataFrame({"equipment_id": states}),
        pd.DataFrame({"price": range(prices)}),
    ).lower()
    for pattern, count in (
        ("# projects? moved stage", len({*moves})),
        ("# pieces? of equipment changed", len({*states})),
        ("# prices? changed", prices),
    ):
        assert stated(pattern, said) == count
    nothing = not (moves or states or prices)
    assert ("no project moved stage, no status or condition changed, no price" in said) == nothing


# The data themselves


CHECKS = st.lists(
    st.tuples(st.sampled_from(["flights", "projects", "equipment"]), SMALL, SMALL),
    min_size=1,
    max_size=9,
)


@proves("quality.sentence", "quality.notes", "_quality.Check.note")
@some
@given(CHECKS, st.integers(0, 50), st.integers(0, 9))
def test_checks_are_counted_by_what_they_counted(drawn, sound, flawed):
    rows = [
        (
            f"Check {place}",
            *(records, count, count + more),
            "" if count + more else f"0 of {place % 2} have a value.",
        )
        for place, (records, count, more) in enumerate(drawn)
    ]
    checks = rows_of("check records count of note", rows, note="str")
    said = quality.sentence(checks, sound, sound + flawed, OCTOBER)
    some_count = sum(count > 0 for _, _, count, _, _ in rows)
    blind = sum(of == 0 for _, _, _, of, _ in rows)
    nothing = len(rows) - some_count - blind
    assert stated("of # checks? of all records", said) == len(rows)
    assert stated("# counts? something", said) == some_count
    assert stated("# counts? nothing", said) == nothing
    assert stated("# had nothing to look at", said) == blind
    if sound + flawed:
        flights = "flight" if sound + flawed == 1 else "flights"
        verb = "is" if 1 in (sound, sound + flawed) else "are"
        written = f"{sound:,} of {sound + flawed:,} {flights} in October 2026 {verb} sound; "
        assert said.startswith(written)
    else:
        assert said.startswith("No flight in October 2026")

    notes = " ".join(quality.notes(checks, Filter()))
    listed = re.search(r"Counts? nothing: ([^.]*)\.", notes)
    assert len(re.findall(r"Check \d", listed[1] if listed else "")) == nothing
    assert {*re.findall(r"Check \d", notes)} == {name for name, _, count, *_ in rows if not count}
    by_limit = " ".join(quality.notes(checks.assign(note="Over 3 h."), Filter()))
    assert by_limit.count(": Over 3 h.") == len(rows)


@proves("quality.unit")
@some
@given(st.lists(st.booleans(), min_size=1, max_size=3), SMALL, st.sampled_from(["", "m", "km"]))
def test_units_fit_or_do_not_as_the_check_has_it(fits, timed, declared):
    units = ["m", "km", "ft"][: len(fits)]
    check = pd.DataFrame({"unit": units, "timed": timed, "mean_speed": 9.04, "fits": fits})
    said = quality.unit(check, declared)
    assert ("can't be told" in said) == (not timed)
    if timed:
        fitting = re.search(r"can be in (.*?)(?:, not in (.*?))?[;:] ", said)
        assert (fitting is not None) == any(fits)
        if fitting:
            no = re.split(", | or ", fitting[2] or "")
            assert [unit in no for unit in units] == [not fit for fit in fits]
            assert set(re.findall(rf"(\w+) \({NUMBER} m/s", fitting[1])) == {
                (unit, "9.0") for unit, fit in zip(units, fits, strict=True) if fit
            }
    assert (f"{declared} is declared" if declared else "no unit is declared") in said


@proves("unknown.unknown", "sentences.first_listed", "sentences.of_records")
@some
@given(st.lists(st.sampled_from(["TRAINING", *(f"ODD_{n}" for n in range(9)), None]), max_size=20))
def test_unknown_tokens_are_named_and_their_rows_counted(tokens):
    rows = pd.DataFrame({"flight_type": pd.array(tokens, dtype="str")})
    said = " ".join(unknown.unknown("flights", rows))
    odd = [token for token in tokens if token and token.startswith("ODD")]
    assert bool(said) == bool(odd)
    assert len({*re.findall(r"ODD_\d", said)}) + stated("and # more", said) == len({*odd})
    if odd:
        assert f"({len(odd)} of {len(tokens)} flight" in said


@proves("pdf.glyph_note")
@some
@given(st.lists(st.characters(min_codepoint=0x4E00, max_codepoint=0x4FFF), unique=True, min_size=1))
def test_characters_without_a_glyph_are_named_and_counted(letters):
    said = pdf.glyph_note(letters)
    codes = re.findall(r"U\+[0-9A-F]{4}", said)
    assert codes == [f"U+{ord(letter):04X}" for letter in letters[: len(codes)]]
    assert len(codes) + stated("# more", said) == len(letters)


@proves("scope.scope")
@some
@given(
    st.sampled_from(["flights", "equipment", "projects", "services"]),
    st.sets(st.sampled_from(["type", "category", "client", "status", "flight_type", "night"])),
)
def test_a_chapter_is_whole_or_narrowed_by_what_is_named(table, fields):
    narrowing = {
        "flights": fields,
        "equipment": fields & {"type", "category"},
        "projects": fields & {"client", "status"},
        "services": set(),
    }[table]
    tokens = {"night": True, "status": "DRAFT", "flight_type": "TRAINING"}
    values = {name: tokens.get(name, "X") for name in fields}
    said = scope.scope(Filter(**values), table)
    assert ("whole" in said) == (bool(fields) and not narrowing)
    named = re.fullmatch("narrowed by (.*) only", said)
    assert (named is not None) == bool(narrowing and narrowing < fields)
    if named:
        names = {name.replace("_", " ") for name in narrowing}
        assert {*re.split(", | and ", named[1])} == names


# Key figures


VALUES = st.one_of(st.none(), st.integers(0, 300), st.floats(0.01, 1e5), st.just(100.0))


@proves("kpis.kpi", "kpis.change_in_percent")
@some
@given(VALUES, VALUES, st.sampled_from(["", "h", "%"]), st.integers(0, 2))
@example(45.25, 40.0, "%", 1)
@example(100.02, 100.0, "h", 1)
def test_a_key_figure_rose_or_fell_by_what_it_says(value, earlier, unit, decimals):
    blank = {"of": None, "trend": (), "note": "", "missing": "", "front": True}
    figure = kpis.kpi(
        "Hours", value, unit=unit, decimals=decimals, previous=earlier, year_before=None,
        better="up", **blank,
    )  # fmt: skip
    change = figure["previous"]
    if value is None or earlier is None:
        assert (change["text"], change["direction"]) == ("", "")
        return
    if unit == "%" and 0 <= value <= 100:
        assert is_per_cent(figure["text"], value, decimals)
    else:
        assert read(figure["text"]) == written(value, decimals)
    difference = value - earlier
    if change["text"] == "same":
        assert abs(difference) <= 1e-12 * max(value, earlier)
        return
    assert change["direction"] == ("up" if difference > 0 else "down")
    assert change["tone"] == ("good" if difference > 0 else "bad")
    pattern = rf"(under )?([+−]?){NUMBER}(| %| pt)"
    under, sign, size, of = re.fullmatch(pattern, change["text"]).groups()
    is_bare = not under and not of
    assert sign == (("+" if difference > 0 else "−") if is_bare else "")
    true = 100 * abs(difference) / earlier if of == " %" else abs(difference)
    shown = 1 if of == " %" else max(decimals, 1) if of == " pt" else decimals
    if under:
        assert true < 0.5 * read(size) + 1e-9
    else:
        assert read(size) == written(true, shown)
