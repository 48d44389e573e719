"""The names of the code are those of the glossary."""

import ast
import inspect
import re
from pathlib import Path

import pytest
from test_examples import PUBLIC

import fleetkit as fk
from fleetkit.columns import COLUMNS

ROOT = Path(__file__).parent.parent
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
MODULES = sorted((ROOT / "fleetkit").rglob("*.py"))
# Names that others chose: asyncio's callback, HTTP's 404.
NAMES_OF_OTHERS = {"connection_lost", "NotFound", "not_found"}


def table(heading):
    """Return the rows of the table below a heading, as tuples of texts."""
    section = GLOSSARY.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section, flags=re.MULTILINE)
    return [row for row in rows if row[1] not in {"Meaning", "But"}]


def unused_words():
    """Return the words that the glossary rules out."""
    rows = table("Names that the code does not use")
    return {word for words, _ in rows for word in words.split(", ")}


def names_of(module):
    """Return the names that a module defines: functions, classes, arguments, variables."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.arg():
                names.add(node.arg)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.Attribute(ctx=ast.Store()):
                names.add(node.attr)
    return names - NAMES_OF_OTHERS


def words_of(name):
    """Return the words of a name in snake_case or CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_the_glossary_rules_words_out():
    assert {"each", "found", "kept", "asker"} <= unused_words()
    assert words_of("_FilteredRow_each") == {"filtered", "row", "each"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_name_has_a_word_that_the_glossary_rules_out(module):
    unused = unused_words()
    ruled_out = {name for name in names_of(module) if words_of(name) & unused}
    assert ruled_out == set(), "docs/glossary.md says what to call them"


@pytest.mark.parametrize(
    "term",
    [
        "fleet",
        "equipment",
        "bridge",
        "period",
        "window",
        "state",
        "version",
        "sync",
        "section",
        "block",
        "figure",
        "mirror",
        "filter",
        "metric",
        "dial",
    ],
)
def test_a_term_of_the_interface_has_one_line_in_the_glossary(term):
    terms = re.findall(r"^\| (.+?) \|", GLOSSARY, flags=re.MULTILINE)
    assert [name for names in terms for name in names.split(", ")].count(term) == 1


def test_the_public_classes_are_terms_of_the_glossary():
    named = {"Fleet": "fleet", "MirroredFleet": "mirror", "Period": "period", "Filter": "filter"}
    assert all(f"| {term} |" in GLOSSARY for term in named.values())
    classes = {
        name
        for name in fk.__all__
        if isinstance(getattr(fk, name), type)
        and not issubclass(getattr(fk, name), (Exception, Warning))
    }
    assert classes == set(named)


def singular(word):
    return word if word.endswith("ss") else word.removesuffix("s")


def ordinary_words():
    """Return what the glossary lists of parameters that need no term, as they are written."""
    paragraphs = GLOSSARY.split("## Parameters that need no term\n", 1)[1].split("\n\n")
    return {"_".join(word.split()) for word in paragraphs[1].split(",")}


def vocabulary():
    """Return what a parameter may be called: terms, names of the data, ordinary words."""
    terms = re.findall(r"^\| (.+?) \|", GLOSSARY, flags=re.MULTILINE)
    fields = {column.name for columns in COLUMNS.values() for column in columns}
    filters = set(inspect.signature(fk.Filter).parameters)
    names = {*COLUMNS, *fields, *filters, *fk.metrics.__all__}
    names |= {term.strip() for text in terms for term in re.split(r"[,(`)*;]", text)}
    names |= ordinary_words()
    return {singular(name.replace(" ", "_")) for name in names}


def parameters():
    """Return the parameters of public functions, each with a function that has it."""
    methods = vars(fk.reports.Section).items()
    section = {f"fk.reports.Section.{name}": method for name, method in methods if name[0] != "_"}
    return {
        parameter: name
        for name, function in {**PUBLIC, **section}.items()
        if inspect.isroutine(function)
        for parameter in inspect.signature(function).parameters
    }


def is_word(name, words):
    """Say whether a name is a word, or is made of words: ``changed_since``."""
    if singular(name) in words:
        return True
    first, _, rest = name.partition("_")
    return bool(rest) and singular(first) in words and is_word(rest, words)


def test_a_parameter_bears_a_term_of_the_glossary_or_an_ordinary_word():
    words = vocabulary()
    others = {name: of for name, of in parameters().items() if not is_word(name, words)}
    assert others == {}, "choose a word of docs/glossary.md, or add it to the ordinary ones there"


def test_a_parameter_of_no_term_is_seen():
    words = vocabulary()
    assert not is_word("gizmo", words)
    assert not is_word("flight_gizmo", words)
    assert is_word("changed_since", words)


def test_an_ordinary_word_is_one_that_a_parameter_bears():
    assert ordinary_words() - set(parameters()) == set()
