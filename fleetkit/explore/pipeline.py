"""The pipeline as a board: a column per stage, with projects and values by currency."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from fleetkit.blanks import is_blank
from fleetkit.explore import cells, tiles
from fleetkit.explore.fields import Choices, Field, shown_token
from fleetkit.lettering import printable
from fleetkit.rounding import number

__all__ = ["stages", "values_in_words"]

# Returns a button that chooses.
Tile = Callable[..., str]
# Most currencies and names of projects that a stage shows; most currencies of a key figure.
_CURRENCIES, _PROJECTS, _IN_WORDS = 4, 3, 2


def values_in_words(values: pd.DataFrame) -> str:
    """Return the largest values by currency, each by itself, and of how many projects they are.

    Parameters
    ----------
    values : DataFrame
        ``currency``, ``projects``, ``priced``, ``value``; null where nothing is priced.

    Examples
    --------
    >>> columns = ["currency", "projects", "priced", "value"]
    >>> values_in_words(pd.DataFrame([["EUR", 2, 2, 1234.5], ["GBP", 1, 0, None]], columns=columns))
    'EUR 1,235; priced: 2 of 3'
    """
    known = values.dropna(subset=["value"]).sort_values("value", ascending=False)
    texts = [
        f"{_named_currency(currency)} {number(value)}"
        for currency, value in zip(known["currency"], known["value"], strict=True)
    ]
    beyond = len(texts) - _IN_WORDS
    amounts = " · ".join(texts[:_IN_WORDS]) + (f" and {beyond} more" if beyond > 0 else "")
    priced, projects = int(values["priced"].sum()), int(values["projects"].sum())
    coverage = f"priced: {priced:,} of {projects:,}" if priced < projects else ""
    return "; ".join(filter(None, (amounts, coverage)))


def stages(
    rows: pd.DataFrame,
    pipeline: pd.DataFrame,
    fields: Mapping[str, Field],
    choices: Choices,
    *,
    beside: str = "",
) -> str:
    """Return a column for each stage that occurs in the organisation.

    Parameters
    ----------
    rows : DataFrame
        The projects that are chosen, those to name first.
    pipeline : DataFrame
        As `metrics.project_pipeline` returns it, of these projects.
    fields : mapping
        Name → field; with ``status``, ``currency`` and ``project``.
    choices : mapping
        What is chosen already.
    beside : str
        What they are called, where they stand beside those that are chosen.
    """
    tile = partial(tiles.button, choices=choices, prefix="other-" if beside else "")
    columns = "".join(
        _stage(
            str(status),
            rows[rows["status"].astype("str") == status],
            pipeline[pipeline["status"].astype("str") == status],
            fields,
            tile,
        )
        for _, status in fields["status"].options(choices)
    )
    named = f", {escape(beside)}" if beside else ""
    return (
        f'<p class="fk-title">Projects and values by stage{named}</p>'
        '<div class="fk-scroll fk-stages" data-rove tabindex="0" role="group" '
        f'aria-label="{"Other chart" if beside else "Chart"}">{columns}</div>'
        f"{tiles.lacking(int(rows['status'].isna().sum()), f'{len(rows):,}', 'stage')}"
    )


def _stage(
    status: str,
    rows: pd.DataFrame,
    pipeline: pd.DataFrame,
    fields: Mapping[str, Field],
    tile: Tile,
) -> str:
    head = tile(
        f"<bdi>{escape(shown_token(status))}</bdi> <strong>{len(rows):,}</strong>",
        [(fields["status"], status)],
        counted=f": {len(rows):,}",
    )
    largest = pipeline.sort_values("value", ascending=False, na_position="last")
    values = "".join(
        f"<li>{_value(status, row, fields, tile)}</li>"
        for row in largest.head(_CURRENCIES).to_dict("records")
    )
    names = "".join(
        f"<li>{_project(row, fields, tile)}</li>" for row in rows.head(_PROJECTS).to_dict("records")
    )
    return (
        f'<section class="fk-stage{"" if len(rows) else " fk-none"}"><p>{head}</p>'
        f"<ul>{values}{_more(len(pipeline) - _CURRENCIES, 'currency', 'currencies')}</ul>"
        f'<ul class="fk-names">{names}{_more(len(rows) - _PROJECTS, "project", "projects")}</ul>'
        "</section>"
    )


def _value(status: str, row: Mapping[Any, Any], fields: Mapping[str, Field], tile: Tile) -> str:
    """Return the value of a stage in one currency, which chooses both.

    One of more than three lines is cut off, and stands in what is said of it.
    """
    currency, value = _named_currency(row["currency"]), number(row["value"])
    chosen = currency if pd.isna(row["currency"]) else str(row["currency"])
    both = [(fields["status"], status), (fields["currency"], chosen)]
    projects = f"{row['projects']:,} project{'s' if row['projects'] != 1 else ''}"
    if row["priced"] < row["projects"]:
        projects = f"{row['priced']:,} of {projects} with a price"
    return tile(f"{escape(currency)} {value}", both, counted=f", {value}: {projects}")


def _named_currency(currency: Any) -> str:
    """Return a currency as pages show it: a direction mark in it would turn its amount around."""
    return cells.NO_CURRENCY if pd.isna(currency) else printable(str(currency))


def _project(row: Mapping[Any, Any], fields: Mapping[str, Field], tile: Tile) -> str:
    key = row["project_id"]
    title = fields["project"].labels({})[key]  # whatever is chosen; namesakes with their ids
    named = _client(row) if title == key else f", {title}{_client(row)}"
    return tile(cells.text(title), [(fields["project"], key)], counted=named)


def _client(row: Mapping[Any, Any]) -> str:
    client = row["client_account_name"]
    return "" if is_blank(client) else f", {printable(client)}"


def _more(count: int, one: str, several: str) -> str:
    return f"<li>and {count:,} more {one if count == 1 else several}</li>" if count > 0 else ""
