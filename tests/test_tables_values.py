"""Values that aren't quite as the reference has them: read exactly, or refused by name."""

from __future__ import annotations

import math
from codecs import BOM_UTF8

import pandas as pd
import pytest

from fleetkit import tables
from fleetkit.errors import DataError


def flight(field, text):
    """Read one flight whose field is the JSON `text`."""
    reader = tables.FlightReader()
    reader.add("eq_1", f'{{"success":true,"data":[{{"id":"fl_1","{field}":{text}}}]}}'.encode())
    return reader.finish()[0].iloc[0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("120", 120),
        ('"120"', 120),
        ('" 120 "', 120),
        ("120.0", 120),
        ("1.2e2", 120),
        ("0e100", 0),
        ('"120.0"', 120),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775807", 2**63 - 1),
        ('"9223372036854775807"', 2**63 - 1),
    ],
)
def test_a_whole_number_is_read_in_any_form(text, number):
    assert flight("durationSeconds", text)["duration_seconds"] == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("125", 125.0),
        ('"125.50"', 125.5),
        ('"+1e3"', 1000.0),
        ('".5"', 0.5),
        ("0.1", 0.1),
        ('"0.1"', 0.1),
        ("9007199254740993.0", 9007199254740992.0),
        ("-0.0", 0.0),
    ],
)
def test_a_number_is_read_in_any_form(text, number):
    assert flight("maxAltitude", text)["max_altitude"] == number


@pytest.mark.parametrize("text", ["-0.0", "-0", '"-0.0"', "-1e-400"])
def test_zero_has_no_sign_which_a_mirror_would_count_as_a_change(text):
    assert math.copysign(1, flight("maxAltitude", text)["max_altitude"]) == 1


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("12345", "12345"),
        ("1.50", "1.50"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("true", "true"),
        ('{"a": [1, null]}', '{"a":[1,null]}'),
        ("1e400", "1E+400"),
        ('""', ""),
        (r'"\u00e9\ud83d\ude80"', "é🚀"),
        (r'"a\u0000b"', "a\0b"),
        (r'"\u202eabc"', "\u202eabc"),
    ],
)
def test_text_is_kept_as_it_comes_and_other_values_as_json(text, token):
    assert flight("operationType", text)["operation_type"] == token


def test_half_a_surrogate_pair_is_shown_as_such_with_a_warning():
    with pytest.warns(tables.NotInReference, match="half a character"):
        assert (
            flight("operationType", r'"cut \ud83d"')["operation_type"]
            == "cut \N{REPLACEMENT CHARACTER}"
        )
    with pytest.warns(tables.NotInReference, match="column flight_type holds half a character"):
        assert (
            flight("flightType", r'"cut \ud83d"')["flight_type"] == "cut \N{REPLACEMENT CHARACTER}"
        )
    answer = rb'{"data":[{"id":"eq_1","specifications":{"payload":"cut \ud83d"}}]}'
    with pytest.warns(tables.NotInReference, match="column value holds half a character"):
        assert tables.specifications([answer])["value"][0] == "cut \N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ('"2026-10-01T06:30:00.123Z"', "2026-10-01T06:30:00.123Z"),
        ('"2026-10-01T06:30:00Z"', "2026-10-01T06:30:00Z"),
        ('"2026-10-01T08:30:00.5+02:00"', "2026-10-01T06:30:00.5Z"),
        ('"2026-10-01T00:30:00-0600"', "2026-10-01T06:30:00Z"),
        ('"2026-10-01T06:30:00"', "2026-10-01T06:30:00Z"),
        ('"2026-10-01 06:30"', "2026-10-01T06:30:00Z"),
        ('"2026-10-01 08:30:00.0000000 +02:00"', "2026-10-01T06:30:00Z"),
        ('"2026-10-01"', "2026-10-01T00:00:00Z"),
        ('"2026-10-01T06:30:00.123456789Z"', "2026-10-01T06:30:00.123456Z"),
        ('"0001-01-01T00:00:00Z"', "0001-01-01T00:00:00Z"),
        ('"9999-12-31T23:59:59.999Z"', "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_is_read_in_any_iso_form_as_utc(text, moment):
    assert flight("flightDate", text)["flight_date"] == pd.Timestamp(moment).as_unit("us")


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("true", True),
        ('"true"', True),
        ('"false"', False),
        ("1", True),
        ("0", False),
        ('true,"nightFlight":"false"', True),  # beside one that comes as text
        ('false,"nightFlight":"true"', False),
    ],
)
def test_yes_and_no_are_read_in_any_form(text, truth):
    assert flight("bvlos", text)["bvlos"] == truth


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("durationSeconds", "120.5", "is not a whole number"),
        ("durationSeconds", '"120.5"', "is not a whole number"),
        ("durationSeconds", '"abc"', "is not a number"),
        ("durationSeconds", '""', "is not a number"),
        ("durationSeconds", "true", "is not a number"),
        ("durationSeconds", "[600]", "is not a number"),
        ("durationSeconds", "9223372036854775808", "is too large for a whole number"),
        ("durationSeconds", "1e999999", "is too large for a whole number"),
        pytest.param(
            "durationSeconds", "1" * 5000, "is too large for a whole number", id="durationSeconds"
        ),
        ("maxAltitude", '"NaN"', "is not a number"),
        ("maxAltitude", '"inf"', "is not a number"),
        ("maxAltitude", '"1,5"', "is not a number"),
        ("maxAltitude", '"١"', "is not a number"),
        ("maxAltitude", "1e400", "is too large for a number"),
        pytest.param("maxAltitude", "1" * 5000, "is too large for a number", id="maxAltitude"),
        ("flightDate", '"2026-13-01"', "is not a time of the calendar"),
        ("flightDate", '"2026-02-30T00:00:00.000Z"', "is not a time of the calendar"),
        ("flightDate", '"0000-01-01T00:00:00Z"', "is not a time of the calendar"),
        ("flightDate", '"0001-01-01T00:00:00+02:00"', "is not a time of the calendar"),
        ("flightDate", '"9999-12-31T23:30:00-01:00"', "is not a time of the calendar"),
        ("flightDate", '"yesterday"', "is not an ISO 8601 time"),
        ("flightDate", '""', "is not an ISO 8601 time"),
        ("flightDate", "1790812800", "is not an ISO 8601 time"),
        ("nightFlight", '"maybe"', "is neither true nor false"),
        ("nightFlight", "2", "is neither true nor false"),
        ("pilotInCommand", '"prof_1"', "is not an object"),
    ],
)
def test_a_value_that_cannot_be_read_names_record_and_field(field, text, why):
    with pytest.raises(DataError) as refused:
        flight(field, text)
    assert f"Flight fl_1: {field} is " in str(refused.value)
    assert why in str(refused.value)


