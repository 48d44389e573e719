"""Pages → one list, proven complete, or read again; after a few rounds an error.

Page 1 holds `total` and `limit`; the other pages follow from them, and none past the last is
requested. The list counts as complete when every page holds what it must, `total` stayed the same,
and there are `total` distinct ids.

What that proves: every id received was in the list at some moment of the reading. If none of them
*appeared* meanwhile, they are exactly the list as it was when page 1 was read, since there are
just as many. A record deleted while another is inserted leaves `total` as it was. So if records
were created since page 1 was requested, the list is read again, until a round has no further ones.
That is known from ``createdAt`` and the service's own clock; where a filter is set also from
``updatedAt``, since an edit can make a record match it. What can't be detected: between two pages,
a record is removed and another one appears that was created long ago (a flight moved to another
piece of equipment, an import with earlier ``createdAt``), or the service sends no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fleetkit.client.answers import Page, Pagination
from fleetkit.client.request import Request, build
from fleetkit.client.retry import jitter
from fleetkit.errors import ApiError, BadRequest, DataError, IncompleteError, NotFound
from fleetkit.interface import CORRECT_IT, brief
from fleetkit.schema import ENDPOINTS, MAX_LIMIT, is_identifier

__all__ = ["LeadingReader", "ListReader", "PageRequest", "Reader"]

# How often a list that changes is read before giving up.
MOST_ROUNDS = 5
NO_PARAMS: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request of a reader: for which page, in which round, after what wait in seconds."""

    request: Request
    page: int = 1
    round: int = 0
    wait: float = 0.0


@dataclass(slots=True)
class _Received:
    """What came of a list in one round: page 1, all bodies, their ids, and which of them are new.

    Made when something comes: a load has thousands of readers that wait for their turn.
    """

    first: Page
    bodies: dict[int, bytes] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)


class Reader:
    """Reads one record by its id, with one request; `ListReader` reads a list, with several.

    Parameters
    ----------
    endpoint : str
        One of `schema.ENDPOINTS`.
    key : str
        The id in its path, where it has one.
    params : mapping
        Query parameters besides page and limit.

    Attributes
    ----------
    bodies : list of bytes or None
        The answers in order, once complete.
    round : int
        How often a list was begun again.

    Raises
    ------
    InvalidValue
        An argument that is not valid; nothing was sent.
    """

    __slots__ = ("_request", "bodies", "key", "round")

    def __init__(self, endpoint: str, key: str, params: Mapping[str, Any] = NO_PARAMS) -> None:
        self.key = key
        self.bodies: list[bytes] | None = None
        self.round = 0
        self._request = build(endpoint, key, params)

    def first_request(self) -> PageRequest:
        """Return the request that it begins with, once."""
        return PageRequest(self._request)

    def next_request(self) -> PageRequest | None:
        """Return the next request that can be made now, each once; None where there is none."""
        return None

    def is_current(self, request: PageRequest) -> bool:
        """Whether the answer to a request is still of use."""
        return self.bodies is None

    def accept(self, request: PageRequest, page: Page) -> None:
        """Take a valid answer."""
        self.bodies = [page.body]

    def reject(self, request: PageRequest, error: ApiError) -> None:
        """Take an error, or raise it."""
        raise error

    def followers(self) -> list[Reader]:
        """Return the readers of further lists that can be begun now, each once."""
        return []

    def claim(self) -> list[bytes]:
        """Return the answers once complete, and let go of them: a load holds its readers long."""
        bodies, self.bodies = self.bodies or [], []
        return bodies


