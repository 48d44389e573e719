"""The API as data: the whole reference.

The client validates parameters with it, `fleetkit.columns` derives columns and dtypes from it, the
server answers by it and derives its OpenAPI document from it. A field or an endpoint that the
service adds is a record added here; failing tests then show what else is needed.

Section numbers in the comments are those of the API reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from fleetkit.lettering import is_text

__all__ = [
    "AUTH_HEADERS",
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
    "TABLES",
    "TABLE_SCOPES",
    "TIER",
    "Endpoint",
    "ErrorCode",
    "Field",
    "FlightOrder",
    "FlightType",
    "Parameter",
    "ProjectStatus",
    "Record",
    "TableName",
    "is_identifier",
    "read_time",
    "timestamp",
]

# Python reads more: any letter for the T, any text behind six digits of a second, and half an hour
# (T06.5) as half a second. Zones have seconds where Python writes them, as that of Paris till 1911.
_DAY = r"(\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d(-?\d)?)"
_HOUR = r"\d\d(:?\d\d(:?\d\d([.,]\d+)?)?)?"
_ZONE = r"(Z|[+-]\d\d(:?\d\d){0,2})"
# With blanks as databases write it: 2026-10-01 06:30:00 +02:00.
_TIME = re.compile(f"{_DAY}(T{_HOUR}{_ZONE}?| {_HOUR}( ?{_ZONE})?)?", re.ASCII)

# Section 3: the order is the order of the work, and of every table and chart.
ProjectStatus = Literal[
    "DRAFT",
    "CONFIRMED",
    "SCHEDULED",
    "IN_PROGRESS",
    "DELIVERED",
    "INVOICED",
    "COMPLETED",
    "CANCELLED",
    "ON_HOLD",
]
PROJECT_STATUSES: tuple[ProjectStatus, ...] = get_args(ProjectStatus)
FlightType = Literal["COMMERCIAL", "RECREATIONAL", "TRAINING", "MAINTENANCE"]
FLIGHT_TYPES: tuple[FlightType, ...] = get_args(FlightType)
FlightOrder = Literal["date_desc", "date_asc", "duration_desc", "duration_asc"]
FLIGHT_ORDERS: tuple[FlightOrder, ...] = get_args(FlightOrder)
# The headers that carry the key.
AuthHeader = Literal["X-API-Key", "Bearer"]
AUTH_HEADERS: tuple[AuthHeader, ...] = get_args(AuthHeader)

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
        Unit where the reference names one; empty where it doesn't: none is guessed.
    values : tuple of str, optional
        The closed set of values, in the reference's order; empty for open sets.
    record : Record, optional
        The record inside an ``object`` or the elements of an ``array``.
    nullable : bool
        Whether the reference shows that it may be null.
    detail_only : bool
        True for a field that the by-id endpoint sends and the list doesn't (section 2.3).
    meaning : str
        What it says, in a few words; empty for one that holds another record.
    """

    name: str
    type: str
    unit: str = ""
    values: tuple[str, ...] = ()
    record: Record | None = None
    nullable: bool = False
    detail_only: bool = False
    meaning: str = ""


def is_identifier(text: object) -> bool:
    """Whether a text can be an id. Dots alone are none: any layer on the way may resolve them.

    Half of a surrogate pair is in none either, for UTF-8 can't write it.

    Examples
    --------
    >>> is_identifier("eq_1"), is_identifier("..")
    (True, False)
    """
    return is_text(text) and bool(text.strip(". \t\r\n"))


