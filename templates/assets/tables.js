// Tables that can be sorted, filtered and taken along as CSV. Without this they stand as printed.
"use strict";

// From this many rows on a table has a box that filters it.
const LONG = 10;
// What is a formula to a spreadsheet, as the start of a cell and within one: the rules of
// fleetkit/formulas.py.
const FORMULA = /^'*(?:[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;
const WITHIN =
  /([;\t\r\n])(?=(?:[^\S\t\r\n]|[\x00-\x08\x0e-\x1f'"])*[=+\-@\uff1d\uff0b\uff0d\uff20][^;\t\r\n]*[(|])/g;
const ISOLATES = /[\u2066-\u2069]/g;
// Its texts, in the page's language.
const TEXTS = document.body.dataset;
const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

// A template of one's own may have tables without a title or a head.
const EQUIPPED = ".block:has(> h3):has(> .scroll > table > thead)";

for (const block of document.querySelectorAll(EQUIPPED)) equip(block);

function equip(block) {
  const table = block.querySelector("table");
  const rows = [...table.tBodies[0].rows].filter((row) => !row.matches(".total"));
  const heading = block.querySelector("h3").cloneNode(true);
  heading.querySelector(".count")?.remove();  // a template of one's own may have none
  const title = whole(heading);
  const tools = create("div", "tools");
  if (rows.length >= LONG) tools.append(...filterBox(table, rows, title));
  tools.append(csvButton(table, rows, title));
  table.closest(".scroll").before(tools);
  [...table.tHead.rows[0].cells].forEach((head, column) => makeSortable(table, head, column, rows));
}

// Numbers and moments by their value, texts as they are read; what is blank stands last either way.
function makeSortable(table, head, column, rows) {
  const button = create("button", "sort");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  const isNumber = rows.some((row) => typeof value(row.cells[column]) === "number");
  button.addEventListener("click", () => {
    const before = head.getAttribute("aria-sort") ?? (isNumber ? "ascending" : "descending");
    const isRising = before === "descending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isRising ? "ascending" : "descending");
    rows.sort((one, other) => compare(one.cells[column], other.cells[column], isRising));
    const totals = table.tBodies[0].querySelector(".total");
    for (const row of rows) table.tBodies[0].insertBefore(row, totals);
  });
}

function compare(one, other, isRising) {
  const [left, right] = [value(one), value(other)];
  if (left === "" || right === "") return (left === "") - (right === "");
  const both = typeof left === "number" && typeof right === "number";
  const order = both ? left - right : collator.compare(left, right);
  return isRising ? order : -order;
}

function filterBox(table, rows, title) {
  const box = create("input", "filter");
  box.type = "search";
  box.placeholder = TEXTS.filter;
  box.setAttribute("aria-label", filled(TEXTS.filterOf, { title }));
  const status = create("span", "status");
  status.setAttribute("role", "status");
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const content = [...row.cells].map(whole).join(" ").toLowerCase();
      row.hidden = !words.every((word) => content.includes(word));
    }
    // Totals are of all rows: beside some of them they would be wrong.
    for (const total of table.querySelectorAll(".total")) total.hidden = words.length > 0;
    const count = rows.filter((row) => !row.hidden).length;
    status.textContent = words.length
      ? filled(TEXTS.count, { count, of: rows.length }) : "";
  });
  return [box, status];
}

function csvButton(table, rows, title) {
  const button = create("button", "csv");
  button.type = "button";
  button.textContent = "CSV";
  button.setAttribute("aria-label", filled(TEXTS.csvOf, { title }));
  button.addEventListener("click", () => {
    const heads = [...table.tHead.rows[0].cells].map((head) => escaped(whole(head)));
    const lines = rows.filter((row) => !row.hidden)
      .map((row) => [...row.cells].map((cell) => escaped(value(cell))));
    const csv = [heads, ...lines].map((line) => line.join(",")).join("\r\n");
    // The mark tells spreadsheets that it is UTF-8.
    save(`${title}.csv`, `\ufeff${csv}\r\n`);
  });
  return button;
}

function save(name, content) {
  const link = create("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

// What a cell holds: a number, a text, or "" where it is blank.
function value(cell) {
  const stored = cell.dataset.value;
  if (stored === undefined) return whole(cell);
  return stored === "" || cell.dataset.kind === "text" ? stored : Number(stored);
}

// A text as it was before it, or a word of it, was cut for the page.
function whole(node) {
  let text = node.textContent;
  for (const cut of node.querySelectorAll("[title]"))
    text = text.replace(cut.textContent, () => cut.title);
  return text.replace(ISOLATES, "").trim();
}

function escaped(content) {
  if (typeof content === "number") return String(content);
  const safe = (FORMULA.test(content) ? "'" : "") + content.replace(WITHIN, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function create(tag, className = "") {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}
