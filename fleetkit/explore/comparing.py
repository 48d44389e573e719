"""What stands beside the choices: another period, or choices that were set aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from fleetkit import settings, views
from fleetkit.errors import InvalidValue
from fleetkit.explore.fields import Chip, Choices, Display, Options
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.opposites import has_both, without_fulfilled
from fleetkit.fleet.window import window
from fleetkit.interface import brief
from fleetkit.time import Period, so_far

if TYPE_CHECKING:
    from fleetkit.explore.subject import Subject

__all__ = ["SET_ASIDE", "Beside", "CompareField", "SetAside", "beside"]

# Sets the choices aside as they are.
SET_ASIDE = "set aside"
_NOTHING = ""
_EARLIER: dict[str, Callable[[Period], Period]] = {
    "previous": lambda period: period.previous(),
    "year before": lambda period: period.year_before(),
}
_PERIODS: Options = [("The period before", "previous"), ("A year before", "year before")]
_LABEL = "Compared with"


@dataclass(frozen=True)
class Beside:
    """What is shown beside the choices.

    Attributes
    ----------
    title : str
        What it is; or why there is nothing.
    choices : mapping or None
        What is chosen of it, shown as the other is; None where there is nothing.
    name : str
        What its chart is called.
    """

    title: str
    choices: Choices | None = None
    name: str = ""


@dataclass(frozen=True)
class SetAside:
    """Choices that others are compared with.

    Attributes
    ----------
    choices : tuple of tuple
        Name of a field and its value, of those that choose rows. A list holds several values here,
        as a view may have them.
    view : str
        The view that they are, such as ``@night``; empty for others.
    """

    choices: tuple[tuple[str, Any], ...]
    view: str = ""

    @property
    def name(self) -> str:
        """What its chart is called."""
        return self.view or "the filter set aside"


class CompareField(Display):
    """What stands beside the choices: nothing, another period, a view, or what was set aside.

    Parameters
    ----------
    subject : Subject
        Whose rows are compared.
    fleet : Fleet
        Whose views can be chosen.
    has_periods : bool
        Whether its rows have a period.
    """

    def __init__(self, subject: Subject, fleet: Fleet, *, has_periods: bool = True) -> None:
        named = [f"@{name}" for name in _views(fleet, subject.held)]
        options = [
            ("Nothing", _NOTHING),
            *(_PERIODS if has_periods else []),
            ("This filter, set aside", SET_ASIDE),
            *((name, name) for name in named),
        ]
        super().__init__("compare", "Compare with", options)
        self._subject, self._view, self._base = subject, fleet.view, fleet.filter
        self._values = [value for _, value in options]

    def choose(self, choices: Choices, value: Any) -> Choices:
        """Return the choices with something beside them.

        Parameters
        ----------
        choices : mapping
            What is chosen; it is set aside where the value says so.
        value : str, Filter, dict or SetAside
            An option, the name of a view, or a filter.

        Raises
        ------
        InvalidValue
            There is no such option or view, no row can have what it selects, or it ends before it
            begins.
        """
        return {**choices, self.name: self._checked(choices, value)}

    def _checked(self, choices: Choices, value: Any) -> str | SetAside:
        if isinstance(value, SetAside):
            return value
        if isinstance(value, Filter | Mapping):
            return self._set_aside(self._choices_of(Filter.read(value)))
        if views.is_view(value):
            return self._set_aside(self._choices_of(self._view(value)), value.strip())
        if not isinstance(value, str | None):
            raise InvalidValue(
                f"{brief(value)} is not what an explorer can compare with.",
                advice='Pass a Filter, or the name of a view, such as "@day".',
            )
        if value == SET_ASIDE:
            ends = {name: choices.get(name) for name in ("since", "until")}
            window(**ends, tz=self._subject.tz)  # refuses ends that cross, as a filter's are
            return self._set_aside(choices)
        checked: str = self.check(value)
        return checked

    def _choices_of(self, chosen: Filter) -> Choices:
        """Return the choices of a filter, without what all that is shown is narrowed to."""
        for name in self._subject.not_held:
            if getattr(chosen, name) not in (None, getattr(self._base, name)):
                raise InvalidValue(
                    f"{self._subject.nouns[1].capitalize()} can't be compared with a filter of "
                    f"{name}: no control takes it.",
                    advice=f"Compare with a filter without {name}.",
                )
        return self._subject.choices_of(without_fulfilled(chosen, self._base))

    def _set_aside(self, choices: Choices, view: str = "") -> SetAside:
        fields = self._subject.fields
        rows = {name: value for name, value in choices.items() if not fields[name].is_display}
        return SetAside(tuple(rows.items()), view)

    def chips(self, choices: Choices) -> list[Chip]:
        """Return what was set aside, which no control shows."""
        aside = choices[self.name]
        if not isinstance(aside, SetAside):
            return []
        title = aside_title(aside, self._subject)
        return [Chip(_LABEL, title, {self.name: _NOTHING})]

    def format(self, value: Any) -> str:
        """Return the option of a value; a view that was saved since has none of its own."""
        if isinstance(value, SetAside):
            return value.view if value.view and value.view in self._values else SET_ASIDE
        return str(value)


def _views(fleet: Fleet, held: tuple[str, ...]) -> list[str]:
    """Return the names of the views that narrow what a subject holds."""
    try:
        saved = settings.load().views
    except InvalidValue:  # whoever names a view is told of it
        saved = {}
    known = {**saved, **fleet.settings.views}
    base = fleet.filter
    further = {name: without_fulfilled(known[name], base).only(*held) for name in known}
    return [name for name, chosen in further.items() if chosen and not has_both(chosen)]


def aside_title(aside: SetAside, subject: Subject) -> str:
    """Return in words what was set aside."""
    parts = subject.in_words(dict(aside.choices))
    text = "; ".join(parts) or f"all {subject.nouns[1]}"
    return f"{aside.view} ({text})" if aside.view else text


def beside(
    choices: Choices,
    first: date | None,
    tz: str,
    moment: datetime,
    *,
    noun: str = "flights",
) -> Beside:
    """Return the other period.

    Parameters
    ----------
    choices : mapping
        With ``since``, ``until`` and ``compare``.
    first : date or None
        The first day of which the data tell, whether or not there is any of what is shown.
    tz : str
        IANA time zone of days.
    moment : datetime
        When the data were fetched: a period that isn't over is compared with the same days.
    noun : str
        What the data are.
    """
    if choices["since"] is None or choices["until"] is None:
        return Beside("Nothing to compare with: choose both ends of a period first.")
    try:
        period = so_far(Period.between(choices["since"], choices["until"], tz), moment)
        other = _EARLIER[choices["compare"]](period)
    except InvalidValue as problem:
        return Beside(f"Nothing to compare with: {problem.message}")
    if first is None or other.last_day < first:
        why = f"the first {noun} are later" if first is None else f"no data before {first}"
        return Beside(f"Nothing is known of {other.title}: {why}.")
    known = f", known since {first}" if other.since.date() < first else ""
    ends: dict[str, Any] = {"since": other.since, "until": other.until}
    title = f"{other.title}{known}"
    return Beside(title, {**choices, **ends}, title)
