"""What Python sends, as `screen.js` and `screen.css` show it: a browser's page without a kernel."""

import json
from importlib.resources import files

import pytest
from conftest import a_flight, a_project, an_equipment

import fleetkit as fk
from fleetkit.explore.screen import STYLE, Screen

pytestmark = pytest.mark.slow

# Runs the widget's own code; what it would send is kept, and answered as a test says.
OPEN = """async ([source, traits]) => {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const widget = (await import(address)).default();
  const follow = window.follow = {};
  const on = (name, act) => { follow[name] = act; };
  window.sent = [];
  const send = (message, { shell }) => {
    window.message = message;
    if (message.changes) {
      window.sent.push(message.changes.at(-1).value);
      window.pending = message.changes.map(({ name }) => name);
    }
    window.answer = (content) => shell.reply({ content });
  };
  const model = { get: (name) => traits[name], on, send };
  widget.initialize({ model });
  widget.render({ model, el: document.querySelector(".fk-explorer > div") });
  window.receive = (newer) => { Object.assign(traits, newer); follow["change:shown"](); };
}"""
CLIPBOARD = """(of) => {
  const value = new Function(`return { ${of} }`)();
  Object.defineProperty(navigator, "clipboard", { value, configurable: true });
}"""
# Whether an element, or what it stands in, becomes pale.
PALE = """async (element) => {
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
  let opacity = 1;
  for (let part = element; part; part = part.parentElement) {
    opacity *= getComputedStyle(part).opacity;
  }
  return opacity < 1;
}"""
TABS = ("true", "false", "false")
NAMES = ("controls", "shown", "label", "record", "outcome")


@pytest.fixture
def explored(serve_records):
    """Return a function (kind, **records) -> explorer."""

    def explored(kind, **records):
        served = serve_records(records)
        with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
            return getattr(fk.explore, kind)(fleet)

    return explored


@pytest.fixture
def draw(browser):
    """Return a function (explorer, width) -> page that shows it."""
    contexts = []

    def draw(explorer, width):
        contexts.append(browser.new_context(viewport={"width": width, "height": 2000}))
        page = contexts[-1].new_page()
        page.set_content(
            f"<!doctype html><style>body {{ margin: 8px }} {STYLE}</style>"
            '<body class="fk-page"><div class="fk-explorer"><div></div></div>'
        )
        page.evaluate(OPEN, [Screen._esm, traits(explorer)])
        return page

    yield draw
    for context in contexts:
        context.close()


def traits(explorer):
    return json.loads(json.dumps({name: getattr(explorer.screen, name) for name in NAMES}))


def test_the_count_of_an_option_stands_behind_a_name_from_right_to_left(explored, draw):
    flights = [
        a_flight(f"fl_{number}", "2026-10-01T09:00:00.000Z", operationType=name)
        for number, name in enumerate(["צילום 12", "صور", "SURVEY"])
    ]
    pairs = [(flight["id"], "eq_1") for flight in flights]
    one = [an_equipment("eq_1")]
    explorer = explored("flights", flights=flights, equipment=one, flight_equipment=pairs)
    page = draw(explorer, 1300)
    options = page.get_by_label("Operation").locator("option")
    # A mark from left to right ends the name: without it "צילום 12 · 1" reads "1 · 12 םוליצ".
    assert sorted(options.all_inner_texts()) == sorted(
        ["Any · 3", "SURVEY · 1", "צילום 12\u200e · 1", "صور\u200e · 1"]
    )


def test_a_hundred_flight_types_scroll_downwards_however_long_their_names(explored, draw):
    types = [f"TYPE_{number:03d}" for number in range(99)] + ["W" * 200]
    flights = [a_flight(name, "2026-10-01T09:00:00.000Z", flightType=name) for name in types]
    pairs, one = [(name, "eq_1") for name in types], [an_equipment("eq_1")]
    with pytest.warns(fk.Notice, match="flight_type holds 100 values"):
        explorer = explored("flights", flights=flights, equipment=one, flight_equipment=pairs)
    explorer.controls.flight_type.value = types
    page = draw(explorer, 1300)
    for part, most in ((".fk-types", 192), (".fk-chips", 192), (".fk-legend", 284)):
        assert page.locator(part).bounding_box()["height"] <= most
        assert page.locator(part).evaluate("(part) => part.scrollWidth <= part.clientWidth")
    assert page.locator(".fk-legend li").count() == 100
    assert page.locator(".fk-legend").get_attribute("tabindex") == "0"


