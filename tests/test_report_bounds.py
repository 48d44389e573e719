"""A report of a large and odd organisation: as long, and set as large, as that of a small one."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO

import a_notebook
import pytest
from a_section import ABOUT
from conftest import a_flight, a_project, an_equipment, synced
from long_names import NAMES
from pypdf import PdfReader

from fleetkit.reports import render
from fleetkit.reports.pdf import pdf

pytestmark = pytest.mark.slow

CHAPTERS = ("flight_hours", "equipment_condition", "project_pipeline")
PIECES, PILOTS, PROJECTS, FLIGHTS, CURRENCIES = 300, 850, 250, 1_700, 34
END = datetime(2026, 11, 1, tzinfo=UTC)
MOST_PAGES, MOST_BYTES = 15, 1_000_000


def name(place):
    """Return a name of 200 letters, no two of them alike, in one script after another."""
    scripts = list(NAMES.values())
    return f"{place}{scripts[place % len(scripts)]}"[:200]


def moment(minutes):
    return (END - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:00.000Z")


def records():
    """Return an organisation with many of everything, and a long name wherever one can stand."""
    tokens = {field: place for place, field in enumerate(("type", "category"))}
    pieces = [
        an_equipment(
            f"eq_{n}",
            **{field: name(n + place) for field, place in tokens.items()},
            name=name(n),
            status="ACTIVE" if n % 2 else name(n % 40),
            condition=name(n % 30),
            registrationNumber=name(n),
            registrationExpiry=moment(1_000 * (n % 90) - 30_000),
            totalFlights=n,
            totalFlightHours=float(n),
        )
        for n in range(PIECES)
    ]
    projects = [
        a_project(
            f"proj_{n}",
            title=name(n),
            status=("DRAFT", "CONFIRMED", "DELIVERED", "INVOICED", name(n % 40))[n % 5],
            currency=f"C{n % CURRENCIES:02d}",
            agreedPrice=1e300 if n == 7 else 1_000 + n,
            estimatedCost=500,
            scheduledDate=moment(100 * n),
            clientAccountName=name(n + 1),
            assignedPilotName=name(n + 2),
        )
        for n in range(PROJECTS)
    ]
    flights = [
        a_flight(
            f"fl_{n}",
            moment(180 * n),
            operationType=name(n % 60),
            pilotInCommand={"id": f"prof_{n % PILOTS}", "fullName": name(n % PILOTS)},
            project={"id": f"proj_{n % PROJECTS}", "title": name(n % PROJECTS)},
        )
        for n in range(FLIGHTS)
    ]
    pairs = [(f"fl_{n}", f"eq_{n % PIECES}") for n in range(FLIGHTS)]
    return {
        "equipment": pieces,
        "flights": flights,
        "flight_equipment": pairs,
        "projects": projects,
        "services": [],
    }


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the HTML and the PDF of the organisation's October."""
    folder = tmp_path_factory.mktemp("large")
    span = {"period": "2026-10", "mirror": str(synced(records(), folder / "mirror"))}
    for chapter in CHAPTERS:
        a_notebook.made(chapter, out=str(folder), **span)
    html = render.html(ABOUT, [render.load_section(folder / chapter) for chapter in CHAPTERS])
    return html, pdf(html, made=END)[0]


def test_it_has_few_pages_and_bytes(report):
    html, printed = report
    assert len(PdfReader(BytesIO(printed)).pages) <= MOST_PAGES
    assert len(html.encode()) <= MOST_BYTES


def test_the_first_page_is_one_and_the_first_chapter_begins_on_the_second(report):
    reader = PdfReader(BytesIO(report[1]))
    places = reader.named_destinations
    begins = {name: reader.get_destination_page_number(places[name]) + 1 for name in places}
    assert begins["flight_hours"] == 2
    assert begins["equipment_condition-registrations"] == begins["project_pipeline-pipeline"] == 1


def test_every_page_is_set_at_its_size(report):
    place = re.compile(rb"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm")
    pages = [page.get_contents().get_data() for page in PdfReader(BytesIO(report[1])).pages]
    sizes = {round(float(size), 2) for page in pages for size in place.findall(page)}
    assert {8.2, 10.0, 17.0} <= sizes
    assert min(sizes) >= 6.5


@pytest.mark.parametrize(
    "counted",
    [
        "And 838 more, in recency.json",
        "30 more currencies",
        "And 26 more, in margins.json",
        "and 294 more pieces",
    ],
)
def test_what_it_leaves_out_is_counted(report, counted):
    assert counted in report[0]
