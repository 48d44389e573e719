"""``fleetkit setup``: address and key, once for this machine."""

from __future__ import annotations

from typing import Any

import click

import fleetkit as fk
from fleetkit import credentials
from fleetkit.cli import options
from fleetkit.cli.results import say

__all__ = ["setup"]


@click.command(epilog=options.examples("fleetkit setup", "fleetkit setup --forget"))
@click.option(
    "--base-url",
    metavar="URL",
    callback=options.checked_address,
    help="Address of the service; default: asked for.",
)
@click.option("--file", "in_file", is_flag=True, help="Store the key in a file, not in a keyring.")
@click.option("--forget", is_flag=True, help="Delete what is stored instead.")
@options.auth(" in the test")
@options.allow_http
def setup(*, forget: bool, **given: Any) -> None:
    """Store the service's address and key on this machine.

    The key is asked for without being shown; from a pipe, its first line is read. Both are tested
    before anything is stored. Where the package keyring is installed, the key goes into the
    system's keyring, else into a file that you alone can read.
    """
    if forget:
        was_there = credentials.forget()
        say("Address and key are deleted." if was_there else "Nothing is stored.")
        return
    fk.setup(**given).close()
