"""Errors: how they are put together, and what a person sees of them in a notebook."""

import copy
import pickle
import re
import sys
import traceback

import nbformat
import numpy as np
import pandas as pd
import pytest
from five_flights import flights

import fleetkit as fk
from fleetkit.engines import checked_engine, lazy_engine
from fleetkit.errors import ApiError
from fleetkit.interface import brief, did_you_mean, using, worded
from fleetkit.reports.output import checked_formats
from fleetkit.server.store import Store


@pytest.mark.parametrize(
    ("message", "advice", "says"),
    [
        ("It failed", "Try again", "It failed. Try again."),
        ("It failed.", "Try again.", "It failed. Try again."),
        ("It failed: no room..", "", "It failed: no room."),
        ("No folder ../reports", "Use ..", "No folder ../reports. Use .."),
        ("Which one?", "This …", "Which one? This …"),
        ("", "", ""),
    ],
)
def test_an_error_is_made_of_sentences_with_one_full_stop_each(message, advice, says):
    assert str(fk.FleetkitError(message, advice=advice)) == says


def test_a_message_may_have_several_lines_and_controls_no_terminal():
    error = fk.FleetkitError("eq_\x1b[31m\x9b\r: no\nnumber", advice="Ask \x07")
    assert str(error) == r"eq_\x1b[31m\x9b\r: no" + "\n" + r"number. Ask \x07."


def test_an_api_error_names_its_request_inside_the_sentence():
    error = ApiError("The service failed.", request="GET /v1/equipment", advice="Try again")
    assert str(error) == "The service failed (GET /v1/equipment). Try again."


def test_a_message_speaks_the_language_of_the_interface_in_use():
    def said():
        return worded(python="allow_http=True", command_line="--allow-http")

    with using("command line"):
        assert said() == "--allow-http"
    assert said() == "allow_http=True"


def test_a_guess_is_offered_for_what_is_misspelt_only():
    assert did_you_mean("catgory", ["category", "client"]) == "Did you mean category?"
    assert did_you_mean("weather", ["category", "client"]) == ""


LONG = "x" * 10_000


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fk.demo(tz=LONG), r"^'x{59}…' is not a time zone"),
        (lambda: fk.metrics.calendar(flights(), LONG), r"^'x{59}…' is not a valid period"),
        (lambda: fk.Filter(since=LONG), r"'x{59}…' is not a date or time"),
        (lambda: fk.Filter.parse([LONG]), r"^'x{59}…' is not a filter"),
        (lambda: fk.settings.load(mirror_mode=LONG), r"'x{59}…' is not a mode"),
        (lambda: fk.settings.load(units={LONG: "m"}), r"units\.x{59}…: 'x{59}…' is not"),
        (lambda: fk.metrics.flight_hours(flights(), by=LONG), r"^by='x{59}…' is not a word"),
        (lambda: fk.metrics.flight_hours(pd.DataFrame({LONG: [1]})), r"It has: x{59}…\.$"),
        (lambda: fk.metrics.definitions(LONG), r"^There is no metric named 'x{59}…'"),
        (lambda: fk.reports.Section(f"{LONG}!", title="A"), r"^'x{59}…' can't name a section"),
        (lambda: checked_formats(LONG), r"^'x{59}…' is not a format"),
        (lambda: fk.language.use(LONG), r"^There is no language 'x{59}…'"),
        (lambda: fk.connect("https://fleet.example", tz=LONG, api_key="k"), r"'x{59}…'"),
    ],
)
def test_a_message_shows_the_first_sixty_letters_of_a_value(call, says):
    with pytest.raises(fk.InvalidValue, match=says) as raised:
        call()
    assert LONG not in str(raised.value)


def test_a_value_that_is_no_text_is_shown_by_its_kind_where_it_is_long():
    with pytest.raises(fk.InvalidValue, match=r"^A list is not a time zone"):
        fk.demo(tz=list(range(1_000)))
    with pytest.raises(fk.InvalidValue, match=r"^rolling=a list is not a number"):
        fk.metrics.flight_hours(flights(), by="month", rolling=list(range(1_000)))


def test_a_value_of_numpy_is_shown_as_it_is_written():
    shown = [brief(value) for value in (np.float64(0.5), np.int64(3), np.str_("eq_1"))]
    assert shown == ["0.5", "3", "'eq_1'"]


def test_of_a_frame_with_many_columns_a_message_names_forty():
    wide = pd.DataFrame(columns=[f"c{number}" for number in range(100)])
    with pytest.raises(fk.InvalidValue, match=r"c38, c39 and 60 more\.$"):
        fk.metrics.flight_hours(wide)


def test_an_explorer_that_there_is_not_is_named_with_a_near_one():
    with pytest.raises(AttributeError, match=r"no attribute 'flight'\. Did you mean flights\?"):
        fk.explore.flight  # noqa: B018


