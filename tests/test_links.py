"""Links of README and docs lead to what is there."""

import re

import pytest
from manual import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def headings(text):
    """Return the anchors that a page's headings have on GitHub."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    words = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in words}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(document):
    targets = re.findall(r"\]\((?!https?:)([^)\s]+)\)", document.read_text(encoding="utf-8"))
    broken = []
    for target in targets:
        name, _, anchor = target.partition("#")
        page = document.parent / name if name else document
        if not page.exists() or (anchor and anchor not in headings(page.read_text("utf-8"))):
            broken.append(target)
    assert broken == []


def test_the_readme_names_every_guide():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    guides = sorted((ROOT / "docs" / "guide").glob("*.md"))
    assert len(guides) >= 7
    assert [guide.name for guide in guides if f"(docs/guide/{guide.name})" not in readme] == []
