"""Reports in other languages: catalogues that are whole, and pages that hold nothing else."""

import json
import re
from datetime import date
from html import unescape

import extract
import pytest
from a_printed import assert_well_set
from babel.messages.pofile import read_po
from pypdf import PdfReader

import fleetkit as fk
from fleetkit import language
from fleetkit.language import alphabetical, listed
from fleetkit.reports.words import in_language
from fleetkit.rounding import number, percent

ADDING = (extract.ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
OTHERS = [name for name in language.available() if name != language.ENGLISH]


def entries(name):
    with (extract.CATALOGUES / f"{name}.po").open("rb") as file:
        return read_po(file, locale=name)


def placeholders(text):
    return set(re.findall(r"\{[^}]*\}", text))


# Catalogues


@pytest.mark.slow
def test_every_catalogue_has_exactly_the_texts_that_there_are():
    texts = set(extract.messages())
    for name in OTHERS:
        keys = {entry.id if isinstance(entry.id, str) else entry.id[0] for entry in entries(name)}
        assert keys - {""} == texts, f"{name}.po: run `make format`, which writes them"


@pytest.mark.parametrize("name", OTHERS)
def test_every_text_of_a_catalogue_is_translated_with_the_same_placeholders(name):
    wrong = []
    for entry in entries(name):
        english = entry.id if isinstance(entry.id, tuple) else (entry.id,)
        forms = entry.string if isinstance(entry.string, tuple) else (entry.string,)
        expected = set().union(*map(placeholders, english))
        # The form of a single one need not say "1".
        allowed = (expected, expected - {"{count}"})
        if not all(forms) or any(placeholders(form) not in allowed for form in forms):
            wrong.append(entry.id)
    assert [text for text in wrong if text] == [], f"translate them in {name}.po"


@pytest.mark.parametrize("name", OTHERS)
def test_a_catalogue_has_the_plural_forms_of_its_language(name):
    catalogue = entries(name)
    forms = {len(entry.string) for entry in catalogue if isinstance(entry.id, tuple)}
    assert forms == {catalogue.num_plurals}


@pytest.mark.slow
def test_a_catalogue_that_is_begun_keeps_its_rule_of_plurals_and_its_forms(tmp_path, monkeypatch):
    fr = tmp_path / "fr.po"
    fr.write_text(re.search(r"^```\n(msgid.*?)^```", ADDING, re.MULTILINE | re.DOTALL)[1])
    monkeypatch.setattr(extract, "CATALOGUES", tmp_path)
    extract.main()
    text = fr.read_text(encoding="utf-8")
    assert '"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n' in text
    assert 'msgstr[0] "{count} vol"\nmsgstr[1] "{count} vols"\n\n' in text


def test_the_plural_of_a_notebook_s_text_is_not_a_text_to_translate_by_itself():
    code = 'one, many = "{count} pilot flew.", "{count} pilots flew."\nsay_count(2, one, many)'
    cells = [{"cell_type": "code", "metadata": {}, "source": ["out = here\n", code]}]
    assert extract._of_notebook({"cells": cells}) == {"{count} pilot flew.": "{count} pilots flew."}


def test_every_language_is_named_where_one_is_chosen():
    files = ("fleetkit/cli/options.py", "docs/fleetkit.toml", "docs/guide/configuration.md")
    texts = [(extract.ROOT / file).read_text(encoding="utf-8").replace("`", "") for file in files]
    named = ", ".join([language.ENGLISH, *OTHERS])
    assert [file for file, text in zip(files, texts, strict=True) if named not in text] == []


# Numbers, dates, plural forms


def test_numbers_and_dates_are_written_as_the_language_has_them():
    with language.using("de"):
        assert f"{number(1234.5, 1)} h" == "1.234,5 h"
        assert percent(0.035) == "3,5 %"
        assert language.say("{used:,} h", used=1250) == "1.250 h"
        assert (language.short_month(date(2026, 10, 31)), language.weekdays()[0]) == ("Okt", "Mo")
        assert language.short_day(date(2026, 10, 31)) == "31. Okt. 2026"
        assert fk.Period.read("2026-10").title == "Oktober 2026"
        assert fk.Period.between("2026-10-05", "2026-10-19", "UTC").title == "5.–18. Okt. 2026"
        assert fk.Period.read("2026-10-05").title_of_ends == ("5. Oktober 2026", "")
        within, beyond = fk.Period.read("2026-10-05_2026-10-18"), fk.Period.read("2025-W01")
        assert within.title_of_ends == ("5. Oktober", "18. Oktober 2026")
        assert beyond.title_of_ends == ("30. Dezember 2024", "5. Januar 2025")
        hours = fk.Period.between("2026-10-05T09:00", "2026-10-05T17:30", "UTC")
        assert hours.title_of_ends == ("5. Oktober 2026 09:00", "5. Oktober 2026 17:30")
    with language.using("nb"):
        assert number(1234.5, 1) == "1\u00a0234,5"
        assert language.short_day(date(2026, 10, 31)) == "31. okt. 2026"
        assert language.weekdays()[0] == "man"
    assert number(1234.5, 1) == "1,234.5"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("en", ["1 flight", "2 flights", "5 flights"]),
        ("de", ["1 Flug", "2 Flüge", "5 Flüge"]),
        ("nb", ["1 flyging", "2 flyginger", "5 flyginger"]),
    ],
)
def test_a_count_takes_the_plural_form_of_the_language(name, texts):
    with language.using(name):
        assert [language.counted(count, "flight") for count in (1, 2, 5)] == texts


