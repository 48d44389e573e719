"""The projects of a fleet, prepared to follow controls: fields, figures, board and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import stripped, without_blanks
from fleetkit.exclusion import named_values
from fleetkit.explore.cells import NO_CURRENCY
from fleetkit.explore.comparing import Beside, CompareField, beside
from fleetkit.explore.facets import Facet, Facets
from fleetkit.explore.fields import Choices, Field, Options, Select, Ticks
from fleetkit.explore.flight_fields import PeriodField, dates, month_counter
from fleetkit.explore.options import named, occurring
from fleetkit.explore.pipeline import stages, values_in_words
from fleetkit.explore.project_columns import project_columns
from fleetkit.explore.subject import Card, Selection, Subject, count_card
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.occurring import FIELDS
from fleetkit.fleet.window import window
from fleetkit.schema import PROJECT, PROJECT_STATUSES
from fleetkit.time import YEARS, Clock, has_period, instant
from fleetkit.unassigned import UNASSIGNED, quoted_own

__all__ = ["Projects"]

_MEASURED = ("waiting", "currency", "client", "pilot")
_DATES = ("period", "since", "until")


class Projects(Subject):
    """All projects of a fleet, with what the metrics say of each.

    Parameters
    ----------
    fleet : Fleet
        Its projects are read once.
    """

    name = "projects"
    label = "Project explorer"
    nouns = PROJECT.nouns
    first_order = "updated_at_desc"
    held = tuple(FIELDS["projects"])
    held_lists = ("status",)

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self.tz, self.fetched_at = fleet.tz, fleet.fetched_at
        self.frame = fleet.projects()
        self.clock = Clock.of(self.frame, tz=fleet.tz)
        self.created = self.clock.days(self.frame["created_at"])
        self._first = self._first_created(fleet.whole().projects())
        self.as_of = instant(fleet.fetched_at, fleet.tz).date()
        self.measured = self._measure()
        self.fields = {field.name: field for field in self._fields(fleet)}
        self.facets = self._facets()
        self.columns = {column.name: column for column in project_columns(self)}
        self.caption = f"As of {self.as_of}, days in {fleet.tz}."

    def _measure(self) -> pd.DataFrame:
        """Return what each project waits for and since how many days, in the order of the rows."""
        lists = {
            "late": (metrics.late_projects(self.frame, self.as_of), "days_late"),
            "stalled": (metrics.stalled_projects(self.frame, self.as_of), "days_untouched"),
            "to invoice": (metrics.to_invoice(self.frame, self.as_of), "days_since_updated"),
        }
        waiting = pd.concat(
            [
                pd.DataFrame(
                    {"project_id": rows["project_id"], "waiting": name, "days": rows[days]}
                ).astype({"waiting": "object"})
                for name, (rows, days) in lists.items()
            ]
        )
        measured = waiting.set_index("project_id").reindex(self.frame["project_id"]).reset_index()
        measured["currency"] = stripped(self.frame["currency"]).fillna(NO_CURRENCY)
        measured["client"] = without_blanks(self.frame["client_account_name"])
        pilots = without_blanks(self.frame["assigned_pilot_name"]).to_frame("pilot")
        measured["pilot"] = nw.from_native(pilots).select(quoted_own("pilot")).to_native()
        return measured

    def _fields(self, fleet: Fleet) -> list[Field]:
        frame = self.frame
        statuses = [str(status) for status in frame["status"].cat.categories]
        present = set(frame["status"].dropna().astype(str))
        waiting = [name for name in ("late", "stalled", "to invoice") if self._waits(name)]
        count_months = month_counter(self.created, self.months)
        created = PeriodField(self.months, count_months, self.tz, label="Created")
        return [
            created,
            *dates(created, self.clock.days, "created"),
            Select("client", "Client", occurring(self.measured["client"])),
            Select("pilot", "Pilot", _with_rest(self.measured["pilot"])),
            Select("project", "Project", named(frame, "project_id", "title")),
            Select("project_type", "Project type", occurring(frame["project_type"])),
            Select("currency", "Currency", occurring(self.measured["currency"])),
            Select("waiting", "Waits", [(name, name) for name in waiting]),
            Ticks("status", "Stage", [status for status in statuses if status in present]),
            CompareField(self, fleet),
        ]

    @cached_property
    def months(self) -> list[str]:
        """Months in which projects were created, ``YYYY-MM``, earliest first."""
        months = sorted(set(self.created.dropna().dt.strftime("%Y-%m")))
        return [month for month in months if has_period(month)]

    def _first_created(self, projects: pd.DataFrame) -> date | None:
        """Return the day on which the first of some projects was created; None without any."""
        days = self.clock.days(projects["created_at"])
        first = days[days.dt.year.isin(YEARS)].min()
        return None if pd.isna(first) else first.date()

    def masks(self, choices: Choices) -> dict[str, np.ndarray]:
        """Return the projects that were created in the period."""
        since, until = choices["since"], choices["until"]
        if since is None and until is None:
            return {}
        days = window(since=since, until=until, tz=self.tz)
        is_inside = self.clock.are_in(self.frame["created_at"], days)
        return {"period": is_inside.to_numpy(dtype=bool)}

    def other_period(self, choices: Choices) -> Beside:
        """Return the projects that were created in another period, in the stages of now."""
        other = beside(choices, self._first, self.tz, self.fetched_at, noun=self.nouns[1])
        if other.choices is None:
            return other
        name = f"created {other.name}"
        return replace(other, title=f"{name}, in the stages of now", name=name)

    def _waits(self, name: str) -> bool:
        return bool((self.measured["waiting"] == name).any())

    def _facets(self) -> Facets:
        facets = {}
        for name, field in self.fields.items():
            if field.is_display or name in _DATES:
                continue
            rows = self.measured if name in _MEASURED else self.frame
            column = rows["project_id" if name == "project" else name]
            facets[name] = Facet(column, field.tokens, UNASSIGNED if name == "pilot" else None)
        return Facets(len(self), facets)

    def to_filter(self, choices: Choices, selection: Selection) -> Filter:
        """Return the choices as a filter; by identifiers where a filter has no such field."""
        chosen = {name: field.chosen(choices) for name, field in self.fields.items()}
        unknown = set(named_values(chosen["status"])) - set(PROJECT_STATUSES)
        others = [name for name, values in chosen.items() if values and name not in self.held]
        others += [name for name in ("since", "until") if choices[name] is not None]
        if unknown or others:
            return Filter(project=tuple(selection.rows(self.first_order)["project_id"]))
        return Filter.from_parameters({name: chosen[name] or None for name in self.held})

    def comparison(self, choices: Choices) -> dict[str, Any]:
        """Return the pipeline, as the board shows it."""
        return {"metric": "project_pipeline"}

    def cards(self, selection: Selection) -> Sequence[Card]:
        """Return projects, the groups of the pipeline with their values, and what is late."""
        rows = self.frame[selection.match.rows]
        totals = metrics.pipeline_totals(rows)
        days = self.measured.loc[selection.match.rows & self._is_late(), "days"]
        most = days.max()
        longest = f"longest: {most:,} day{'' if most == 1 else 's'}" if len(days) else ""
        return [
            count_card("Projects", len(rows), f"of {len(self):,}"),
            *(
                _group(group, totals[totals["group"] == group])
                for group in ("open", "backlog", "to invoice", "awaiting payment")
            ),
            count_card("Late", len(days), longest),
        ]

    def _is_late(self) -> Any:
        return (self.measured["waiting"] == "late").to_numpy()

    def chart(self, selection: Selection, choices: Choices) -> str:
        """Return the pipeline as a board: a column per stage, with its value in each currency.

        Below it, that of what is beside it.
        """
        if not len(self):
            return self.no_chart()
        pipeline = self._stages(selection, choices)
        other = self.beside(choices)
        if other is None or other.choices is None:
            return pipeline
        return pipeline + self._stages(self.select(other.choices), choices, beside=other.name)

    def _stages(self, selection: Selection, choices: Choices, *, beside: str = "") -> str:
        rows = selection.rows(self.first_order)
        pipeline = metrics.project_pipeline(rows)
        return stages(rows, pipeline, self.fields, choices, beside=beside)


def _group(name: str, totals: pd.DataFrame) -> Card:
    projects = int(totals["projects"].sum())
    values = values_in_words(totals)
    return count_card(name.capitalize(), projects, values, beside=values)


def _with_rest(names: pd.Series) -> Options:
    """Return the names that occur, and Unassigned where a project has none."""
    rest = [(UNASSIGNED, UNASSIGNED)] if names.isna().any() else []
    return [*occurring(names), *rest]
