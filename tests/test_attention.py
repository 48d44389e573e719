"""What needs attention: one line of each kind, graded by its worst item; nothing is hidden."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest
from five_flights import bridge, days, equipment, flights, text

from fleetkit import language, metrics
from fleetkit.reports import attention
from fleetkit.reports.attention.lines import line as a_line
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period

OCTOBER = Period.read("2026-10")
LAST = date(2026, 10, 31)


def brief(lines):
    return [(line["severity"], line["text"]) for line in lines]


# Equipment


def of_equipment(
    pieces,
    logs=None,
    pairs=None,
    *,
    as_of="2026-10-31",
    period=OCTOBER,
    thresholds=THRESHOLDS,
    intervals=None,
):
    """Return the lines on equipment, from the metrics that the notebook takes."""
    logs = flights().iloc[:0] if logs is None else logs
    pairs = bridge().iloc[:0] if pairs is None else pairs
    serving = pieces[~pieces["status"].isin(["RETIRED", "LOST"])]
    known = {"registration_number": text(*[None] * len(serving))}
    return list(
        attention.equipment(
            metrics.registrations(serving.assign(**known), as_of),
            metrics.flown_while_expired(pieces, logs, pairs),
            metrics.reconciliation(pieces, logs, pairs),
            metrics.contradictions(pieces, logs, pairs),
            metrics.idle(serving, logs, pairs, as_of),
            maintenance_due=metrics.maintenance_due(
                serving, logs, pairs, as_of, service_intervals=intervals
            ),
            aircraft=pieces.loc[pieces["type"] == "DRONE", "equipment_id"],
            period=period,
            thresholds=thresholds,
        )
    )


def pieces(count, **columns):
    """Return so many pieces of equipment of which there is nothing to say, but what is given."""
    numbers = range(count)
    return pd.DataFrame(
        {
            "equipment_id": text(*(f"eq_{number}" for number in numbers)),
            "name": text(*(f"Drone {number}" for number in numbers)),
            "type": "CAMERA",
            "status": "ACTIVE",
            "condition": "GOOD",
            "registration_expiry": days(*[None] * count),
            "model": "K1",
            "purchase_date": days(*["2026-01-01"] * count),
            "updated_at": days(*["2026-11-02"] * count),
            "total_flights": pd.array([None] * count, dtype="Int64"),
            "total_flight_hours": pd.Series([None] * count, dtype="float64"),
            **columns,
        }
    )


def flown(*pairs):
    """Return flights of an hour in October, and their bridge: (piece, day, pilot) each."""
    ids = text(*(f"fl_{number}" for number in range(len(pairs))))
    logs = pd.DataFrame(
        {
            "flight_id": ids,
            "flight_date": days(*(f"2026-10-{day:02d}T09:00" for _, day, _ in pairs)),
            "flight_type": "COMMERCIAL",
            "duration_seconds": pd.array([3600] * len(pairs), dtype="Int64"),
            "pilot_name": text(*(pilot for _, _, pilot in pairs)),
            "project_title": text(*[None] * len(pairs)),
        }
    )
    return logs, pd.DataFrame({"flight_id": ids, "equipment_id": [pair for pair, _, _ in pairs]})


@pytest.mark.slow
def test_equipment_without_anything_to_say_gives_no_line():
    assert of_equipment(pieces(0)) == []
    assert of_equipment(pieces(3)) == []


@pytest.mark.slow
def test_what_has_retired_since_flew_on_an_expired_registration_all_the_same():
    given = pieces(1, type="DRONE", status="RETIRED", registration_expiry=days("2026-10-01"))
    lines = of_equipment(given, *flown(("eq_0", 1, "Ada"), ("eq_0", 2, "Ada"), ("eq_0", 9, "Bo")))
    line = lines[0]
    assert brief(lines) == [
        (
            "high",
            # On the day of its expiry the registration still stood.
            "1 aircraft flew on an expired registration, 2 flights in October 2026: Drone 0 (2)",
        ),
        (
            "low",
            "1 piece of equipment out of use today flew in October 2026, 3 flights: "
            "Drone 0 (RETIRED: 3)",
        ),
    ]
    assert (line["who"], line["when"], line["count"]) == ("Ada and Bo", "expired on 1 Oct 2026", 1)
    assert line["days"] == 8


@pytest.mark.slow
def test_twelve_aircraft_are_one_line_that_names_two_and_counts_the_others():
    given = pieces(12, type="DRONE", status="LOST", registration_expiry=days(*["2026-09-30"] * 12))
    logs = [(f"eq_{number}", 5, None) for number in range(12)] + [("eq_7", 6, None)] * 2
    line, _ = of_equipment(given, *flown(*logs))
    assert line["text"] == (
        "12 aircraft flew on an expired registration, 14 flights in October 2026: "
        "Drone 7 (3), Drone 0 (1) and 10 more"
    )
    assert (line["severity"], line["count"], line["who"]) == ("high", 12, "")
    two = pieces(2, type="DRONE", registration_expiry=days("2026-09-30", "2026-01-31"))
    line, *_ = of_equipment(two, *flown(("eq_0", 1, "Ada"), ("eq_0", 2, "Bo"), ("eq_1", 9, "Cy")))
    # First who flew most, not what expired first.
    assert line["text"].endswith("Drone 0 (2) and Drone 1 (1)")
    assert line["who"] == "Ada, Bo and 1 more"
    assert (line["when"], line["days"]) == ("first expired on 31 Jan 2026", 251)
    one = pieces(1, type="DRONE", registration_expiry=days("2026-09-30"))
    line, *_ = of_equipment(one, *flown(*(("eq_0", 5, pilot) for pilot in "EDCCBA")))
    assert line["who"] == "C, A and 3 more"


@pytest.mark.slow
def test_a_camera_that_flew_along_is_a_piece_of_equipment():
    given = pieces(2, type=text("DRONE", "CAMERA"), registration_expiry=days(*["2026-10-01"] * 2))
    logs, pairs = flown(("eq_0", 5, "Ada"))
    both = pd.concat([pairs, pairs.assign(equipment_id="eq_1")], ignore_index=True)
    assert of_equipment(given, logs, both)[0]["summary"] == (
        "2 pieces of equipment flew on an expired registration, 1 flight in October 2026"
    )


@pytest.mark.slow
def test_an_expired_registration_is_high_in_service_and_no_matter_out_of_it():
    given = pieces(
        3,
        status=text("ACTIVE", "RETIRED", "GROUNDED"),
        registration_expiry=days("2026-10-20", "2026-10-20", "2026-10-30"),
    )
    [line] = of_equipment(given)
    assert brief([line]) == [
        (
            "high",
            "2 registrations of equipment in service have expired: "
            "Drone 0 (20 Oct 2026) and Drone 2 (30 Oct 2026)",
        )
    ]
    assert (line["when"], line["days"]) == ("since 20 Oct 2026", 11)


@pytest.mark.slow
def test_equipment_and_projects_without_a_name_are_called_by_their_ids():
    nameless = pieces(
        3,
        name=text("", None, "  "),
        status=text("ACTIVE", "ACTIVE", "GROUNDED"),
        registration_expiry=days("2026-10-20", "2026-10-21", "2026-10-30"),
        condition=text("GOOD", "GOOD", "POOR"),
    )
    [line] = of_equipment(nameless)
    assert line["text"] == (
        "3 registrations of equipment in service have expired: "
        "eq_0 (20 Oct 2026), eq_1 (21 Oct 2026) and eq_2 (30 Oct 2026)"
    )
    nameless = pieces(1, type="DRONE", name=text(" "), registration_expiry=days("2026-10-01"))
    line = of_equipment(nameless, *flown(("eq_0", 2, "Ada")))[0]
    assert line["text"].endswith("1 flight in October 2026: eq_0 (1)")
    late = waiting(("A", 30)).assign(title=text(" "))
    [line] = attention.projects(late, ready(), stalled())
    assert line["text"] == "1 project is late: A (30 days)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expiries", "severity", "nearness", "said"),
    [
        (["2026-10-31"], "medium", 90, "1 registration expires within 30 days:"),
        (["2026-11-30"], "medium", 60, "1 registration expires within 30 days:"),
        (["2026-12-01"], "low", 59, "1 registration expires within 90 days:"),
        (["2027-01-29"], "low", 0, "1 registration expires within 90 days:"),
        (
            ["2027-01-29", "2026-11-01", "2026-12-24", "2027-01-30"],
            "medium",
            89,
            "3 registrations expire within 90 days, 1 of them within 30: Drone 1 (1 Nov 2026), "
            "Drone 2 (24 Dec 2026) and Drone 0 (29 Jan 2027)",
        ),
    ],
)
def test_a_registration_that_runs_out_is_graded_by_the_soonest(expiries, severity, nearness, said):
    [line] = of_equipment(pieces(len(expiries), registration_expiry=days(*expiries)))
    assert (line["severity"], line["days"]) == (severity, nearness)
    assert line["text"].startswith(said)


@pytest.mark.slow
def test_a_registration_of_ninety_one_days_is_none_of_ours():
    assert of_equipment(pieces(1, registration_expiry=days("2027-01-30"))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statuses", "conditions", "said"),
    [
        (
            ["ACTIVE"],
            ["UNSERVICEABLE"],
            "1 piece of equipment in condition UNSERVICEABLE is ACTIVE",
        ),
        (["ACTIVE"] * 2, ["POOR", "FAIR"], "1 piece of equipment in condition POOR is ACTIVE"),
        # The worst stands still; the worst that is in use is DAMAGED.
        (
            ["GROUNDED", "ACTIVE", "ACTIVE"],
            ["UNSERVICEABLE", "DAMAGED", "DAMAGED"],
            "2 pieces of equipment in condition DAMAGED are ACTIVE",
        ),
    ],
)
def test_active_equipment_in_the_worst_condition_is_high(statuses, conditions, said):
    given = pieces(len(statuses), status=text(*statuses), condition=text(*conditions))
    [line] = of_equipment(given)
    assert (line["severity"], line["summary"]) == ("high", said)


@pytest.mark.parametrize(
    ("order", "condition", "graded"),
    [
        (["FINE", "BAD"], "BAD", True),
        (["FINE", "BAD"], "FINE", False),
        (["ANY"], "ANY", False),  # the only condition that there is
        (["A", "B", "C", "D", "E"], "D", True),
        (["A", "B", "C", "D", "E"], "C", False),
        (["A", "B", "C", "D"], "C", False),  # two of four are better
        (["A", "B", "C", "D"], "D", True),
    ],
)
def test_more_than_half_are_better_than_the_worst_or_it_is_the_last(order, condition, graded):
    counted = ["idle_days", "days_left", "flights"]
    columns = ["equipment_id", "name", "verdict", "band", *counted]
    nothing = pd.DataFrame(columns=columns)
    active = pieces(1, condition=condition)
    worst = metrics.contradictions(
        active, flights().iloc[:0], bridge().iloc[:0], condition_order=order
    )
    lines = attention.equipment(
        nothing, nothing, nothing, worst, nothing,
        maintenance_due=nothing, aircraft=[], period=OCTOBER,
    )  # fmt: skip
    assert [item["severity"] for item in lines] == ["high"] * graded


@pytest.mark.slow
@pytest.mark.parametrize("condition", ["NEW", "FAIR", "SHINY", None])
def test_a_condition_that_is_fair_or_unknown_is_not_the_worst(condition):
    assert of_equipment(pieces(2, condition=text(condition, None))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hours", "counted", "severity", "said"),
    [
        (2.2, 2, "low", "1 counter contradicts the logs: Drone 0 (+0.2 h)"),
        (2.21, 2, "medium", "1 counter contradicts the logs, by more than 10 %: Drone 0"),
        (1.0, 2, "medium", "1 counter contradicts the logs, by more than 10 %: Drone 0"),
        (2.0, 3, "medium", "1 counter contradicts the logs, by more than 10 %: Drone 0 (+1 flight"),
        # 0.1 h is no contradiction, and doesn't stand for the flight that is one.
        (2.1, 3, "medium", "1 counter contradicts the logs, by more than 10 %: Drone 0 (+1 flight"),
        (
            1.99,
            3,
            "medium",
            "1 counter contradicts the logs, by more than 10 %: Drone 0 (+1 flight",
        ),
    ],
)
def test_a_counter_is_graded_by_its_share_of_the_logs(hours, counted, severity, said):
    given = pieces(1, total_flights=pd.array([counted], "Int64"), total_flight_hours=hours)
    [line] = of_equipment(given, *flown(("eq_0", 5, None), ("eq_0", 6, None)))
    assert line["severity"] == severity
    assert line["text"].startswith(said)


def test_a_counter_is_off_by_what_grades_it_and_named_first_where_that_is_more():
    # 0.2 of 4 h is 5 %, 2 of 4 flights are half: these are more than the 10 % of the line.
    # 2 of 20 h are more hours than that, and not more than 10 %.
    logs, pairs = flown(*[("eq_0", 5, None)] * 4, *[("eq_1", 5, None)] * 20)
    given = pieces(2, total_flights=pd.array([2, 20], "Int64"), total_flight_hours=[4.2, 22.0])
    [line] = of_equipment(given, logs, pairs)
    said = (
        "2 counters contradict the logs, 1 of them by more than 10 %: "
        "Drone 0 (−2 flights) and Drone 1 (+2.0 h)"
    )
    assert brief([line]) == [("medium", said)]


def test_hours_that_match_do_not_grade_flights_that_differ():
    # 1 of 20 flights is 5 %, and 0.1 of 0.5 h would be 20 %.
    logs, pairs = flown(*[("eq_0", 5, None)] * 20)
    given = pieces(1, total_flights=pd.array([21], "Int64"), total_flight_hours=0.6)
    [line] = of_equipment(given, logs.assign(duration_seconds=90), pairs)
    assert brief([line]) == [("low", "1 counter contradicts the logs: Drone 0 (+1 flight)")]


@pytest.mark.slow
def test_counters_of_what_never_flew_contradict_by_more_than_all():
    [line] = of_equipment(pieces(1, total_flight_hours=5.0))
    assert brief([line]) == [
        (
            "medium",
            "1 counter contradicts the logs, by more than 10 %: Drone 0 (+5.0 h)",
        )
    ]


@pytest.mark.slow
def test_aircraft_in_service_that_never_flew_are_low():
    given = pieces(4, type=text("DRONE", "DRONE", "CAMERA", "DRONE"))
    retired = given.assign(status=text("ACTIVE", "RETIRED", "ACTIVE", "ACTIVE"))
    [line] = of_equipment(retired, *flown(("eq_3", 5, None)))
    assert brief([line]) == [("low", "1 aircraft in service never flew: Drone 0")]


@pytest.mark.slow
def test_an_aircraft_whose_flights_all_lack_a_date_is_not_one_that_never_flew():
    logs, pairs = flown(("eq_0", 5, None))
    undated = logs.assign(flight_date=days(None))
    [line] = of_equipment(pieces(2, type="DRONE"), undated, pairs)
    assert brief([line]) == [("low", "1 aircraft in service never flew: Drone 1")]


def test_a_piece_that_a_line_names_is_told_from_another_of_its_name_of_which_it_says_nothing():
    given = pieces(2, name="Kestrel", registration_expiry=days("2026-10-05", "2027-10-05"))
    assert brief(of_equipment(given)) == [
        (
            "high",
            "1 registration of equipment in service has expired: Kestrel (eq_0) (5 Oct 2026)",
        )
    ]


# Pilots


def recency(*rows):
    """Return (name, recent, lapses) as `metrics.recency` has them."""
    names, recent, lapses = zip(*rows, strict=True) if rows else ((), (), ())
    return pd.DataFrame(
        {
            "pilot_id": text(*names),
            "pilot_name": text(*names),
            "recent": pd.Series(recent, dtype="bool"),
            "lapses": pd.to_datetime(pd.Series(lapses, dtype="str")).astype("datetime64[us]"),
        }
    )


def without(*rows):
    """Return flights as (pilot, day of the lapse), as `metrics.flown_without_recency` has them."""
    return pd.DataFrame(
        {
            "flight_id": text(*(f"fl_{number}" for number in range(len(rows)))),
            "pilot_id": text(*(pilot for pilot, _ in rows)),
            "pilot_name": text(*(pilot for pilot, _ in rows)),
            "lapsed": pd.to_datetime(pd.Series([day for _, day in rows], dtype="str")).astype(
                "datetime64[us]"
            ),
        }
    )


def of_pilots(state, flown):
    return list(attention.pilots(state, flown, LAST, OCTOBER))


def test_pilots_are_named_whose_recency_lapsed_lately_or_lapses_soon():
    state = recency(
        ("Ada", True, "2026-11-30"),
        ("Bo", True, "2026-12-01"),
        ("Chloé", False, "2026-10-01"),
        ("Dmitri", False, None),
        ("Eve", False, "2026-09-30"),
    )
    [line] = of_pilots(state, without())
    assert brief([line]) == [
        (
            "medium",
            "2 pilots lapsed or lapse within 30 days of 31 Oct 2026: "
            "Chloé (lapsed 1 Oct 2026) and Ada (lapses 30 Nov 2026)",
        )
    ]
    assert (line["when"], line["days"]) == ("since 1 Oct 2026", 60)  # 30 more than 30 before


def test_a_line_begins_with_its_count_in_norwegian_too():
    with language.using("nb"):
        [line] = of_pilots(recency(("Ada", True, "2026-11-30")), without())
    assert line["text"].startswith("1 pilots flyerfaring utløper eller er utløpt innen 30 dager")


def test_a_pilot_who_lapsed_and_flew_on_is_high():
    state = recency(("Ada", True, "2027-01-30"), ("Bo", False, "2026-09-30"))
    lines = of_pilots(state, without(("Bo", "2026-09-30"), ("Bo", "2026-09-30")))
    assert brief(lines) == [
        ("high", "1 pilot flew on after recency lapsed, 2 flights in October 2026: Bo (2)")
    ]
    assert (lines[0]["when"], lines[0]["days"]) == ("lapsed on 30 Sep 2026", 31)
    [line] = of_pilots(recency(), without(("Bo", "2026-09-30"), ("Ada", "2026-09-20")))
    assert line["text"].endswith("Ada (1) and Bo (1)")  # who lapsed first
    assert (line["when"], line["days"]) == ("first lapsed on 20 Sep 2026", 41)


def test_a_pilot_who_is_recent_again_flew_on_all_the_same():
    state = recency(("Ada", True, "2027-01-30"), ("Bo", True, "2027-01-20"))
    [line] = of_pilots(state, without(("Bo", "2026-10-10")))
    assert (line["severity"], line["when"]) == ("high", "lapsed on 10 Oct 2026")


@pytest.mark.parametrize(
    ("rows", "said", "when"),
    [
        (
            [("Ada", False, "2026-09-01"), ("Bo", False, None), ("Cy", False, "2026-10-21")],
            "None of 3 pilots is recent on 31 Oct 2026: "
            "Ada (lapsed 1 Sep 2026), Cy (lapsed 21 Oct 2026) and Bo (never recent)",
            ("since 21 Oct 2026", 10),  # until then Cy was
        ),
        (
            [("Ada", False, "2026-09-01")],
            "The only pilot is not recent on 31 Oct 2026: Ada (lapsed 1 Sep 2026)",
            ("since 1 Sep 2026", 60),
        ),
    ],
)
def test_all_pilots_lapsed_is_high(rows, said, when):
    [line] = of_pilots(recency(*rows), without())
    assert brief([line]) == [("high", said)]
    assert (line["when"], line["days"]) == when


def test_a_line_begins_with_a_capital_and_amid_the_verdict_its_sentence_does_not():
    lines = of_pilots(recency(("Ada", False, "2026-09-01")), without())
    late = line("high", "2 projects are late", count=2)
    assert attention.verdict([late, *lines]) == (
        "High: 2 projects are late; the only pilot is not recent on 31 Oct 2026."
    )
    assert lines[0]["text"].startswith("The only pilot is not recent on 31 Oct 2026: Ada")


def test_pilots_without_a_name_are_called_by_their_ids():
    def nameless(rows):
        return rows.assign(pilot_name=text(*[" "] * len(rows)))

    [line] = of_pilots(nameless(recency(("p_1", False, "2026-09-01"))), without())
    assert line["text"].endswith("not recent on 31 Oct 2026: p_1 (lapsed 1 Sep 2026)")
    state = recency(("p_1", True, "2026-11-30"), ("p_2", True, "2027-01-30"))
    lines = of_pilots(nameless(state), nameless(without(("p_2", "2026-10-10"))))
    assert [line["text"].split(": ")[1] for line in lines] == [
        "p_2 (1)",
        "p_1 (lapses 30 Nov 2026)",
    ]


def test_pilots_of_one_name_are_called_by_their_ids_too():
    state = recency(("p_1", True, "2026-11-05"), ("p_2", True, "2026-11-06"))
    [line] = of_pilots(state.assign(pilot_name=text("Kim", "Kim")), without())
    assert line["text"].split(": ")[1] == (
        "Kim (p_1) (lapses 5 Nov 2026) and Kim (p_2) (lapses 6 Nov 2026)"
    )


def test_a_late_project_is_told_from_one_of_the_same_title_that_is_not_late():
    late = waiting(("Roof", 3)).assign(project_id=text("proj_1"))
    every = pd.DataFrame({"project_id": text("proj_1", "proj_2"), "title": text("Roof", "Roof")})
    [line] = attention.projects(late, ready(), stalled(), projects=every)
    assert line["text"] == "1 project is late: Roof (proj_1) (3 days)"


def test_without_pilots_there_is_nothing_to_say():
    assert of_pilots(recency(), without()) == []


# Projects


def waiting(*rows, column="days_late", moment="scheduled_date"):
    """Return (title, days) of one client each."""
    titles, lengths = zip(*rows, strict=True) if rows else ((), ())
    return pd.DataFrame(
        {
            "project_id": text(*titles),
            "title": text(*titles),
            "client_account_name": text(*(f"Client {title}" for title in titles)),
            "assigned_pilot_name": text(*[None] * len(titles)),
            column: pd.array(list(lengths), dtype="Int64"),
            moment: days(*["2026-10-01"] * len(titles)),
        }
    )


def ready(*rows):
    return waiting(*rows, column="days_since_updated", moment="updated_at")


def stalled(*rows):
    return waiting(*rows, column="days_untouched", moment="updated_at")


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ([("A", 30)], [("medium", "1 project is late: A (30 days)")]),
        (
            [("A", 31)],
            [("high", "1 project is late, for more than 30 days: A (31 days)")],
        ),
        (
            [("A", 48), ("B", 31)],
            [
                (
                    "high",
                    "2 projects are late, all of them for more than 30 days: "
                    "A (48 days) and B (31 days)",
                )
            ],
        ),
        (
            [("E", 1), ("A", 48), ("B", 31), ("C", 30), ("D", 2)],
            [
                (
                    "high",
                    "5 projects are late, 2 of them for more than 30 days: "
                    "A (48 days), B (31 days) and 3 more",
                )
            ],
        ),
    ],
)
def test_late_projects_are_one_line_graded_by_the_latest(late, expected):
    assert brief(attention.projects(waiting(*late), ready(), stalled())) == expected


def test_what_is_delivered_and_not_invoiced_is_medium_after_a_fortnight():
    for waited, severity in ((14, "low"), (15, "medium")):
        [line] = attention.projects(waiting(), ready(("A", waited), ("B", 3)), stalled())
        assert (line["severity"], line["count"]) == (severity, 2)
    assert line["text"] == (
        "2 delivered projects are not invoiced, 1 of them for more than 14 days: "
        "A (15 days) and B (3 days)"
    )
    assert (line["who"], line["when"]) == ("Client A and Client B", "untouched since 1 Oct 2026")


def test_a_client_of_blanks_is_nobody():
    [line] = attention.projects(
        waiting(("A", 3), ("B", 2)).assign(client_account_name=[" ", "Fjord"]), ready(), stalled()
    )
    assert line["who"] == "Fjord"


def test_a_project_of_unknown_age_is_counted_and_not_graded_by_it():
    [line] = attention.projects(waiting(), ready(("A", None)), stalled())
    assert brief([line]) == [
        ("low", "1 delivered project is not invoiced: A (for how long is not known)")
    ]


def test_stalled_projects_are_low_however_long():
    [line] = attention.projects(waiting(), ready(), stalled(("A", 400)))
    assert brief([line]) == [("low", "1 project is stalled: A (400 days)")]


# The order, and the sentence made of the lines


def line(severity, summary, count=1, length=0.0):
    return {"severity": severity, "summary": summary, "count": count, "days": length}


def test_lines_go_by_grade_then_by_how_many_then_by_how_long():
    given = [
        line("low", "a", 99),
        line("high", "b", 1, 5),
        line("medium", "c", 50),
        line("high", "d", 1, 9),
        line("high", "e", 2, 1),
    ]
    assert [item["summary"] for item in attention.in_order(given)] == ["e", "d", "b", "c", "a"]


@pytest.mark.parametrize(
    ("lines", "left_out", "said"),
    [
        ([], [], "Nothing needs attention."),
        ([], ["Pricing"], "Nothing needs attention; not looked at: Pricing."),
        ([line("low", "a")], [], "Low: a."),
        ([line("low", "a"), line("medium", "b")], [], "Medium: b; 1 more matter is graded low."),
        (
            [line("low", "a"), line("high", "b"), line("medium", "c"), line("high", "d", 2)],
            ["Pricing"],
            "High: d; b; 2 more matters are graded 1 medium and 1 low; not looked at: Pricing.",
        ),
        (
            [line("high", letter) for letter in "abcde"],
            [],
            "High: a; b; c; d; 1 more matter is graded high.",
        ),
    ],
)
def test_the_verdict_says_the_gravest_and_counts_the_others(lines, left_out, said):
    assert attention.verdict(lines, left_out) == said


def test_the_verdict_names_grades_in_the_language_of_the_report():
    lines = [line("high", "b"), line("medium", "c"), line("low", "a")]
    with language.using("de"):
        three, two = attention.verdict(lines), attention.verdict(lines[::2])
    assert (three[:9], "1 mittel und 1 niedrig" in three) == ("Hoch: b; ", True)
    assert "niedrig" in two


def test_more_than_a_thousand_others_are_counted_with_separators():
    names = [f"D{number}" for number in range(1_239)]
    many = a_line("low", "x", names[:2], of=1_239, who=names)
    assert (many["text"], many["who"]) == ("X: D0, D1 and 1,237 more", "D0, D1 and 1,237 more")


def test_long_names_are_cut_in_every_line():
    long = "An inspection of the old harbour and all of its cranes " * 4
    [late] = attention.projects(waiting((long, 3)), ready(), stalled())
    [only] = of_pilots(recency((long, False, "2026-09-01")), without())
    flew, lapsed = of_pilots(recency((long, True, "2026-11-30")), without((long, "2026-10-10")))
    named = pieces(1, total_flight_hours=5.0).assign(name=text(long))
    [counter] = of_equipment(named)
    texts = [item["text"] for item in (late, only, flew, lapsed, counter)]
    assert [words.count("…") for words in texts] == [1] * 5
    assert max(map(len, texts)) < 120


@pytest.mark.slow
def test_the_five_flights_read_as_they_were_counted_by_hand():
    lines = of_equipment(equipment(), flights(), bridge(), period=Period.read("2026-10"))
    assert [item["summary"] for item in lines] == [
        "1 aircraft flew on an expired registration, 2 flights in October 2026",
        "2 registrations of equipment in service have expired",
        "1 counter contradicts the logs, by more than 10 %",
        "1 aircraft in service never flew",
    ]


@pytest.mark.slow
def test_days_in_a_line_are_those_of_the_zone_that_they_were_counted_in():
    # Both expired at 01:00 UTC on 20 October: on the 19th in Los Angeles, so 12 days before the
    # 31st. The second one makes them instants.
    drones = pieces(
        2, type="DRONE", registration_expiry=days("2026-10-20T01:00", "2026-10-20T01:00")
    )
    drones.attrs["tz"] = "America/Los_Angeles"
    logs, pairs = flown(("eq_0", 21, "Ada"))
    [flew, gone, *_] = of_equipment(drones, logs, pairs)
    assert flew["when"] == "expired on 19 Oct 2026"
    assert (gone["when"], gone["days"]) == ("since 19 Oct 2026", 12)
    assert gone["text"].endswith("Drone 0 (19 Oct 2026) and Drone 1 (19 Oct 2026)")


def test_days_that_projects_wait_since_are_those_of_the_zone_that_they_were_counted_in():
    columns = {"client_account_name": "Fjord", "assigned_pilot_name": "Ada", "currency": "EUR"}
    moments = days("2026-10-20T01:00")
    waiting = pd.DataFrame(
        {"project_id": ["a"], "title": ["Roof"], "status": ["SCHEDULED"], "agreed_price": [1.0]}
    ).assign(**columns, scheduled_date=moments, updated_at=moments)
    waiting.attrs["tz"] = "America/Los_Angeles"
    late = metrics.late_projects(waiting, "2026-10-31")
    ready = metrics.to_invoice(waiting.assign(status="DELIVERED"), "2026-10-31")
    items = list(attention.projects(late, ready, late.head(0).assign(days_untouched=[])))
    assert [(line["when"], line["days"]) for line in items] == [
        ("since 19 Oct 2026", 12),
        ("untouched since 19 Oct 2026", 12),
    ]


@pytest.mark.slow
def test_equipment_that_flew_and_is_out_of_use_today_is_a_question():
    given = pieces(
        3,
        status=text("LOST", "GROUNDED", "LOST"),
        updated_at=days("2026-10-04", "2026-11-02", "2026-10-04"),
    )
    logged = [("eq_0", 5, None), ("eq_0", 6, None), ("eq_1", 6, None), ("eq_2", 7, None)]
    [line] = of_equipment(given, *flown(*logged))
    assert brief([line]) == [
        (
            "low",
            "3 pieces of equipment out of use today flew in October 2026, 2 of them still after "
            "the record last changed, 4 flights: Drone 0 (LOST: 2), Drone 2 (LOST: 1) and "
            "Drone 1 (GROUNDED: 1)",
        )
    ]
    # The metric names 20: which of the other flights two pieces share is not known.
    [line] = of_equipment(given, *flown(*[("eq_0", 5, None)] * 21, ("eq_1", 6, None)))
    assert "flew in October 2026, 1 of them still after the record last changed: " in line["text"]
    # Of its flights some may be older than the change.
    [line] = of_equipment(given.head(1), *flown(("eq_0", 3, None), ("eq_0", 6, None)))
    assert line["summary"] == (
        "1 piece of equipment out of use today flew in October 2026, still after the record last "
        "changed, 2 flights"
    )


@pytest.mark.slow
def test_maintenance_that_is_due_soon_or_already_is_named():
    # Purchased on 1 January, 303 days before; due after 303, 333 and 334 days.
    given = pieces(3, model=text("K1", "K2", "K3"))
    intervals = {f"K{n}": {"days": days} for n, days in ((1, 303), (2, 333), (3, 334))}
    [line] = of_equipment(given, intervals=intervals)
    assert brief([line]) == [
        (
            "low",
            "2 pieces of equipment are due for maintenance within 30 days, 1 of them already: "
            "Drone 0 (31 Oct 2026, by days) and Drone 1 (30 Nov 2026, by days)",
        )
    ]
    assert (line["when"], line["days"]) == ("since 31 Oct 2026", 30)
    [line] = of_equipment(given.tail(2), intervals=intervals)
    assert line["when"] == "from 30 Nov 2026"
    with language.using("de"):
        [line] = of_equipment(given, intervals=intervals, as_of="2026-11-30")
    assert "davon 2 schon fällig: " in line["text"]
    assert "(30. Nov. 2026, Intervall: Tage)" in line["text"]
    assert line["days"] == 60  # the first is 30 days late


# What an organisation sets


def set_to(**thresholds):
    return {"thresholds": {**THRESHOLDS, **thresholds}}


def test_a_project_is_high_from_the_days_on_that_are_set():
    late = pd.DataFrame(
        {
            "title": ["Quarry"],
            "client_account_name": ["Fjord"],
            "assigned_pilot_name": ["Ada"],
            "days_late": [10],
            "scheduled_date": days("2026-10-21"),
        }
    )
    nothing = late.head(0).assign(days_since_updated=[], days_untouched=[], updated_at=[])
    lines = [
        next(attention.projects(late, nothing, nothing, **set_to(late_days=limit)))
        for limit in (10, 9)
    ]
    assert brief(lines) == [
        ("medium", "1 project is late: Quarry (10 days)"),
        ("high", "1 project is late, for more than 9 days: Quarry (10 days)"),
    ]


@pytest.mark.slow
def test_an_expiry_is_near_within_the_days_that_are_set():
    given = pieces(1, registration_expiry=days("2026-11-10"))  # 10 days left
    texts = [
        brief(of_equipment(given, thresholds=set_to(expiry_days=limit)["thresholds"]))[0]
        for limit in (30, 9)
    ]
    assert texts == [
        ("medium", "1 registration expires within 30 days: Drone 0 (10 Nov 2026)"),
        ("low", "1 registration expires within 90 days: Drone 0 (10 Nov 2026)"),
    ]


def test_so_many_records_of_a_check_are_many_as_are_set():
    checks = pd.DataFrame(
        {"check": ["No price"], "severity": ["error"], "records": ["projects"]}
    ).assign(count=[2], of=[100])
    none_of_flights = checks.head(0)
    some, none = (
        list(attention.data_quality(checks, none_of_flights, OCTOBER, **set_to(many_records=many)))
        for many in (2, 3)
    )
    assert (len(some), none) == (1, [])
    the_only_one = checks.assign(count=1, of=1)
    assert len(list(attention.data_quality(the_only_one, none_of_flights, OCTOBER))) == 1
    exactly = checks.assign(count=9, of=1000)  # 0.9 / 100 is above 9 / 1000 as floats
    part = set_to(many_percent=0.9)
    assert len(list(attention.data_quality(exactly, none_of_flights, OCTOBER, **part))) == 1


def test_a_check_that_counts_the_twentieth_part_is_named_and_equal_ones_go_by_name():
    names = ["No price", "No client", "No pilot", "No title"]
    checks = pd.DataFrame({"check": names, "records": "projects", "of": 100}).assign(
        severity=["warning", "error", "error", "question"], count=[5, 5, 4, 9]
    )
    [line] = attention.data_quality(checks, checks.head(0), OCTOBER)
    assert line["text"] == (
        "2 checks of the data count at least 10 or 5 % of the records: "
        "No client (5 of 100 projects) and No price (5 of 100 projects)"
    )
