"""Invented names of manufacturers, people, clients and places, read from ``names.toml``."""

from __future__ import annotations

from pathlib import Path

import msgspec

__all__ = ["NAMES", "Kind", "Names", "Service"]


class Kind(msgspec.Struct, frozen=True):
    """A model of equipment: what it is, its weight and cost, and how long it can fly."""

    type: str
    category: str
    manufacturer: str
    model: str
    weight: float
    cost: float
    minutes: float = 0
    metres_per_second: float = 0
    specifications: dict[str, str] = {}


class Service(msgspec.Struct, frozen=True):
    """A service; each tier has a name, a percentage, whether it is recommended, and active."""

    name: str
    rate: int | float
    currency: str
    unit: str
    tiers: tuple[tuple[str, int | float, bool, bool], ...] = ()
    active: bool = True


class Names(msgspec.Struct, frozen=True):
    """The content of ``names.toml``, where comments describe its tables."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    clients: tuple[tuple[str, str], ...]
    places: tuple[tuple[str, float, float], ...]
    project_types: tuple[tuple[str, tuple[str, ...]], ...]
    operations: dict[str, tuple[str, ...]]
    kinds: tuple[Kind, ...]
    services: tuple[Service, ...]


NAMES = msgspec.toml.decode(Path(__file__).with_name("names.toml").read_bytes(), type=Names)
