"""What every explorer does: hold a state, take changes to it, show the newest one.

::

    a cell, or an action in the browser ─→ States.advance ─→ render (a pure function) ─→ Screen

Changes come from any thread and are applied one at a time. Rendering has a lock of its own, and
skips what was superseded meanwhile: five fast clicks are rendered once. Requests about a state,
such as an export, carry its number and are answered for that state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import RLock
from typing import Any

import ipywidgets as widgets

from fleetkit.errors import FleetkitError
from fleetkit.explore.fields import Choices, Field
from fleetkit.explore.panes import PANES, Panes, numbered
from fleetkit.explore.screen import STYLE, Screen
from fleetkit.explore.state import State, States
from fleetkit.explore.view import failure

__all__ = ["Explorer"]

_log = logging.getLogger(__name__)


class Explorer(widgets.VBox):  # type: ignore[misc] # ipywidgets has no types
    """A widget whose controls choose, and whose panes show one state.

    Parameters
    ----------
    fields : mapping
        What can be chosen, by name.
    order_by : str
        Order to begin with.

    Attributes
    ----------
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    label = "Explorer"

    def __init__(self, fields: Mapping[str, Field], order_by: str) -> None:
        self._fields = fields
        blank = {name: field.blank for name, field in fields.items() if field.stored}
        self._states = States(State(blank, order_by))
        self._rendering = RLock()
        first = self._states.current
        self.screen = Screen(label=self.label, **self._payload(first, self.render(first)))
        super().__init__([self.screen])
        self.add_class("fk-explorer")
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="fleetkit-explorer")
        self.screen.on_msg(self._receive)

    def render(self, state: State) -> Panes:
        """Return the HTML of a state."""
        raise NotImplementedError

    def export(self, state: State) -> tuple[str, bytes]:
        """Return file name and content of a state's rows."""
        raise NotImplementedError

    def check_order(self, order_by: str) -> None:
        """Refuse an order that the table doesn't have."""
        raise NotImplementedError

    @property
    def order_by(self) -> str:
        """Order of the table."""
        return self._states.current.order_by

    @order_by.setter
    def order_by(self, order_by: str) -> None:
        self.check_order(order_by)
        self._change(lambda state: state.order(order_by))

    def close(self) -> None:
        """Close the explorer: its comms, and the thread that renders."""
        super().close()
        if executor := getattr(self, "_executor", None):
            self.screen.close()
            self.layout.close()
            executor.shutdown(wait=False, cancel_futures=True)

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
        field = self._fields[name]
        return state.choose(field.choose(state.choices, value), other_rows=field.narrows)

    def _blank(self, state: State) -> State:
        return state.choose({name: self._fields[name].blank for name in state.choices})

    def _show_newest(self) -> None:
        """Render the newest state, unless that was done by whoever held the lock before."""
        with self._rendering:
            state = self._states.current
            if state.number <= self.screen.number or self.comm is None:
                return
            try:
                self.screen.show(**self._payload(state, self.render(state)))
            except Exception as error:
                self.screen.show(**self._payload(state, failure(error)))
                raise

    def _payload(self, state: State, panes: Panes) -> dict[str, Any]:
        """Return all that the browser shows of a state, as the screen's traits."""
        fields, choices = self._fields.values(), state.choices
        shown = {
            "number": state.number,
            "actions": dict(state.actions),
            "values": {field.name: field.format(field.value(choices)) for field in fields},
            "panes": {name: getattr(panes, name) for name in PANES},
            "announcement": panes.announcement,
        }
        return {"controls": [field.describe(choices) for field in fields], "shown": shown}

    def _receive(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Take a message of the browser, in whichever thread it comes.

        ``{client, changes: [{name, value, action, asked_at}, …]}`` are all changes of a client's
        that no state shown to it includes, oldest first; ``{client, export: number}`` asks for the
        rows of a state.
        """
        if "changes" in message:
            client, changes = message["client"], message["changes"]
            self._states.advance(partial(self._include, client, changes))
            self._submit(self._show_newest)
        elif "export" in message:
            self._submit(partial(self._send_export, message["client"], message["export"]))

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
                problems.append(f"{change.get('name')!r} could not be changed: {error!r}.")
                _log.exception("An explorer failed.")
        return state.acknowledge(client, new[-1]["action"], " ".join(problems))

    def _changed(self, state: State, *, name: str, value: Any, asked_at: int, **_: Any) -> State:
        if name == "reset":
            return self._blank(state)
        if name == "order_by":
            self.check_order(value)
            return state.order(value)
        if name == "page":
            return state.turn(int(value), asked_at=asked_at)
        return self._chosen(state, name, self._fields[name].parse(value))

    def _send_export(self, client: str, number: int) -> None:
        state = self._states.get(number)
        if state is None:  # too old: the browser asks again, for the state shown now
            self.screen.send({"client": client, "retry": True})
            return
        try:
            name, content = self.export(state)
        except Exception as error:
            self.screen.send({"client": client, "problem": f"The export failed: {error}"})
            raise
        self.screen.send({"client": client, "name": name, "number": number}, [content])

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
        shown = "".join(numbered(state.number, getattr(panes, name)) for name in PANES)
        return (
            f'<style>{STYLE}</style><div class="fk-explorer fk-static"><p class="fk-hint">'
            "As it stood when the notebook ran; run it in Jupyter to have the controls.</p>"
            f"{shown}</div>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        return bundle | {"text/plain": repr(self), "text/html": self._static_html()}


def _log_failure(future: Future[None]) -> None:
    """Log the traceback; the browser shows only one sentence."""
    if not future.cancelled() and (error := future.exception()) is not None:
        _log.error("An explorer failed.", exc_info=error)
