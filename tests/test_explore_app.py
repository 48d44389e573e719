"""``fleetkit explore``: the explorers as a page, in a real browser and with a real service."""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
import requests
from conftest import a_project, an_equipment
from processes import children, ended_by_hangups
from pypdf import PdfReader
from test_explore_lab import AXE, VIOLATIONS
from test_explore_takeaway import copied

import fleetkit as fk
from fleetkit.cli import exploring
from fleetkit.explore import cells
from fleetkit.explore.app.access import PASSWORD, Access
from fleetkit.explore.app.visitors import Visitors

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is tested
PATIENCE = 60  # [s] until a test that hangs is given up
SHOWN = """() => document.querySelectorAll(".fk-screen[aria-busy=false]").length === 1"""
# Ask the page's kernel to run code, then for something that it may do; return what it answers to.
ASK = """() => new Promise((resolve) => {
  const { kernelId } = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const address = `${location.origin.replace("http", "ws")}/api/kernels/${kernelId}/channels`;
  const socket = new WebSocket(`${address}?session_id=own`);
  const ask = (msg_type, content) => socket.send(JSON.stringify({
    channel: "shell", content, metadata: {}, parent_header: {}, buffers: [],
    header: { msg_id: msg_type, msg_type, session: "own", username: "", version: "5.3", date: "" },
  }));
  const answers = [];
  socket.onopen = () => {
    ask("execute_request", { code: "1", silent: false, store_history: false,
      user_expressions: {}, allow_stdin: false, stop_on_error: true });
    ask("kernel_info_request", {});
  };
  socket.onmessage = ({ data }) => {
    const { header, parent_header } = JSON.parse(data);
    if (parent_header.session === "own") answers.push(header.msg_type);
    if (header.msg_type === "kernel_info_reply") resolve(answers);
  };
})"""


class Site:
    """A page that is served: its process, its address with and without the token, its choice."""

    def __init__(self, process, link):
        self.process = process
        self.link, _, self.query = link.partition("&")
        self.address = link.partition("?")[0]

    def kernels(self):
        """Return the processes of its kernels, which are forks of one of its own."""
        return [kernel for own in children(self.process.pid) for kernel in children(own)]

    def wait_for_kernels(self, count):
        """Return how many there are once there are so many, or they don't come to be."""
        return waited(lambda: len(self.kernels()), count)

    def sockets(self):
        """Return how many sockets for kernels are open: each has a descriptor that wakes it."""
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        return [os.path.realpath(link).endswith("anon_inode:[eventfd]") for link in links].count(
            True
        )


def waited(count, expected):
    """Return a count once it is what is expected, or doesn't come to be."""
    ends = time.monotonic() + PATIENCE
    while count() != expected and time.monotonic() < ends:
        time.sleep(0.05)
    return count()


def started(folder, *options, **environ):
    """Start ``fleetkit explore`` and wait until it says where."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FLEETKIT_")}
    with ended_by_hangups():
        process = subprocess.Popen(
            [sys.executable, "-m", "fleetkit", "explore", "--no-open", "--port", "0", *options],
            env={**clean, "XDG_CONFIG_HOME": str(folder), "TMPDIR": str(folder), **environ},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    line = process.stdout.readline()
    assert "Exploring at http" in line, process.communicate()
    return Site(process, re.search(r"http.*", line)[0])


@pytest.fixture(scope="module")
def site(tiny, tmp_path_factory):
    """Serve the page of the tiny organisation's drones, for two visitors at once.

    The command is the one that an explorer gives in a notebook where night flights are chosen.
    """
    explorer = fk.explore.flights(fk.connect(tiny.base_url, tiny.api_key, progress=False))
    explorer.controls.night.value = True
    program, command, *options = shlex.split(copied(explorer, "Page"))
    assert (program, command) == ("fleetkit", "explore")
    folder = tmp_path_factory.mktemp("site")
    options += ["--visitors", "2", "--filter", "category=MULTIROTOR"]
    start_up = folder / "ipython" / "profile_default" / "startup" / "own.py"
    start_up.parent.mkdir(parents=True)
    start_up.write_text("import fleetkit.explore.app.page as page; page.Page = None")
    profile = {"IPYTHONDIR": str(folder / "ipython"), "PYTHONSTARTUP": str(start_up)}
    site = started(folder, *options, FLEETKIT_API_KEY=tiny.api_key, **profile)
    yield site
    site.process.send_signal(signal.SIGHUP)
    out, err = site.process.communicate(timeout=PATIENCE)
    assert (site.process.returncode, out, err) == (0, "", "")
    assert [
        path.name for path in folder.iterdir() if path.name.startswith(("fleetkit-", "reader-"))
    ] == []


@pytest.fixture(scope="module")
def visit(site, tiny, browser):
    """Return a function (query, scheme) -> Page: the page in a browser of a visitor's own."""
    contexts, strays, wrong = [], [], []

    def watch(request):
        own = (site.address, site.address.replace("http", "ws"), "blob:", "data:")
        if not request.url.startswith(own) or "shutdown" in request.url:
            strays.append(request.url)

    def visit(query=""):
        context = browser.new_context(viewport={"width": 1300, "height": 1000}, locale="en-US")
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        context.on("request", watch)
        page = context.new_page()
        page.on("websocket", lambda socket: socket.on("framereceived", read))
        page.on("console", hear)
        page.goto(f"{site.link}{query}")
        read(page.content())
        page.wait_for_function(SHOWN)
        return page

    def hear(line):
        address = line.location["url"]
        # A page is refused where all places are taken, and told where its kernel has died.
        is_told = "status of 503" in line.text or "/api/kernels/" in address
        if line.type == "error" and not is_told:
            wrong.append(f"{line.text} ({address})")

    def read(content):
        text = content if isinstance(content, bytes) else str(content).encode()
        if tiny.api_key.encode() in text:
            wrong.append("the key")

    yield visit
    for context in contexts:
        context.close()
    assert (strays, wrong) == ([], [])


