"""HTML → a tagged PDF (PDF/UA-1), through WeasyPrint: the pages for those who listen to them.

WeasyPrint writes the tags, from the same HTML as every report. What it doesn't know of a page is
put into words of its own first: colours that a style sheet names, the page numbers of links, the
order of letters in pictures, which it sets one by one from the left. What it doesn't write is
added: which heads of a table are of columns, and which are of rows; that what stands in the margins
is not read; and that nothing but items lies in a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from functools import partial
from html import escape, unescape
from io import BytesIO, StringIO
from typing import Any
from unicodedata import bidirectional

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from fleetkit.errors import ReportError
from fleetkit.reports.pdf import for_paper, front_of, shorter

__all__ = ["check_installed", "tagged_pdf"]

_PICTURE = re.compile(r"(<svg\b[^>]*>)(.*?</svg>)", re.DOTALL)
_LABEL = re.compile(r'aria-label="([^"]*)"')
_VARIABLE = re.compile(r"var\(--([\w-]+)\)")
# A colour may be named after another one, and that after a third.
_DEPTH = 3
# The first page by itself: the numbers of pages take their room there.
_NUMBERS = """
.chapters a::after { content: " 10"; } .attention .topic::after { content: "p. 10"; }
"""
# Content that has a number for the structure, and what stands for one that the structure lacks.
_NUMBERED = re.compile(rb"/\w+\s*<<\s*/MCID\s+(\d+)\s*>>\s*BDC")
_NOT_READ = b"/Artifact << /Type /Pagination >> BDC"
# The colours of paper: those of screens stand further in, or behind what they are for.
_COLOURS = re.compile(r"^:root\s*\{([^}]*)\}", re.MULTILINE)
_COLOUR = re.compile(r"--([\w-]+):\s*([^;]+)")
# A rule of the style sheet on pictures: a selector, and how it is painted.
_RULE = re.compile(r"^(\.(?:chart|spark)\b[^{]*)\{([^}]*)\}", re.MULTILINE)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_PAINT = re.compile(r"(?:fill|stroke)[\w-]*:[^;]*;?")
# A text of a picture, and the classes of Unicode of what runs from the right, numbers behind it
# too, in parts that stay as they are: a number, or a letter with its marks.
_TEXT = re.compile(r"(?<=>)[^<]+(?=</text>)")
_FROM_RIGHT = re.compile("R(?:[^L]*[RN])?")
_IN_BRACKETS = re.compile(r"\([^()]*$")
_PART = re.compile("N+(?:CN+)*|.M*")
_CLASSES = {"R": "R", "AL": "R", "L": "L", "FSI": "L", "PDI": "L", "EN": "N", "AN": "N"}
_CLASSES |= {"CS": "C", "NSM": "M"}
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def check_installed() -> Any:
    """Return WeasyPrint.

    Raises
    ------
    ReportError
        It isn't installed, or lacks libraries of the system.
    """
    try:
        with redirect_stdout(StringIO()):  # what it prints there would break a script's JSON
            import weasyprint  # noqa: PLC0415 - an extra
    except ImportError:
        raise ReportError(
            "A tagged PDF needs WeasyPrint, which isn't installed.",
            advice='Install it: pip install "fleetkit[accessible]"',
        ) from None
    except OSError as problem:
        raise ReportError(
            f"WeasyPrint lacks a library of the system: {problem}.",
            advice="Install Pango (Debian: apt-get install libpango-1.0-0 libpangoft2-1.0-0).",
        ) from None
    return weasyprint


def tagged_pdf(html: str, *, made: datetime, style: str) -> tuple[bytes, list[str]]:
    """Print a report as a PDF whose headings, tables and pictures a screen reader can tell.

    Parameters
    ----------
    html : str
        As `render.html` gave it.
    made : datetime
        Date in the file's metadata; the same date and HTML give the same bytes.
    style : str
        Rules that go after the page's own: what WeasyPrint needs to be told.

    Returns
    -------
    bytes
        The PDF.
    list of str
        Characters for which this machine has no glyph, as `pdf.pdf` returns them.

    Raises
    ------
    ReportError
        WeasyPrint isn't installed.
    """
    weasyprint = check_installed()
    html, missing = for_paper(html)
    moment = f'<meta name="dcterms.created" content="{made.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}">'
    html = html.replace("<head>", f"<head>{moment}", 1)
    html = _with_colours(html).replace("</head>", f"<style>{style}</style></head>", 1)
    # The fonts are in the page; nothing else is fetched.
    fetcher = weasyprint.urls.URLFetcher(allowed_protocols=["data"], allow_redirects=False)
    document = partial(weasyprint.HTML, url_fetcher=fetcher)
    fonts = weasyprint.text.fonts.FontConfiguration()  # unpacked once for all that is laid out
    whole = document(string=_on_one_page(html, document, fonts))
    return _finished(whole.write_pdf(pdf_variant="pdf/ua-1", font_config=fonts)), missing


def _on_one_page(html: str, document: Callable[..., Any], fonts: Any) -> str:
    """Leave out what the chapters say too, where the first page would run over and doesn't then."""
    for tight in shorter(html):
        front = front_of(tight).replace("</head>", f"<style>{_NUMBERS}</style></head>", 1)
        if len(document(string=front).render(font_config=fonts).pages) == 1:
            return tight
    return html


