"""Notices: one clean line, once, on the terminal and in a notebook, and as data for a report."""

import json
import subprocess
import sys
import threading
import warnings

import pytest

import fleetkit as fk
from fleetkit import notices, tables
from fleetkit.notices import collected, notify

PAGE = b'{"success":true,"data":[{"id":"eq_1","colour":"red"}]}'
LINE = "fleetkit: note: Equipment.colour is not in the reference; kept as column colour.\n"


def _run(code):
    """Run Python on the side and return what it wrote to stderr."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.slow
def test_a_notice_is_one_line_without_path_and_source_and_said_once_although_filters_are_reset():
    code = f"""
import warnings
from fleetkit import tables
for _ in range(3):
    with warnings.catch_warnings():  # resets what Python remembers of warnings
        warnings.simplefilter("default")
        tables.equipment([{PAGE!r}])
"""
    assert _run(code) == LINE


@pytest.mark.slow
def test_other_warnings_are_shown_as_python_shows_them():
    assert _run("import warnings, fleetkit; warnings.warn('other')").startswith(
        "<string>:1: UserWarning: other"
    )


@pytest.mark.slow
def test_a_notice_leaves_a_progress_bar_whole():
    code = """
import sys
from tqdm import tqdm
from fleetkit.notices import notify
bar = tqdm(total=2, file=sys.stderr)
notify("Said meanwhile.")
"""
    assert "fleetkit: note: Said meanwhile." in _run(code).splitlines()


def test_a_notice_is_filtered_as_any_warning_is():
    with warnings.catch_warnings():
        warnings.simplefilter("error", fk.Notice)
        with pytest.raises(fk.NotInReference, match="colour"):
            tables.equipment([PAGE])


def test_what_a_service_sends_cannot_steer_the_terminal():
    with collected() as texts, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notify("Two\nlines and \x1b[31mred.")
    assert texts == ["Two lines and \\x1b[31mred."]


def test_notices_of_all_threads_are_collected_once_each_shown_or_not():
    def say():
        notify("From a thread.")

    with warnings.catch_warnings(), collected() as outer:
        warnings.simplefilter("ignore")
        notify("First.")
        with collected() as inner:
            threads = [threading.Thread(target=say) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        notify("Last.")
    assert outer == ["First.", "From a thread.", "Last."]
    assert inner == ["From a thread."]


def test_what_is_known_is_left_out_in_its_block_alone():
    with warnings.catch_warnings(), collected() as texts:
        warnings.simplefilter("ignore")
        with notices.known(lambda about: about == ("column", "Equipment", "colour")):
            tables.equipment([PAGE])
        assert texts == []
        tables.equipment([PAGE])
    assert len(texts) == 1


def test_a_long_notice_is_cut_where_it_is_shown_and_collected_whole(capsys, monkeypatch):
    monkeypatch.setattr(notices, "_shown", set())
    text = "x" * 5000
    with collected() as texts:
        notices._show(notices.Notice(text), notices.Notice, "", 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notify(text)
    assert texts == [text]
    assert len(capsys.readouterr().err) < 600


@pytest.mark.slow
def test_a_sync_gives_notice_of_what_its_mirror_does_not_hold_yet(
    serve_records, tiny_records, tmp_path
):
    tiny_records["equipment"][0]["colour"] = "red"
    tiny_records["projects"][0]["status"] = "SOLD"
    tiny_records["services"][0]["validFrom"] = "2026"  # the mirror has a column of that name
    served = serve_records(tiny_records)

    def sync():
        with (
            warnings.catch_warnings(),
            collected() as texts,
            fk.connect(served.base_url, served.api_key, progress=False) as fleet,
        ):
            warnings.simplefilter("ignore")
            fleet.sync(tmp_path / "mirror")
        return sorted(texts)

    colour = "Equipment.colour is not in the reference; kept as column colour."
    sold = "status holds SOLD, which the reference doesn't know; kept, after the known values."
    since = "Service.validFrom is not in the reference; kept as column valid_from."
    assert sync() == [colour, since, sold]
    assert sync() == []
    served.store.load(
        served.organisation,
        equipment=[tiny_records["equipment"][1] | {"shade": "matt", "colour": "blue"}],
        projects=[tiny_records["projects"][1] | {"status": "LOST"}],
    )
    shade = "Equipment.shade is not in the reference; kept as column shade."
    lost = "status holds LOST, which the reference doesn't know; kept, after the known values."
    assert sync() == [shade, lost]
    assert sync() == []


def test_many_values_that_the_reference_does_not_know_are_one_notice(tiny_records):
    page = {
        "success": True,
        "data": [
            tiny_records["projects"][0] | {"id": f"proj_{n}", "status": f"STAGE_{n}"}
            for n in range(6)
        ],
    }
    with collected() as texts, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables.projects([json.dumps(page).encode()])
    assert texts == [
        "status holds 6 values that the reference doesn't know, such as STAGE_0, STAGE_1, "
        "STAGE_2, STAGE_3, STAGE_4; kept, after the known values."
    ]


def test_a_value_that_is_blank_is_told_in_quotation_marks(tiny_records):
    statuses = ["", "DRAFT ", "SOLD"]
    records = [
        tiny_records["projects"][0] | {"id": f"proj_{n}", "status": status}
        for n, status in enumerate(statuses)
    ]
    with collected() as texts, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables.projects([json.dumps({"success": True, "data": records}).encode()])
    assert [text.split(", which")[0] for text in texts] == [
        "status holds ''",
        "status holds 'DRAFT '",
        "status holds SOLD",
    ]
