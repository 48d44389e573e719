"""Take the README's picture of the explorers: ``python tests/picture.py [light|dark] [file]``."""

import re
import signal
import subprocess
import sys
from pathlib import Path

from a_browser import CHROMIUM, FLAGS
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent.parent / "docs" / "explorer.png"
COMMAND = ["explore", "--demo", "--as-of", "2026-11-20", "--no-open", "--port", "0"]
CHOSEN = "&flights.since=2026-01-01&flights.until=2027-01-01&flights.bvlos=false"
SIZE = {"width": 1180, "height": 776}
PATIENCE, SETTLED = 180_000, 500  # [ms]


def take(scheme: str, picture: Path) -> None:
    """Open the page in Chromium and save what its first screen shows."""
    command = [sys.executable, "-m", "fleetkit", *COMMAND]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as site:
        link = re.search(r"http[^;]*", site.stdout.readline())[0]
        with sync_playwright() as tools:
            browser = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.set_default_timeout(PATIENCE)
            page.goto(f"{link}{CHOSEN}")
            page.wait_for_selector(".fk-screen[aria-busy=false] svg")
            page.wait_for_timeout(SETTLED)
            page.screenshot(path=picture)
            browser.close()
        site.send_signal(signal.SIGINT)


if __name__ == "__main__":
    scheme, picture = [*sys.argv[1:], *("light", str(PICTURE))[len(sys.argv) - 1 :]]
    take(scheme, Path(picture))
