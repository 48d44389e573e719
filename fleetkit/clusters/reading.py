"""Why a cluster can't read a mirror's files, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from fleetkit.errors import ClusterError, FleetkitError

__all__ = ["ELSEWHERE", "reading"]

ELSEWHERE = (
    "Its machines must reach the mirror by this address: put it into an object store, or on a file "
    "system that all of them have under the same path."
)
# Text in a failure of Spark → the cause, and what to do.
_CAUSES = {
    r"PATH_NOT_FOUND|FILE_NOT_EXIST|FileNotFoundException": ("its files are not there", ELSEWHERE),
    r"No FileSystem for scheme|(S3A|AzureBlob|GoogleHadoop)FileSystem not found": (
        "it has no library for such an object store",
        "Give it one: spark.jars.packages=org.apache.hadoop:hadoop-aws:… in its version of Hadoop.",
    ),
    r"AccessDenied|Forbidden|[Ss]tatus [Cc]ode: 403|NoAuth|Unable to load .{0,40}credentials": (
        "the store refuses it",
        "The credentials are the cluster's own, not those of this machine.",
    ),
}


@contextmanager
def reading(address: str) -> Iterator[None]:
    """Say in one line why Spark can't read what lies at an address.

    Other failures pass as they are.
    """
    try:
        yield
    except FleetkitError:
        raise
    except Exception as problem:
        text = str(problem)
        for pattern, (cause, advice) in _CAUSES.items():
            if re.search(pattern, text):
                raise ClusterError(f"Spark can't read {address}: {cause}.", advice=advice) from None
        raise
