"""A logo from a file, as an address that holds all of it: it can neither load nor run anything.

A PNG is taken as it is. Of an SVG only shapes, text, gradients and their styles are taken; scripts,
handlers, links, animations, embedded pages and whatever leads out of the file are left out.
"""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from fleetkit.conversion import ConversionError

__all__ = ["MOST_BYTES", "read_logo", "sanitised"]

MOST_BYTES = 200_000
# Pixels of a side of a PNG.
MOST_PIXELS = 4_000
# Elements of an SVG, each counted as often as it is drawn; and how many may lie in each other.
MOST_DRAWN, DEEPEST = 20_000, 100
_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS = {
    "svg", "g", "defs", "symbol", "use", "title", "desc", "style", "text", "tspan",
    "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "linearGradient", "radialGradient", "stop", "clipPath", "mask", "pattern",
}  # fmt: skip
# Text that runs code or leads out of the file: an import, an address of anything but an element.
_OUTSIDE = re.compile(
    r"url\s*\(\s*(?![\"']?#)|@import|javascript:|expression\s*\(|\\|&#|image-set|data:",
    re.IGNORECASE,
)

# An address of an element of the file.
_INSIDE = re.compile(r"(?:^\s*|url\s*\(\s*[\"']?)#([^\s\"')]+)")


def read_logo(path: str | Path) -> str:
    """Return a logo as a ``data:`` address.

    Parameters
    ----------
    path : path
        A PNG or an SVG of at most 200,000 bytes.

    Raises
    ------
    ConversionError
        It can't be read, is too large, or neither a PNG nor an SVG.
    """
    try:
        size = Path(path).stat().st_size
        if not Path(path).is_file():  # a pipe or a device may have no end
            raise ConversionError(f"{path} is not a file")
        content = Path(path).read_bytes() if size <= MOST_BYTES else b""
    except OSError as problem:
        raise ConversionError(f"{path} can't be read: {problem.strerror}") from None
    if size > MOST_BYTES:
        raise ConversionError(
            f"{path} has {size:,} bytes; a logo has {MOST_BYTES:,} at most",
            advice="Save it smaller.",
        )
    if content.startswith(_PNG):
        _check_pixels(content, path)
        _check_chunks(content, path)
        return _address("image/png", content)
    return _address("image/svg+xml", sanitised(content, path))


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _check_pixels(content: bytes, path: str | Path) -> None:
    sides = struct.unpack(">II", content[16:24]) if len(content) >= 24 else (0, 0)
    if not all(0 < side <= MOST_PIXELS for side in sides):
        raise ConversionError(
            f"{path} is {sides[0]:,} × {sides[1]:,} pixels; a side of a logo has 1 to "
            f"{MOST_PIXELS:,}"
        )


def _check_chunks(content: bytes, path: str | Path) -> None:
    """Refuse a PNG that was cut off or damaged: browsers show a torn picture in its place."""
    place, kinds = len(_PNG), set()
    while place + 12 <= len(content):
        size, kind = struct.unpack(">I4s", content[place : place + 8])
        end = place + 8 + size
        if content[end : end + 4] != zlib.crc32(content[place + 4 : end]).to_bytes(4, "big"):
            break
        kinds.add(kind)
        place = end + 4
    if not {b"IDAT", b"IEND"} <= kinds:
        raise ConversionError(f"{path} is a damaged PNG", advice="Save it anew.")


def sanitised(content: bytes, path: str | Path) -> bytes:
    """Return an SVG with only what draws it.

    Parameters
    ----------
    content : bytes
    path : path
        Its name, for errors.

    Raises
    ------
    ConversionError
        It is no SVG, has no size, declares entities, or draws more than a logo does.

    Examples
    --------
    >>> svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script/></svg>'
    >>> print(sanitised(svg, "logo.svg").decode())
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" />
    """
    try:
        _check_entities(content, path)
        root = ElementTree.fromstring(content)  # noqa: S314 - entities are refused
    except (ElementTree.ParseError, expat.ExpatError, ValueError, LookupError):
        root = None
    if root is None or root.tag != f"{{{_SVG}}}svg":
        raise ConversionError(f"{path} is neither a PNG nor an SVG")
    if not _has_size(root):
        raise ConversionError(f"{path} has neither a viewBox nor a width and height")
    _check_drawn(root, path)
    ElementTree.register_namespace("", _SVG)
    written: bytes = ElementTree.tostring(_clean(root), encoding="utf-8")
    return written


def _has_size(root: ElementTree.Element) -> bool:
    """Whether an SVG says how large it is, in numbers above 0."""
    box = root.get("viewBox", "").replace(",", " ").split()
    sides = box[2:] if len(box) == 4 else [root.get("width", ""), root.get("height", "")]
    return all(re.match(r"\+?0*\.?0*[1-9]", side) for side in sides)


def _check_drawn(root: ElementTree.Element, path: str | Path) -> None:
    """Refuse an SVG that repeats its elements without end, or nearly: to print it would hang."""
    named = {element.get("id"): element for element in root.iter()}
    drawn = 0

    def draw(element: ElementTree.Element, depth: int) -> None:
        nonlocal drawn
        drawn += 1
        if drawn > MOST_DRAWN or depth > DEEPEST:
            raise ConversionError(
                f"{path} draws more than {MOST_DRAWN:,} elements, or more than {DEEPEST} within "
                "each other",
                advice="Save it simpler.",
            )
        for child in element:
            draw(child, depth + 1)
        for value in element.attrib.values():
            for name in _INSIDE.findall(value):
                if name in named:
                    draw(named[name], depth + 1)

    draw(root, 0)


def _check_entities(content: bytes, path: str | Path) -> None:
    def refuse(*_: object) -> None:
        raise ConversionError(f"{path} declares entities", advice="Save it as a plain SVG.")

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)


def _clean(element: ElementTree.Element) -> ElementTree.Element:
    """Return an element with the children and attributes that are harmless."""
    cleaned = ElementTree.Element(element.tag)
    cleaned.text = element.text
    for name, value in element.attrib.items():
        plain = "href" if name == _XLINK else name
        if _is_harmless(plain, value):
            cleaned.set(plain, value)
    for child in element:
        kind = child.tag if isinstance(child.tag, str) else ""
        if _is_shown(kind, child.text or ""):
            shown = _clean(child)
            shown.tail = child.tail
            cleaned.append(shown)
        elif len(cleaned):  # the words behind it are no part of it
            cleaned[-1].tail = f"{cleaned[-1].tail or ''}{child.tail or ''}"
        else:
            cleaned.text = f"{cleaned.text or ''}{child.tail or ''}"
    return cleaned


def _is_shown(tag: str, text: str) -> bool:
    """Whether an element draws something, or says how."""
    name = tag.removeprefix(f"{{{_SVG}}}")
    if name == tag or name not in _ELEMENTS:
        return False
    return name != "style" or _OUTSIDE.search(text) is None


def _is_harmless(name: str, value: str) -> bool:
    """Whether an attribute neither runs anything nor leads out of the file."""
    if name.startswith(("{", "on")):
        return False
    if name == "href":
        return value.strip().startswith("#")
    return _OUTSIDE.search(value) is None
