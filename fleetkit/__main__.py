"""``python -m fleetkit`` is the command line."""

from fleetkit.cli import main

main()
