"""Why hours rose or fell, and whose they mostly are: what contributed most, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fleetkit.blanks import distinct_names
from fleetkit.language import say, titled
from fleetkit.reports.sentences import during
from fleetkit.reports.texts import shown
from fleetkit.rounding import HOURS, PERCENT, ROUNDING_ERROR, as_shown, number, per_cent
from fleetkit.time import Period

__all__ = ["concentration", "is_explained", "why"]

# A change of this share and more is explained; more than this share of the hours is said.
NOTICEABLE, MOST = 0.20, 0.50
_WITHOUT = {
    "pilot": "flights without a pilot",
    "flight type": "flights without a type",
    "project": "flights without a project",
}


def is_explained(now: float | None, before: float | None) -> bool:
    """Whether hours changed by so much that a report says why.

    Examples
    --------
    >>> is_explained(120.0, 100.0), is_explained(119.0, 100.0), is_explained(5.0, None)
    (True, False, False)
    """
    if now is None or before is None or before <= 0:
        return False
    return abs(now - before) / before >= NOTICEABLE - ROUNDING_ERROR


def why(contributions: pd.DataFrame, hours: Mapping[str, float], earlier: Period) -> str:
    """Say what contributed most to a change of hours.

    Parameters
    ----------
    contributions : DataFrame
        As `metrics.contributions` returns it.
    hours : mapping
        ``now`` and ``before``: the hours of all flights in both periods. [h]
    earlier : Period
        What is compared with.

    Returns
    -------
    str
        A sentence; empty where nothing can be named: each dimension has one key alone, or the
        change is too small to be shown.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> changes = pd.DataFrame({"dimension": "pilot", "key": ["a", "b"], "name": ["Ada", "Bo"],
    ...     "hours": [34.0, 50.0], "hours_before": [10.0, 10.5], "change": [24.0, 39.5]})
    >>> why(changes, {"now": 84.0, "before": 20.5}, Period.read("2026-09"))
    'Bo added 39.5 of the 63.5 h more than in September 2026.'
    """
    change = hours["now"] - hours["before"]
    sizes = contributions.groupby("dimension")["key"].transform("size")
    named = _called(contributions[sizes > 1])
    rows: list[dict[str, Any]] = named.to_dict("records")  # type: ignore[assignment]
    if not rows or not as_shown(change, HOURS):
        return ""
    largest = max(rows, key=lambda row: float(row["change"]) / change)
    part = abs(largest["change"])
    if largest["change"] * change <= 0:
        return ""
    name, hours_of_it = _named(largest), number(part, HOURS)
    parts = {"name": name, "hours": hours_of_it, "when": during(earlier)}
    # Of 1.86 of 1.84 h the others' 0.02 can't be shown, but 1.9 is more than 1.8.
    others = as_shown(part - abs(change), HOURS) or (
        as_shown(part, HOURS) - as_shown(abs(change), HOURS)
    )
    if others > 0:
        parts["others"] = number(others, HOURS)
        if change > 0:
            return say(
                "{name}: {hours} h more than {when}; all others together: {others} h fewer.",
                **parts,
            )
        return say(
            "{name}: {hours} h fewer than {when}; all others together: {others} h more.", **parts
        )
    parts["change"] = number(abs(change), HOURS)
    if change > 0:
        return say("{name} added {hours} of the {change} h more than {when}.", **parts)
    return say("{name}: {hours} of the {change} h fewer than {when}.", **parts)


def concentration(contributions: pd.DataFrame, total: float) -> str:
    """Say which aircraft or pilot flew more than half of the hours.

    Where there is but one aircraft, or one pilot, there is none.

    Parameters
    ----------
    contributions : DataFrame
        As `metrics.contributions` returns it; aircraft that did not fly may be among them.
    total : float
        Hours of all flights. [h]

    Examples
    --------
    >>> rows = pd.DataFrame({"dimension": ["aircraft"] * 2, "key": ["d", "e"],
    ...     "name": ["Kestrel", "Heron"], "hours": [6.0, 4.0]})
    >>> concentration(rows, 10.0), concentration(rows, 12.0)
    ('Kestrel flew 60 % of the hours.', '')
    """
    flew = contributions[contributions["dimension"].isin(["aircraft", "pilot"])]
    is_one_of_many = flew.groupby("dimension")["key"].transform("size") > 1
    is_most = flew["key"].notna() & (flew["hours"] > MOST * total + ROUNDING_ERROR)
    most = _called(flew)[is_one_of_many & is_most]
    pairs = zip(most["name"], most["hours"].tolist(), strict=True)
    return " ".join(
        say(
            "{name} flew {percent} % of the hours.",
            name=shown(name),
            percent=_percent(hours / total),
        )
        for name, hours in pairs
    )


def _percent(share: float) -> str:
    """Write a share of more than half, so that it reads neither as a half nor as the whole."""
    is_near_half = as_shown(100 * share) == 100 * MOST
    return per_cent(share, PERCENT if is_near_half else 0)


def _called(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of which each has a name: what has none has its id, namesakes have both."""
    groups = rows.groupby("dimension", sort=False)
    names = [distinct_names(part["name"], part["key"]) for _, part in groups]
    return rows.assign(name=pd.concat(names)) if names else rows


def _named(row: Mapping[str, Any]) -> str:
    """Name an aircraft, pilot, flight type or project as it begins a sentence: names verbatim."""
    if pd.isna(row["key"]):
        return titled(say(_WITHOUT[row["dimension"]]))
    name = shown(row["name"])
    return say("{type} flights", type=name) if row["dimension"] == "flight type" else name
