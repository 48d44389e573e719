"""HTML → PDF, twice: the first pass finds the page of each heading, the second prints it.

PlutoPrint lays the pages out; pypdf reads on which pages headings are and adds what PlutoPrint
doesn't write: outline and language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from html import escape, unescape
from io import BytesIO
from threading import Lock
from typing import Any

import plutoprint
from pypdf import PdfReader, PdfWriter
from pypdf.generic import BooleanObject, DictionaryObject, NameObject, TextStringObject

from fleetkit.language import localized, say
from fleetkit.reports.last_rows import with_last_rows_together

__all__ = ["for_paper", "front_of", "glyph_note", "pdf", "shorter", "without_glyph"]

# PlutoPrint is given one document at a time, also of reports that are made side by side.
_PRINTING = Lock()
# Characters without a glyph that the PDF names.
MOST_CODES = 24
# Links inside the document need an address to complete; nothing is ever fetched from it.
_ADDRESS = "report:///report.html"
_PAGE = re.compile(r'(<span class="page" data-of="([^"]+)">)(</span>)')
_HEADING = re.compile(
    r'(<h([23]) id="([^"]+)"[^>]*>)(.*?)((?: <span class="count">.*?)?</h[23]>)', re.DOTALL
)
# Parts of the page that only a screen shows.
_ON_SCREEN = re.compile(
    r'<script>.*?</script>|<details class="how">.*?</details>|<div class="narrow">.*?</div>',
    re.DOTALL,
)
_PICTURE = re.compile(r"(<svg\b[^>]*>).*?(</svg>)", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NOT_PRINTED = re.compile(r"<style>.*?</style>|<title.*?</title>|<[^>]*>", re.DOTALL)
# A file beside the HTML isn't beside every copy of the PDF: its name alone is printed.
_FILE = re.compile(r'<a class="file"[^>]*>(.*?)</a>', re.DOTALL)
# What needs attention: which ones, and who else. A long word in it has a span of its own.
_WORDS = r"(?:<span title=.*?</span>|.)*?"
_WHICH = re.compile(
    rf'(<span class="what">(?:(?!</span>)[^:])*): {_WORDS}(?= <span class="(?:who|at)">|</span>)'
)
_WHO = re.compile(rf' <span class="who">{_WORDS}</span>')
_SECOND = 2
_CHAPTER = '<section class="chapter'
_GLYPHS = '<p class="glyphs"></p>'
_FACES = re.compile(r"@font-face \{[^}]*\}")
_MISSING = "\ufffd"


class _Nothing(plutoprint.ResourceFetcher):
    """Fetches nothing: all that a report shows is in its HTML."""

    def fetch_url(self, url: str) -> Any:
        """Answer any address with nothing."""
        return plutoprint.ResourceData(b"", "text/plain")


def pdf(html: str, *, made: datetime) -> tuple[bytes, list[str]]:
    """Print a report.

    Parameters
    ----------
    html : str
        As `render.html` gave it.
    made : datetime
        Date in the file's metadata; the same date and HTML give the same bytes.

    Returns
    -------
    bytes
        The PDF.
    list of str
        Characters for which this machine has no glyph. They are printed as an empty box, and a
        note at the end of the PDF says so.
    """
    html, missing = for_paper(html)
    html = with_last_rows_together(html)
    # PlutoPrint tells the pages of those headings only to which something leads.
    html = _HEADING.sub(lambda m: f'{m[1]}<a href="#{m[3]}"></a>{m[4]}{m[5]}', html)
    html, pages = _on_one_page(html, _pages(html, made), made)
    numbered = _PAGE.sub(lambda m: f"{m[1]}{pages.get(unescape(m[2]), '')}{m[3]}", html)
    return _finished(_printed(numbered, made), html, pages), missing


def _on_one_page(html: str, pages: dict[str, int], made: datetime) -> tuple[str, dict[str, int]]:
    """Leave out what the chapters say too, where the first page would run over and doesn't then."""
    for tight in shorter(html):
        fewer = pages if tight is html else _pages(tight, made)
        if _has_one_front_page(tight, fewer):
            return tight, fewer
    return html, pages


def shorter(html: str) -> Iterator[str]:
    """Yield a report, and then with ever less on its first page of what the chapters say too.

    Who else is concerned goes first, then which ones, from the last line up: the gravest are first.
    """
    yield html
    short = _WHO.sub("", html)
    lines = [line.start() for line in _WHICH.finditer(short)]
    for start in (len(short), *lines[-2::-2], 0):
        yield short[:start] + _WHICH.sub(r"\1", short[start:])


def front_of(html: str) -> str:
    """Return all that comes before the first chapter."""
    return html.partition(_CHAPTER)[0]


