"""The explorer in a real JupyterLab, driven by mouse and keyboard in a real browser.

And what a person sees there of a load, of a report and of a mistake: starting one takes long.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from threading import Thread

import axe_playwright_python
import nbformat
import pandas as pd
import papermill
import pytest
from a_browser import RULES_OF_COLOUR
from a_page import quantity
from a_random_filter import LISTS, Counted, random_choices
from conftest import TINY, a_flight, an_equipment, serving
from nbconvert import HTMLExporter

import fleetkit as fk
from fleetkit.explore import exports
from fleetkit.server.demo import demo_records

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "explore.ipynb"
DAY = "2026-11-20"  # the demo of another day has other flights
RANDOM_FILTERS = 5  # each kind of choice
HURRIED_ROUNDS = 2  # in each of three settings, others in each
PATIENCE = 120  # [s] until a test that hangs is given up; a loaded machine takes its time
IDLE = """() => {
  const context = window.jupyterapp?.shell.currentWidget?.context?.sessionContext;
  const kernel = context?.session?.kernel;
  return kernel?.connectionStatus === "connected" && kernel.status === "idle";
}"""
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells]
  .map((cell) => [cell.cell_type, cell.getSource()])"""
# Null while cells are running, then what their errors say.
FAILURES = """() => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells]
    .filter((cell) => cell.cell_type === "code");
  const failures = cells.flatMap((cell) => cell.getOutputs())
    .filter((output) => output.output_type === "error").map((output) => output.evalue);
  return failures.length || cells.every((cell) => cell.execution_count) ? failures : null;
}"""
# In each view nothing is out of date, and every pane shows the state that the filter's pane shows.
STILL = """([label, python]) => {
  const screens = [...document.querySelectorAll(`[aria-label="${label} explorer"] .fk-screen`)];
  return screens.length > 0 && screens.every((screen) => {
    const panes = [...screen.querySelectorAll("[data-r]")];
    return screen.getAttribute("aria-busy") === "false" && panes.length === 5
      && screen.querySelector("[data-key=copy-Python]").previousSibling.textContent === python
      && panes.every((pane) => pane.dataset.r === panes[0].dataset.r);
  });
}"""
CURRENT = """() => document.querySelector(".fk-screen").getAttribute("aria-busy") === "false"
"""
HAS_STYLE = "(record) => getComputedStyle(record).getPropertyValue('--fk-ink') !== ''"
FIRST = ["Flight", "fleet.where(fk.Filter())"]
# How JupyterLab hands messages of widgets to the kernel: to the main thread, to a thread for each
# widget, and, as it comes, to one thread for all widgets.
COMMS = ["disabled", "perComm", "perCommTarget"]
# What the settings of kernels do when they are changed.
HAND_OVER = "(to) => { window.jupyterapp.serviceManager.kernels.commsOverSubshells = to; }"
# Whether each widget's messages go to such threads: none is named for the main thread.
HANDED_OVER = """(to) => {
  const kernel = window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  const threads = [...kernel._comms.values()].map((comm) => comm.subshellId);
  const count = new Set(threads.filter((thread) => thread)).size;
  const isNamed = threads.length > 1 && threads.every((thread) => thread);
  return { disabled: count === 0, perCommTarget: isNamed && count === 1,
    perComm: isNamed && count === threads.length }[to];
}"""
OPEN = """async (path) => {
  await window.jupyterapp.commands.execute("docmanager:open", { path });
}"""
# A notebook of one cell, after which the cells of one test at a time stand.
CELLS_OF_TESTS = "cells.ipynb"
ADD = """async ([path, sources]) => {
  const documents = [...window.jupyterapp.shell.widgets("main")];
  const notebook = documents.find(({ context }) => context?.path === path);
  documents.filter((other) => other !== notebook).forEach((other) => other.dispose());
  const { sessionContext } = notebook.context;
  if (!sessionContext.session?.kernel) await sessionContext.restartKernel();
  const { sharedModel } = notebook.content.model;
  sharedModel.deleteCellRange(1, sharedModel.cells.length);
  const cells = sources.map((source) => ({ cell_type: "code", source, metadata: {} }));
  sharedModel.insertCells(1, cells);
}"""
# Run code in the notebook's kernel, in its main thread.
RUN = """async (code) => {
  const context = window.jupyterapp.shell.currentWidget.context.sessionContext;
  return (await context.session.kernel.requestExecute({ code }).done).content.status;
}"""
# The lock under which explorers are rendered.
LOCK = "from fleetkit.explore.explorer import _RENDERING"
# Acts faster than any hand: [element, value] sets a control, [element, null] clicks.
ACT = """(acts) => {
  for (const [element, value] of acts) {
    if (value === null) element.click();
    else {
      element.value = value;
      element.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}"""
# Take a reading after each change of the page, and on each frame: what isn't marked as out of date
# must be of one state. Kept in `window.readings` and `window.contradictions`, until `stopReading`.
WATCH = """(root) => {
  const text = (selector) => root.querySelector(selector).textContent;
  const control = (label) => [...root.querySelectorAll("label")]
    .find((each) => each.textContent === label).control;
  const chosen = (label) => control(label).selectedOptions[0].text.split(" · ")[0];
  const python = () => root.querySelector("[data-key=copy-Python]").previousSibling.textContent;
  const inCode = (name) => ({ True: "Yes", False: "No", "'unknown'": "Unknown" })[
    python().match(new RegExp(`${name}=(True|False|'unknown')`))?.[1]] ?? "Any";
  window.readings = 0;
  window.contradictions = [];
  const read = () => {
    window.readings += 1;
    if (root.querySelector(".fk-screen").getAttribute("aria-busy") !== "false") return;
    const numbers = new Set([...root.querySelectorAll("[data-r]")].map((each) => each.dataset.r));
    const flights = text(".fk-figures strong");
    const drawing = root.querySelector("svg")?.getAttribute("aria-label");
    const agree = numbers.size === 1
      && text(".fk-where").endsWith(`of ${flights} flight${flights === "1" ? "" : "s"}`)
      && text(".fk-chosen code").startsWith(`${flights} of `)
      && drawing.includes(` ${root.querySelectorAll(".fk-figures strong")[1].textContent} hours`)
      && chosen("Night flight") === inCode("night") && chosen("BVLOS") === inCode("bvlos")
      && control("TRAINING").checked === python().includes("TRAINING");
    if (!agree) window.contradictions.push(root.innerText);
  };
  const watch = new MutationObserver(read);
  watch.observe(root, { subtree: true, childList: true, attributes: true });
  let next;
  const frame = () => { read(); next = requestAnimationFrame(frame); };
  frame();
  window.stopReading = () => { watch.disconnect(); cancelAnimationFrame(next); };
}"""

