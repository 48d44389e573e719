"""The fields of an explorer: what each lets one choose, in Python and in the browser.

A field holds no choice of its own; those stand in the explorer's state. It says what may be chosen,
checks what is, and translates between Python's values and the texts of a browser's controls. An
option is sent by its key, never by its position in a list that may have changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd

from fleetkit import exclusion
from fleetkit.blanks import is_blank
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import NOT, Excluding, named_values
from fleetkit.explore.facets import Chosen, Match
from fleetkit.filters import UNKNOWN
from fleetkit.interface import brief, did_you_mean
from fleetkit.lettering import printable

__all__ = [
    "ANSWERS",
    "ANY",
    "NOT_GIVEN",
    "Chip",
    "Choices",
    "DateField",
    "Display",
    "Field",
    "Options",
    "Select",
    "Ticks",
    "shown_token",
]

Options = list[tuple[str, Any]]  # label, value
Choices = Mapping[str, Any]

# Value of a field in which nothing is chosen.
ANY = ""
ANSWERS: Options = [("Yes", True), ("No", False), ("Unknown", UNKNOWN)]
# Stands for a token of blanks.
NOT_GIVEN = "not given"
# Most options that an error lists.
_LISTED = 8
# Most options that a chip names.
_NAMED = 3


@dataclass(frozen=True)
class Chip:
    """One thing that is chosen.

    Attributes
    ----------
    label, text : str
        Of the field, and of what is chosen in it.
    without : dict
        Name of a field → the value, as a browser writes it, that takes it back.
    opposite : dict
        The same that leaves out what is selected, or selects what is left out; empty where nothing
        can be left out.
    is_left_out : bool
        Whether it is left out.
    """

    label: str
    text: str
    without: dict[str, Any]
    opposite: dict[str, Any] = dataclass_field(default_factory=dict)
    is_left_out: bool = False

    @property
    def words(self) -> str:
        """What is chosen, or what is not to be."""
        return f"not {self.text}" if self.is_left_out else self.text


class Field:
    """One field; see the subclasses.

    Parameters
    ----------
    name : str
        Key of its value among the choices.
    label : str
        What stands beside its control.
    blank : object
        Its value where nothing is chosen.
    compact : bool
        Whether its control stands in the last line, beside Reset.
    """

    # How its control is built; empty where something else on the screen is its control.
    kind = ""
    # A field that is only another way to set other fields has no value among the choices.
    stored = True
    # One that says how rows are shown, and chooses none: it stands beside the chart, and stays as
    # it is when the choices are taken back.
    is_display = False
    # Whether values can be left out in it: `Excluding` among the choices.
    can_leave_out = False
    # The options' values, without one that chooses nothing.
    tokens: tuple[Any, ...] = ()

    def __init__(self, name: str, label: str, *, blank: Any, compact: bool = False) -> None:
        self.name = name
        self.label = self.title = label
        self.blank = blank
        self.compact = compact
        self.disabled = False

    def value(self, choices: Choices) -> Any:
        """Return what is chosen in this field."""
        return choices[self.name]

    def chosen(self, choices: Choices) -> Chosen:
        """Return the values of the options that are chosen, or left out; none where nothing is."""
        return ()

    def chips(self, choices: Choices) -> list[Chip]:
        """Return what is chosen in this field and can be taken back."""
        return []

    def counts(self, match: Match, choices: Choices) -> list[int | None]:
        """Return how many rows each option would leave; None where it would change nothing."""
        return []

    def choose(self, choices: Choices, value: Any) -> Choices:
        """Return the choices with another value in this field.

        Raises
        ------
        InvalidValue
            The field doesn't take that value.
        """
        checked = self.check(value)
        if self.disabled and checked != self.blank:
            raise InvalidValue(
                f"{self.label!r} can't be changed here: the fleet's own filter sets it."
            )
        return {**choices, self.name: checked}

    def check(self, value: Any) -> Any:
        """Return the value as the choices hold it; `InvalidValue` where it can't be chosen."""
        raise NotImplementedError

    def parse(self, text: Any) -> Any:
        """Return the value of what a browser sent: a text, or the texts that are left out."""
        if isinstance(text, Mapping) and isinstance(texts := text.get(NOT), list):
            return Excluding(tuple(value for value in map(self.parse, texts) if value != ANY))
        return text

    def format(self, value: Any) -> Any:
        """Return what a browser is sent of a value; see `parse`."""
        if isinstance(value, Excluding):
            return {NOT: [self.format(text) for text in value.values]}
        return value

    def _check_left_out(self, values: Excluding) -> Any:
        """Return what is left out as the choices hold it; the blank where nothing is."""
        if not self.can_leave_out or values.of is not None:
            raise InvalidValue(
                f"No control can hold {brief(values)} of {self.title!r}.",
                advice="Narrow the fleet by it: explore fleet.where(…).",
            )
        known = self.known(named_values(exclusion.read(values, self.name)))
        return Excluding(known) if known else self.blank

    def known(self, values: Sequence[str]) -> tuple[Any, ...]:
        """Return values that are options; `InvalidValue` where one is not."""
        raise NotImplementedError

    def options(self, choices: Choices) -> Options:
        """Return label and value of what there is to choose; empty for a date."""
        return []

    def labels(self, choices: Choices) -> Mapping[Any, str]:
        """Return value → label of what there is to choose."""
        return {value: label for label, value in self.options(choices)}

    def described_options(self, choices: Choices) -> list[list[Any]]:
        """Return label and browser's text of what there is to choose."""
        return [[label, self.format(value)] for label, value in self.options(choices)]

    def describe(self, choices: Choices) -> dict[str, Any]:
        """Return what a browser needs to build the control, as JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "label": self.label,
            "disabled": self.disabled,
            "compact": self.compact,
            "display": self.is_display,
            "blank": self.format(self.blank),
            "options": self.described_options(choices),
        }


class Select(Field):
    """One of several options, or none.

    Parameters
    ----------
    name, label, compact
        See `Field`.
    options : list of tuple
        Label and value of each: texts, or booleans.
    nothing : str
        Label of the option that chooses nothing.
    """

    kind = "select"
    can_leave_out = True

    def __init__(
        self,
        name: str,
        label: str,
        options: Options,
        *,
        nothing: str = "Any",
        compact: bool = False,
    ) -> None:
        super().__init__(name, label, blank=ANY, compact=compact)
        # An option with an empty text would mean no choice.
        self._options = [(nothing, ANY), *(option for option in options if option[1] != ANY)]
        self.tokens = tuple(value for _, value in self._options[1:])
        self._values = {_key(value): value for _, value in self._options}
        self._labels = {value: label for label, value in self._options}
        self._described = [[label, self.format(value)] for label, value in self._options]

    def fix(self, value: Any) -> None:
        """Hold the field at a value."""
        self.blank, self.disabled = value, True

    def options(self, choices: Choices) -> Options:
        """Return label and value of what there is to choose, no choice first."""
        return self._options

    def labels(self, choices: Choices) -> Mapping[Any, str]:
        """Return value → label of what there is to choose."""
        return self._labels

    def described_options(self, choices: Choices) -> list[list[Any]]:
        """Return label and key of what there is to choose, which may be 100,000 projects."""
        return self._described

    def chosen(self, choices: Choices) -> Chosen:
        """Return the value that is chosen, if one is; several of what was set aside."""
        value = choices[self.name]
        if isinstance(value, tuple | Excluding):
            return value
        return () if value == ANY else (value,)

    def chips(self, choices: Choices) -> list[Chip]:
        """Return the option that is chosen, or left out."""
        chosen = self.chosen(choices)
        if self.disabled or not chosen:
            return []
        values = named_values(chosen)
        beyond = len(values) - _NAMED
        names = ", ".join(self._labels[value] for value in values[:_NAMED])
        text = f"{names} and {beyond:,} more" if beyond > 0 else names
        is_left_out, opposite = isinstance(chosen, Excluding), {}
        if self.can_leave_out and len(values) == 1:
            opposite = {self.name: self.format(values[0] if is_left_out else Excluding(values))}
        return [Chip(self.label, text, {self.name: ANY}, opposite, is_left_out)]

    def counts(self, match: Match, choices: Choices) -> list[int | None]:
        """Return how many rows each option would leave, given what the other fields leave."""
        return [match.total(self.name), *match.counts(self.name)]

    def check(self, value: Any) -> Any:
        """Return the value; refuse what is not among all options."""
        if isinstance(value, Excluding):
            return self._check_left_out(value)
        key = _key(ANY if value is None else value)
        if key not in self._values:
            raise _not_an_option(value, self, self._options[1:])
        return self._values[key]

    def known(self, values: Sequence[str]) -> tuple[Any, ...]:
        """Return values that are options; `InvalidValue` where one is not."""
        if ANY in values:  # which is the option of no choice
            raise _not_an_option(ANY, self, self._options[1:])
        return tuple(map(self.check, values))

    def parse(self, text: Any) -> Any:
        """Return the value of an option's key, or those that are left out."""
        value = super().parse(text)
        return value if isinstance(value, Excluding) else self._values.get(str(text), text)

    def format(self, value: Any) -> Any:
        """Return the key of an option's value, or those that are left out."""
        return super().format(value) if isinstance(value, Excluding) else _key(value)