def _has_one_front_page(html: str, pages: Mapping[str, int]) -> bool:
    """Whether all that comes before the first chapter is on the first page."""
    front, _, chapters = html.partition(_CHAPTER)
    headings = [pages.get(unescape(anchor), 1) for _, _, anchor, *_ in _HEADING.findall(front)]
    first = _HEADING.search(chapters)
    return all(page == 1 for page in headings) and (
        first is None or pages.get(unescape(first[3]), 1) <= _SECOND
    )


def for_paper(html: str) -> tuple[str, list[str]]:
    """Return a report without what only a screen shows, and the letters that can't be printed.

    The page says itself which ones these are.
    """
    html = _ON_SCREEN.sub("", html)
    missing = without_glyph(html)
    html = _FILE.sub(r"\1", html)
    return html.replace(_GLYPHS, _glyph_paragraph(missing), 1), missing


def without_glyph(html: str) -> list[str]:
    """Return the characters that neither the report's fonts nor this machine's can show."""
    shown = unescape(_NOT_PRINTED.sub(" ", html))
    letters = {letter for letter in shown if not letter.isascii() and _is_seen(letter)}
    return list(_without_glyph("".join(sorted(letters)), "".join(_FACES.findall(html))))


# Several reports of an organisation mostly have the same letters.
@lru_cache(maxsize=10)
def _without_glyph(letters: str, faces: str) -> tuple[str, ...]:
    """Print letters on a page of their own, and read back which ones are missing."""
    lines = "".join(f"<p>{index}:{escape(letter)}</p>" for index, letter in enumerate(letters))
    page = f"<style>{faces} p {{ font: 4pt Inter; margin: 0 }}</style>{lines}"
    missing = set()
    for read in PdfReader(BytesIO(_printed(page, datetime.now(UTC)))).pages:
        for line in read.extract_text().splitlines():
            index = re.search(r"\d+", line)
            if _MISSING in line and index:
                missing.add(letters[int(index[0])])
    return tuple(sorted(missing - {_MISSING}))


def _is_seen(letter: str) -> bool:
    """Whether a letter is meant to be seen: not spaces, controls and selectors of variants."""
    kind = unicodedata.category(letter)
    return kind[0] not in "CZ" or kind in {"Cn", "Co"}


def glyph_note(missing: Iterable[str]) -> str:
    """Say which characters this machine has no font for, as their codes."""
    codes = [f"U+{ord(letter):04X}" for letter in missing]
    if len(codes) > MOST_CODES:
        others = localized(f"{len(codes) - MOST_CODES:,}")
        codes[MOST_CODES:] = [say("{count} more, which manifest.json lists", count=others)]
    return say(
        "Printed as an empty box, because this machine has no font for it: {codes}.",
        codes=", ".join(codes),
    )


def _glyph_paragraph(missing: list[str]) -> str:
    if not missing:
        return ""
    where = say("A report in HTML shows it where the reader's machine has one.")
    return f'<p class="glyphs">{escape(f"{glyph_note(missing)} {where}", quote=False)}</p>'


def _printed(html: str, made: datetime) -> bytes:
    with _PRINTING:
        return _book(html, made)


def _book(html: str, made: datetime) -> bytes:
    book = plutoprint.Book(size=plutoprint.PAGE_SIZE_A4, media=plutoprint.MEDIA_TYPE_PRINT)
    book.custom_resource_fetcher = _Nothing()
    book.load_html(html, base_url=_ADDRESS)
    moment = made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    book.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, moment)
    book.set_metadata(plutoprint.PDF_METADATA_MODIFICATION_DATE, moment)
    stream = BytesIO()
    book.write_to_pdf_stream(stream)
    return stream.getvalue()


def _pages(html: str, made: datetime) -> dict[str, int]:
    """Return anchor → page number, from 1.

    Pictures take their room there, and aren't drawn; so do the numbers that are filled in later.
    """
    numbered = _PAGE.sub(r"\g<1>10\3", html)
    reader = PdfReader(BytesIO(_printed(_PICTURE.sub(r"\1\2", numbered), made)))
    return {
        name: (reader.get_destination_page_number(place) or 0) + 1
        for name, place in reader.named_destinations.items()
    }


def _finished(printed: bytes, html: str, pages: Mapping[str, int]) -> bytes:
    """Add the outline, from the headings, and the language."""
    writer = PdfWriter(clone_from=BytesIO(printed))
    chapter = None
    for _, level, anchor, title, _ in _HEADING.findall(html):
        is_chapter = level == "2"
        if unescape(anchor) in pages:
            entry = writer.add_outline_item(
                title=unescape(_TAG.sub("", title)),
                page_number=pages[unescape(anchor)] - 1,
                parent=None if is_chapter else chapter,
                is_open=False,
            )
            chapter = entry if is_chapter else chapter
    language = re.search(r'<html lang="([^"]+)"', html)
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject(language[1] if language else "en")
    root[NameObject("/PageMode")] = NameObject("/UseOutlines")
    root[NameObject("/ViewerPreferences")] = DictionaryObject(
        {NameObject("/DisplayDocTitle"): BooleanObject(True)}
    )
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()
