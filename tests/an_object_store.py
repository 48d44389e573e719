"""An emulator of S3 on a free port of this machine, which it prints; run as a process."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Answers without a line of log for each request."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: Any) -> None:
        """Say nothing."""


class OneAfterAnother:
    """An application whose requests don't overlap, and are counted by method.

    moto looks whether an object exists and then writes it, in two steps; in S3 it is one.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request; ``/_requests`` tells how many there were."""
        if environ["PATH_INFO"] == "/_requests":
            body = json.dumps(self._counts).encode()
            start("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        with self._lock:
            self._counts[environ["REQUEST_METHOD"]] += 1
            return self._application(environ, start)


if __name__ == "__main__":
    from moto.server import create_backend_app

    # Not moto's dispatcher, which looks for each request's service among all that it emulates.
    application = OneAfterAnother(create_backend_app("s3"))
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()
