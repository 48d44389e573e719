"""Pages → one list, proven complete, or read again; after a few readings an error.

Page 1 tells `total` and `limit`; the other pages follow from them, and none past the last is asked
for. The list counts as whole when every page holds what it must, `total` stood still, and the
distinct ids number `total`.

What that proves: every id received stood in the list at some moment of the reading. If none of
them *appeared* meanwhile, they are exactly the list as it stood when page 1 was read, since there
are just as many. A record deleted while another is inserted leaves `total` as it was, so records
that were created after page 1 (by ``createdAt`` and the service's own clock; where a filter is set
also by ``updatedAt``, since an edit can bring a record into it) make the list be read again, until
a reading brings no further ones. What can't be found: between two pages, a record vanishes and
another one appears that was created long ago (a flight hung on another piece of equipment, an
import with earlier ``createdAt``), or the service tells no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from fleetkit.client.answers import Page, Pagination
from fleetkit.client.request import Request, build
from fleetkit.client.retry import jitter
from fleetkit.errors import ApiError, BadRequest, IncompleteError, NotFound
from fleetkit.schema import ENDPOINTS, MAX_LIMIT

__all__ = ["Ask", "ListReading", "RecordReading"]

# How often a list that moves is read before giving up.
MOST_READINGS = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """A request of a reading: for which page, in which round, after what wait in seconds."""

    request: Request
    page: int = 1
    round: int = 0
    wait: float = 0.0


class RecordReading:
    """One record by its id."""

    def __init__(self, endpoint: str, id: str) -> None:
        self.key = id
        self.bodies: list[bytes] | None = None
        self._request = build(endpoint, id)

    def first(self) -> Ask:
        """Return the one request."""
        return Ask(self._request)

    def more(self) -> Ask | None:
        """Say that there is no other."""
        return None

    def wants(self, ask: Ask) -> bool:
        """Say yes: there is one round only."""
        return self.bodies is None

    def take(self, ask: Ask, page: Page) -> None:
        """Take its answer."""
        self.bodies = [page.body]

    def refuse(self, ask: Ask, error: ApiError) -> None:
        """Raise the error: there is nothing else to try."""
        raise error


class ListReading:
    """One list, from page 1 until it is proven complete.

    Parameters
    ----------
    endpoint : str
        A list of `schema.ENDPOINTS`.
    key : str
        The id in its path, where it has one.
    params : mapping
        Query parameters besides page and limit.

    Attributes
    ----------
    bodies : list of bytes or None
        Its pages in order, once complete.
    """

    def __init__(self, endpoint: str, key: str, params: Mapping[str, Any]) -> None:
        self.key = key
        self.bodies: list[bytes] | None = None
        build(endpoint, key, params)  # whatever is wrong is said before anything is sent
        self._endpoint, self._params = ENDPOINTS[endpoint], params
        self._filtered = any(
            params.get(each.name) for each in self._endpoint.parameters if each.name != "orderBy"
        )
        self._round = 0
        self._appeared: set[str] = set()  # over all rounds: what the next one may hold as well
        self._begin()

    def _begin(self) -> None:
        self._first: Page | None = None
        self._next, self._last, self._limit = 1, 1, MAX_LIMIT
        self._bodies: dict[int, bytes] = {}
        self._ids: set[str] = set()
        self._new: set[str] = set()

    def first(self) -> Ask:
        """Return the request for page 1."""
        self._next = 2
        return self._ask(1)

    def more(self) -> Ask | None:
        """Return the next request that can be made now, each once."""
        if self._next > self._last:
            return None
        self._next += 1
        return self._ask(self._next - 1)

    def _ask(self, n: int) -> Ask:
        paging = {"page": n, "limit": self._limit} if self._endpoint.paginated else {}
        request = build(self._endpoint.name, self.key, {**self._params, **paging})
        wait = jitter(self._round - 1) if n == 1 and self._round else 0.0
        return Ask(request, n, self._round, wait)

    def wants(self, ask: Ask) -> bool:
        """Whether a request belongs to this round, not to one given up meanwhile."""
        return ask.round == self._round and self.bodies is None

    def take(self, ask: Ask, page: Page) -> None:
        """Take a page.

        Raises
        ------
        IncompleteError
            The list moved in every round of reading, or contradicts itself.
        """
        first = self._first or page
        flaw = _flaw(ask, page, first) or self._repeated(page)
        if flaw:
            return self._again(ask, flaw)
        if self._first is None:
            self._first, self._last = page, _pages(page.pagination)
            self._limit = page.pagination.limit if page.pagination else MAX_LIMIT
        else:
            self._watch(page, first.asked_at)
        self._bodies[ask.page] = page.body
        if len(self._bodies) == self._last:
            self._finish(ask)
        return None

    def refuse(self, ask: Ask, error: ApiError) -> None:
        """Take an error: a later page that isn't there any more means that the list moved."""
        if ask.page == 1 or not isinstance(error, NotFound | BadRequest):
            raise error
        self._again(ask, f"page {ask.page} was gone")

    def _repeated(self, page: Page) -> str:
        before = len(self._ids)
        self._ids.update(row.id for row in page.rows)
        return "" if len(self._ids) == before + len(page.rows) else "a record came twice"

    def _watch(self, page: Page, since: str) -> None:
        """Note the records of a page that appeared after page 1 was read."""
        if since:
            self._new.update(
                row.id for row in page.rows if row.appeared_since(since, by_edit=self._filtered)
            )

    def _finish(self, ask: Ask) -> None:
        further = self._new - self._appeared
        self._appeared |= self._new
        if further:
            return self._again(ask, f"{len(further)} records appeared while it was read")
        self.bodies = [self._bodies[n] for n in sorted(self._bodies)]
        self._ids, self._bodies = set(), {}
        return None

    def _again(self, ask: Ask, flaw: str) -> None:
        self._round += 1
        if self._round == MOST_READINGS:
            raise IncompleteError(
                f"The list could not be read whole in {MOST_READINGS} readings; last, {flaw}",
                request=ask.request.name,
                advice="It changes while it is read, or the service miscounts: try again later.",
            )
        self._begin()


def _pages(pagination: Pagination | None) -> int:
    return max(1, ceil(pagination.total / max(1, pagination.limit))) if pagination else 1


def _flaw(ask: Ask, page: Page, first: Page) -> str:
    """Say what contradicts page 1, the request or itself; empty where nothing does."""
    now, then = page.pagination, first.pagination
    if now is None or then is None:
        return ""
    pages, held = _pages(now), len(page.rows)
    expected = min(now.limit, now.total - (ask.page - 1) * now.limit)
    checks = (
        (now.page == ask.page, f"page {now.page} came instead of page {ask.page}"),
        (now.total == then.total, f"`total` went from {then.total} to {now.total}"),
        (now.limit == then.limit, f"`limit` went from {then.limit} to {now.limit}"),
        (now.limit >= 1, f"`limit` is {now.limit}"),
        (pages == 1 or now.limit <= MAX_LIMIT, f"`limit` is {now.limit}, above {MAX_LIMIT}"),
        (now.has_more == (ask.page < pages), f"`hasMore` is wrong on page {ask.page} of {pages}"),
        (held == expected, f"page {ask.page} held {held} records instead of {expected}"),
    )
    return next((words for holds, words in checks if not holds), "")
