"""The database that the commands under ``fleetkit serve`` work on, and what to type next for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fleetkit.cli.options import usage_errors
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, shell_word

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from fleetkit.server import Store

__all__ = ["Database", "say_next"]

_TO_FILL_IN = {"FOLDER", "NAME", "…"}


@dataclass(frozen=True)
class Database:
    """Where the server's records are.

    Parameters
    ----------
    url : str
    mode : str or None
        Who may read and write the file of a SQLite database, such as ``640``.
    is_given : bool
        Whether the command line named the database, so that the next command has to name it too.
    """

    url: str
    mode: str | None
    is_given: bool

    def open(self) -> Store:
        """Open the database; only its owner can read a new file, unless the mode says otherwise."""
        from fleetkit.server.store import Store  # noqa: PLC0415 - it loads a database

        with usage_errors():
            self._check_lasts()
            mode = None if self.mode is None else _mode(self.mode)
        return Store(self.url, mode=mode)

    def _check_lasts(self) -> None:
        """Refuse a database in memory: what a command writes would be gone when it ends."""
        from fleetkit.server.database import file_of  # noqa: PLC0415 - as above

        address = self._address()
        if address.get_backend_name() == "sqlite" and file_of(address) is None:
            raise InvalidValue(
                "A database in memory is gone when the command ends.",
                advice="Name a file, such as sqlite:///fleet.db; or serve an invented organisation "
                "with fleetkit serve --demo.",
            )

    def _address(self) -> URL:
        from fleetkit.server.database import checked_address  # noqa: PLC0415 - as above

        return checked_address(self.url)

    def command(self, *words: str) -> str:
        """Return a command on this database as it is typed; an address may hold a secret."""
        from fleetkit.server.database import shown_address  # noqa: PLC0415 - as above

        address = self._address()
        is_shown = shown_address(address) == address.render_as_string(hide_password=False)
        named = ["--db", self.url if is_shown else "…"] if self.is_given else []
        return " ".join(("fleetkit serve", *map(_quoted, (*named, *words))))

    def is_open_to_others(self) -> bool:
        """Whether other users of this machine can read the database's file."""
        from fleetkit.server.database import file_of  # noqa: PLC0415 - as above

        file = file_of(self._address())
        return file is not None and bool(file.stat().st_mode & 0o004)


def _mode(text: str) -> int:
    if not re.fullmatch("[0-7]{1,4}", text):
        raise InvalidValue(
            f"{brief(text)} is not a mode.", advice="Write it as chmod does, such as 640."
        )
    return int(text, 8)


def _quoted(word: str) -> str:
    """Quote a word for the shell, unless it is a placeholder."""
    return word if word in _TO_FILL_IN else shell_word(word)


def say_next(command: str) -> None:
    """Say on stderr what to type next: on stdout is only the command's result."""
    click.echo(f"Next: {command}", err=True)
