"""What an analyst holds: the organisation's tables, from the service or from a mirror."""

from fleetkit.fleet.asking import setup
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.mirrored import MirroredFleet
from fleetkit.fleet.opening import connect, demo, open_mirror, sync

__all__ = ["Fleet", "MirroredFleet", "connect", "demo", "open_mirror", "setup", "sync"]
