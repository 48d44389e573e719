"""An organisation's own looks: readable, harmless, else refused with a way out."""

import base64
import json
import os
import struct
import zlib

import pytest
from a_section import ABOUT, loaded, section
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from fleetkit.branding import Branding, contrast, nearest_readable, read_logo
from fleetkit.branding.logo import MOST_BYTES, sanitised
from fleetkit.conversion import ConversionError
from fleetkit.errors import InvalidValue
from fleetkit.reports import manifest, render
from fleetkit.reports.pdf import pdf
from fleetkit.settings import Settings, from_values, load

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
OPEN = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'viewBox="0 0 9 9"'
)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">II", 40, 20) + b"\x08\x02\0\0\0")
    + chunk(b"IDAT", zlib.compress(bytes(20 * (1 + 3 * 40))))
    + chunk(b"IEND", b"")
)


def settings(tmp_path, text):
    path = tmp_path / "fleetkit.toml"
    path.write_text(f"[branding]\n{text}\n", encoding="utf-8")
    return load(path, environ={})


# The accent


def test_the_contrast_of_two_colours_is_that_of_wcag():
    assert contrast("#ffffff", "#ffffff") == 1
    assert contrast("#000000", "#ffffff") == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


@pytest.mark.slow
@given(COLOURS, st.sampled_from(["#ffffff", "#12161c"]))
def test_the_nearest_colour_reads_and_is_the_colour_itself_where_that_reads(colour, background):
    nearest = nearest_readable(colour, background)
    assert contrast(nearest, background) >= 4.5
    assert (nearest == colour) == (contrast(colour, background) >= 4.5)


@given(COLOURS)
def test_no_colour_reads_on_both_pages(colour):
    assert min(contrast(colour, page) for page in ("#ffffff", "#12161c")) < 4.5


def test_a_colour_that_does_not_read_is_refused_with_its_ratio_and_the_nearest_that_does(tmp_path):
    with pytest.raises(InvalidValue) as refused:
        settings(tmp_path, 'name = "Fjord"\naccent = "#ffcc00"')
    assert str(refused.value) == (
        f"{tmp_path}/fleetkit.toml, line 3, branding.accent: #ffcc00 has a contrast of 1.51 : 1 on "
        "white, and text needs 4.5 : 1. The nearest colour that has it is #907300."
    )
    assert settings(tmp_path, 'accent = "#907300"').branding.accent == "#907300"
    with pytest.raises(InvalidValue, match=r"a contrast of 4\.49 : 1"):  # and not of 4.50
        settings(tmp_path, 'accent = "#627c77"')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('accent = "red"', "line 2, branding.accent: 'red' is not a colour such as '#2558c4'"),
        ('colour = "#000000"', "line 2, branding.colour: 'colour' is not a part of the branding"),
        ("footer = 5", "line 2, branding.footer: 5 is not a text"),
        (f'footer = "{"x" * 91}"', "line 2, branding.footer: the line has 91 characters"),
        (f'footer = "{"W" * 60}"', "line 2, branding.footer: the line is wider than the foot"),
        (f'footer = "{"無" * 60}"', "line 2, branding.footer: the line is wider than the foot"),
        ('footer = "a\\nb"', "line 2, branding.footer: the line has 3 characters"),
        ('logo = "none.png"', r"none.png can't be read: No such file or directory"),
    ],
)
def test_wrong_branding_is_named_by_file_line_and_key(text, problem, tmp_path):
    with pytest.raises(InvalidValue) as refused:
        settings(tmp_path, text)
    assert problem in str(refused.value)


def test_branding_is_given_in_python_as_a_dict_too():
    assert len(from_values({"branding": {"footer": "x" * 90}}, source="here").branding.footer) == 90
    assert from_values({"branding": {"name": "Fjord"}}, source="here").branding.name == "Fjord"
    with pytest.raises(InvalidValue, match=r"here, branding\.accent: '#fff' is not a colour"):
        from_values({"branding": {"accent": "#fff"}}, source="here")


# The logo


