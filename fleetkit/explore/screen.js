// Shows what Python rendered and sends back what a reader does. Nothing is computed here.
//
// Python is the one place of the state. A reader's change is shown in its control at once and sent;
// until a state comes that includes it, the panes are marked as out of date (aria-busy). Each
// message holds all changes that no shown state includes, so that none is lost or undone if
// messages reach Python in another order: see Explorer._receive.

const PANES = ["chips", "figures", "chart", "chosen", "table"];
const RESET = "reset";
// Actions that mean something again each time; of the others the last one counts.
const STEPS = ["back", "forward", "column", "choose"];
// Of the control that says what is compared with: the filter as it is.
const SET_ASIDE = "set aside";
// What is said where nothing that is sent arrives: a kernel that was restarted knows no explorer,
// and one whose thread for widgets JupyterLab has ended goes on to look for that thread.
const gone = () => (isPage()
  ? "What is chosen here no longer reaches the server: open the page again."
  : "What is chosen here no longer reaches Python: run its cell again.");
// A list with more options than this has a field that searches it.
const LONG = 12;
// Most values that are left out together which a closed list names, as their chip does.
const NAMED = 3;
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const TYPES = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
  html: "text/html",
  pdf: "application/pdf",
};

export default () => {
  let session;
  return {
    initialize({ model }) { session = createSession(model); },
    render({ model, el }) { return createView(model, el, session); },
  };
};

// What the views of one widget on one page have in common.
function createSession(model) {
  const client = Math.random().toString(36).slice(2);
  const views = new Set();
  let actions = 0;
  let changes = []; // that no shown state includes, oldest first
  let requests = []; // to run when the panes are up to date

  const isBusy = () => changes.length > 0;
  const number = () => model.get("shown").number;

  function change(name, value) {
    actions += 1;
    if (!STEPS.includes(name)) changes = changes.filter((earlier) => earlier.name !== name);
    changes.push({ name, value, action: actions, asked_at: number() });
    views.forEach((view) => view.update());
    send({ changes });
  }

  const warn = () => views.forEach((view) => view.warn(gone()));

  function send(message) {
    const reply = ({ content }) => { if (content.status === "error") warn(); };
    try {
      model.send({ client, ...message }, { shell: { reply } });
    } catch {
      warn();
    }
  }

  // A request is about what the reader sees: it waits until that is up to date.
  function whenCurrent(request) {
    requests.push(request);
    runRequests();
  }

  function runRequests() {
    while (!isBusy() && requests.length) requests.shift()();
  }

  const saveView = (view) => send({ save: number(), view });
  const makeReport = () => send({ report: number() });
  const requestFile = (file) => send({ file });
  const open = (name) => send({ opened: name });
  const requestExport = (form) => send({ export: number(), form });

  // What the controls show: the state's values, with the reader's own changes on top.
  function values() {
    const current = { ...model.get("shown").values };
    for (const { name, value } of changes) {
      if (name === RESET) {
        for (const control of model.get("controls")) {
          if (!control.display) current[control.name] = control.blank;
        }
      } else if (name === "choose") Object.assign(current, value);
      else current[name] = value;
    }
    return current;
  }

  model.on("change:shown", () => {
    const { actions: included } = model.get("shown");
    changes = changes.filter(({ action }) => action > (included[client] ?? 0));
    views.forEach((view) => view.update());
    runRequests();
  });
  model.on("msg:custom", (answer, buffers) => {
    if (answer.client !== client) return;
    views.forEach((view) => view.warn(answer.problem ?? ""));
    if (answer.retry) whenCurrent(() => requestExport(answer.retry));
    else if (!answer.problem) save(answer.name, buffers[0]);
  });
  model.on("change:outcome", () => views.forEach((view) => view.update()));
  model.on("comm_live_update", warn); // the kernel restarts, maybe in the middle of a change
  return {
    views, isBusy, change, open, whenCurrent, requestExport, requestFile, saveView, makeReport, values,
  };
}

