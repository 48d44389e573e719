"""The OpenAPI 3.1 document, created from the schema of the reference and from the dials."""

from __future__ import annotations

from typing import Any

from fleetkit.schema import ENDPOINTS, MAX_LIMIT, RECORDS, Endpoint, Field, Parameter, Record
from fleetkit.server.dials import Dials
from fleetkit.server.errors import LAYOUTS, HttpError
from fleetkit.server.quota import HEADER_SUFFIX

__all__ = ["document"]

Json = dict[str, Any]

_TYPES: dict[str, Json] = {
    **{name: {"type": name} for name in ("string", "integer", "number", "boolean")},
    "timestamp": {"type": "string", "format": "date-time"},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
}
_EXAMPLES = {
    "string": "text",
    "integer": 12,
    "number": 12.5,
    "boolean": True,
    "timestamp": "2026-10-31T09:30:00.000Z",
    "map": {"battery": "6S"},
}
_UNITS = {"s": "seconds", "h": "hours", "deg": "degrees", "%": "percent"}


def document(dials: Dials) -> Json:
    """Return the document of a server with these dials.

    Examples
    --------
    >>> document(Dials())["paths"]["/v1/services"]["get"]["operationId"]
    'service_list'
    """
    schemas = {name: schema for record in RECORDS for name, schema in _schemas(record)}
    error = LAYOUTS[dials.error_layout](HttpError(404, "What was wrong."))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Fleet and Service Management API",
            "version": "1",
            "description": "Read-only access to one organisation's drones, flights and projects.",
        },
        "servers": [{"url": "/"}],
        "security": [{"ApiKey": []}, {"Bearer": []}],
        "paths": {
            endpoint.path: {"get": _operation(endpoint, dials)} for endpoint in ENDPOINTS.values()
        },
        "components": {
            "securitySchemes": {
                "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
                "Bearer": {"type": "http", "scheme": "bearer"},
            },
            "schemas": {**schemas, "Pagination": _pagination(), "Error": _shape(error)},
            "headers": _headers(dials),
        },
    }


def _schemas(record: Record) -> list[tuple[str, Json]]:
    """Return the schema of a record, and that of the list where it differs."""
    schemas = [(record.name, _record_schema(record.fields))]
    listed = tuple(field for field in record.fields if not field.detail_only)
    if listed != record.fields:
        schemas.append((f"Listed{record.name}", _record_schema(listed)))
    return schemas


def _record_schema(fields: tuple[Field, ...]) -> Json:
    return {
        "type": "object",
        "required": ["id"],
        "properties": {field.name: _property(field) for field in fields},
        "examples": [_example(fields)],
    }


def _property(field: Field) -> Json:
    if field.name == "id":
        return {"type": "string"}
    if field.record is not None and field.type == "array":
        return {"type": "array", "items": {"$ref": f"#/components/schemas/{field.record.name}"}}
    # Nullability is shown of two fields only, so any other may be null as well (section 2.6).
    kind = _record_schema(field.record.fields) if field.record else dict(_TYPES[field.type])
    kind.pop("examples", None)
    schema = {**kind, "type": [kind["type"], "null"]}
    if field.values:
        schema["description"] = f"One of {', '.join(field.values)}."
    elif field.unit:
        schema["description"] = f"In {_UNITS[field.unit]}."
    return schema


def _example(fields: tuple[Field, ...]) -> Json:
    return {field.name: _example_value(field) for field in fields}


def _example_value(field: Field) -> Any:
    if field.record is not None:
        inner = _example(field.record.fields)
        return [inner] if field.type == "array" else inner
    if field.values:
        return field.values[0]
    return _EXAMPLES[field.type]


def _operation(endpoint: Endpoint, dials: Dials) -> Json:
    parameters = [_parameter(parameter, dials) for parameter in endpoint.parameters]
    if endpoint.by_id:
        identifier = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        parameters.insert(0, identifier)
    answers = {"200": _success(endpoint, dials)}
    for status in _statuses(endpoint, dials):
        answers[str(status)] = _failure(status, dials)
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "description": f"Needs the scope `{endpoint.scope}`.",
        "parameters": parameters,
        "responses": answers,
    }