def test_the_name_of_a_stage_and_its_value_are_whole_in_a_column_of_118_pixels(explored, draw):
    status = "WEIRD_STATUS_OF_TOMORROW"
    project = a_project("a", status=status, agreedPrice=246913579024)
    page = draw(explored("projects", projects=[project]), 360)
    page.locator(".fk-stages").evaluate("(stages) => { stages.style.width = '118px'; }")
    head = page.locator(".fk-stage button", has_text=status)
    assert head.evaluate("(head) => head.scrollWidth - head.clientWidth") == 0
    lines = """(button) => {
      const text = button.firstChild;
      const lines = new Map();
      [...text.data].forEach((letter, place) => {
        const range = document.createRange();
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        const { top } = range.getBoundingClientRect();
        lines.set(top, (lines.get(top) ?? "") + letter);
      });
      return [...lines.values()].map((line) => line.trim());
    }"""
    value = page.locator(".fk-stage button", has_text="EUR")
    assert value.evaluate(lines) == ["EUR", "246,913,579,024"]


def test_on_a_phone_what_is_compared_with_has_the_whole_width_and_a_label_is_near_its_text(
    explored, draw
):
    page = draw(explored("flights"), 360)
    compare = page.get_by_label("Compare with")
    grouping = page.get_by_label("By", exact=True)
    assert compare.bounding_box()["width"] > 2 * grouping.bounding_box()["width"]
    words, python = page.locator(".fk-chosen li").all()[:2]
    before, label, text = (
        place.bounding_box()
        for place in (words.locator("code"), python.locator("span"), python.locator("code"))
    )
    assert end(before) < label["y"]
    assert text["y"] - end(label) < label["y"] - end(before)


def end(box):
    return box["y"] + box["height"]


def test_an_arrow_goes_from_a_bar_to_the_one_beside_it_however_high_that_is(explored, draw):
    hours = {("2026-05", "COMMERCIAL"): 10, ("2026-06", "COMMERCIAL"): 2}
    hours |= {("2026-07", "COMMERCIAL"): 4, ("2026-07", "TRAINING"): 2}
    flights = [
        a_flight(f"{month}-{kind}", f"{month}-01T09:00:00.000Z", flightType=kind, durationSeconds=h)
        for (month, kind), h in ((key, 3600 * hour) for key, hour in hours.items())
    ]
    pairs, one = [(flight["id"], "eq_1") for flight in flights], [an_equipment("eq_1")]
    page = draw(explored("flights", flights=flights, equipment=one, flight_equipment=pairs), 1300)
    page.locator("[data-key=bar-2026-05-COMMERCIAL]").focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(page.evaluate("document.activeElement.dataset.key").removeprefix("bar-2026-"))
    july = ["07-COMMERCIAL", "07-TRAINING", "07-COMMERCIAL"]
    assert seen == ["06-COMMERCIAL", *july, "06-COMMERCIAL"]


def test_labels_are_whole_where_there_is_room_for_one_column_of_controls(explored, draw):
    labels = draw(explored("flights"), 280).locator(".fk-controls label:not(.fk-hidden)")
    cut = "(labels) => labels.filter((it) => it.scrollHeight > it.clientHeight + 1).length"
    assert labels.count() > 10
    assert labels.evaluate_all(cut) == 0


def test_the_name_of_a_bar_is_whole_on_a_phone_however_long_it_is(explored, draw):
    kind = "BATTERY_CHARGER_STATION_OF_A_LONG_TYPE"
    page = draw(explored("equipment", equipment=[an_equipment("eq_1", type=kind)]), 360)
    bar = page.locator(".fk-bars button", has_text=kind)
    assert bar.evaluate("(bar) => bar.scrollWidth - bar.clientWidth") == 0


