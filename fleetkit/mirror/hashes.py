"""Hashes of rows, sums of them, and digests of a table's log.

Each row has a hash of 64 bits over its values; a table's fingerprint is a sum of its rows' hashes,
so it doesn't depend on their order, and rows that stay needn't be read again. What leads to the
rows is proven by digests, at the cost of a look at the log: which files a version has, of what
size, with how many rows, in which partition and with which columns. So a commit that was lost, cut
or changed is noticed before anything is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable, __version__

__all__ = ["Sum", "digest", "fingerprint", "log_digest", "matches", "row_hashes", "shifted"]

_LANE = 1 << 64


def row_hashes(table: pa.Table) -> np.ndarray:
    """Return 64 bits over the values of each row, as int64.

    A value counts under its column's name, a null not at all: a column of nulls more or less, or
    another order of columns, give the same hash.

    Examples
    --------
    >>> first = pa.table({"a": ["x", "y"], "b": [1, None]})
    >>> row_hashes(first).tolist() == row_hashes(first.select(["b", "a"])).tolist()
    True
    """
    total = np.zeros(table.num_rows, dtype="uint64")
    for name in table.column_names:
        values = table[name].combine_chunks()
        hashes = _mixed(_mixed(_bits(values)) ^ _of_texts([name]))
        hashes[values.is_null().to_numpy(zero_copy_only=False)] = 0
        total += hashes
    return _mixed(total).view("int64")


def _bits(values: pa.Array) -> np.ndarray:
    """Return numbers, times and truths by their bits, and texts by a hash."""
    if pa.types.is_large_string(values.type) or pa.types.is_string(values.type):
        encoded = values.dictionary_encode()
        texts = _of_texts([*encoded.dictionary.to_pylist(), ""])  # the last one is for nulls
        places: np.ndarray = encoded.indices.fill_null(-1).to_numpy()
        return np.take(texts, places)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int64())
    bits: np.ndarray = values.view(pa.int64()).fill_null(0).to_numpy()
    return bits.view("uint64").copy()


def _of_texts(texts: list[str]) -> np.ndarray:
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), "<u8").astype("uint64")


def _mixed(bits: np.ndarray) -> np.ndarray:
    """Spread every bit over all 64 (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread: np.ndarray = bits ^ (bits >> np.uint64(31))
    return spread


def fingerprint(hashes: np.ndarray) -> str:
    """Return 128 bits over the row hashes of a table, whatever their order.

    Examples
    --------
    >>> fingerprint(np.array([1, 2])) == fingerprint(np.array([2, 1]))
    True
    """
    return Sum.of(hashes).fingerprint


def shifted(before: str, added: np.ndarray, removed: np.ndarray) -> str:
    """Return the fingerprint after rows were added and removed.

    It is a sum, so what stays needn't be read again.

    Examples
    --------
    >>> both = fingerprint(np.array([1, 2]))
    >>> shifted(both, np.array([3]), np.array([1])) == fingerprint(np.array([2, 3]))
    True
    """
    return (Sum.pinned(0, before) + Sum.of(added) - Sum.of(removed)).fingerprint


@dataclass(frozen=True)
class Sum:
    """Row hashes added up: how many there are, and the two halves of their fingerprint.

    Examples
    --------
    >>> (Sum.of(np.array([1, 2])) - Sum.of(np.array([2]))) == Sum.of(np.array([1]))
    True
    """

    rows: int = 0
    upper: int = 0
    lower: int = 0

    @classmethod
    def of(cls, hashes: np.ndarray) -> Sum:
        """Return the sum of some row hashes."""
        upper, lower = _lanes(hashes)
        return cls(len(hashes), int(upper.sum(dtype="uint64")), int(lower.sum(dtype="uint64")))

    @classmethod
    def pinned(cls, rows: int, fingerprint: str) -> Sum:
        """Return the sum that has this fingerprint."""
        return cls(rows, *divmod(int(fingerprint or "0", 16), _LANE))

    @classmethod
    def by(cls, keys: np.ndarray, hashes: np.ndarray) -> dict[int, Sum]:
        """Return key → the sum of the row hashes that have it."""
        different, place = np.unique(keys, return_inverse=True)
        sums = np.zeros((2, len(different)), dtype="uint64")
        for total, lane in zip(sums, _lanes(hashes), strict=True):
            np.add.at(total, place, lane)
        rows = np.bincount(place, minlength=len(different))
        every = zip(different.tolist(), rows.tolist(), *sums.tolist(), strict=True)
        return {key: cls(*total) for key, *total in every}

    def __add__(self, other: Sum) -> Sum:
        upper, lower = self.upper + other.upper, self.lower + other.lower
        return Sum(self.rows + other.rows, upper % _LANE, lower % _LANE)

    def __sub__(self, other: Sum) -> Sum:
        upper, lower = self.upper - other.upper, self.lower - other.lower
        return Sum(self.rows - other.rows, upper % _LANE, lower % _LANE)

    @property
    def fingerprint(self) -> str:
        """The 128 bits, as text."""
        return f"{self.upper:016x}{self.lower:016x}"


def _lanes(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bits = hashes.astype("int64").view("uint64")
    return _mixed(bits), _mixed(~bits)


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
    them otherwise, so they are compared by the same version only.
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
    """Return whether a table's log still has the digest `known`."""
    digests = log_digest(table).split("/")
    core, version, whole = known.split("/")
    return digests[0] == core and (digests[1] != version or digests[2] == whole)