class Display(Field):
    """One of several ways to show the rows.

    Parameters
    ----------
    name, label
        See `Field`.
    options : list of tuple
        Label and value of each; the first one is shown at first.
    """

    kind = "select"
    is_display = True

    def __init__(self, name: str, label: str, options: Options) -> None:
        super().__init__(name, label, blank=options[0][1])
        self._options = options

    def options(self, choices: Choices) -> Options:
        """Return label and value of each."""
        return self._options

    def check(self, value: Any) -> Any:
        """Return the value; refuse what is not among the options."""
        values = [option for _, option in self._options]
        if not isinstance(value, str) or value not in values:  # a Series can't be looked for
            raise _not_an_option(value, self, self._options)
        return value


class DateField(Field):
    """A calendar day, or none."""

    kind = "date"
    # Within the years of a period, whatever the zone.
    first, last = date(1000, 1, 2), date(8999, 12, 30)

    def __init__(self, name: str, label: str) -> None:
        super().__init__(name, label, blank=None)

    def check(self, value: Any) -> date | None:
        """Return a date; texts are read as ``YYYY-MM-DD``."""
        if _is_nothing(value):
            return None
        if value is pd.NaT:  # a datetime to Python
            value = str(value)
        day = value.date() if isinstance(value, datetime) else value
        if not isinstance(day, date):
            try:
                day = date.fromisoformat(value)
            except (TypeError, ValueError):
                raise InvalidValue(
                    f"{brief(value)} is not a date.", advice="Write YYYY-MM-DD, such as 2026-10-31."
                ) from None
        if not self.first <= day <= self.last:
            raise InvalidValue(f"{day} does not lie between {self.first} and {self.last}.")
        return day

    def chips(self, choices: Choices) -> list[Chip]:
        """Return the date that is chosen."""
        day = choices[self.name]
        return [] if day is None else [Chip(self.label, self.format(day), {self.name: ""})]

    def format(self, value: date | None) -> str:
        """Return ``YYYY-MM-DD``, or an empty text."""
        return "" if value is None else value.isoformat()

    def describe(self, choices: Choices) -> dict[str, Any]:
        """Return what a browser needs, with the first and the last date that it may send.

        A reader who types a year of four digits sends none of the years on the way to it.
        """
        limits = {"first": self.format(self.first), "last": self.format(self.last)}
        return super().describe(choices) | limits


