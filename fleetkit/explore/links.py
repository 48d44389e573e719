"""Filters as the query of a link: ``flights.night=true&flights.since=2026-10-01``.

A name is that of an explorer and of a field; values are written as after ``--filter``. So the
address of the explorers' app says what they open with. What stands beside it is said by
``flights.compare=previous``, or by a filter: ``flights.compare.night=false``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fleetkit.arguments import refuse_unknown, texts
from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.interface import brief, did_you_mean

__all__ = ["EXPLORERS", "compared_in_query", "from_query", "to_query"]

EXPLORERS = ("flights", "equipment", "projects")
# Characters that links don't escape: they have no meaning inside a value.
_READABLE = ",:/"
_COMPARE = "compare"
# In a link: the filter that is compared selects all rows.
_ALL = "all"


def to_query(
    filters: Mapping[str, Filter], *, compared: Mapping[str, Filter | str] | None = None
) -> str:
    """Return the filters of explorers as the query of a link, without its ``?``.

    Parameters
    ----------
    filters : mapping
        Explorer (``flights``, ``equipment`` or ``projects``) → its filter.
    compared : mapping, optional
        Explorer → what stands beside it: a filter, or an option of its control, such as
        ``previous``.

    Raises
    ------
    InvalidValue
        There is no such explorer.

    Examples
    --------
    >>> to_query({"flights": Filter(night=True, since="2026-10-01", client="Harbour & Co")})
    'flights.since=2026-10-01&flights.client=Harbour%20%26%20Co&flights.night=true'
    """
    compared = {} if compared is None else compared
    _check(filters, Filter)
    _check(compared, Filter, str)
    refuse_unknown([*filters, *compared], EXPLORERS, "explorer")
    pairs = [pair for explorer, chosen in filters.items() for pair in _fields(explorer, chosen)]
    for explorer, other in compared.items():
        named = f"{explorer}.{_COMPARE}"
        if isinstance(other, Filter) and other:
            pairs += _fields(named, other)
        else:
            pairs.append((named, other if isinstance(other, str) else _ALL))
    return urlencode(pairs, quote_via=quote, safe=_READABLE)


def _check(given: Any, *kinds: type) -> None:
    if not isinstance(given, Mapping) or not all(isinstance(f, kinds) for f in given.values()):
        raise InvalidValue(
            f"{brief(given)} is not a dict of filters.",
            advice='Write {"flights": Filter(night=True)}.',
        )


def _fields(prefix: str, chosen: Filter) -> list[tuple[str, str]]:
    options = (option.partition("=") for option in chosen.to_options()[1::2])
    return [(f"{prefix}.{name}", value) for name, _, value in options]


def from_query(query: str, *, other: Iterable[str] = ()) -> dict[str, Filter]:
    """Read the filters of explorers from the query of a link.

    Parameters
    ----------
    query : str
        As `to_query` wrote it, with or without its ``?``.
    other : iterable of str
        Names in it that somebody else reads, such as ``token``.

    Returns
    -------
    dict
        Explorer → filter, of those that the query names.

    Raises
    ------
    InvalidValue
        An explorer or a field that there isn't, or a value that can't be read.

    Examples
    --------
    >>> from_query("?flights.night=true&flights.pilot=prof_1&flights.pilot=prof_2")
    {'flights': Filter(pilot=('prof_1', 'prof_2'), night=True)}
    """
    options: dict[str, list[str]] = {}
    for explorer, field, value in _parts(query, other):
        if not _is_compared(field):
            options.setdefault(explorer, []).append(f"{field}={value}")
    return {explorer: _read(explorer, chosen) for explorer, chosen in options.items()}


def compared_in_query(query: str, *, other: Iterable[str] = ()) -> dict[str, Filter | str]:
    """Read what stands beside the filters of explorers from the query of a link.

    Parameters
    ----------
    query, other
        As for `from_query`.

    Returns
    -------
    dict
        Explorer → a filter, or an option of its control.

    Raises
    ------
    InvalidValue
        As `from_query` raises.

    Examples
    --------
    >>> compared_in_query("?flights.night=true&flights.compare.night=false")
    {'flights': Filter(night=False)}
    >>> compared_in_query("?flights.compare=previous")
    {'flights': 'previous'}
    """
    compared: dict[str, Filter | str] = {}
    options: dict[str, list[str]] = {}
    for explorer, field, value in _parts(query, other):
        _, _, name = field.partition(".")
        if field == _COMPARE:
            compared[explorer] = Filter() if value == _ALL else value
        elif _is_compared(field):
            options.setdefault(explorer, []).append(f"{name}={value}")
    return compared | {name: _read(name, chosen) for name, chosen in options.items()}


def _is_compared(field: str) -> bool:
    return field.partition(".")[0] == _COMPARE


def _parts(query: str, other: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return explorer, field and value of each name that is not somebody else's."""
    ignored = set(texts(other, "other"))
    return [(*_named(name), value) for name, value in _pairs(query) if name not in ignored]


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        [query] = texts([query], "query")
        return parse_qsl(query.removeprefix("?"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise InvalidValue(
            f"The link's query {brief(query)} is not a text in UTF-8.", advice="Copy it again."
        ) from None


def _named(name: str) -> tuple[str, str]:
    """Return explorer and field of a name in a query."""
    explorer, dot, field = name.partition(".")
    if not dot or explorer not in EXPLORERS:
        guess = did_you_mean(explorer, EXPLORERS) if dot else ""
        raise InvalidValue(
            f"{brief(name)} in the link names no explorer. {guess}".strip(),
            advice="Write flights.night=true; explorers are: " + ", ".join(EXPLORERS) + ".",
        )
    return explorer, field


def _read(explorer: str, options: list[str]) -> Filter:
    try:
        return Filter.parse(options)
    except InvalidValue as problem:
        raise InvalidValue(
            f"In the link's {explorer}: {problem.message}", advice=problem.advice
        ) from None
