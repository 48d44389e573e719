"""Templates of one's own go before fleetkit's; what is wrong with one is named by file and line."""

import hashlib
import re

import pytest
from a_section import ABOUT, loaded, section

from fleetkit.errors import InvalidValue, ReportError
from fleetkit.reports import render
from fleetkit.reports.templates import Templates


@pytest.fixture
def own(tmp_path):
    """Return a folder of templates; `write` puts a file into it."""
    return tmp_path / "own"


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def rendered(own, tmp_path):
    return render.html(ABOUT, [loaded(section(tmp_path))], Templates(own))


@pytest.mark.slow
def test_a_template_of_one_s_own_goes_before_fleetkit_s_and_the_others_stay(own, tmp_path):
    write(own, "_masthead.html.j2", "<header>Ours: {{ report.title }}</header>")
    page = rendered(own, tmp_path)
    assert "<header>Ours: October 2026</header>" in page
    assert 'id="flight_hours"' in page


@pytest.mark.slow
def test_a_template_may_include_one_of_one_s_own(own, tmp_path):
    write(own, "_masthead.html.j2", '{% include "_letterhead.html.j2" %}')
    write(own, "_letterhead.html.j2", '<p>Harbour road 1</p>{% include "_line.html.j2" %}')
    write(own, "_line.html.j2", "")
    write(own, "README.md", "")
    assert "<p>Harbour road 1</p>" in rendered(own, tmp_path)


@pytest.mark.slow
def test_a_template_for_a_section_extends_fleetkit_s(own, tmp_path):
    extending = (
        '{% extends "sections/default.html.j2" %}{% block reading %}Our words.{% endblock %}'
    )
    write(own, "sections/flight_hours.html.j2", extending)
    assert "Our words." in rendered(own, tmp_path)


@pytest.mark.slow
def test_a_style_sheet_of_one_s_own_needs_no_names_of_colours(own, tmp_path):
    write(own, "report.css", "h1 { color: teal }")
    assert "h1 { color: teal }" in rendered(own, tmp_path)


@pytest.mark.slow
def test_names_stay_escaped_in_a_template_of_one_s_own(own, tmp_path):
    write(own, "_masthead.html.j2", "{{ report.organisation }}")
    about = {**ABOUT, "organisation": "<script>alert(1)</script>"}
    assert "<script>alert" not in render.html(about, [], Templates(own))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<p>\n{% if %}", r"_masthead\.html\.j2, line 2: Expected an expression"),
        ("\n{{ report.title | loud }}", r"_masthead\.html\.j2, line 2: No filter named 'loud'"),
        ("{{ seal(1) }}", r"_masthead\.html\.j2, line 1: there is no macro 'seal'\. Mend it"),
        ('\n{% include "_x.html.j2" %}', r"_masthead\.html\.j2, line 2: there is no template '_x"),
    ],
)
def test_what_no_data_could_render_is_named_by_file_and_line_before_there_are_any(
    text, problem, own
):
    write(own, "_masthead.html.j2", text)
    with pytest.raises(ReportError, match=problem):
        Templates(own).check(["flight_hours"])


def test_a_block_that_no_template_would_show_is_refused_with_those_that_there_are(own):
    extending = '{% extends "sections/default.html.j2" %}\n{% block ending %}Bye.{% endblock %}'
    write(own, "sections/flight_hours.html.j2", extending)
    problem = r"line 2: sections/default\.html\.j2 has no block 'ending'; it has: reading"
    with pytest.raises(ReportError, match=problem):
        Templates(own).check(["flight_hours"])


def test_macros_of_one_s_own_and_parts_that_may_be_missing_are_sound(own):
    write(own, "_seals.html.j2", "{% macro seal(n) %}{{ n }}{{ caller() }}{% endmacro %}")
    write(
        own,
        "_masthead.html.j2",
        '{% from "_seals.html.j2" import seal as stamp %}{% call stamp(1) %}x{% endcall %}'
        '{% include "_none.html.j2" ignore missing %}{{ say("Yes") }}'
        "{% include report.part ignore missing %}",
    )
    Templates(own).check(["flight_hours"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<p>\n\n{{ report.titel }}", r"_masthead\.html\.j2, line 3: .* has no attribute 'titel'"),
        ("{{ 1 / 0 }}", r"_masthead\.html\.j2, line 1: division by zero\. Mend it"),
        ('\n{% include "_masthead.html.j2" %}', "line 2: it includes or extends itself"),
        ("\n{% include report.title %}", r"line 2: there is no template 'October 2026'"),
    ],
)
def test_what_is_wrong_with_a_template_is_named_by_file_and_line(text, problem, own, tmp_path):
    write(own, "_masthead.html.j2", text)
    with pytest.raises(ReportError, match=problem):
        rendered(own, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("macro", "problem"),
    [
        ("{% macro kpi_row(kpis, report) %}{% endmacro %}", "takes no keyword argument 'shared'"),
        ("{% macro row(kpis) %}{% endmacro %}", "does not export the requested name 'kpi_row'"),
    ],
)
def test_a_macro_that_a_template_of_fleetkit_s_calls_in_vain_is_named_by_its_file_and_line(
    macro, problem, own
):
    write(own, "_kpi.html.j2", macro)
    with pytest.raises(ReportError, match=r"_front\.html\.j2, line \d+: ") as refused:
        render.html(ABOUT, [], Templates(own))
    assert problem in refused.value.message
    assert refused.value.advice.startswith(f"Mend what it imports from {own}, or take the file out")


def test_a_file_whose_name_is_nearly_fleetkit_s_is_refused(own):
    write(own, "_mastheat.html.j2", "")
    with pytest.raises(InvalidValue, match=r"no template of fleetkit\. Did you mean _masthead"):
        Templates(own)


def test_a_template_for_a_section_that_there_is_not_is_refused(own):
    write(own, "sections/pricng.html.j2", "")
    with pytest.raises(InvalidValue, match=r"sections/pricng.* Did you mean pricing"):
        Templates(own).check(["flight_hours", "pricing"])


@pytest.mark.parametrize("name", ["_masthead.html.j2", "assets/tables.js"])
def test_a_template_that_is_not_in_utf_8_is_refused(own, name):
    write(own, name, "").write_bytes("// Übersicht".encode("latin-1"))
    with pytest.raises(InvalidValue, match=f"{re.escape(name)} is not a text in UTF-8"):
        Templates(own)


@pytest.mark.slow
def test_the_mark_that_an_editor_begins_a_file_with_is_no_part_of_it(own, tmp_path):
    write(own, "report.css", "\ufeffh1 { color: teal }")
    write(own, "_masthead.html.j2", "\ufeff<header>Ours</header>")
    write(own, "assets/tables.js", "\ufeff// ours")
    page = rendered(own, tmp_path)
    assert "\nh1 { color: teal }" in page
    assert "\ufeff" not in page


def test_a_folder_without_templates_is_an_error(tmp_path):
    with pytest.raises(InvalidValue, match="is not a folder"):
        Templates(tmp_path / "none")
    with pytest.raises(InvalidValue, match="holds no file"):
        Templates(tmp_path)


def test_the_checksum_of_every_file_of_one_s_own_is_known(own):
    path = write(own, "_masthead.html.j2", "<p>")
    write(own, ".DS_Store", "")
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    assert Templates(own).checksums == {"_masthead.html.j2": checksum}