def test_nothing_to_report_is_a_report_error_with_an_exit_code_of_its_own():
    assert fk.NothingToReport.exit_code == 3
    assert issubclass(fk.NothingToReport, fk.ReportError)
    assert fk.ReportError.exit_code == 1


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: fk.connect("https://fleet.example", "no key"), "self = Client(…)"),
        (lambda: Store("fleet"), "self = Store(…)"),
    ],
)
def test_a_traceback_with_variables_shows_what_was_not_made_yet(call, shown):
    with pytest.raises(fk.InvalidValue) as refused:
        call()
    trace = traceback.TracebackException.from_exception(refused.value, capture_locals=True)
    assert shown in "".join(trace.format())


def test_an_error_survives_a_process_boundary():
    error = fk.Forbidden("403: no.", scope="project:read", status=403, request="GET /v1/projects")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own
        assert str(again) == str(error)
        assert (again.scope, again.status) == ("project:read", 403)


ASK = """\
import fleetkit as fk
fleet = fk.connect("http://127.0.0.1:9", "fk_key", timeout=1)

def hours():
    return fleet.flights("2026-13")

hours()
"""


@pytest.fixture(scope="module")
def kernel():
    """Start a real kernel."""
    from nbclient import NotebookClient

    client = NotebookClient(nbformat.v4.new_notebook(), timeout=120, allow_errors=True)
    with client.setup_kernel():
        yield client


def _shown(kernel, *sources):
    """Run cells in a kernel and return what the last one shows, as text."""
    cells = kernel.nb.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    for place, cell in enumerate(cells):
        kernel.execute_cell(cell, place)
    texts = [
        "\n".join(output["traceback"])
        if output["output_type"] == "error"
        else output.get("text", "")
        for output in cells[-1].outputs
    ]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))


@pytest.mark.slow
def test_an_error_in_a_notebook_shows_the_callers_lines_and_its_message(kernel):
    shown = _shown(kernel, ASK)
    assert "----> 7 hours()" in shown
    assert "5     return fleet.flights" in shown
    assert "InvalidValue: '2026-13'" in shown
    assert "site-packages" not in shown
    assert "fleetkit/" not in shown.replace("\\", "/")
    assert len(shown.splitlines()) < 30


@pytest.mark.slow
def test_an_error_that_the_caller_raises_is_shown_with_its_line(kernel):
    shown = _shown(kernel, "import fleetkit as fk\nraise fk.InvalidValue('October is missing')")
    assert "----> 2 raise fk.InvalidValue" in shown
    assert shown.splitlines()[-1] == "InvalidValue: October is missing."
    assert "NoneType" not in shown


@pytest.mark.slow
def test_what_the_caller_met_before_an_error_is_shown(kernel):
    shown = _shown(
        kernel,
        "import fleetkit as fk\n"
        "try:\n"
        "    1 / 0\n"
        "except ZeroDivisionError:\n"
        "    fk.connect('http://127.0.0.1:9', 'fk_key', timeout=1).equipment()",
    )
    assert "division by zero" in shown
    assert "Unreachable: No answer" in shown
    assert "urllib3" not in shown


@pytest.mark.slow
def test_what_a_library_raised_below_an_error_stays_hidden(kernel):
    shown = _shown(
        kernel,
        "import fleetkit as fk\n"
        "fleet = fk.connect('http://127.0.0.1:9', 'fk_key')\n"
        "fk.report('2026-10', fleet=fleet, out='/proc/none')",
    )
    assert "ReportError: The report can't be written to /proc/none" in shown
    assert "FileNotFoundError" not in shown


@pytest.mark.slow
def test_debugging_and_verbose_tracebacks_still_have_every_frame(kernel):
    shown = _shown(
        kernel,
        ASK,
        "import sys, traceback\n"
        "print('frames', len(traceback.extract_tb(get_ipython().InteractiveTB.tb)))\n"
        "print('deepest', traceback.extract_tb(sys.last_traceback)[-1].filename)\n"
        "%xmode Verbose\n%tb\n%xmode Context",
    )
    assert shown.count("fleetkit/") >= 2
    assert re.search(r"deepest .*fleetkit", shown)
    assert int(re.search(r"frames (\d+)", shown)[1]) > 4


@pytest.mark.slow
def test_a_notice_in_a_notebook_is_one_line(kernel):
    page = b'{"success":true,"data":[{"id":"eq_1","colour":"red"}]}'
    shown = _shown(
        kernel, f"from fleetkit import tables\nfor _ in 1, 2: tables.equipment([{page!r}])"
    )
    assert shown == (
        "fleetkit: note: Equipment.colour is not in the reference; kept as column colour.\n"
    )


@pytest.mark.parametrize(
    ("engine", "extra", "package"),
    [("duckdb", "duckdb", "duckdb"), ("sc://spark.example", "spark", "pyspark")],
)
def test_an_engine_whose_package_is_not_installed_is_named_with_its_extra(
    monkeypatch, engine, extra, package
):
    monkeypatch.setitem(sys.modules, package, None)  # how Python says "not installed"
    advice = rf'not installed: {package}\. Install it: pip install "fleetkit\[{extra}\]"'
    for check in (checked_engine, lazy_engine):
        with pytest.raises(fk.InvalidValue, match=advice):
            check(engine)