# What there is to choose: of each list, by its label, its options' values and texts.
OFFERED = """(root) => {
  const text = (option) => option.text.replace(/ · [0-9,]+$/, "");
  const lists = [...root.querySelectorAll("select")].map((list) => [list.labels[0].textContent, {
    values: [...list.options].map((option) => option.value),
    texts: Object.fromEntries([...list.options].map((option) => [option.value, text(option)])),
    search: Boolean(list.parentElement.querySelector("[type=search]")),
  }]);
  const types = [...root.querySelectorAll(".fk-types input")].map((box) => box.value);
  return { ...Object.fromEntries(lists), types };
}"""
# Take all choices back and make others, all at once; then, as soon as a state is shown that has
# them, what is on the screen. `split` says whether panes of two states were ever there together.
CHOOSE_AND_READ = """(root, acts) => new Promise((resolve) => {
  const screen = root.querySelector(".fk-screen");
  const all = (selector, of = root) => [...of.querySelectorAll(selector)];
  const control = (label) => all("label").find((each) => each.textContent === label).control;
  const send = (element, event) => element.dispatchEvent(event);
  const ways = {
    list: (element, value) => {
      element.value = value;
      send(element, new Event("change", { bubbles: true }));
    },
    tick: (element) => element.click(),
    search: (element, value) => {
      element.value = value;
      send(element, new Event("input", { bubbles: true }));
      send(element, new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    },
  };
  ways.date = ways.list;
  all("button").find((each) => each.textContent === "Reset").click();
  for (const [way, label, value] of acts) {
    ways[way](control(way === "search" ? `Search: ${label}` : label), value);
  }
  let split = false;
  const read = () => {
    const numbers = [screen.dataset.number, ...all("[data-r]").map((each) => each.dataset.r)];
    split ||= new Set(numbers).size > 1;
    if (screen.getAttribute("aria-busy") !== "false") return;
    watch.disconnect();
    const count = (option) => Number(option.text.match(/ · ([0-9,]+)$/)?.[1].replace(",", ""));
    const counts = all("select").map((list) => [list.labels[0].textContent,
      Object.fromEntries([...list.options].map((option) => [option.value, count(option)]))]);
    resolve({
      split,
      panes: numbers.length - 1,
      figures: all(".fk-figures strong").map((each) => each.textContent),
      drawing: root.querySelector(".fk-hours svg")?.getAttribute("aria-label") ?? "",
      bars: all(".fk-hours [data-key^=bar-]").map((bar) => [bar.dataset.key,
        bar.querySelector("title").textContent]),
      where: root.querySelector(".fk-where").textContent,
      rows: all("tbody tr").map((row) => [...row.cells].map((cell) => cell.textContent)),
      words: root.querySelector(".fk-chosen code").textContent,
      counts: Object.fromEntries(counts),
    });
  };
  const watch = new MutationObserver(read);
  watch.observe(root, { subtree: true, childList: true, attributes: true });
})"""


AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
# What axe-core finds by all rules or by some, one line for each kind.
VIOLATIONS = """async ([within, rules]) => {
  const runOnly = rules.length ? { type: "rule", values: rules } : undefined;
  const { violations } = await axe.run(within, { runOnly });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html)}`);
}"""


@dataclass
class Lab:
    """Where JupyterLab listens, what opens it, and the folder it shows."""

    url: str
    token: str
    folder: Path


@contextmanager
def running_lab(root):
    """Run a JupyterLab of our own: a free port, a token, nothing of the user's folders."""
    settings = root / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    silent = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(silent))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    (root / "work").mkdir()
    token = secrets.token_hex(16)
    arguments = [
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={root / 'work'}",
        f"--IdentityProvider.token={token}",
        "--LabApp.expose_app_in_browser=True",
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *arguments],
        env=os.environ | {name: str(root / folder) for name, folder in folders.items()},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Lab(_address(server), token, root / "work")
    finally:
        # JupyterLab ends its kernels, then may wait for a thread that nothing wakes any more.
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(10)
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Run a JupyterLab as it comes."""
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


def _address(server):
    """Wait for the line that says where JupyterLab listens, and let the rest go by."""
    said = []
    for line in server.stderr:
        said.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
            Thread(target=server.stderr.read, daemon=True).start()
            return found[0]
    raise AssertionError("".join(said))


@pytest.fixture(scope="module")
def window(lab, browser):
    """Open a window for all pages: what JupyterLab is made of is loaded and compiled once."""
    strays = []

    def watch(request):
        if not request.url.startswith((lab.url, lab.url.replace("http", "ws"), "blob:", "data:")):
            strays.append(request.url)

    context = browser.new_context(viewport={"width": 1400, "height": 1300}, locale="en-US")
    context.set_default_timeout(1000 * PATIENCE)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.on("request", watch)
    context.on("page", lambda page: page.on("websocket", watch))
    yield context
    context.close()
    assert strays == []


def wait(page, what, arg=None):
    """Wait for something, and return it; what is asked at each frame keeps a processor busy."""
    return page.wait_for_function(what, arg=arg, polling=50)


def open_lab(lab, window):
    """Open JupyterLab with a workspace of its own: what other pages have open isn't open there."""
    page = window.new_page()
    page.goto(f"{lab.url}lab/workspaces/{secrets.token_hex(8)}?token={lab.token}")
    wait(page, "() => window.jupyterapp?.restored.then(() => true)")
    return page


