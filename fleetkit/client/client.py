"""The front of the client: `Client`, which reads the API and checks everything it hands out."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from datetime import datetime
from threading import RLock
from typing import Any, Protocol
from weakref import WeakSet

from fleetkit.client import address
from fleetkit.client.key import Key
from fleetkit.client.paging import LeadingReader, ListReader, Reader
from fleetkit.client.request import build
from fleetkit.client.service import Service
from fleetkit.client.session import Session
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.schema import ENDPOINTS, EQUIPMENT, AuthHeader

__all__ = ["Client", "Steps"]

# Longest time for a request with all its attempts, unless one attempt is given longer. [s]
PATIENCE = 120.0
_clients: WeakSet[Client] = WeakSet()


class Steps(Protocol):
    """What is told how far a load, or a report, is; called in the caller's thread."""

    def start(self, total: int | None, what: str, unit: str) -> object:
        """Begin something of `total` steps; None where that isn't known yet."""

    def advance(self, count: int = 1) -> object:
        """Count steps that are done."""

    def done(self) -> object:
        """End it, complete or not."""


class Client:
    """Reads the API: pages that are whole and complete, or an error.

    One client keeps its connections alive and may be shared by threads: all of them together keep
    to its `concurrency` and to the service's quota. Each process has its own connections and
    throttle: a client that is forked, pickled or copied starts without those of the original.
    A pickle never holds the key; see `fleetkit.client.key`.

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
    patience : float, optional
        Longest time for one request with all its attempts; also the longest wait for a quota that
        the service may ask for. Default: 120, or `timeout` where that is longer. [s]
    allow_http : bool
        Send the key unencrypted to another machine.
    progress : Steps, optional
        Shows how far long loads are.

    Raises
    ------
    InvalidValue
        An address, key or number that is not valid; nothing was sent.

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
        auth: AuthHeader = "X-API-Key",
        concurrency: int = 8,
        timeout: float = 30.0,
        patience: float | None = None,
        allow_http: bool = False,
        progress: Steps | None = None,
    ) -> None:
        location, key = address.read(base_url, allow_http=allow_http), Key(api_key)
        longest = max(PATIENCE, timeout) if patience is None else patience
        self._service = Service(location, key, auth, concurrency, timeout, longest)
        self._progress = progress
        self._start()
        self._session()  # raises now what is wrong with the environment

    def _start(self) -> None:
        """Begin without connections, throttle and locks: each process has its own."""
        self._lock = RLock()
        self._current: Session | None = None
        self._made_before = 0  # requests of sessions that were closed
        _clients.add(self)

    def _session(self) -> Session:
        with self._lock:
            self._current = self._current or Session(self._service)
            return self._current

    def _reset_after_fork(self) -> None:
        """Start again in a forked process; progress bars stay with the original process."""
        self._start()
        self._progress = None

    def __getstate__(self) -> Service:
        """Leave out what belongs to this process; the key leaves itself out."""
        return self._service

    def __setstate__(self, service: Service) -> None:
        self._service, self._progress = service, None
        self._start()

    def __copy__(self) -> Client:
        """Return a client of the same service with connections of its own."""
        duplicate = Client.__new__(Client)
        duplicate.__setstate__(self._service)
        duplicate._progress = copy(self._progress)
        return duplicate

    def __deepcopy__(self, memo: object) -> Client:
        return self.__copy__()

    @property
    def base_url(self) -> str:
        """The address as it is used: without ``/v1`` and trailing slash."""
        return self._service.address.url

    @property
    def requests_made(self) -> int:
        """Requests that this process has sent so far, retries included."""
        with self._lock:
            return self._made_before + (self._current.requests_made if self._current else 0)

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
            The list kept changing while it was read, or contradicts itself.
        ApiError
            Any other failure; see `fleetkit.errors`.
        """
        params = dict(params or {})
        if endpoint in ENDPOINTS and ENDPOINTS[endpoint].by_id:
            raise InvalidValue(f"{brief(endpoint)} is not a list.")
        if params.keys() & {"page", "limit"}:
            raise InvalidValue("All pages are read: page and limit are set by the client.")
        reader = ListReader(endpoint, "", params)
        [(_, bodies)] = self._read([reader], ENDPOINTS[endpoint].path.split("/")[-1], "pages")
        return bodies

    def flight_pages(
        self,
        equipment_ids: Iterable[str],
        *,
        date_from: datetime | None = None,
        date_to: datetime | None = None,
        flight_type: str | None = None,
    ) -> Generator[tuple[str, list[bytes]], None, None]:
        """Yield the flight logs of each piece of equipment, as they get complete.

        Flights are read oldest first: a flight logged meanwhile is added at the end, where it
        changes no other page. To leave early, close the generator (`contextlib.closing`): that
        stops the threads and closes the connections.

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
            Equipment id and its pages in order, in any order of equipment.

        Raises
        ------
        InvalidValue
            A wrong id, date or type; nothing is sent then.
        IncompleteError, NotFound, ApiError
            As `pages`. Each list that was yielded is complete.
        """
        ids = _unique(equipment_ids, "equipment_ids")
        params = _flight_params(date_from, date_to, flight_type)
        readers = [ListReader("flights", id, params) for id in ids]
        return self._read(readers, "flights", EQUIPMENT.nouns[1])

    def equipment_and_flight_pages(
        self,
        *,
        date_from: datetime | None = None,
        date_to: datetime | None = None,
        flight_type: str | None = None,
    ) -> tuple[list[bytes], Generator[tuple[str, list[bytes]], None, None]]:
        """Return all pages of the list of equipment, and the flight logs of every piece on it.

        Flights are begun while further pages of equipment are on their way. Where the list has to
        be read again, so have they: each list of flights is newer than what the list of equipment
        says of its piece.

        Parameters
        ----------
        date_from, date_to, flight_type
            As in `flight_pages`.

        Returns
        -------
        (list of bytes, generator)
            As `pages` returns them, and as `flight_pages` yields them.

        Raises
        ------
        InvalidValue, IncompleteError, NotFound, ApiError
            As `pages` and `flight_pages`.
        """
        params = _flight_params(date_from, date_to, flight_type)
        leader = LeadingReader("equipment_list", lambda id: ListReader("flights", id, params))
        results = self._read_led(leader)
        _, pages = next(results)
        return pages, results

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
            Any other failure.
        """
        _check_single(endpoint)
        [(_, [body])] = self._session().read([Reader(endpoint, id)])
        return body

    def records(
        self, endpoint: str, ids: Iterable[str]
    ) -> Generator[tuple[str, bytes], None, None]:
        """Yield the answers for many records, read in parallel, as they come.

        Parameters and errors as `record`; the first error ends it.
        """
        _check_single(endpoint)
        readers = [Reader(endpoint, id) for id in _unique(ids, "ids")]
        build(endpoint, "eq_1")  # checks it, also without any id
        plural = ENDPOINTS[endpoint].record.nouns[1]
        results = self._read(readers, f"details of {plural}", plural)
        return ((id, body) for id, [body] in results)

    def _read(
        self, readers: Sequence[Reader], what: str, unit: str
    ) -> Generator[tuple[str, list[bytes]], None, None]:
        """Read everything and show its progress: in pages, or in readers."""
        count_pages = unit == "pages"
        with self._shown(None if count_pages else len(readers), what, unit) as advance:
            on_page = advance if count_pages else None
            with closing(self._session().read(readers, on_page)) as results:
                for result in results:
                    yield result
                    if advance and not count_pages:
                        advance(1)

    def _read_led(self, leader: LeadingReader) -> Generator[tuple[str, list[bytes]], None, None]:
        """Read the list of equipment, then what follows it, and show the progress of each."""
        with closing(self._session().read([leader])) as results:
            with self._shown(None, "equipment", "pages") as advance:
                equipment = next(results)
                if advance:
                    advance(len(equipment[1]))
            yield equipment
            with self._shown(leader.size, "flights", EQUIPMENT.nouns[1]) as advance:
                for result in results:
                    yield result
                    if advance:
                        advance(1)

    @contextmanager
    def _shown(
        self, total: int | None, what: str, unit: str
    ) -> Iterator[Callable[[int], object] | None]:
        """Show the progress of a load; gives what counts its steps, None where nothing does."""
        progress = self._progress
        if progress:
            progress.start(total, f"Reading {what}", unit)
        try:
            yield progress.advance if progress else None
        finally:
            if progress and progress is self._progress:  # not in a process forked meanwhile
                progress.done()

    def close(self) -> None:
        """Close every connection; a later call opens new ones.

        A load that is under way, in another thread or in an open generator, ends with an error.
        """
        with self._lock:
            session, self._current = self._current, None
        if session:
            session.close()
            with self._lock:
                self._made_before += session.requests_made

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if "_service" not in vars(self):  # as in a traceback with variables, of a refused argument
            return "Client(…)"
        return f"Client({self.base_url!r}, concurrency={self._service.concurrency})"


def _flight_params(
    date_from: datetime | None, date_to: datetime | None, flight_type: str | None
) -> dict[str, Any]:
    params = {
        "dateFrom": date_from,
        "dateTo": date_to,
        "flightType": flight_type,
        "orderBy": "date_asc",
    }
    build("flights", "eq_1", params)  # checks them, also without any equipment
    if date_from and date_to and date_from > date_to:
        raise InvalidValue(f"date_from {date_from} is after date_to {date_to}.")
    return params


def _check_single(endpoint: str) -> None:
    if endpoint in ENDPOINTS and ENDPOINTS[endpoint].many:
        raise InvalidValue(f"{brief(endpoint)} is not an endpoint of single records.")


def _unique(ids: Iterable[str], name: str) -> list[str]:
    if isinstance(ids, str):
        raise InvalidValue(f"{name} is one text.", advice="Pass a list of ids.")
    return list(dict.fromkeys(ids))


def _after_fork() -> None:
    for client in list(_clients):
        client._reset_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which doesn't fork
    os.register_at_fork(after_in_child=_after_fork)
