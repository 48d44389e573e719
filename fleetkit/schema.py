"""The API as data: the whole reference, and how each part of it is called in a DataFrame.

The client validates parameters with it, the tables take columns and dtypes from it, the server
answers by it and derives its OpenAPI document from it. A field or an endpoint that the service
gains is a record added here; failing tests then show where to go on.

Section numbers in the comments are those of the API reference.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

__all__ = [
    "COLUMNS",
    "DEFAULT_LIMIT",
    "DEFAULT_PAGE",
    "ENDPOINTS",
    "EQUIPMENT",
    "ERRORS",
    "FLIGHT",
    "FLIGHT_ORDERS",
    "FLIGHT_TYPES",
    "MAX_LIMIT",
    "NOT_SHOWN",
    "PARAMETERS",
    "PROJECT",
    "PROJECT_STATUSES",
    "RECORDS",
    "SCOPES",
    "SERVICE",
    "TABLE_SCOPES",
    "TIER",
    "Column",
    "Endpoint",
    "ErrorCode",
    "Field",
    "Parameter",
    "Record",
    "columns",
    "snake_case",
]

# Section 3: the order is the order of the work, and of every table and chart.
PROJECT_STATUSES = (
    "DRAFT",
    "CONFIRMED",
    "SCHEDULED",
    "IN_PROGRESS",
    "DELIVERED",
    "INVOICED",
    "COMPLETED",
    "CANCELLED",
    "ON_HOLD",
)
FLIGHT_TYPES = ("COMMERCIAL", "RECREATIONAL", "TRAINING", "MAINTENANCE")
FLIGHT_ORDERS = ("date_desc", "date_asc", "duration_desc", "duration_asc")

# Section 8.
DEFAULT_PAGE = 1
DEFAULT_LIMIT = 20
MAX_LIMIT = 100


@dataclass(frozen=True)
class Field:
    """One field of a record, as the API sends it.

    Parameters
    ----------
    name : str
        Name in the API, camelCase.
    type : {"string", "integer", "number", "boolean", "timestamp", "map", "object", "array"}
        JSON type; ``timestamp`` is an ISO 8601 string in UTC with milliseconds, ``map`` a
        free-form object of short texts, ``object`` and ``array`` hold another record.
    unit : str, optional
        Unit where the reference names one; empty where it doesn't, and then nobody guesses.
    values : tuple of str, optional
        The closed set of values, in the reference's order; empty for open sets.
    record : Record, optional
        The record inside an ``object`` or the elements of an ``array``.
    nullable : bool
        Whether the reference shows that it may be null.
    detail_only : bool
        True for a field that the by-id endpoint sends and the list doesn't (section 2.3).
    """

    name: str
    type: str
    unit: str = ""
    values: tuple[str, ...] = ()
    record: Record | None = None
    nullable: bool = False
    detail_only: bool = False


@dataclass(frozen=True)
class Record:
    """One kind of record: its fields and the prefix of its identifiers (section 2)."""

    name: str
    prefix: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        """Return the field of that API name.

        Examples
        --------
        >>> FLIGHT.field("durationSeconds").unit
        's'
        """
        return next(each for each in self.fields if each.name == name)


def _fields(*given: str | Field) -> tuple[Field, ...]:
    """Read ``"name type [unit]"`` lines, so that the reference's tables stay readable here."""
    return tuple(each if isinstance(each, Field) else _field(*each.split()) for each in given)


def _field(name: str, kind: str, unit: str = "") -> Field:
    return Field(name, kind, unit)