function createView(model, el, session) {
  el.classList.add("fk-view");
  // The record of this explorer is for readers who don't have it.
  append(el, "style").textContent = `.${model.get("record")} { display: none; }`;
  const controls = append(el, "div", "fk-controls");
  const screen = append(el, "div", "fk-screen");
  const status = append(screen, "p", "fk-status");
  status.setAttribute("role", "status");
  const problem = append(screen, "p", "fk-problem");
  problem.setAttribute("role", "alert");
  let display = null;
  let outcome = null;
  const panes = PANES.map((name) => {
    // What says how the chart shows the rows stands above it.
    if (name === "chart") display = append(screen, "div", "fk-fields fk-display");
    if (name === "table") outcome = buildActions(screen, session);
    return { name, element: append(screen, "div", "fk-pane") };
  });
  const warn = (text) => view.warn(text);
  const built = buildControls(controls, display, model.get("controls"), session, warn);

  // One task of the browser updates everything: no reader sees parts of two states.
  function update() {
    const shown = model.get("shown");
    const values = session.values();
    for (const { name } of model.get("controls")) {
      built.fields[name].set(values[name], shown.counts[name] ?? []);
    }
    built.allow(shown);
    screen.setAttribute("aria-busy", session.isBusy());
    replaceHtml(outcome, model.get("outcome"));
    if (screen.dataset.number === String(shown.number)) return;
    screen.dataset.number = shown.number;
    view.warn("");
    status.textContent = shown.announcement;
    for (const { name, element } of panes) {
      element.dataset.r = shown.number;
      replaceHtml(element, shown.panes[name]);
    }
  }

  const view = {
    update,
    warn(text) {
      problem.textContent = text;
      problem.hidden = !text;
    },
  };
  function act(target) {
    const button = target.closest("[data-action]");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    const { action, value, key } = button.dataset;
    if (action === "copy") session.whenCurrent(() => copy(findButton(screen, key), status));
    else if (action === "file") session.requestFile(value);
    else if (action === "export") session.whenCurrent(() => session.requestExport(value));
    else session.change(action, action === "choose" ? JSON.parse(value) : value);
  }
  screen.addEventListener("click", ({ target }) => act(target));
  screen.addEventListener("keydown", (event) => {
    if (moveFocus(event)) event.preventDefault();
    else if (["Enter", " "].includes(event.key) && event.target.matches("g[data-action]")) {
      event.preventDefault();
      act(event.target);
    }
  });
  session.views.add(view);
  update();
  onceAttached(el, (root) => prepareRoot(root, model.get("label")));
  return () => session.views.delete(view);
}

// Controls are built once, so that a reader keeps the focus and an open list. Returns what sets
// each control's value and the counts beside its options, and what allows to go back and forward.
function buildControls(root, display, described, { change, open }, warn) {
  const fields = append(root, "div", "fk-fields");
  const last = append(root, "div", "fk-fields fk-choices");
  const built = {};
  for (const control of described) {
    const place = control.display ? display : control.compact ? last : fields;
    const choose = (value) => change(control.name, value);
    const list = () => open(control.name);
    built[control.name] = BUILDERS[control.kind](place, control, choose, list, warn);
  }
  const steps = append(last, "div", "fk-history");
  const button = (text, title, name) => {
    const element = append(steps, "button");
    Object.assign(element, { type: "button", textContent: text, title });
    element.addEventListener("click", () => {
      if (element.getAttribute("aria-disabled") !== "true") change(name, true);
    });
    return element;
  };
  const back = button("‹ Back", "To what was chosen before", "back");
  const forward = button("Forward ›", "To what was chosen after", "forward");
  const searches = () => root.querySelectorAll("input[type=search]");
  button("Reset", "Take every choice back", RESET).addEventListener("click", () => {
    searches().forEach((search) => {
      search.value = "";
      search.dispatchEvent(new Event("input"));
    });
  });
  function allow(shown) {
    back.setAttribute("aria-disabled", !shown.back);
    forward.setAttribute("aria-disabled", !shown.forward);
  }
  return { fields: built, allow };
}

