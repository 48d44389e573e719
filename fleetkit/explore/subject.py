"""What an explorer is about: rows of one kind, what can be chosen of them, and what is shown.

Everything that doesn't change while controls move is prepared once; a selection is a mask over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.blanks import without_blanks
from fleetkit.errors import InvalidValue
from fleetkit.explore.comparing import Beside, SetAside, aside_title
from fleetkit.explore.downloads import download
from fleetkit.explore.facets import Chosen, Facets, Match
from fleetkit.explore.fields import Chip, Choices, Field
from fleetkit.explore.opening import choices_of
from fleetkit.filters import Filter
from fleetkit.interface import brief, did_you_mean

__all__ = ["Card", "Column", "Selection", "Subject", "count_card"]


@dataclass(frozen=True)
class Card:
    """One key figure.

    Attributes
    ----------
    label, value, note : str
        Texts; they are escaped where they are shown.
    amount : float, optional
        The value as a number, where its change against another one is a share of it.
    beside : str
        What is added to the value where it stands beside another one.
    """

    label: str
    value: str
    note: str = ""
    amount: float | None = None
    beside: str = ""


def count_card(label: str, count: int, note: str, beside: str = "") -> Card:
    """Return the key figure of a number of things."""
    return Card(label, f"{count:,}", note, count, beside)


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes
    ----------
    name, head : str
        How orders call it, and what stands above it.
    cells : callable
        Row numbers → the HTML of each cell.
    keys : callable
        Returns what it is sorted by: a value for each row, null and blank last.
    is_number : bool
        Whether it stands on the right.
    is_shown : bool
        Whether it is shown until it is chosen otherwise.
    field : str
        The field that a cell chooses its value in, if any.
    values : callable, optional
        Row numbers → the value of each cell in that field; None where it has none.
    """

    name: str
    head: str
    cells: Callable[[np.ndarray], Sequence[str]]
    keys: Callable[[], pd.Series]
    is_number: bool = False
    is_shown: bool = True
    field: str = ""
    values: Callable[[np.ndarray], Sequence[Any]] | None = None