def _parameter(parameter: Parameter, dials: Dials) -> Json:
    strict = parameter.invalid == "400"
    schema: Json = dict(_TYPES[parameter.type])
    if parameter.type == "timestamp":
        formats = ("date", "date-time")
        schema = {"anyOf": [{"type": "string", "format": name} for name in formats]}
    elif parameter.type == "integer":
        # Elsewhere a value that is not a number counts as not given: there is no 400 there.
        schema["type"] = "integer" if strict else ["integer", "string"]
        if parameter.name == "limit" and dials.limit_out_of_range == "400":
            schema |= {"minimum": 1, "maximum": MAX_LIMIT}
        elif parameter.name == "page" and strict:
            schema["minimum"] = 1
    elif parameter.values and strict:
        schema["enum"] = list(parameter.values)
    if parameter.default is not None:
        schema["default"] = parameter.default
    choices = f" One of {', '.join(parameter.values)}." if parameter.values else ""
    ignored = " Any other value is ignored." if parameter.invalid == "ignored" else ""
    description = f"{parameter.rule[0].upper()}{parameter.rule[1:]}.{choices}{ignored}"
    return {"name": parameter.name, "in": "query", "description": description, "schema": schema}


def _success(endpoint: Endpoint, dials: Dials) -> Json:
    name = endpoint.record.name
    if not endpoint.detail and any(field.detail_only for field in endpoint.record.fields):
        name = f"Listed{name}"
    record = {"$ref": f"#/components/schemas/{name}"}
    properties: Json = {
        "success": {"const": True},
        "data": {"type": "array", "items": record} if endpoint.many else record,
    }
    if endpoint.paginated:
        pagination = {"$ref": "#/components/schemas/Pagination"}
        properties["meta"] = _object({"pagination": pagination})
    schema = {**_object(properties), "additionalProperties": False}
    return _answer(endpoint.summary, dials, "application/json", {"schema": schema})


def _statuses(endpoint: Endpoint, dials: Dials) -> list[int]:
    """Return the statuses of the error table that an endpoint can answer with."""
    statuses = {401, 403, 500, int(dials.over_quota)}
    if endpoint.by_id:
        statuses.add(404)
    if endpoint.paginated and dials.page_past_end != "empty":
        statuses.add(int(dials.page_past_end))
    if endpoint.name == "flights" or (endpoint.paginated and dials.limit_out_of_range == "400"):
        statuses.add(400)
    return sorted(statuses)


def _failure(status: int, dials: Dials) -> Json:
    error = HttpError(status, "What was wrong.")
    schema, example = {"$ref": "#/components/schemas/Error"}, LAYOUTS[dials.error_layout](error)
    media_type = str(error.response(dials.error_layout).media_type)
    return _answer(error.condition, dials, media_type, {"schema": schema, "example": example})


def _answer(description: str, dials: Dials, media_type: str, content: Json) -> Json:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _headers(dials)}
    return {"description": description, "headers": headers, "content": {media_type: content}}


def _shape(value: Any) -> Json:
    if isinstance(value, dict):
        return _object({name: _shape(inner) for name, inner in value.items()})
    if isinstance(value, list):
        return {"type": "array", "items": _shape(value[0])}
    return {"type": {bool: "boolean", int: "integer", str: "string"}[type(value)]}


def _pagination() -> Json:
    return _object(
        {
            "page": {"type": "integer", "minimum": 1, "description": "Current page."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
            "total": {"type": "integer", "minimum": 0, "description": "Items on all pages."},
            "hasMore": {"type": "boolean", "description": "Whether a further page follows."},
        }
    )


def _object(properties: Json) -> Json:
    """Return the schema of an object that has all these properties."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _headers(dials: Dials) -> Json:
    descriptions = {
        "Limit": f"Requests that a key has in {dials.window:g} seconds.",
        "Remaining": "Requests that are left until the reset.",
        "Reset": f"When the window ends, as {dials.reset_style}.",
    }
    suffix = HEADER_SUFFIX[dials.rate_limit_names]
    return {
        f"X-RateLimit-{name}{suffix}": {"description": text, "schema": {"type": "string"}}
        for name, text in descriptions.items()
    }
