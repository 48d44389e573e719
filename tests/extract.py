"""Find every text that a report may print, and keep the catalogues of languages up to date.

`make format` runs this after the code has changed: each catalogue then has an entry for every text,
empty where it is new, and none for a text that is gone. What is found: what the code says through
`fleetkit.language`, the texts of templates and section notebooks, and the metrics' definitions.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import jinja2
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2 import nodes

import fleetkit as fk
from fleetkit.columns import COLUMNS
from fleetkit.filters import Filter
from fleetkit.fleet.restating import _ASIDE
from fleetkit.kinds import RESTATEMENTS
from fleetkit.reports import index
from fleetkit.reports.attention import GRADES
from fleetkit.schema import TABLES

ROOT = Path(__file__).parent.parent
CATALOGUES = ROOT / "fleetkit" / "language" / "catalogues"
SOURCES = ("charts", "language", "metrics", "reports", "time", "explanation.py", "rounding.py")
# Function → which of its arguments are texts.
_TEXTS = {
    "say": (0,),
    "message": (0,),
    "unit": (0,),
    "Check": (0, 4),
    "_Flag": (1,),
    "explain": (1,),
}
_KEYWORDS = ("unit", "null")
# Functions whose unit is no text.
_OTHER_UNITS = ("to_timedelta",)
# Function → which of its arguments are singular and plural, and what stands before them.
_PLURALS = {
    "say_count": (1, 2, ""),
    "counted": (1, 2, "{count} "),
    "first": (2, 3, "{count} more "),
    "leave_out": (1, 2, "{count} more "),
}
# Texts that no code holds as such: they are put together from names, or come from settings.
_OTHERS = (
    *GRADES,
    *(table.replace("_", " ") for table in TABLES),
    *(name.replace("_", " ") for name in Filter.__dataclass_fields__),
    *(name.replace("_", " ") for name in fk.settings.MEASURES),
    # In which of its fields a flight was edited.
    *(column.name.replace("_", " ") for column in COLUMNS["flights"] if column.name not in _ASIDE),
    *(rule.name for rule in fk.settings.Settings().recency),
    *("or", "not recorded", "far away", "out of range", "N", "E", "S", "W"),
    *("Flight type", "Flights", "Hours"),
    *("open", "backlog", "to invoice", "awaiting payment"),
    *(text for texts in index._TEXTS.values() for text in texts.values()),
)
# Whose rows and columns are counted by names that only it knows.
_CHART = import_module("fleetkit.charts.flight_hours")

_HEADER = """\
msgid ""
msgstr ""
"Language: {lang}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plural_forms}\\n"