class Subject:
    """Rows of one kind; see the subclasses.

    Attributes
    ----------
    name, label : str
        What links call the explorer, and a screen reader.
    nouns : tuple of str
        One row, and several.
    first_order : str
        Order to begin with.
    frame : DataFrame
        All rows, with the columns of the fleet's table.
    fields : dict
        What can be chosen, by name, in reading order.
    facets : Facets
        Which options each row has.
    columns : dict
        Name → column of the table.
    caption : str
        What stands below the table.
    tz : str
        IANA time zone of days.
    fetched_at : datetime
        When the data were fetched.
    held, held_lists : tuple of str
        Fields of a filter that controls can hold: one value each, and any number of values.
    not_held : tuple of str
        Fields that narrow its rows, too, and have no control.
    """

    name = ""
    label = "Explorer"
    held: tuple[str, ...] = ()
    held_lists: tuple[str, ...] = ()
    not_held: tuple[str, ...] = ()
    nouns = ("row", "rows")
    first_order = ""
    frame: pd.DataFrame
    fields: dict[str, Field]
    facets: Facets
    columns: dict[str, Column]
    caption = ""
    tz = "UTC"
    fetched_at: datetime
    # ``[since, until)`` of all data, where they have dates that a period is about.
    span: tuple[str, str] | None = None
    # A list with more options than this counts the rows of each option only once it is opened.
    most_counted: float = math.inf

    def __init__(self) -> None:
        self._orders: dict[str, np.ndarray] = {}
        # The rows of the table that were shown last: what they depend on, and their HTML.
        self.written_rows: tuple[Any, str] = (), ""

    def __len__(self) -> int:
        return len(self.frame)

    def select(self, choices: Choices) -> Selection:
        """Return the rows that are chosen.

        Raises
        ------
        InvalidValue
            The choices contradict each other.
        """
        return self.selection(self.facets.match(self._chosen(choices), self.masks(choices)))

    def nothing(self) -> Selection:
        """Return a selection without rows."""
        nothing = {"nothing": np.zeros(len(self), dtype=bool)}
        return self.selection(self.facets.match({}, nothing))

    def selection(self, match: Match) -> Selection:
        """Return the selection of matching rows."""
        return Selection(self, match)

    def masks(self, choices: Choices) -> dict[str, np.ndarray]:
        """Return the rows that fields without a facet mean."""
        return {}

    def cards(self, selection: Any) -> Sequence[Card]:
        """Return the key figures."""
        raise NotImplementedError

    def beside(self, choices: Choices) -> Beside | None:
        """Return what to show beside the choices, where something is asked for."""
        compared = choices["compare"]
        if not compared:
            return None
        if not isinstance(compared, SetAside):
            return self.other_period(choices)
        chosen = {**choices, **dict(compared.choices)}
        return Beside(aside_title(compared, self), chosen, compared.name)

    def other_period(self, choices: Choices) -> Beside:
        """Return the other period to show beside the one that is chosen."""
        raise NotImplementedError

    def comparison(self, choices: Choices) -> dict[str, Any]:
        """Return what `fleetkit.compare` is to be given: ``metric`` and its options."""
        raise NotImplementedError

    def choices_of(self, chosen: Filter) -> Choices:
        """Return the choices that select what a filter does.

        Raises
        ------
        InvalidValue
            A field has no such option, or there is no such field.
        """
        return choices_of(chosen, self.fields, self.held, self.tz)

    def chips(self, choices: Choices) -> list[Chip]:
        """Return what is chosen, and what stands beside it."""
        return [chip for field in self.fields.values() for chip in field.chips(choices)]

    def in_words(self, choices: Choices) -> list[str]:
        """Return what is chosen, without what stands beside it."""
        fields = [field for field in self.fields.values() if not field.is_display]
        return [f"{chip.label} {chip.words}" for field in fields for chip in field.chips(choices)]

    def chart(self, selection: Any, choices: Choices) -> str:
        """Return the HTML of the chart."""
        raise NotImplementedError

    def no_chart(self) -> str:
        """Return what stands in place of the chart where there are no rows at all."""
        return f'<p class="fk-nothing">No {self.nouns[1]} match, so there is no chart to draw.</p>'

    def to_filter(self, choices: Choices, selection: Selection) -> Filter:
        """Return the choices as a filter, without what the fleet is narrowed by."""
        raise NotImplementedError

    def announce(self, selection: Selection) -> str:
        """Return what a screen reader says of a selection."""
        return self.count(len(selection))

    @property
    def file_name(self) -> str:
        """What files of the rows are called."""
        return self.nouns[1].replace(" ", "-")

    def count(self, rows: int) -> str:
        """Return a number of rows in words."""
        return f"{rows:,} {self.nouns[rows != 1]}"

    def check_order(self, order_by: Any) -> None:
        """Refuse an order of a column that the table doesn't have."""
        name, _, direction = order_by.rpartition("_") if isinstance(order_by, str) else ("",) * 3
        if name not in self.columns or direction not in ("asc", "desc"):
            orders = [f"{column}_{way}" for column in self.columns for way in ("asc", "desc")]
            suggestion = did_you_mean(order_by, orders) if isinstance(order_by, str) else ""
            raise InvalidValue(
                f"order_by={brief(order_by)} is not an order. {suggestion}".strip(),
                advice=f"Write a column and asc or desc; columns are: {', '.join(self.columns)}.",
            )

    def order(self, order_by: str) -> np.ndarray:
        """Return all row numbers in that order; ties in the order to begin with, nulls last."""
        if order_by not in self._orders:
            self.check_order(order_by)
            name, _, direction = order_by.rpartition("_")
            self._orders[order_by] = self._sorted(name, is_ascending=direction == "asc")
        return self._orders[order_by]

    def _sorted(self, name: str, *, is_ascending: bool) -> np.ndarray:
        keys = self.columns[name].keys().reset_index(drop=True)
        if pd.api.types.is_string_dtype(keys.dtype) or keys.dtype == object:
            keys = without_blanks(keys).str.casefold()  # as cells show them
        codes, _ = pd.factorize(keys, sort=True)
        ranks = np.where(codes < 0, np.iinfo(np.int64).max, codes if is_ascending else -codes)
        if f"{name}_{'asc' if is_ascending else 'desc'}" == self.first_order:
            return np.argsort(ranks, kind="stable")
        order = self.order(self.first_order)
        return order[np.argsort(ranks[order], kind="stable")]

    def _chosen(self, choices: Choices) -> Mapping[str, Chosen]:
        """Return the values that are chosen in each field that has a facet."""
        named = {*self.facets.facets, *self.facets.linked}
        return {name: self.fields[name].chosen(choices) for name in named}


class Selection:
    """The rows that choices mean.

    Parameters
    ----------
    subject : Subject
        All rows.
    match : Match
        Which of them.
    """

    def __init__(self, subject: Subject, match: Match) -> None:
        self.subject = subject
        self.match = match
        self._count = int(np.count_nonzero(match.rows))

    def __len__(self) -> int:
        return self._count

    def numbers(self, order_by: str) -> np.ndarray:
        """Return the row numbers of the selection, in that order."""
        order = self.subject.order(order_by)
        return np.compress(self.match.rows[order], order)

    def page(self, order_by: str, start: int, stop: int) -> np.ndarray:
        """Return the row numbers at some places of the selection, in that order."""
        return self.numbers(order_by)[start:stop]

    def file(self, order_by: str, form: str) -> bytes:
        """Return the content of a file with these rows: csv, xlsx or parquet."""
        subject = self.subject
        return download(self.rows(order_by), form, subject.file_name, subject.fetched_at)

    def rows(self, order_by: str) -> pd.DataFrame:
        """Return the selection with the columns of the fleet's table."""
        return self.subject.frame.iloc[self.numbers(order_by)].reset_index(drop=True)
