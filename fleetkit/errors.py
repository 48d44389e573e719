"""Every error that fleetkit raises on purpose: one tree, one form of message.

::

    FleetkitError
    ├── InvalidValue (also ValueError)    an argument or setting that is not valid
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
    ├── ClusterError                      a cluster that can't be reached, or can't read a mirror
    └── ReportError                       a report that could not be made
        └── NothingToReport               a period or a filter without any data

Each message says what happened, where, and what to do next. None ever holds the API key: requests
are named by method, path and query only, and the key travels in a header.

In a notebook an error shows the line of the cell and its message; the lines between are
fleetkit's own. ``%debug`` still opens them, and after ``%xmode Verbose`` they are printed.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import TracebackType

from fleetkit.interface import ipython, sentence, shortened

__all__ = [
    "ApiError",
    "BadRequest",
    "ClusterError",
    "DataError",
    "FleetkitError",
    "Forbidden",
    "IncompleteError",
    "InvalidValue",
    "MirrorError",
    "NotFound",
    "NothingToReport",
    "RateLimited",
    "ReportError",
    "ServerError",
    "Unauthorized",
    "UnexpectedAnswer",
    "Unreachable",
]


# Characters that control a terminal, but for tabs and the ends of lines.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _capitalised(start: re.Match[str]) -> str:
    return start[0].capitalize()


def _escaped(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode()


class FleetkitError(Exception):
    """The root: ``except fk.FleetkitError`` catches everything fleetkit raises on purpose.

    Parameters
    ----------
    message : str
        What happened, and where.
    advice : str, optional
        What to do next; appended to the message.

    Attributes
    ----------
    exit_code : int
        What the command line ends with.

    Examples
    --------
    >>> str(FleetkitError("The disk is full", advice="Make room."))
    'The disk is full. Make room.'
    """

    exit_code: int = 1

    def __init__(self, message: str, *, advice: str = "") -> None:
        # A text of a service, such as an id, may hold any character.
        text = _CONTROL.sub(_escaped, sentence(message))
        self.message = re.sub("^an? ", _capitalised, text)
        self.advice = _CONTROL.sub(_escaped, sentence(advice))
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints of the error; it looks for a method of this name."""
        return _short_traceback(self)


class InvalidValue(FleetkitError, ValueError):
    """An argument, an option or a setting that is not valid, or that names what there isn't."""


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
    scope : str, optional
        What the key lacks, such as ``project:read``, where that is the reason.
    retryable : bool
        Whether the same request may succeed later. The client itself retries such a request, and
        no other, so an error that is raised with True has outlasted the client's own retries.
    retry_after : float, optional
        Seconds to wait before the next attempt, as the service asked (``Retry-After``, or the end
        of its rate limit's window); None where it didn't. [s]
    advice : str, optional
        What to do next.

    Examples
    --------
    >>> error = ApiError("The service failed", status=503, retryable=True, retry_after=30.0)
    >>> error.retryable, error.retry_after
    (True, 30.0)
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request: str | None = None,
        scope: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        advice: str = "",
    ) -> None:
        self.status, self.code, self.request = status, code, request
        self.scope, self.retryable, self.retry_after = scope, retryable, retry_after
        if request:
            message = f"{message.strip().removesuffix('.')} ({shortened(request, 200)})"
        super().__init__(message, advice=advice)


class Unreachable(ApiError):
    """There was no answer: wrong address, no network, or nothing within the time allowed."""


class UnexpectedAnswer(ApiError):
    """The answer isn't the API's: HTML, a captive portal, a redirect, wrong JSON."""


class BadRequest(ApiError):
    """400: the service refused a query parameter (reference, rule 4.4.3)."""


class Unauthorized(ApiError):
    """401: the key is missing, invalid, revoked or expired (reference, rules 5.5 and 5.7)."""


class Forbidden(ApiError):
    """403: the key lacks `scope`, which the endpoint asks for (reference, rule 5.8)."""


class NotFound(ApiError):
    """404: no such record in the key's organisation (reference, rule 4.4.4)."""


class RateLimited(ApiError):
    """The quota stays used up for longer than we wait; `retry_after` is how long, if it is said."""


class ServerError(ApiError):
    """5xx on every attempt within the budget (reference, section 7)."""


class IncompleteError(ApiError):
    """A list could not be read whole: it kept changing, or its count was never right."""


class DataError(FleetkitError, ValueError):
    """A value contradicts the reference; the message names record and field."""


class MirrorError(FleetkitError):
    """A mirror can't be opened or written; what it held before is unchanged."""


class ClusterError(FleetkitError):
    """A cluster can't be reached, or can't do what it was asked, such as to read a mirror."""


class ReportError(FleetkitError):
    """A report could not be made; an earlier one of the same name is unchanged."""


class NothingToReport(ReportError):
    """A period or a filter without any data; nothing was written."""

    exit_code = 3


_PACKAGE = str(Path(__file__).parent)


def _short_traceback(error: FleetkitError) -> list[str]:
    """Return an error as IPython formats it, without the frames of fleetkit and of what it calls.

    With ``%xmode Verbose`` nothing is left out.
    """
    shell = ipython()
    if shell is None:
        import traceback  # noqa: PLC0415 - a tenth of the time that fleetkit takes to load

        return traceback.format_exception(error)
    formatter = shell.InteractiveTB
    if formatter.mode == "Verbose":
        lines = formatter.structured_traceback(type(error), error, error.__traceback__)
    else:
        lines = formatter.structured_traceback(
            type(error), _without_causes(error), _of_the_caller(error.__traceback__)
        )
    formatter.tb = error.__traceback__  # for %debug
    return list(lines)


def _of_the_caller(trace: TracebackType | None) -> TracebackType | None:
    """Return the frames of a traceback up to the call of fleetkit."""
    frames = []
    while trace is not None and not _is_ours(trace):
        frames.append(trace)
        trace = trace.tb_next
    caller: TracebackType | None = None
    for frame in reversed(frames):
        caller = TracebackType(caller, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return caller


def _without_causes(error: FleetkitError) -> FleetkitError:
    """Return an error that reads the same, without those of libraries that led to it."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    context = error.__context__
    if context is not None and not any(map(_is_ours, _frames(context.__traceback__))):
        copy.__context__ = context  # the caller's own
    return copy


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    return [] if trace is None else [trace, *_frames(trace.tb_next)]


def _is_ours(frame: TracebackType) -> bool:
    return frame.tb_frame.f_code.co_filename.startswith(_PACKAGE)
