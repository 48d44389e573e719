"""Every failure that a user of fleetkit can meet: one tree, one wording.

::

    FleetkitError
    ├── InvalidValue (also ValueError)    an argument or setting that can't be right
    ├── ApiError                          the service could not be read
    │   ├── Unreachable                   no answer: address, network, time-out
    │   ├── UnexpectedAnswer              not the API's answer: HTML, a redirect, wrong JSON
    │   ├── BadRequest                    400
    │   ├── Unauthorized                  401
    │   ├── Forbidden                     403, names the missing scope
    │   ├── NotFound                      404
    │   ├── RateLimited                   the quota stays exhausted for longer than we wait
    │   ├── ServerError                   5xx, again and again
    │   └── IncompleteError               a list that could not be read whole
    ├── DataError                         a record whose values contradict the reference
    ├── MirrorError                       a mirror that can't be opened or written
    └── ReportError                       a report that could not be made

Each message says what happened, where, and what to do next. None ever holds the API key: requests
are named by method, path and query only, and the key travels in a header.
"""

from __future__ import annotations

__all__ = [
    "ApiError",
    "BadRequest",
    "DataError",
    "FleetkitError",
    "Forbidden",
    "IncompleteError",
    "InvalidValue",
    "MirrorError",
    "NotFound",
    "RateLimited",
    "ReportError",
    "ServerError",
    "Unauthorized",
    "UnexpectedAnswer",
    "Unreachable",
]


class FleetkitError(Exception):
    """The root: ``except fk.FleetkitError`` catches everything fleetkit raises on purpose.

    Parameters
    ----------
    message : str
        What happened, and where.
    advice : str, optional
        What to do next; appended to the message.
    """

    def __init__(self, message: str, *, advice: str = "") -> None:
        self.message = message
        self.advice = advice
        super().__init__(f"{message} {advice}".strip())


class InvalidValue(FleetkitError, ValueError):
    """An argument or a setting that can't be right, found before anything was sent."""


class ApiError(FleetkitError):
    """The service could not be read.

    Parameters
    ----------
    message : str
        What happened.
    status : int, optional
        HTTP status of the answer; None when there was none.
    code : str, optional
        Error code in the answer's body, such as ``NOT_FOUND`` (reference, section 7).
    request : str, optional
        The request as ``GET /v1/equipment?page=2``: no host, no key.
    advice : str, optional
        What to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request: str | None = None,
        advice: str = "",
    ) -> None:
        self.status = status
        self.code = code
        self.request = request
        super().__init__(f"{message} ({request})." if request else message, advice=advice)


class Unreachable(ApiError):
    """No answer came: wrong address, no network, or nothing within the time allowed."""


class UnexpectedAnswer(ApiError):
    """An answer came that isn't the API's: HTML, a captive portal, a redirect, wrong JSON."""


class BadRequest(ApiError):
    """400: the service refused a query parameter (reference, rule 4.4.3)."""


class Unauthorized(ApiError):
    """401: the key is missing, invalid, revoked or expired (reference, rules 5.5 and 5.7)."""


class Forbidden(ApiError):
    """403: the key lacks the scope that the endpoint asks for (reference, rule 5.8).

    Attributes
    ----------
    scope : str or None
        The missing scope, such as ``project:read``.
    """

    def __init__(self, message: str, *, scope: str | None = None, **details: object) -> None:
        self.scope = scope
        super().__init__(message, **details)  # type: ignore[arg-type]


class NotFound(ApiError):
    """404: no such record in the key's organisation (reference, rule 4.4.4)."""


class RateLimited(ApiError):
    """The service asks to wait for longer than the time allowed.

    Attributes
    ----------
    retry_after : float or None
        Seconds to wait as the service said; None when it didn't.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, **details: object
    ) -> None:
        self.retry_after = retry_after
        super().__init__(message, **details)  # type: ignore[arg-type]


class ServerError(ApiError):
    """500, 502, 503 or 504 on every try within the budget (reference, section 7)."""


class IncompleteError(ApiError):
    """A list could not be read whole: it kept changing, or its count never came out right."""


class DataError(FleetkitError, ValueError):
    """A value contradicts the reference; the message names record and field."""


class MirrorError(FleetkitError):
    """A mirror can't be opened or written; what it held before still stands."""


class ReportError(FleetkitError):
    """A report could not be made; an earlier one under the same name still stands."""