"""

Messages = dict[str, str | None]


def messages() -> Messages:
    """Return every text → its plural, or None where it has none."""
    found: Messages = dict.fromkeys(_OTHERS)
    for name, kind in RESTATEMENTS.items():
        found[f"{{count}} {name}"] = f"{{count}} {kind.plural}"
    for how, nouns in (
        ("more", _CHART._NOUNS.values()),
        ("earlier", [(t,) for t in _CHART._TIMES]),
    ):
        for one, *many in nouns:
            found[f"{{count}} {how} {one}"] = f"{{count}} {how} {many[0] if many else one + 's'}"
    for path in _modules():
        found.update(_of_module(ast.parse(path.read_text(encoding="utf-8"))))
    for path in sorted((ROOT / "templates").rglob("*.j2")):
        found.update(_of_template(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        found.update(_of_notebook(json.loads(path.read_text(encoding="utf-8"))))
    for term, text in fk.metrics.definitions().items():
        found |= {term: None, text: None}
    for term, text in fk.reports.DEFINITIONS.items():
        found |= {term: None, text: None}
    return {text: plural for text, plural in found.items() if any(map(str.isalpha, text))}


def _modules() -> Iterator[Path]:
    for source in SOURCES:
        path = ROOT / "fleetkit" / source
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _of_module(tree: ast.Module) -> Messages:
    found: Messages = {}
    constants = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple):
            pair = [item.value for item in node.elts if isinstance(item, ast.Constant)]
            if len(pair) == len(node.elts) == 2 and all("{count}" in str(text) for text in pair):
                found[pair[0]] = pair[1]
        if isinstance(node, ast.Call):
            found.update(_of_call(node, constants))
    return found


def _of_call(node: ast.Call, constants: dict[str, list[str]]) -> Messages:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    found: Messages = {}
    if name == "map" and ast.unparse(node.args[0]) == "message":
        found.update(dict.fromkeys(_texts(node.args[1], constants)))
    for place in _TEXTS.get(name, ()):
        if len(node.args) > place:
            found.update(dict.fromkeys(_texts(node.args[place], constants)))
    for keyword in node.keywords:
        if keyword.arg in _KEYWORDS and name not in _OTHER_UNITS:
            found.update(dict.fromkeys(_texts(keyword.value, constants)))
    if name in _PLURALS:
        one, many, before = _PLURALS[name]
        for keyword in node.keywords:
            if keyword.arg == "how":
                how = ast.literal_eval(keyword.value)
                before = f"{{count}} {how} " if how else "{count} "
        singulars = _texts(node.args[one], constants) if len(node.args) > one else []
        plurals = _texts(node.args[many], constants) if len(node.args) > many else []
        plurals = plurals or [f"{text}s" for text in singulars]
        found.update(
            {
                f"{before}{text}": f"{before}{more}"
                for text, more in zip(singulars, plurals, strict=False)
            }
        )
    return found


def _constants(tree: ast.Module) -> dict[str, list[str]]:
    """Return name → the texts that are assigned to it anywhere in a module."""
    texts: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        texts.setdefault(name.id, []).extend(_texts(value, {}))
    return texts


def _texts(node: ast.AST, constants: dict[str, list[str]]) -> list[str]:
    """Return the texts that an expression may be."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Name):
        return constants.get(node.id, [])
    return [text for part in _parts(node) for text in _texts(part, constants)]


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return the parts of an expression of which one is its text."""
    match node:
        case ast.Subscript(value=value):
            return [value]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Dict(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            return values
        case ast.Call(func=ast.Name(id="message"), args=[text]):
            return [text]
        case ast.Call(func=ast.Attribute(attr="get", value=value)):
            return [value]
    return []


def _of_template(source: str) -> Messages:
    found: Messages = {}
    for call in jinja2.Environment(autoescape=True).parse(source).find_all(nodes.Call):
        texts = [arg.value for arg in call.args if isinstance(arg, nodes.Const)]
        if isinstance(call.node, nodes.Name) and texts:
            if call.node.name == "say":
                found[texts[0]] = None
            elif call.node.name == "say_count":
                found[texts[0]] = texts[1]
    return found


def _of_notebook(notebook: dict[str, Any]) -> Messages:
    """Return what the code of a section says: texts that begin with a capital, or have a blank."""
    found: Messages = {}
    if not any("out = " in "".join(cell["source"]) for cell in notebook["cells"]):
        return found
    for source in _code(notebook):
        tree = ast.parse(source)
        texts, said = [*_heads(tree), *filter(_is_text, _plain(tree))], _of_module(tree)
        # A plural stands beside its singular, and has no entry of its own.
        found |= dict.fromkeys(text for text in texts if text not in said.values()) | said
    return found


def _is_text(text: str) -> bool:
    is_said = " " in text or text[:1].isupper()
    return is_said and not text.isupper() and not text.startswith("{:")


def _plain(tree: ast.AST) -> list[str]:
    """Return the texts of a cell that are no part of a text with values."""
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
    ]


def _heads(tree: ast.AST) -> list[str]:
    """Return the heads of columns: the values of what is assigned to `columns`."""
    dicts = [
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AugAssign) and "columns" in ast.unparse(node)
        for part in ast.walk(node)
        if isinstance(part, ast.Dict)
    ]
    heads = [value for part in dicts for value in part.values]
    return _labels([head.elts[0] if isinstance(head, ast.Tuple) else head for head in heads])


def _labels(values: list[ast.expr]) -> list[str]:
    texts = [value.value for value in values if isinstance(value, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text not in ("bad", "watch", "")]


def _code(notebook: dict[str, Any]) -> list[str]:
    return [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", ())
    ]


def updated(path: Path) -> Catalog:
    """Return a catalogue with an entry for every text, in their order, and no others."""
    with path.open("rb") as file:
        old = read_po(file, locale=path.stem)
    new = Catalog(locale=path.stem, fuzzy=False)
    new.mime_headers = [("Plural-Forms", old.plural_forms)]  # of French, Babel counts a third form
    for text, plural in sorted(messages().items()):
        entry = old.get(text)
        translated = entry.string if entry else None
        new.add((text, plural) if plural else text, translated if translated else None)
    return new


def main() -> None:
    """Write the catalogues, and say how many of their texts lack a translation."""
    for path in sorted(CATALOGUES.glob("*.po")):
        catalogue = updated(path)
        entries = BytesIO()
        write_po(entries, catalogue, width=100, omit_header=True)
        header = _HEADER.format(lang=path.stem, plural_forms=catalogue.plural_forms)
        path.write_bytes(header.encode() + entries.getvalue().lstrip())
        missing = [entry for entry in catalogue if entry.id and not _is_translated(entry.string)]
        if missing:
            texts = "1 text" if len(missing) == 1 else f"{len(missing):,} texts"
            sys.stderr.write(f"{path.name}: {texts} without a translation.\n")


def _is_translated(string: Any) -> bool:
    return bool(string) and (isinstance(string, str) or all(string))


if __name__ == "__main__":
    main()
