"""The period beside the one that is chosen: the one before it, or the same a year before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.explore.fields import Choices, Display
from fleetkit.time import Period, so_far

__all__ = ["Beside", "beside", "compare_field"]

_NOTHING = ""
_EARLIER: dict[str, Callable[[Period], Period]] = {
    "previous": lambda period: period.previous(),
    "year before": lambda period: period.year_before(),
}


@dataclass(frozen=True)
class Beside:
    """What is shown beside the choices.

    Attributes
    ----------
    title : str
        Of the other period; or why there is none.
    choices : mapping or None
        The same choices in the other period; None where there is none.
    """

    title: str
    choices: Choices | None = None


def compare_field() -> Display:
    """Return the control."""
    options = [
        ("Nothing", _NOTHING),
        ("The period before", "previous"),
        ("A year before", "year before"),
    ]
    return Display("compare", "Compare with", options)


def beside(
    choices: Choices, span: tuple[str, str] | None, tz: str, moment: datetime
) -> Beside | None:
    """Return the other period; None where none is asked for.

    Parameters
    ----------
    choices : mapping
        With ``since``, ``until`` and ``compare``.
    span : tuple of str or None
        ``[since, until)`` of all data.
    tz : str
        IANA time zone of days.
    moment : datetime
        When the data were fetched: a period that isn't over is compared with the same days.
    """
    if choices["compare"] == _NOTHING:
        return None
    if choices["since"] is None or choices["until"] is None:
        return Beside("Nothing to compare with: choose a period first.")
    try:
        period = so_far(Period.between(choices["since"], choices["until"], tz), moment)
        other = _EARLIER[choices["compare"]](period)
    except InvalidValue as problem:
        return Beside(f"Nothing to compare with: {problem.message}")
    first = span[0] if span else ""
    if not first or other.until.date().isoformat() <= first:
        return Beside(f"Nothing is known of {other.title}: the first flights are later.")
    known = f", known since {first}" if other.since.date().isoformat() < first else ""
    ends: dict[str, Any] = {"since": other.since, "until": other.until}
    return Beside(f"{other.title}{known}", {**choices, **ends})
