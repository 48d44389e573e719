"""Sections → one HTML file that needs nothing beside it.

Templates lay out what `Section` wrote; nothing is computed here but the order on the page.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fleetkit import svg
from fleetkit.language import alphabetical, say, titled
from fleetkit.language.texts import and_others
from fleetkit.reports import widths
from fleetkit.reports.attention import GRADES, in_order, verdict
from fleetkit.reports.balancing import balanced
from fleetkit.reports.data import csv_path
from fleetkit.reports.environment import environment
from fleetkit.reports.templates import Templates

__all__ = ["html", "index", "load_section"]

MOST_ATTENTION = 8
# What stands in a row: as much as the page is wide, with a gap between two [mm]. Tables up to this
# size take half of it.
PAGE, GAP = 180.0, 4.0
HALF_TABLE = (3, 15)
_FACES = (
    ("Inter", 400, "Inter-Regular.woff2"),
    ("Inter", 600, "Inter-SemiBold.woff2"),
    ("Inter Display", 600, "InterDisplay-SemiBold.woff2"),
)


def load_section(folder: Path) -> dict[str, Any]:
    """Read a section as `Section.save` wrote it, its figures included as ``svg``."""
    section: dict[str, Any] = json.loads((folder / "section.json").read_text(encoding="utf-8"))
    for block in section["blocks"]:
        if block["kind"] == "figure":
            block["svg"] = (folder / block["file"]).read_text(encoding="utf-8")
            narrow = block["narrow"] and (folder / block["narrow"]).read_text(encoding="utf-8")
            block["narrow_svg"] = narrow
    return section


def html(
    report: Mapping[str, Any],
    sections: Iterable[dict[str, Any]],
    templates: Templates | None = None,
) -> str:
    """Render a report.

    Parameters
    ----------
    report : dict
        What is shown of the report as a whole, as `Subject.context` returns it, and whether its
        sections are chosen: ``is_chosen``. Its ``left_out`` names what failed, too.
    sections : iterable of dict
        As `load_section` gives them; a gap is ``{"name", "title", "gap": reason}``.
    templates : Templates, optional
        Default: fleetkit's.

    Returns
    -------
    str
        The same text from the same input.

    Raises
    ------
    ReportError
        A template of one's own that can't be rendered; the message names file and line.
    """
    templates = templates or Templates()
    css = templates.text("report.css")
    colours = _palette(css)
    prepared = [_prepared(section, colours) for section in sections]
    if report["data_files"]:
        _point_to_files(prepared)
    whole = [section for section in prepared if "gap" not in section]
    missing = [one["title"] for one in report["left_out"]]
    with templates.explained():
        page = environment(templates.loader).get_template("report.html.j2")
        return page.render(
            report={**report, "missing": missing},
            sections=prepared,
            style=Markup(in_words(css)),  # noqa: S704 - a file of the user's, or ours
            faces=_faces(templates),
            script=_script(templates.text("assets/tables.js")),
            front=_front(whole, missing),
            definitions=balanced(_definitions(whole)),
        )


def index(content: Mapping[str, Any], templates: Templates | None = None) -> str:
    """Render the page that lists several reports.

    Parameters
    ----------
    content : dict
        As `fleetkit.reports.index.context` gives it.
    templates : Templates, optional
        Default: fleetkit's.
    """
    templates = templates or Templates()
    css = templates.text("report.css")
    with templates.explained():
        page = environment(templates.loader).get_template("index.html.j2")
        style = Markup(css)  # noqa: S704 - a file of the user's, or ours
        return page.render(**content, style=style, faces=_faces(templates))


def in_words(css: str) -> str:
    """Return a style sheet that writes "p. 4" as the language in force does."""
    return css.replace('"p. "', f'"{say("p.")} "')


def _palette(css: str) -> dict[str, str]:
    """Return colour → variable, as the style sheet's first block names them."""
    _, _, light = css.partition(":root")
    light, _, _ = light.partition("}")
    return {colour: name for name, colour in re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", light)}


def _faces(templates: Templates) -> list[dict[str, Any]]:
    return [
        {
            "family": family,
            "weight": weight,
            "data": b64encode(templates.file(f"fonts/{file}").read_bytes()).decode(),
        }
        for family, weight, file in _FACES
    ]


def _script(content: str) -> dict[str, Any]:
    """Return the page's only script, and the hash by which the page allows it and no other."""
    text = content.strip()
    digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    texts = {
        "filter": say("Filter rows"),
        "filter-of": say("Filter rows of {title}"),
        "count": say("{count} of {of} rows"),
        "csv-of": say("CSV of the rows of {title}"),
    }
    allowed = f"sha256-{digest}"
    return {"text": Markup(text), "allowed": allowed, "texts": texts}  # noqa: S704 - our own file


def _prepared(section: dict[str, Any], colours: Mapping[str, str]) -> dict[str, Any]:
    if "gap" in section:
        return section
    for kpi in section["kpis"]:
        kpi["coverage"] = [one for one in section["coverage"] if one["label"] == kpi["label"]]
    for block in section["blocks"]:
        block["id"] = f"{section['name']}-{block['name']}"
        block["stored"], block["beside"] = block["data"].rpartition("/")[2], ""
        if block["kind"] == "figure":
            block["width"] = svg.width(block["svg"])
            heard = svg.words(block["svg"], and_others(block["left_out"]))
            block["inline"] = _inline(block["svg"], block["id"], colours, heard)
            narrow, anchor = block["narrow_svg"], f"{block['id']}-narrow"
            block["narrow_inline"] = narrow and _inline(narrow, anchor, colours, heard)
        else:
            columns, rows = HALF_TABLE
            half = len(block["columns"]) <= columns and len(block["rows"]) <= rows
            half = half and widths.fits_half(block)
            block["width"] = (PAGE - GAP) / 2 if half else PAGE
            block["shares"] = widths.shares(block, half=half)
            size = widths.type_size(block)
            block["type_size"] = size if size < widths.TYPE else None
    blocks = [block for block in section["blocks"] if not block["front"]]
    return {
        **section,
        "rows": _rows(block for block in blocks if not _is_empty(block)),
        "nothing": [block["title"] for block in blocks if _is_empty(block)],
    }


def _is_empty(block: Mapping[str, Any]) -> bool:
    """Whether there is nothing to show in a figure or a table; of another's figure nobody knows."""
    return bool(block.get("of") == 0)


def _inline(picture: str, prefix: str, colours: Mapping[str, str], heard: str) -> Markup:
    return Markup(svg.inline(picture, prefix, colours, heard=heard))  # noqa: S704 - escaped there


def _point_to_files(sections: Iterable[dict[str, Any]]) -> None:
    """Let tables that are cut lead to the file beside the report that holds the rest."""
    for section in sections:
        for block in section.get("blocks", ()):
            block["beside"] = csv_path(section["name"], block["name"]) if block["data"] else ""


def _rows(blocks: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Pair neighbours of one kind that fit beside each other; the others have a row each."""
    rows: list[list[dict[str, Any]]] = []
    for block in blocks:
        before = rows[-1] if rows else []
        if len(before) == 1 and before[0]["width"] + GAP + block["width"] <= PAGE + 1:
            before.append(block)
        else:
            rows.append([block])
    return rows


def _front(sections: list[dict[str, Any]], left_out: Sequence[str]) -> dict[str, Any]:
    """Gather what the first page shows: verdict, key figures, what needs attention."""
    ranked = in_order(
        {**item, "anchor": section["name"], "title": _titled(section)}
        for section in sections
        for item in section["attention"]
    )
    fronted = [
        (kpi, section.get("scope", ""))
        for section in sections
        for kpi in section["kpis"]
        if kpi["front"]
    ]
    below = _notes_below([kpi for kpi, _ in fronted])
    kpis = [
        {**kpi, "note": "; ".join(filter(None, (scope, "" if place in below else kpi["note"])))}
        for place, (kpi, scope) in enumerate(fronted)
    ]
    notes = Counter(kpi["note"] for kpi in kpis)
    shared = [note for note, count in notes.items() if note and count > 1]
    return {
        "sentences": _front_sentences(sections, ranked, left_out),
        "lines": [section for section in sections if section["lines"]],
        "kpis": kpis,
        "shared_notes": [*shared, *below.values()],
        "rows": _front_rows(sections),
        "attention": ranked[:MOST_ATTENTION],
        "more": _by_grade(ranked[MOST_ATTENTION:]),
    }


def _notes_below(kpis: list[dict[str, Any]]) -> dict[int, str]:
    """Return place → note of key figures that alone lack one of their two comparisons.

    In the line below all of them it takes less room than beside the other comparison.
    """
    notes = Counter(kpi["note"] for kpi in kpis)
    return {
        place: f"{kpi['label']}: {kpi['note']}"
        for place, kpi in enumerate(kpis)
        if kpi["note"] and notes[kpi["note"]] == 1
        if (kpi["previous"]["value"] is None) != (kpi["year_before"]["value"] is None)
    }


def _front_sentences(
    sections: list[dict[str, Any]], ranked: list[Mapping[str, Any]], left_out: Sequence[str]
) -> list[dict[str, str]]:
    """Return the sentences in their order: what was done, what it asks for, what it is worth."""
    sentences = [
        {"anchor": section["name"], "title": _titled(section), "text": section["verdict"]}
        for section in sections
        if section["verdict"]
    ]
    risk = " ".join([verdict(ranked, left_out), *_wider(sections)])
    attention = {"anchor": "_attention", "title": say("Needs attention"), "text": risk}
    return [*sentences[:1], attention, *sentences[1:]]


def _front_rows(sections: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the figures and tables of the first page, in their order, in rows."""
    fronted = [
        (block, section) for section in sections for block in section["blocks"] if block["front"]
    ]
    fronted.sort(key=lambda pair: pair[0]["front"])
    return _rows(_fronted(block, section.get("scope", "")) for block, section in fronted)


def _by_grade(lines: list[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Return how many lines of attention have each grade that occurs, the gravest first."""
    counts = Counter(line["severity"] for line in lines)
    return [(counts[grade], grade) for grade in GRADES if counts[grade]]


def _wider(sections: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name the chapters whose lines the report's filter doesn't narrow."""
    wider = [section for section in sections if section.get("scope") and section["attention"]]
    return [f"{section['title']}: {section['scope']}." for section in wider]


def _titled(section: Mapping[str, Any]) -> str:
    """Return a section's title, with what it shows where the report's filter doesn't narrow it."""
    return ", ".join(part for part in (section["title"], section.get("scope", "")) if part)


def _fronted(block: dict[str, Any], scope: str) -> dict[str, Any]:
    """Return a figure as the first page shows it, with what the report's filter doesn't narrow."""
    parts = (scope and f"{titled(scope)}.", block["caption"])
    return {**block, "caption": " ".join(part for part in parts if part)}


def _definitions(sections: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return every definition once, by term."""
    by_term = {item["term"]: item for section in sections for item in section["definitions"]}
    return sorted(by_term.values(), key=lambda item: alphabetical(item["term"]))