def _with_colours(html: str) -> str:
    """Let each picture hold its colours and words: those of the page don't reach into it."""
    style = "\n".join(_STYLE.findall(html))
    light = dict(_COLOUR.findall(";".join(_COLOURS.findall(html))))
    rules = " ".join(
        f"{selector}{{{' '.join(_PAINT.findall(painted))}}}"
        for selector, painted in _RULE.findall(style)
    )

    def resolved(text: str) -> str:
        for _ in range(_DEPTH):
            text = _VARIABLE.sub(lambda name: light.get(name[1], name[0]), text)
        return text

    def picture(parts: re.Match[str]) -> str:
        head, body = parts.groups()
        if 'aria-hidden="true"' in head:
            return ""  # it says nothing
        label = _LABEL.search(head)
        title = f"<title>{label[1]}</title>" if label else ""
        inside = f"<style>{resolved(rules)} text {{ font-family: Inter }}</style>"
        body = _TEXT.sub(_as_it_stands, resolved(body))
        return f"{head}{title}{body.replace('</svg>', f'{inside}</svg>')}"

    return _PICTURE.sub(picture, html)


def _as_it_stands(text: re.Match[str]) -> str:
    """Order the letters of a picture's text from left to right, as WeasyPrint sets them."""
    letters = unescape(text[0])
    classes = "".join(_CLASSES.get(bidirectional(letter), " ") for letter in letters)
    runs = [run.span() for run in _FROM_RIGHT.finditer(classes)]
    for start, last in runs:
        is_open = _IN_BRACKETS.search(letters[start:last]) and letters[last : last + 1] == ")"
        end = last + bool(is_open)
        parts = [part.span() for part in _PART.finditer(classes, start, end)]
        turned = "".join(letters[one:other].translate(_MIRRORED) for one, other in reversed(parts))
        letters = letters[:start] + turned + letters[end:]
    return escape(letters, quote=False) if runs else text[0]


def _finished(printed: bytes) -> bytes:
    """Put right what WeasyPrint leaves out of the structure, or has in it as it can't be."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(printed)))
    tree: Any = writer.root_object["/StructTreeRoot"]
    for element, inside in list(_elements(tree["/K"])):
        if element["/S"] == "/TH":
            _set_scope(element, "/Column" if "/THead" in inside else "/Row")
        elif element["/S"] == "/L":
            _keep_items(element)
    read = {number for element, _ in _elements(tree["/K"]) for number in _numbers(element)}
    _leave_out(writer, read)
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _elements(node: Any, inside: tuple[str, ...] = ()) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Yield all elements of the structure, each with the kinds of those that it is in."""
    node = node.get_object()
    if isinstance(node, list):
        for child in node:
            yield from _elements(child, inside)
    elif isinstance(node, DictionaryObject) and "/S" in node:
        yield node, inside
        if "/K" in node:
            yield from _elements(node["/K"], (*inside, str(node["/S"])))


def _set_scope(head: Any, scope: str) -> None:
    """Say of a head of a table whether it is a column's or a row's."""
    attributes = head.setdefault(NameObject("/A"), DictionaryObject())
    attributes.get_object()[NameObject("/Scope")] = NameObject(scope)


def _keep_items(list_: Any) -> None:
    """Put nothing but items into a list: not their groups, and not the blanks between them."""
    items = ArrayObject(_items(list_))
    for item in items:
        item.get_object()[NameObject("/P")] = list_.indirect_reference
    list_[NameObject("/K")] = items


def _items(group: Any) -> Iterator[Any]:
    for child in group["/K"]:
        kind = child.get_object()["/S"]
        if kind == "/Div":
            yield from _items(child.get_object())
        elif kind == "/LI":
            yield child


def _numbers(element: Any) -> Iterator[tuple[int, int]]:
    """Yield page and number of the content that an element holds itself."""
    children = element.get("/K", [])
    for part in children if isinstance(children, list) else [children]:
        child = part.get_object()
        page = child if isinstance(child, DictionaryObject) and "/Pg" in child else element
        number = child.get("/MCID") if isinstance(child, DictionaryObject) else child
        if isinstance(number, int) and "/Pg" in page:
            yield page.raw_get("/Pg").idnum, int(number)


def _leave_out(writer: PdfWriter, numbers: set[tuple[int, int]]) -> None:
    """Mark what the structure lacks as no part of the document: heads, feet, blanks in lists."""
    pages: Any = writer.pages
    for page in pages:
        stream, of = page["/Contents"].get_object(), page.indirect_reference.idnum

        def marked(begin: re.Match[bytes], of: int = of) -> bytes:
            return begin[0] if (of, int(begin[1])) in numbers else _NOT_READ

        stream.set_data(_NUMBERED.sub(marked, stream.get_data()))
