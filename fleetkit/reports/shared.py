"""What reports that a process makes side by side use together, and each of them may end first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Shared"]

_Resource = TypeVar("_Resource")


class Shared(Generic[_Resource]):
    """A resource that is made for the first who acquires it, and released after the last."""

    def __init__(self) -> None:
        self._parents: list[ExitStack] = []
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _begin(self) -> None:
        self._lock, self._made = Lock(), ExitStack()
        self._resource: _Resource | None = None
        self._users = 0

    def _forget(self) -> None:
        """Begin anew in a fork: what its parent has made is for the parent alone to release."""
        self._parents.append(self._made)
        self._begin()

    @contextmanager
    def acquired(
        self, make: Callable[[], AbstractContextManager[_Resource]] | None = None
    ) -> Iterator[_Resource | None]:
        """Yield the resource, and keep it for the block.

        Parameters
        ----------
        make : callable, optional
            Makes it where nobody has it. Default: it is None there.
        """
        with self._lock:
            if self._resource is None and make is not None:
                self._resource = self._made.enter_context(make())
            resource = self._resource
            self._users += resource is not None
        try:
            yield resource
        finally:
            if resource is not None:
                self._release()

    def _release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._resource = None
                self._made.close()
