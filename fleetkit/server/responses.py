"""The body of each endpoint's response, for a request with a valid key (reference, section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fleetkit.schema import Endpoint
from fleetkit.server import parameters
from fleetkit.server.dials import Dials
from fleetkit.server.errors import HttpError, not_found
from fleetkit.server.parameters import Paging
from fleetkit.server.reader import Page, Reader
from fleetkit.server.rows import is_identifier

__all__ = ["ApiRequest", "response_body"]

_TABLE_OF = {"Equipment": "equipment", "Project": "projects", "Service": "services"}


class ApiRequest(NamedTuple):
    """A request to one endpoint: the id in its path, its query, and the organisation of its key."""

    endpoint: Endpoint
    identifier: str
    query_string: bytes
    organisation: int


def response_body(request: ApiRequest, reader: Reader, dials: Dials) -> bytes:
    """Return the body of a successful response.

    Raises
    ------
    HttpError
        The request can't be answered.
    """
    if request.endpoint.paginated:
        return _list(request, reader, dials)
    if request.endpoint.by_id:
        return _record(request, reader)
    return _data(reader.services(request.organisation, dials.list_order).documents)


def _list(request: ApiRequest, reader: Reader, dials: Dials) -> bytes:
    name = request.endpoint.name
    # The reference has rules for wrong parameters of flights only.
    is_strict = name == "flights"
    values = parameters.parse_query(request.query_string, strictly=is_strict)
    paging = parameters.parse_paging(values, dials, strictly=is_strict)
    if name == "flights":
        query, equipment = parameters.parse_flight_query(values, dials), _checked_id(request)
        page = reader.flights(request.organisation, equipment, query, **paging._asdict())
    else:
        page = reader.page(
            _TABLE_OF[request.endpoint.record.name],
            request.organisation,
            order=dials.list_order,
            status=parameters.parse_status(values) if name == "project_list" else None,
            **paging._asdict(),
        )
    if page is None:
        raise not_found()
    return _paginated(page, paging, dials)


def _record(request: ApiRequest, reader: Reader) -> bytes:
    table = _TABLE_OF[request.endpoint.record.name]
    record = reader.record(table, request.organisation, _checked_id(request))
    if record is None:
        raise not_found()
    document, detail = record
    if detail != "{}":
        document = f"{document[:-1]},{detail[1:]}"
    return f'{{"success":true,"data":{document}}}'.encode()


def _checked_id(request: ApiRequest) -> str:
    """Return the id in the path, which a database can look up."""
    if not is_identifier(request.identifier):
        raise not_found()
    return request.identifier


def _paginated(page: Page, paging: Paging, dials: Dials) -> bytes:
    number, limit = paging
    is_past_end = number > 1 and (number - 1) * limit >= page.total
    if is_past_end and dials.page_past_end != "empty":
        raise HttpError(int(dials.page_past_end), "There is no such page.")
    has_more = "true" if number * limit < page.total else "false"
    meta = (
        f',"meta":{{"pagination":{{"page":{number},"limit":{limit},'
        f'"total":{page.total},"hasMore":{has_more}}}}}'
    )
    return _data(page.documents, meta)


def _data(documents: Iterable[str], meta: str = "") -> bytes:
    return f'{{"success":true,"data":[{",".join(documents)}]{meta}}}'.encode()
