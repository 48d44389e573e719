"""A fleet as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from fleetkit.errors import FleetkitError
from fleetkit.html import html_table

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = ["fleet_html"]

_COUNTED = (
    ("equipment", "piece of equipment"),
    ("projects", "project"),
    ("services", "service"),
    ("tiers", "pricing tier"),
    ("specifications", "specification of a piece of equipment"),
)


def fleet_html(fleet: Fleet) -> str:
    """Return where a fleet's data come from and how many rows its tables have, as HTML."""
    filter_text = f" · {fleet.filter!r}" if fleet.filter else ""
    return (
        f"<div><b>Fleet</b> at <code>{escape(fleet.address)}</code> · times in "
        f"{escape(fleet.tz)}{escape(filter_text)}"
        f"{html_table(_contents(fleet), ('call', 'rows', 'one row per'), right={1})}</div>"
    )


def _contents(fleet: Fleet) -> Iterator[tuple[str, str, str]]:
    """Count what is cheap to count: flights of a live fleet are not fetched for a look."""
    for name, row in _COUNTED:
        try:
            count = f"{len(getattr(fleet, name)()):,}"
        except FleetkitError as problem:
            count = f"– ({type(problem).__name__})"
        yield f"{name}()", count, row
    yield 'flights("2026-10")', "on request", "flight"
    yield 'flight_equipment("2026-10")', "on request", "flight and piece of equipment"