def open_and_run(page, path, lab):
    """Open a notebook and start to run all of its cells."""
    shutil.copy(path, lab.folder)
    page.evaluate(OPEN, path.name)
    run(page)


def run(page):
    """Start to run all cells of the notebook that is open."""
    wait(page, IDLE)
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")


def wait_for_explorer(page):
    """Wait until all cells have run, and an explorer of flights shows its first state."""
    assert wait(page, FAILURES).json_value() == []
    wait(page, STILL, FIRST)


def of_one_day(path):
    """Write the notebook over the demo organisation of one day, whatever day it is."""
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert text.count("fk.demo(tz=tz)") == 1
    path.write_text(text.replace("tz=tz)", f"tz=tz, as_of='{DAY}')"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def opened(lab, window, tmp_path_factory):
    """Open the notebook over the demo organisation."""
    page = open_lab(lab, window)
    open_and_run(page, of_one_day(tmp_path_factory.mktemp("opened") / "explore.ipynb"), lab)
    wait_for_explorer(page)
    return page


@pytest.fixture(scope="module")
def elsewhere(lab, window, tmp_path_factory):
    """Open JupyterLab once more, with one kernel for cells of one test each."""
    page = open_lab(lab, window)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("import fleetkit as fk")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    path = tmp_path_factory.mktemp("elsewhere") / CELLS_OF_TESTS
    nbformat.write(notebook, path)
    open_and_run(page, path, lab)
    return page


@pytest.fixture(scope="module")
def run_cells(elsewhere):
    """Return a function (*cells) -> Page: these cells start to run, in place of those before."""

    def run_cells(*sources):
        elsewhere.evaluate(ADD, [CELLS_OF_TESTS, sources])
        run(elsewhere)
        return elsewhere

    return run_cells


@pytest.fixture(scope="module")
def explore_in_cells(run_cells):
    """Return a function (*cells) -> Page: these cells have run, and show an explorer."""

    def explore_in_cells(*sources):
        page = run_cells(*sources)
        wait_for_explorer(page)
        return page

    return explore_in_cells


@pytest.fixture(scope="module")
def of_tiny(tiny):
    """Return the code that opens the tiny organisation."""
    return f"fk.connect({tiny.base_url!r}, {tiny.api_key!r})"


@pytest.fixture(scope="module")
def fleet():
    """Open the same organisation from the test."""
    return fk.demo(as_of=DAY)


@pytest.fixture
def explorer(opened):
    """Return the explorer in its first state."""
    root = of_kind(opened, "Flight")
    root.get_by_role("button", name="Reset").click()
    wait(opened, STILL, FIRST)
    return root


def of_kind(page, kind):
    """Return the explorer over flights, equipment or projects."""
    return page.get_by_role("region", name=f"{kind} explorer", exact=True)


def settled(explorer, chosen):
    """Wait until everything shows the flights of that filter."""
    wait(explorer.page, STILL, ["Flight", exports.as_python(chosen)])


def choose(control, label):
    """Choose an option by its label, whatever its count is."""
    options = control.locator("option").all_inner_texts()
    labels = [text.replace("\xa0", " ").rpartition(" · ")[0] or text for text in options]
    control.select_option(index=labels.index(label))


def current(explorer):
    """Wait until what is shown includes all that was done."""
    wait(explorer.page, CURRENT)


def figures(explorer):
    return explorer.locator(".fk-figures li").all_inner_texts()


def expected_figures(flights, total):
    """Count with pandas alone what the figures have to say."""
    timed = flights["duration_seconds"].fillna(0) > 0
    hours = flights.loc[timed, "duration_seconds"].sum() / 3600
    night = flights["night_flight"].dropna()
    return [
        f"Flights\n{len(flights):,}\nof {total:,}",
        f"Hours\n{hours:,.1f}\ntimed: {timed.sum():,} of {len(flights):,}",
        f"Pilots\n{flights['pilot_id'].nunique():,}\n"
        f"unassigned flights: {flights['pilot_id'].isna().sum():,}",
        f"Night flights\n{100 * night.mean():.1f} %\nknown for {len(night):,} of {len(flights):,}",
    ]


def shown_dates(explorer):
    return explorer.locator("tbody tr td:first-child").all_inner_texts()


def dates_of(flights):
    return flights["flight_date"].dt.strftime("%Y-%m-%d %H:%M").tolist()


def agrees(explorer, fleet, chosen):
    """Whether figures and table show what pandas counts in the fleet's flights."""
    settled(explorer, chosen)
    flights = fleet.where(chosen).flights(order_by="date_desc")
    wanted = expected_figures(flights, len(fleet.flights()))
    assert len(flights) > 0
    assert [figure for figure in figures(explorer) if figure in wanted] == wanted
    assert shown_dates(explorer) == dates_of(flights)[:20]


def field(explorer, label):
    return explorer.get_by_label(label, exact=True)


def first(fleet, column):
    """Return the value that most flights have."""
    return fleet.flights()[column].mode()[0]


def pilot_name(fleet, pilot):
    flights = fleet.flights()
    return flights.loc[flights["pilot_id"] == pilot, "pilot_name"].iloc[0]


def test_run_all_shows_all_flights(explorer, fleet):
    agrees(explorer, fleet, fk.Filter())


def test_each_control_follows_the_mouse(explorer, fleet):
    pilot, kind = first(fleet, "pilot_id"), first(fleet, "flight_type")
    category = fleet.equipment()["category"].mode()[0]
    choose(field(explorer, "Pilot"), pilot_name(fleet, pilot))
    agrees(explorer, fleet, fk.Filter(pilot=pilot))
    field(explorer, kind).click()
    agrees(explorer, fleet, fk.Filter(pilot=pilot, flight_type=kind))
    choose(field(explorer, "BVLOS"), "No")
    agrees(explorer, fleet, fk.Filter(pilot=pilot, flight_type=kind, bvlos=False))
    choose(field(explorer, "Night flight"), "No")
    chosen = fk.Filter(pilot=pilot, flight_type=kind, bvlos=False, night=False)
    agrees(explorer, fleet, chosen)
    explorer.get_by_role("button", name="Reset").click()
    choose(field(explorer, "Equipment category"), category)
    agrees(explorer, fleet, fk.Filter(category=category))


def test_what_is_shown_agrees_with_pandas_whatever_is_chosen(explorer, fleet):
    page, rng, counted = explorer.page, Random(11), Counted(fleet)
    root = explorer.element_handle()
    explorer.get_by_text("Columns, 9 of 10").click()
    explorer.get_by_role("button", name="Identifier").click()
    current(explorer)
    controls = page.evaluate(OFFERED, root)
    rows_seen = 0
    for turn in range(RANDOM_FILTERS):
        acts, chosen, shown = random_choices(rng, controls, turn, counted.likely(rng))
        read = page.evaluate(f"([root, acts]) => ({CHOOSE_AND_READ})(root, acts)", [root, acts])
        problems = counted.contradictions(read, chosen, shown, controls, rng)
        assert problems == [], (turn, acts)
        rows_seen += len(read["rows"])
    assert rows_seen > 6 * RANDOM_FILTERS
    explorer.locator("[data-key=column-id]").click()
    choose(field(explorer, "Chart of"), "Hours")
    choose(field(explorer, "By"), "Month")
    current(explorer)


def test_a_period_is_chosen_by_name_and_by_dates(explorer, fleet):
    month = fleet.period()
    since, until = month.since.date().isoformat(), month.until.date().isoformat()
    choose(field(explorer, "Period"), month.title)
    agrees(explorer, fleet, fk.Filter(since=since, until=until))
    assert field(explorer, "Since").input_value() == since
    field(explorer, "Since").fill(f"{since[:8]}15")
    agrees(explorer, fleet, fk.Filter(since=f"{since[:8]}15", until=until))
    chosen_label = field(explorer, "Period").evaluate("(each) => each.selectedOptions[0].text")
    assert chosen_label == "Own dates"


def test_a_project_is_found_by_part_of_its_title(explorer, fleet):
    flights, project = fleet.flights(), first(fleet, "project_id")
    title = flights.loc[flights["project_id"] == project, "project_title"].iloc[-1]
    field(explorer, "Search: Project").fill(title.upper())
    listed = field(explorer, "Project").locator("option").all_inner_texts()
    assert len(listed) < 6
    assert [text for text in listed[1:] if title not in text.replace("\xa0", " ")] == []
    field(explorer, "Project").select_option(project)
    agrees(explorer, fleet, fk.Filter(project=project))


def test_each_control_follows_the_keyboard(explorer, fleet):
    keyboard, kind = explorer.page.keyboard, first(fleet, "flight_type")
    field(explorer, "Night flight").focus()
    keyboard.press("ArrowDown")
    agrees(explorer, fleet, fk.Filter(night=True))
    keyboard.press("Tab")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    agrees(explorer, fleet, fk.Filter(night=True, bvlos=False))
    field(explorer, kind).focus()
    keyboard.press("Space")
    agrees(explorer, fleet, fk.Filter(night=True, bvlos=False, flight_type=kind))
    explorer.get_by_role("button", name="Reset").focus()
    keyboard.press("Enter")
    settled(explorer, fk.Filter())
    field(explorer, "Since").focus()
    year = str(fleet.flights()["flight_date"].max().year)
    keyboard.type(f"0131{year}")
    agrees(explorer, fleet, fk.Filter(since=f"{year}-01-31"))


def test_each_list_and_what_it_chose_is_changed_by_the_keyboard_alone(explorer):
    keyboard, chips = explorer.page.keyboard, explorer.locator(".fk-chip")
    for label in LISTS:
        field(explorer, label).focus()
        keyboard.press("ArrowDown")
    current(explorer)
    assert "" not in [field(explorer, label).input_value() for label in LISTS]
    shown = chips.all_inner_texts()
    assert [chip.startswith(label) for label, chip in zip(LISTS, shown, strict=True)] == [True] * 10
    for label in LISTS:
        chips.filter(has_text=re.compile(f"^{label} ")).focus()
        keyboard.press("Enter")
    current(explorer)
    assert {field(explorer, label).input_value() for label in LISTS} == {""}
    assert chips.count() == 0
    for label, key, title in (
        ("Chart of", "ArrowDown", "Flights by month"),
        ("By", "ArrowDown", "Flights by week"),
        ("By", "ArrowUp", "Flights by month"),
        ("Chart of", "ArrowUp", "Hours by month"),
    ):
        field(explorer, label).focus()
        keyboard.press(key)
        current(explorer)
        assert explorer.locator(".fk-title").first.inner_text() == title


def test_columns_are_chosen_and_rows_are_downloaded_by_the_keyboard_alone(explorer):
    keyboard, heads = explorer.page.keyboard, explorer.locator("thead th")
    shown = heads.count()
    explorer.locator(".fk-columns summary").focus()
    for expected in (shown + 1, shown):
        if explorer.locator(".fk-columns[open]").count() == 0:
            keyboard.press("Enter")
        explorer.locator("[data-key=column-id]").focus()
        keyboard.press("Enter")
        current(explorer)
        assert heads.count() == expected
    explorer.get_by_role("button", name="Download Parquet").focus()
    with explorer.page.expect_download() as download:
        keyboard.press("Enter")
    assert download.value.suggested_filename == "flights.parquet"


def test_a_year_is_chosen_when_it_is_whole_and_none_that_no_flight_can_have(explorer):
    screen, since = explorer.locator(".fk-screen"), field(explorer, "Since")
    before = int(screen.get_attribute("data-number"))
    since.focus()
    explorer.page.keyboard.type("01312026")
    settled(explorer, fk.Filter(since="2026-01-31"))
    assert int(screen.get_attribute("data-number")) == before + 1
    field(explorer, "Until (not included)").focus()
    explorer.page.keyboard.type("01310099")
    since.focus()
    assert field(explorer, "Until (not included)").input_value() == ""
    settled(explorer, fk.Filter(since="2026-01-31"))
    assert int(screen.get_attribute("data-number")) == before + 1


def test_the_table_is_turned_and_ordered_and_keeps_the_focus(explorer, fleet):
    following = explorer.get_by_role("button", name="Next page")
    following.focus()
    explorer.page.keyboard.press("Enter")
    current(explorer)
    explorer.get_by_text("21–40 of").wait_for()
    assert following.evaluate("(each) => each === document.activeElement")
    assert shown_dates(explorer) == dates_of(fleet.flights(order_by="date_desc"))[20:40]
    table = explorer.get_by_role("region", name="Flights", exact=True)
    table.get_by_role("button", name="Duration").click()
    current(explorer)
    explorer.get_by_text("1–20 of").wait_for()
    latest = fleet.flights(order_by="date_desc")
    longest = latest.sort_values("duration_seconds", ascending=False, kind="stable")
    assert shown_dates(explorer) == dates_of(longest)[:20]
    assert explorer.locator("th[aria-sort=descending]").inner_text().startswith("Duration")
    table.get_by_role("button", name="Date").click()
    current(explorer)
    assert explorer.locator("th[aria-sort=descending]").inner_text().startswith("Date")


@pytest.mark.parametrize("label", ["Search: Project", "Pilot", "TRAINING", "Next page"])
def test_single_keys_in_the_explorer_leave_the_notebook_as_it_is(explorer, label):
    page = explorer.page
    cells = page.evaluate(CELLS)
    field(explorer, label).focus()
    for key in ("a", "b", "d", "d", "m", "x", "Shift+M"):
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == cells
    if label == "Search: Project":
        assert field(explorer, label).input_value() == "abddmxM"


def downloaded(explorer, folder):
    """Press the button and read the file."""
    with explorer.page.expect_download() as download:
        explorer.get_by_role("button", name="Download CSV").click()
    download.value.save_as(folder / "flights.csv")
    return pd.read_csv(folder / "flights.csv")


def test_the_rows_are_downloaded_as_csv(explorer, fleet, tmp_path):
    choose(field(explorer, "Night flight"), "Yes")
    settled(explorer, fk.Filter(night=True))
    read = downloaded(explorer, tmp_path)
    expected = fleet.where(night=True).flights(order_by="date_desc")
    assert read["flight_id"].tolist() == expected["flight_id"].tolist()
    assert list(read.columns) == list(expected.columns)


def test_the_filter_is_copied_as_a_command(explorer):
    choose(field(explorer, "BVLOS"), "Yes")
    settled(explorer, fk.Filter(bvlos=True))
    explorer.get_by_role("button", name="Copy: Command line").click()
    explorer.locator("[role=status]", has_text="Copied: Command line").wait_for()
    copied = explorer.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == f"fleetkit report --filter bvlos=true --tz UTC --demo --as-of {DAY}"


def test_every_control_says_its_name_to_a_screen_reader(explorer):
    names = explorer.locator("select, input").evaluate_all(
        "(all) => all.map((each) => each.labels[0]?.innerText.trim() ?? '')"
    )
    assert len(names) >= 12
    assert "" not in names
    assert explorer.get_attribute("aria-label") == "Flight explorer"
    assert explorer.locator("svg").get_attribute("aria-label").startswith("Hours by month")


def test_a_narrow_window_cuts_nothing_off(explorer):
    page = explorer.page
    page.set_viewport_size({"width": 620, "height": 1300})
    try:
        explorer.scroll_into_view_if_needed()
        over = explorer.evaluate(
            """(root) => [...root.querySelectorAll("*")]
              .filter((each) => !each.closest(".fk-scroll, code, .fk-voice, svg"))
              .filter((each) => each.getBoundingClientRect().right
                > root.getBoundingClientRect().right + 1)
              .map((each) => each.className)"""
        )
        assert over == []
    finally:
        page.set_viewport_size({"width": 1400, "height": 1300})


# Cross-filtering, and the other explorers


def test_a_bar_narrows_the_rest_by_mouse_and_by_keyboard(explorer, fleet):
    month = fleet.period()
    chosen = fk.Filter(since=month.since.date(), until=month.until.date(), flight_type="COMMERCIAL")
    bar = explorer.locator(f"[data-key='bar-{month.name}-COMMERCIAL']")
    bar.click()
    agrees(explorer, fleet, chosen)
    explorer.get_by_role("button", name="Take back Flight type: COMMERCIAL").click()
    settled(explorer, fk.Filter(since=chosen.since, until=chosen.until))
    explorer.get_by_role("button", name="Back", exact=False).first.click()
    settled(explorer, chosen)
    bar.focus()
    explorer.page.keyboard.press("Enter")
    settled(explorer, fk.Filter())


def test_arrows_go_from_bar_to_bar_and_one_tab_leaves_them(explorer, fleet):
    page, month = explorer.page, fleet.period()
    explorer.locator(f"[data-key='bar-{month.name}-COMMERCIAL']").focus()
    page.keyboard.press("ArrowUp")
    key = page.evaluate("() => document.activeElement.dataset.key")
    assert key.startswith(f"bar-{month.name}-")
    assert key != f"bar-{month.name}-COMMERCIAL"
    page.keyboard.press("ArrowLeft")
    assert month.name not in page.evaluate("() => document.activeElement.dataset.key")
    page.keyboard.press("Tab")
    assert page.evaluate("() => !document.activeElement.closest('svg')")


def test_the_map_narrows_the_rest_by_mouse_and_by_keyboard(explorer, fleet):
    page, areas = explorer.page, explorer.locator("[data-key^='area-']")
    choose(field(explorer, "By"), "Take-off place (map)")
    current(explorer)
    area = areas.first.get_attribute("data-key").removeprefix("area-")
    areas.first.click()
    agrees(explorer, fleet, fk.Filter(take_off=area))
    # What was pressed is drawn in smaller areas: the keyboard goes on at the first of these.
    assert areas.first.evaluate("(each) => each === document.activeElement")
    key = "() => document.activeElement.dataset.key"
    for arrow in ("ArrowDown", "ArrowRight"):
        before = page.evaluate(key)
        page.keyboard.press(arrow)
        if page.evaluate(key) != before:
            break
    nearer = page.evaluate(key).removeprefix("area-")
    assert nearer != areas.first.get_attribute("data-key").removeprefix("area-")
    page.keyboard.press("Enter")
    agrees(explorer, fleet, fk.Filter(take_off=nearer))
    explorer.get_by_role("button", name="Back", exact=False).first.click()
    settled(explorer, fk.Filter(take_off=area))
    written = field(explorer, "Taken off in (south, west, north, east)")
    written.fill("60, 10, 59, 11")
    written.press("Enter")
    explorer.get_by_text("south below north", exact=False).wait_for()
    assert written.input_value() == "60, 10, 59, 11"  # it stays to be corrected
    written.fill("59, 10, 60, 11")
    written.press("Enter")
    agrees(explorer, fleet, fk.Filter(take_off=(59, 10, 60, 11)))
    explorer.get_by_role("button", name="Take back Taken off", exact=False).click()
    settled(explorer, fk.Filter())
    assert not written.input_value()
    choose(field(explorer, "By"), "Month")
    current(explorer)


def test_equipment_is_narrowed_by_its_tiles_and_by_the_keyboard(explorer, fleet, tmp_path):
    shown, equipment = of_kind(explorer.page, "Equipment"), fleet.equipment()
    pair = equipment[["status", "condition"]].value_counts().index[0]
    shown.locator(f"[data-key='tile-status={pair[0]}-condition={pair[1]}']").click()
    rows = equipment[(equipment["status"] == pair[0]) & (equipment["condition"] == pair[1])]
    shown.get_by_text(f"of {len(rows)} pieces of equipment", exact=False).first.wait_for()
    assert shown.locator(".fk-figures strong").first.inner_text() == f"{len(rows)}"
    with shown.page.expect_download() as download:
        shown.get_by_role("button", name="Download Excel").click()
    download.value.save_as(tmp_path / "equipment.xlsx")
    read = pd.read_excel(tmp_path / "equipment.xlsx")
    assert sorted(read["equipment_id"]) == sorted(rows["equipment_id"])
    field(shown, "Equipment type").focus()
    shown.page.keyboard.press("ArrowDown")
    first_type = sorted(equipment["type"].unique())[0]
    few = rows[rows["type"] == first_type]
    said = (
        f"of {quantity(len(few), 'piece')} of equipment" if len(few) else "No pieces of equipment"
    )
    shown.get_by_text(said, exact=False).first.wait_for()
    shown.get_by_role("button", name="Reset").click()


def test_the_heads_of_a_matrix_are_whole_at_any_width(explorer):
    shown, page = of_kind(explorer.page, "Equipment"), explorer.page
    heads = shown.locator(".fk-matrix th button")
    heads.first.wait_for(state="attached")
    cut = """(heads) => heads
      .filter((head) => head.scrollWidth > head.clientWidth + 1).map((head) => head.innerText)"""
    for width in (1080, 1180, 1280, 1400):
        page.set_viewport_size({"width": width, "height": 1300})
        assert heads.evaluate_all(cut) == []


def test_projects_are_narrowed_on_the_board_and_in_the_table(explorer, fleet):
    # JupyterLab draws a cell once it comes near the part of the notebook that is seen.
    panel = explorer.page.locator(".jp-WindowedPanel-outer")
    panel.evaluate("(panel) => { panel.scrollTop = panel.scrollHeight; }")
    shown, projects = of_kind(explorer.page, "Project"), fleet.projects()
    shown.locator("[data-key='tile-status=COMPLETED']").focus()
    shown.page.keyboard.press("Enter")
    completed = projects[projects["status"] == "COMPLETED"]
    shown.get_by_text(f"of {quantity(len(completed), 'project')}", exact=False).first.wait_for()
    client = shown.locator("tbody tr").first.locator("td").nth(1)
    name = client.inner_text()
    client.get_by_role("button").click()
    few = completed[completed["client_account_name"] == name]
    shown.get_by_text(f"of {quantity(len(few), 'project')}", exact=False).first.wait_for()
    assert shown.locator(".fk-stage strong").all_inner_texts().count(f"{len(few)}") >= 1
    shown.get_by_role("button", name="Reset").click()


# A dark page differs from a light one by its colours.
@pytest.mark.parametrize(
    ("theme", "rules"),
    [("JupyterLab Light", []), ("JupyterLab Dark", RULES_OF_COLOUR)],
    ids=["light", "dark"],
)
def test_the_explorers_pass_axe_in_light_and_dark(explorer, theme, rules):
    page = explorer.page
    page.evaluate(
        "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
    )
    wait(page, "(dark) => document.body.dataset.jpThemeLight === String(!dark)", "Dark" in theme)
    page.evaluate(AXE)
    try:
        assert page.evaluate(VIOLATIONS, [".fk-explorer", rules]) == []
    finally:
        page.evaluate(
            "() => window.jupyterapp.commands.execute('apputils:change-theme',"
            " { theme: 'JupyterLab Light' })"
        )


def test_a_filter_is_set_aside_by_a_click_and_compared_with_what_is_chosen_next(explorer, fleet):
    night, day = (fleet.where(night=flag).flights() for flag in (True, False))
    choose(field(explorer, "Night flight"), "Yes")
    settled(explorer, fk.Filter(night=True))
    explorer.get_by_role("button", name="Set aside to compare").click()
    aside = explorer.get_by_role("button", name="Take back Compared with: Night flight Yes")
    aside.wait_for()
    choose(field(explorer, "Night flight"), "No")
    settled(explorer, fk.Filter(night=False))
    [other] = explorer.locator(".fk-figures li").first.locator(".fk-other").all_inner_texts()
    assert figures(explorer)[0].startswith(f"Flights\n{len(day):,}\n")
    assert other.startswith(f"{len(night):,} (")
    titles = explorer.locator(".fk-title").all_inner_texts()
    assert titles[:2] == ["Hours by month", "Hours by month, the filter set aside"]
    aside.click()
    current(explorer)
    assert explorer.locator(".fk-other").count() == 0


def test_another_chart_is_chosen_and_a_view_is_saved_by_keyboard(explorer, lab):
    page = explorer.page
    choose(field(explorer, "By"), "Pilot")
    choose(field(explorer, "Night flight"), "Unknown")
    settled(explorer, fk.Filter(night="unknown"))
    assert explorer.locator(".fk-title").first.inner_text() == "Hours by pilot"
    name = field(explorer, "Name of the view")
    name.press_sequentially("dark")
    name.press("Enter")
    page.get_by_text("Saved as --filter @dark").wait_for()
    written = (lab.folder / "fleetkit.toml").read_text(encoding="utf-8")
    assert written == '[views.dark]\nnight = "unknown"\n'
    choose(field(explorer, "By"), "Month")
    current(explorer)


def test_texts_of_the_api_stay_texts_in_the_browser(explore_in_cells, serve_records):
    hostile = (
        '<img src="http://192.0.2.1/x" onerror="window.hit = 1"><script>window.hit = 1</script>'
    )
    flight = a_flight(
        "fl_1",
        "2026-10-01T09:00:00.000Z",
        operationType=hostile,
        pilotInCommand={"id": "prof_1", "fullName": hostile},
        project={"id": "proj_1", "title": hostile},
    )
    served = serve_records(
        TINY
        | {
            "equipment": [an_equipment("eq_1", name=hostile, category=hostile)],
            "flights": [flight],
            "flight_equipment": [("fl_1", "eq_1")],
        }
    )
    fleet = f"fk.connect({served.base_url!r}, {served.api_key!r})"
    page = explore_in_cells(f"fk.explore.flights({fleet})")
    explorer = of_kind(page, "Flight")
    field(explorer, "Pilot").select_option(index=1)
    settled(explorer, fk.Filter(pilot="prof_1"))
    assert explorer.locator("tbody td").nth(3).inner_text() == hostile
    assert explorer.locator("img, b").count() == 0
    assert page.evaluate("() => window.hit") is None


def test_two_views_of_one_explorer_show_the_same_and_download_once(
    explore_in_cells, of_tiny, tmp_path
):
    page = explore_in_cells(f"explorer = fk.explore.flights({of_tiny})\nexplorer", "explorer")
    one, other = of_kind(page, "Flight").all()
    downloads = []

    def count(download):
        downloads.append(download)

    page.on("download", count)
    choose(field(one, "Night flight"), "Yes")
    settled(one, fk.Filter(night=True))
    assert figures(one) == figures(other)
    assert field(other, "Night flight").input_value() == "true"
    assert downloaded(other, tmp_path)["flight_id"].tolist() == ["fl_3"]
    choose(field(other, "Night flight"), "Any")
    settled(other, fk.Filter())
    assert len(downloaded(one, tmp_path)) == 5
    assert len(downloads) == 2


def test_a_page_that_is_loaded_again_goes_on_where_it_was(explore_in_cells, of_tiny, tmp_path):
    page = explore_in_cells(f"fk.explore.flights({of_tiny})")
    explorer = of_kind(page, "Flight")
    choose(field(explorer, "Night flight"), "No")
    settled(explorer, fk.Filter(night=False))
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.reload()
    settled(explorer, fk.Filter(night=False))
    choose(field(explorer, "BVLOS"), "No")
    settled(explorer, fk.Filter(night=False, bvlos=False))
    assert len(downloaded(explorer, tmp_path)) == 3


@pytest.fixture(scope="module")
def few():
    """Serve an organisation of few flights, but of some pages."""
    with ExitStack() as stack:
        records = demo_records(equipment=24, flights=400, months=8, as_of=date.fromisoformat(DAY))
        yield serving(stack, records)


@pytest.fixture(scope="module", params=COMMS)
def threaded(request, elsewhere, explore_in_cells, few):
    """Open an explorer where widgets' messages come in these threads."""
    elsewhere.evaluate(HAND_OVER, request.param)
    fleet = f"fk.connect({few.base_url!r}, {few.api_key!r})"
    explore_in_cells(f"explorer = fk.explore.flights({fleet})\nexplorer")
    wait(elsewhere, HANDED_OVER, request.param)
    return of_kind(elsewhere, "Flight")


@pytest.fixture
def fleet_of_few(few):
    return fk.connect(few.base_url, few.api_key, progress=False)


def test_hurried_choices_are_shown_and_downloaded_as_chosen(
    request, threaded, fleet_of_few, tmp_path
):
    rng, page = Random(request.node.callspec.id), threaded.page
    watched = page.evaluate_handle("() => document.querySelector('.fk-explorer')")
    page.evaluate(WATCH, watched)
    night, bvlos = field(threaded, "Night flight"), field(threaded, "BVLOS")
    reset = threaded.get_by_role("button", name="Reset")
    for _ in range(HURRIED_ROUNDS):
        chosen, acts = {}, [(reset, None)]
        for name, control in rng.sample([("night", night), ("bvlos", bvlos)], k=rng.randint(1, 2)):
            chosen[name] = rng.random() < 0.5
            acts.append((control, str(chosen[name]).lower()))
        if rng.random() < 0.5:
            chosen["flight_type"] = "TRAINING"
            acts.append((field(threaded, "TRAINING"), None))
        acts.insert(rng.randint(1, len(acts)), (threaded.locator("[data-key=page-Next]"), None))
        page.evaluate(ACT, [[control.element_handle(), value] for control, value in acts])
        settled(threaded, fk.Filter(**chosen))
        expected = fleet_of_few.where(**chosen).flights(order_by="date_desc")
        assert downloaded(threaded, tmp_path)["flight_id"].tolist() == list(expected["flight_id"])
        assert shown_dates(threaded) == dates_of(expected)[:20]
    page.evaluate("() => window.stopReading()")
    assert page.evaluate("() => window.contradictions") == []
    assert page.evaluate("() => window.readings") > HURRIED_ROUNDS


def test_what_is_not_rendered_yet_is_marked_and_is_downloaded_when_it_is(
    threaded, fleet_of_few, tmp_path
):
    page = threaded.page
    threaded.get_by_role("button", name="Reset").click()
    settled(threaded, fk.Filter())
    assert page.evaluate(RUN, f"{LOCK}; _RENDERING.acquire()") == "ok"
    choose(field(threaded, "Night flight"), "Yes")
    screen = threaded.locator(".fk-screen")
    assert screen.get_attribute("aria-busy") == "true"
    with page.expect_download() as download:
        threaded.get_by_role("button", name="Download CSV").click()
        assert figures(threaded)[0].startswith(f"Flights\n{len(fleet_of_few.flights()):,}\n")
        assert page.evaluate(RUN, "_RENDERING.release()") == "ok"
    download.value.save_as(tmp_path / "flights.csv")
    assert screen.get_attribute("aria-busy") == "false"
    expected = fleet_of_few.where(night=True).flights(order_by="date_desc")
    assert pd.read_csv(tmp_path / "flights.csv")["flight_id"].tolist() == list(
        expected["flight_id"]
    )


def test_run_by_papermill_the_notebook_shows_the_first_state(tmp_path):
    out = tmp_path / "explore.ipynb"
    papermill.execute_notebook(NOTEBOOK, out, progress_bar=False)
    cells = nbformat.read(out, as_version=4).cells
    shown = next(
        output.data["text/html"]
        for cell in cells
        for output in cell.get("outputs", [])
        if 'class="fk-explorer' in output.get("data", {}).get("text/html", "")
    )
    assert "Hours by month, stacked by flight type" in shown
    assert shown.count("<tr>") == 21


# A load, a report and a mistake

LOAD = """\
import pathlib, time
from fleetkit.fleet import progress
usual, progress.DELAY = progress.DELAY, 0
bar = progress.Progress()
bar.start(3, "Reading flights", "pieces of equipment")
bar.advance(2)
while not pathlib.Path("seen").exists():
    time.sleep(0.05)
bar.done()
progress.DELAY = usual
"""


def test_a_bar_is_drawn_in_the_cell_and_leaves_no_stripe(run_cells, lab):
    page = run_cells(LOAD + "print('done')")
    page.get_by_text("Reading flights: 2 of 3 pieces of equipment").wait_for(timeout=60_000)
    assert page.locator("progress[aria-label='Reading flights']").get_attribute("value") == "2"
    (lab.folder / "seen").touch()
    done = page.locator(".jp-OutputArea-output", has_text="done")
    done.wait_for(timeout=60_000)
    assert wait(page, FAILURES).json_value() == []
    assert page.locator("progress").count() == 0
    heights = page.locator(".jp-OutputArea-output").evaluate_all(
        "outputs => outputs.filter(each => !each.innerText.trim()).map(each => each.clientHeight)"
    )
    assert set(heights) <= {0}
    assert page.locator("[data-mime-type*=stderr]").count() == 0


def test_the_links_of_a_report_open_it_from_the_notebook(run_cells, of_tiny):
    page = run_cells(f"fk.report('2026-10', fleet={of_tiny}, formats='html', sections='pricing')")
    link = page.get_by_role("link", name="report.html")
    link.wait_for(timeout=300_000)
    assert page.locator("[data-mime-type*=stderr]").count() == 0
    link.click()
    shown = page.frame_locator("iframe.jp-HTMLViewer-frame, .jp-HTMLViewer iframe")
    shown.get_by_role("heading", level=1).first.wait_for(timeout=60_000)


def test_a_mistake_shows_the_cells_line_and_the_message(run_cells):
    page = run_cells("import fleetkit as fk\nfk.connect('ftp://fleet', 'fk_key')")
    shown = page.locator(".jp-OutputArea-output", has_text="InvalidValue")
    shown.wait_for(timeout=60_000)
    text = shown.inner_text()
    assert "----> 2 fk.connect('ftp://fleet', 'fk_key')" in text
    assert "InvalidValue" in text
    assert "fleetkit/" not in text


# Without its kernel


def converted(notebook, browser):
    """Return the page that nbconvert makes of a notebook, opened without any network."""
    html, _ = HTMLExporter().from_filename(str(notebook))
    made = notebook.with_suffix(".html")
    made.write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.route("http*://**", lambda route: route.abort())
    page.goto(made.as_uri())
    return page


def test_a_notebook_that_is_opened_without_its_kernel_shows_the_last_state(
    explore_in_cells, of_tiny, lab, browser
):
    page = explore_in_cells(f"fk.explore.flights({of_tiny})")
    record = page.locator(".fk-static")
    assert not record.is_visible()
    explorer = of_kind(page, "Flight")
    choose(field(explorer, "Night flight"), "Yes")
    settled(explorer, fk.Filter(night=True))
    wait(page, "() => document.querySelector('.fk-static').textContent.includes('✕')")
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.evaluate("() => window.jupyterapp.commands.execute('kernelmenu:shutdown')")
    field(explorer, "Night flight").select_option(index=0)
    assert "run its cell again" in explorer.get_by_role("alert").inner_text()
    page.reload()
    record.wait_for()
    assert "Night flight Yes" in record.text_content()
    assert record.locator("tbody tr").count() == 1
    assert record.locator("img").evaluate("(picture) => picture.naturalWidth") == 605
    assert record.evaluate(HAS_STYLE)
    assert not page.get_by_text("Error displaying widget").is_visible()
    cell = nbformat.read(lab.folder / CELLS_OF_TESTS, as_version=4).cells[1]
    styles = [output.data.get("text/html", "").count("<style>") for output in cell.outputs]
    assert styles == [1, 0, 0]  # what styles the record, the explorer, and the record
    page = converted(lab.folder / CELLS_OF_TESTS, browser)
    record = page.locator(".fk-static:visible")
    assert record.count() == 1
    assert "Night flight Yes" in record.text_content()
    assert record.locator("img").evaluate("(picture) => picture.naturalWidth") == 605
    assert record.evaluate(HAS_STYLE)
    assert not page.get_by_text("FlightExplorer: its newest state").is_visible()
    page.close()