def test_a_count_that_is_not_known_and_an_empty_text_are_no_entries_of_a_catalogue():
    with language.using("de"):
        assert (language.counted(None, "flight"), language.say("")) == ("– Flüge", "")


def test_a_list_ends_as_the_language_has_it():
    with language.using("de"):
        assert listed(["EUR", "GBP", "NOK"]) == "EUR, GBP und NOK"
        assert (listed(["EUR"]), listed([])) == ("EUR", "")
    with language.using("nb"):
        assert language.either(["m", "km"]) == "m eller km"


@pytest.mark.parametrize(
    ("name", "said"),
    [("de", "Dauer in Sekunden, Name des Piloten"), ("nb", "varighet i sekunder, pilotens navn")],
)
def test_the_fields_in_which_a_flight_was_edited_are_named_in_the_report_s_language(name, said):
    with language.using(name):
        assert in_language("fields", "duration seconds, pilot name") == said


def test_names_are_listed_in_the_order_of_the_language_s_alphabet():
    names = ["Zone", "Ål", "Øl", "Umsatz", "Über", "offen", "Æsj"]
    assert sorted(["Zone", "Øl", "Lund", "Łąka", "Oslo"], key=alphabetical) == [
        *("Łąka", "Lund", "Øl", "Oslo", "Zone")
    ]
    with language.using("de"):
        assert sorted(names[:2] + names[3:6], key=alphabetical) == [
            *("Ål", "offen", "Über", "Umsatz", "Zone")
        ]
    with language.using("nb"):
        assert sorted(names[:3] + names[6:], key=alphabetical) == ["Zone", "Æsj", "Øl", "Ål"]


def test_a_language_that_there_is_not_is_refused_with_those_that_there_are(tmp_path):
    with pytest.raises(fk.InvalidValue, match=r"'dee'.*Did you mean de.*de, en, nb"):
        fk.settings.Settings(lang="dee")
    with pytest.raises(fk.InvalidValue, match="There is no catalogue"):
        language.chosen(str(tmp_path / "fr.po"))
    (tmp_path / "klingon.po").write_text("", encoding="utf-8")
    with pytest.raises(fk.InvalidValue, match="not named after a language"):
        language.chosen(str(tmp_path / "klingon.po"))


@pytest.mark.parametrize(
    ("translation", "problem"),
    [
        ("{count:,} Flüge {when}", "holds {when}"),
        ("{count:,} {count Flüge", "holds expected '}'"),
        ("{count:%Y} Flüge", "holds {count:%Y}"),
        ("mehr", "lacks {count:,}"),
    ],
)
def test_a_translation_that_can_not_be_filled_in_is_refused(tmp_path, translation, problem):
    path = tmp_path / "fr.po"
    path.write_text(f'msgid "{{count:,}} more"\nmsgstr "{translation}"\n', encoding="utf-8")
    with pytest.raises(fk.InvalidValue, match=re.escape(problem)):
        language.chosen(str(path))