// What can be done with the filter as it is. Returns the place of what comes of it.
function buildActions(root, session) {
  const actions = append(root, "div", "fk-actions");
  const aside = append(actions, "button");
  Object.assign(aside, {
    type: "button",
    textContent: "Set aside to compare",
    title: "Keep this filter beside what is chosen next, in figures and chart",
  });
  aside.addEventListener("click", () => session.change("choose", { compare: SET_ASIDE }));
  const field = append(actions, "div", "fk-field fk-save");
  const name = labelled(field, {}, "Name of the view", "input", "fk-hidden");
  Object.assign(name, { type: "text", placeholder: "name-of-view", maxLength: 40 });
  const button = (text, title, press, names = "") => {
    const element = append(actions, "button", names);
    Object.assign(element, { type: "button", textContent: text, title });
    element.addEventListener("click", () => session.whenCurrent(press));
  };
  const save = () => session.saveView(name.value);
  button("Save view", "Keep this filter in fleetkit.toml, for --filter @name", save, "fk-save");
  button("Make this report", "HTML and PDF of this filter and period", session.makeReport);
  name.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") session.whenCurrent(save);
  });
  const outcome = append(root, "div", "fk-outcome");
  outcome.setAttribute("role", "status");
  return outcome;
}

const BUILDERS = {
  select(place, control, choose, open) {
    const field = append(place, "div", "fk-field");
    const select = labelled(field, control, control.label, "select");
    const label = field.querySelector("label");
    const several = new Option(); // that are left out together
    let isLeftOut = false;
    const options = control.options.map(([label, value]) => {
      const option = new Option(label, value);
      return { label, option, text: label.toLocaleLowerCase() };
    });
    const known = new Map(options.map((option) => [option.option.value, option]));
    select.replaceChildren(...options.map(({ option }) => option));
    const pick = (value) => choose(isLeftOut ? { not: [value] } : value);
    select.addEventListener("change", () => pick(select.value));
    if (options.length > LONG) addSearch(field, control, select, options, pick);
    let counted = [];
    // Of a very long list the counts are asked for when it is gone to.
    field.addEventListener("focusin", () => {
      if (!counted.length && options.length > LONG && !control.display) open();
    });
    function set(value, counts) {
      if (counts !== counted && (counts.length || counted.length)) {
        options.forEach(({ label, option }, place) => setCount(option, label, counts[place]));
      }
      counted = counts;
      isLeftOut = isExcluding(value);
      label.textContent = isLeftOut ? `${control.label}, left out` : control.label;
      const shown = optionOf(isLeftOut ? value.not : [value]);
      if (!select.contains(shown)) select.append(shown);
      shown.selected = true;
      if (shown !== several) several.remove();
    }
    function optionOf(values) {
      if (values.length === 1) return (known.get(values[0]) ?? options[0]).option;
      const names = values.slice(0, NAMED).map((value) => known.get(value)?.label).join(", ");
      const beyond = values.length - NAMED;
      several.text = beyond > 0 ? `${names} and ${written(beyond)} more` : names;
      return several;
    }
    return { set };
  },
  date(place, control, choose, open, warn) {
    const field = append(place, "div", "fk-field");
    const input = labelled(field, control, control.label, "input");
    Object.assign(input, { type: "date", min: control.first, max: control.last });
    let current = "";
    const isBeingTyped = () => !input.validity.valid && input === document.activeElement;
    input.addEventListener("change", () => {
      if (input.validity.valid) choose(input.value);
    });
    input.addEventListener("blur", () => {
      if (input.validity.valid) return;
      input.value = current;
      const { label, first, last } = control;
      const now = current ? `It is ${current} now.` : "None is chosen.";
      warn(`${label}: what was typed is not a date from ${first} to ${last}. ${now}`);
    });
    function set(value) {
      current = value;
      if (!isBeingTyped()) setValue(input, value);
    }
    return { set };
  },
  text(place, control, choose) {
    const field = append(place, "div", "fk-field fk-wide");
    place.classList.add("fk-has-wide");
    const input = labelled(field, control, control.label, "input");
    Object.assign(input, { type: "text", placeholder: control.example, maxLength: 100 });
    let current = "";
    let isTyped = false; // what can't be chosen stays to be corrected, until it is left
    input.addEventListener("input", () => { isTyped = true; });
    input.addEventListener("change", () => choose(input.value));
    input.addEventListener("blur", () => {
      isTyped = false;
      setValue(input, current);
    });
    function set(value) {
      current = value;
      if (!isTyped) setValue(input, value);
    }
    return { set };
  },
  ticks(place, control, choose) {
    const group = append(place, "div", "fk-types");
    describe(group, "group", control.label);
    const boxes = control.options.map(([text, value]) => {
      const pill = append(group, "span", "fk-tick");
      const label = append(pill, "label");
      const box = append(label, "input");
      Object.assign(box, { type: "checkbox", value });
      const name = append(label, "span");
      name.textContent = name.title = text; // whole to a pointer, where it is cut
      const count = append(pill, "small");
      count.id = newId();
      box.setAttribute("aria-describedby", count.id);
      return { box, pill, count };
    });
    const ticked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
    let isLeftOut = false;
    group.addEventListener("change", () => choose(isLeftOut ? { not: ticked() } : ticked()));
    function set(chosen, counts) {
      isLeftOut = isExcluding(chosen);
      group.classList.toggle("fk-left-out", isLeftOut);
      const meaning = isLeftOut ? "; ticked ones are left out" : "";
      group.setAttribute("aria-label", `${control.label}${meaning}`);
      const values = isLeftOut ? chosen.not : chosen;
      boxes.forEach(({ box, pill, count }, place) => {
        box.checked = values.includes(box.value);
        count.textContent = written(counts[place]);
        pill.classList.toggle("fk-none", counts[place] === 0);
      });
    }
    return { set };
  },
};

