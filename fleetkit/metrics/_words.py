"""The words that flights are counted by: how each leads to a key, its name, and its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

import narwhals as nw
import pandas as pd
from pandas.api.types import is_object_dtype

from fleetkit.arguments import checked_words
from fleetkit.blanks import named_or_null
from fleetkit.columns import NAME_COLUMNS, PIECE_COLUMNS
from fleetkit.engines import joinable
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._flown import SUMMED, read_bridge, read_flights
from fleetkit.metrics._frames import Frame, Lazy, to_lazy
from fleetkit.metrics._names import latest_names
from fleetkit.metrics._noticing import clock_of
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Clock
from fleetkit.unassigned import MAY_BE_UNASSIGNED, UNASSIGNED, or_unassigned

__all__ = ["DATED", "Key", "Keys", "clock_for", "key_words", "name_columns", "whole_keys"]

_Result = TypeVar("_Result")
# The word that a user writes.
Key = Literal[
    "month",
    "week",
    "day",
    "pilot",
    "flight_type",
    "operation_type",
    "project",
    "client",
    "equipment",
    "year",
    "quarter",
    "weekday",
    "hour",
    "category",
    "type",
    "registration",
    "manufacturer",
    "model",
    "night",
    "bvlos",
]
# The word → the column of flights that leads to its key.
KEYS: dict[Key, str] = {
    "month": "flight_date",
    "week": "flight_date",
    "day": "flight_date",
    "pilot": "pilot_id",
    "flight_type": "flight_type",
    "operation_type": "operation_type",
    "project": "project_id",
    "client": "project_id",
    "equipment": "flight_id",
    "year": "flight_date",
    "quarter": "flight_date",
    "weekday": "flight_date",
    "hour": "flight_date",
    "category": "flight_id",
    "type": "flight_id",
    "registration": "flight_id",
    "manufacturer": "flight_id",
    "model": "flight_id",
    "night": "night_flight",
    "bvlos": "bvlos",
}
# Words for parts of the day that flights are summed by → how the part is read from it.
DATED: dict[str, Callable[[], nw.Expr]] = {
    "year": Clock.year,
    "quarter": Clock.quarter,
    "month": Clock.month,
    "week": Clock.week,
    "day": Clock.day,
    "weekday": Clock.weekday,
}
_BRIDGED = ("equipment", *PIECE_COLUMNS)
_JOINED = ("client", "hour", *_BRIDGED)


class Keys:
    """Flights under their keys: what is read of them, and how rows of sums are named and sorted.

    Parameters
    ----------
    words : list of str
        As `key_words` returns them.
    clock : Clock
    bridge, projects, equipment : frame, optional
        What some of the words need.
    names : bool
        Whether ids get their names beside them.
    """

    def __init__(
        self,
        words: list[Key],
        clock: Clock,
        *,
        bridge: Frame | None = None,
        projects: Frame | None = None,
        equipment: Frame | None = None,
        names: bool = False,
    ) -> None:
        self.words: list[str] = list(words)
        self._clock = clock
        self._bridge, self._projects, self._equipment = bridge, projects, equipment
        self.named = [word for word in words if names and word in NAME_COLUMNS]
        self.dated = [word for word in words if word in DATED]
        self.plain = [word for word in words if word not in DATED]

    @property
    def columns(self) -> list[str]:
        """The columns of the result's keys: each word, and behind it what names it."""
        return name_columns(self.words, self.named)

    @property
    def summed(self) -> list[str]:
        """What flights are summed by: words, and days for those that are read off them."""
        return [*self.plain, *(["_day"] if self.dated else [])]

    def under(self, flights: Frame, *columns: str) -> Lazy:
        """Return one row per flight and key: what `read_flights` adds, `columns`, `summed`."""
        frame = read_flights(flights, *(KEYS[key] for key in self._keys()), *columns)
        if self.dated or "hour" in self.words:
            frame = self._with_times(frame)
        if set(self.words) & set(_BRIDGED):
            frame = self._with_pieces(frame)
        if "client" in self.words:
            frame = self._with_client(frame)
        keys = [
            nw.col(key if key in _JOINED else KEYS[key]).alias(key)
            for key in self._keys()
            if key not in DATED
        ]
        day = ["_day"] if self.dated else []
        return frame.select(*SUMMED[1:], *columns, *keys, *day)

    def shown(self, frame: Lazy, *columns: str) -> Lazy:
        """Return rows of `summed` with the words as keys, as they are shown, and `columns`."""
        texts = [DATED[word]().alias(word) for word in self.dated]
        dated = frame.select(*self.plain, *texts, *columns)
        return dated.select(*(_shown(word) for word in self.words), *columns)

    def finish(self, rows: Lazy, flights: Frame) -> Lazy:
        """Return rows, one per key, with the names of ids, and sorted."""
        for word in self.named:
            names = joinable(self._names_of(word, rows, flights))
            rows = (
                joinable(rows)
                .join(names, on=word, how="left")
                .with_columns(nw.coalesce(NAME_COLUMNS[word], word).alias(NAME_COLUMNS[word]))
            )
        return _sorted(rows, self.words)

    def _keys(self) -> list[Key]:
        return [key for word in self.words for key in KEYS if key == word]

    def _with_times(self, frame: Lazy) -> Lazy:
        if "hour" not in self.words:
            return self._clock.localize(frame)
        clock = self._clock.judge(frame)
        hour = nw.col("_local").dt.hour()
        # Of dates no hour is known; none is below 0.
        known = nw.when(hour < 0).then(hour) if clock.dates_only else hour
        return clock.localize(frame).with_columns(known.alias("hour"))

    def _with_pieces(self, frame: Lazy) -> Lazy:
        words = [word for word in self.words if word in _BRIDGED]
        if self._bridge is None:
            raise InvalidValue(
                f"by={brief(words[0])} needs the bridge between flights and equipment.",
                advice="Pass bridge=fleet.flight_equipment().",
            )
        pairs = read_bridge(self._bridge, frame)
        columns = {word: column for word, column in PIECE_COLUMNS.items() if word in words}
        if columns:
            of = self._pieces(next(iter(columns)), *columns.values(), beside=pairs)
            pairs = pairs.join(of, on="equipment_id", how="left")
        pairs = pairs.rename({"equipment_id": "equipment"} | {of: to for to, of in columns.items()})
        pairs = pairs.select("flight_id", *words)
        if "equipment" not in words:
            # A flight of two drones is one flight of drones.
            pairs = joinable(pairs.unique(["flight_id", *words], keep="any"))
        return frame.join(pairs, on="flight_id", how="left")

    def _pieces(self, word: str, *columns: str, beside: Lazy) -> Lazy:
        if self._equipment is None:
            raise InvalidValue(
                f"by={brief(word)} needs the equipment that flew."
                if word in PIECE_COLUMNS
                else "The names of equipment stand in its table.",
                advice="Pass equipment=fleet.equipment().",
            )
        names = ["equipment_id", *columns]
        pieces = to_lazy(self._equipment, "equipment", names, beside=beside)
        return pieces.unique("equipment_id", keep="any")

    def _with_client(self, frame: Lazy) -> Lazy:
        if self._projects is None:
            raise InvalidValue(
                "by='client' needs the projects, whose clients they are.",
                advice="Pass projects=fleet.projects().",
            )
        columns = ["project_id", "client_account_name"]
        projects = to_lazy(self._projects, "projects", columns, beside=frame)
        clients = projects.with_columns(named_or_null("client_account_name"))
        clients = clients.rename({"client_account_name": "client"})
        return frame.join(clients.unique("project_id", keep="any"), on="project_id", how="left")

    def _names_of(self, word: str, rows: Lazy, flights: Frame) -> Lazy:
        if word == "equipment":
            beside = rows.rename({"equipment": "equipment_id"})
            pieces = self._pieces(word, "name", beside=beside)
            return pieces.rename({"equipment_id": "equipment"})
        key, name = f"{word}_id", NAME_COLUMNS[word]
        return latest_names(flights, key, name).rename({key: word})