def timestamp(instant: datetime) -> str:
    """Return an instant as the API writes it: ISO 8601 in UTC with milliseconds (section 2).

    Without a zone it is in UTC.

    Examples
    --------
    >>> timestamp(datetime(2026, 10, 1, 6, 30))
    '2026-10-01T06:30:00.000Z'
    """
    utc = instant.astimezone(UTC) if instant.tzinfo else instant
    return f"{utc.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def read_time(text: str) -> datetime:
    """Return the date or time that a text of ISO 8601 stands for, with a zone if it names one.

    A blank may stand for the T, and then another one before the zone.

    Raises
    ------
    ValueError
        The text is not of ISO 8601, or there is no such day or hour.

    Examples
    --------
    >>> read_time("2026-10-01T06:30:00Z").isoformat(), read_time("2026-10-01").isoformat()
    ('2026-10-01T06:30:00+00:00', '2026-10-01T00:00:00')
    """
    if not _TIME.fullmatch(text):
        raise ValueError("is not an ISO 8601 time")
    try:
        return datetime.fromisoformat(text.replace(" ", "T", 1).replace(" ", ""))
    except ValueError:
        raise ValueError("is not a time of the calendar") from None


@dataclass(frozen=True)
class Record:
    """One kind of record: the prefix of its identifiers, and its fields (section 2).

    ``nouns`` are what sentences call one record, and several.
    """

    name: str
    prefix: str
    nouns: tuple[str, str]
    fields: tuple[Field, ...]

    @property
    def field_names(self) -> set[str]:
        """API names of its fields."""
        return {field.name for field in self.fields}

    @property
    def objects(self) -> dict[str, Record]:
        """Records in its fields of type ``object``, by the names of these fields."""
        return {
            field.name: field.record
            for field in self.fields
            if field.type == "object" and field.record is not None
        }

    def field(self, name: str) -> Field:
        """Return the field of that API name.

        Examples
        --------
        >>> FLIGHT.field("durationSeconds").unit
        's'
        """
        return next(field for field in self.fields if field.name == name)


def _fields(*lines: str | Field) -> tuple[Field, ...]:
    """Read ``"name type [unit]: meaning"``, so that the reference's tables stay readable here."""
    return tuple(line if isinstance(line, Field) else _field(line) for line in lines)


def _field(line: str) -> Field:
    form, _, meaning = line.partition(": ")
    name, kind, *unit = form.split()
    return Field(name, kind, "".join(unit), meaning=meaning)


