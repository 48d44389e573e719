"""The output of the commands that read a service or a mirror: lines of text, or a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from fleetkit.errors import FleetkitError
from fleetkit.interface import readable_json

__all__ = ["COMMANDS", "Flags", "Result", "say", "show"]

COMMANDS = ("check", "sync", "report", "export")


@dataclass(frozen=True)
class Result:
    """What a command did.

    Attributes
    ----------
    state : str
        In a word or two, such as ``unchanged``; docs/guide/scripts.md lists them.
    lines : sequence of str
        Readable text.
    paths : dict
        What was written → where; None for what wasn't requested.
    counts : dict
        What was counted → how many.
    details : dict
        Further results; JSON-ready.
    exit_code : int
    error : dict or None
        Of a command that failed: its ``type``, and its ``message`` in one line.
    """

    state: str
    lines: Sequence[str]
    paths: Mapping[str, str | None] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    exit_code: int = 0
    error: Mapping[str, str] | None = None


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


def show(result: Result, flags: Flags, notices: Sequence[str]) -> None:
    """Print on stdout what a command did."""
    if flags.json:
        document = {
            "command": flags.command,
            "state": result.state,
            "exit_code": result.exit_code,
            "paths": result.paths,
            "counts": result.counts,
            "notices": notices,
            "error": result.error,
            **result.details,
        }
        say(readable_json(document, indent=2))
    elif not flags.quiet:
        for line in result.lines:
            say(line)


def say(text: str) -> None:
    """Print on stdout what was done; where it can't be written, what was done stands."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise FleetkitError(
            f"The command's output can't be written: {problem.strerror or problem}.",
            advice="What it did stands.",
        ) from problem