@pytest.fixture(scope="module")
def page(visit):
    """Open the page as it is printed."""
    return visit()


def cards(page, kind):
    """Return the key figures of an explorer; one that is looked at first is made then."""
    page.locator(f'[aria-label="{kind} explorer"] .fk-figures li').first.wait_for()
    return page.locator(f'[aria-label="{kind} explorer"] .fk-figures li').all_inner_texts()


@pytest.mark.slow
def test_the_page_shows_each_explorer_to_mouse_and_keyboard_and_asks_nobody_else(site, page):
    assert page.url == site.address  # a link that is copied does not hand on the token
    assert cards(page, "Flight")[0] == "Flights\n5\nof 5"
    page.get_by_role("tab", name="Flights").focus()
    page.keyboard.press("ArrowRight")
    assert cards(page, "Equipment")[0].endswith("2\nof 2")  # --filter left the camera out
    for key, name in (("Home", "Flights"), ("ArrowLeft", "Projects"), ("End", "Projects")):
        page.keyboard.press(key)
        assert page.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
    assert cards(page, "Project")[0] == "Projects\n3\nof 3"
    page.evaluate(AXE)
    assert page.evaluate(VIOLATIONS, ["html", []]) == []
    assert "execute_reply" not in page.evaluate(ASK)  # it runs no code of browsers
    paper = PdfReader(BytesIO(page.pdf(format="A5"))).pages  # no controls, and nothing is cut off
    text = " ".join(sheet.extract_text() for sheet in paper)
    assert [word in text for word in ("search", "Late", "Projects, page 1 of 1.")] == [
        False,
        True,
        True,
    ]


@pytest.mark.slow
def test_the_focus_stays_on_a_cell_that_chooses_and_in_the_chips_where_one_is_taken_back(page):
    page.get_by_role("tab", name="Flights").click()
    flights = page.locator('[aria-label="Flight explorer"]')
    focused = "() => document.activeElement.textContent"
    press = page.keyboard.press

    def wait_for_flights(count):
        flights.get_by_role("status").filter(has_text=f"{count} flight").wait_for()

    flights.locator("td button", has_text="Ada Lind").last.focus()
    for count in (2, 5):  # Ada's, then all again
        press("Enter")
        wait_for_flights(count)
        assert page.evaluate(focused) == "Ada Lind"
    for box in ("TRAINING", "RECREATIONAL"):
        flights.get_by_role("checkbox", name=box).check()
    wait_for_flights(2)
    flights.get_by_role("button", name="Take back").first.focus()
    press("Enter")
    wait_for_flights(1)
    assert page.evaluate(focused) == flights.get_by_role("button", name="Take back").text_content()
    press("Enter")
    wait_for_flights(5)
    narrowed = "The fleet is narrowed to category=MULTIROTOR."
    assert page.evaluate(focused) == f"Nothing is chosen.{narrowed}"


