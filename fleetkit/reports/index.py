"""The page that lists several reports, with the first figures of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fleetkit.interface import one_line
from fleetkit.language import say
from fleetkit.locks import locked
from fleetkit.reports.attention import GRADES
from fleetkit.reports.groups import Group
from fleetkit.reports.paths import Paths
from fleetkit.reports.sentences.words import with_rest
from fleetkit.rounding import HOURS, number

__all__ = ["STATES", "Entry", "context", "entry", "failed"]

# Outcomes of a report.
STATES = ("complete", "nothing to report", "failed")
# Characters that the page, and a line of text, show of an error.
MOST_ERROR = 500
# Folders of earlier runs that the page names.
MOST_EARLIER = 20
# Texts of the page, by what its reports are about.
_TEXTS = {
    "client": {
        "title": "Reports by client",
        "note": "For your own use: it names every client. Each report is complete in its folder.",
        "head": "Client",
    },
    "pilot": {
        "title": "Reports by pilot",
        "note": "For your own use: it names every pilot. Each report is complete in its folder.",
        "head": "Pilot",
    },
    "category": {
        "title": "Reports by category",
        "note": "For your own use: it names every category. Each report is complete in its folder.",
        "head": "Category",
    },
    "project": {
        "title": "Reports by project",
        "note": "For your own use: it names every project. Each report is complete in its folder.",
        "head": "Project",
    },
}


@dataclass(frozen=True)
class Entry:
    """One of several reports.

    Parameters
    ----------
    group : Group
        Whom it is about.
    paths : Paths or None
        Where it is; None where there is none.
    attention : dict
        Grade → how many lines need attention.
    error : str
        Why there is none, where it failed.
    """

    group: Group
    paths: Paths | None
    attention: dict[str, int]
    error: str = ""

    @property
    def state(self) -> str:
        """``complete``, ``nothing to report`` or ``failed``."""
        if self.error:
            return "failed"
        return "complete" if self.paths is not None else "nothing to report"

    def summary(self) -> dict[str, Any]:
        """Return what is told of it to scripts, JSON-ready."""
        return {
            "name": self.group.name,
            "state": self.state,
            "paths": {
                name: path and str(path)
                for name, path in (vars(self.paths) if self.paths else {}).items()
            },
            "flights": self.group.flights,
            "hours": self.group.hours,
            "attention": self.attention,
            "error": self.error or None,
        }


def entry(group: Group, paths: Paths) -> Entry:
    """Return the entry of a report that was made; its sections tell what needs attention."""
    folder = paths.manifest.parent
    with locked(folder.parent):  # another run may be about to replace it
        sections = [path.read_bytes() for path in sorted(folder.glob("sections/*/section.json"))]
    lines = [line["severity"] for section in sections for line in json.loads(section)["attention"]]
    counts = Counter(lines)
    return Entry(group, paths, {grade: counts[grade] for grade in GRADES})


def failed(group: Group, problem: BaseException) -> Entry:
    """Return the entry of a report that could not be made."""
    text = one_line(str(problem) or type(problem).__name__, MOST_ERROR)
    return Entry(group, None, dict.fromkeys(GRADES, 0), text)


def context(
    entries: Sequence[Entry], folder: Path, report: dict[str, Any], by: str, totals: dict[str, Any]
) -> dict[str, Any]:
    """Return what the template of the page shows.

    Parameters
    ----------
    entries : sequence of Entry
        Sorted by name.
    folder : Path
        Where the page stands; links are relative to it.
    report : dict
        Of the whole, as for a report.
    by : str
        What the reports are made by: ``"client"``.
    totals : dict
        ``flights`` and ``hours`` of all reports, each flight once; ``others``, how many flights are
        in none; ``last``, when the last flight was, if the period has none; ``earlier``, folders of
        reports that an earlier run made and this one didn't.
    """
    made = [entry for entry in entries if entry.state == "complete"]
    return {
        "report": report,
        "by": by,
        "texts": {name: say(text) for name, text in _TEXTS[by].items()},
        "rows": [_row(entry, folder) for entry in made],
        "empty": [entry.group.name for entry in entries if entry.state == "nothing to report"],
        "failed": [entry for entry in entries if entry.state == "failed"],
        "flights": number(totals["flights"]),
        "hours": _hours(totals["hours"]),
        "others": totals["others"],
        "last": totals["last"],
        "earlier": with_rest(
            totals["earlier"][:MOST_EARLIER], len(totals["earlier"]) - MOST_EARLIER
        ),
        "grades": GRADES,
    }


def _row(entry: Entry, folder: Path) -> dict[str, Any]:
    paths = entry.paths
    files = [] if paths is None else [path for path in (paths.html, paths.pdf) if path is not None]
    links = [
        (path.suffix[1:].upper(), quote(path.relative_to(folder).as_posix())) for path in files
    ]
    group = entry.group
    return {
        "name": group.name,
        "links": links,
        "flights": number(group.flights),
        "hours": _hours(group.hours),
        "attention": [entry.attention[grade] for grade in GRADES],
    }


def _hours(hours: float | None) -> str:
    return say("not recorded") if hours is None else number(hours, HOURS)