EQUIPMENT = Record(  # 2.1
    "Equipment",
    "eq",
    ("piece of equipment", "pieces of equipment"),
    _fields(
        "id string: identifier, such as eq_1",
        "name string: what the organisation calls it",
        "manufacturer string: who made it",
        "model string: model",
        "serialNumber string: manufacturer's serial number",
        "type string: what it is, such as DRONE; an open set",
        "category string: kind within its type, such as MULTIROTOR; an open set",
        "status string: upper-case token, such as ACTIVE; an open set",
        "condition string: upper-case token, such as GOOD; an open set",
        "registrationNumber string: registration mark",
        "registrationExpiry timestamp: when the registration ends",
        "weight number: weight as reported; its unit is not shown",
        "specifications map: free-form entries",
        "purchaseDate timestamp: when it was bought",
        "purchaseCost number: what it cost, as reported; its currency is not shown",
        "totalFlights integer: flights on its own counter",
        "totalFlightHours number h: hours on its own counter",
        "createdAt timestamp: when the record was made",
        "updatedAt timestamp: when the record last changed",
    ),
)
PILOT = Record(
    "Pilot",
    "prof",
    ("pilot", "pilots"),
    _fields(
        "id string: identifier of the pilot in command, such as prof_1",
        "fullName string: the pilot's full name",
    ),
)
FLIGHT_PROJECT = Record(
    "FlightProject",
    "proj",
    ("project", "projects"),
    _fields(
        "id string: identifier of the project that it was flown for",
        "title string: the project's title",
    ),
)
FLIGHT = Record(  # 2.2
    "Flight",
    "fl",
    ("flight", "flights"),
    _fields(
        "id string: identifier, such as fl_1",
        "flightDate timestamp: when it was flown",
        Field("flightType", "string", values=FLIGHT_TYPES, meaning="what it was flown for"),
        "operationType string: kind of work; an open set",
        "durationSeconds integer s: flown time",
        "maxAltitude number: greatest height as reported; its unit is not shown",
        "traveledDistance number: distance flown as reported; its unit is not shown",
        "nightFlight boolean: whether it was flown at night",
        "bvlos boolean: whether it went beyond visual line of sight",
        "takeoffLat number deg: latitude of the take-off",
        "takeoffLng number deg: longitude of the take-off",
        "landingLat number deg: latitude of the landing",
        "landingLng number deg: longitude of the landing",
        Field("pilotInCommand", "object", record=PILOT, nullable=True),
        Field("project", "object", record=FLIGHT_PROJECT, nullable=True),
        "createdAt timestamp: when the log was written",
        "updatedAt timestamp: when the log last changed",
    ),
)
PROJECT = Record(  # 2.3
    "Project",
    "proj",
    ("project", "projects"),
    _fields(
        "id string: identifier, such as proj_1",
        "title string: title",
        "description string: description",
        Field("status", "string", values=PROJECT_STATUSES, meaning="stage of the work"),
        "projectType string: kind of project; an open set",
        "siteAddress string: where the work is",
        "agreedPrice number: agreed price, in `currency`",
        "estimatedCost number: estimated cost, in `currency`",
        "currency string: currency code",
        "scheduledDate timestamp: when the work is scheduled",
        "clientAccountName string: the client's name",
        Field(
            "clientAccountEmail", "string", detail_only=True, meaning="the client's e-mail address"
        ),
        "assignedPilotName string: name of the pilot who is assigned",
        Field("crmDealName", "string", detail_only=True, meaning="name of the deal"),
        "createdAt timestamp: when the record was made",
        "updatedAt timestamp: when the record last changed",
    ),
)
TIER = Record(  # 2.5
    "Tier",
    "tier",
    ("tier", "tiers"),
    _fields(
        "id string: identifier, such as tier_1",
        "tierName string: name",
        "tierLevel integer: place among the tiers of its service",
        "priceModifierPercent number %: what the tier adds to the service's rate",
        "isRecommended boolean: whether it is recommended",
        "isActive boolean: whether it is offered",
    ),
)
SERVICE = Record(  # 2.4
    "Service",
    "svc",
    ("service", "services"),
    _fields(
        "id string: identifier, such as svc_1",
        "name string: name",
        "description string: description",
        "baseRate number: rate per unit, in `currency`",
        "currency string: currency code",
        "unitType string: what the rate is for, such as HOUR; an open set",
        "pricingModel string: how the price is made; an open set",
        "isActive boolean: whether it is offered",
        "displayOrder integer: place in the list that the organisation shows",
        Field("tiers", "array", record=TIER),
        "createdAt timestamp: when the record was made",
        "updatedAt timestamp: when the record last changed",
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
    *(replace(parameter, invalid="400") for parameter in _PAGING),
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
    endpoint.name: endpoint
    for endpoint in (
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
PARAMETERS = {
    parameter.name: parameter
    for endpoint in ENDPOINTS.values()
    for parameter in endpoint.parameters
}


@dataclass(frozen=True)
class ErrorCode:
    """One row of the error table (section 7)."""

    status: int
    code: str
    condition: str


ERRORS = {
    error.status: error
    for error in (
        ErrorCode(400, "BAD_REQUEST", "invalid query parameters"),
        ErrorCode(401, "UNAUTHORIZED", "missing or invalid API key"),
        ErrorCode(403, "FORBIDDEN", "key lacks the required scope"),
        ErrorCode(404, "NOT_FOUND", "record not found, or belongs to another organization"),
        ErrorCode(500, "INTERNAL_ERROR", "unexpected server error"),
    )
}

# What the reference leaves open, with the place that says so. Each is a dial of the server, but the
# first two, which are about data: records are served as they are stored.
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


# The seven tables that the records become.
TableName = Literal[
    "equipment",
    "flights",
    "flight_equipment",
    "projects",
    "services",
    "tiers",
    "specifications",
]
TABLES: tuple[TableName, ...] = get_args(TableName)

# Which scope each table needs (5.6): that of the endpoint it is read from.
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
