"""What every explorer does: hold a state, take changes to it, show the newest one.

::

    a cell, or an action in the browser ─→ States.advance ─→ render (a pure function) ─→ Screen

Changes come from any thread and are applied one at a time. Rendering has a lock of its own, which
all explorers share, and skips what was superseded meanwhile: five fast clicks are rendered once.
Requests about a state, such as an export, carry its number and are answered for that state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache, partial
from numbers import Integral
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets
import pandas as pd

from fleetkit import language, settings, views
from fleetkit.arguments import checked_number, refuse_unknown, texts
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.explore import view
from fleetkit.explore.comparing import Beside
from fleetkit.explore.controls import Controls
from fleetkit.explore.fields import Choices, Field
from fleetkit.explore.making import ReportMaker
from fleetkit.explore.opening import at_first, divided, opened, without_option
from fleetkit.explore.panes import PANES, Panes, numbered
from fleetkit.explore.pictures import as_pictures
from fleetkit.explore.records import Records
from fleetkit.explore.screen import STYLE, Screen
from fleetkit.explore.state import State, States
from fleetkit.explore.subject import Selection, Subject
from fleetkit.explore.table import page_within, pages, table
from fleetkit.explore.takeaway import Compared, Form, Takeaway
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.interface import brief
from fleetkit.time import instant

__all__ = ["Explorer"]

_log = logging.getLogger(__name__)


# All that an explorer says is in one language, also where a notebook prints in another one.
_in_english = language.using(language.ENGLISH)
# A state's choices as a key.
Frozen = tuple[tuple[str, Any], ...]
# Selections and charts that are cached: of the newest state, and of those exported meanwhile.
_CACHED = 4
# Of all explorers: code may set one whenever another is shown anew, and the other way round, so
# two threads with a lock of each would wait for each other.
_RENDERING = RLock()
_LOOK = f"<style>{STYLE}</style>"


class Explorer(widgets.VBox):  # type: ignore[misc] # ipywidgets has no types
    """A widget whose controls choose rows of a subject, and whose panes show one state.

    Parameters
    ----------
    kind : type
        The `Subject` to make of the fleet: what there is to choose from.
    fleet : Fleet
        Where it comes from.
    chosen : Filter or str, optional
        What is chosen at first, or the name of a view; what no control can hold narrows the fleet.
    other : Filter or str, optional
        What stands beside it at first: a filter, a view, or an option of ``controls.compare``.
    **options
        What else the subject takes.

    Attributes
    ----------
    controls : Controls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    @_in_english
    def __init__(
        self,
        kind: type[Any],
        fleet: Fleet,
        chosen: Filter | str | None = None,
        other: Filter | str | None = None,
        **options: Any,
    ) -> None:
        held, rest = divided(at_first(fleet, chosen), kind, fleet.tz)
        while True:
            fleet = fleet.where(rest) if rest else fleet
            subject: Subject = kind(fleet, **options)
            # The fleet refuses a value that no record has; others it keeps in its own filter.
            rest, held = without_option(held, subject.fields)
            if not rest:
                break
        self._subject = subject
        self._fleet, self._read_at = fleet, fleet.read_at
        self._takeaway = Takeaway(fleet, subject)
        self._opened = ""
        self._select = lru_cache(maxsize=_CACHED)(self._selected)
        self._draw = lru_cache(maxsize=_CACHED)(self._drawn)
        fields = subject.fields
        blank = {name: field.blank for name, field in fields.items() if field.stored}
        choices = opened(held, fields, blank, fleet.tz, kind.held_lists)
        if other is not None:
            choices = fields["compare"].choose(choices, other)
        hidden = tuple(name for name, column in subject.columns.items() if not column.is_shown)
        self._states = States(State(choices, subject.first_order, hidden=hidden))
        first = self._states.current
        self.screen = Screen(label=subject.label, **self._payload(first, self.render(first)))
        super().__init__([self.screen])
        self.add_class("fk-explorer")
        self._records = Records()
        self._reports = ReportMaker(fleet, subject.span, self._tell)
        self._may_save = True
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="fleetkit-explorer")
        self.screen.on_msg(self._receive)
        self.controls = Controls(fields, lambda: self._choices, self._choose, self._reset)

    @property
    def filter(self) -> Filter:
        """What is chosen, with what the fleet was narrowed by; fits every call and the report."""
        return self._filter(self._states.current)

    @property
    def rows(self) -> pd.DataFrame:
        """The rows that are chosen, in the order of the table; columns as the fleet's table."""
        return self._rows(self._states.current)

    @property
    def page(self) -> int:
        """Page of the table, counted from 0."""
        state = self._states.current
        return page_within(state.page, len(self._selection(state)))

    @page.setter
    def page(self, page: int) -> None:
        number = int(checked_number(page, "page", kind=Integral))
        self._change(lambda state: state.turn(number))

    @property
    def order_by(self) -> str:
        """Order of the table: a column and ``_asc`` or ``_desc``."""
        return self._states.current.order_by

    @order_by.setter
    def order_by(self, order_by: str) -> None:
        self._change(lambda state: self._ordered(state, order_by))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table that are shown."""
        hidden = self._states.current.hidden
        return tuple(name for name in self._subject.columns if name not in hidden)

    @columns.setter
    def columns(self, columns: Iterable[str]) -> None:
        shown = texts(columns, "columns")
        refuse_unknown(shown, list(self._subject.columns), "column")
        if not shown:
            raise InvalidValue("columns=[] shows nothing.", advice="Name one column or more.")
        hidden = [name for name in self._subject.columns if name not in shown]
        self._change(lambda state: state.hide(hidden))

    def back(self) -> None:
        """Go back to what was chosen before."""
        self._change(State.back)

    def forward(self) -> None:
        """Go forward again to what was chosen after."""
        self._change(State.forward)

    def save_view(self, name: str) -> Path:
        """Save what is chosen as a view, for ``--filter @name`` and ``fleet.where("@name")``.

        Parameters
        ----------
        name : str
            Letters, digits, - and _; a view of this name is replaced.

        Returns
        -------
        Path
            The settings file that holds it.

        Raises
        ------
        InvalidValue
            A name that can't be one, nothing is chosen, or the file can't be written.
        """
        path = settings.file()
        views.save(path, name, self.filter)
        return path

    def serve_reader(self, folder: Path) -> None:
        """Serve one who reads a page and has no files on this machine: save no views.

        Parameters
        ----------
        folder : Path
            Takes the reports that are made; they are sent to the reader, who is not told of it.
        """
        self._may_save = False
        self._reports.send_only(folder)

    @_in_english
    def render(self, state: State) -> Panes:
        """Return the HTML of a state."""
        choices, subject = state.choices, self._subject
        selection, problem = self._select(_frozen(choices))
        beside = subject.beside(choices)
        other = self._other(beside)
        shown = [selection] if other is None else [selection, other]
        announcements = [subject.announce(chosen) for chosen in shown]
        chosen, of_fleet = subject.chips(choices), self._takeaway.of_fleet
        return Panes(
            chips=view.chips(chosen, problem or state.problem, of_fleet) + self._age(),
            figures=self._figures(selection, beside, other),
            chart=self._draw(_frozen(choices)),
            chosen=view.chosen(self._forms(state, selection, other)),
            table=table(selection, choices, state.order_by, state.page, state.hidden),
            announcement=", compared with ".join(announcements) + _turned(state.page, selection),
        )

    def _age(self) -> str:
        """Return a sentence once the fleet holds other data: what is shown stays of one state."""
        if self._fleet.read_at == self._read_at:
            return ""
        return view.older(instant(self._read_at, self._fleet.tz))

    def _other(self, beside: Beside | None) -> Selection | None:
        """Return the rows that stand beside those that are chosen, if any do."""
        if beside is None or beside.choices is None:
            return None
        return self._select(_frozen(beside.choices))[0]

    def _figures(self, selection: Selection, beside: Beside | None, other: Selection | None) -> str:
        """Return the key figures, the other ones beside them."""
        cards = self._subject.cards(selection)
        others = [] if other is None else self._subject.cards(other)
        return view.figures(cards, beside.title if beside else "", others)

    def export(self, state: State, form: str) -> tuple[str, bytes]:
        """Return name and content of a file with the rows of a state: csv, xlsx or parquet."""
        chosen = self._filter(state)
        ends = (end for end in (chosen.since, chosen.until) if end)
        name = "-".join([self._subject.file_name, *ends]).replace(":", "")
        return f"{name}.{form}", self._selection(state).file(state.order_by, form)

    def close(self) -> None:
        """Close the explorer: its comms, and the thread that renders."""
        super().close()
        if executor := getattr(self, "_executor", None):
            self.screen.close()
            self.layout.close()
            executor.shutdown(wait=False, cancel_futures=True)

    def _filter(self, state: State) -> Filter:
        chosen = self._subject.to_filter(state.choices, self._selection(state))
        return self._takeaway.whole(chosen)

    def _rows(self, state: State) -> pd.DataFrame:
        return self._selection(state).rows(state.order_by)

    def _selection(self, state: State) -> Selection:
        return self._select(_frozen(state.choices))[0]

    def _selected(self, choices: Frozen) -> tuple[Selection, str]:
        """Return what is chosen; nothing, and why, where the choices contradict."""
        try:
            return self._subject.select(dict(choices)), ""
        except FleetkitError as problem:
            return self._subject.nothing(), str(problem)

    def _drawn(self, choices: Frozen) -> str:
        return self._subject.chart(self._select(choices)[0], dict(choices))

    def _forms(self, state: State, selection: Selection, other: Selection | None) -> list[Form]:
        """Return what is chosen in its export forms, with what stands beside it."""
        choices, subject = state.choices, self._subject
        counted = f"{len(selection):,} of {subject.count(len(subject))}"
        words = self._takeaway.in_words(counted, subject.in_words(choices))
        chosen, beside = subject.to_filter(choices, selection), subject.beside(choices)
        if beside is None:
            return [Form("In words", words), *self._takeaway.forms(chosen, subject.span)]
        option = choices["compare"] if isinstance(choices["compare"], str) else ""
        if beside.choices is None or other is None:
            # A period beside another one stays in the link, also while nothing is known of it.
            waiting = Compared(None, option, ends=_ends(choices))
            return [Form("In words", words), *self._takeaway.forms(chosen, subject.span, waiting)]
        words = f"{words}. Compared with {beside.title}: {subject.count(len(other))}"
        compared = Compared(
            subject.to_filter(beside.choices, other),
            option,
            subject.comparison(choices),
            _ends(choices),
        )
        return [Form("In words", words), *self._takeaway.forms(chosen, subject.span, compared)]

    @property
    def _choices(self) -> Choices:
        return self._states.current.choices

    def _change(self, change: Callable[[State], State]) -> None:
        """Apply a change that code makes; everything shown follows before this returns."""
        self._states.advance(change)
        self._show_newest()

    def _choose(self, name: str, value: Any) -> None:
        self._change(lambda state: self._chosen(state, name, value))

    def _reset(self) -> None:
        self._change(self._blank)

    def _chosen(self, state: State, name: str, value: Any) -> State:
        return state.choose(self._subject.fields[name].choose(state.choices, value))

    def _blank(self, state: State) -> State:
        fields = {name: self._subject.fields[name] for name in state.choices}
        blank = {name: field.blank for name, field in fields.items() if not field.is_display}
        return state.choose({**state.choices, **blank})

    def _show_newest(self) -> None:
        """Render the newest state, unless that was done by whoever held the lock before."""
        with _RENDERING:
            state = self._states.current
            if state.number <= self.screen.number or self.comm is None:
                return
            try:
                self.screen.show(**self._payload(state, self.render(state)))
                self._records.update(self._record)
            except Exception as error:
                self.screen.show(**self._payload(state, view.failure(error)))
                raise

    def _payload(self, state: State, panes: Panes) -> dict[str, Any]:
        """Return all that the browser shows of a state, as the screen's traits."""
        fields, choices = self._subject.fields.values(), state.choices
        shown = {
            "number": state.number,
            "actions": dict(state.actions),
            "values": {field.name: field.format(field.value(choices)) for field in fields},
            "counts": {field.name: self._counts(state, field) for field in fields},
            "back": bool(state.past),
            "forward": bool(state.future),
            "panes": {name: getattr(panes, name) for name in PANES},
            "announcement": panes.announcement,
        }
        controls = [field.describe(choices) for field in fields if field.kind]
        return {"controls": controls, "shown": shown}

    def _counts(self, state: State, field: Field) -> list[int | None]:
        """Return how many rows each option would leave; nothing of a long list that is closed."""
        if len(field.tokens) > self._subject.most_counted and field.name != self._opened:
            return []
        return field.counts(self._selection(state).match, state.choices)

    def _open(self, name: str) -> None:
        """Count the options of a long list, from now on until another one is opened."""
        self._opened = name
        with _RENDERING:
            shown = self.screen.shown
            if self.comm is not None and name in shown["counts"]:
                counted = self._counts(self._at(shown["number"]), self._subject.fields[name])
                self.screen.shown = {**shown, "counts": {**shown["counts"], name: counted}}

    def _receive(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Take a message of the browser, in whichever thread it comes.

        ``{client, changes: [{name, value, action, asked_at}, …]}`` are all changes of a client's
        that no state shown to it includes, oldest first; ``{client, export: number, form}`` asks
        for the rows of a state as a file; ``{client, opened: name}`` for the counts of a list;
        ``{save: number, view: name}`` names a state's filter; ``{report: number}`` makes a report
        of it, and ``{client, file: form}`` asks for the report's file.
        """
        if "changes" in message:
            client, changes = message["client"], message["changes"]
            self._states.advance(partial(self._include, client, changes))
            self._submit(self._show_newest)
        elif "opened" in message:
            self._submit(partial(self._open, message["opened"]))
        elif "export" in message:
            form = message.get("form", "csv")
            self._submit(partial(self._send_export, message["client"], message["export"], form))
        elif "save" in message and self._may_save:
            self._submit(partial(self._save, self._at(message["save"]), message["view"]))
        elif "save" in message:
            self._tell(view.problem("Views are not saved from this page."))
        elif "report" in message:
            self._reports.start(self._filter(self._at(message["report"])))
        elif "file" in message:
            self._submit(partial(self._send_file, message["client"], message["file"]))

    def _at(self, number: int) -> State:
        """Return the state that a browser showed; the newest one where that is long gone."""
        return self._states.get(number) or self._states.current

    def _tell(self, html: str) -> None:
        """Show what came of a button; for a report a service is read anew."""
        if self.comm is not None:
            self.screen.outcome = html
            self._submit(self._show_age)

    def _show_age(self) -> None:
        """Show the newest state once more where it doesn't say yet that the fleet holds others."""
        if self._age() not in self.screen.chips:
            self._change(replace)

    def _save(self, state: State, name: str) -> None:
        path = settings.file()
        try:
            had_view = views.save(path, str(name), self._filter(state))
        except FleetkitError as error:
            self._tell(view.problem(str(error)))
            return
        self._tell(view.saved(str(name), str(path.resolve()), had_view=had_view))

    def _include(self, client: str, changes: list[dict[str, Any]], state: State) -> State:
        """Return the state with those of a client's changes that it doesn't include yet.

        Messages may come twice or in another order: each holds what the ones before it held.
        """
        done = state.actions.get(client, 0)
        new = [change for change in changes if change["action"] > done]
        if not new:
            return state
        problems = []
        for change in new:
            try:
                state = self._changed(state, **change)
            except FleetkitError as error:
                problems.append(str(error))
            except Exception as error:
                problems.append(f"{brief(change.get('name'))} could not be changed: {error!r}.")
                _log.exception("An explorer failed.")
        return state.acknowledge(client, new[-1]["action"], " ".join(problems))

    def _changed(self, state: State, *, name: str, value: Any, asked_at: int, **_: Any) -> State:
        changes: dict[str, Callable[[], State]] = {
            "reset": lambda: self._blank(state),
            "back": state.back,
            "forward": state.forward,
            "choose": lambda: self._with_choices(state, value),
            "order_by": lambda: self._ordered(state, value),
            "column": lambda: self._with_column(state, value),
            "page": lambda: state.turn(int(value), asked_at=asked_at),
        }
        if name in changes:
            return changes[name]()
        return self._chosen(state, name, self._subject.fields[name].parse(value))

    def _with_choices(self, state: State, values: Mapping[str, Any]) -> State:
        """Return the state with what one click chooses, in several fields: it is one step back."""
        choices = state.choices
        for name, value in values.items():
            field = self._subject.fields[name]
            choices = field.choose(choices, field.parse(value))
        return state.choose(choices)

    def _ordered(self, state: State, order_by: str) -> State:
        self._subject.check_order(order_by)
        return state.order(order_by)

    def _with_column(self, state: State, name: str) -> State:
        """Return the state with a column shown or hidden; the last one stays."""
        hidden = {*state.hidden} ^ {name}
        columns = self._subject.columns
        if not hidden <= {*columns} or len(hidden) == len(columns):
            return state
        return state.hide([name for name in columns if name in hidden])

    def _send_export(self, client: str, number: int, form: str) -> None:
        state = self._states.get(number)
        if state is None:  # too old: the browser asks again, for the state shown now
            self.screen.send({"client": client, "retry": form})
            return
        try:
            name, content = self.export(state, form)
        except Exception as error:
            self.screen.send({"client": client, "problem": f"The export failed: {error}"})
            raise
        self.screen.send({"client": client, "name": name, "number": number}, [content])

    def _send_file(self, client: str, form: str) -> None:
        try:
            name, content = self._reports.file(form)
        except (KeyError, OSError):
            gone = "The report's file can't be read any more: make the report again."
            self.screen.send({"client": client, "problem": gone})
            return
        self.screen.send({"client": client, "name": name}, [content])

    def _submit(self, job: Callable[[], None]) -> None:
        """Run a job after those before it, as a part of the message being handled.

        ipykernel tells by the context which message an answer belongs to, and sends the browser's
        next one to the same thread; without it that would be the main thread, busy with cells.
        """
        if self.comm is not None:
            self._executor.submit(copy_context().run, job).add_done_callback(_log_failure)

    def _static_html(self) -> str:
        """Return the state as it is now, for readers without a kernel."""
        state = self._states.current
        panes = self.render(state)
        shown = {name: numbered(state.number, getattr(panes, name)) for name in PANES}
        return _LOOK + _static(shown)

    def _record(self) -> str:
        """Return the state that the screen shows; hidden where the screen itself is."""
        return _static({name: getattr(self.screen, name) for name in PANES}, self.screen.record)

    def _ipython_display_(self, **kwargs: Any) -> None:
        bundle = self._repr_mimebundle_(**kwargs)
        del bundle["text/html"]
        # Readers without widgets keep showing this text, above a record that is newer.
        bundle["text/plain"] = f"{type(self).__name__}: its newest state is below"
        self._records.show(_LOOK, bundle, self._record())

    def __repr__(self) -> str:
        chosen = len(self._selection(self._states.current))
        all_rows = self._subject.count(len(self._subject))
        return f"<{type(self).__name__}: {chosen:,} of {all_rows}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        return bundle | {"text/plain": repr(self), "text/html": self._static_html()}


def _static(panes: Mapping[str, str], record: str = "") -> str:
    shown = "".join(as_pictures(html) if name == "chart" else html for name, html in panes.items())
    return (
        f'<div class="fk-explorer fk-static {record}"><p class="fk-hint">'
        "As it stood when the notebook was saved; run it in Jupyter to have the controls.</p>"
        f"{shown}</div>"
    )


def _turned(page: int, selection: Selection) -> str:
    """Return what a screen reader says of a page that was turned to; nothing of the first one."""
    shown = page_within(page, len(selection))
    return f", page {shown + 1:,} of {pages(len(selection)):,}" if shown else ""


def _frozen(choices: Choices) -> Frozen:
    """Return the choices as a key of what is cached."""
    return tuple(choices.items())


def _ends(choices: Choices) -> tuple[str | None, str | None]:
    """Return the ends of the period that is chosen, as a filter has them."""
    since, until = (choices.get(name) for name in ("since", "until"))
    return since and since.isoformat(), until and until.isoformat()


def _log_failure(future: Future[None]) -> None:
    """Log the traceback; the browser shows only one sentence."""
    if not future.cancelled() and (error := future.exception()) is not None:
        _log.error("An explorer failed.", exc_info=error)
