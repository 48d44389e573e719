"""The states of an explorer: immutable, numbered, one after the other.

What an explorer shows is a function of one state, so everything on the screen bears one number. In
JupyterLab a change may come from a cell, or from the browser in any of several threads; each is
applied here under one lock, to the state that the one before it left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from types import MappingProxyType
from typing import Any

__all__ = ["State", "States"]

# States that an export may still ask for; for an older one, the browser asks again.
_RECENT = 64
# How many times one can go back.
_STEPS = 100
# Each page of a browser that was ever opened on the explorer is a client.
_CLIENTS = 16


@dataclass(frozen=True)
class State:
    """One state of an explorer.

    A change that changes nothing returns the state itself: code that sets a control whenever
    another explorer is shown anew, and the other way round, comes to an end.

    Attributes
    ----------
    number : int
        Counted from 1; each change makes the next one.
    choices : mapping
        Name of a field → what is chosen in it.
    order_by : str
        Order of the table.
    page : int
        Page of the table, counted from 0.
    hidden : tuple of str
        Columns of the table that aren't shown.
    past, future : tuple of mappings
        The choices to go back to, newest last, and those to go forward to, nearest last.
    rows_since : int
        Number of the first state with the rows of this one in the same order: a page that was
        asked for at an earlier state is a page of other rows.
    actions : mapping
        Client → number of its last action that this state includes.
    problem : str
        What was wrong with the last change, if anything.
    """

    choices: Mapping[str, Any]
    order_by: str
    number: int = 1
    page: int = 0
    hidden: tuple[str, ...] = ()
    past: tuple[Mapping[str, Any], ...] = ()
    future: tuple[Mapping[str, Any], ...] = ()
    rows_since: int = 1
    actions: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", MappingProxyType(dict(self.choices)))
        object.__setattr__(self, "actions", MappingProxyType(dict(self.actions)))

    def choose(self, choices: Mapping[str, Any]) -> State:
        """Return the state with other choices, on its first page; one can go back from it."""
        if choices == self.choices:
            return self._without_problem()
        past = (*self.past, self.choices)[-_STEPS:]
        changed = replace(self, choices=choices, past=past, future=(), problem="")
        return changed._on_other_rows()

    def back(self) -> State:
        """Return the state with the choices before; itself without any."""
        if not self.past:
            return self
        *past, choices = self.past
        future = (*self.future, self.choices)
        changed = replace(self, choices=choices, past=tuple(past), future=future, problem="")
        return changed._on_other_rows()

    def forward(self) -> State:
        """Return the state with the choices that one went back from; itself without any."""
        if not self.future:
            return self
        *future, choices = self.future
        past = (*self.past, self.choices)
        changed = replace(self, choices=choices, past=past, future=tuple(future), problem="")
        return changed._on_other_rows()

    def hide(self, hidden: Iterable[str]) -> State:
        """Return the state with other columns hidden."""
        names = tuple(hidden)
        return self if names == self.hidden else replace(self, hidden=names)

    def order(self, order_by: str) -> State:
        """Return the state in another order, on its first page."""
        if order_by == self.order_by:
            return self._without_problem()
        return replace(self, order_by=order_by, problem="")._on_other_rows()

    def turn(self, page: int, *, asked_at: int | None = None) -> State:
        """Return the state on another page, unless it was asked at a state of other rows."""
        if asked_at is not None and asked_at < self.rows_since:
            return self
        number = max(page, 0)
        return self if number == self.page else replace(self, page=number)

    def acknowledge(self, client: str, action: int, problem: str) -> State:
        """Return the state with an action of a client's included."""
        others = {name: done for name, done in self.actions.items() if name != client}
        latest = dict(list(others.items())[-(_CLIENTS - 1) :])
        return replace(self, actions={**latest, client: action}, problem=problem)

    def _without_problem(self) -> State:
        return replace(self, problem="") if self.problem else self

    def _on_other_rows(self) -> State:
        return replace(self, page=0, rows_since=self.number + 1)


class States:
    """The current state of an explorer and the recent ones.

    Parameters
    ----------
    first : State
        What the explorer opens with.
    """

    def __init__(self, first: State) -> None:
        self._lock = Lock()
        self._recent = OrderedDict({first.number: first})
        self._current = first

    @property
    def current(self) -> State:
        """The newest state."""
        return self._current

    def get(self, number: int) -> State | None:
        """Return the state of that number; None where it is unknown or long gone."""
        with self._lock:
            return self._recent.get(number)

    def advance(self, change: Callable[[State], State]) -> State:
        """Apply a change to the current state and return what became current.

        A change that returns the state itself makes no new one; one that raises leaves it as it is.
        """
        with self._lock:
            changed = change(self._current)
            if changed is not self._current:
                self._current = replace(changed, number=self._current.number + 1)
                self._recent[self._current.number] = self._current
                if len(self._recent) > _RECENT:
                    self._recent.popitem(last=False)
            return self._current