@pytest.mark.slow
def test_the_names_of_bars_are_whole_on_a_phone(page):
    page.get_by_role("tab", name="Equipment").click()
    cards(page, "Equipment")
    page.set_viewport_size({"width": 390, "height": 1000})
    try:
        names = page.locator('[aria-label="Equipment explorer"] .fk-bars button')
        cut = "(names) => names.filter((name) => name.scrollWidth > name.clientWidth + 1).length"
        assert "under 30 days" in names.all_inner_texts()
        assert names.evaluate_all(cut) == 0
    finally:
        page.set_viewport_size({"width": 1300, "height": 1000})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fleetkit.Notice")
@pytest.mark.parametrize(
    ("width", "further"), [(390, []), (1300, ["OUT_TO_REPAIR", "OUT_TO_RENT"])]
)
def test_the_heads_of_a_matrix_are_whole_on_a_phone_and_of_many_conditions(
    browser, serve_records, width, further
):
    statuses = ("ACTIVE", "MAINTENANCE")
    conditions = ("NEW", "EXCELLENT", "GOOD", "FAIR", "POOR", *further)
    pieces = [
        an_equipment(f"{status}-{condition}", status=status, condition=condition)
        for status in statuses
        for condition in conditions
    ]
    served = serve_records({"equipment": pieces})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        record = fk.explore.equipment(fleet)._repr_mimebundle_()["text/html"]
    page = browser.new_page(viewport={"width": width, "height": 1000})
    page.set_content(record)
    heads = page.locator(".fk-matrix th button")
    cut = "(heads) => heads.filter((head) => head.scrollWidth > head.clientWidth + 1).length"
    assert {"EXCELLENT", "MAINTENANCE", *further} <= set(heads.all_inner_texts())
    assert heads.evaluate_all(cut) == 0
    page.close()


@pytest.mark.slow
def test_a_value_of_123_billion_is_whole_in_the_narrowest_stage(browser, serve_records):
    project = a_project("proj_1", status="DRAFT", currency="IDR", agreedPrice=123_456_789_012)
    served = serve_records({"projects": [project]})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        record = fk.explore.projects(fleet)._repr_mimebundle_()["text/html"]
    page = browser.new_page(viewport={"width": 1000, "height": 1000})
    page.set_content(f"<style>.fk-stages {{ width: 118px }}</style>{record}")
    value = page.locator(".fk-stage button", has_text="IDR").first
    cut = "(e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
    assert value.inner_text() == "IDR 123,456,789,012"
    assert value.evaluate(cut) == [0, 0]
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Nordic Drone Services, northern department and office", "שירותי רחפנים " * 4]
)
def test_a_name_that_is_cut_shows_its_beginning_wherever_it_is_written_from(browser, name):
    style = files("fleetkit.explore").joinpath("screen.css").read_text(encoding="utf-8")
    page = browser.new_page(viewport={"width": 260, "height": 400})
    page.set_content(
        f"<!doctype html><style>{style}</style><div class='fk-explorer'><table><tr>"
        f"<td>{cells.text(name)}</td><td>DRONE</td></tr></table></div>"
    )
    inside = """(cell) => {
      const [letter, text] = [document.createRange(), cell.firstChild.firstChild];
      letter.setStart(text, 0);
      letter.setEnd(text, 1);
      const [seen, box] = [letter.getBoundingClientRect(), cell.getBoundingClientRect()];
      return box.left <= seen.left && seen.right <= box.right;
    }"""
    first = page.locator("td").first
    assert first.evaluate(inside)
    chosen = cells.choosing(cells.text(name), {}, label="")
    page.locator("table").evaluate(
        "(table, chosen) => table.append(...chosen.map((cell) => "
        "Object.assign(document.createElement('tr'), { innerHTML: `<td>${cell}</td>` })))",
        [chosen, cells.choosing(cells.text("Ada"), {}, label="")],
    )
    long, short = page.locator("tr:has(button)").all()  # a row is as high as any other
    assert long.bounding_box()["height"] == short.bounding_box()["height"]
    page.close()


