"""A section and a report about nothing much, for the tests of what is rendered."""

from __future__ import annotations

import pandas as pd

from fleetkit import charts
from fleetkit.reports import Section, render

ABOUT = {
    "language": "en-GB",
    "version": "0.1.0",
    "organisation": "Nordic Drone Services",
    "brand": {"accent": "", "on_dark": "", "logo": "", "name": "", "footer": ""},
    "kind": "Fleet report",
    "title": "October 2026",
    "heading": "Fleet report · October 2026",
    "period": "October 2026",
    "full_title": "Nordic Drone Services · Fleet report · October 2026",
    "tz": "Europe/London",
    "since": "1 Oct 2026",
    "until": "1 Nov 2026",
    "previous": "September",
    "year_before": "October 2025",
    "as_of": "1 Nov 2026, 06:00",
    "provenance": [],
    "filters": [],
    "units": [],
    "left_out": [],
    "is_chosen": False,
    "warnings": [],
    "data_files": [],
    "data_version": 1,
    "fingerprint": "9c0e9a2f71aa",
}
HOURS = pd.DataFrame({"month": ["2026-09", "2026-10"], "flights": [3, 4], "hours": [2.5, 3.5]})


def section(tmp_path, name="flight_hours", **more):
    """Return a section with one of each; `title` and the table's only `text` can be given."""
    made = Section(
        name, title=more.get("title", "Flight hours"), question="How much?", out=tmp_path
    )
    made.kpi("Hours", 3.5, "h", 1, previous=2.5, trend=[None, 2.5, 3.5], better="up")
    made.sentence("3.5 hours in 4 flights.")
    made.figure(
        "by_month", charts.flight_hours(HOURS), title="By month", alt="Hours by month", front=1
    )
    made.table("names", pd.DataFrame({"name": [more.get("text", "Kestrel")]}), title="Names")
    return made


def loaded(made):
    """Return the section as it is read for rendering."""
    return render.load_section(made.save().parent)


def table(made, name):
    """Return the rows of a section's table, as it shows them."""
    block = next(block for block in made["blocks"] if block["name"] == name)
    return [row["texts"] for row in block["rows"]]


def with_labels(tmp_path, values):
    """Return a report with key figures of which every second has a label of two lines."""
    made = section(tmp_path)
    for place, value in enumerate(values):
        label = "Expiring within thirty days or fewer" if place % 2 else "Valid"
        made.kpi(label, value, note="of those with a date", front=False, metric="registrations")
    return render.html(ABOUT, [loaded(made)])
