"""A sync: what changed is read from the service, and the mirror is updated.

Equipment, projects and services are few pages and always read whole. Of flights and project
details the mirror's plan says which to read; where that turns out not to suffice, more is read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from pathlib import Path

import pandas as pd

from fleetkit import mirror as mirrors
from fleetkit import schema, tables
from fleetkit.errors import Forbidden, IncompleteError, InvalidValue, MirrorError, NotFound
from fleetkit.fleet.live import VANISHING, LiveSource, check_readable
from fleetkit.fleet.window import DATED, Window
from fleetkit.interface import brief, worded
from fleetkit.mirror import Outdated, Plan, Staging, SyncReport, Unproven

__all__ = ["Options", "sync"]

# Pieces of equipment with all pages of their flights, as they come.
Lists = Generator[tuple[str, list[bytes]], None, None]
# How often a sync starts again because a record was removed, or another sync finished, meanwhile.
READS = 3
# How often it reads more because what it read doesn't suffice: flights shared with equipment that
# shares others with further equipment.
ROUNDS = 8


@dataclass(frozen=True)
class Options:
    """The options of a sync; see `Fleet.sync`."""

    tz: str
    has_zone: bool = False
    audit: float = mirrors.AUDIT
    details: bool = True
    full: bool = False
    moved_to: str | None = None
    accept_loss: bool = False
    mode: int = 0o700

    def __post_init__(self) -> None:
        if not isinstance(self.audit, Real) or not 0 <= self.audit <= 1:
            raise InvalidValue(
                f"audit={brief(self.audit)} is not a share.", advice="Give 0 to 1, such as 0.1."
            )
        if not isinstance(self.moved_to, str | None):
            raise InvalidValue(
                f"moved_to={brief(self.moved_to)} is not an address.",
                advice="Write the service's new one as a text.",
            )


class _Vanished(Exception):
    """A record left the service since its list was read; `args` hold the request for it."""


def sync(source: LiveSource, path: str | Path, options: Options) -> SyncReport:
    """Update a mirror from the service; see `Fleet.sync`."""
    before = source.client.requests_made
    vanished, missing = 0, None
    with mirrors.write_lock(path, mode=options.mode), source.renewed():
        for _ in range(READS):
            source.refresh()
            try:
                return _sync(source, path, before, options)
            except _Vanished as error:
                vanished += 1
                [missing] = error.args
            except Outdated:
                continue
    if vanished == READS:
        raise IncompleteError(
            f"Records vanished while they were read, {READS} times in a row",
            request=missing,
            advice=VANISHING,
        )
    raise MirrorError(
        f"Other syncs keep writing to the mirror {path}; nothing of this one was written.",
        advice="Let one sync finish before the next starts.",
    )


@dataclass(frozen=True)
class _Start:
    """Where a sync starts: the mirror's version, requests made before, flights already begun."""

    base: int
    requests: int
    begun: Lists | None = None


def _sync(source: LiveSource, path: str | Path, before: int, options: Options) -> SyncReport:
    start = _Start(mirrors.begin(path, source=source.identity, moved_to=options.moved_to), before)
    if start.base or (mirrors.has_staging(path) and not options.full):
        return _sync_from(start, source, path, options)  # it reads some flights only
    lists = None
    with suppress(Forbidden):  # what else the key can read is found out later
        lists = source.flight_lists(Window())
    with closing(lists) if lists else nullcontext():
        return _sync_from(replace(start, begun=lists), source, path, options)


