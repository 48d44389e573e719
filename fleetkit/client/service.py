"""A service and how to use it: address, key and limits, as a user gave them."""

from __future__ import annotations

from dataclasses import dataclass

from fleetkit.client.address import Address
from fleetkit.client.key import Key
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.schema import AUTH_HEADERS, AuthHeader

__all__ = ["Service"]


@dataclass(frozen=True)
class Service:
    """All that a pickle of a client needs; `fleetkit.client.Client` describes its parameters.

    Raises
    ------
    InvalidValue
        A header or a number that is not valid.
    """

    address: Address
    key: Key
    auth: AuthHeader
    concurrency: int
    timeout: float
    patience: float

    def __post_init__(self) -> None:
        if self.auth not in AUTH_HEADERS:
            # Not quoted: it may be the key itself.
            raise InvalidValue(f"auth is not one of {', '.join(AUTH_HEADERS)}.")
        if not isinstance(self.concurrency, int) or self.concurrency < 1:
            raise InvalidValue(
                f"concurrency = {brief(self.concurrency)} is not a whole number above 0."
            )
        for name, seconds in (("timeout", self.timeout), ("patience", self.patience)):
            if not 0 < seconds < float("inf"):
                raise InvalidValue(f"{name} = {brief(seconds)} is not a number of seconds above 0.")