EQUIPMENT = Record(  # 2.1
    "Equipment",
    "eq",
    _fields(
        "id string",
        "name string",
        "manufacturer string",
        "model string",
        "serialNumber string",
        "type string",
        "category string",
        "status string",
        "condition string",
        "registrationNumber string",
        "registrationExpiry timestamp",
        "weight number",
        "specifications map",
        "purchaseDate timestamp",
        "purchaseCost number",
        "totalFlights integer",
        "totalFlightHours number h",
        "createdAt timestamp",
        "updatedAt timestamp",
    ),
)
PILOT = Record("Pilot", "prof", _fields("id string", "fullName string"))
FLIGHT_PROJECT = Record("FlightProject", "proj", _fields("id string", "title string"))
FLIGHT = Record(  # 2.2
    "Flight",
    "fl",
    _fields(
        "id string",
        "flightDate timestamp",
        Field("flightType", "string", values=FLIGHT_TYPES),
        "operationType string",
        "durationSeconds integer s",
        "maxAltitude number",
        "traveledDistance number",
        "nightFlight boolean",
        "bvlos boolean",
        "takeoffLat number deg",
        "takeoffLng number deg",
        "landingLat number deg",
        "landingLng number deg",
        Field("pilotInCommand", "object", record=PILOT, nullable=True),
        Field("project", "object", record=FLIGHT_PROJECT, nullable=True),
        "createdAt timestamp",
        "updatedAt timestamp",
    ),
)
PROJECT = Record(  # 2.3
    "Project",
    "proj",
    _fields(
        "id string",
        "title string",
        "description string",
        Field("status", "string", values=PROJECT_STATUSES),
        "projectType string",
        "siteAddress string",
        "agreedPrice number",
        "estimatedCost number",
        "currency string",
        "scheduledDate timestamp",
        "clientAccountName string",
        Field("clientAccountEmail", "string", detail_only=True),
        "assignedPilotName string",
        Field("crmDealName", "string", detail_only=True),
        "createdAt timestamp",
        "updatedAt timestamp",
    ),
)
TIER = Record(  # 2.5
    "Tier",
    "tier",
    _fields(
        "id string",
        "tierName string",
        "tierLevel integer",
        "priceModifierPercent number %",
        "isRecommended boolean",
        "isActive boolean",
    ),
)
SERVICE = Record(  # 2.4
    "Service",
    "svc",
    _fields(
        "id string",
        "name string",
        "description string",
        "baseRate number",
        "currency string",
        "unitType string",
        "pricingModel string",
        "isActive boolean",
        "displayOrder integer",
        Field("tiers", "array", record=TIER),
        "createdAt timestamp",
        "updatedAt timestamp",
    ),
)
RECORDS = (EQUIPMENT, FLIGHT, PROJECT, SERVICE, TIER)


@dataclass(frozen=True)
class Parameter:
    """One query parameter (section 4.3).

    ``invalid`` says what the service does with a wrong value: ``"400"`` (rule 4.4.3),
    ``"ignored"`` (rule 4.4.2) or ``"not shown"``.
    """

    name: str
    type: str
    default: int | str | None = None
    values: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    invalid: str = "not shown"
    rule: str = ""


_PAGE = Parameter("page", "integer", DEFAULT_PAGE, minimum=1, rule="1-indexed page number")
_LIMIT = Parameter(
    "limit", "integer", DEFAULT_LIMIT, minimum=1, maximum=MAX_LIMIT, rule="items per page"
)
_PAGING = (_PAGE, _LIMIT)
_FLIGHT_PARAMETERS = (
    Parameter("dateFrom", "timestamp", invalid="400", rule="keep flights from this date"),
    Parameter("dateTo", "timestamp", invalid="400", rule="keep flights up to this date"),
    Parameter("flightType", "string", values=FLIGHT_TYPES, invalid="400", rule="keep this type"),
    Parameter(
        "orderBy", "string", "date_desc", values=FLIGHT_ORDERS, invalid="400", rule="sort order"
    ),
    *(replace(each, invalid="400") for each in _PAGING),
)
_STATUS = Parameter(
    "status", "string", values=PROJECT_STATUSES, invalid="ignored", rule="keep this status"
)

# Section 5.6.
SCOPES = ("equipment:read", "project:read", "service:read")


@dataclass(frozen=True)
class Endpoint:
    """One of the seven endpoints (section 4.2).

    ``many`` is True for lists; ``paginated`` lists carry ``meta.pagination``; ``detail`` is True
    where the fields marked ``detail_only`` are sent.
    """

    name: str
    path: str
    scope: str
    record: Record
    parameters: tuple[Parameter, ...] = ()
    many: bool = False
    paginated: bool = False
    detail: bool = False
    summary: str = field(default="", compare=False)

    @property
    def by_id(self) -> bool:
        """Whether the path names one record, so that 404 is possible (rule 4.4.4)."""
        return "{id}" in self.path


ENDPOINTS = {
    each.name: each
    for each in (
        Endpoint(
            "equipment_list",
            "/v1/equipment",
            "equipment:read",
            EQUIPMENT,
            _PAGING,
            many=True,
            paginated=True,
            summary="Equipment of the organisation",
        ),
        Endpoint(
            "equipment",
            "/v1/equipment/{id}",
            "equipment:read",
            EQUIPMENT,
            detail=True,
            summary="One piece of equipment",
        ),
        Endpoint(
            "flights",
            "/v1/equipment/{id}/flights",
            "equipment:read",
            FLIGHT,
            _FLIGHT_PARAMETERS,
            many=True,
            paginated=True,
            summary="Flight logs of one piece of equipment",
        ),
        Endpoint(
            "project_list",
            "/v1/projects",
            "project:read",
            PROJECT,
            (*_PAGING, _STATUS),
            many=True,
            paginated=True,
            summary="Projects of the organisation",
        ),
        Endpoint(
            "project",
            "/v1/projects/{id}",
            "project:read",
            PROJECT,
            detail=True,
            summary="One project, with its client's e-mail address and CRM deal",
        ),
        Endpoint(
            "service_list",
            "/v1/services",
            "service:read",
            SERVICE,
            many=True,
            summary="Services and their pricing tiers, all in one answer",
        ),
        Endpoint(
            "service",
            "/v1/services/{id}",
            "service:read",
            SERVICE,
            detail=True,
            summary="One service and its tiers",
        ),
    )
}
PARAMETERS = {each.name: each for endpoint in ENDPOINTS.values() for each in endpoint.parameters}


