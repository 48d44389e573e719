"""What the chapter on flight hours says in words: late logs, shared hours, places, flags."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.language import message, say, say_count
from fleetkit.reports.sentences import of_records
from fleetkit.rounding import HOURS, as_shown, number

__all__ = ["double_count_note", "flags_in_words", "lag_note", "take_off_coverage"]

# Fewest logs of which "nine of ten" can be said.
LEAST_LOGS = 10
# Positions of `metrics.take_offs` → how they read before a count.
_BEFORE_COUNT = {"0, 0": message("at 0, 0")}


def lag_note(logging_lag: pd.DataFrame) -> str:
    """Say how long after flights their logs are written.

    Parameters
    ----------
    logging_lag : DataFrame
        As `metrics.logging_lag` returns it.

    Examples
    --------
    >>> lag = {"flights": [40], "known": [38], "median_hours": [2.25], "p90_hours": [20.0]}
    >>> lag_note(pd.DataFrame(lag))
    'Half of the logs were written within 2.3 h of the end of the flight, nine of ten within 20.0 h (38 of 40 flights).'
    """  # noqa: E501 - the sentence is written as it is printed
    row = logging_lag.iloc[0]
    if not row["flights"]:
        return ""
    of = f"{number(row['known'])} {of_records('flights', int(row['flights']))}"
    if not row["known"]:
        return say("How long after flights their logs were written is unknown ({of}).", of=of)
    if row["median_hours"] < 0:
        return say("Half of the logs or more are dated before the end of the flight ({of}).", of=of)
    median, p90 = (number(row[f"{name}_hours"], HOURS) for name in ("median", "p90"))
    if row["known"] < LEAST_LOGS:
        return say(
            "Half of the logs were written within {median} h of the end of the flight ({of}).",
            median=median,
            of=of,
        )
    return say(
        "Half of the logs were written within {median} h of the end of the flight, "
        "nine of ten within {p90} h ({of}).",
        median=median,
        p90=p90,
        of=of,
    )


def double_count_note(double_count: pd.DataFrame) -> str:
    """Lead in a sentence from the hours summed over equipment to those of the fleet.

    Parameters
    ----------
    double_count : DataFrame
        As `metrics.double_count` returns it.

    Examples
    --------
    >>> steps = {"step": ["over equipment", "shared", "without equipment", "fleet"]}
    >>> steps |= {"flights": [7, -2, 0, 5], "hours": [4.0, -1.0, 0.0, 3.0]}
    >>> double_count_note(pd.DataFrame(steps))
    'Summed over equipment − shared by several pieces = fleet: 7 − 2 = 5 flights, 4.0 − 1.0 = 3.0 h.'
    """  # noqa: E501 - the sentence is written as it is printed
    steps = double_count.set_index("step")
    flights = steps["flights"].astype("float64")
    hours = steps["hours"].astype("float64")
    if not flights["fleet"]:
        return ""
    start = say("Summed over equipment − shared by several pieces = fleet")
    if flights["without equipment"]:
        start = say("Summed over equipment − shared by several pieces + without equipment = fleet")
    sums = say_count(flights["fleet"], "{sum} flight", "{sum} flights", sum=_sum(flights, 0))
    if hours.isna().any():
        return f"{start}: {sums}; {say('hours not recorded')}."
    return f"{start}: {sums}, {_sum(hours, HOURS)} h."


def _sum(steps: pd.Series[float], decimals: int) -> str:
    """Write a sum whose numbers add up as they are shown."""
    over, without, fleet = (
        as_shown(steps[name], decimals) for name in ("over equipment", "without equipment", "fleet")
    )
    plus = f" + {number(without, decimals)}" if without else ""
    shared = number(over + without - fleet, decimals)
    return f"{number(over, decimals)} − {shared}{plus} = {number(fleet, decimals)}"


def take_off_coverage(take_offs: pd.DataFrame) -> dict[str, Any]:
    """Return what `Section.coverage` takes: how many flights have a place on the map.

    Parameters
    ----------
    take_offs : DataFrame
        As `metrics.take_offs` returns it.

    Examples
    --------
    >>> bins = pd.DataFrame({"position": ["located", "located", "0, 0"], "flights": [3, 2, 1]})
    >>> take_off_coverage(bins)
    {'used': 5, 'of': 6, 'why': 'at 0, 0: 1'}
    """
    counts = take_offs.groupby("position", sort=False)["flights"].sum()
    others = counts.drop("located", errors="ignore")
    return {
        "used": int(counts.get("located", 0)),
        "of": int(counts.sum()),
        "why": "; ".join(
            f"{say(_BEFORE_COUNT.get(position, position))}: {number(count)}"
            for position, count in zip(others.index.astype("str"), others, strict=True)
        ),
    }


def flags_in_words(by_pilot: pd.DataFrame) -> pd.DataFrame:
    r"""Add the texts ``night`` and ``bvlos``: flights, hours, and "?" for those that say nothing.

    Parameters
    ----------
    by_pilot : DataFrame
        As `metrics.night_and_bvlos_by_pilot` returns it.

    Examples
    --------
    >>> flown = {"night_flights": [2], "night_hours": [1.5], "night_unknown": [1]}
    >>> flown |= {"bvlos_flights": [0], "bvlos_hours": [0.0], "bvlos_unknown": [0]}
    >>> flags_in_words(pd.DataFrame(flown))[["night", "bvlos"]].iloc[0].tolist()
    ['2 (1.5\xa0h), 1\xa0?', '0']
    """
    texts = {
        name: [
            _in_words(*values)
            for values in zip(
                *(by_pilot[f"{name}_{kind}"] for kind in ("flights", "hours", "unknown")),
                strict=True,
            )
        ]
        for name in ("night", "bvlos")
    }
    return by_pilot.assign(**texts)


def _in_words(flights: int, hours: float, unknown: int) -> str:
    spent = say("hours not recorded") if pd.isna(hours) else f"{number(hours, HOURS)}\xa0h"
    known = f"{number(flights)} ({spent})" if flights else "0"
    return f"{known}, {number(unknown)}\xa0?" if unknown else known
