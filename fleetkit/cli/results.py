"""The output of ``check``, ``sync`` and ``report``: lines of text, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from fleetkit.errors import FleetkitError

__all__ = ["COMMANDS", "Failure", "Flags", "Result", "failure", "success"]

COMMANDS = ("check", "sync", "report")


@dataclass(frozen=True)
class Result:
    """What a command did.

    Attributes
    ----------
    state : str
        In a word or two, such as ``unchanged``; README lists them.
    lines : sequence of str
        Readable text.
    paths : dict
        What was written → where; None for what wasn't requested.
    counts : dict
        What was counted → how many.
    details : dict
        Further results; JSON-ready.
    """

    state: str
    lines: Sequence[str]
    paths: Mapping[str, str | None] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """What ended a command early: the error's class, one line of text, exit code and state."""

    kind: str
    message: str
    exit_code: int
    state: str = "failed"


@dataclass(frozen=True)
class Flags:
    """Options that hold from before a command runs until after it failed."""

    command: str = ""
    json: bool = False
    quiet: bool = False
    debug: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Flags:
        """Find the flags among the arguments of the process."""
        command = next((word for word in arguments if not word.startswith("-")), "")
        reads = command in COMMANDS
        return cls(
            command,
            json=reads and "--json" in arguments,
            quiet=reads and "--quiet" in arguments,
            debug="--debug" in arguments,
        )


def success(result: Result, flags: Flags, notices: Sequence[str]) -> None:
    """Print what a command did."""
    if flags.json:
        _print_json(flags, result, notices)
    elif not flags.quiet:
        for line in result.lines:
            _print(line)


def failure(failed: Failure, flags: Flags, notices: Sequence[str]) -> None:
    """Print, for a script, that a command failed; the message itself is on stderr."""
    if flags.json:
        _print_json(flags, Result(failed.state, ()), notices, failed)


def _print_json(
    flags: Flags, result: Result, notices: Sequence[str], failed: Failure | None = None
) -> None:
    whole = {
        "command": flags.command,
        "state": result.state,
        "exit_code": failed.exit_code if failed else 0,
        "paths": dict(result.paths),
        "counts": dict(result.counts),
        "notices": list(notices),
        "error": {"type": failed.kind, "message": failed.message} if failed else None,
        **result.details,
    }
    _print(json.dumps(whole, ensure_ascii=False, indent=2))


def _print(text: str) -> None:
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise FleetkitError(
            f"The command's output can't be written: {problem.strerror or problem}.",
            advice="What it did stands.",
        ) from problem
