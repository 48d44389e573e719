"""The explorer's states: many threads, messages in any order, and one number on all that is shown.

JupyterLab's messages come in the main thread and in threads of subshells, several at once. Here
they are delivered to the explorer's own widget, in the order and the threads that a test says.
"""

import asyncio
import re
from base64 import b64decode
from collections import Counter
from contextlib import ExitStack
from contextvars import ContextVar
from datetime import date
from io import BytesIO
from threading import Barrier, Event, Thread, get_ident
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import comm
import ipywidgets
import pandas as pd
import pytest
from a_page import PATIENCE, Page, quantity, settle, words
from comm.base_comm import BaseComm
from conftest import TINY, flown_by_kestrel

import fleetkit as fk
from fleetkit.charts import COLOURS, DARK
from fleetkit.explore.flight_explorer import FlightExplorer
from fleetkit.explore.panes import PANES
from fleetkit.explore.pictures import as_pictures
from fleetkit.explore.state import State, States
from fleetkit.rounding import HOURS, number

pytestmark = pytest.mark.slow


class Wire(BaseComm):
    """A comm that keeps what goes over it, in order."""

    log: list = []  # noqa: RUF012 - renewed for each test

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        """Keep a message."""
        Wire.log.append((msg_type, data or {}, buffers))


@pytest.fixture
def wire(monkeypatch):
    """Have widgets open comms that keep what goes over them, as a kernel gives them its own."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    monkeypatch.setattr(Wire, "log", [])
    return Wire.log


@pytest.fixture(scope="module")
def fleet(tiny):
    return fk.connect(tiny.base_url, tiny.api_key, progress=False)


@pytest.fixture
def opened(wire):
    """Return a function that opens an explorer until the test ends."""
    with ExitStack() as stack:

        def open_explorer(fleet, kind=FlightExplorer):
            explorer = kind(fleet)
            stack.callback(explorer.close)
            return explorer

        yield open_explorer


@pytest.fixture
def explorer(opened, fleet):
    return opened(fleet)


def screens(wire):
    """Return every state that was sent, in order."""
    updates = [data.get("state", {}) for kind, data, _ in wire if kind == "comm_msg"]
    return [state["shown"] for state in updates if "shown" in state]


def answers(wire):
    """Return the answers to questions, each with its buffers."""
    return [
        (data["content"], buffers)
        for kind, data, buffers in wire
        if kind == "comm_msg" and data.get("method") == "custom"
    ]


def ids(explorer):
    return sorted(explorer.rows["flight_id"])


def check_screen(screen, fleet):
    """Check that every pane and control of a screen shows the flights of one filter."""
    panes, values = screen["panes"], screen["values"]
    python = words(panes["chosen"]).split("Python ")[1].split(" Copy")[0]
    chosen = eval(python, {"fk": fk, "fleet": fleet}).filter  # noqa: S307
    flights = fleet.where(chosen).flights()
    assert words(panes["figures"]).startswith(f"Flights {len(flights)} of 5 ")
    said = f"of {quantity(len(flights))}<" if len(flights) else "No flights"
    assert said in panes["table"]
    hours = number(flights["duration_seconds"].sum() / 3600, HOURS)
    drawn = f" {hours} hours in all" if len(flights) else "No flights match"
    assert drawn in panes["chart"]
    written = {None: "", True: "true", False: "false", "unknown": "unknown"}
    assert values["night"] == written[chosen.night]
    assert values["bvlos"] == written[chosen.bvlos]
    assert tuple(values["flight_type"]) == (chosen.flight_type or ())
    assert screen["announcement"] == f"{quantity(len(flights))}, {hours} hours"


def test_a_reset_that_arrives_late_undoes_nothing_that_was_chosen_after_it(explorer, wire, fleet):
    page = Page(explorer)
    page.deliver(page.change("bvlos", "true"))
    settle(explorer)
    reset, night = page.change("reset", True), page.change("night", "true")
    page.deliver(night, reset)
    settle(explorer)
    assert explorer.filter == fk.Filter(night=True)
    assert ids(explorer) == ["fl_3"]
    check_screen(screens(wire)[-1], fleet)


def test_a_reset_undoes_what_was_chosen_before_it_though_that_arrives_late(explorer):
    page = Page(explorer)
    night, reset = page.change("night", "true"), page.change("reset", True)
    page.deliver(reset, night)
    assert explorer.filter == fk.Filter()


def test_a_reset_leaves_the_order_of_the_table_that_arrives_late(explorer):
    page = Page(explorer)
    order, reset = page.change("order_by", "duration_desc"), page.change("reset", True)
    page.deliver(reset, order)
    assert explorer.order_by == "duration_desc"


def test_dates_and_periods_count_in_the_order_in_which_they_were_chosen(explorer):
    page = Page(explorer)
    period, since = page.change("period", "2026-10"), page.change("since", "2026-10-15")
    page.deliver(since, period)
    assert explorer.filter == fk.Filter(since="2026-10-15", until="2026-11-01")
    assert explorer.controls.period.label == "Own dates"


def test_a_change_whose_message_was_lost_comes_with_the_next_one(explorer):
    page = Page(explorer)
    page.change("night", "false")
    page.deliver(page.change("bvlos", "false"))
    assert explorer.filter == fk.Filter(night=False, bvlos=False)


def test_a_message_that_comes_twice_counts_once(explorer):
    page = Page(explorer)
    message = page.change("night", "true")
    page.deliver(message)
    explorer.controls.night.value = False
    page.deliver(message)
    assert explorer.filter == fk.Filter(night=False)
    assert explorer._states.current.number == 3


def test_two_pages_open_on_one_explorer_each_change_what_they_say(explorer):
    left, right = Page(explorer, "left"), Page(explorer, "right")
    left.deliver(left.change("night", "false"))
    right.deliver(right.change("pilot", "prof_bo"))
    settle(explorer)
    assert explorer.filter == fk.Filter(night=False, pilot="prof_bo")
    assert explorer.screen.shown["actions"] == {"left": 1, "right": 1}


def test_an_export_holds_the_rows_of_the_state_that_was_shown_when_it_was_asked(explorer, wire):
    page = Page(explorer)
    explorer.controls.night.value = True
    page.shown = explorer.screen.number
    question = page.export()
    explorer.controls.reset.click()
    page.deliver(question)
    settle(explorer)
    ((answer, [content]),) = answers(wire)
    assert (answer["client"], answer["number"]) == ("page", 2)
    assert pd.read_csv(BytesIO(content))["flight_id"].tolist() == ["fl_3"]
    assert len(explorer.rows) == 5


def test_an_export_of_a_state_long_gone_is_asked_again(explorer, wire):
    page = Page(explorer)
    question = page.export()
    for turn in range(64):
        explorer._states.advance(lambda state, page=turn + 1: state.turn(page))
    page.deliver(question)
    settle(explorer)
    assert answers(wire) == [({"client": "page", "retry": "csv"}, None)]


def test_a_file_of_the_report_is_sent_to_who_asks_until_it_is_gone(explorer, wire, tmp_path):
    path = tmp_path / "2026-10" / "report.html"
    path.parent.mkdir()
    path.write_bytes(b"October")
    explorer._reports.paths = {"html": path}
    page = Page(explorer)
    for _ in range(2):
        page.deliver({"client": "page", "file": "html"})
        settle(explorer)
        path.unlink(missing_ok=True)
    gone = "The report's file can't be read any more: make the report again."
    assert answers(wire) == [
        ({"client": "page", "name": "report-2026-10.html"}, [b"October"]),
        ({"client": "page", "problem": gone}, None),
    ]


def test_a_page_of_other_rows_is_not_turned(opened, a_hundred_flights):
    explorer = opened(a_hundred_flights)
    page = Page(explorer)
    explorer.controls.night.value = False  # the page doesn't show it yet
    page.deliver(page.change("page", "2"))
    settle(explorer)
    assert explorer.page == 0
    page.shown = explorer.screen.number
    page.deliver(page.change("page", "2"))
    settle(explorer)
    assert explorer.page == 2
    assert "41–60 of 100 flights" in words(explorer.screen.table)


@pytest.fixture
def a_hundred_flights(serve_records):
    """Return a fleet with 100 flights, none of them at night."""
    flights = [{**TINY["flights"][0], "id": f"fl_{number:03d}"} for number in range(100)]
    served = serve_records(flown_by_kestrel(flights))
    return fk.connect(served.base_url, served.api_key, progress=False)


class Counting(FlightExplorer):
    """An explorer that keeps the numbers of the states that it rendered."""

    def render(self, state):
        """Keep the number."""
        self.rendered = [*getattr(self, "rendered", []), state.number]
        return super().render(state)


def test_five_fast_changes_make_two_pictures_and_the_last_one_is_shown(opened, wire, fleet):
    explorer = opened(fleet, Counting)
    page, first_is_shown, go_on = Page(explorer), Event(), Event()

    def hold(change):
        first_is_shown.set()
        assert go_on.wait(PATIENCE)

    explorer.screen.observe(hold, "shown")
    page.deliver(page.change("night", "true"))
    assert first_is_shown.wait(PATIENCE)
    for value in ("false", "true", "false", "true"):
        page.deliver(page.change("night", value))
    go_on.set()
    settle(explorer)
    assert explorer.rendered == [1, 2, 6]
    assert [screen["number"] for screen in screens(wire)] == [2, 6]
    assert screens(wire)[-1]["actions"] == {"page": 5}
    assert "Flights 1 of 5" in words(explorer.screen.figures)


def test_whatever_threads_changes_come_in_each_screen_is_of_one_state(explorer, wire, fleet):
    start = Barrier(5)

    def hurry(turn):
        page = Page(explorer, f"page {turn}")
        start.wait(PATIENCE)
        for count in range(12):
            page.deliver(
                page.change("night", ("true", "false", "")[(count + turn) % 3]),
                page.change("flight_type", [["TRAINING"], [], ["COMMERCIAL"]][count % 3]),
                page.change("reset", True) if count % 5 == turn else page.change("bvlos", "false"),
                page.export(),
            )

    threads = [Thread(target=hurry, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    start.wait(PATIENCE)
    for order_by in fk.schema.FLIGHT_ORDERS[::-1] * 3:  # a cell, meanwhile
        explorer.order_by = order_by
        assert explorer.screen.number >= 2
    for thread in threads:
        thread.join(PATIENCE)
    settle(explorer)
    shown = screens(wire)
    for screen in shown:
        check_screen(screen, fleet)
    numbers = [screen["number"] for screen in shown]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == explorer._states.current.number
    assert shown[-1]["actions"] == {f"page {turn}": 36 for turn in range(4)}
    assert len(answers(wire)) == 48


def test_one_message_carries_all_of_a_change(explorer, wire):
    before = len(wire)
    explorer.controls.night.value = True
    explorer.page = 3
    night, page = (data["state"] for _, data, _ in wire[before:])
    # What there is to choose is sent once; the counts beside it with each state.
    assert set(night) == set(page) == {"shown"}
    keys = "number actions values counts back forward panes announcement"
    assert set(night["shown"]) == set(keys.split())
    assert page["shown"]["values"] == night["shown"]["values"]


def test_a_change_is_shown_though_the_loop_it_came_in_ends(explorer):
    page = Page(explorer)

    async def receive():
        page.deliver(page.change("night", "true"))

    subshell = Thread(target=lambda: asyncio.run(receive()))
    subshell.start()
    subshell.join(PATIENCE)
    settle(explorer)
    assert "TRAINING 0.3 h" in words(explorer.screen.chart)
    assert explorer.screen.number == 2


def test_what_is_sent_belongs_to_the_message_that_asked_for_it(explorer):
    parent, seen = ContextVar("parent", default="a cell"), []
    explorer.screen.observe(lambda _: seen.append((parent.get(), get_ident())), "shown")

    def receive():
        parent.set("a message of the browser")
        page = Page(explorer)
        page.deliver(page.change("night", "true"))

    subshell = Thread(target=receive)
    subshell.start()
    subshell.join(PATIENCE)
    settle(explorer)
    [(sender, thread)] = seen
    assert sender == "a message of the browser"
    assert thread not in {get_ident(), subshell.ident}


def test_an_observer_may_change_the_explorer_in_turn(explorer):
    def narrow(change):
        if change.new["values"]["night"] == "false" and not change.new["values"]["pilot"]:
            explorer.controls.pilot.value = "prof_bo"

    explorer.screen.observe(narrow, "shown")
    page = Page(explorer)
    page.deliver(page.change("night", "false"))
    settle(explorer)
    assert ids(explorer) == ["fl_5"]
    assert "Flights 1 of 5" in words(explorer.screen.figures)


class Fragile(FlightExplorer):
    """An explorer with a fault of its own, at night."""

    def render(self, state):
        """Fail at night."""
        if state.choices["night"] is True:
            raise ZeroDivisionError("night has no hours")
        return super().render(state)

    def export(self, state, form):
        """Fail."""
        raise OSError("no room left")


@pytest.fixture
def fragile(opened, fleet):
    return opened(fleet, Fragile)


def test_a_fault_while_rendering_is_shown_and_raised_to_the_cell_that_caused_it(fragile):
    with pytest.raises(ZeroDivisionError):
        fragile.controls.night.value = True
    said = "This could not be shown: ZeroDivisionError: night has no hours"
    assert said in words(fragile.screen.figures)
    assert [words(getattr(fragile.screen, name)) for name in PANES if name != "figures"] == [""] * 4
    fragile.controls.reset.click()
    assert "Flights 5 of 5" in words(fragile.screen.figures)


def test_a_fault_after_a_click_is_shown_and_logged_and_a_reset_goes_on(fragile, caplog):
    page = Page(fragile)
    page.deliver(page.change("night", "true"))
    settle(fragile)
    assert "night has no hours" in words(fragile.screen.figures)
    assert fragile.screen.shown["actions"] == {"page": 1}
    assert "ZeroDivisionError" in caplog.text
    page.deliver(page.change("reset", True))
    settle(fragile)
    assert "Flights 5 of 5" in words(fragile.screen.figures)


def test_an_export_that_fails_is_told_to_the_page_that_asked(fragile, wire, caplog):
    page = Page(fragile)
    page.deliver(page.export())
    settle(fragile)
    assert answers(wire) == [
        ({"client": "page", "problem": "The export failed: no room left"}, None)
    ]
    assert "OSError" in caplog.text


def test_a_value_that_cannot_be_chosen_is_refused_to_code(explorer):
    near = r"'prof_bu' is not an option of 'Pilot'. Did you mean prof_bo\?"
    with pytest.raises(fk.InvalidValue, match=near):
        explorer.controls.pilot.value = "prof_bu"
    with pytest.raises(fk.InvalidValue, match="'31 October' is not a date"):
        explorer.controls.since.value = "31 October"
    with pytest.raises(fk.InvalidValue, match="0026-10-31 does not lie between 1000-01-02 and"):
        explorer.controls.since.value = date(26, 10, 31)
    for nothing in (pd.NaT, pd.NA, pd.Series(["2026-10-31"])):
        with pytest.raises(fk.InvalidValue, match="is not a date"):
            explorer.controls.since.value = nothing
    with pytest.raises(fk.InvalidValue, match="is not an option of 'Chart of'"):
        explorer.controls.measure.value = pd.Series(["hours", "flights"])
    with pytest.raises(fk.InvalidValue, match="'GLIDING' is not an option"):
        explorer.controls.flight_type.value = ["GLIDING"]
    assert (explorer.filter, explorer.screen.number) == (fk.Filter(), 1)


def test_two_explorers_that_follow_each_other_come_to_an_end(fleet):
    explorers = [fk.explore.flights(fleet), fk.explore.flights(fleet)]
    for one, other in (explorers, explorers[::-1]):

        def follow(_, one=one, other=other):
            assert one.screen.number < 10
            other.controls.night.value = one.controls.night.value
            other.order_by, other.page, other.columns = one.order_by, one.page, one.columns

        one.screen.observe(follow, "shown")
    explorers[0].controls.night.value = True
    explorers[1].order_by = "pilot_asc"
    explorers[0].columns = ["date", "pilot"]
    states = [explorer._states.current for explorer in explorers]
    assert [state.number for state in states] == [4, 4]  # the first, and one for each change
    assert [(state.choices["night"], state.order_by) for state in states] == [
        (True, "pilot_asc")
    ] * 2
    assert explorers[0].columns == explorers[1].columns == ("date", "pilot")


def test_two_explorers_that_follow_each_other_are_set_by_two_threads_at_once(fleet):
    explorers = [fk.explore.flights(fleet), fk.explore.flights(fleet)]
    start = Barrier(2)

    def choose(explorer):
        start.wait(PATIENCE)
        for count in range(8):
            explorer.controls.bvlos.value = (False, "unknown")[count % 2]

    for one, other in (explorers, explorers[::-1]):

        def follow(_, one=one, other=other):
            other.controls.bvlos.value = one.controls.bvlos.value

        one.screen.observe(follow, "shown")
    threads = [Thread(target=choose, args=(one,), daemon=True) for one in explorers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [thread.is_alive() for thread in threads] == [False, False]
    assert explorers[0].filter == explorers[1].filter


def test_a_value_that_cannot_be_chosen_is_said_to_the_reader_and_the_rest_counts(explorer):
    page = Page(explorer)
    page.change("since", "275760-01-01")
    page.deliver(page.change("night", "true"))
    settle(explorer)
    assert explorer.filter == fk.Filter(night=True)
    assert "'275760-01-01' is not a date" in words(explorer.screen.chips)
    assert explorer.screen.shown["actions"] == {"page": 2}
    page.deliver(page.change("night", "false"))
    settle(explorer)
    assert "is not a date" not in words(explorer.screen.chips)


def test_a_change_that_nobody_knows_is_said_and_logged_and_the_rest_counts(explorer, caplog):
    page = Page(explorer)
    page.change("altitude", "120")
    page.deliver(page.change("night", "true"))
    settle(explorer)
    assert explorer.filter == fk.Filter(night=True)
    assert "'altitude' could not be changed" in words(explorer.screen.chips)
    assert "KeyError" in caplog.text


def test_a_text_that_is_empty_is_no_option(opened, serve_records):
    equipment = [{**piece, "type": ""} for piece in TINY["equipment"]]
    served = serve_records(TINY | {"equipment": equipment})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    assert opened(fleet).controls.type.options == [("Any", "")]


def test_what_the_fleet_is_narrowed_to_cannot_be_chosen_otherwise(opened, fleet):
    explorer = opened(fleet.where(night=False))
    with pytest.raises(fk.InvalidValue, match="'Night flight' can't be changed here"):
        explorer.controls.night.value = True
    explorer.controls.night.value = False  # what it is
    explorer.controls.reset.click()
    assert explorer.filter == fk.Filter(night=False)


def test_two_explorers_of_one_fleet_do_not_touch_each_other(opened, fleet):
    one, other = opened(fleet), opened(fleet)
    one.controls.night.value, other.controls.bvlos.value = True, False
    assert (ids(one), ids(other)) == (["fl_3"], ["fl_1", "fl_2", "fl_3", "fl_5"])
    one.close()
    other.controls.bvlos.value = True
    assert "Flights 0 of 5" in words(other.screen.figures)


def test_an_explorer_stays_as_it_was_and_says_so_once_its_fleet_is_read_anew(opened, tiny):
    def said_by(explorer):
        return "no longer holds" in words(explorer.screen.chips)

    with fk.connect(tiny.base_url, tiny.api_key, tz="Asia/Tokyo", progress=False) as own:
        explorer = opened(own.where(bvlos=False))
        read = own.read_at.astimezone(ZoneInfo("Asia/Tokyo"))
        explorer.controls.night.value = False
        reporting = opened(own)
        own.refresh()
        assert not said_by(explorer)
        explorer.controls.night.value = True
        # Each step of a report is told so, which reads the service anew.
        reporting._tell("Making the report: reading the data …")
        settle(reporting)
        assert said_by(reporting)
    said = f"These are the data of {read:%Y-%m-%d %H:%M}, which the fleet no longer holds: "
    assert f"{said}open the explorer again for newer ones." in words(explorer.screen.chips)
    assert ids(explorer) == ["fl_3"]


def widgets_alive():
    return set(ipywidgets.Widget.get_manager_state()["state"])


def test_closing_an_explorer_closes_its_comms_and_ends_its_thread(opened, wire, fleet):
    before = widgets_alive()
    explorer = opened(fleet)
    page = Page(explorer)
    page.deliver(page.change("night", "true"))
    settle(explorer)
    assert widgets_alive() > before
    [thread] = explorer._executor._threads
    explorer.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert widgets_alive() == before
    kinds = Counter(kind for kind, *_ in wire)
    assert kinds["comm_close"] == kinds["comm_open"] == 4


def test_a_closed_explorer_still_gives_its_rows_and_sends_nothing(opened, wire, fleet):
    explorer = opened(fleet)
    page = Page(explorer)
    explorer.close()
    sent = len(wire)
    explorer.controls.night.value = True
    page.deliver(page.change("bvlos", "false"), page.export())
    assert ids(explorer) == ["fl_3"]
    assert len(wire) == sent


def test_an_explorer_that_cannot_read_its_fleet_leaves_no_widget_behind(wire, tiny):
    key = tiny.store.create_key(tiny.organisation, name="few", scopes=["project:read"])
    fleet = fk.connect(tiny.base_url, key, progress=False)
    before = widgets_alive()
    with pytest.raises(fk.Forbidden):
        fk.explore.flights(fleet)
    assert widgets_alive() == before
    assert wire == []


def test_readers_without_a_kernel_see_the_state_that_the_widget_shows(explorer):
    explorer.controls.night.value = True
    page = Page(explorer)
    page.deliver(page.change("pilot", "prof_bo"))
    html = explorer._repr_mimebundle_()["text/html"]
    settle(explorer)
    for name in PANES:
        assert as_pictures(getattr(explorer.screen, name)) in html
    assert set(re.findall(r'data-r="(\d+)"', html)) == {"3"}


def test_readers_that_take_styles_scripts_and_drawings_away_still_see_what_is_shown(explorer):
    import bleach

    # As viewers of notebooks on the web do, GitHub's among them: few tags are left, bare ones.
    explorer.controls.pilot.value = "prof_bo"
    html = re.sub(r"<style>.*?</style>", "", explorer._repr_mimebundle_()["text/html"], flags=re.S)
    tags = {"p", "img", "ul", "li", "table", "tbody", "tr", "td"}
    left = bleach.clean(html, tags, {"img": ["src", "alt"]}, ["data"], strip=True)
    for part in ("Pilot Bo Ødegård ✕ Flights 2 of 5", "Hours by month", "fleet.where("):
        assert part in words(left)
    assert left.split("<tbody>")[-1].count("<tr>") == 2
    # The chart is a picture that holds its own colours, light and dark, as no style of the page
    # reaches it.
    [(alt, held)] = re.findall(
        r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)">', left
    )
    picture = ElementTree.fromstring(b64decode(held))  # noqa: S314 - our own
    assert alt.startswith("Hours by month, stacked by flight type: September 2026 to October 2026")
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"hours", "TRAINING"} <= {*texts}
    names = {*re.findall(r"var\(--fk-([a-z]+)\)", b64decode(held).decode())}
    assert {"paper", "ink"} <= names
    for place, colours in enumerate((COLOURS, DARK)):
        held_colours = re.findall(r"svg \{(.*?)\}", picture[0].text)[place]
        assert all(f"--fk-{name}: {colours[name]};" in held_colours for name in names)


class Slow(FlightExplorer):
    """An explorer that takes its time at night: until it is let go on."""

    starts, may_go_on = Event(), Event()

    def render(self, state):
        """Wait at night."""
        if state.choices["night"] is True and not self.starts.is_set():
            self.starts.set()
            assert self.may_go_on.wait(PATIENCE)
        return super().render(state)


def test_an_older_screen_never_follows_a_newer_one(opened, wire, fleet):
    explorer = opened(fleet, Slow)
    page = Page(explorer)
    page.deliver(page.change("night", "true"))
    assert explorer.starts.wait(PATIENCE)
    cell = Thread(target=setattr, args=(explorer.controls.night, "value", False))
    cell.start()
    cell.join(0.2)  # it would end by now if it didn't wait
    explorer.may_go_on.set()
    cell.join(PATIENCE)
    settle(explorer)
    assert [screen["number"] for screen in screens(wire)] == [2, 3]
    assert explorer.screen.shown["values"]["night"] == "false"


def test_a_change_waits_for_the_one_before_it():
    states = States(State({"count": 0}, "date_desc"))

    def count(state):
        return state.choose({"count": state.choices["count"] + 1})

    other = Thread(target=states.advance, args=(count,))

    def count_while_another_tries(state):
        other.start()
        other.join(0.2)  # it would end by now if it didn't wait
        return count(state)

    states.advance(count_while_another_tries)
    other.join(PATIENCE)
    assert (states.current.number, states.current.choices["count"]) == (3, 2)


def test_states_are_numbered_without_gaps_however_many_threads_make_them():
    states, start = States(State({"count": 0}, "date_desc")), Barrier(8)

    def count():
        start.wait(PATIENCE)
        for _ in range(500):
            states.advance(lambda state: state.choose({"count": state.choices["count"] + 1}))

    threads = [Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert (states.current.number, states.current.choices["count"]) == (4001, 4000)
    assert states.get(4001 - 63).choices["count"] == 4000 - 63
    assert states.get(4001 - 64) is None


def test_a_state_cannot_be_changed():
    choices = {"night": True}
    state = State(choices, "date_desc")
    choices["night"] = False
    assert state.choices["night"] is True
    with pytest.raises(TypeError):
        state.choices["night"] = False
    with pytest.raises(AttributeError):
        state.page = 3
