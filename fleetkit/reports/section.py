"""`Section`: what a notebook hands to the report, as JSON beside SVG figures.

A section says its question, its findings, and how far the data reach. Numbers are stored as numbers
and as the texts that show them, so rendering computes nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd

from fleetkit import metrics, svg
from fleetkit.arguments import (
    checked_folder,
    checked_names,
    checked_number,
    is_finite,
    refuse_unknown,
    texts,
)
from fleetkit.blanks import is_blank
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.explanation import explain, is_explained
from fleetkit.interface import brief, ipython
from fleetkit.kinds import is_open
from fleetkit.language import say
from fleetkit.lettering import is_text
from fleetkit.reports import kpis
from fleetkit.reports.attention.lines import GRADES, Grade
from fleetkit.reports.definitions import DEFINITIONS
from fleetkit.reports.folders import replaced
from fleetkit.reports.kpis import Better
from fleetkit.reports.naming import checked_name
from fleetkit.reports.tabulating import (
    MOST_ROWS,
    Column,
    as_data,
    check_frame,
    shared_names,
    tabulated,
)
from fleetkit.reports.texts import shown
from fleetkit.reports.unknown import unknown
from fleetkit.rounding import number
from fleetkit.time import to_local_time

__all__ = ["Section"]

FORMAT = 1
# Folder for the data of tables and figures.
_DATA = "data"


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
        self.name = checked_name(name, "section")
        self.out = checked_folder(out)
        self._folder = self.out.absolute() / name  # also where a cell goes to another folder later
        self._figures: dict[str, str] = {}
        self._narrow: dict[str, str] = {}
        self._data: dict[str, str] = {}
        self._names: set[str] = set()
        self._shared_names: dict[str, set[Any]] = {}
        self._content: dict[str, Any] = {
            "format": FORMAT,
            "name": name,
            "title": _said(title),
            "question": _said(question),
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

    @checked_names("argument of Section.kpi")
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
        better: Better = "",
        note: str = "",
        missing: str = "",
        front: bool = True,
        metric: str | Iterable[str] = (),
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
            Stands for a value that is null, or a text of blanks; default: a dash.
        front : bool
            Show it on the first page too.
        metric : str or iterable of str
            Metrics that it is counted by: the HTML shows their definitions where a reader asks how,
            with the section's coverage of the same label.

        Raises
        ------
        InvalidValue
            A label, unit or note that is no text, or another argument of the wrong kind.
        """
        figure = kpis.kpi(
            _said(label),
            value,
            unit=_said(unit),
            of=of,
            decimals=decimals,
            previous=previous,
            year_before=year_before,
            trend=trend,
            better=better,
            note=_said(note),
            missing=_said(missing),
            front=bool(front),
        )
        self._content["kpis"].append({**figure, "how": _how(metric)})

    @checked_names("argument of Section.sentence")
    def sentence(self, text: str, *, front: bool = True) -> None:
        """Add a result of the section, in one sentence; the first one is shown on the first page.

        Parameters
        ----------
        text : str
        front : bool
            False keeps it off the first page.
        """
        text = _said(text)
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
        self._content["lines"].append({"label": _said(label), "text": _said(text)})

    @checked_names("argument of Section.figure")
    def figure(
        self,
        name: str,
        ax: Any,
        *,
        title: str,
        alt: str,
        caption: str = "",
        front: int = 0,
    ) -> None:
        """Add a chart, and show it in the notebook.

        Parameters
        ----------
        name : str
            Names the SVG file.
        ax : matplotlib Axes
            What ``fk.charts`` returns; drawn now, so it may change afterwards. One that is wider
            than a phone is drawn from its frame once more, for phones.
        title, caption : str
            Above and below the chart.
        alt : str
            What the chart shows, for those who can't see it.
        front : int
            Its place on the first page, counted from 1; there it stands instead of in the section.
            0 leaves it in the section.

        Raises
        ------
        InvalidValue
            No Axes of matplotlib, an alt text that is empty or none, a name that is taken, a place
            that is no whole number.
        """
        if not _text(alt).strip():
            raise InvalidValue(
                f"Figure {brief(name)} has no alt text.", advice="Say in words what it shows."
            )
        alt, drawing = _said(alt), getattr(ax, "drawing", None)
        front = int(checked_number(front, "front", kind=Integral))
        from fleetkit import charts  # noqa: PLC0415 - only notebooks draw
        from fleetkit.charts.drawing.svg import to_svg  # noqa: PLC0415

        self._figures[self._new(name)] = to_svg(ax, alt)
        _show(self._figures[name])
        data: dict[str, Any] = {
            "file": f"{name}.svg",
            "alt": alt,
            "left_out": [],
            "narrow": "",
            "how": _how(),
        }
        if drawing is not None:
            self._data[name] = as_data(drawing.frame)
            data |= {"left_out": drawing.left_out, "how": _how(drawing.chart, ax)}
            data["of"] = len(drawing.frame)
            if drawing.narrow is not None and svg.width(self._figures[name]) > charts.HALF + 1:
                self._narrow[name] = to_svg(drawing.narrow(), alt)
                data["narrow"] = f"{name}.narrow.svg"
        self._add("figure", name, title, caption, front=front, data=data)

    @checked_names("argument of Section.table")
    def table(
        self,
        name: str,
        frame: pd.DataFrame,
        *,
        title: str,
        caption: str = "",
        columns: Mapping[str, Column] | None = None,
        limit: int = MOST_ROWS,
        of: int | None = None,
        sums: str | Sequence[str] = (),
        per: str = "",
        metric: str | Iterable[str] = (),
    ) -> pd.DataFrame:
        """Add a table, and return what it shows: the last value of a notebook's cell.

        Parameters
        ----------
        name : str
        frame : DataFrame
            Rows in the order in which they are shown; their moments are shown in the zone that the
            frame carries.
        title, caption : str
            Above and below the table.
        columns : dict, optional
            Column → ``"Label"``, ``("Label", "{:,.1f}")`` or ``("Label", "{}", style)``, in the
            order in which they are shown; default: all. A page has room for the first twelve, the
            file beside the section holds all. A style is ``"bar"`` (a bar as long as the
            number) or a dict of text → ``"good"``, ``"watch"``, ``"bad"``, ``""`` (a label). A
            fourth part is the name of the column that it is sorted by, where its texts can't be.
        limit : int
            Show the first rows only; the table says how many there are, and ``data/<name>.json``
            beside the section holds them all.
        of : int, optional
            How many rows there are, where the frame holds the first of too many.
        sums : str or sequence of str
            Columns whose values add up: a last row holds their totals over all rows, and says of
            how many the first of them is known, or where that one is of none the next.
        per : str
            A column such as the currency, each of whose values has totals of its own: the first
            ones are of most rows, or of most of what the first of `sums` counts.
        metric : str or iterable of str
            Metrics that it is counted by; default: the one that returned the frame, if one did.

        Returns
        -------
        DataFrame
            The rows and columns that the report shows.

        Raises
        ------
        InvalidValue
            What is no DataFrame of pandas, two columns of one name, a column that the frame doesn't
            have, a label, format or style that can't be used, a number of rows that is none, a sum
            of what doesn't add up, or of the first rows of too many.
        """
        check_frame(frame, name)
        for value, argument in ((limit, "limit"), (0 if of is None else of, "of")):
            checked_number(value, argument, kind=Integral)
        if of is not None and of > len(frame) and texts(sums, "sums"):
            raise InvalidValue(
                f"Table {brief(name)}: a total would be of {len(frame):,} rows, not of all {of:,}.",
                advice="Hand over all rows without of=, or leave out sums.",
            )
        block = tabulated(
            to_local_time(frame),
            columns,
            name=name,
            limit=limit,
            sums=texts(sums, "sums"),
            per=_text(per),
            shared=self._shared_names,
        )
        asked, shown = [*(columns or frame.columns)], [column["key"] for column in block["columns"]]
        notes = [_said(caption)]
        if len(shown) < len(asked):
            counts = {"count": number(len(shown)), "of": number(len(asked))}
            notes.append(say("The first {count} of {of} columns; the file holds all.", **counts))
        if of is not None and of > len(frame):
            block |= {"of": of, "in_file": len(frame)}
            notes.append(say("The file holds the first {count}.", count=number(len(frame))))
        caption = " ".join(filter(None, notes))
        self._data[self._new(name)] = as_data(frame)
        self._add(
            "table", name, title, caption, front=0, data={**block, "how": _how(metric, frame)}
        )
        return frame[shown].head(limit)

    def check(self, table: str, frame: Any, **orders: Sequence[str]) -> None:
        """Look for what the reference doesn't know in a table that the section reads.

        The report's last page warns of it. Equipment, projects and services that share their name
        with another record of such a table, a frame of pandas, have their ids beside it in later
        tables, also where the other one isn't in them. Projects that are over don't count: a job
        comes again under the title that it had.

        Parameters
        ----------
        table : str
            Its name: ``"flights"``.
        frame : frame of any engine
            Its rows, as a fleet returns them.
        **orders : sequence of str
            Column → the order of severity of its tokens, which can't be graded if it lacks them.

        Raises
        ------
        InvalidValue
            What is not a frame, or not the name of a table.
        """
        self._content["warnings"] += unknown(table, frame, orders)
        if isinstance(frame, pd.DataFrame):
            current = frame[is_open(frame["status"])] if table == "projects" else frame
            for key, names in shared_names(table, current).items():
                self._shared_names.setdefault(key, set()).update(names)

    def note(self, text: str) -> None:
        """Add a remark that belongs under the section: an exclusion, a unit, a warning.

        Parameters
        ----------
        text : str
            Nothing is added where it is empty.

        Raises
        ------
        InvalidValue
            It is no text.
        """
        if _text(text):
            self._content["notes"].append(say(text))

    def coverage(self, label: str, used: int, of: int, why: str = "") -> None:
        """Say how many rows a figure could use, and why the others could not be used.

        Parameters
        ----------
        label : str
            The figure's.
        used, of : int
            How many rows it used, of how many.
        why : str
            Why the others could not be used.

        Raises
        ------
        InvalidValue
            More rows used than there are, or a count that is none.
        """
        used, of = _count(used, "used"), _count(of, "of")
        if used > of:
            raise InvalidValue(f"Coverage of {brief(label)}: {used} of {of} is not possible.")
        self._content["coverage"].append(
            {
                "label": _said(label),
                "used": used,
                "of": of,
                "text": say("{used} of {of}", used=number(used), of=number(of)),
                "why": _said(why),
            }
        )

    @checked_names("argument of Section.attention")
    def attention(
        self,
        text: str,
        severity: Grade = "medium",
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
        who, when : str or date
            Whom it concerns; since when or by when. Null is shown as nothing.
        summary : str
            What the verdict says of it; default: the text.
        count : int
            How many it counts; among lines of one grade those that count most come first.
        days : float
            For how long; among lines that count the same the longest comes first.

        Raises
        ------
        InvalidValue
            A severity that is not one of these, a line without a text, a list in place of a text,
            or a count or number of days that is none.
        """
        if not isinstance(severity, str) or severity not in GRADES:
            raise InvalidValue(
                f"Severity {brief(severity)} of {brief(text)} is none of {', '.join(GRADES)}."
            )
        if not _text(text).strip():
            raise InvalidValue(f"A line of attention, {severity}, has no text.")
        self._content["attention"].append(
            {
                "text": text,
                "severity": severity,
                "who": _shown(who),
                "when": _shown(when),
                "summary": _text(summary) or text,
                "count": _count(count, "count"),
                "days": _days(days),
            }
        )

    def definition(self, term: str, text: str) -> None:
        """Add a definition of a term of one's own to the report's appendix.

        Parameters
        ----------
        term, text : str
            What is defined, and what it means, as a sentence.

        Raises
        ------
        InvalidValue
            One of them is no text.
        """
        self._content["definitions"].append({"term": _said(term), "text": _said(text)})

    def define(self, *names: str) -> None:
        """Add the definitions of the metrics that the section shows to the report's appendix.

        Parameters
        ----------
        *names : str
            Metrics, such as ``"idle"``, and terms that belong to none, such as ``"Change"``.

        Raises
        ------
        InvalidValue
            There is no such metric or term; the message suggests a similar one.
        """
        refuse_unknown(names, [*dir(metrics), *DEFINITIONS], "metric or term")
        for name in names:
            terms = {name: DEFINITIONS[name]} if name in DEFINITIONS else metrics.definitions(name)
            for term, text in terms.items():
                self.definition(term, text)

    def save(self) -> Path:
        """Write ``section.json``, figures and data, all or nothing; return the JSON's path.

        ``data/<name>.json`` holds every row of each table, and of each figure of `fk.charts`.

        Raises
        ------
        ReportError
            The folder can't be written.
        """
        folder = self.out / self.name
        try:
            with replaced(self._folder) as new:
                (new / _DATA).mkdir()
                narrow = {f"{name}.narrow": picture for name, picture in self._narrow.items()}
                for name, picture in {**self._figures, **narrow}.items():
                    (new / f"{name}.svg").write_text(picture, encoding="utf-8", newline="\n")
                for name, rows in self._data.items():
                    path = new / _DATA / f"{name}.json"
                    path.write_text(rows, encoding="utf-8", newline="\n")
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
        kpis, blocks = len(self._content["kpis"]), len(self._content["blocks"])
        figures = len(self._figures)
        return (
            f"<b>{self.name}</b>: {kpis} key figures, {figures} figures, {blocks - figures} tables"
        )

    def _new(self, name: str) -> str:
        if checked_name(name, "figure or table") in self._names:
            raise InvalidValue(f"Section {brief(self.name)} already has a {brief(name)}.")
        self._names.add(name)
        return name

    def _add(
        self, kind: str, name: str, title: str, caption: str, *, front: int, data: dict[str, Any]
    ) -> None:
        block = {
            "kind": kind,
            "name": name,
            "title": _said(title),
            "caption": _said(caption),
            "front": front,
        }
        stored = f"{_DATA}/{name}.json" if name in self._data else ""
        self._content["blocks"].append({**block, "data": stored, **data})


def _said(text: Any) -> str:
    """Return a text of a notebook in the language in force."""
    return say(_text(text))


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise InvalidValue(f"{brief(text)} is not a text.", advice="Write it in quotation marks.")
    if not is_text(text):
        raise InvalidValue(f"{brief(text)} holds half of a character, which UTF-8 can't write.")
    return text


def _shown(value: Any) -> str:
    """Return a value as a line shows it; nothing of what is null."""
    if pd.api.types.is_list_like(value):
        raise InvalidValue(
            f"{brief(value)} is not one text.", advice="Join several: fk.language.listed(names)."
        )
    return "" if is_blank(value) else shown(value)


def _count(value: Any, name: str) -> int:
    """Return a count; as a cell of a table it may be 2.0."""
    if checked_number(value, name) % 1:  # infinity leaves NaN, which is true
        raise InvalidValue(f"{name}={brief(value)} is not a whole number.", advice="Write one.")
    return int(value)


def _days(days: Any) -> float:
    if not is_finite(days):
        raise InvalidValue(f"days={brief(days)} is not a number.", advice="Write one, or no days=.")
    return float(days)


def _how(metric: str | Iterable[str] = (), figure: Any = None) -> dict[str, list[Any]]:
    """Return the definitions of metrics, and of what one returned how far its rows reach."""
    explanation = explain(figure) if is_explained(figure) else None
    names = texts(metric, "metric")
    if not any(names):
        names = (explanation.metric,) if explanation else ()
    terms = metrics.definitions(*names) if names else {}
    return {
        "definitions": [{"term": say(term), "text": say(text)} for term, text in terms.items()],
        "coverage": explanation.gaps if explanation else [],
    }


def _show(picture: str) -> None:
    """Show a figure below the notebook cell that makes it; outside of notebooks do nothing."""
    if ipython() is not None:
        sys.modules["IPython"].display.display({"image/svg+xml": picture}, raw=True)