@dataclass(frozen=True)
class ErrorCode:
    """One row of the error table (section 7)."""

    status: int
    code: str
    condition: str


ERRORS = {
    each.status: each
    for each in (
        ErrorCode(400, "BAD_REQUEST", "invalid query parameters"),
        ErrorCode(401, "UNAUTHORIZED", "missing or invalid API key"),
        ErrorCode(403, "FORBIDDEN", "key lacks the required scope"),
        ErrorCode(404, "NOT_FOUND", "record not found, or belongs to another organization"),
        ErrorCode(500, "INTERNAL_ERROR", "unexpected server error"),
    )
}

# What the reference leaves open, with the place that says so. Each is a dial of the server.
NOT_SHOWN = {
    "units": "2.6: units of weight, maxAltitude, traveledDistance and of prices",
    "nullability": "2.6: nullability of fields other than pilotInCommand and project",
    "page_past_end": "4.4.6: behaviour for a page past the last page",
    "limit_out_of_range": "4.4.6: behaviour for limit above 100 or below 1",
    "list_order": "4.4.7: default ordering of equipment, projects and services lists",
    "date_bounds": "4.4.8: whether dateFrom and dateTo bounds are inclusive",
    "bare_date": "4.3: dateFrom and dateTo take a date or a time; what a bare date covers",
    "expired_key": "5.5: status code returned for an expired key",
    "error_layout": "7: error body field layout",
    "over_quota": "7: status and code for exceeding a rate limit",
    "rate_limit_headers": "8: exact names, quota, window and behaviour of X-RateLimit-*",
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
        Where the value stands in the API's record, such as ``("pilotInCommand", "id")``; empty
        for values that come from outside the record.
    unit : str
        Unit where the reference names one.
    values : tuple of str
        Categories in order, for ``category``.
    """

    name: str
    dtype: str
    path: tuple[str, ...] = ()
    unit: str = ""
    values: tuple[str, ...] = ()


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
    out = ""
    for before, letter, after in zip(" " + name, name, name[1:] + " ", strict=False):
        starts = letter.isupper() and (not before.isupper() or after.islower())
        out += ("_" if starts and out and not out.endswith("_") else "") + letter.lower()
    return out


def columns(record: Record, *, detail: bool = False) -> tuple[Column, ...]:
    """Return the columns that a record becomes, in the reference's order.

    Parameters
    ----------
    record : Record
        One of `RECORDS`.
    detail : bool
        Include the fields that only the by-id endpoint sends.

    Examples
    --------
    >>> [each.name for each in columns(TIER)]
    ['tier_id', 'tier_name', 'tier_level', 'price_modifier_percent', 'is_recommended', 'is_active']
    """
    found: list[Column] = []
    for each in record.fields:
        if each.detail_only and not detail:
            continue
        if each.type == "object" and each.record is not None:
            found += [
                Column(_NESTED_COLUMNS[each.name, inner.name], "str", (each.name, inner.name))
                for inner in each.record.fields
            ]
        elif each.type not in {"map", "array"}:
            name = _ID_COLUMNS[record.name] if each.name == "id" else snake_case(each.name)
            dtype = "category" if each.values else DTYPES[each.type]
            found.append(Column(name, dtype, (each.name,), each.unit, each.values))
    return tuple(found)


# The seven tables of the front door and of the mirror. `projects` holds the list's fields; the
# two detail fields join it on request.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "equipment": columns(EQUIPMENT),
    "flights": columns(FLIGHT),
    "flight_equipment": (Column("flight_id", "str"), Column("equipment_id", "str")),
    "projects": columns(PROJECT),
    "services": columns(SERVICE),
    "tiers": (columns(TIER)[0], Column("service_id", "str"), *columns(TIER)[1:]),
    "specifications": (
        Column("equipment_id", "str"),
        Column("name", "str"),
        Column("value", "str"),
    ),
}

# Which scope opens each table (5.6): that of the endpoint it is read from.
TABLE_SCOPES = {
    table: ENDPOINTS[endpoint].scope
    for table, endpoint in {
        "equipment": "equipment_list",
        "specifications": "equipment_list",
        "flights": "flights",
        "flight_equipment": "flights",
        "projects": "project_list",
        "services": "service_list",
        "tiers": "service_list",
    }.items()
}
