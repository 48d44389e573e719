"""The front of the client: `Client`, which reads the API and checks everything it hands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from threading import Event
from types import TracebackType
from typing import Any, Protocol

from fleetkit.client import address
from fleetkit.client.crew import Reading, read_all
from fleetkit.client.gate import Gate
from fleetkit.client.paging import ListReading, RecordReading
from fleetkit.client.request import build
from fleetkit.client.retry import Asker
from fleetkit.client.transport import Transport
from fleetkit.errors import InvalidValue
from fleetkit.schema import ENDPOINTS
from fleetkit.settings import AUTH_HEADERS

__all__ = ["Client", "Progress"]

# What is read, and what is counted while it is, as people say it.
_NAMES = {
    "equipment": "pieces of equipment",
    "equipment_list": "equipment",
    "project": "projects",
    "project_list": "projects",
    "service": "services",
    "service_list": "services",
}


class Progress(Protocol):
    """Somebody who wants to know how far a long load is; told in the caller's thread."""

    def start(self, total: int | None, what: str, unit: str) -> object:
        """Hear that a load of `total` units begins; None where it isn't known yet."""

    def advance(self, n: int) -> object:
        """Hear that `n` more steps are done."""

    def done(self) -> object:
        """Hear that the load is over, or was given up."""


class Client:
    """Reads the API: pages that are whole and complete, or an error.

    One client keeps its connections alive and may be shared by threads: all of them together keep
    to its `concurrency` and to the service's quota.

    Parameters
    ----------
    base_url : str
        Address of the service, with or without ``/v1``. Plain http only to this machine.
    api_key : str
        Sent as a header, never shown.
    auth : {"X-API-Key", "Bearer"}
        Header that carries the key (reference, rule 5.2).
    concurrency : int
        Most requests under way at once.
    timeout : float
        Longest wait for one whole answer. [s]
    patience : float
        Longest time for one request with all its tries; also the longest wait for a quota that
        the service may ask for. [s]
    allow_http : bool
        Send the key unencrypted to another machine.
    progress : Progress, optional
        Told about long loads.

    Attributes
    ----------
    base_url : str
        The address as it is used: without ``/v1`` and trailing slash.
    requests_made : int
        Requests sent so far, tries included.

    Raises
    ------
    InvalidValue
        An address, key or number that can't be right; nothing is sent before that is known.

    Examples
    --------
    >>> Client("https://api.example.com/v1/", "key_1234")
    Client('https://api.example.com', concurrency=8)
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        auth: str = "X-API-Key",
        concurrency: int = 8,
        timeout: float = 30.0,
        patience: float = 120.0,
        allow_http: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if auth not in AUTH_HEADERS:
            raise InvalidValue(f"auth = {auth!r} is none of {', '.join(AUTH_HEADERS)}.")
        if not isinstance(concurrency, int) or concurrency < 1:
            raise InvalidValue(f"concurrency = {concurrency!r} is no whole number above 0.")
        for name, seconds in (("timeout", timeout), ("patience", patience)):
            if not 0 < seconds < float("inf"):
                raise InvalidValue(f"{name} = {seconds!r} is no number of seconds above 0.")
        where = address.read(base_url, allow_http=allow_http)
        key = address.checked_key(api_key)
        self.base_url = where.url
        self._transport = Transport(where, key, auth, connections=concurrency)
        self._gate = Gate(concurrency, patience)
        self._asker = Asker(self._transport, self._gate, timeout=timeout, patience=patience)
        self._concurrency, self._progress = concurrency, progress

    @property
    def requests_made(self) -> int:
        """Requests sent so far, tries included."""
        return self._gate.passed

    def pages(self, endpoint: str, params: Mapping[str, Any] | None = None) -> list[bytes]:
        """Return all pages of a list, in order; at least one.

        Parameters
        ----------
        endpoint : {"equipment_list", "project_list", "service_list"}
            Which list.
        params : mapping, optional
            ``{"status": "IN_PROGRESS"}`` for projects.

        Returns
        -------
        list of bytes
            Whole response bodies: ``{"success": true, "data": [...], "meta": ...}``.

        Raises
        ------
        InvalidValue
            A wrong endpoint, parameter or value; nothing is sent then.
        IncompleteError
            The list kept moving while it was read, or contradicts itself.
        ApiError
            Whatever else stayed wrong; see `fleetkit.errors`.
        """
        params = dict(params or {})
        found = ENDPOINTS.get(endpoint)
        if found and (found.by_id or not found.many):
            raise InvalidValue(f"{endpoint!r} is no list.")
        if params.keys() & {"page", "limit"}:
            raise InvalidValue("All pages are read: page and limit are the client's own.")
        reading = ListReading(endpoint, "", params)
        [(_, bodies)] = self._read([reading], _NAMES.get(endpoint, endpoint), "pages")
        return bodies

    def flight_pages(
        self,
        equipment_ids: Iterable[str],
        *,
        date_from: datetime | None = None,
        date_to: datetime | None = None,
        flight_type: str | None = None,
    ) -> Iterator[tuple[str, list[bytes]]]:
        """Yield the flight logs of each piece of equipment, as they get complete.

        Flights are read oldest first: a flight logged meanwhile joins the end, where it moves no
        other one.

        Parameters
        ----------
        equipment_ids : iterable of str
            Whose flights; an id given twice is read once.
        date_from, date_to : datetime, optional
            Aware; the reference doesn't say whether the bounds are inclusive (rule 4.4.8), so ask
            for more and cut afterwards.
        flight_type : str, optional
            One of `schema.FLIGHT_TYPES`.

        Yields
        ------
        (str, list of bytes)
            Equipment id and its pages in order, in no certain order of equipment.

        Raises
        ------
        InvalidValue
            A wrong id, date or type; nothing is sent then.
        IncompleteError, NotFound, ApiError
            As `pages`. What was yielded before is complete, but not all there is.
        """
        if isinstance(equipment_ids, str):
            raise InvalidValue("equipment_ids is one text.", advice="Pass a list of ids.")
        params = {
            "dateFrom": date_from,
            "dateTo": date_to,
            "flightType": flight_type,
            "orderBy": "date_asc",
        }
        build("flights", "eq_1", params)  # says what is wrong with them, also for no equipment
        if date_from and date_to and date_from > date_to:
            raise InvalidValue(f"date_from {date_from} is after date_to {date_to}.")
        readings = [ListReading("flights", id, params) for id in dict.fromkeys(equipment_ids)]
        return self._read(readings, "flights", _NAMES["equipment"])

    def record(self, endpoint: str, id: str) -> bytes:
        """Return the answer for one record.

        Parameters
        ----------
        endpoint : {"equipment", "project", "service"}
            Which kind.
        id : str
            Its identifier.

        Raises
        ------
        InvalidValue
            A wrong endpoint or id; nothing is sent then.
        NotFound
            No such record in the key's organisation.
        ApiError
            Whatever else stayed wrong.
        """
        _check_single(endpoint)
        return self._asker.ask(build(endpoint, id), Event()).body

    def records(self, endpoint: str, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the answers for many records, read in parallel, as they come.

        Parameters and errors as `record`; the first error ends it.
        """
        _check_single(endpoint)
        if isinstance(ids, str):
            raise InvalidValue("ids is one text.", advice="Pass a list of ids.")
        readings = [RecordReading(endpoint, id) for id in dict.fromkeys(ids)]
        name = _NAMES.get(endpoint, endpoint)
        read = self._read(readings, f"details of {name}", name)
        return ((id, bodies[0]) for id, bodies in read)

    def _read(
        self, readings: Sequence[Reading], what: str, unit: str
    ) -> Iterator[tuple[str, list[bytes]]]:
        """Read everything, telling the progress of it: pages, or readings of some unit."""
        progress = self._progress
        count_pages = unit == "pages"
        if progress:
            progress.start(None if count_pages else len(readings), f"Reading {what}", unit)
        try:
            for done in read_all(
                readings,
                self._asker,
                self._gate,
                size=self._concurrency,
                on_page=progress.advance if progress and count_pages else None,
            ):
                yield done
                if progress and not count_pages:
                    progress.advance(1)
        finally:
            if progress:
                progress.done()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._transport.address.url!r}, concurrency={self._concurrency})"


def _check_single(endpoint: str) -> None:
    found = ENDPOINTS.get(endpoint)
    if found and (found.many or not found.by_id):
        raise InvalidValue(f"{endpoint!r} is no endpoint of single records.")