def test_a_logo_s_path_is_relative_to_the_settings_file(tmp_path, monkeypatch):
    (tmp_path / "logo.png").write_bytes(PNG)
    monkeypatch.chdir("/")
    assert settings(tmp_path, 'logo = "logo.png"').branding.logo == str(tmp_path / "logo.png")


def test_a_part_of_the_branding_that_is_left_empty_is_as_if_it_was_not_there(tmp_path):
    empty = 'name = ""\nlogo = ""\naccent = ""\nfooter = ""'
    assert settings(tmp_path, empty).branding == Branding()


def test_a_tilde_is_the_home_in_the_path_of_a_logo_and_of_the_settings(tmp_path, monkeypatch):
    (tmp_path / "logo.png").write_bytes(PNG)
    monkeypatch.setenv("HOME", str(tmp_path))
    settings(tmp_path, 'logo = "~/logo.png"')
    given = load("~/fleetkit.toml", environ={})
    named = load(environ={"FLEETKIT_CONFIG": "~/fleetkit.toml"})
    assert given.branding.logo == named.branding.logo == str(tmp_path / "logo.png")


def test_a_png_is_taken_as_it_is(tmp_path):
    path = tmp_path / "logo.png"
    path.write_bytes(PNG)
    assert read_logo(path) == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


HARMFUL = [
    "<script>alert(1)</script>",
    '<g onclick="alert(1)"/>',
    '<image href="https://evil.example/x.png"/>',
    '<use xlink:href="https://evil.example/x.svg#a"/>',
    '<use href="data:image/svg+xml;base64,evil.example"/>',
    '<rect fill="url(https://evil.example/x)"/>',
    '<rect style="background: url( &quot;//evil.example&quot; )"/>',
    "<style>@import 'https://evil.example/x.css';</style>",
    "<style>rect { fill: u\\72l(https://evil.example) }</style>",
    '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">evil.example</p></foreignObject>',
    '<a xlink:href="javascript:alert(1)"><rect/></a>',
    '<set attributeName="href" to="https://evil.example"/>',
    '<x:rect xmlns:x="https://evil.example"/>',
    '<?xml-stylesheet href="https://evil.example/x.css"?>',
    "<rect style=\"fill: image('data:image/svg+xml,evil')\"/>",
    '<g xmlns:i="http://inkscape.example" i:filename="/home/ada/evil.png"/>',
]


@pytest.mark.parametrize("harmful", HARMFUL)
def test_what_runs_or_leads_out_of_an_svg_is_left_out(harmful):
    svg = sanitised(
        f'{OPEN} onload="alert(1)">{harmful}<circle r="2"/></svg>'.encode(), "logo.svg"
    ).decode()
    assert [word for word in ("evil", "alert", "script", "import") if word in svg] == []
    assert '<circle r="2" />' in svg


def test_what_draws_an_svg_stays():
    drawing = (
        '<defs><linearGradient id="a"><stop offset="0" stop-color="red" /></linearGradient></defs>'
    )
    drawing += (
        '<style>.b { fill: url(#a) }</style><use href="#a" /><path d="M0 0h9" fill="url(#a)" />'
    )
    assert drawing in sanitised(f"{OPEN}>{drawing}</svg>".encode(), "logo.svg").decode()


def test_words_behind_what_is_left_out_of_an_svg_stay():
    link = '<a href="https://evil.example">evil</a>'
    drawn = f"<text>{link}Fjord <tspan>Drone</tspan> {link}Services{link} AS</text>"
    text = "<text>Fjord <tspan>Drone</tspan> Services AS</text>"
    assert text in sanitised(f"{OPEN}>{drawn}</svg>".encode(), "logo.svg").decode()


