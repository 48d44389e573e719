"""An organisation copied from another server of the API, through the client."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import inf
from typing import Any

import msgspec

from fleetkit import settings
from fleetkit.errors import DataError
from fleetkit.fleet.opening import client_of, with_stored
from fleetkit.server.store import Store
from fleetkit.tables.values import READERS, parse

__all__ = ["copy_organisation"]

# When a copy of a flight was last updated, and the piece of equipment that lists it.
_Age = tuple[float, str | None]
_NONE: _Age = (-inf, None)
_read_moment = READERS["datetime64[us, UTC]"]


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
        The server to copy from; the key comes from FLEETKIT_API_KEY, else it is the one stored for
        that server, and its header, the number of requests at once and the longest wait come from
        the settings.
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
    loaded = with_stored(settings.load(base_url=base_url))
    with (
        client_of(loaded, allow_http=allow_http) as client,
        store.writing(organisation) as writer,
    ):
        equipment = list(_records(client.pages("equipment_list")))
        writer.put("equipment", equipment)
        newest: dict[str, _Age] = {}  # flight → its copy that is stored
        pairs = 0
        for equipment_id, pages in client.flight_pages(map(_id, equipment)):
            logged = list(_records(pages))
            writer.put("flights", _newer(logged, equipment_id, newest))
            writer.attach((_id(flight), equipment_id) for flight in logged)
            pairs += len(logged)
        listed = map(_id, _records(client.pages("project_list")))
        projects = [dict(_data(body)) for _, body in client.records("project", listed)]
        writer.put("projects", projects)
        services = list(_records(client.pages("service_list")))
        writer.put("services", services)
    return {
        "equipment": len(equipment),
        "flights": len(newest),
        "flight_equipment": pairs,
        "projects": len(projects),
        "services": len(services),
    }


def _newer(
    logged: Iterable[dict[str, Any]], equipment_id: str, newest: dict[str, _Age]
) -> Iterator[dict[str, Any]]:
    """Yield the flights of a piece of equipment of which no newer copy is stored.

    Of several copies the newest counts, of equally new ones that of the first equipment id,
    whichever list arrives first.
    """
    for flight in logged:
        id_, (moment, piece) = _id(flight), newest.get(_id(flight), _NONE)
        updated = _moment(flight)
        if piece is None or updated > moment or (updated == moment and equipment_id < piece):
            newest[id_] = updated, equipment_id
            yield flight


def _moment(flight: dict[str, Any]) -> float:
    """Return when a flight was last updated, in seconds since 1970; -inf where it doesn't say."""
    with suppress(ValueError):  # such as null; what else is no time, its reader refuses and names
        return float(_read_moment(flight.get("updatedAt")).timestamp())
    return -inf


def _records(pages: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for page in pages:
        yield from _data(page)


def _data(answer: bytes) -> Any:
    text = answer.removeprefix(BOM_UTF8)
    try:
        content = msgspec.json.decode(text)
        parse(text)  # refuses a field that is given twice, of which msgspec takes the last
    except DataError:
        raise
    except (ValueError, RecursionError) as problem:
        raise DataError(f"An answer of the other server can't be read: {problem}.") from None
    return content["data"]


def _id(record: dict[str, Any]) -> str:
    if not isinstance(record.get("id"), str):
        raise DataError("A record of the other server has no id.")
    return str(record["id"])
