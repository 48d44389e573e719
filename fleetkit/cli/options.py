"""Options that several commands share."""

from __future__ import annotations

from typing import Any

import click

from fleetkit import settings

__all__ = ["connection", "debug"]

# `main` looks for it before any command runs, so that no failure escapes it.
debug = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
)


def connection(command: Any) -> Any:
    """Add the options that say where the service is."""
    for option in (
        debug,
        click.option("--config", help="A fleetkit.toml; default: the one in this folder."),
        click.option("--allow-http", is_flag=True, help="Send the key over plain http elsewhere."),
        click.option("--auth", type=click.Choice(settings.AUTH_HEADERS), help="Key's header."),
        click.option("--timeout", type=float, help="Longest wait for one answer, in seconds."),
        click.option("--concurrency", type=int, help="Most requests under way at once."),
        click.option("--base-url", help="Address of the service; default: FLEETKIT_BASE_URL."),
    ):
        command = option(command)
    return command