class ListReader(Reader):
    """Reads one list, from page 1 until it is proven complete."""

    __slots__ = ("_appeared", "_endpoint", "_last", "_limit", "_next", "_params", "_received")

    def __init__(self, endpoint: str, key: str, params: Mapping[str, Any]) -> None:
        super().__init__(endpoint, key, params)
        self._endpoint, self._params = ENDPOINTS[endpoint], params
        self._appeared: frozenset[str] = frozenset()  # in all rounds so far
        self._begin()

    def _begin(self) -> None:
        self._received: _Received | None = None
        self._next, self._last, self._limit = 1, 1, MAX_LIMIT

    def first_request(self) -> PageRequest:
        """Return the request for page 1 of this round."""
        self._next = 2
        return self._request_page(1)

    def next_request(self) -> PageRequest | None:
        """Return the request for the next page, as far as their number is known."""
        if self._next > self._last:
            return None
        self._next += 1
        return self._request_page(self._next - 1)

    def _request_page(self, n: int) -> PageRequest:
        paging = {"page": n, "limit": self._limit} if self._endpoint.paginated else {}
        request = build(self._endpoint.name, self.key, {**self._params, **paging})
        wait = jitter(self.round - 1) if n == 1 and self.round else 0.0
        return PageRequest(request, n, self.round, wait)

    def is_current(self, request: PageRequest) -> bool:
        """Whether a request belongs to the current round, not to an earlier one."""
        return request.round == self.round and self.bodies is None

    def accept(self, request: PageRequest, page: Page) -> None:
        """Take a page.

        Raises
        ------
        IncompleteError
            The list changed in every round, or contradicts itself.
        """
        is_first = self._received is None
        received = self._received or _Received(page)
        flaw = _flaw(request, page, received.first) or _repeated(page, received.ids)
        if flaw:
            return self._again(request, flaw)
        if is_first:
            self._received, self._last = received, _pages(page.pagination)
            self._limit = page.pagination.limit if page.pagination else MAX_LIMIT
        elif since := received.first.requested_at:
            received.new.update(self._appeared_since(since, page))
        received.bodies[request.page] = page.body
        if len(received.bodies) == self._last:
            self._finish(request, received)
        return None

    def reject(self, request: PageRequest, error: ApiError) -> None:
        """Take an error: a later page that no longer exists means that the list changed."""
        if request.page == 1 or not isinstance(error, NotFound | BadRequest):
            raise error
        words = error.message.removesuffix(f" ({error.request}).")
        self._again(request, f"page {request.page} ended with {words}")

    def _appeared_since(self, moment: str, page: Page) -> Iterator[str]:
        by_edit = bool(self._request.filters)
        return (row.id for row in page.rows if row.appeared_since(moment, by_edit=by_edit))

    def _finish(self, request: PageRequest, received: _Received) -> None:
        further = received.new - self._appeared
        self._appeared |= received.new
        if further:
            return self._again(request, f"{_records(len(further))} appeared while it was read")
        self.bodies = [received.bodies[n] for n in sorted(received.bodies)]
        self._received = None
        return None

    def _again(self, request: PageRequest, flaw: str) -> None:
        self.round += 1
        if self.round == MOST_ROUNDS:
            raise IncompleteError(
                f"The list could not be read whole in {MOST_ROUNDS} rounds; in the last, {flaw}",
                request=request.request.name,
                retryable=True,
                advice="It changes while it is read, or the service miscounts: try again later.",
            )
        self._begin()


class LeadingReader(ListReader):
    """Reads a list whose records have lists of their own, which are begun page by page.

    Where the list is read in another round, those begun in the round before don't count: they may
    be older than what the records now say of them.

    Parameters
    ----------
    endpoint : str
        Whose list.
    follower : callable
        Takes the id of a record; returns the reader of its list.

    Attributes
    ----------
    size : int
        How many records this round has read so far.
    """

    __slots__ = ("_follower", "_followers", "size")

    def __init__(self, endpoint: str, follower: Callable[[str], Reader]) -> None:
        self._follower = follower
        super().__init__(endpoint, "", NO_PARAMS)

    def _begin(self) -> None:
        super()._begin()
        self.size = 0
        self._followers: list[Reader] = []

    def accept(self, request: PageRequest, page: Page) -> None:
        """Take a page; errors as `ListReader.accept`."""
        super().accept(request, page)
        if request.round == self.round:
            self.size += len(page.rows)
            self._followers += [self._follow(row.id) for row in page.rows]

    def _follow(self, id: str) -> Reader:
        if not is_identifier(id):
            raise DataError(
                f"{self._endpoint.record.name}: {brief(id)} is not an identifier.",
                advice=CORRECT_IT,
            )
        return self._follower(id)

    def followers(self) -> list[Reader]:
        """Return the readers of the lists of the records that came, each once."""
        followers, self._followers = self._followers, []
        return followers


def _repeated(page: Page, ids: set[str]) -> str:
    """Take the ids of a page among those that came; say so where one of them came before."""
    before = len(ids)
    ids.update(row.id for row in page.rows)
    return "" if len(ids) == before + len(page.rows) else "a record came twice"


def _pages(pagination: Pagination | None) -> int:
    return max(1, -(-pagination.total // max(1, pagination.limit))) if pagination else 1


def _records(count: int) -> str:
    return f"{count} record{'' if count == 1 else 's'}"


def _flaw(request: PageRequest, page: Page, first: Page) -> str:
    """Say how a page contradicts page 1, the request or itself; empty where it doesn't."""
    now, then = page.pagination, first.pagination
    if now is None or then is None:
        return ""
    pages, held = _pages(now), len(page.rows)
    expected = min(now.limit, now.total - (request.page - 1) * now.limit)
    checks = (
        (now.page == request.page, f"page {now.page} came instead of page {request.page}"),
        (now.total == then.total, f"`total` went from {then.total} to {now.total}"),
        (now.limit == then.limit, f"`limit` went from {then.limit} to {now.limit}"),
        (now.limit >= 1, f"`limit` is {now.limit}"),
        (pages == 1 or now.limit <= MAX_LIMIT, f"`limit` is {now.limit}, above {MAX_LIMIT}"),
        (
            now.has_more == (request.page < pages),
            f"`hasMore` is wrong on page {request.page} of {pages}",
        ),
        (held == expected, f"page {request.page} held {_records(held)} instead of {expected}"),
    )
    return next((flaw for is_right, flaw in checks if not is_right), "")