def key_words(by: Key | Iterable[Key]) -> list[Key]:
    """Return the words that an argument holds, each once.

    Raises
    ------
    InvalidValue
        One is unknown, or there is none.
    """
    words = checked_words(by, "by", KEYS, "a word that flights are counted by")
    return [key for word in words for key in KEYS if key == word]


def clock_for(words: Iterable[str], flights: Frame, tz: str | None) -> Clock:
    """Return the clock of flights, which matters where a word is read off their dates."""
    is_dated = not {*DATED, "hour"}.isdisjoint(words)
    return clock_of(flights, tz=tz) if is_dated else Clock.of(flights, tz=tz)


def name_columns(words: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return each word, and behind those that are named the column of their names."""
    named = set(named)
    return [
        name for word in words for name in ([word, NAME_COLUMNS[word]] if word in named else [word])
    ]


def whole_keys(result: _Result) -> _Result:
    """Return weekdays and hours as whole numbers, and flags as such, which pandas widens."""
    if not isinstance(result, pd.DataFrame):
        return result
    numbers = {"weekday", "hour"} & set(result.columns)
    flags = {"night", "bvlos"} & {name for name in result if is_object_dtype(result[name])}
    return result.astype(dict.fromkeys(numbers, "Int64") | dict.fromkeys(flags, "boolean"))


def _shown(word: str) -> nw.Expr:
    return or_unassigned(word) if word in MAY_BE_UNASSIGNED else nw.col(word)


def _sorted(frame: Lazy, words: list[str]) -> Lazy:
    order: list[str] = []
    for word in words:
        if word == "flight_type":
            frame = frame.with_columns(_rank(word, FLIGHT_TYPES).alias(f"_{word}"))
            order.append(f"_{word}")
        elif word in MAY_BE_UNASSIGNED:
            last = (nw.col(word) == UNASSIGNED).cast(nw.Int64)
            frame = frame.with_columns(last.alias(f"_{word}"))
            order.append(f"_{word}")
        order.append(word)
    return frame.sort(*order, nulls_last=True)


def _rank(column: str, tokens: tuple[str, ...]) -> nw.Expr:
    """Return the place of each token in the reference's order; unknown ones after it."""
    text = nw.col(column).cast(nw.String)
    rank = nw.lit(len(tokens))
    for place, token in enumerate(tokens):
        rank = nw.when(text == token).then(nw.lit(place)).otherwise(rank)
    return rank
