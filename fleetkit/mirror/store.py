"""The mirror's folder or object store: Delta tables opened, queried and committed to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from fleetkit.errors import FleetkitError, MirrorError

__all__ = ["ONCE", "Conflict", "Store", "query", "quoted"]

# A commit lands on exactly the version that it was computed from, or not at all: then the whole
# sync is computed anew.
ONCE = CommitProperties(max_commit_retries=0)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Conflict(Exception):
    """Another sync committed first; compare anew."""


class Store:
    """The place of a mirror.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    """

    def __init__(self, path: str | Path) -> None:
        text = str(path)
        self.path = text if "://" in text else str(Path(text).expanduser().absolute())
        if "%" in self.path:  # delta-rs reads it as an escape, and loses the files
            raise MirrorError(f"A mirror's path can't hold a percent sign: {self.path}.")

    def location(self, table: str) -> str:
        """Return where a table lies."""
        return f"{self.path.rstrip('/')}/{table}"

    def table(self, table: str, version: int | None = None) -> DeltaTable | None:
        """Open a table; None where there is none."""
        with self.doing("read"), suppress(TableNotFoundError):
            return DeltaTable(self.location(table), version=version)
        return None

    def create(self, table: str, data: pa.Table, **options: Any) -> None:
        """Write the first version of a table.

        Raises
        ------
        Conflict
            Another sync made it first.
        """
        try:
            write_deltalake(self.location(table), data, commit_properties=ONCE, **options)
        except Exception:
            if self.table(table) is not None:
                raise Conflict from None
            raise

    @contextmanager
    def doing(self, verb: str) -> Iterator[None]:
        """Give failures below our wording: `verb` is "read" or "written"."""
        try:
            yield
        except (FleetkitError, Conflict):
            raise
        except CommitFailedError as problem:
            raise Conflict from problem
        except Exception as problem:  # delta-rs raises bare Exceptions too
            reason = " ".join(_ANSI.sub("", str(problem)).split())
            raise MirrorError(f"The mirror {self.path} can't be {verb}: {reason[:300]}") from None


def query(table: DeltaTable, columns: list[str], where: str) -> pa.Table:
    """Return the columns of the rows where a condition (SQL) holds; text as large_string."""
    names = ", ".join(quoted(each) for each in columns)
    statement = f"SELECT {names} FROM t WHERE {where}"  # noqa: S608 - no value of a user in it
    found = pa.table(QueryBuilder().register("t", table).execute(statement).read_all())
    return found.cast(
        pa.schema(
            [
                (each.name, pa.large_string() if pa.types.is_string_view(each.type) else each.type)
                for each in found.schema
            ]
        )
    )


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'
