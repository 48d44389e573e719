"""Chromium, for tests that look at pages as a person does."""

import os
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Where the locale knows only ASCII, a download whose name has other letters would have none.
LOCALE = {"LC_ALL": "C.UTF-8"}
# Of axe's rules, what another colour can break.
RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"]


@pytest.fixture(scope="module")
def browser():
    """Run a Chromium without a window.

    A module's: as long as Playwright runs, asyncio can't be used in this thread.
    """
    from conftest import lacking

    if CHROMIUM is None:
        lacking("Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, env=os.environ | LOCALE
        )
        yield chromium
        chromium.close()