def test_a_catalogue_that_settings_name_is_relative_to_their_file(tmp_path, monkeypatch):
    (tmp_path / "fr.po").write_text('msgid "Flights"\nmsgstr "Vols"\n', encoding="utf-8")
    (tmp_path / "fleetkit.toml").write_text('lang = "fr.po"\ntz = "Europe/Paris"\n')
    monkeypatch.chdir("/")
    chosen = fk.settings.load(tmp_path / "fleetkit.toml", environ={})
    lang = chosen.lang
    assert (lang, chosen.tz) == (str(tmp_path / "fr.po"), "Europe/Paris")
    with language.using(lang):
        assert language.say("Flights") == "Vols"


@pytest.mark.parametrize("rule", ["n > 5 ? 7 : 0", "1 / n", "n % (n - 1)"])
def test_a_rule_of_plurals_that_leads_to_no_form_is_refused(tmp_path, rule):
    head = f'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=({rule});\\n"\n'
    (tmp_path / "fr.po").write_text(head, encoding="utf-8")
    with pytest.raises(fk.InvalidValue, match="lead to none of its 2 forms for"):
        language.chosen(str(tmp_path / "fr.po"))


@pytest.mark.parametrize("name", ["pt-BR", "pt_BR"])
def test_a_catalogue_may_be_named_after_language_and_country(tmp_path, name):
    path = tmp_path / f"{name}.po"
    path.write_text('msgid "Flights"\nmsgstr "Voos"\n', encoding="utf-8")
    with language.using(str(path)):
        assert fk.Period.read("2026-10").title == "outubro de 2026"


def test_a_catalogue_that_an_editor_marked_as_utf_8_is_read(tmp_path):
    path = tmp_path / "fr.po"
    path.write_text('msgid "Flights"\nmsgstr "Vols"\n', encoding="utf-8-sig")
    with language.using(str(path)):
        assert language.say("Flights") == "Vols"


POLISH = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n"

msgid "Flights"
msgstr "Loty"

msgid "{count} flight"
msgid_plural "{count} flights"
msgstr[0] "{count} lot"
msgstr[1] "{count} loty"
msgstr[2] "{count} lotów"

#, fuzzy
msgid "Hours"
msgstr "Godzina"