def test_that_no_flights_match_is_whole_in_the_table_on_a_narrow_phone(explored, draw):
    page = draw(explored("flights", equipment=[an_equipment("eq_1")]), 320)
    start, end, width = page.locator("td.fk-nothing").evaluate(
        """(cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          const text = range.getBoundingClientRect();
          const { left, width } = cell.closest(".fk-scroll").getBoundingClientRect();
          return [text.left - left, text.right - left, width];
        }"""
    )
    assert 0 <= start < end <= width


@pytest.mark.parametrize("name", ["Ada" * 60, "שירותי רחפנים " * 12])
def test_what_is_chosen_begins_in_its_button_and_ends_with_a_cross_however_long(
    explored, draw, name
):
    explorer = explored("projects", projects=[a_project("proj_1", clientAccountName=name)])
    explorer.controls.client.value = name
    explorer.controls.compare.value = fk.Filter(client=name)
    page = draw(explorer, 390)
    chip = page.locator(".fk-chip").first
    box = chip.bounding_box()
    inside = """(part) => {
      const [letter, text] = [document.createRange(), part.firstChild];
      letter.setStart(text, 0);
      letter.setEnd(text, 1);
      const [seen, box] = [letter, part.parentElement].map((each) => each.getBoundingClientRect());
      return box.left <= seen.left && seen.right <= box.right && seen.bottom <= box.bottom;
    }"""
    assert [part.evaluate(inside) for part in chip.locator("span, bdi").all()] == [True] * 3
    assert (box["x"] + box["width"] <= 390 - 8, box["height"]) == (True, 28)
    assert page.evaluate("document.documentElement.scrollWidth") == 390  # nor does it scroll aside