def test_what_a_service_sends_controls_no_terminal_through_the_error_of_its_record():
    body = b'{"success": true, "data": [{"id": "eq_\\u001b[31m", "weight": "\\u009b"}]}'
    with pytest.raises(DataError, match=r"^Equipment eq_") as refused:
        tables.equipment([body])
    assert not set(str(refused.value)) & {"\x1b", "\x9b"}


@pytest.mark.parametrize(
    ("letters", "said"),
    [(58, f'"{"x" * 58}"'), (59, f'"{"x" * 58}…')],  # the quotes count too: 60 and 61
)
def test_a_refused_value_is_said_whole_up_to_60_letters_and_else_cut(letters, said):
    with pytest.raises(DataError) as refused:
        flight("durationSeconds", f'"{"x" * letters}"')
    assert f"durationSeconds is {said}," in str(refused.value)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_json_does_not_have_are_refused(constant):
    with pytest.raises(DataError, match=f"{constant} is not JSON"):
        flight("maxAltitude", constant)


def test_a_field_that_stands_twice_with_one_value_is_read():
    assert flight("bvlos", 'true,"durationSeconds":5,"durationSeconds":5')["duration_seconds"] == 5


def test_a_field_that_stands_twice_with_two_values_is_refused():
    says = "Record fl_1: durationSeconds is given twice, as 5 and as 6"
    with pytest.raises(DataError, match=says):
        flight("bvlos", 'true,"durationSeconds":5,"durationSeconds":6')


@pytest.mark.parametrize("inner", [False, True])
def test_a_field_that_the_reference_lacks_is_refused_where_it_stands_twice_too(inner):
    def body(second):
        wind = f'"wind":1,"wind":{second}'
        inside = f'"pilotInCommand":{{{wind}}}' if inner else wind
        return f'{{"data":[{{"id":"fl_1",{inside}}},{{"id":"fl_2"}}]}}'.encode()

    for second in ("1", "2"):
        reader = tables.FlightReader()
        reader.add("eq_1", body(second))
        if second == "2":
            with pytest.raises(DataError, match="wind is given twice, as 1 and as 2"):
                reader.finish()
        else:
            with pytest.warns(tables.NotInReference):
                assert reader.finish()[0].filter(like="wind").iloc[0].tolist() == [1.0]


def test_an_id_that_is_a_number_is_text():
    reader = tables.FlightReader()
    reader.add("eq_1", b'{"data":[{"id":17}]}')
    flights, bridge = reader.finish()
    assert flights["flight_id"].tolist() == bridge["flight_id"].tolist() == ["17"]


def test_the_id_of_a_flight_may_be_dots_alone_for_none_is_asked_for_by_its_id():
    reader = tables.FlightReader()
    reader.add("eq_1", b'{"data":[{"id":"..","durationSeconds":"60"}]}')
    assert reader.finish()[0]["flight_id"].tolist() == [".."]


def test_a_mark_of_its_encoding_before_an_answer_is_passed_over():
    answer = BOM_UTF8 + b'{"data":[{"id":"a"}]}'
    assert tables.equipment([answer])["equipment_id"].tolist() == ["a"]
    reader = tables.FlightReader()
    reader.add("eq_1", answer)
    assert reader.finish()[0]["flight_id"].tolist() == ["a"]
