"""The word for what has no pilot, project or client, and those who are really called so."""

from __future__ import annotations

import narwhals as nw

from fleetkit.language import message, say

__all__ = [
    "MAY_BE_UNASSIGNED",
    "UNASSIGNED",
    "name_of",
    "or_unassigned",
    "quoted_own",
    "say_name",
    "shown_name",
]

# Stands for "no pilot", "no project" and "no client", in metrics, filters and explorers.
UNASSIGNED = message("Unassigned")
# What a flight may be without, as metrics count it.
MAY_BE_UNASSIGNED = ("pilot", "project", "client")


def quoted_own(column: str) -> nw.Expr:
    """Return the texts of a column: one that says `UNASSIGNED` itself gets quotation marks."""
    text = nw.col(column).cast(nw.String)
    quoted = nw.lit(_quoted(UNASSIGNED))
    return nw.when(text == UNASSIGNED).then(quoted).otherwise(text).alias(column)


def or_unassigned(column: str) -> nw.Expr:
    """Return the same with `UNASSIGNED` for null.

    Examples
    --------
    >>> import pandas as pd
    >>> names = nw.from_native(pd.DataFrame({"client": ["Fjord", None, "Unassigned"]}))
    >>> names.select(or_unassigned("client"))["client"].to_list()
    ['Fjord', 'Unassigned', '"Unassigned"']
    """
    return quoted_own(column).fill_null(UNASSIGNED)


def shown_name(name: str) -> str:
    """Return a name as `quoted_own` shows it.

    Examples
    --------
    >>> shown_name("Fjord"), shown_name("Unassigned")
    ('Fjord', '"Unassigned"')
    """
    return _quoted(name) if name == UNASSIGNED else name


def name_of(shown: str) -> str | None:
    """Return the name that `or_unassigned` shows so; None for those that have none.

    Examples
    --------
    >>> name_of("Fjord"), name_of("Unassigned"), name_of('"Unassigned"')
    ('Fjord', None, 'Unassigned')
    """
    if shown == UNASSIGNED:
        return None
    return UNASSIGNED if shown == _quoted(UNASSIGNED) else shown


def say_name(name: str) -> str:
    """Return a name of a metric as a report shows it: `UNASSIGNED` in the report's language.

    Examples
    --------
    >>> from fleetkit import language
    >>> with language.using("de"):
    ...     [say_name(name) for name in ("Ada", UNASSIGNED, "Nicht zugewiesen")]
    ['Ada', 'Nicht zugewiesen', '"Nicht zugewiesen"']
    """
    if name == UNASSIGNED:
        return say(UNASSIGNED)
    return _quoted(name) if name == say(UNASSIGNED) else name


def _quoted(name: str) -> str:
    return f'"{name}"'
