"""Section notebooks: found without registering, run side by side, kept as working papers."""

import asyncio
import gc
import json
import os
import tempfile
from pathlib import Path

import nbformat
import pytest
from a_notebook import PARAMETERS, notebook
from conftest import names
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec

from fleetkit.errors import ReportError
from fleetkit.reports.chapters import available
from fleetkit.reports.discovery import discover
from fleetkit.reports.kernels import kernels
from fleetkit.reports.notebooks import run

VALUES = {
    "mirror": "",
    "version": None,
    "period": "2026-10",
    "tz": "UTC",
    "filters": {"client": ['O\'Hara "& Sons" {x}']},
    "settings": {},
    "out": "../sections",
}


def test_a_notebook_with_a_parameter_out_is_a_section(tmp_path):
    notebook(tmp_path, "flight_hours", needs=["flights"])
    notebook(tmp_path, "explore", parameters="mirror = ''")
    notebooks = discover(tmp_path)
    assert [(notebook.name, notebook.title, notebook.needs) for notebook in notebooks] == [
        ("flight_hours", "Flight hours", ("flights",))
    ]


def test_sections_stand_in_the_order_that_they_ask_for_then_by_name(tmp_path):
    for name, order in (("alpha", {}), ("beta", {}), ("zulu", {"order": 1})):
        notebook(tmp_path, name, **order)
    assert [notebook.name for notebook in discover(tmp_path)] == ["zulu", "alpha", "beta"]


def test_hidden_files_are_no_notebooks_such_as_the_one_that_jupyter_writes_while_it_saves(tmp_path):
    notebook(tmp_path, "batteries")
    for left in (".~batteries.ipynb", "._batteries.ipynb"):
        (tmp_path / left).write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / ".#batteries.ipynb").symlink_to("ada@desk.4711")
    assert [found.name for found in discover(tmp_path)] == ["batteries"]
    assert "batteries" in [found.name for found in available(tmp_path)]


def test_a_notebook_that_would_ignore_the_filter_is_refused(tmp_path):
    notebook(tmp_path, "s", parameters=PARAMETERS.replace("filters = {}", "other = {}"))
    with pytest.raises(ReportError, match=r"s\.ipynb has no parameter filters"):
        discover(tmp_path)


@pytest.mark.parametrize("call", ["Section('flight_hours'", 'Section(\n    name="flight_hours"'])
def test_a_copied_notebook_with_the_section_of_its_original_is_named(tmp_path, call):
    notebook(tmp_path, "flight_hours")
    copied = notebook(tmp_path, "copy_of_it")
    written = nbformat.read(copied, as_version=4)
    written.cells[-1].source = written.cells[-1].source.replace("Section('copy_of_it'", call)
    nbformat.write(written, copied)
    with pytest.raises(ReportError) as refused:
        discover(tmp_path)
    assert str(refused.value) == (
        "copy_of_it.ipynb makes the section 'flight_hours', as flight_hours.ipynb does. "
        "A section bears the name of its notebook: Section('copy_of_it', …)."
    )


def test_the_section_of_each_of_fleetkit_s_notebooks_is_found_where_it_is_copied():
    assert [notebook for notebook in available() if notebook.sections != (notebook.name,)] == []


def test_a_notebook_that_also_makes_the_section_of_another_one_is_named(tmp_path):
    notebook(tmp_path, "batteries", "# Section('old')", "Section('pricing', out=out).save()")
    with pytest.raises(ReportError, match=r"batteries\.ipynb makes the section 'pricing'\."):
        discover(tmp_path)


def test_a_notebook_whose_name_no_section_can_bear_is_refused_before_it_runs(tmp_path):
    notebook(tmp_path, "My batteries")
    with pytest.raises(
        ReportError, match=r"'My batteries' can't name a section\. .* Rename the file"
    ):
        discover(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order", "first"),
        ("order", True),
        ("order", float("nan")),
        pytest.param("order", 10**400, id="order-too-large"),
        ("needs", "flights"),
        ("needs", ["flihgts"]),
        ("subject", ["flights"]),
        ("history", "false"),
        ("history", None),
    ],
)
def test_metadata_that_can_not_be_meant_are_named(tmp_path, name, value):
    notebook(tmp_path, "batteries", **{name: value})
    with pytest.raises(ReportError, match=rf"batteries\.ipynb: '{name}' in its metadata is ") as no:
        discover(tmp_path)
    others = {"order": "Of two chapters the one with the smaller", "history": "Leave it out"}
    assert no.value.advice.startswith(others.get(name, "Tables are: equip"))


