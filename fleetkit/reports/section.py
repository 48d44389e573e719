"""`Section`: what a notebook hands to the report, as JSON beside SVG figures.

A section says what it asks, what it found, and how far the data reach. Numbers are kept as numbers
and as the texts that show them, so rendering computes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fleetkit.errors import InvalidValue, ReportError
from fleetkit.reports import figures, kpis
from fleetkit.reports.attention import GRADES
from fleetkit.reports.definitions import DEFINITIONS
from fleetkit.reports.folders import replaced
from fleetkit.reports.texts import as_json, shown
from fleetkit.reports.unknown import unknown
from fleetkit.rounding import number

__all__ = ["Section"]

FORMAT = 1
TONES = ("good", "watch", "bad", "")
_NAME = re.compile(r"[a-z][a-z0-9_]*")

Column = str | tuple[str, str] | tuple[str, str, Any]


class Section:
    """One section of a report; a notebook builds it and ends with `save`.

    Parameters
    ----------
    name : str
        Small letters, digits and ``_``; names the folder, the anchor and the template.
    title : str
        Heading.
    question : str
        What the section answers, in a sentence.
    out : str or Path
        Folder that takes ``<name>/section.json`` and its figures.

    Raises
    ------
    InvalidValue
        For a name that can't be one.

    Examples
    --------
    >>> import tempfile
    >>> section = Section(
    ...     "flight_hours", title="Flight hours", question="How much?", out=tempfile.mkdtemp()
    ... )
    >>> section.kpi("Flights", 4812, previous=4535, better="up")
    >>> section.save().name
    'section.json'
    """

    def __init__(self, name: str, *, title: str, question: str = "", out: str | Path = ".") -> None:
        self.name = _checked(name, "section")
        self.out = Path(out)
        self._figures: dict[str, str] = {}
        self._names: set[str] = set()
        self._content: dict[str, Any] = {
            "format": FORMAT,
            "name": name,
            "title": title,
            "question": question,
            "kpis": [],
            "sentences": [],
            "verdict": "",
            "lines": [],
            "blocks": [],
            "notes": [],
            "coverage": [],
            "attention": [],
            "warnings": [],
            "definitions": [],
        }

    def kpi(
        self,
        label: str,
        value: Any,
        unit: str = "",
        decimals: int = 0,
        *,
        of: int | None = None,
        previous: Any = None,
        year_before: Any = None,
        trend: Iterable[Any] = (),
        better: str = "",
        note: str = "",
        missing: str = "",
        front: bool = True,
    ) -> None:
        """Add a key figure.

        Parameters
        ----------
        label : str
        value, previous, year_before : number, text or null
            Now, in the period before, in the same period a year ago. Null where the earlier one is
            not wholly covered; `note` says why.
        unit : str
            Shown after the value: ``"h"``, ``"%"``. A change of ``"%"`` is in points.
        decimals : int
        of : int, optional
            How many could be counted by the value, in place of a unit: ``"31 of 48"``. Where that
            is 0 nothing was looked at, and there is no value.
        trend : iterable of numbers
            The last twelve months, oldest first; null leaves a gap.
        better : {"up", "down", ""}
            Which way is good news.
        note : str
            A few words under the value.
        missing : str
            Stands for a value that is null; default: a dash.
        front : bool
            Show it on the first page too.
        """
        self._content["kpis"].append(
            kpis.kpi(
                label,
                value,
                unit=unit,
                of=of,
                decimals=decimals,
                previous=previous,
                year_before=year_before,
                trend=trend,
                better=better,
                note=note,
                missing=missing,
                front=front,
            )
        )

    def sentence(self, text: str, *, front: bool = True) -> None:
        """Add what the section found, in one sentence; the first one stands on the first page.

        Parameters
        ----------
        text : str
        front : bool
            False keeps it off the first page.
        """
        self._content["sentences"].append(text)
        if front:
            self._content["verdict"] = self._content["verdict"] or text

    def line(self, label: str, text: str) -> None:
        """Add a line to the section's own block on the first page, which needs no figure.

        Parameters
        ----------
        label : str
            What it is about, in a word or two.
        text : str
            What there is to say.
        """
        self._content["lines"].append({"label": label, "text": text})

    def figure(
        self,
        name: str,
        ax: Any,
        *,
        title: str,
        alt: str,
        caption: str = "",
        front: bool = False,
    ) -> None:
        """Add a chart, and show it in the notebook.

        Parameters
        ----------
        name : str
            Names the SVG file.
        ax : matplotlib Axes
            What ``fk.charts`` returns; drawn now, so it may change afterwards.
        title, caption : str
            Above and below the chart.
        alt : str
            What the chart shows, for those who can't see it.
        front : bool
            Show it on the first page too.
        """
        if not alt.strip():
            raise InvalidValue(
                f"Figure {name!r} has no alt text.", advice="Say in words what it shows."
            )
        self._figures[self._new(name)] = figures.to_svg(ax, alt)
        figures.show(self._figures[name])
        self._add(
            "figure", name, title, caption, front=front, data={"file": f"{name}.svg", "alt": alt}
        )

    def table(
        self,
        name: str,
        frame: pd.DataFrame,
        *,
        title: str,
        caption: str = "",
        columns: Mapping[str, Column] | None = None,
        limit: int | None = None,
        total: Mapping[str, Any] | None = None,
        front: int = 0,
    ) -> None:
        """Add a table.

        Parameters
        ----------
        name : str
        frame : DataFrame
            Rows in the order in which they are shown.
        title, caption : str
            Above and below the table.
        columns : dict, optional
            Column → ``"Label"``, ``("Label", "{:,.1f}")`` or ``("Label", "{}", look)``, in the
            order in which they are shown; default: all. A look is ``"bar"`` (a bar as long as the
            number) or a dict of text → ``"good"``, ``"watch"``, ``"bad"``, ``""`` (a label).
        limit : int, optional
            Show the first rows only; the table says how many there are.
        total : dict, optional
            Column → value of a last row.
        front : int
            How many rows the first page shows too.

        Raises
        ------
        InvalidValue
            A column that the frame doesn't have, a look that is none.
        """
        chosen = _columns(frame, columns, name)
        head = frame if limit is None else frame.head(limit)
        content = {
            "columns": [{"key": key, **column} for key, (column, _) in chosen.items()],
            "rows": [
                _row(values, chosen)
                for values in head[list(chosen)].itertuples(index=False, name=None)
            ],
            "total": _total(total, chosen),
            "of": len(frame),
        }
        self._add("table", self._new(name), title, caption, front=front, data=content)

    def check(self, table: str, frame: pd.DataFrame, **orders: Sequence[str]) -> None:
        """Look for what the reference doesn't know in a table that the section reads.

        The report's last page warns of it.

        Parameters
        ----------
        table : str
            Its name: ``"flights"``.
        frame : DataFrame
            Its rows, as a fleet returns them.
        **orders : sequence of str
            Column → the order of severity of its tokens, which can't be graded if it lacks them.
        """
        self._content["warnings"] += unknown(table, frame, orders)

    def note(self, text: str) -> None:
        """Add a remark that belongs under the section: an exclusion, a unit, a warning."""
        self._content["notes"].append(text)

    def coverage(self, label: str, used: int, of: int, why: str = "") -> None:
        """Say how many rows a figure could use, and what kept the others out."""
        used, of = int(used), int(of)
        if not 0 <= used <= of:
            raise InvalidValue(f"Coverage of {label!r}: {used} of {of} can't be.")
        self._content["coverage"].append(
            {
                "label": label,
                "used": used,
                "of": of,
                "text": f"{number(used)} of {number(of)}",
                "why": why,
            }
        )

    def attention(
        self,
        text: str,
        severity: str = "medium",
        who: str = "",
        when: str = "",
        *,
        summary: str = "",
        count: int = 1,
        days: float = 0,
    ) -> None:
        """Add a line on something that someone should look at; see `reports.attention`.

        Parameters
        ----------
        text : str
        severity : {"high", "medium", "low"}
            Ranks it on the first page.
        who, when : str
            Whom it concerns; since when or by when.
        summary : str
            What the verdict says of it; default: the text.
        count : int
            How many it counts; among lines of one grade those that count most come first.
        days : float
            For how long; among lines that count the same the longest comes first.
        """
        if severity not in GRADES:
            raise InvalidValue(f"Severity {severity!r} of {text!r} is none of {', '.join(GRADES)}.")
        self._content["attention"].append(
            {
                "text": text,
                "severity": severity,
                "who": as_json(who) or "",
                "when": str(when),
                "summary": summary or text,
                "count": int(count),
                "days": float(days),
            }
        )

    def definition(self, term: str, text: str) -> None:
        """Add a definition to the report's appendix."""
        self._content["definitions"].append({"term": term, "text": text})

    def define(self, *chapters: str) -> None:
        """Add all definitions of chapters of `fleetkit.reports.DEFINITIONS`."""
        for chapter in chapters:
            for term, text in DEFINITIONS[chapter].items():
                self.definition(term, text)

    def save(self) -> Path:
        """Write ``section.json`` and the figures, all or nothing; return the JSON's path.

        Raises
        ------
        ReportError
            The folder can't be written.
        """
        folder = self.out / self.name
        try:
            with replaced(folder) as new:
                for name, svg in self._figures.items():
                    (new / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")
                (new / "section.json").write_text(
                    json.dumps(self._content, ensure_ascii=False, allow_nan=False, indent=1),
                    encoding="utf-8",
                )
        except OSError as problem:
            raise ReportError(
                f"The section can't be written to {folder}: {problem.strerror}.",
                advice="Choose another folder.",
            ) from None
        return folder / "section.json"

    def _repr_html_(self) -> str:
        found = self._content
        return (
            f"<b>{self.name}</b>: {len(found['kpis'])} key figures, {len(self._figures)} figures, "
            f"{len(found['blocks']) - len(self._figures)} tables"
        )

    def _new(self, name: str) -> str:
        if _checked(name, "figure or table") in self._names:
            raise InvalidValue(f"Section {self.name!r} already has a {name!r}.")
        self._names.add(name)
        return name

    def _add(
        self, kind: str, name: str, title: str, caption: str, *, front: int, data: dict[str, Any]
    ) -> None:
        block = {"kind": kind, "name": name, "title": title, "caption": caption, "front": front}
        self._content["blocks"].append({**block, **data})


def _checked(name: str, what: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            f"{name!r} can't name a {what}.",
            advice="Use small letters, digits and _, a letter first.",
        )
    return name


def _columns(
    frame: pd.DataFrame, columns: Mapping[str, Column] | None, table: str
) -> dict[str, tuple[dict[str, Any], str]]:
    """Return key → (how the column is shown, format)."""
    wanted = columns or {key: str(key).replace("_", " ").capitalize() for key in frame.columns}
    missing = [key for key in wanted if key not in frame.columns]
    if missing:
        raise InvalidValue(
            f"Table {table!r}: no column {', '.join(missing)}.",
            advice=f"There are: {', '.join(map(str, frame.columns))}.",
        )
    return {key: _column(frame[key], key, spec) for key, spec in wanted.items()}


def _column(values: pd.Series, key: str, spec: Column) -> tuple[dict[str, Any], str]:
    label, form, look = (*((spec,) if isinstance(spec, str) else spec), "", "")[:3]
    if isinstance(look, Mapping) and set(look.values()) <= set(TONES):
        look = dict(look)
    elif look not in ("", "bar"):
        raise InvalidValue(
            f"Column {key!r}: {look!r} is no look.",
            advice=f"A look is 'bar' or a dict of text → {', '.join(TONES[:3])}.",
        )
    numeric = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    column: dict[str, Any] = {"label": label, "align": "end" if numeric else "start", "look": look}
    if look == "bar":
        longest = pd.to_numeric(values, errors="coerce").max()
        column["longest"] = as_json(longest) or 0
    return column, "" if form in ("", "{}") else form


def _row(
    values: Iterable[Any], columns: Mapping[str, tuple[dict[str, Any], str]]
) -> dict[str, list[Any]]:
    values = list(values)
    forms = (form for _, form in columns.values())
    return {
        "values": [as_json(value) for value in values],
        "texts": [shown(value, form) for value, form in zip(values, forms, strict=True)],
    }


def _total(
    total: Mapping[str, Any] | None, columns: Mapping[str, tuple[dict[str, Any], str]]
) -> dict[str, list[Any]] | None:
    """Return the last row; a column without a total stays empty, which is not null."""
    if total is None:
        return None
    row = _row([total.get(key) for key in columns], columns)
    texts = zip(columns, row["texts"], strict=True)
    return {**row, "texts": [text if key in total else "" for key, text in texts]}
