"""Answers of the API → DataFrames: the contract's columns and dtypes, whatever comes."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from fleetkit import schema, tables
from fleetkit.columns import COLUMNS, columns_of_record
from fleetkit.errors import DataError, InvalidValue


def page(*records):
    return json.dumps({"success": True, "data": list(records)}).encode()


def dtypes(frame):
    return frame.dtypes.astype(str).to_dict()


CONTRACT = {name: {column.name: column.dtype for column in COLUMNS[name]} for name in schema.TABLES}
DETAILED = {column.name: column.dtype for column in columns_of_record(schema.PROJECT, detail=True)}


@pytest.mark.parametrize("name", list(schema.TABLES))
def test_an_empty_table_has_the_contracts_columns_and_dtypes(name):
    assert dtypes(tables.empty(name)) == CONTRACT[name]
    assert len(tables.empty(name)) == 0


@pytest.mark.parametrize("name", ["equipment", "specifications", "projects", "services", "tiers"])
def test_an_empty_answer_gives_an_empty_table(name):
    frame = getattr(tables, name)([page()])
    pd.testing.assert_frame_equal(frame, tables.empty(name))


def test_no_page_at_all_gives_an_empty_table():
    pd.testing.assert_frame_equal(tables.equipment([]), tables.empty("equipment"))


def test_projects_with_details_have_two_columns_more():
    assert dtypes(tables.projects([page()], detail=True)) == DETAILED
    assert dtypes(tables.empty("projects", detail=True)) == DETAILED


def test_a_table_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(
        InvalidValue, match=r"'drones' is not a table\. Tables are: equipment, flights"
    ):
        tables.empty("drones")


def test_each_piece_of_equipment_is_a_row_and_missing_fields_are_null():
    frame = tables.equipment([page({"id": "eq_1", "totalFlights": 7}), page({"id": "eq_2"})])
    assert frame["equipment_id"].tolist() == ["eq_1", "eq_2"]
    assert frame["total_flights"].tolist() == [7, pd.NA]
    assert frame["purchase_date"].isna().all()
    assert dtypes(frame) == CONTRACT["equipment"]


def test_specifications_are_a_long_table_of_text():
    frame = tables.specifications(
        [
            page(
                {"id": "eq_1", "specifications": {"sensor": "1 inch", "cells": 6, "ports": ["a"]}},
                {"id": "eq_2", "specifications": None},
                {"id": "eq_3"},
                {"id": "eq_4", "specifications": {"note": None, "fast": True}},
            )
        ]
    )
    assert frame.values.tolist() == [
        ["eq_1", "sensor", "1 inch"],
        ["eq_1", "cells", "6"],
        ["eq_1", "ports", '["a"]'],
        ["eq_4", "note", np.nan],
        ["eq_4", "fast", "true"],
    ]


def test_specifications_that_are_no_map_name_their_equipment():
    with pytest.raises(
        DataError, match=r"Equipment eq_1: specifications is \[1\], which is not an object"
    ):
        tables.specifications([page({"id": "eq_1", "specifications": [1]})])


@pytest.mark.parametrize("empty", [[], "", {}, None])
def test_specifications_and_tiers_in_which_nothing_is_are_none_whatever_their_kind(empty):
    """PHP writes an object without entries as a list."""
    pages = [page({"id": "eq_1", "specifications": empty, "tiers": empty})]
    assert (len(tables.specifications(pages)), len(tables.tiers(pages))) == (0, 0)


def test_tiers_carry_the_id_of_their_service():
    services = page(
        {"id": "svc_1", "tiers": [{"id": "tier_1", "tierLevel": 1}, {"id": "tier_2"}]},
        {"id": "svc_2", "tiers": None},
        {"id": "svc_3", "tiers": [{"id": "tier_3", "isRecommended": True}]},
    )
    frame = tables.tiers([services])
    assert frame["tier_id"].tolist() == ["tier_1", "tier_2", "tier_3"]
    assert frame["service_id"].tolist() == ["svc_1", "svc_1", "svc_3"]
    assert dtypes(frame) == CONTRACT["tiers"]
    twice = page({"id": "svc_1", "tiers": [{"id": "tier_1"}, {"id": "tier_1"}]})
    with pytest.raises(DataError, match="Service svc_1: its tiers list tier_1 2 times"):
        tables.tiers([twice])


def test_a_tier_that_says_its_service_itself_keeps_both():
    service = {"id": "svc_1", "tiers": [{"id": "tier_1", "serviceId": "svc_other"}]}
    with pytest.warns(tables.NotInReference, match="serviceId"):
        frame = tables.tiers([page(service)])
    assert frame.loc[0, ["service_id", "service_id_2"]].tolist() == ["svc_1", "svc_other"]


def test_project_statuses_are_ordered_as_the_reference_has_them():
    frame = tables.projects(
        [page({"id": "a", "status": "INVOICED"}, {"id": "b", "status": "DRAFT"})]
    )
    assert frame["status"].cat.categories.tolist() == list(schema.PROJECT_STATUSES)
    assert frame["status"].min() == "DRAFT"


def test_an_unknown_status_is_kept_last_and_warned_about_once():
    answer = page({"id": "a", "status": "ARCHIVED"}, {"id": "b", "status": "ARCHIVED"})
    with pytest.warns(tables.NotInReference) as caught:
        frame = tables.projects([answer])
    assert [str(warning.message).split(",")[0] for warning in caught] == ["status holds ARCHIVED"]
    assert frame["status"].tolist() == ["ARCHIVED", "ARCHIVED"]
    assert frame["status"].cat.categories[-1] == "ARCHIVED"


def test_unknown_fields_stand_after_the_known_ones_with_a_dtype_of_their_own():
    answer = page(
        {"id": "a", "batteryCycles": 12, "isLeased": True, "siteURL": "x", "owner": {"b": [1]}},
        {"id": "b", "batteryCycles": -0.0, "isLeased": False},
    )
    with pytest.warns(tables.NotInReference) as caught:
        frame = tables.equipment([answer])
    further = frame[frame.columns[len(CONTRACT["equipment"]) :]]
    assert dtypes(further) == {
        "battery_cycles": "float64",
        "is_leased": "boolean",
        "owner": "str",
        "site_url": "str",
    }
    assert further.iloc[0].tolist() == [12.0, True, '{"b":[1]}', "x"]
    assert str(further["battery_cycles"][1]) == "0.0"  # without a sign
    assert further["is_leased"].tolist() == [True, False]
    assert len(caught) == 4


@pytest.mark.parametrize("number", [9007199254740993, 123456789012345678901234567890])
def test_an_unknown_number_that_float64_would_round_stays_text(number):
    with pytest.warns(tables.NotInReference):
        frame = tables.equipment([page({"id": "a", "odd": number}, {"id": "b", "odd": 1})])
    assert frame["odd"].tolist() == [str(number), "1"]


def test_an_unknown_number_beyond_all_that_can_be_computed_with_stays_text():
    body = b'{"success": true, "data": [{"id": "a", "odd": 1e9999999}]}'
    with pytest.warns(tables.NotInReference):
        assert tables.equipment([body])["odd"].tolist() == ["1E+9999999"]


def test_a_whole_number_of_5000_digits_stays_text_with_all_of_them_in_any_table():
    digits = "1" * 5000
    body = f'{{"success": true, "data": [{{"id": "a", "odd": {digits}}}]}}'.encode()
    reader = tables.FlightReader()
    reader.add("eq_1", body)
    with pytest.warns(tables.NotInReference):
        frames = tables.equipment([body]), reader.finish()[0]
    assert [frame["odd"].tolist() for frame in frames] == [[digits], [digits]]


def test_an_unknown_field_never_replaces_another_column():
    one = {"id": "a", "name": "Kite", "Name": "x", "equipmentId": "y", "fooBar": 1, "foo_bar": 2}
    with pytest.warns(tables.NotInReference):
        frame = tables.equipment([page(one)])
    row = frame.iloc[0]
    assert row[["equipment_id", "name"]].tolist() == ["a", "Kite"]
    assert row[["name_2", "equipment_id_2"]].tolist() == ["x", "y"]
    assert row[["foo_bar", "foo_bar_2"]].tolist() == [1, 2]


def test_a_name_that_is_no_word_becomes_one():
    with pytest.warns(tables.NotInReference):
        frame = tables.equipment([page({"id": "a", "max speed (m/s)": 1, "🚁": 2})])
    assert frame.columns[-2:].tolist() == ["max_speed_m_s", "field"]


@pytest.mark.parametrize(
    ("texts", "column"),
    [
        (("null", "6"), [None, 6.0]),
        (("true", "6"), ["true", "6"]),
        (("9007199254740992", "0.5"), [2.0**53, 0.5]),
        (("1e301", "0.5"), ["1E+301", "0.5"]),
    ],
)
def test_an_unknown_field_has_one_dtype_for_all_records(texts, column):
    records = [f'{{"id": "{n}", "cells": {text}}}' for n, text in enumerate(texts)]
    answer, reader = f'{{"data": [{",".join(records)}]}}'.encode(), tables.FlightReader()
    reader.add("eq_1", answer)
    for read in (lambda: tables.equipment([answer]), lambda: reader.finish()[0]):
        with pytest.warns(tables.NotInReference):
            cells = read()["cells"].astype(object)
        assert cells.where(cells.notna(), None).tolist() == column


def test_unknown_statuses_stand_last_in_the_order_of_the_alphabet():
    records = [{"id": token, "status": token} for token in "ECADB"]
    with pytest.warns(tables.NotInReference):
        frame = tables.projects([page(*records)])
    assert frame["status"].cat.categories[-5:].tolist() == list("ABCDE")


def test_half_a_character_in_the_name_of_a_specification_or_field_is_shown_as_such():
    specified = rb'{"data": [{"id": "a", "specifications": {"\ud83d": "x"}}]}'
    reader = tables.FlightReader()
    reader.add("a", rb'{"data": [{"id": "fl_1", "\ud83d": 6}]}')
    with pytest.warns(tables.NotInReference):
        assert tables.specifications([specified])["name"][0] == "\N{REPLACEMENT CHARACTER}"
    assert reader.take().column_names[-1] == r'["\ufffd"]'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "is not JSON that can be read"),
        (b'{"success": true}', "is not an object with a field data"),
        (b'{"data": {"id": "a"}}', "where its list should be"),
        (b'{"data": [5]}', "Equipment record 1 is 5, which is not an object"),
        (b'{"data": [{"name": "x"}]}', 'Equipment: a record has no id: {"name":"x"}'),
        (b'{"data": [{"id": null}]}', "has no id"),
        (b'{"data": [{"id": ".."}]}', "'..' is not an identifier"),
        (b'{"data": [{"id": ["a"]}]}', r'id is \["a"\], which is not a text'),
        (b'{"data": [{"id": "a", "weight": NaN}]}', "NaN is not JSON"),
        (b'{"data": [{"id": "a", "name": "\xff"}]}', "is not JSON that can be read"),
        (b'{"data": ' + b"[" * 100_000, "is not JSON that can be read"),
    ],
)
def test_an_answer_that_is_no_list_of_records_is_refused(body, message):
    with pytest.raises(DataError, match=message):
        tables.equipment([body])


def test_a_tier_that_is_no_object_is_named_by_its_service():
    service = {"id": "svc_1", "name": "Survey", "tiers": [5]}
    with pytest.raises(DataError, match=r"^Service svc_1: a tier is 5\."):
        tables.tiers([page(service)])


@pytest.mark.parametrize(
    ("read", "record"),
    [
        (tables.equipment, {"name": "Kestrel"}),
        (tables.specifications, {"id": "eq_1", "specifications": [1]}),
        (tables.tiers, {"id": "svc_1", "tiers": "Basic"}),
        (tables.tiers, {"id": "svc_1", "tiers": [5]}),
    ],
)
def test_what_to_do_is_said_of_every_record_that_cannot_be_read(read, record):
    with pytest.raises(
        DataError, match=r"Correct the record in the service, or tell its makers\.$"
    ):
        read([page(record)])


def test_a_record_by_id_has_the_index_of_its_table():
    one = tables.record(
        "service", b'{"success": true, "data": {"id": "svc_1", "baseRate": "90.5"}}'
    )
    assert one.index.tolist() == list(CONTRACT["services"])
    assert (one.name, one["base_rate"]) == ("svc_1", 90.5)


def test_a_project_by_id_has_its_detail_fields():
    body = {"success": True, "data": {"id": "proj_1", "clientAccountEmail": "a@b.example"}}
    one = tables.record("project", json.dumps(body).encode())
    assert one.index.tolist() == list(DETAILED)
    assert one["client_account_email"] == "a@b.example"


def test_a_list_is_no_record():
    with pytest.raises(DataError, match=r"holds \[\] where one Equipment should be"):
        tables.record("equipment", b'{"data": []}')
    with pytest.raises(InvalidValue, match="'flight' is not a kind of record"):
        tables.record("flight", b'{"data": {}}')


def test_conform_gives_any_frame_the_contracts_columns_and_dtypes():
    frame = pd.DataFrame(
        {
            "note": ["kept"],
            "status": ["DRAFT"],
            "agreed_price": ["125.50"],
            "scheduled_date": ["2026-10-01T02:00:00+02:00"],
            "project_id": ["proj_1"],
        },
        index=[7],
    )
    conformed = tables.conform("projects", frame)
    assert dtypes(conformed) == {**CONTRACT["projects"], "note": "str"}
    assert conformed.loc[0, "agreed_price"] == 125.5
    assert conformed.loc[0, "scheduled_date"] == pd.Timestamp("2026-10-01", tz="UTC")


def test_conform_reads_numpy_s_numbers_and_truths_among_others():
    levels = pd.Series([np.int64(1), "2"], dtype=object)
    active = pd.Series([np.True_, None], dtype=object)
    frame = pd.DataFrame({"tier_id": ["t", "u"], "tier_level": levels, "is_active": active})
    conformed = tables.conform("tiers", frame)
    assert dtypes(conformed) == CONTRACT["tiers"]
    assert conformed["tier_level"].tolist() == [1, 2]
    assert conformed["is_active"].tolist() == [True, pd.NA]


def test_conform_changes_nothing_that_already_conforms():
    frame = tables.projects([page({"id": "a", "status": "DRAFT", "agreedPrice": 5})], detail=True)
    pd.testing.assert_frame_equal(tables.conform("projects", frame), frame)
    backwards = frame[frame.columns[::-1]]
    pd.testing.assert_frame_equal(tables.conform("projects", backwards), frame)


@pytest.mark.parametrize(
    "changed",
    [
        lambda status: status.cat.reorder_categories([*status.cat.categories[::-1]]),
        lambda status: status.cat.as_unordered(),
        lambda status: status.cat.add_categories("GONE"),
        lambda status: status.cat.remove_unused_categories(),
    ],
    ids=["another order", "no order", "one more", "those that occur"],
)
def test_conform_gives_a_closed_set_the_reference_s_tokens_in_their_order(changed):
    frame = tables.projects([page({"id": "a", "status": "DRAFT"})])
    status = changed(frame["status"])
    assert status.dtype != frame["status"].dtype
    pd.testing.assert_frame_equal(tables.conform("projects", frame.assign(status=status)), frame)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("tier_level", 1.5),
        ("tier_level", "x"),
        ("tier_level", True),
        ("tier_level", "9223372036854775808"),
        ("price_modifier_percent", "inf"),
        ("is_active", 2),
    ],
)
def test_conform_refuses_what_it_would_have_to_change(column, value):
    with pytest.raises(DataError, match=f"Table tiers, column {column}"):
        tables.conform("tiers", pd.DataFrame({"tier_id": ["t"], column: [value]}))


def test_nothing_warns_about_an_answer_that_is_as_the_reference_has_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tables.equipment([page({"id": "eq_1", "specifications": {"a": "b"}})])
        tables.services([page({"id": "svc_1", "tiers": []})])


def test_what_a_message_says_of_a_service_s_text_is_short():
    long = "x" * 10_000
    with pytest.raises(DataError, match=r"^Equipment eq_x{56}…: weight is \"heavy\", which"):
        tables.equipment([page({"id": f"eq_{long}", "weight": "heavy"})])
    with pytest.warns(tables.NotInReference, match=r"^Equipment\.x{59}… is not in .* x{59}…\.$"):
        tables.equipment([page({"id": "eq_1", long: 1})])


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_a_pandas_that_makes_nan_a_text_is_refused():
    """Of two missing registrations, each would be called nan, and both counted as a duplicate."""
    with pd.option_context("future.infer_string", False):
        assert pd.Series([None, "D-1"]).astype("str").isna().sum() == 0
        with pytest.raises(DataError, match=r"Set pd\.options\.future\.infer_string = True"):
            tables.equipment([page({"id": "eq_1"})])
    assert len(tables.equipment([page({"id": "eq_1"})])) == 1
