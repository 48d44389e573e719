"""The command line: ``fleetkit check · serve · sync · report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

import fleetkit as fk
from fleetkit.cli.reading import check, report, sync
from fleetkit.cli.serving import serve
from fleetkit.errors import FleetkitError
from fleetkit.interface import one_line, using

__all__ = ["main"]

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(fk.__version__, prog_name="fleetkit")
def cli() -> None:
    """Load a drone fleet's API, look at it, and report on it.

    The API key comes from FLEETKIT_API_KEY, never from the command line.
    """


for each in (check, report, sync, serve):
    cli.add_command(each)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; every failure is one line on stderr and an exit code that is not 0.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        with using("command line"):
            sys.exit(cli(given, prog_name="fleetkit", standalone_mode=False) or 0)
    except click.exceptions.Exit as wanted:
        sys.exit(wanted.exit_code)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _stop("interrupted; nothing was changed under a final name.", INTERRUPTED)
    except FleetkitError as problem:
        if debug:
            raise
        _stop(str(problem), problem.exit_code)
    except Exception as problem:
        if debug:
            raise
        _stop(f"unexpected {type(problem).__name__}: {problem} Add --debug for the traceback.", 1)


def _stop(message: str, code: int) -> NoReturn:
    click.echo(f"fleetkit: {one_line(message)}", err=True)
    sys.exit(code)
