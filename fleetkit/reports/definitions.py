"""What terms mean that no metric of its own counts; a metric's stand in its docstring."""

from __future__ import annotations

__all__ = ["DEFINITIONS"]

DEFINITIONS = {
    "Change": "Against the period before and the same period a year before; blank where the data "
    "don't cover all of it. Of a period that isn't over, against the same days, the last one up to "
    "the same time.",
    "So far": "A period that isn't over ends when its data were fetched. Rates divide by the days "
    "that have passed, the one of the fetch included.",
}