// A field before a long list, which leaves the options that have its text. Enter takes the first.
function addSearch(field, control, select, options, choose) {
  const search = labelled(field, control, `Search: ${control.label}`, "input", "fk-hidden");
  Object.assign(search, { type: "search", placeholder: "search" });
  field.append(select); // the Tab key goes as eyes do
  field.classList.add("fk-long");
  const matching = () => {
    const text = search.value.trim().toLocaleLowerCase();
    return options.filter((option, place) => place && option.text.includes(text));
  };
  search.addEventListener("input", () => {
    const chosen = select.selectedOptions[0];
    const shown = [options[0], ...matching()].map(({ option }) => option);
    select.replaceChildren(...(shown.includes(chosen) ? shown : [...shown, chosen]));
    chosen.selected = true;
  });
  search.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && search.value && matching().length) choose(matching()[0].option.value);
    if (key === "ArrowDown") select.focus();
  });
}

// Values that are left out come and go as { not: [value, …] }.
const isExcluding = (value) => Array.isArray(value?.not);
const NUMBERS = new Intl.NumberFormat("en");
const written = (count) => (count === null || count === undefined ? "" : NUMBERS.format(count));

// The count of a name from right to left stands behind it, as those of all names do.
function setCount(option, label, count) {
  const mark = FROM_RIGHT.test(label) ? "\u200e" : "";
  const text = written(count) ? `${label}${mark} · ${written(count)}` : label;
  if (option.text !== text) option.text = text;
  option.className = count === 0 ? "fk-none" : "";
}

const newId = () => `fk-${Math.random().toString(36).slice(2)}-${labels++}`;
let labels = 0;

function labelled(field, control, text, tag, names = "") {
  const label = append(field, "label", names);
  const element = append(field, tag);
  label.textContent = text;
  label.htmlFor = element.id = newId();
  element.disabled = Boolean(control.disabled);
  return element;
}

// The same value set again would move the cursor of a text.
function setValue(element, value) {
  if (element.value !== value) element.value = value;
}

function append(parent, tag, names = "") {
  const element = parent.appendChild(document.createElement(tag));
  element.className = names;
  return element;
}

// A pane is replaced as a whole: the button that was pressed keeps the focus, or where it is gone
// what stands in its place, an open list is open, and what is too wide stays where it was scrolled
// to.
function replaceHtml(element, html) {
  if (element.fkHtml === html) return;
  const wide = () => [...element.querySelectorAll(".fk-scroll")];
  const places = wide().map(({ scrollLeft }) => scrollLeft);
  const keyed = () => [...element.querySelectorAll("[data-key]")];
  const place = keyed().indexOf(document.activeElement);
  const key = place < 0 ? "" : document.activeElement.dataset.key;
  const isOpen = Boolean(element.querySelector("details[open]"));
  element.innerHTML = element.fkHtml = html;
  if (isOpen) element.querySelector("details").open = true;
  wide().forEach((part, place) => {
    if (places[place]) part.scrollLeft = places[place];
  });
  element.querySelectorAll("[data-rove]").forEach((group) => {
    marksOf(group).forEach((mark, place) => { mark.tabIndex = place ? -1 : 0; });
  });
  if (!key) return;
  // A map of what was chosen on it has other marks, a table other rows, and chips are taken back.
  const first = element.querySelector("[data-rove] [tabindex='0']");
  const rest = keyed();
  const next = findButton(element, key) ?? first ?? rest[place] ?? rest.at(-1);
  if (!next) element.tabIndex = -1;
  focusOn(next ?? element);
}

