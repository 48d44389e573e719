"""What ``screen.js`` does on one page, done by a test."""

import re
from html import unescape

PATIENCE = 60  # [s] until a test that hangs is given up


class Page:
    """What ``screen.js`` does on one page: it numbers changes and repeats those not yet shown."""

    def __init__(self, explorer, client="page"):
        self.explorer, self.client = explorer, client
        self.action, self.changes, self.shown = 0, [], explorer.screen.number

    def change(self, name, value):
        """Return the message of a change, to be delivered now, later or never."""
        self.action += 1
        change = {"name": name, "value": value, "action": self.action, "asked_at": self.shown}
        is_step = name in ("back", "forward", "column", "choose")
        earlier = [made for made in self.changes if is_step or made["name"] != name]
        self.changes = [*earlier, change]
        return {"client": self.client, "changes": list(self.changes)}

    def export(self):
        """Return the question for the rows that are shown."""
        return {"client": self.client, "export": self.shown}

    def deliver(self, *messages):
        """Hand messages to the explorer in the thread that calls."""
        for message in messages:
            self.explorer.screen._handle_custom_msg(message, [])


def press(explorer, action, value=True):
    """Do what a button of a page of its own does."""
    page = Page(explorer, f"page at {explorer.screen.number}")
    page.deliver(page.change(action, value))
    settle(explorer)


def settle(explorer):
    """Wait until the explorer has done all it was asked."""
    explorer._executor.submit(lambda: None).result(PATIENCE)


def quantity(count, noun="flight"):
    """Return a count with its noun, as explorers say it."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def words(html):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()
