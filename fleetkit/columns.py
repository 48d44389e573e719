"""How each field of the API is called in a DataFrame: columns, dtypes, units and meanings.

Section numbers are those of the API reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.schema import EQUIPMENT, FLIGHT, PROJECT, SERVICE, TIER, Field, Record

__all__ = [
    "COLUMNS",
    "DETAIL_COLUMNS",
    "NAME_COLUMNS",
    "PIECE_COLUMNS",
    "Column",
    "columns_of_record",
    "snake_case",
    "table_columns",
]

# A key that flights are counted by, whose value is an id → the column that names it.
NAME_COLUMNS = {"pilot": "pilot_name", "project": "project_title", "equipment": "name"}
# A key that flights are counted by, which says what a piece of equipment is → its column there.
PIECE_COLUMNS = {
    "category": "category",
    "type": "type",
    "registration": "registration_number",
    "manufacturer": "manufacturer",
    "model": "model",
}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name in the DataFrame, snake_case.
    dtype : str
        pandas dtype: ``datetime64[us, UTC]``, ``Int64``, ``float64``, ``boolean``, ``str``, or
        ``category`` for the closed sets.
    path : tuple of str
        Where the value is in the API's record, such as ``("pilotInCommand", "id")``; empty
        for values that come from outside the record.
    unit : str
        Unit where the reference names one.
    values : tuple of str
        Categories in order, for ``category``.
    nulls : {"never", "yes", "not shown"}
        Whether it may be null: never, as the reference says, or as the reference leaves open
        (section 2.6).
    meaning : str
        What it says, in a few words.
    detail_only : bool
        True for a column that only ``fleet.projects(details=True)`` has.
    """

    name: str
    dtype: str
    path: tuple[str, ...] = ()
    unit: str = ""
    values: tuple[str, ...] = ()
    nulls: str = "not shown"
    meaning: str = ""
    detail_only: bool = False


DTYPES = {
    "string": "str",
    "integer": "Int64",
    "number": "float64",
    "boolean": "boolean",
    "timestamp": "datetime64[us, UTC]",
}
_ID_COLUMNS = {
    "Equipment": "equipment_id",
    "Flight": "flight_id",
    "Project": "project_id",
    "Service": "service_id",
    "Tier": "tier_id",
}
_NESTED_COLUMNS = {
    ("pilotInCommand", "id"): "pilot_id",
    ("pilotInCommand", "fullName"): "pilot_name",
    ("project", "id"): "project_id",
    ("project", "title"): "project_title",
}


def snake_case(name: str) -> str:
    """Turn an API name into a column name.

    Examples
    --------
    >>> snake_case("durationSeconds"), snake_case("isActive"), snake_case("siteURL")
    ('duration_seconds', 'is_active', 'site_url')
    """
    words = ""
    for before, letter, after in zip(" " + name, name, name[1:] + " ", strict=False):
        begins = letter.isupper() and (not before.isupper() or after.islower())
        words += ("_" if begins and words and not words.endswith("_") else "") + letter.lower()
    return words


def columns_of_record(record: Record, *, detail: bool = False) -> tuple[Column, ...]:
    """Return the columns that a record becomes, in the reference's order.

    Parameters
    ----------
    record : Record
        One of `RECORDS`.
    detail : bool
        Include the fields that only the by-id endpoint sends.

    Examples
    --------
    >>> [column.name for column in columns_of_record(TIER)]
    ['tier_id', 'tier_name', 'tier_level', 'price_modifier_percent', 'is_recommended', 'is_active']
    """
    return tuple(
        column
        for field in record.fields
        if detail or not field.detail_only
        for column in _columns_of_field(record, field)
    )


def _columns_of_field(record: Record, field: Field) -> list[Column]:
    if field.type == "object" and field.record is not None:
        nulls = "yes" if field.nullable else "not shown"
        return [
            Column(
                _NESTED_COLUMNS[field.name, inner.name],
                "str",
                (field.name, inner.name),
                nulls=nulls,
                meaning=inner.meaning,
            )
            for inner in field.record.fields
        ]
    if field.type in {"map", "array"}:
        return []
    is_id = field.name == "id"
    return [
        Column(
            _ID_COLUMNS[record.name] if is_id else snake_case(field.name),
            "category" if field.values else DTYPES[field.type],
            (field.name,),
            field.unit,
            field.values,
            "never" if is_id else "not shown",
            field.meaning,
            field.detail_only,
        )
    ]


def _key(name: str, meaning: str) -> Column:
    return Column(name, "str", nulls="never", meaning=meaning)


# The seven tables. `projects` holds the fields of the list; `DETAIL_COLUMNS` join it on request.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "equipment": columns_of_record(EQUIPMENT),
    "flights": columns_of_record(FLIGHT),
    "flight_equipment": (
        _key("flight_id", "identifier of the flight"),
        _key("equipment_id", "identifier of a piece of equipment that logged it"),
    ),
    "projects": columns_of_record(PROJECT),
    "services": columns_of_record(SERVICE),
    "tiers": (
        columns_of_record(TIER)[0],
        _key("service_id", "identifier of the service that it belongs to"),
        *columns_of_record(TIER)[1:],
    ),
    "specifications": (
        _key("equipment_id", "identifier of the piece of equipment"),
        _key("name", "what is specified, such as battery"),
        Column("value", "str", meaning="as the organisation wrote it"),
    ),
}

_DETAILED_PROJECTS = columns_of_record(PROJECT, detail=True)
# Columns of projects that only by-id answers fill (2.3).
DETAIL_COLUMNS = tuple(column.name for column in _DETAILED_PROJECTS if column.detail_only)


def table_columns(name: str, *, detail: bool = False) -> tuple[Column, ...]:
    """Return the columns of a table.

    Parameters
    ----------
    name : str
        One of `fleetkit.schema.TABLES`.
    detail : bool
        Projects only: include ``client_account_email`` and ``crm_deal_name``.

    Raises
    ------
    InvalidValue
        There is no table of that name.

    Examples
    --------
    >>> [column.name for column in table_columns("flight_equipment")]
    ['flight_id', 'equipment_id']
    """
    if not isinstance(name, str) or name not in COLUMNS:
        raise InvalidValue(
            f"{brief(name)} is not a table. {did_you_mean(str(name), COLUMNS)}",
            advice=f"Tables are: {', '.join(COLUMNS)}.",
        )
    return _DETAILED_PROJECTS if detail and name == "projects" else COLUMNS[name]
