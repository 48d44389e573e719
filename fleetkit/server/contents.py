"""The body of each endpoint's answer, after the key was found good (reference, section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fleetkit.schema import Endpoint
from fleetkit.server import parameters
from fleetkit.server.dials import Dials
from fleetkit.server.errors import HttpError
from fleetkit.server.parameters import Paging
from fleetkit.server.reader import Page, Reader

__all__ = ["Question", "body", "not_found"]

_TABLE_OF = {"Equipment": "equipment", "Project": "projects", "Service": "services"}
_LONGEST_ID = 255


class Question(NamedTuple):
    """What a request asks: the endpoint, the id in its path, its query, for which organisation."""

    endpoint: Endpoint
    identifier: str
    query_string: bytes
    organisation: int


def not_found() -> HttpError:
    """Return the answer to an unknown id and to one of another organisation: the same."""
    return HttpError(404, "There is no such record.")


def body(question: Question, reader: Reader, dials: Dials) -> bytes:
    """Return the body of a success; anything else is raised as a `HttpError`."""
    endpoint = question.endpoint
    if endpoint.name == "flights":
        return _flights(question, reader, dials)
    if endpoint.by_id:
        return _record(question, reader)
    if endpoint.paginated:
        return _list(question, reader, dials)
    return _data(reader.services(question.organisation, dials.list_order).documents)


def _list(question: Question, reader: Reader, dials: Dials) -> bytes:
    endpoint = question.endpoint
    values = parameters.lenient(question.query_string)
    paging = parameters.paging(values, dials)
    page = reader.page(
        _TABLE_OF[endpoint.record.name],
        question.organisation,
        page=paging.page,
        limit=paging.limit,
        order=dials.list_order,
        status=parameters.status(values) if endpoint.name == "project_list" else None,
    )
    return _paginated(page, paging, dials)


def _flights(question: Question, reader: Reader, dials: Dials) -> bytes:
    values = parameters.strict(question.query_string)
    paging = parameters.paging(values, dials, strictly=True)
    query = parameters.flight_query(values, dials)
    page = reader.flights(
        question.organisation,
        _possible(question.identifier),
        query,
        page=paging.page,
        limit=paging.limit,
    )
    if page is None:
        raise not_found()
    return _paginated(page, paging, dials)


def _record(question: Question, reader: Reader) -> bytes:
    table = _TABLE_OF[question.endpoint.record.name]
    found = reader.record(table, question.organisation, _possible(question.identifier))
    if found is None:
        raise not_found()
    document, detail = found
    if detail != "{}":
        document = f"{document[:-1]},{detail[1:]}"
    return f'{{"success":true,"data":{document}}}'.encode()


def _possible(identifier: str) -> str:
    """Pass on what can be an id; a database would choke on some of the rest."""
    if len(identifier) > _LONGEST_ID or "\x00" in identifier:
        raise not_found()
    return identifier


def _paginated(page: Page, paging: Paging, dials: Dials) -> bytes:
    number, limit = paging
    past_end = number > 1 and (number - 1) * limit >= page.total
    if past_end and dials.page_past_end != "empty":
        raise HttpError(int(dials.page_past_end), "There is no such page.")
    more = "true" if number * limit < page.total else "false"
    meta = (
        f',"meta":{{"pagination":{{"page":{number},"limit":{limit},'
        f'"total":{page.total},"hasMore":{more}}}}}'
    )
    return _data(page.documents, meta)


def _data(documents: Iterable[str], meta: str = "") -> bytes:
    return f'{{"success":true,"data":[{",".join(documents)}]{meta}}}'.encode()
