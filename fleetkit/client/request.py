"""An endpoint, an id and parameters → path and query, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.schema import ENDPOINTS, Endpoint, Parameter, is_identifier, timestamp

__all__ = ["Request", "build"]

_NO_FILTERS = {"page", "limit", "orderBy"}


@dataclass(frozen=True, slots=True)
class Request:
    """One GET: `target` is path and query, percent-encoded, without the service's address.

    `filters` are the parameters, as they are sent, by which the service leaves records out.
    """

    endpoint: Endpoint
    target: str
    id: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in messages, without host and key."""
        return f"GET {self.target}"


def build(endpoint: str, id: str = "", params: Mapping[str, Any] | None = None) -> Request:
    """Return the request, or say which argument is not valid.

    Parameters
    ----------
    endpoint : str
        A key of `schema.ENDPOINTS`.
    id : str
        For endpoints of one record; quoted, so that it stays one segment of the path.
    params : mapping, optional
        Query parameters by their API names; None means "not given". Times are aware datetimes.

    Raises
    ------
    InvalidValue
        An unknown endpoint or parameter, a value outside its set or range, an id that is
        not valid.

    Examples
    --------
    >>> build("flights", "eq 1/2", {"flightType": "TRAINING", "page": 2}).name
    'GET /v1/equipment/eq%201%2F2/flights?flightType=TRAINING&page=2'
    >>> build("project_list", params={"status": "FLYING"})
    Traceback (most recent call last):
    fleetkit.errors.InvalidValue: status = 'FLYING' is not one of DRAFT, CONFIRMED, ...
    """
    if endpoint not in ENDPOINTS:
        raise InvalidValue(
            f"{brief(endpoint)} is not an endpoint.",
            advice=f"Endpoints are: {', '.join(ENDPOINTS)}.",
        )
    shape = ENDPOINTS[endpoint]
    path = shape.path.replace("{id}", _segment(id)) if shape.by_id else shape.path
    known = {parameter.name: parameter for parameter in shape.parameters}
    query = {}
    for name, value in (params or {}).items():
        if name not in known:
            raise InvalidValue(
                f"{brief(name)} is not a parameter of {shape.path}.",
                advice=f"It takes: {', '.join(known) or 'none'}.",
            )
        if value is not None:
            query[name] = _text(known[name], value)
    target = f"{path}?{urlencode(query, quote_via=quote)}" if query else path
    filters = {name: value for name, value in query.items() if name not in _NO_FILTERS}
    return Request(shape, target, id, filters)


def _segment(id: str) -> str:
    if not is_identifier(id):
        raise InvalidValue(
            f"{brief(id)} is not an identifier.", advice="Write one such as eq_1 or proj_1."
        )
    return quote(id, safe="")


def _text(parameter: Parameter, value: Any) -> str:
    if parameter.values and value not in parameter.values:
        known = ", ".join(parameter.values)
        raise InvalidValue(f"{parameter.name} = {brief(value)} is not one of {known}.")
    if parameter.type == "integer":
        _check_integer(parameter, value)
    if parameter.type == "timestamp":
        return _timestamp(parameter.name, value)
    return str(value)


def _check_integer(parameter: Parameter, value: Any) -> None:
    low, high = parameter.minimum, parameter.maximum
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or (low is not None and value < low) or (high is not None and value > high):
        bounds = f"{low} or more" if high is None else f"{low} to {high}"
        raise InvalidValue(f"{parameter.name} = {brief(value)} is not a whole number of {bounds}.")


def _timestamp(name: str, value: Any) -> str:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidValue(
            f"{name} = {brief(value)} is not a moment in time.",
            advice="Pass a datetime with a time zone, such as datetime(2026, 10, 1, tzinfo=UTC).",
        )
    return timestamp(value)