def test_an_entry_of_the_metadata_that_no_report_reads_is_named_with_a_similar_one(tmp_path):
    notebook(tmp_path, "batteries", order=3, need=["flights"])
    with pytest.raises(ReportError) as refused:
        discover(tmp_path)
    assert str(refused.value) == (
        "batteries.ipynb: 'need' in its metadata is nothing that a report reads. "
        "Did you mean needs? There are: order, needs, subject, history."
    )


def without_metadata(path):
    """Take out what a notebook says of its kernel and language."""
    written = nbformat.read(path, as_version=4)
    written.metadata = {}
    nbformat.write(written, path)


def test_a_notebook_that_names_no_kernel_is_one_of_python(tmp_path):
    without_metadata(notebook(tmp_path, "batteries"))
    assert [section.name for section in discover(tmp_path)] == ["batteries"]


def test_a_file_that_is_no_notebook_is_named(tmp_path):
    (tmp_path / "s.ipynb").write_text("{}")
    with pytest.raises(ReportError, match=r"s\.ipynb can't be read as a notebook"):
        discover(tmp_path)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Five notebooks run side by side in a folder whose name papermill would format."""
    folder = tmp_path_factory.mktemp("a {brace}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEETKIT_API_KEY", "fk_secret")
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("PYTHONSTARTUP", str(folder / "ipython/profile_default/startup/own.py"))
        start_up = Path(os.environ["PYTHONSTARTUP"])
        start_up.parent.mkdir(parents=True)
        start_up.write_text("import os; os.environ['FLEETKIT_API_KEY'] = 'of an own profile'")
        patch.setenv("MPLBACKEND", "nonsense")
        patch.setenv("MPLCONFIGDIR", str(folder))
        (folder / "matplotlibrc").write_text("font.size: 22\n")
        (folder / "cwd").mkdir()
        (folder / "cwd" / "matplotlibrc").write_text("axes.xmargin: 0.3\n")
        patch.chdir(folder / "cwd")
        notebook(folder / "in", "good", "import os", "print('FLEETKIT_API_KEY' in os.environ)")
        twice = ["rows.pop()['hours']"] * 2
        notebook(folder / "in", "bad", "rows = [{}, {'hours': 1}]", *twice)
        settings = "print(rcParams['font.size'], rcParams['axes.xmargin'])"
        notebook(folder / "in", "drawing", "from matplotlib import rcParams", settings)
        notebook(folder / "in", "widget", "import ipywidgets", "ipywidgets.IntSlider()")
        without_metadata(notebook(folder / "in", "bare"))
        runs = run(discover(folder / "in"), VALUES, folder / "build" / "notebooks")
    return folder / "build", {result.name: result for result in runs}


def paper(folder, name):
    return nbformat.read(folder / "notebooks" / f"{name}.ipynb", as_version=4)


def printed(folder, name):
    outputs = [output for cell in paper(folder, name).cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if output.output_type == "stream"]


@pytest.mark.slow
def test_a_notebook_writes_its_section_from_the_parameters(ran):
    folder, runs = ran
    content = json.loads((folder / "sections" / "good" / "section.json").read_text())
    assert content["sentences"] == ["2026-10."]
    assert runs["good"].problem == ""


@pytest.mark.slow
def test_a_notebook_that_names_neither_kernel_nor_language_is_run_by_python(ran):
    folder, runs = ran
    content = json.loads((folder / "sections" / "bare" / "section.json").read_text())
    assert (content["sentences"], runs["bare"].problem) == (["2026-10."], "")


@pytest.mark.slow
def test_a_failure_names_cell_and_error_as_a_reader_counts_them(ran):
    _, runs = ran
    # The title, the parameters, the rows; the last of two cells that are alike.
    assert runs["bad"].problem == "cell 5: KeyError: 'hours'"


@pytest.mark.slow
def test_the_working_paper_of_a_failure_keeps_the_traceback(ran):
    folder, _ = ran
    outputs = [output for cell in paper(folder, "bad").cells for output in cell.get("outputs", [])]
    assert "KeyError" in [output.get("ename") for output in outputs]


@pytest.mark.slow
def test_no_kernel_sees_the_key_or_runs_the_start_up_files_of_an_analyst(ran):
    folder, _ = ran
    assert printed(folder, "good") == ["False\n"]


@pytest.mark.slow
def test_no_kernel_draws_by_the_settings_that_an_analyst_made_for_matplotlib(ran):
    folder, _ = ran
    assert printed(folder, "drawing") == ["10.0 0.05\n"]


@pytest.mark.slow
def test_a_working_paper_holds_no_widget_state_and_no_path_of_its_run(ran):
    folder, _ = ran
    text = (folder / "notebooks" / "widget.ipynb").read_text()
    assert "widgets" not in paper(folder, "widget").metadata
    assert str(folder) not in text


@pytest.mark.slow
def test_any_text_reaches_the_notebook_as_it_is(ran):
    folder, _ = ran
    injected = next(
        cell
        for cell in paper(folder, "good").cells
        if "injected-parameters" in cell.metadata.get("tags", [])
    )
    values = {}
    exec(injected.source, values)  # noqa: S102 - the cell under test
    assert {name: values[name] for name in VALUES} == VALUES


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sockets in folders are POSIX's")
def test_kernels_take_no_port_that_another_report_could_take(tmp_path, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="short", dir="/tmp") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        told = "import json; from ipykernel.connect import get_connection_info"
        shown = "print(json.loads(get_connection_info())['transport'])"
        notebook(tmp_path / "in", "s", told, shown)
        assert [result.problem for result in run(discover(tmp_path / "in"), VALUES, tmp_path)] == [
            ""
        ]
        assert list(Path(short).iterdir()) == []
    cells = nbformat.read(tmp_path / "s.ipynb", as_version=4).cells
    printed = [
        output["text"] for cell in cells for output in cell.get("outputs", []) if "text" in output
    ]
    assert printed == ["ipc\n"]


@pytest.mark.slow
def test_what_a_kernel_s_process_writes_by_itself_stays_inside(tmp_path, capfd):
    noise = "import os; [os.write(end, b'panicked at src/lib.rs:42\\n') for end in (1, 2)]"
    notebook(tmp_path / "in", "noisy", noise, "import warnings; warnings.warn('/a/path.py')")
    [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build")
    assert done.problem == ""
    assert capfd.readouterr() == ("", "")
    assert names(tmp_path / "build") == ["noisy.ipynb"]


@pytest.mark.slow
def test_a_kernel_that_died_is_told_with_its_last_words(tmp_path, capfd):
    died = "import os, faulthandler; faulthandler.enable(); os.abort()"
    notebook(tmp_path / "in", "dying", died)
    [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build")
    assert done.problem.startswith("its kernel died, perhaps out of memory")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_kernel_that_dies_as_it_starts_is_a_notebook_s_failure(tmp_path):
    spec = KernelSpec(**get_kernel_dict(["--log-level=no-level"]))
    notebook(tmp_path / "in", "dying", "1")
    with kernels() as manager:
        dying = type("Dying", (manager,), {"kernel_spec": spec})
        [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build", None, dying)
    assert done.problem.startswith("its kernel died, perhaps out of memory: ")


@pytest.mark.slow
def test_a_user_without_a_name_and_a_home_gets_notebooks_run(tmp_path, monkeypatch):
    """As in a container with user ids of its own, where Jupyter finds no home."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    notebook(tmp_path / "in", "s", "import os; print(os.environ['HOME'])")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build")
    paper = nbformat.read(tmp_path / "build" / "s.ipynb", as_version=4)
    assert (done.problem, f"{tmp_path}/fleetkit-run-" in str(paper.cells)) == ("", True)