class Ticks(Field):
    """Any number of several options, each to be ticked; none ticked means all.

    Parameters
    ----------
    name : str
        See `Field`.
    title : str
        What is ticked, such as "Flight type".
    tokens : sequence of str
        The options, in their order.
    """

    kind = "ticks"
    can_leave_out = True

    def __init__(self, name: str, title: str, tokens: Sequence[str]) -> None:
        super().__init__(name, f"{title}; none ticked means all", blank=(), compact=True)
        self.title = title
        self.tokens = tuple(tokens)

    def options(self, choices: Choices) -> Options:
        """Return the tokens, each its own label where anything of it would be seen."""
        return [(shown_token(token), token) for token in self.tokens]

    def chosen(self, choices: Choices) -> Chosen:
        """Return the ticked tokens, or those that are left out."""
        value: Chosen = choices[self.name]
        return value

    def chips(self, choices: Choices) -> list[Chip]:
        """Return each token that is ticked, or left out."""
        chosen = self.chosen(choices)
        tokens, is_left_out = named_values(chosen), isinstance(chosen, Excluding)
        opposite = self.format(tokens if is_left_out else Excluding(tokens))

        def chip(token: str) -> Chip:
            others = tuple(other for other in tokens if other != token)
            without = self.format(Excluding(others) if is_left_out else others)
            ways = {self.name: without}, {self.name: opposite}
            return Chip(self.title, shown_token(token), *ways, is_left_out)

        return [chip(token) for token in tokens]

    def counts(self, match: Match, choices: Choices) -> list[int | None]:
        """Return how many rows each token has, given what the other fields leave."""
        return [*match.counts(self.name)]

    def check(self, value: Any) -> Any:
        """Return the ticked tokens in the field's order, or those that are left out."""
        values = exclusion.read(() if _is_nothing(value) else value, self.name)
        if isinstance(values, Excluding):
            return self._check_left_out(values)
        return self.known(named_values(values))

    def known(self, values: Sequence[str]) -> tuple[str, ...]:
        """Return values that are options, in the field's order; `InvalidValue` where one is not."""
        unknown = [token for token in values if token not in self.tokens]
        if unknown:
            raise _not_an_option(unknown[0], self, self.options({}))
        return tuple(token for token in self.tokens if token in values)

    def format(self, value: Any) -> Any:
        """Return the ticked tokens as a list; a single token as it is."""
        return list(value) if isinstance(value, tuple) else super().format(value)


