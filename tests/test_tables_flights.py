"""Flights: one row each, the same by the fast and the lenient path, and the bridge."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fleetkit.tables.flights
from fleetkit import schema, tables
from fleetkit.columns import COLUMNS
from fleetkit.errors import DataError


def page(*records, **dump):
    return json.dumps({"success": True, "data": list(records)}, **dump).encode()


def read(*pages):
    """Read ``(equipment id, page)`` pairs."""
    reader = tables.FlightReader()
    for piece, body in pages:
        reader.add(piece, body)
    return *reader.finish(), reader.differences


FLIGHT = {
    "id": "fl_1",
    "flightDate": "2026-10-01T06:30:00.000Z",
    "flightType": "TRAINING",
    "operationType": "MAPPING",
    "durationSeconds": 600,
    "maxAltitude": 80,
    "traveledDistance": 1200.5,
    "nightFlight": False,
    "bvlos": True,
    "takeoffLat": 59.9,
    "takeoffLng": 10.7,
    "landingLat": None,
    "landingLng": None,
    "pilotInCommand": {"id": "prof_1", "fullName": "Åse Berg"},
    "project": {"id": "proj_1", "title": "Bridge"},
    "createdAt": "2026-10-01T08:00:00.000Z",
    "updatedAt": "2026-10-02T08:00:00.000Z",
}


def test_a_flight_as_the_reference_has_it_fills_the_contracts_columns():
    flights, bridge, _ = read(("eq_1", page(FLIGHT)))
    assert flights.dtypes.astype(str).to_dict() == {
        column.name: column.dtype for column in COLUMNS["flights"]
    }
    row = flights.iloc[0]
    assert row["flight_date"] == pd.Timestamp("2026-10-01T06:30Z")
    assert row[["flight_type", "duration_seconds", "max_altitude", "bvlos"]].tolist() == [
        "TRAINING",
        600,
        80.0,
        True,
    ]
    assert row[["pilot_id", "pilot_name", "project_id", "project_title"]].tolist() == [
        "prof_1",
        "Åse Berg",
        "proj_1",
        "Bridge",
    ]
    assert bridge.values.tolist() == [["fl_1", "eq_1"]]


@pytest.mark.parametrize("pages", [[], [("eq_1", page())]], ids=["no page", "an empty page"])
def test_no_flight_gives_empty_tables_of_the_same_columns(pages):
    flights, bridge, differences = read(*pages)
    pd.testing.assert_frame_equal(flights, tables.empty("flights"))
    pd.testing.assert_frame_equal(bridge, tables.empty("flight_equipment"))
    assert differences == {}


@pytest.mark.parametrize(
    ("pilot", "expected"),
    [
        (None, [None, None]),
        ({}, [None, None]),
        ({"id": "prof_1"}, ["prof_1", None]),
        ({"id": 5, "fullName": None}, ["5", None]),
    ],
)
def test_a_pilot_may_be_missing_or_incomplete(pilot, expected):
    flights, _, _ = read(("eq_1", page({**FLIGHT, "pilotInCommand": pilot})))
    row = flights.loc[0, ["pilot_id", "pilot_name"]]
    assert [None if pd.isna(row_value) else row_value for row_value in row] == expected


def test_rows_do_not_depend_on_the_order_in_which_pages_arrive():
    pages = [(f"eq_{n % 3}", page({"id": f"fl_{n}"})) for n in range(200)]
    late = [page for piece in ("eq_2", "eq_0", "eq_1") for page in pages if page[0] == piece]
    for ours, theirs in zip(read(*pages)[:2], read(*late)[:2], strict=True):
        pd.testing.assert_frame_equal(ours, theirs)


def test_a_field_unknown_in_only_some_batches_lines_up():
    pages = [("eq_1", page({"id": f"fl_{n}"})) for n in range(64)]
    pages += [("eq_1", page({"id": "fl_64", "batteryCycles": 7}))]
    pages += [("eq_2", page({"id": "fl_65", "durationSeconds": "5", "batteryCycles": "x"}))]
    with pytest.warns(tables.NotInReference, match=r"Flight\.batteryCycles") as caught:
        flights, _, _ = read(*pages)
    assert flights["battery_cycles"].iloc[-3:].tolist()[1:] == ["7", "x"]
    assert flights["battery_cycles"].isna().sum() == 64
    assert len(caught) == 1


def test_a_field_unknown_inside_pilot_or_project_bears_their_name():
    flight = {**FLIGHT, "pilotInCommand": {"id": "p", "licence": "A2"}, "project": {"code": 7}}
    with pytest.warns(tables.NotInReference):
        flights, _, _ = read(("eq_1", page(flight, {**FLIGHT, "id": "fl_2"})))
    assert flights.loc[0, ["pilot_licence", "project_code"]].tolist() == ["A2", 7.0]
    assert flights.loc[1, ["pilot_licence", "project_code"]].isna().all()


def test_pages_printed_over_several_lines_are_read_alike():
    wide, _, _ = read(("eq_1", page(FLIGHT, {**FLIGHT, "id": "fl_2"}, indent=2)))
    narrow, _, _ = read(("eq_1", page(FLIGHT, {**FLIGHT, "id": "fl_2"})))
    pd.testing.assert_frame_equal(wide, narrow)


@pytest.mark.parametrize(
    "body",
    [b'{"data":null}', b'{"data":[null]}', b'{"data":[{"name":"x"}]}', b'{"success":true}', b"{"],
)
def test_a_page_that_would_lose_records_is_refused(body):
    with pytest.raises(DataError):
        read(("eq_1", page(FLIGHT)), ("eq_1", body))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [500_000, 1_000_000])
def test_a_value_nested_too_deep_is_refused_and_not_a_traceback(opening, depth):
    value = opening * depth + "1" + {"[": "]", '{"a":': "}"}[opening] * depth
    with pytest.raises(DataError, match="is not JSON that can be read"):
        read(("eq_1", b'{"data":[{"id":"fl_1","x":%s}]}' % value.encode()))


def test_a_page_that_is_no_utf8_is_refused():
    with pytest.raises(DataError, match="is not JSON that can be read"):
        read(("eq_1", b'{"data":[{"id":"\xff"}]}'))
    with pytest.raises(DataError, match="is not JSON that can be read"):
        read(("eq_1", b'{"data":[{"id":"fl_1","further":"\xff"}]}'))


def test_a_flight_of_two_pieces_of_equipment_is_one_row_and_two_of_the_bridge():
    flights, bridge, differences = read(("eq_camera", page(FLIGHT)), ("eq_drone", page(FLIGHT)))
    assert flights["flight_id"].tolist() == ["fl_1"]
    assert bridge.values.tolist() == [["fl_1", "eq_camera"], ["fl_1", "eq_drone"]]
    assert differences == {}


def test_each_flight_is_once_with_each_piece_of_equipment_in_their_order_however_often_it_is_read():
    two, three = ([{**FLIGHT, "id": f"fl_{n}"} for n in range(1, most)] for most in (3, 4))
    flights, bridge, _ = read(("eq_b", page(*three)), ("eq_a", page(*two)), ("eq_a", page(*two)))
    assert flights.reset_index()[["index", "flight_id"]].values.tolist() == [
        [0, "fl_1"],
        [1, "fl_2"],
        [2, "fl_3"],
    ]
    assert bridge.reset_index().values.tolist() == [
        [0, "fl_1", "eq_a"],
        [1, "fl_2", "eq_a"],
        [2, "fl_1", "eq_b"],
        [3, "fl_2", "eq_b"],
        [4, "fl_3", "eq_b"],
    ]


def test_a_duration_that_only_one_copy_has_is_a_difference():
    silent = {**FLIGHT, "durationSeconds": None}
    differences = read(("eq_a", page(silent)), ("eq_b", page(FLIGHT)))[2]
    assert differences == {"fl_1": {"eq_b": ["duration_seconds"]}}


def test_flights_that_are_returned_are_forgotten():
    reader = tables.FlightReader()
    for piece in ("eq_a", "eq_b"):
        reader.add(piece, page({**FLIGHT, "operationType": piece}))
    assert len(reader.finish()[0]) == 1
    assert list(reader.differences) == ["fl_1"]
    assert [len(found) for found in (*reader.finish(), reader.differences)] == [0, 0, 0]
    reader.add("eq_a", page(FLIGHT))
    assert (len(reader.take()), len(reader.take())) == (1, 0)


def test_of_two_copies_the_newest_wins_and_the_difference_is_listed():
    old = {**FLIGHT, "durationSeconds": 500, "updatedAt": "2026-10-01T09:00:00.000Z"}
    flights, _, differences = read(("eq_a", page(old)), ("eq_b", page(FLIGHT)))
    assert flights["duration_seconds"].tolist() == [600]
    assert differences == {"fl_1": {"eq_a": ["duration_seconds"]}}


@pytest.mark.parametrize("order", [("eq_a", "eq_b"), ("eq_b", "eq_a")])
def test_of_equally_new_copies_the_first_equipments_wins(order):
    copies = {"eq_a": {**FLIGHT, "maxAltitude": 1}, "eq_b": {**FLIGHT, "maxAltitude": 2}}
    flights, _, differences = read(*((index, page(copies[index])) for index in order))
    assert flights["max_altitude"].tolist() == [1.0]
    assert differences == {"fl_1": {"eq_b": ["max_altitude"]}}


def test_of_several_copies_each_that_differs_is_listed_with_its_fields():
    second = {**FLIGHT, "id": "fl_2"}
    older = {"durationSeconds": 500, "maxAltitude": 1, "updatedAt": None}
    pages = [("eq_a", page(FLIGHT, second))]
    pages += [(piece, page({**FLIGHT, **older}, {**second, **older})) for piece in ("eq_c", "eq_b")]
    differences = read(*pages)[2]
    fields = ["duration_seconds", "max_altitude"]
    assert differences == {flight: {"eq_b": fields, "eq_c": fields} for flight in ("fl_1", "fl_2")}


def test_copies_that_were_updated_at_different_times_and_say_the_same_do_not_differ():
    older = {**FLIGHT, "updatedAt": "2026-10-01T09:00:00.000Z"}
    assert read(("eq_a", page(older)), ("eq_b", page(FLIGHT)))[2] == {}


def test_a_copy_without_update_time_is_the_oldest():
    undated = {**FLIGHT, "updatedAt": None, "maxAltitude": 1}
    flights, _, _ = read(("eq_a", page(undated)), ("eq_b", page(FLIGHT)))
    assert flights["max_altitude"].tolist() == [80.0]


def test_a_page_read_twice_adds_nothing():
    flights, bridge, differences = read(("eq_1", page(FLIGHT)), ("eq_1", page(FLIGHT)))
    assert (len(flights), len(bridge), len(differences)) == (1, 1, 0)


moments = st.datetimes(
    min_value=pd.Timestamp("1900-01-01").to_pydatetime(),
    max_value=pd.Timestamp("2200-01-01").to_pydatetime(),
).flatmap(
    lambda moment: st.sampled_from(
        [
            moment.isoformat(timespec="milliseconds") + "Z",
            moment.isoformat(timespec="microseconds") + "Z",
            moment.isoformat(timespec="seconds") + "+02:00",
            moment.isoformat(timespec="seconds") + "-0530",
            moment.isoformat(sep=" ", timespec="seconds"),
            moment.date().isoformat(),
        ]
    )
)
texts = st.text(max_size=8)
numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53), 2**53))
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
VALUES = {
    "string": texts,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": numbers,
    "boolean": st.booleans(),
    "timestamp": moments,
}


def values_of(field):
    if field.record is not None:
        inside = {inner.name: VALUES[inner.type] for inner in field.record.fields}
        return st.fixed_dictionaries({}, optional={**inside, "licence": anything})
    return VALUES[field.type]


@st.composite
def flight_records(draw):
    """Flights with any values that Arrow takes, fields left out, null or unknown."""
    optional = {
        field.name: st.one_of(st.none(), values_of(field))
        for field in schema.FLIGHT.fields
        if field.name != "id"
    }
    optional["batteryCycles"] = optional["extra Field"] = anything
    return draw(st.fixed_dictionaries({"id": texts}, optional=optional))


def leniently(pages):
    """Read pages by the lenient path: none is as the reference has it, for its last flight."""
    odd = b'{"id": "odd", "durationSeconds": "1"}'
    flights, _, _ = read(*(("eq_1", page[:-2] + b"," + odd + b"]}") for page in pages))
    return flights[flights["flight_id"] != "odd"].reset_index(drop=True)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(records=st.lists(flight_records(), min_size=1, max_size=6))
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_the_lenient_path_gives_what_the_fast_path_gives(records):
    for number, record in enumerate(records):
        record["id"] = f"{number} {record['id']}"
    plain, _, _ = read(("eq_1", page(*records)))
    pd.testing.assert_frame_equal(plain, leniently([page(*records)]))


# One field that the reference doesn't know, in every form that JSON has for a value.
ODD = [
    *("1", "-0", "12.0", "1.50", "0.0000001", "1e5", "-1E-7", "9007199254740993", "1" * 30),
    *("true", "false", "null", '"x"', '""', '"true"', '"12"', r'"a \"b\" \u00e9"', '"é, ü: {x}"'),
    *("{}", "[]", "[null]", '{"a": 1, "b" : [1.0, 2e3]}', '{"a":{"b":"c d"}}', '{"x":"\\n"}'),
    *('{"id":"p","fullName":"Åse Berg"}', '{"cells":[1,2,3],"volts":22.25}', "[0.0000001,-0]"),
    *('"2026-10-01T06:30:00.000Z"', '{"a":1e400}', "1e300", "-1e301", '[{"x":[]},{}]', '" "'),
]


@st.composite
def lists_with_an_odd_field(draw):
    """Return pages with a field of mostly one form, and of other forms in odd places."""
    usual = draw(st.sampled_from(ODD))
    values = draw(st.lists(st.one_of(st.just(usual), st.sampled_from([*ODD, None])), min_size=1))
    records = [
        f'{{"id": "fl_{n}"' + (f', "further": {value}' if value is not None else "") + "}"
        for n, value in enumerate(values)
    ]
    most = draw(st.integers(1, 3))
    lists = (records[n : n + most] for n in range(0, len(records), most))
    return [f'{{"data": [{", ".join(page)}]}}'.encode() for page in lists]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(pages=lists_with_an_odd_field(), batch=st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_field_of_mixed_types_reads_the_same_wherever_the_odd_record_stands(pages, batch):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("fleetkit.tables.flights.BATCH", batch)
        plain, _, _ = read(*(("eq_1", page) for page in pages))
    pd.testing.assert_frame_equal(plain, leniently(pages))


@pytest.mark.slow
@pytest.mark.parametrize("odd", [b'"spare"', b"[1]", b"12.50", b"true", b'{"n": 1}', b"null"])
@pytest.mark.parametrize("place", [0, 70, 149])
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_one_odd_value_among_many_pages_changes_the_column_the_same_way_anywhere(odd, place):
    values = [b"%d" % (n % 100) for n in range(150)]
    values[place] = odd
    pages = [b'{"data":[{"id":"fl_%d","slot":%s}]}' % (n, value) for n, value in enumerate(values)]
    flights, _, _ = read(*(("eq_1", page) for page in pages))
    expected = {
        b'"spare"': ("str", "spare", "7"),
        b"[1]": ("str", "[1]", "7"),
        b"12.50": ("float64", 12.5, 7.0),
        b"true": ("str", "true", "7"),
        b'{"n": 1}': ("str", '{"n":1}', "7"),
        b"null": ("float64", None, 7.0),
    }[odd]
    slots = flights.set_index("flight_id")["slot"]
    value = None if pd.isna(slots[f"fl_{place}"]) else slots[f"fl_{place}"]
    assert (str(slots.dtype), value, slots["fl_7"]) == expected


def test_numbers_in_a_column_of_text_keep_every_digit_whichever_path_read_them():
    pages = [
        page({"id": "fl_1"}).replace(b'"}]', b'", "code": 1.50}]'),
        page({"id": "fl_2", "durationSeconds": "5"}).replace(b'"}]', b'", "code": 12.0}]'),
        page({"id": "fl_3", "code": "B-7"}),
        page({"id": "fl_4"}).replace(b'"}]', b'", "code": 123456789012345678901}]'),
    ]
    with pytest.warns(tables.NotInReference):
        flights, _, _ = read(*(("eq_1", page) for page in pages))
    assert flights["code"].tolist() == ["1.50", "12.0", "B-7", "123456789012345678901"]


def lenient_records(monkeypatch):
    """Return a list that notes how many records the lenient path reads."""
    counts = []
    columns_of = fleetkit.tables.flights.columns_of
    monkeypatch.setattr(
        "fleetkit.tables.flights.columns_of",
        lambda records, *rest: (counts.append(len(records)), columns_of(records, *rest))[1],
    )
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"batteryCycles": 12},
        {"battery": {"cycles": 12, "volts": 22.25, "cells": [1, None]}},
        {"pilotInCommand": {"id": "p", "fullName": "Åse", "licence": {"class": "A2"}}},
        {"maxAltitude": None, "maximumAltitude": 80.5},
        {"project": None, "job": {"id": "proj_1", "title": "Bridge"}},
        {"slot": [7, "spare", None, True, {"n": 1}]},
        {"unused": []},
    ],
    ids=["scalar", "nested", "inside pilot", "renamed", "renamed object", "mixed", "empty list"],
)
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_what_the_reference_does_not_know_does_not_send_pages_down_the_lenient_path(
    change, monkeypatch
):
    slow = lenient_records(monkeypatch)
    records = [{**FLIGHT, **change, "id": f"fl_{n}"} for n in range(150)]
    if "slot" in change:
        for number, record in enumerate(records):
            record["slot"] = change["slot"][number % 5]
    flights, _, _ = read(*(("eq_1", page(record)) for record in records))
    assert (len(flights), slow) == (150, [])
    pd.testing.assert_frame_equal(flights, leniently([page(record) for record in records]))


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_only_the_batch_with_the_odd_known_value_is_read_leniently(monkeypatch):
    slow = lenient_records(monkeypatch)
    records = [{**FLIGHT, "id": f"fl_{n}", "batteryCycles": n} for n in range(64 * 4)]
    records[100]["maxAltitude"] = "80"
    flights, _, _ = read(*(("eq_1", page(record)) for record in records))
    assert (flights["battery_cycles"].tolist(), slow) == (list(range(64 * 4)), [64])


def test_rows_that_are_taken_are_in_the_order_of_the_equipment_ids():
    reader = tables.FlightReader()
    for piece, flight in (("eq_2", b"fl_1"), ("eq_1", b"fl_2")):
        reader.add(piece, b'{"success": true, "data": [{"id": "%s"}]}' % flight)
    rows = reader.take()
    assert rows["flight_id"].to_pylist() == ["fl_2", "fl_1"]
    assert rows["equipment_id"].to_pylist() == ["eq_1", "eq_2"]


def test_a_field_that_comes_and_one_that_goes_line_up_with_their_flights():
    records = [{"id": f"fl_{n}", ("early" if n < 100 else "late"): n} for n in range(200)]
    with pytest.warns(tables.NotInReference) as caught:
        flights, _, _ = read(*(("eq_1", page(record)) for record in records))
    flights = flights.set_index("flight_id")
    assert flights.loc[["fl_0", "fl_99"], "early"].tolist() == [0, 99]
    assert flights.loc[["fl_100", "fl_199"], "late"].tolist() == [100, 199]
    assert (flights["early"].notna().sum(), flights["late"].notna().sum()) == (100, 100)
    assert len(caught) == 2


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_names_that_are_no_names_in_python_are_fields_all_the_same():
    names = ["class", "raw_0", "__init__", "🚁 x", "", "a.b", 'say "hi"', "id2", "self"]
    record = {**FLIGHT, **{name: number for number, name in enumerate(names)}}
    flights, _, _ = read(("eq_1", page(record)), ("eq_1", page({**record, "id": "fl_2"})))
    frame = flights[flights.columns[len(COLUMNS["flights"]) :]]
    assert sorted(frame.iloc[1].tolist()) == list(range(len(names)))