@pytest.mark.slow
def test_a_kernel_that_cannot_be_started_leaves_no_folder(tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with kernels() as manager:
        before = {*place.iterdir()}
        own = manager.writing_to(tmp_path / "not here" / "log")()
        with pytest.raises(FileNotFoundError):
            asyncio.run(own.start_kernel())
        assert {*place.iterdir()} == before
    assert [*place.iterdir()] == []


def test_a_cell_may_go_to_another_folder_before_the_section_is_saved(tmp_path):
    made = 'from fleetkit.reports import Section\nsection = Section("s", title="S", out=out)'
    path = notebook(tmp_path / "in", "s", made, 'import os\nos.chdir("/")')
    written = nbformat.read(path, as_version=4)
    written.cells[-1].source = "section.save()"
    nbformat.write(written, path)
    [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build" / "notebooks")
    assert done.problem == ""
    assert (tmp_path / "build" / "sections" / "s" / "section.json").is_file()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files")
def test_a_notebook_that_was_run_leaves_no_file_open_until_garbage_is_collected(tmp_path):
    notebook(tmp_path / "in", "s")
    with kernels() as manager:
        counts = []
        gc.disable()
        try:
            for _ in range(3):
                run(discover(tmp_path / "in"), VALUES, tmp_path / "build", None, manager)
                counts.append(len(list(Path("/proc/self/fd").iterdir())))
        finally:
            gc.enable()
    assert counts[2] <= counts[0]  # a server of another test may close what it had open


def test_a_notebook_that_was_edited_is_read_anew(tmp_path):
    notebook(tmp_path, "a", order=1)
    assert [found.order for found in discover(tmp_path)] == [1]
    notebook(tmp_path, "a", order=12)
    assert [found.order for found in discover(tmp_path)] == [12]