@pytest.mark.slow
def test_a_link_chooses_at_first_and_visitors_have_their_own_places(site, page, visit):
    assert site.query == "flights.night=true"  # as it was chosen where the command was copied
    sockets = site.sockets()
    other = visit(f"&equipment.type!=DRON&{site.query}")
    notice = other.get_by_role("tabpanel", name="Equipment").get_by_role("alert").inner_text()
    assert notice.startswith("The link's filter is left out. No piece of equipment has type='DR")
    assert notice.endswith(" Leave the filter out.")  # neither Python nor the command line is there
    other.get_by_role("tab", name="Flights").click()
    assert cards(other, "Flight")[0] == "Flights\n1\nof 5"
    page.get_by_role("tab", name="Flights").click()
    assert cards(page, "Flight")[0] == "Flights\n5\nof 5"
    assert len(site.kernels()) == 2
    third = requests.get(site.link, timeout=PATIENCE)
    assert third.status_code == 503
    assert "The page serves no more people at once." in third.text
    other.evaluate("dispatchEvent(new Event('beforeunload'))")  # is asked, and stays
    assert site.wait_for_kernels(2) == 2
    other.close(run_before_unload=True)
    assert site.wait_for_kernels(1) == 1
    assert waited(site.sockets, sockets) == sockets
    hurried = page.context.new_page()
    hurried.goto(site.link, wait_until="commit")
    hurried.locator("#jupyter-config-data").wait_for(state="attached")
    assert hurried.reload(wait_until="commit").status == 503  # its own place is not free yet
    hurried.locator("#jupyter-config-data").wait_for(state="attached")
    hurried.close(run_before_unload=True)  # before anything is shown
    assert site.wait_for_kernels(1) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("page")
def test_nobody_gets_in_without_the_token_or_past_it(site, tiny):
    asked = requests.get(site.address, timeout=PATIENCE)
    assert (asked.url, "Token" in asked.text) == (f"{site.address}login?next=%2F", True)
    assert requests.get(f"{site.link}x", timeout=PATIENCE).url.startswith(f"{site.address}login")
    for path in ("", "nothing.png", "voila/files/explorers.ipynb", "api/kernels", "api/contents"):
        answer = requests.get(f"{site.address}{path}?token=no", timeout=PATIENCE)
        assert "Page(" not in answer.text
        assert answer.status_code in (200, 403, 404)
    commands = [Path(f"/proc/{pid}/cmdline").read_text() for pid in (site.process.pid,)]
    assert [line for line in commands if tiny.api_key in line] == []
    # From a port, every user of the machine could read what a kernel publishes.
    connections = Path(f"/proc/{site.process.pid}/cwd").glob("fleetkit-run-*/*/kernel-*.json")
    assert {json.loads(file.read_text())["transport"] for file in connections} == {"ipc"}


@pytest.mark.slow
def test_who_acts_on_a_page_that_is_not_answered_is_told_above_the_explorers(site, page):
    over, tab = page.locator("#fk-over"), page.get_by_role("tab", selected=True)
    page.evaluate("() => { window.asks = fetch; window.fetch = async () => { throw 0; }; }")
    tab.click()
    over.wait_for(state="visible", timeout=10_000)  # the page looks by itself, too, each 30 s
    assert over.bounding_box()["x"] == 14  # as far from the window's edge as the explorers
    page.evaluate("() => { window.fetch = asks; }")
    over.wait_for(state="hidden", timeout=10_000)


@pytest.mark.slow
def test_no_other_kernel_takes_the_place_of_one_that_died(site, page):
    config = json.loads(page.locator("#jupyter-config-data").text_content())
    asked = site.link.replace("?", f"api/kernels/{config['kernelId']}?")
    [kernel] = site.kernels()
    os.kill(int(kernel), signal.SIGKILL)  # as a system does that has no memory left

    def status():
        return requests.get(asked, timeout=PATIENCE).status_code

    assert (status(), waited(status, 404)) == (200, 404)
    page.get_by_role("tab", selected=True).click()
    page.locator("#fk-over").wait_for(state="visible")


@pytest.mark.slow
def test_an_address_without_a_page_leads_to_the_explorers(site):
    answer = requests.get(site.link.replace("?", "nothing?"), timeout=PATIENCE)
    assert answer.status_code == 404
    assert "There is no such page." in answer.text
    assert '<a href="/">The explorers</a>' in answer.text


@pytest.mark.slow
def test_other_machines_are_asked_for_the_password(tiny, tmp_path):
    password = "horse battery"
    environ = {"FLEETKIT_API_KEY": tiny.api_key, PASSWORD: password}
    site = started(tmp_path, "--base-url", tiny.base_url, "--host", EVERYWHERE, **environ)
    address = f"http://127.0.0.1:{site.address.rstrip('/').rpartition(':')[2]}/"
    assert "token" not in site.link
    login, nobody = f"{address}login", f"{address}api/kernels/{uuid4()}"
    with requests.Session() as visitor:
        form = visitor.get(login, timeout=PATIENCE).text
        sent = {"password": "guess", "_xsrf": re.search(r'name="_xsrf" value="([^"]+)"', form)[1]}
        assert visitor.post(login, data=sent, timeout=PATIENCE).status_code == 401
        assert visitor.get(nobody, timeout=PATIENCE).status_code == 403
        visitor.post(
            login, data={**sent, "password": password}, allow_redirects=False, timeout=PATIENCE
        )
        assert visitor.get(nobody, timeout=PATIENCE).status_code == 404
    site.process.terminate()
    assert "sent unencrypted" in site.process.communicate(timeout=PATIENCE)[1]
    assert site.process.returncode == 0


