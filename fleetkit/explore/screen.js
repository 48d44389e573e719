// Shows what Python rendered and sends back what a reader does. Nothing is computed here.
//
// Python is the one place of the state. A reader's change is shown in its control at once and sent;
// until a state comes that includes it, the panes are marked as out of date (aria-busy). Each
// message holds all changes that no shown state includes, so that none is lost or undone if
// messages reach Python in another order: see Explorer._receive.

const PANES = ["figures", "chart", "chosen", "table"];
const RESET = "reset";

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
    changes = changes.filter((earlier) => name !== RESET && earlier.name !== name);
    changes.push({ name, value, action: actions, asked_at: number() });
    model.send({ client, changes });
    views.forEach((view) => view.update());
  }

  // A request is about what the reader sees: it waits until that is up to date.
  function whenCurrent(request) {
    requests.push(request);
    runRequests();
  }

  function runRequests() {
    while (!isBusy() && requests.length) requests.shift()();
  }

  const requestExport = () => model.send({ client, export: number() });

  // What the controls show: the state's values, with the reader's own changes on top.
  function values() {
    const current = { ...model.get("shown").values };
    for (const { name, value } of changes) {
      if (name === RESET) {
        for (const control of model.get("controls")) current[control.name] = control.blank;
      } else current[name] = value;
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
    if (answer.retry) whenCurrent(requestExport);
    else if (!answer.problem) save(answer.name, buffers[0]);
  });
  return { views, isBusy, change, whenCurrent, requestExport, values };
}

function createView(model, el, session) {
  el.classList.add("fk-view");
  const controls = append(el, "div", "fk-controls");
  const screen = append(el, "div", "fk-screen");
  const status = append(screen, "p", "fk-status");
  status.setAttribute("role", "status");
  const problem = append(screen, "p", "fk-problem");
  problem.setAttribute("role", "alert");
  const panes = PANES.map((name) => ({ name, element: append(screen, "div", "fk-pane") }));
  const built = buildControls(controls, model.get("controls"), session.change);
  let described;

  // One task of the browser updates everything: no reader sees parts of two states.
  function update() {
    const shown = model.get("shown");
    const values = session.values();
    for (const control of model.get("controls")) {
      if (described !== model.get("controls")) built[control.name].list?.(control);
      built[control.name].set(values[control.name]);
    }
    described = model.get("controls");
    screen.setAttribute("aria-busy", session.isBusy());
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
  screen.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-action]");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    const { action, value, key } = button.dataset;
    if (action === "copy") session.whenCurrent(() => copy(findButton(screen, key)));
    else if (action === "export") session.whenCurrent(session.requestExport);
    else session.change(action, value);
  });
  session.views.add(view);
  update();
  onceAttached(el, (root) => prepareRoot(root, model.get("label")));
  return () => session.views.delete(view);
}

// Controls are built once, so that a reader keeps the focus and an open list. Returns, by name, the
// functions that set a control's value and its options.
function buildControls(root, described, change) {
  const fields = append(root, "div", "fk-fields");
  const last = append(root, "div", "fk-fields fk-choices");
  const built = {};
  for (const control of described) {
    const place = control.compact ? last : fields;
    built[control.name] = BUILDERS[control.kind](place, control, change);
  }
  const reset = append(last, "button");
  reset.type = "button";
  reset.textContent = "Reset";
  reset.title = "Take every choice back";
  reset.addEventListener("click", () => change(RESET, true));
  return built;
}

const BUILDERS = {
  select(place, control, change) {
    const select = labelled(place, control, "select");
    select.addEventListener("change", () => change(control.name, select.value));
    let listed;
    function list({ options }) {
      const texts = JSON.stringify(options);
      if (texts === listed) return;
      listed = texts;
      select.replaceChildren(...options.map(([label, value]) => new Option(label, value)));
    }
    return { list, set: (value) => setValue(select, value) };
  },
  date(place, control, change) {
    const input = labelled(place, control, "input");
    Object.assign(input, { type: "date", min: control.first, max: control.last });
    let current = "";
    const isBeingTyped = () => !input.validity.valid && input === document.activeElement;
    input.addEventListener("change", () => {
      if (input.validity.valid) change(control.name, input.value);
    });
    input.addEventListener("blur", () => {
      if (!input.validity.valid) input.value = current;
    });
    function set(value) {
      current = value;
      if (!isBeingTyped()) setValue(input, value);
    }
    return { set };
  },
  text(place, control, change) {
    const input = labelled(place, control, "input");
    input.type = "text";
    input.placeholder = control.placeholder;
    input.addEventListener("input", () => change(control.name, input.value));
    return { set: (value) => setValue(input, value) };
  },
  ticks(place, control, change) {
    const group = append(place, "div", "fk-types");
    describe(group, "group", control.label);
    const boxes = control.options.map(([text, value]) => {
      const label = append(group, "label");
      const box = append(label, "input");
      Object.assign(box, { type: "checkbox", value });
      append(label, "span").textContent = text;
      return box;
    });
    const ticked = () => boxes.filter((box) => box.checked).map((box) => box.value);
    group.addEventListener("change", () => change(control.name, ticked()));
    const set = (values) => {
      for (const box of boxes) box.checked = values.includes(box.value);
    };
    return { set };
  },
};

let labels = 0;

function labelled(place, control, tag) {
  const field = append(place, "div", "fk-field");
  const label = append(field, "label");
  const element = append(field, tag);
  label.textContent = control.label;
  label.htmlFor = element.id = `fk-${Math.random().toString(36).slice(2)}-${labels++}`;
  element.disabled = control.disabled;
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

// A pane is replaced as a whole: the button that was pressed keeps the focus.
function replaceHtml(element, html) {
  if (element.fkHtml === html) return;
  const key = element.contains(document.activeElement) && document.activeElement.dataset.key;
  element.innerHTML = element.fkHtml = html;
  if (key) findButton(element, key)?.focus();
}

function findButton(root, key) {
  return root.querySelector(`[data-key="${key}"]`);
}

// Pages that are not served securely have no clipboard: there the text is at least selected.
function copy(button) {
  const code = button.parentElement.querySelector("code");
  window.getSelection().selectAllChildren(code);
  navigator.clipboard?.writeText(code.textContent).then(
    () => { button.textContent = "Copied"; },
    () => {},
  );
}

function save(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "text/csv" }));
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
