"""Digests that show whether a table's log, and a sync's row, are still what was written.

The rows of a table are proven by their hashes (`verifying`). What leads to them is proven here, at
the cost of a look at the log: which files a version has, of what size, with how many rows, in which
partition and with which columns. So a commit that was lost, cut or changed is noticed before
anything is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pyarrow as pa
from deltalake import DeltaTable, __version__

__all__ = ["digest", "log_digest", "matches"]

_PARTITION = "partition."
_FILE = ("path", "size_bytes", "num_records")


def digest(lines: Iterable[object]) -> str:
    """Return 128 bits over some texts in their order.

    Examples
    --------
    >>> digest(["a", "b"]) == digest(["a", "b"]), digest(["a", "b"]) == digest(["ab"])
    (True, False)
    """
    joined = "\n".join(repr(str(line)) for line in lines)
    return hashlib.blake2b(joined.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def log_digest(table: DeltaTable) -> str:
    """Return digests over the live files and the columns of a table, as its log matches them.

    The second one is over the statistics of the files too. Another version of delta-rs may word
    them otherwise, so they are compared by the same one alone.
    """
    files = pa.table(table.get_add_actions(flatten=True))
    names = sorted(set(files.column_names) - {"modification_time"})
    core = [name for name in names if name in _FILE or name.startswith(_PARTITION)]
    columns = sorted(f"{field.name}: {field.type.type}" for field in table.schema().fields)
    whole = digest([*names, *_rows(files, names)])
    return "/".join([digest([*core, *_rows(files, core), *columns]), __version__, whole])


def _rows(files: pa.Table, names: list[str]) -> list[str]:
    return sorted(map(str, zip(*(files[name].to_pylist() for name in names), strict=True)))


def matches(known: str, table: DeltaTable) -> bool:
    """Return whether a table's log matches what it told when `known` was its digest."""
    found = log_digest(table).split("/")
    core, version, whole = known.split("/")
    return found[0] == core and (found[1] != version or found[2] == whole)