@pytest.mark.slow
def test_however_often_ctrl_c_is_pressed_it_ends_as_at_the_first_one(tmp_path):
    site = started(tmp_path, *shlex.split("--demo --link '?flights.night=true'"))  # as in the help
    with suppress(requests.RequestException):  # its kernel is being started yet
        requests.get(site.link, timeout=0.5)
    ends = time.monotonic() + PATIENCE
    while site.process.poll() is None and time.monotonic() < ends:
        site.process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, err = site.process.communicate(timeout=PATIENCE)
    assert (site.process.returncode, out, err) == (0, "", "")
    assert [*tmp_path.glob("fleetkit-*")] == []


def test_a_password_is_needed_for_other_machines_and_is_long(run, monkeypatch):
    command = ["explore", "--demo", "--host", EVERYWHERE]
    code, _, err = run(*command)
    assert (code, f"Set {PASSWORD}" in err) == (2, True)
    monkeypatch.setenv(PASSWORD, "1234567")
    code, _, err = run(*command)
    assert (code, "Take 8 characters or more." in err) == (2, True)
    assert Access.by_password("12345678").hashed.startswith("argon2:")


def test_each_option_of_the_data_reaches_the_page():
    origin = exploring._origin(
        **{"mirror": "m", "version": 2, "as_of": None, "demo": False, "filters": ("night=true",)},
        **{"tz": "Europe/Oslo", "engine": "duckdb", "base_url": None, "config": None},
    )
    assert (origin.mirror, origin.state, origin.is_demo) == ("m", {"version": 2}, False)
    assert (origin.filters, origin.tz) == (["night=true"], "Europe/Oslo")
    assert origin.engine == "duckdb"


def test_a_kernel_is_held_an_hour_for_an_open_page_and_two_minutes_from_when_it_is_gone():
    visitors = Visitors()
    kernel = visitors.kernel_manager_factory(parent=visitors)
    visitors._kernels["open"], visitors._kernel_connections["open"] = kernel, 1
    kernel.execution_state, kernel.reason = "idle", ""
    kernel.ready.set_exception(RuntimeError("it never began"))

    def is_held():
        with ThreadPoolExecutor(1) as thread:  # Playwright has the loop of this one
            thread.submit(asyncio.run, visitors.cull_kernel_if_idle("open")).result(PATIENCE)
        return "open" in visitors

    kernel.last_activity = datetime.now(UTC) - timedelta(minutes=59)
    assert is_held()
    visitors.notify_disconnect("open")  # a network may be away for a moment
    assert is_held()
    kernel.last_activity -= timedelta(minutes=3)
    assert not is_held()


def test_what_is_wrong_is_said_before_anything_is_served(run, tiny, monkeypatch):
    assert run("explore", "--demo", "--mirror", "m")[0] == 2
    assert run("explore", "--demo", "--filter", "nigt=true")[0] == 2
    assert run("explore", "--version", "1")[0] == 2
    assert run("explore", "--demo", "--version", "1")[0] == 2
    code, _, err = run("explore", "--demo", "--engine", "duckdb")
    assert (code, "--engine duckdb needs --mirror" in err) == (2, True)
    assert run("explore", "--mirror", "m", "--engine", "duck")[0] == 2
    assert run("explore", "--demo", "--link", "?flights.nigt=true")[0] == 2
    code, _, err = run("explore", "--mirror", "nothing")
    assert (code, "nothing" in err) == (1, True)
    options = "--base-url", tiny.base_url, "--filter", "pilot=prof_none"
    code, _, err = run("explore", *options, key=tiny.api_key)
    assert (code, "No flight has pilot='prof_none'" in err) == (1, True)
    assert "out; a report or an export allows it with --allow-empty." in err
    monkeypatch.setitem(sys.modules, "voila", None)
    code, _, err = run("explore", "--demo")
    assert (code, 'pip install "fleetkit[explore]"' in err) == (1, True)