def shown_token(token: str) -> str:
    r"""Return a token as pages show it, in words where nothing of it would be seen.

    Examples
    --------
    >>> shown_token("SURVEY"), shown_token("\u202eSURVEY"), shown_token(" ")
    ('SURVEY', 'SURVEY', 'not given')
    """
    return NOT_GIVEN if is_blank(token) else printable(token)


def _not_an_option(value: Any, field: Field, options: Options) -> InvalidValue:
    """Return an error that suggests the option whose value, or else whose label, is near."""
    named = {token: label for label, token in options if isinstance(token, str)}
    near = did_you_mean(str(value), named)
    if not near:
        likely = ((token, label) for token, label in named.items() if _is_near(value, label))
        near = next((f"Did you mean {token} ({label})?" for token, label in likely), "")
    listed = ", ".join(
        brief(token) if label == str(token) else f"{brief(token)} ({label})"
        for label, token in options[:_LISTED]
    )
    more = f" and {len(options) - _LISTED:,} more" if len(options) > _LISTED else ""
    return InvalidValue(
        f"{brief(value)} is not an option of {brief(field.title)}. {near}".strip(),
        advice=f"Options are: {listed}{more}." if options else "It has none.",
    )


def _is_nothing(value: Any) -> bool:
    """Whether a value chooses nothing; a Series can't even be compared with a text."""
    return value is None or (isinstance(value, str) and value == ANY)


def _is_near(value: Any, label: str) -> bool:
    return bool(did_you_mean(str(value), [label]))


def _key(value: Any) -> str:
    """Return an option's key: the value of a browser's ``<option>`` is a text.

    Examples
    --------
    >>> _key(True), _key("prof_1"), _key(ANY)
    ('true', 'prof_1', '')
    """
    return str(bool(value)).lower() if isinstance(value, bool | np.bool_) else str(value)