def _sync_from(start: _Start, source: LiveSource, path: str | Path, options: Options) -> SyncReport:
    lacking = source.missing
    # The lists are read first: a counter that changes meanwhile is seen by the next sync.
    lists = _short_lists(source, lacking)
    plan = mirrors.plan(
        path,
        lists,
        audit=options.audit,
        details=options.details,
        full=options.full,
        base=start.base,
        accept_loss=options.accept_loss,
    )
    staging = _staging(source, path, lists, plan, options)
    write = _writer(source, path, lacking, options)
    with closing(_Reading(source, lists, staging, start.begun)) as reading:
        for _ in range(ROUNDS):
            try:
                frames = reading.frames(plan)
            except NotFound as error:
                raise _Vanished(error.request) from None
            try:
                report = write(
                    frames,
                    requests=source.client.requests_made - start.requests,
                    plan=plan.with_resumed(reading.resumed),
                    staging=reading.staging,
                    # Lists are of this moment or a later one, but for those that an interrupted
                    # sync had read, whose equipment is as it was then.
                    fetched_at=source.read_at,
                )
            except Unproven as more:
                plan = plan.with_more(more)
            else:
                mirrors.discard_staging(path)
                return report
    raise IncompleteError(
        f"Flights kept changing under one piece of equipment after another, {ROUNDS} times",
        advice="Try again when the fleet's lists no longer change, or with "
        + worded(python="full=True.", command_line="--full."),
    )


def _writer(
    source: LiveSource, path: str | Path, lacking: Mapping[str, str], options: Options
) -> Callable[..., SyncReport]:
    """Return what writes tables to the mirror; what each attempt has of its own is given to it."""
    return partial(
        mirrors.write,
        path,
        source=source.identity,
        tz=options.tz,
        has_zone=options.has_zone,
        missing=lacking,
        moved_to=options.moved_to,
        accept_loss=options.accept_loss,
        mode=options.mode,
    )


def _short_lists(source: LiveSource, lacking: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Read all that isn't flights; refuse a key that can read no table."""
    check_readable(lacking)
    return {
        name: tables.conform(name, source.table(name))
        for name in schema.TABLES
        if name not in {*lacking, *DATED}
    }


def _staging(
    source: LiveSource,
    path: str | Path,
    lists: dict[str, pd.DataFrame],
    plan: Plan,
    options: Options,
) -> Staging | None:
    """Return where a sync puts its flights; None where the key can't read any."""
    if "equipment" not in lists:
        return None
    is_first = plan.base == 0
    return Staging(
        path,
        source=source.identity,
        # Only what a first sync read, the next one goes on with: else it may be long ago.
        records=mirrors.records_of(lists["equipment"]) if is_first else {},
        mode=options.mode,
        resumed=is_first and not options.full,
    )


class _Reading:
    """What one sync has read; a plan that asks for more costs only what it adds."""

    def __init__(
        self,
        source: LiveSource,
        lists: dict[str, pd.DataFrame],
        staging: Staging | None,
        begun: Lists | None,
    ) -> None:
        self._source, self._lists, self.staging = source, lists, staging
        self._begun = begun
        self.resumed = staging.resumed if staging else frozenset()
        self._details: list[pd.DataFrame] = []
        self._projects: set[str] = set()

    def frames(self, plan: Plan) -> dict[str, pd.DataFrame]:
        """Return every table that the key can read but flights, which go to files."""
        frames = dict(self._lists)
        if self.staging is not None:
            self._stage_flights(plan.flights, self.staging)
        if plan.details is not None and "projects" in frames:
            frames[mirrors.PROJECT_DETAILS] = self._read_details(plan.details)
        return frames

    def _stage_flights(self, pieces: Iterable[str], staging: Staging) -> None:
        """Read flights, so that memory holds only some of them at a time."""
        known = staging.pieces
        unread = [piece for piece in pieces if piece not in known]
        if unread:
            begun, self._begun = self._begun, None
            with closing(begun or self._source.client.flight_pages(unread)) as lists:
                staging.take(lists)

    def close(self) -> None:
        """Let go of temporary files."""
        if self.staging is not None:
            self.staging.close()

    def _read_details(self, projects: Iterable[str]) -> pd.DataFrame:
        unread = [project for project in projects if project not in self._projects]
        if unread or not self._details:
            self._details.append(self._source.project_details(unread))
            self._projects.update(unread)
        return tables.conform("projects", tables.joined("projects", self._details))
