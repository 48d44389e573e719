"""What users read: the README, and after it the guides in their order."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md")))
MANUAL = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
