"""What the command line runs, and how it ends: an exit code, and one line for a failure."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import click
from click.shell_completion import shell_complete

import fleetkit as fk
from fleetkit import interrupts
from fleetkit.cli import options, results, streams
from fleetkit.cli.exploring import explore
from fleetkit.cli.exporting import export
from fleetkit.cli.groups import Group, explained
from fleetkit.cli.reading import check, sync
from fleetkit.cli.reporting import report
from fleetkit.cli.results import Flags, Result
from fleetkit.cli.serving import serve
from fleetkit.cli.setting_up import setup
from fleetkit.errors import FleetkitError, NothingToReport
from fleetkit.interface import one_line, using
from fleetkit.notices import collected
from fleetkit.panics import is_panic
from fleetkit.temporary import is_here_gone
from fleetkit.ulimits import limit

__all__ = ["run"]

DONE, FAILED, BROKEN_PIPE = 0, 1, 141

_COMPLETE = "_FLEETKIT_COMPLETE"
_EPILOG = """
\b
Exit codes:
  0    done
  1    it failed; one line on stderr says why, and what to do next
  2    the command line can't be understood
  3    there is nothing to report or to export; nothing was written
  130  interrupted with Ctrl+C, or stopped by a signal

\b
Completion by the Tab key, in the shell's start-up file:
  bash  eval "$(_FLEETKIT_COMPLETE=bash_source fleetkit)"
  zsh   eval "$(_FLEETKIT_COMPLETE=zsh_source fleetkit)"
  fish  _FLEETKIT_COMPLETE=fish_source fleetkit | source
"""


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(fk.__version__, prog_name="fleetkit")
def cli() -> None:
    """Read a drone fleet's API, keep a copy of it, and report on it.

    \b
    Without an account:
      fleetkit report --demo

    \b
    With one; the key never goes on the command line:
      fleetkit setup
      fleetkit check
      fleetkit report --month 2026-10
    """  # noqa: D301 - click's own mark for lines that stay as they are


def _complete(command: click.Command) -> None:
    """Add ``--debug`` and checked texts to a command, and to those inside it."""
    if not any("--debug" in option.opts for option in command.params):
        options.debug(command)
    options.check_texts(command)
    for inner in getattr(command, "commands", {}).values():
        _complete(inner)


for command in (setup, check, report, export, explore, sync, serve):
    cli.add_command(command)
_complete(cli)


def run(arguments: Sequence[str], *, is_last: bool = False) -> int:
    """Run a command and return the exit code; after the last one the process ends."""
    flags = Flags.of(arguments)
    with ExitStack() as stack:
        stack.enter_context(using("command line"))
        notices = stack.enter_context(collected())
        stack.enter_context(
            streams.ours(
                # The server's processes outlive the command, and report for themselves.
                native=flags.debug or flags.command not in results.COMMANDS,
                everything=flags.debug,
                quiet=flags.quiet,
                is_last=is_last,
            )
        )
        try:
            if flags.json and flags.quiet:
                raise click.UsageError("--json and --quiet exclude each other.")
            # Not by click's own main, which has its own messages for interrupts and broken pipes.
            if instruction := os.environ.get(_COMPLETE):
                return shell_complete(cli, {}, "fleetkit", _COMPLETE, instruction)
            with cli.make_context("fleetkit", list(arguments)) as context:
                result: Any = cli.invoke(context)
            if not isinstance(result, Result):
                return DONE
            if result.error is not None:
                streams.say_on_stderr(result.error["message"])
            results.show(result, flags, notices)
            return result.exit_code
        except BrokenPipeError:
            streams.close_stdout()
            return BROKEN_PIPE
        except BaseException as problem:
            return _ended(problem, flags, notices)


def _ended(problem: BaseException, flags: Flags, notices: Sequence[str]) -> int:
    """Say what ended a command early, and return the exit code."""
    if isinstance(problem, click.exceptions.Exit):
        return problem.exit_code
    if isinstance(problem, SystemExit):
        raise problem
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        click.echo(problem.format_message(), err=True)
        return problem.exit_code
    exit_code, state, message = _failure(problem, flags)
    if flags.debug:
        traceback.print_exception(problem)
    streams.say_on_stderr(message)
    error = {"type": _kind(problem), "message": message}
    try:
        results.show(Result(state, (), exit_code=exit_code, error=error), flags, notices)
        click.echo(nl=False)  # what a full disk left unwritten is tried once more
    except (OSError, FleetkitError):
        streams.close_stdout()
    return exit_code


def _kind(problem: BaseException) -> str:
    return "KeyboardInterrupt" if isinstance(problem, click.Abort) else type(problem).__name__


def _failure(problem: BaseException, flags: Flags) -> tuple[int, str, str]:
    """Return exit code, state and message of a command that ended early."""
    if isinstance(problem, (KeyboardInterrupt, click.Abort)):
        code, text = interrupts.reason()
        return code, "interrupted" if code == interrupts.EXIT_CODE else "failed", text
    if isinstance(problem, click.ClickException):
        return problem.exit_code, "failed", explained(problem, flags.command)
    if isinstance(problem, FleetkitError):
        state = "nothing to report" if isinstance(problem, NothingToReport) else "failed"
        return problem.exit_code, state, one_line(str(problem))
    if isinstance(problem, FileNotFoundError) and is_here_gone():
        text = "The folder that the command was started in is gone. Go to another."
        return FAILED, "failed", text
    if isinstance(problem, RuntimeError) and "can't start new thread" in str(problem):
        return FAILED, "failed", interrupts.NO_THREAD
    if is_panic(problem):
        text = f"A library gave up: {problem}."
    elif isinstance(problem, OSError) and problem.strerror:
        name = f" ({problem.filename})" if problem.filename else ""
        text = f"{problem.strerror}{name}."
    else:
        text = f"Unexpected {_kind(problem)}: {problem}.{_limit()}"
    return FAILED, "failed", one_line(f"{text} Add --debug for the traceback.")


def _limit() -> str:
    """Say that the address space is limited: libraries fail there in many ways, and name none."""
    size = limit("RLIMIT_AS")
    if size == sys.maxsize:
        return ""
    return (
        f" That may be for the limit of the address space (ulimit -v), {size / 2**30:,.1f} GiB:"
        " raise it to 4 GiB or more, or lift it."
    )