def test_key_figures_are_of_one_width_and_leave_a_page_its_own_however_long_a_currency(
    explored, draw
):
    project = a_project("proj_1", currency="CREDIT" * 30)
    page = draw(explored("projects", projects=[project]), 390)
    widths = page.locator(".fk-figures li").evaluate_all(
        "(cards) => cards.map((card) => Math.round(card.getBoundingClientRect().width))"
    )
    assert (len(widths), len({*widths})) == (6, 1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_page_whose_choices_no_longer_reach_the_server_says_so_until_a_state_comes(
    explored, draw
):
    explorer = explored("projects", projects=[a_project("proj_1")])
    page = draw(explorer, 1000)
    page.get_by_label("Currency").select_option(index=1)
    page.evaluate("answer({ status: 'ok' })")
    shown = page.get_by_role("alert")
    told = {"answer({ status: 'error' })": "title", "follow.comm_live_update()": "status"}
    for what, column in told.items():
        assert shown.count() == 0
        page.evaluate(what)  # ipykernel looks for a thread that has ended; it is started anew
        assert shown.inner_text().endswith("no longer reaches the server: open the page again.")
        assert page.locator(".fk-pane").first.evaluate(PALE)
        assert not shown.evaluate(PALE)
        explorer.columns = [column]
        page.evaluate("(newer) => window.receive(newer)", traits(explorer))
    newer = traits(explorer)
    newer["shown"]["actions"] = {page.evaluate("message.client"): 1}  # what was chosen is shown
    page.evaluate("(newer) => window.receive(newer)", newer)
    page.get_by_role("button", name="Download CSV").click()
    asked = page.evaluate("message")
    reply = "(answer) => follow['msg:custom']({ client: message.client, ...answer })"
    page.evaluate(reply, {"problem": "The export failed: the disk is full"})
    assert shown.inner_text() == "The export failed: the disk is full"
    page.evaluate("message.export = null")
    page.evaluate(reply, {"retry": "csv"})  # its state is long gone
    assert (page.evaluate("message"), shown.count()) == (asked, 0)


def test_the_button_of_what_was_copied_last_says_so_and_the_status_tells_which_it_was(
    explored, draw
):
    explorer = explored("projects", projects=[a_project("proj_1")])
    explorer.controls.client.value = "Lyngfjord Nett"
    page = draw(explorer, 1000)
    status = page.locator(".fk-status")
    page.evaluate(CLIPBOARD, "writeText: async (text) => { window.copied = text; }")
    for name in ("In words", "Python", "Link"):
        page.get_by_role("button", name=f"Copy: {name}").click()
        assert status.text_content() == f"Copied: {name}"
        assert page.get_by_text("Copied", exact=True).count() == 1
    of_page = page.evaluate("location.origin + location.pathname")
    assert page.evaluate("copied") == f"{of_page}?projects.client=Lyngfjord%20Nett"
    page.evaluate(CLIPBOARD, "writeText: () => Promise.reject()")
    page.get_by_role("button", name="Copy: Python").click()
    assert status.text_content().startswith("Python could not be copied. It is selected")
    assert page.get_by_text("Copied", exact=True).count() == 0


def test_a_reset_is_sent_with_what_was_done_before_it_and_is_not_shown_yet(explored, draw):
    projects = [a_project(f"proj_{number}") for number in range(13)]
    page = draw(explored("projects", projects=projects), 1000)
    search = page.get_by_label("Search: Project", exact=True)
    search.fill("proj_12")
    page.locator("th button").first.click()
    page.get_by_text("‹ Back").dispatch_event("click")  # there is nothing to go back to
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate("pending") == ["order_by", "reset"]
    assert search.input_value() == ""
    assert page.get_by_label("Project", exact=True).locator("option").count() == 14


def test_what_is_typed_and_is_no_date_is_said_when_its_control_is_left(explored, draw):
    explorer = explored("projects", projects=[a_project("proj_1")])
    page = draw(explorer, 1000)
    since, shown = page.get_by_label("Created since", exact=True), page.get_by_role("alert")
    typed = "Created since: what was typed is not a date from 1000-01-02 to 8999-12-30."
    since.press_sequentially("02302026")
    assert (since.input_value(), shown.count()) == ("", 0)
    since.blur()
    assert shown.inner_text() == f"{typed} None is chosen."
    explorer.controls.since.value = "2026-10-01"
    page.evaluate("(newer) => window.receive(newer)", traits(explorer))
    assert shown.count() == 0
    since.evaluate("date => { date.focus(); date.value = '0202-10-01'; date.blur(); }")
    assert shown.inner_text() == f"{typed} It is 2026-10-01 now."
    assert since.input_value() == "2026-10-01"


def test_a_table_that_was_scrolled_aside_stays_there_when_it_is_turned_to_the_next_page(
    explored, draw
):
    explorer = explored("equipment", equipment=[an_equipment(f"eq_{n:02}") for n in range(21)])
    page = draw(explorer, 768)
    table = page.get_by_role("region", name="Pieces of equipment")
    table.evaluate("(table) => { table.scrollLeft = 100; }")
    page.locator(".fk-columns summary").click()
    explorer.page = 1
    page.evaluate("(newer) => window.receive(newer)", traits(explorer))
    assert page.locator(".fk-where").inner_text() == "21–21 of 21 pieces of equipment"
    assert table.evaluate("(table) => table.scrollLeft") == 100
    assert page.locator(".fk-columns").get_attribute("open") is not None


def test_a_control_says_that_its_value_is_left_out_and_leaves_out_the_next_one(explored, draw):
    flights = [
        a_flight(f"fl_{number}", "2026-10-01T09:00:00.000Z", operationType=name, flightType=name)
        for number, name in enumerate(["INSPECTION", "MAPPING", "SURVEY"])
    ]
    pairs = [(flight["id"], "eq_1") for flight in flights]
    one = [an_equipment("eq_1")]
    explorer = explored("flights", flights=flights, equipment=one, flight_equipment=pairs)
    explorer.controls.operation_type.value = fk.excluding(["MAPPING", "SURVEY"])
    explorer.controls.flight_type.value = fk.excluding("SURVEY")
    page = draw(explorer, 1300)
    operation, sent = page.get_by_label("Operation, left out"), lambda: page.evaluate("sent.at(-1)")
    assert operation.evaluate("list => list.selectedOptions[0].text") == "MAPPING, SURVEY"
    operation.select_option("SURVEY")
    assert sent() == {"not": ["SURVEY"]}
    assert operation.locator("option").count() == 4
    operation.select_option("")
    assert sent() == {"not": [""]}
    boxes = page.get_by_role("group", name="ticked ones are left out").get_by_role("checkbox")
    assert [box.is_checked() for box in boxes.all()] == [False, False, True]
    boxes.first.check()
    assert sent() == {"not": ["INSPECTION", "SURVEY"]}
    choosing = page.get_by_role("button", name="Flight type: not SURVEY", exact=True)
    assert choosing.get_attribute("aria-pressed") == "true"
    choosing.click()
    assert sent() == {"flight_type": ["SURVEY"]}
    assert page.get_by_role("group", name="none ticked means all").count() == 1


def test_what_is_pressed_and_the_open_tab_differ_from_others_in_a_reader_s_own_colours(
    explored, draw
):
    explorer = explored("equipment", equipment=[an_equipment("eq_1"), an_equipment("eq_2")])
    explorer.controls.equipment.value = fk.excluding("eq_1")
    page = draw(explorer, 1300)
    page.emulate_media(forced_colors="active")
    page.locator("summary").click()
    grounds = page.locator(".fk-columns button").evaluate_all(
        "all => all.map(one => [one.ariaPressed, getComputedStyle(one).backgroundColor])"
    )
    assert len({pressed for pressed, _ in grounds}) == len({*map(tuple, grounds)}) == 2
    left_out = page.locator(".fk-chip + button")
    ground = "button => getComputedStyle(button).backgroundColor"
    assert left_out.evaluate(ground) == dict(grounds)["true"]
    style = files("fleetkit.explore.app").joinpath("templates/page.css").read_text("utf-8")
    tabs = "".join(f'<button role="tab" aria-selected="{one}"></button>' for one in TABS)
    page.set_content(f'<style>{style}</style><body class="fk-page"><div role="tablist">{tabs}')
    lines = "all => all.map(one => getComputedStyle(one).borderBottomColor)"
    open_tab, *others = page.get_by_role("tab").evaluate_all(lines)
    assert len({*others}) == 1
    assert open_tab not in others


def test_what_is_dark_on_the_screen_is_printed_dark_on_white(browser):
    script, style = (
        files("fleetkit.explore.app").joinpath(f"templates/page.{kind}").read_text("utf-8")
        for kind in ("js", "css")
    )
    page = browser.new_page(color_scheme="dark")
    page.set_content(f"<style>{style}</style><script>{script}</script><body class='fk-page'>")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    is_light = "document.documentElement.dataset.jpThemeLight"
    assert (page.evaluate(ground), page.evaluate(is_light)) == ("rgb(18, 22, 28)", "false")
    page.evaluate(
        "addEventListener('beforeprint', () => { printed = document.documentElement"
        ".dataset.jpThemeLight; })"
    )
    page.pdf()
    page.emulate_media(media="print", color_scheme="dark")
    assert (page.evaluate(ground), page.evaluate("printed")) == ("rgb(255, 255, 255)", "true")
    assert page.evaluate(is_light) == "false"
    page.close()


def test_what_stands_below_a_table_is_whole_on_a_phone_where_the_table_is_wider(explored, draw):
    page = draw(explored("equipment", equipment=[an_equipment("eq_1")]), 360)
    assert page.locator(".fk-scroll > table").bounding_box()["width"] > 500
    below = page.locator("caption")
    assert below.inner_text().endswith("days in UTC.")
    assert below.bounding_box()["x"] + below.bounding_box()["width"] <= 360


def test_a_closed_list_names_three_of_the_values_that_are_left_out_together(explored, draw):
    explorer = explored("equipment", equipment=[an_equipment(f"eq_{n}") for n in range(5)])
    explorer.controls.equipment.value = fk.excluding([f"eq_{n}" for n in range(5)])
    shown = draw(explorer, 1300).get_by_label("Piece of equipment, left out").locator(":checked")
    assert shown.inner_text() == "eq_0, eq_1, eq_2 and 2 more"


def test_a_chip_is_round_at_both_ends_in_a_saved_notebook_without_its_button(explored, draw):
    explorer = explored("equipment", equipment=[an_equipment("eq_1"), an_equipment("eq_2")])
    explorer.controls.equipment.value = fk.excluding("eq_1")
    page = draw(explorer, 1300)
    page.set_content(explorer._repr_mimebundle_()["text/html"])
    chip = page.locator(".fk-chip")
    assert not page.locator(".fk-chip + button").is_visible()
    assert chip.evaluate("chip => getComputedStyle(chip).borderRadius") == "14px"
