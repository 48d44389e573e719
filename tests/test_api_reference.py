"""The API's reference in docs/ says what the schema says, and has every rule that is cited."""

import inspect
import json
import re
from pathlib import Path

import pytest
from manual import PAGES

import fleetkit as fk
from fleetkit import schema
from fleetkit.columns import COLUMNS

ROOT = Path(__file__).parent.parent
REFERENCE = (ROOT / "docs" / "api-reference.md").read_text(encoding="utf-8")
SECTIONS = {
    match[1]: match[2]
    for match in re.finditer(
        r"^##+ ([\d.]+?)\.? .*?\n(.*?)(?=^##+ |\Z)", REFERENCE, re.MULTILINE | re.DOTALL
    )
}


def rows(section):
    """Return the cells of a section's table, without its head."""
    lines = [line.strip() for line in SECTIONS[section].splitlines()]
    table = [line for line in lines if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def known():
    """Return the numbers of all sections and rules."""
    numbers = set(SECTIONS)
    for section, text in SECTIONS.items():
        numbers |= {f"{section}.{n}" for n in re.findall(r"^(\d+)\. ", text, re.MULTILINE)}
    return numbers


@pytest.mark.parametrize(
    ("section", "record"),
    [
        ("2.1", "EQUIPMENT"),
        ("2.2", "FLIGHT"),
        ("2.3", "PROJECT"),
        ("2.4", "SERVICE"),
        ("2.5", "TIER"),
    ],
)
def test_the_reference_has_the_fields_of_the_schema_in_their_order(section, record):
    written = [(row[0], row[1].split(",")[0]) for row in rows(section)]
    kinds = {"map": "object"}
    expected = [
        (field.name, kinds.get(field.type, field.type) + " or null" * field.nullable)
        for field in getattr(schema, record).fields
    ]
    assert written == expected, f"docs/api-reference.md has those of schema.py in {section}"
    if section == "2.3":
        by_id_only = [row[0] for row in rows(section) if row[2] == "no"]
        assert by_id_only == [field.name for field in schema.PROJECT.fields if field.detail_only]


def test_the_reference_has_the_endpoints_parameters_statuses_and_errors_of_the_schema():
    assert [(row[0], row[1], row[2].split(", ") if row[2] else []) for row in rows("4.2")] == [
        (endpoint.path, endpoint.scope, _ordered([one.name for one in endpoint.parameters]))
        for endpoint in sorted(schema.ENDPOINTS.values(), key=lambda item: _place(item.path))
    ]
    defaults = {row[0]: row[3] for row in rows("4.3")}
    assert defaults == {
        name: str(parameter.default or "none") for name, parameter in schema.PARAMETERS.items()
    }
    assert [status.strip() for status in SECTIONS["3"].split(".")[0].split(",")] == list(
        schema.PROJECT_STATUSES
    )
    assert [(int(row[0]), row[1]) for row in rows("7")] == [
        (error.status, error.code) for error in schema.ERRORS.values()
    ]
    assert [int(row[1]) for row in rows("8")] == [
        schema.DEFAULT_LIMIT,
        schema.MAX_LIMIT,
        schema.DEFAULT_PAGE,
    ]


def _place(path):
    return [row[0] for row in rows("4.2")].index(path)


def _ordered(names):
    order = [row[0] for row in rows("4.3")]
    paging = [name for name in ("page", "limit") if name in names]
    others = [name for name in order if name in names and name not in paging]
    return [*others, *paging] if "dateFrom" in names else [*paging, *others]


def _cited():
    """Yield (file, number) of every section and rule of the reference that is cited."""
    number = r"(\d(?:\.\d)+)"
    words = r"(?<!RFC \d{4}, )(?:[Ss]ections?|[Rr]ules?|reference,)"
    pattern = re.compile(rf"{words} {number}(?: and {number})?")
    texts = [*(ROOT / "fleetkit").rglob("*.py"), *(ROOT / "tests").glob("*.py"), *PAGES]
    for path in texts:
        for match in pattern.finditer(path.read_text(encoding="utf-8")):
            yield from ((path.name, number) for number in match.groups() if number)
    for name, sentence in schema.NOT_SHOWN.items():
        yield name, sentence.split(":")[0]


@pytest.mark.slow
def test_every_section_and_rule_that_is_cited_is_in_the_reference():
    cited = list(_cited())
    assert len(cited) > 40
    assert [section for section in cited if section[1] not in known()] == []


def test_what_the_reference_leaves_open_is_said_there():
    for number in ("2.6", "4.4.6", "4.4.7", "4.4.8", "5.5", "7", "8"):
        section, _, rule = number.rpartition(".")
        text = (
            SECTIONS.get(number)
            or re.search(
                rf"^{rule}\. (.*?)(?=^\d+\. |\Z)", SECTIONS[section], re.MULTILINE | re.DOTALL
            )[1]
        )
        assert "not shown" in text


TABLES = {
    "equipment": fk.Fleet.equipment,
    "specifications": fk.Fleet.specifications,
    "flights": fk.Fleet.flights,
    "flight_equipment": fk.Fleet.flight_equipment,
    "projects": fk.Fleet.projects,
    "services": fk.Fleet.services,
    "tiers": fk.Fleet.tiers,
}


@pytest.mark.parametrize("table", schema.TABLES)
def test_help_on_a_table_shows_every_column_with_dtype_unit_nulls_and_meaning(table):
    text = inspect.getdoc(TABLES[table]).split("Columns\n-------\n")[1]
    described = fk.Fleet.columns(table)
    columns = {column.name: column for column in COLUMNS[table]}
    assert set(columns) <= set(described["column"])
    for row in described.itertuples(index=False):
        line = next(line for line in text.splitlines() if line.startswith(f"{row.column} "))
        assert f" {row.dtype} " in line
        assert f" {row.nulls} " in line
        assert f" {row.unit} " in line
        assert row.meaning
        assert f" {row.nulls} {row.meaning} " in f"{' '.join(text.split())} "
    assert max(map(len, text.splitlines())) <= 104


@pytest.mark.slow
def test_the_columns_of_all_tables_are_those_of_the_frames(tiny):
    described = fk.Fleet.columns()
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        for table in schema.TABLES:
            options = {"details": True} if table == "projects" else {}
            frame = getattr(fleet, table)(**options)
            rows_of = described[described["table"] == table]
            assert rows_of["column"].tolist() == frame.columns.tolist()
            assert rows_of["dtype"].tolist() == frame.dtypes.astype(str).tolist()
    assert json.loads(described.to_json())  # nothing in it but text


def test_a_table_that_there_is_not_is_refused_with_near_ones():
    with pytest.raises(fk.InvalidValue, match="Did you mean flights"):
        fk.Fleet.columns("flight")
