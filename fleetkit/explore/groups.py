"""What chosen flights come to by pilot, client, weekday and so on, without a frame of them.

The key of each flight, or of each of its links to equipment, is told once. Then a choice says how
often each key occurs. The definitions are those of `metrics.flight_hours`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.explore.facets import once

__all__ = ["Amounts", "Flown", "Keys", "group_frame", "keys_of", "time_keys"]

# Days from the Monday of the week in which 1970 begins, on a Thursday.
_MONDAY, _WEEK = 3, 7


@dataclass(frozen=True)
class Keys:
    """What flights are grouped by.

    Attributes
    ----------
    values : array
        Each key once, in the order of the metric.
    codes : array of int
        The place among them of each flight's key, or each link's; −1 where it has none.
    """

    values: np.ndarray
    codes: np.ndarray


@dataclass(frozen=True)
class Amounts:
    """What is summed of flights.

    Attributes
    ----------
    values : array of float
        Of each flight; 0 where it adds nothing.
    is_known : array of bool
        Which flights have it recorded: of those that all have not, the sum is not known. Bits, in
        a large mirror.
    unit : float
        So many make one of what is shown.
    """

    values: np.ndarray
    is_known: np.ndarray
    unit: float = 1.0


class Flown:
    """Flights under their keys; each counts once under each of its own.

    Parameters
    ----------
    word : str
        What they are grouped by.
    keys : Keys
    types : Keys
        The flight type of each flight.
    links : array of int, optional
        The flight of each key, where a flight may have several; else keys are those of flights.
    """

    def __init__(self, word: str, keys: Keys, types: Keys, links: np.ndarray | None = None) -> None:
        self._word, self._keys, self._types, self._links = word, keys, types, links
        self._order = None if links is None else np.lexsort((keys.codes, links))

    def sums(
        self, rows: np.ndarray, amounts: dict[str, Amounts], on_links: np.ndarray | None = None
    ) -> pd.DataFrame:
        """Return the key, ``flight_type``, ``flights`` and the amounts of some flights.

        Parameters
        ----------
        rows : array of bool
            Which flights.
        amounts : dict
            Name of a column → what it sums.
        on_links : array of bool, optional
            Which of the links count.
        """
        flights, keys = self._counted(rows, on_links)
        kinds = len(self._types.values) + 1
        # A key or a type that is not known comes last.
        groups = np.where(keys < 0, len(self._keys.values), keys) * kinds
        groups += self._types.codes[flights] % kinds
        size = (len(self._keys.values) + 1) * kinds
        summed = {
            name: (
                np.bincount(groups, amount.values[flights], size) / amount.unit,
                np.bincount(groups, amount.is_known[flights], size),
            )
            for name, amount in amounts.items()
        }
        counted = np.bincount(groups, minlength=size)
        return group_frame(self._word, self._keys.values, self._types.values, counted, summed)

    def _counted(
        self, rows: np.ndarray, on_links: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the flights that count, by number, and the key that each counts under."""
        if self._links is None or self._order is None:
            flights = np.flatnonzero(rows)
            return flights, self._keys.codes[flights]
        order = self._order if on_links is None else self._order[on_links[self._order]]
        links = self._links[order]
        is_counted = rows[links]
        # A flight of two drones counts once under "drone".
        flights, keys = once(links[is_counted], self._keys.codes[order][is_counted])
        is_rest = rows.copy()
        is_rest[flights] = False
        rest = np.flatnonzero(is_rest)
        none = np.full(len(rest), -1, dtype=keys.dtype)
        return np.append(flights, rest), np.append(keys, none)


