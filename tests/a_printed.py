"""Reports on paper: how many pages, how full each is, and what begins on which."""

import re

from pypdf import mult

MOST_PAGES = 9
# Points from the lower edge of the paper up to the footer's own room.
FOOT = 40


def filled(page):
    """Return which share of a page's height lies above its last line of text."""
    heights = []

    def visit(text, transform, text_transform, *_):
        y = mult(text_transform, transform)[5]
        if text.strip() and y > FOOT:
            heights.append(y)

    page.extract_text(visitor_text=visit)
    paper = float(page.mediabox.height)
    return (paper - min(heights)) / (paper - FOOT)


def assert_well_set(printed):
    """Hold a report in German or Norwegian to the pages of one in English."""
    assert len(printed.pages) <= MOST_PAGES, "docs/adding.md, A section, says where others stand"
    assert [round(share, 2) for share in map(filled, printed.pages[:-1]) if share < 0.5] == []
    # The first page holds the whole summary, and nothing else.
    places = printed.named_destinations
    begins = {
        name: printed.get_destination_page_number(places[name]) + 1
        for name in ("equipment_condition-registrations", "flight_hours")
    }
    assert begins == {"equipment_condition-registrations": 1, "flight_hours": 2}
    # No letter of the fingerprint stands alone on a second line.
    fingerprint = r"(Fingerabdruck|fingeravtrykk) [0-9a-f]{64}$"
    assert re.search(fingerprint, printed.pages[-1].extract_text(), re.MULTILINE)