msgid "{count} pilot"
msgid_plural "{count} pilots"
msgstr[0] "{count} pilot"
msgstr[1] "{count} piloci"
"""  # noqa: E501 - as it stands in a file


def test_a_third_language_is_one_file_and_what_it_lacks_stays_english(tmp_path):
    (tmp_path / "pl.po").write_text(POLISH.strip(), encoding="utf-8")
    with language.using(str(tmp_path / "pl.po")):
        texts = [language.counted(count, "flight") for count in (1, 2, 5, 22, 1234)]
        assert texts == ["1 lot", "2 loty", "5 lotów", "22 loty", "1\u00a0234 loty"]
        assert language.say("Flights") == "Loty"
        # What waits for a translation, or lacks one of the three forms, stays English.
        assert language.say("Hours") == "Hours"
        assert language.counted(5, "pilot") == "5 pilots"
        assert fk.Period.read("2026-10").title == "październik 2026"
        assert language.named() == "pl"


def test_a_language_of_one_s_own_writes_numbers_and_months_as_every_font_has_them(tmp_path):
    (tmp_path / "fr.po").write_text(POLISH.strip(), encoding="utf-8")
    with language.using(str(tmp_path / "fr.po")):
        assert number(1234.5, 1) == "1\u00a0234,5"
        assert language.short_month(date(2026, 10, 31)) == "oct"


def test_a_catalogue_that_was_changed_is_read_again(tmp_path):
    path = tmp_path / "pl.po"
    for translation in ("Loty", "Przeloty"):
        path.write_text(POLISH.strip().replace("Loty", translation), encoding="utf-8")
        with language.using(str(path)):
            assert language.say("Flights") == translation


# Reports


def said(page):
    """Return what a page says, one text in a line, also where only some readers hear it."""
    page = re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)
    heard = re.findall(r'\b(?:aria-label|title|alt|data-(?:filter|count|csv)\S*)="([^"]*)"', page)
    texts = map(unescape, [*re.split(r"<[^>]*>", page), *heard])
    return [" ".join(re.sub("[\u2066-\u2069]", "", text).split()) for text in texts]


@pytest.fixture(scope="module", params=OTHERS)
def made(request, tmp_path_factory, warm_kernels):
    """Make a report in another language of a month of many texts: nine pages but for 2 %.

    In German, whose texts are the longest, of a month that isn't over and has sentences of its own,
    from a mirror.
    """
    out, so_far = tmp_path_factory.mktemp(request.param), request.param == "de"
    with fk.demo(as_of=date(2026, 11, 26) if so_far else date(2027, 3, 10)) as live:
        fleet = live
        if so_far:
            live.sync(out / "mirror", details=False)
            fleet = fk.open_mirror(out / "mirror")
        period = "2026-11" if so_far else "2027-02"
        return request.param, fk.report(period, fleet=fleet, out=out, lang=request.param)


@pytest.mark.slow
def test_a_report_in_another_language_holds_no_english_text(made):
    name, paths = made
    texts = said(paths.html.read_text(encoding="utf-8"))
    page, english = "\n".join(texts), set()
    for entry in entries(name):
        ids = entry.id if isinstance(entry.id, tuple) else (entry.id,)
        forms = entry.string if isinstance(entry.string, tuple) else (entry.string,)
        english |= set(ids) - {*forms, ""}
    assert sorted(english & set(texts)) == []
    # Of a text with values, what stands between them.
    parts = {max(re.split(r"\{[^}]*\}", text), key=len).strip() for text in english}
    assert [part for part in parts if len(part) > 12 and part in page] == []


@pytest.mark.slow
def test_the_heads_of_all_tables_are_translations(made):
    name, paths = made
    translations = {entry.string for entry in entries(name)}
    sections = [json.loads(path.read_text()) for path in paths.html.parent.rglob("section.json")]
    blocks = [block for section in sections for block in section["blocks"]]
    labels = {column["label"] for block in blocks for column in block.get("columns", ())}
    # What isn't named in `columns` is headed by the column's English name, which nobody translates.
    assert len(labels) > 50
    assert sorted(labels - translations) == []


@pytest.mark.slow
def test_a_month_within_a_sentence_is_written_as_the_language_has_it(made):
    name, paths = made
    caption = {"de": "Flugpraxis: 1.–25. Nov", "nb": "flyerfaring: februar 2027."}[name]
    assert caption in "\n".join(said(paths.html.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_page_pdf_and_manifest_say_which_language_it_is(made):
    name, paths = made
    page = paths.html.read_text(encoding="utf-8")
    assert f'<html lang="{name}">' in page
    assert json.loads(paths.manifest.read_text(encoding="utf-8"))["lang"] == name
    reader = PdfReader(paths.pdf)
    assert reader.trailer["/Root"]["/Lang"] == name
    title = {
        "de": "Flottenbericht · 1.–25. Nov. 2026, bisher",
        "nb": "Flåterapport · Februar 2027",
    }[name]
    assert reader.metadata.title.endswith(title)
    chapters = [entry["/Title"] for entry in reader.outline if isinstance(entry, dict)]
    assert {"de": "Flugstunden", "nb": "Flytimer"}[name] in chapters


@pytest.mark.slow
def test_it_has_nine_pages_at_most_in_other_languages_too(made):
    assert_well_set(PdfReader(made[1].pdf))


@pytest.mark.slow
def test_notebooks_of_a_report_can_be_run_by_themselves_in_its_language(made):
    name, paths = made
    paper = json.loads((paths.manifest.parent / "notebooks/pricing.ipynb").read_text())
    assert f'lang = "{name}"' in json.dumps(paper, ensure_ascii=False).replace('\\"', '"')