def group_frame(
    word: str,
    keys: np.ndarray,
    types: np.ndarray,
    flights: np.ndarray,
    amounts: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> pd.DataFrame:
    """Return the groups that have flights: the key, ``flight_type``, ``flights`` and the amounts.

    Parameters
    ----------
    word : str
        What flights are grouped by.
    keys, types : array
        In their order.
    flights : array
        How many there are of each key and type, type by type; what is not known comes last.
    amounts : mapping
        Name of a column → its sum in each group, and how many flights it is known of.
    """
    shown = np.flatnonzero(flights)
    places, of_types = np.divmod(shown, len(types) + 1)
    columns = {
        word: _taken(keys, places),
        "flight_type": _taken(types, of_types),
        "flights": flights.ravel()[shown].astype(np.int64),
    }
    for name, (sums, known) in amounts.items():
        columns[name] = np.where(known.ravel()[shown] > 0, sums.ravel()[shown], np.nan)
    return pd.DataFrame(columns)


def keys_of(column: pd.Series[Any], rest: str = "") -> Keys:
    """Return the texts of a column as keys, sorted.

    Parameters
    ----------
    column : Series
    rest : str
        The key of those without a text, after all others; without it they have none. A text that
        says so itself gets quotation marks.

    Examples
    --------
    >>> keys_of(pd.Series(["b", None, "a"]), "none").values.tolist()
    ['a', 'b', 'none']
    """
    codes, texts = pd.factorize(column.astype("object"), sort=True)
    values: np.ndarray = np.asarray(texts, dtype=object)
    if not rest:
        return Keys(values, codes)
    values[values == rest] = f'"{rest}"'
    return Keys(np.append(values, rest), np.where(codes < 0, len(values), codes))


def time_keys(word: str, times: np.ndarray, *, dates_only: bool) -> Keys:
    """Return the month, ISO week, weekday (1 is Monday) or hour of the day as keys.

    Parameters
    ----------
    word : str
        Which of them.
    times : array of datetime64
        What the clock showed at each flight; NaT for none.
    dates_only : bool
        Whether these are dates, of which no hour is known.

    Examples
    --------
    >>> times = np.array(["2026-12-31T08:30", "2027-01-04", "NaT"], dtype="M8[s]")
    >>> time_keys("week", times, dates_only=False)
    Keys(values=array(['2026-W53', '2027-W01'], dtype=object), codes=array([ 0,  1, -1]))
    """
    is_known = ~np.isnat(times) & (not dates_only or word != "hour")
    read, write = _TIMES[word]
    values, places = np.unique(read(times[is_known]), return_inverse=True)
    codes = np.full(len(times), -1)
    codes[is_known] = places
    return Keys(write(values), codes)


def _days(times: np.ndarray) -> np.ndarray:
    return times.astype("M8[D]").astype(np.int64)


def _weeks(numbers: np.ndarray) -> np.ndarray:
    """Return ISO weeks, which belong to the year of their Thursday, by their number."""
    thursdays = (numbers * _WEEK).astype("M8[D]")
    years = thursdays.astype("M8[Y]")
    weeks = (thursdays - years.astype("M8[D]")).astype(np.int64) // _WEEK + 1
    texts = zip(np.datetime_as_string(years), weeks.tolist(), strict=True)
    return np.array([f"{year}-W{week:02d}" for year, week in texts], dtype=object)


# How the number of a time is read, and written as the metric does.
_TIMES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]] = {
    "month": (
        lambda times: times.astype("M8[M]"),
        lambda months: np.datetime_as_string(months).astype(object),
    ),
    "week": (lambda times: (_days(times) + _MONDAY) // _WEEK, _weeks),
    "weekday": (lambda times: (_days(times) + _MONDAY) % _WEEK + 1, np.asarray),
    "hour": (lambda times: times.astype("M8[h]").astype(np.int64) % 24, np.asarray),
}


def _taken(values: np.ndarray, places: np.ndarray) -> pd.Series[Any]:
    """Return the values at some places; null behind the last one."""
    kind = "str" if values.dtype == object else "Int64"
    return pd.Series(values, dtype=kind).reindex(places).reset_index(drop=True)
