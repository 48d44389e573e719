// Shows what Python rendered and hands back what was clicked. Nothing is computed here.

const PANES = ["figures", "chart", "chosen", "table"];

function render({ model, el }) {
  el.classList.add("fk-board");
  const voice = el.appendChild(document.createElement("p"));
  voice.className = "fk-voice";
  voice.setAttribute("role", "status");
  model.on("change:said", () => { voice.textContent = model.get("said"); });

  for (const name of PANES) {
    const pane = el.appendChild(document.createElement("div"));
    const show = () => keepFocus(pane, () => { pane.innerHTML = model.get(name); });
    model.on(`change:${name}`, show);
    show();
  }
  el.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-do]");
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    if (button.dataset.do === "copy") copy(button);
    else model.send({ do: button.dataset.do, to: button.dataset.to });
  });
  model.on("msg:custom", save);
  onceAttached(el, prepareRoot);
}

// A pane is replaced as a whole: the button that was pressed keeps the focus.
function keepFocus(pane, change) {
  const key = pane.contains(document.activeElement) && document.activeElement.dataset.key;
  change();
  if (key) pane.querySelector(`[data-key="${key}"]`)?.focus();
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

function save({ name }, [bytes]) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
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
function prepareRoot(root) {
  root.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  name(root, "region", "Flight explorer");
  name(root.querySelector(".fk-types"), "group", "Flight type; none ticked means all");
}

function name(element, role, label) {
  element?.setAttribute("role", role);
  element?.setAttribute("aria-label", label);
}

export default { render };
