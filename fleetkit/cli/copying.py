"""An organisation copied from another server of the API, through the client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from fleetkit import settings
from fleetkit.errors import DataError
from fleetkit.fleet.opening import client_of
from fleetkit.server.store import Store

__all__ = ["copy_organisation"]


def copy_organisation(
    store: Store, organisation: str, base_url: str, *, allow_http: bool
) -> dict[str, int]:
    """Read a whole organisation over HTTP and put it into a store, all or nothing.

    Parameters
    ----------
    store : Store
    organisation : str
        Id or name of the organisation that takes the records.
    base_url : str
        The server to copy from; the key comes from FLEETKIT_API_KEY, and its header, the number
        of requests at once and the longest wait from the settings.
    allow_http : bool
        Send the key unencrypted to another machine.

    Returns
    -------
    dict of int
        Table → records copied.

    Raises
    ------
    InvalidValue
        No key, no such organisation, or an unencrypted address without `allow_http`.
    DataError
        A record that can't be stored.
    ApiError
        The server could not be read whole; nothing was stored.
    """
    loaded = settings.load(base_url=base_url)
    with (
        client_of(loaded, allow_http=allow_http) as client,
        store.writing(organisation) as writer,
    ):
        equipment = list(_records(client.pages("equipment_list")))
        writer.put("equipment", equipment)
        flights: Counter[str] = Counter()  # flight → pieces of equipment that logged it
        for equipment_id, pages in client.flight_pages(map(_id, equipment)):
            logged = list(_records(pages))
            writer.put("flights", logged)
            writer.attach((_id(flight), equipment_id) for flight in logged)
            flights.update(map(_id, logged))
        listed = map(_id, _records(client.pages("project_list")))
        projects = [dict(_data(body)) for _, body in client.records("project", listed)]
        writer.put("projects", projects)
        services = list(_records(client.pages("service_list")))
        writer.put("services", services)
    return {
        "equipment": len(equipment),
        "flights": len(flights),
        "flight_equipment": flights.total(),
        "projects": len(projects),
        "services": len(services),
    }


def _records(pages: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for page in pages:
        yield from _data(page)


def _data(answer: bytes) -> Any:
    try:
        return msgspec.json.decode(answer)["data"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise DataError(f"An answer of the other server can't be read: {problem}.") from None


def _id(record: dict[str, Any]) -> str:
    if not isinstance(record.get("id"), str):
        raise DataError("A record of the other server has no id.")
    return str(record["id"])
