"""Who may open the app: whoever has the token here, and from elsewhere the password."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from fleetkit.errors import InvalidValue

__all__ = ["LEAST", "PASSWORD", "Access"]

PASSWORD = "FLEETKIT_EXPLORE_PASSWORD"  # noqa: S105 - the variable's name

# Characters of a password: guesses over a network are slow, but never end.
LEAST = 8


@dataclass(frozen=True)
class Access:
    """What a browser must have: a token or a password, not both.

    Attributes
    ----------
    token : str
        Part of the address that is printed; empty where a password is asked for.
    hashed : str
        Hash of the password, by Argon2; the password itself is not held.
    """

    token: str = ""
    hashed: str = ""

    @classmethod
    def by_token(cls) -> Access:
        """Return access by a new token."""
        return cls(token=secrets.token_urlsafe(24))

    @classmethod
    def by_password(cls, password: str) -> Access:
        """Return access by a password.

        Raises
        ------
        InvalidValue
            It is too short.

        Examples
        --------
        >>> Access.by_password("1234")
        Traceback (most recent call last):
        fleetkit.errors.InvalidValue: The password is too short. Take 8 characters or more.
        """
        if len(password) < LEAST:
            raise InvalidValue(
                "The password is too short.", advice=f"Take {LEAST} characters or more."
            )
        from jupyter_server.auth.security import passwd  # noqa: PLC0415 - comes with Voila

        return cls(hashed=passwd(password))
