"""The body of an answer, whole and unpacked; never longer than an answer of the API may be.

A few kilobytes can unpack to gigabytes, or be endless and unpack to nothing. So bodies are read and
unpacked a slice at a time: the result is bounded, and the deadline is checked in between.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator

import urllib3

__all__ = ["ACCEPTED", "PackingError", "read_body"]

# Value of Accept-Encoding.
ACCEPTED = "gzip"
_SLICE = 2**18
_GZIP_OR_ZLIB = 47  # bits of its window, for `zlib`


class PackingError(Exception):
    """The body can't be unpacked; `final` where another attempt wouldn't help."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


def read_body(raw: urllib3.BaseHTTPResponse, most: int) -> bytes | None:
    """Return the whole body, unpacked; None where it is longer than `most` bytes.

    Raises
    ------
    PackingError
        It is packed in a way that was not requested, or it is broken.
    """
    body, size = [], 0
    for piece in _unpacked(_slices(raw), raw.headers.get("Content-Encoding", "")):
        size += len(piece)
        if size > most:
            return None
        body.append(piece)
    return b"".join(body)


def _slices(raw: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    while piece := raw.read(_SLICE, decode_content=False):
        yield piece


def _unpacked(slices: Iterable[bytes], packing: str) -> Iterable[bytes]:
    packing = packing.strip().lower()
    if packing in {"", "identity"}:
        return slices
    if packing in {"gzip", "x-gzip", "deflate"}:
        return _inflated(slices)
    name = packing if re.fullmatch(r"[\w-]{1,20}", packing) else "something"
    raise PackingError(f"it is packed as {name}, which was not asked for", final=True)


def _inflated(slices: Iterable[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    is_begun = False
    try:
        for piece in slices:
            is_begun, rest = True, piece
            while rest or unpacker.unconsumed_tail:
                if unpacker.eof:  # another part follows
                    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
                yield unpacker.decompress(unpacker.unconsumed_tail + rest, _SLICE)
                rest = unpacker.unused_data
    except zlib.error:
        raise PackingError("the answer can't be decompressed") from None
    if is_begun and not unpacker.eof:
        raise PackingError("the answer can't be decompressed: it is cut off")
