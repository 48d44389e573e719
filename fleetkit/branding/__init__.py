"""How an organisation's reports look: its name, logo, accent colour and footer line."""

from __future__ import annotations

from fleetkit.branding.brand import Branding, branding, located
from fleetkit.branding.colours import contrast, nearest_readable
from fleetkit.branding.logo import read_logo

__all__ = ["Branding", "branding", "contrast", "located", "nearest_readable", "read_logo"]