# Ten times ten times ten … rectangles.
REPEATED = '<g id="a0"><rect/></g>' + "".join(
    f'<g id="a{place}">' + f'<use href="#a{place - 1}"/>' * 10 + "</g>" for place in range(1, 9)
)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"GIF89a", "is neither a PNG nor an SVG"),
        (b"<html/>", "is neither a PNG nor an SVG"),
        (b"", "is neither a PNG nor an SVG"),
        (f"{OPEN}><g></svg>".encode(), "is neither a PNG nor an SVG"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "has neither a viewBox"),
        (b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 0 9"/>', "has neither a viewBox"),
        (f"{OPEN}>{REPEATED}</svg>".encode(), "draws more than 20,000 elements"),
        (f'{OPEN}><g id="a"><use href="#a"/></g></svg>'.encode(), "more than 100 within each"),
        (f"{OPEN}>{'<g>' * 5_000}{'</g>' * 5_000}</svg>".encode(), "more than 100 within each"),
        (PNG[:40], "is a damaged PNG"),
        (b'<!DOCTYPE s [<!ENTITY a "b">]>' + f"{OPEN}/>".encode(), "declares entities"),
        (('<!DOCTYPE s [<!ENTITY a "b">]>' + f"{OPEN}/>").encode("utf-16"), "declares entities"),
        (PNG[:16] + struct.pack(">II", 40_000, 20), "is 40,000 × 20 pixels"),
        (PNG[:16] + struct.pack(">II", 20, 0), "is 20 × 0 pixels"),
        (PNG[:16], "is 0 × 0 pixels"),
        (PNG + bytes(MOST_BYTES), "a logo has 200,000 at most"),
    ],
)
def test_a_file_that_can_be_no_logo_is_refused(content, problem, tmp_path):
    path = tmp_path / "logo"
    path.write_bytes(content)
    with pytest.raises(ConversionError, match=problem):
        read_logo(path)


def test_a_logo_that_has_no_end_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ConversionError, match="is not a file"):
            read_logo(path)


# In the report

FOOTER = 'Fjord "AS" </style> \\ · Oslo'
BRAND = {
    "accent": "#0b6e4f",
    "on_dark": nearest_readable("#0b6e4f", "#12161c"),
    "logo": "data:image/png;base64,AAAA",
    "name": "Fjord <AS>",
    "footer": FOOTER,
}


def page(tmp_path):
    return render.html({**ABOUT, "brand": BRAND}, [loaded(section(tmp_path))])


@pytest.mark.slow
def test_a_report_has_logo_accent_and_footer_with_their_texts_escaped(tmp_path):
    html = page(tmp_path)
    logo = '<img class="logo" src="data:image/png;base64,AAAA" alt="Fjord &lt;AS&gt;">'
    assert logo in html
    assert ":root { --brand: #0b6e4f; --deep: #0b6e4f; }" in html
    dark = BRAND["on_dark"]
    assert f"(prefers-color-scheme: dark) {{ :root {{ --brand: {dark}; --deep: {dark}; }}" in html
    assert FOOTER not in html
    assert "img-src data:;" in html
    assert 'class="track"' not in html


@pytest.mark.slow
def test_without_branding_a_report_has_fleetkit_s_look(tmp_path):
    html = render.html(ABOUT, [loaded(section(tmp_path))])
    assert '<img class="logo"' not in html
    assert "--brand: #" not in html
    assert 'class="track"' in html


@pytest.mark.slow
def test_the_footer_stands_on_every_page_of_the_pdf(tmp_path):
    from datetime import UTC, datetime
    from io import BytesIO

    data, _ = pdf(page(tmp_path), made=datetime(2026, 11, 1, tzinfo=UTC))
    pages = [sheet.extract_text() for sheet in PdfReader(BytesIO(data)).pages]
    assert len(pages) >= 2
    assert all(FOOTER in text for text in pages)


def test_the_manifest_names_the_logo_s_file_and_checksum_and_no_notebook_sees_it(tmp_path):
    (tmp_path / "logo.png").write_bytes(PNG)
    own = settings(tmp_path, 'logo = "logo.png"\nname = "Fjord"')
    record = manifest.branding(own.branding)
    assert (record["name"], record["logo"], len(record["logo_sha256"])) == ("Fjord", "logo.png", 64)
    assert "logo" not in json.dumps(own.public())
    assert manifest.branding(Settings().branding) == {}
