"""Values that a field of a filter leaves out: `Excluding`, beside a tuple of those that it selects.

Plain data, such as JSON and TOML, has it as ``{"not": ["TRAINING"]}``, and the command line as
``flight_type!=TRAINING``: shells that take ``!`` for a command of the past leave ``!=`` alone. The
sign belongs to the field, never to a value: a client may be called ``!Fjord``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fleetkit.arguments import texts

__all__ = [
    "IS",
    "NOT",
    "Excluding",
    "Given",
    "Values",
    "excluding",
    "in_both",
    "named_values",
    "parts",
    "read",
]

# The keys of what is left out, and of what else is selected, in plain data.
NOT, IS = "not", "is"


@dataclass(frozen=True)
class Excluding:
    """All records but those that have one of the values; `excluding` makes it.

    With ``of``, only records that have one of these: flights that a drone logged, and no camera.
    """

    values: Any
    of: Any = None

    def __repr__(self) -> str:
        of = "" if self.of is None else f", of={_single(self.of)!r}"
        return f"fk.excluding({_single(self.values)!r}{of})"

    def to_plain(self) -> dict[str, list[str]]:
        """Return it as JSON has it."""
        of = {} if self.of is None else {IS: list(self.of)}
        return {**of, NOT: list(self.values)}


def _single(values: Any) -> Any:
    return values[0] if isinstance(values, tuple) and len(values) == 1 else values


# None: not filtered; a tuple: any of these; the empty tuple: none, so nothing at all.
Values = tuple[str, ...] | Excluding | None
# The same as a user writes it.
Given = Iterable[str] | str | Excluding | None


def excluding(values: Any, of: Any = None) -> Excluding:
    """Return what a field of a filter takes to leave values out: all records but theirs.

    A record without a value has none of them, so it stays: a flight without a type is no training
    flight. Of flights, a field of equipment leaves out each that one of the pieces logged, also
    where another piece logged it too.

    Parameters
    ----------
    values : str, list of str, Series or DataFrame
        As the field takes them to select by. No values leave nothing out.
    of : str, list of str, Series or DataFrame, optional
        Select by these at the same time: ``excluding("CAMERA", of="DRONE")`` as `type` of flights
        means those that a drone logged, and no camera.

    Returns
    -------
    Excluding
        For `Filter`, ``fleet.where`` and the arguments of a fleet's calls.

    Examples
    --------
    >>> import fleetkit as fk
    >>> chosen = fk.Filter(flight_type=fk.excluding("TRAINING"))
    >>> chosen.to_options()
    ['--filter', 'flight_type!=TRAINING']
    >>> chosen == fk.Filter.parse(["flight_type!=TRAINING"])
    True
    >>> fleet = fk.demo(as_of="2026-11-20")
    >>> "TRAINING" in set(fleet.where(chosen).flights("2026-10")["flight_type"])
    False
    """
    return Excluding(values, of)


def read(value: Any, name: str, column: str | None = None) -> Values:
    """Return the values of a field as texts, each once.

    Parameters
    ----------
    value, name, column
        As for `texts`; also an `Excluding`, or a dict with the key ``not``.

    Raises
    ------
    InvalidValue
        As `texts` raises.
    """
    if isinstance(value, Mapping) and NOT in value and value.keys() <= {NOT, IS}:
        value = Excluding(value[NOT], value.get(IS))
    if not isinstance(value, Excluding):
        return texts(value, name, column)
    of = None if value.of is None else texts(value.of, name, column)
    return Excluding(texts(value.values, name, column), of)


def named_values(values: Values) -> tuple[str, ...]:
    """Return the values that a field names, to select by them or to leave them out.

    Examples
    --------
    >>> named_values(("DRONE",)), named_values(Excluding(("CAMERA",))), named_values(None)
    (('DRONE',), ('CAMERA',), ())
    """
    selected, left_out = parts(values)
    return (*(selected or ()), *left_out)


def parts(values: Values) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the values that a field selects, None for all, and those that it leaves out.

    Examples
    --------
    >>> parts(("DRONE",)), parts(Excluding(("CAMERA",)))
    ((('DRONE',), ()), (None, ('CAMERA',)))
    """
    return (values.of, values.values) if isinstance(values, Excluding) else (values, ())


def in_both(one: Values, other: Values = None, *, has_several: bool = False) -> Values:
    """Return what two values of a field have in common, in its shortest form.

    Parameters
    ----------
    one, other : tuple of str, Excluding or None
        As `read` returns them.
    has_several : bool
        Whether a record can have several values, as a flight has pieces of equipment: what it
        selects doesn't say then what is left out.

    Examples
    --------
    >>> drones = ("DRONE", "VTOL")
    >>> in_both(drones, ("VTOL",)), in_both(drones, Excluding(("VTOL",)))
    (('VTOL',), ('DRONE',))
    >>> in_both(Excluding(("VTOL",)), Excluding(("CAMERA", "VTOL")))
    fk.excluding(('VTOL', 'CAMERA'))
    >>> in_both(drones, Excluding(("CAMERA",)), has_several=True)
    fk.excluding('CAMERA', of=('DRONE', 'VTOL'))
    """
    (first, left_out), (second, also) = parts(one), parts(other)
    left_out = tuple(dict.fromkeys((*left_out, *also)))
    selected = second if first is None else first
    if selected is not None:
        of_both = selected if second is None else [text for text in selected if text in second]
        selected = tuple(text for text in of_both if text not in left_out)
    is_said = selected is not None and not (has_several and selected)
    return selected if is_said or not left_out else Excluding(left_out, selected)
