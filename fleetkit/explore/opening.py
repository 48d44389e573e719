"""What an explorer opens with: a filter, as far as its controls can hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleetkit import exclusion
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import IS, Excluding
from fleetkit.explore.fields import ANY, Choices, Field
from fleetkit.filters import Filter
from fleetkit.fleet.window import window
from fleetkit.time import day_or_moment, instant, is_midnight

if TYPE_CHECKING:
    from fleetkit.explore.subject import Subject
    from fleetkit.fleet import Fleet

__all__ = ["at_first", "choices_of", "divided", "opened", "without_option"]

_MOMENTS = ("since", "until")


def at_first(
    fleet: Fleet, chosen: Filter | str | None, fields: Mapping[str, Any] | None = None
) -> Filter:
    """Return what an explorer opens with.

    Parameters
    ----------
    fleet : Fleet
        Whose views there are.
    chosen : Filter, str or None
        A filter, or the name of a view.
    fields : mapping, optional
        Fields of a filter, which narrow it further.

    Raises
    ------
    InvalidValue
        There is no such view or field, a value can't be right, or it ends before it begins.
    """
    named = (
        fleet.view(chosen)
        if isinstance(chosen, str)
        else Filter.read({} if chosen is None else chosen)
    )
    further = Filter(**fields or {})
    for part in (named, further):
        window(since=part.since, until=part.until, tz=fleet.tz)  # refuses ends that cross
    return named.combined_with(further, fleet.tz) if fields else named


def divided(chosen: Filter, subject: type[Subject], tz: str) -> tuple[Filter, Filter]:
    """Return what the controls of an explorer can hold of a filter, and the rest.

    A list holds one value, or those that are left out, boxes hold several, and dates are whole
    days. None holds what is selected and left out at the same time, and none anything beside a
    field without a value: of no record there are no options.

    Examples
    --------
    >>> from fleetkit.explore.flight_subject import Flights
    >>> two = Filter(night=True, pilot=["prof_1", "prof_2"], since="2026-10-05T06:00:00Z")
    >>> divided(two, Flights, "UTC")[0]
    Filter(night=True)
    """
    values = chosen.to_parameters()
    is_nothing = [] in values.values()
    names = [
        name
        for name, value in values.items()
        if not is_nothing and _is_held(name, value, subject, tz)
    ]
    return chosen.only(*names), replace(chosen, **dict.fromkeys(names))


def _is_held(name: str, value: Any, subject: type[Subject], tz: str) -> bool:
    if name not in subject.held or value == [ANY]:
        return False
    if isinstance(value, dict):
        return IS not in value
    if name in _MOMENTS:
        moment = instant(value, tz)
        return is_midnight(moment)
    return not isinstance(value, list) or len(value) == 1 or name in subject.held_lists


def opened(
    chosen: Filter, fields: Mapping[str, Field], choices: Choices, tz: str, lists: tuple[str, ...]
) -> Choices:
    """Return the choices with what a filter selects.

    Parameters
    ----------
    chosen : Filter
        With what controls can hold; see `divided`.
    fields : mapping
        Name → field.
    choices : mapping
        What is chosen without it.
    tz : str
        IANA time zone of its dates.
    lists : tuple of str
        Fields that hold several values.

    Raises
    ------
    InvalidValue
        A field has no such option.
    """
    values = chosen.to_parameters()
    _refuse_without_control(values, fields)
    for name, value in values.items():
        choices = fields[name].choose(choices, _held(name, value, tz, lists))
    return choices


def without_option(chosen: Filter, fields: Mapping[str, Field]) -> tuple[Filter, Filter]:
    """Return what a filter leaves out that is no option of a field, and the rest of the filter.

    A field whose values can't be left out has none of these options.
    """
    left_out = {name: value for name, value in vars(chosen).items() if isinstance(value, Excluding)}
    unknown: dict[str, Any] = {}
    known: dict[str, Any] = {}
    for name, value in left_out.items():
        field = fields.get(name)
        tokens = {*field.tokens} if field is not None and field.can_leave_out else set()
        unknown[name] = _excluding(one for one in value.values if one not in tokens)
        known[name] = _excluding(one for one in value.values if one in tokens)
    return Filter(**unknown), replace(chosen, **known)


def _excluding(values: Iterable[str]) -> Excluding | None:
    listed = tuple(values)
    return Excluding(listed) if listed else None


def _refuse_without_control(names: Iterable[str], fields: Mapping[str, Field]) -> None:
    """Refuse what could be chosen, but has no control: that of clients needs some to choose."""
    for name in names:
        if name not in fields:
            raise InvalidValue(
                f"No {name} can be chosen: no record has one that this key can read.",
                advice=f"Leave {name} out of the filter.",
            )


def _held(name: str, value: Any, tz: str, lists: tuple[str, ...]) -> Any:
    """Return the value of a filter as the field of that name takes it."""
    if name in _MOMENTS:
        return instant(value, tz).date()
    if isinstance(value, dict):
        return exclusion.read(value, name)
    return value[0] if isinstance(value, list) and name not in lists else value


def choices_of(
    chosen: Filter, fields: Mapping[str, Field], held: tuple[str, ...], tz: str
) -> Choices:
    """Return the choices that select what a filter does: a list holds several values, too.

    Parameters
    ----------
    chosen : Filter
        Of what a fleet is narrowed by; fields that aren't `held` narrow other tables.
    fields : mapping
        Name → field.
    held : tuple of str
        Fields of a filter that controls can hold.
    tz : str
        IANA time zone of its dates.

    Raises
    ------
    InvalidValue
        A field has no such option.
    """
    values = chosen.only(*held).to_parameters()
    _refuse_without_control(values, fields)
    window(since=values.get("since"), until=values.get("until"), tz=tz)  # as in at_first
    choices = {
        name: field.blank for name, field in fields.items() if field.stored and not field.is_display
    }
    return choices | {name: _values(fields[name], value, tz) for name, value in values.items()}


def _values(field: Field, value: Any, tz: str) -> Any:
    if field.name in _MOMENTS:
        return day_or_moment(instant(value, tz))
    if value == []:
        raise InvalidValue(
            f"The filter has no value for {field.name}, so it selects nothing.",
            advice="Leave the field out, or give it a value.",
        )
    if isinstance(value, dict):
        return field.check(exclusion.read(value, field.name))
    if not isinstance(value, list) or isinstance(field.blank, tuple):
        return field.check(value)
    known = field.known(value)
    return known if len(known) > 1 else known[0]
