"""Injected faults: latency, errors, cut and slow bodies, as ASGI middleware."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from functools import partial

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fleetkit.server.connections import reset
from fleetkit.server.dials import FAULTS, Dials
from fleetkit.server.errors import HttpError

__all__ = ["Faults"]

# Number of pieces of a slow body, and the pause before each. [s]
_PIECES = 5
_PAUSE = 0.1


class Faults:
    """Injects faults into a share of the requests.

    Which ones depends on the seed, the address and how often it was requested before, so that the
    order in which parallel requests arrive doesn't matter.
    """

    def __init__(self, app: ASGIApp, dials: Dials) -> None:
        self.app = app
        self.dials = dials
        self.attempts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its fault if it gets one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.dials.latency:
            await asyncio.sleep(self.dials.latency)
        fault = self._fault(f"{scope['path']}?{scope['query_string'].decode('latin-1')}")
        if fault in {"error_500", "error_503"}:
            error = HttpError(int(fault[-3:]), "A dial of this server causes this error.")
            response = error.response(self.dials.error_layout)
            if fault == "error_500":  # one of the service itself; a 503 is one of a proxy
                response.headers.update(await self._rate_limits(scope, receive))
            await response(scope, receive, send)
        elif fault == "reset":
            await _reset(receive, send)
        else:
            change = _BODY_FAULTS.get(fault)
            await self.app(scope, receive, partial(change, send) if change else send)

    async def _rate_limits(self, scope: Scope, receive: Receive) -> dict[str, str]:
        """Let the service count the request; return the rate-limit headers of its answer."""
        headers: dict[str, str] = {}

        async def keep(message: Message) -> None:
            for name, value in Headers(raw=message.get("headers", [])).items():
                if name.startswith("x-ratelimit-"):
                    headers[name] = value

        await self.app(scope, receive, keep)
        return headers

    def _fault(self, address: str) -> str:
        """Return the fault of this attempt at an address; empty for none."""
        self.attempts[address] += 1
        share = random.Random(f"{self.dials.seed} {self.attempts[address]} {address}").random()
        for fault in FAULTS:
            share -= getattr(self.dials, fault)
            if share < 0:
                return fault
        return ""


async def _reset(receive: Receive, send: Send) -> None:
    """Reset the connection, or where its socket isn't known, end the answer early."""
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        return
    reset(transport)


async def _send_half(send: Send, message: Message) -> None:
    """Send the headers and half of the body; the server then drops the connection."""
    if message["type"] == "http.response.body":
        half = message["body"][: len(message["body"]) // 2]
        message = {"type": "http.response.body", "body": half, "more_body": True}
    await send(message)


async def _send_slowly(send: Send, message: Message) -> None:
    """Send the body in pieces, with pauses."""
    if message["type"] != "http.response.body":
        await send(message)
        return
    body = message["body"]
    size = len(body) // _PIECES + 1
    for start in range(0, len(body), size):
        await asyncio.sleep(_PAUSE)
        piece = body[start : start + size]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


_BODY_FAULTS = {"cut_body": _send_half, "slow_body": _send_slowly}
