"""A client of a Dask scheduler that runs already, and workers that hold the same fleetkit."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import version
from typing import Any

from fleetkit.clusters.addresses import LONGEST_ANSWER, connecting, knock
from fleetkit.errors import ClusterError

__all__ = ["LONGEST_START", "check_workers", "dask_client", "no_worker", "use_client"]

# Longest wait for a first worker, which a cluster may have to start. [s]
LONGEST_START = 300
_PACKAGE, _PORT = "fleetkit", 8786
_clients: dict[str, Any] = {}


def dask_client(address: str) -> Any:
    """Return a client of the Dask scheduler at an address; from then on Dask computes there.

    Raises
    ------
    ClusterError
        Nothing answers there; a worker has no fleetkit, or another version of it; or Dask computes
        elsewhere already.
    """
    client = _clients.get(address)
    if client is None or client.status != "running":
        with connecting("Dask's scheduler", address):
            knock(address, _PORT)
            current = _current_client()
            if current is not None and current.scheduler.address != address:
                raise _elsewhere(current, address)
            client = _distributed().Client(address, timeout=LONGEST_ANSWER)
        try:
            check_workers(client)
        except BaseException:
            client.close()
            raise
        _clients[address] = client
    return use_client(client)


def use_client(client: Any) -> Any:
    """Return a client if it is the one that Dask computes with.

    Raises
    ------
    ClusterError
        It isn't, or it is closed.
    """
    if client.status != "running":
        raise ClusterError("The Dask client is closed.", advice="Open another one, and pass it.")
    current = _current_client()
    if current is None:
        raise ClusterError(
            f"Dask computes in this process, not at {client.scheduler.address}.",
            advice="Open the client as Dask's default: without set_as_default=False.",
        )
    if current is not client:
        raise _elsewhere(current, client.scheduler.address)
    return client


def _current_client() -> Any:
    """Return the client that Dask computes with; None where it computes in this process."""
    with suppress(ValueError):
        return _distributed().default_client()
    return None


def _elsewhere(current: Any, address: str) -> ClusterError:
    return ClusterError(
        f"Dask computes at {current.scheduler.address} already, not at {address}.",
        advice="Close that client first, distributed.default_client().close(): a process computes "
        "with one cluster.",
    )


def check_workers(client: Any) -> None:
    """Refuse workers that would read a mirror otherwise than this process does.

    Raises
    ------
    ClusterError
        No worker starts, or one has no fleetkit, or another version of it.
    """
    place = client.scheduler.address
    try:
        # Clusters that grow with their work start a worker for it; it needs no package.
        client.submit(len, (), pure=False).result(timeout=LONGEST_START)
    except TimeoutError:
        raise no_worker(place) from None
    here = version(_PACKAGE)
    for worker, versions in client.get_versions(packages=[_PACKAGE])["workers"].items():
        there = versions["packages"][_PACKAGE]
        if there != here:
            has = f"fleetkit {there}" if there else "no fleetkit"
            raise ClusterError(
                f"The Dask worker {worker} has {has}; this process has fleetkit {here}.",
                advice="Give the workers the same packages as this environment.",
            )


def no_worker(address: str) -> ClusterError:
    """Return the error of a cluster that has had no worker for `LONGEST_START`."""
    return ClusterError(
        f"The Dask cluster at {address} had no worker for {LONGEST_START // 60} minutes.",
        advice="Scale it up, or look on its dashboard what it waits for.",
    )


def _distributed() -> Any:  # its functions have no types
    import distributed  # noqa: PLC0415 - the user's own

    return distributed