// Whether this is the explorers' own page, not a notebook.
const isPage = () => document.body.matches(".fk-page");

function findButton(root, key) {
  return root.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

// Bars and cells that choose are one stop of the Tab key; arrows go from one to the next.
const marksOf = (group) => [...group.querySelectorAll("[data-action=choose]")];
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function focusOn(mark) {
  const group = mark?.closest("[data-rove]");
  if (group && mark.dataset.action === "choose") {
    marksOf(group).forEach((other) => { other.tabIndex = other === mark ? 0 : -1; });
  }
  mark?.focus();
}

function moveFocus({ key, target }) {
  const group = target.closest("[data-rove]");
  if (!ARROWS[key] || !group || target.dataset.action !== "choose") return false;
  const next = nearest(target, marksOf(group), ARROWS[key]);
  if (next) focusOn(next);
  return true;
}

// The mark that lies next in a direction; one straight ahead goes before one aside. Straight ahead
// is also a bar of another height, where the middle of one lies beside the other.
function nearest(from, marks, [right, down]) {
  const extent = (mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    const along = { low: left, middle: left + width / 2, high: left + width };
    const upright = { low: top, middle: top + height / 2, high: top + height };
    return right ? [along, upright] : [upright, along];
  };
  const isIn = ({ low, high }, { middle }) => low <= middle && middle <= high;
  const [start, side] = extent(from);
  let best = null;
  let least = Infinity;
  for (const mark of marks) {
    const [end, other] = extent(mark);
    const ahead = (end.middle - start.middle) * (right + down);
    const aside = Math.abs(other.middle - side.middle);
    const isStraight = isIn(side, other) || isIn(other, side);
    const distance = ahead + (isStraight ? aside / 100 : 3 * aside);
    if (mark !== from && ahead > 1 && distance < least) {
      least = distance;
      best = mark;
    }
  }
  return best;
}

// Pages that are not served securely have no clipboard: there the text is at least selected. A
// button shows that its text is the one in the clipboard, and the status tells it to those who
// hear the page.
function copy(button, status) {
  const item = button.closest("li");
  const code = item.querySelector("code");
  const name = item.querySelector("span").textContent;
  // On the explorers' own page a link has the address of that page.
  const isLink = button.dataset.key === "copy-Link" && isPage();
  const text = isLink ? location.origin + location.pathname + code.textContent : code.textContent;
  window.getSelection().selectAllChildren(code);
  status.textContent = ""; // what is said again is heard only if it changes
  const say = (done, sentence) => {
    item.parentElement.querySelectorAll("[data-action=copy]").forEach((other) => {
      other.textContent = other === button ? done : "Copy";
    });
    status.textContent = sentence;
  };
  const copied = () => say("Copied", `Copied: ${name}`);
  const byHand = "It is selected: press Ctrl+C, or Cmd+C.";
  const selected = () => say("Selected", `${name} could not be copied. ${byHand}`);
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(copied, selected);
  else selected();
}

function save(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: TYPES[name.split(".").pop()] }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // some browsers read it later
}

function onceAttached(el, then) {
  new ResizeObserver((_, watch) => {
    const root = el.closest(".fk-explorer");
    if (root) {
      watch.disconnect();
      then(root);
    }
  }).observe(el);
}

// JupyterLab takes single keys ("a", "b", "d d") as commands while a control has the focus, and
// would edit the notebook. Combinations with Ctrl or Cmd still reach it.
function prepareRoot(root, label) {
  root.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  describe(root, "region", label);
}

function describe(element, role, label) {
  element.setAttribute("role", role);
  element.setAttribute("aria-label", label);
}
