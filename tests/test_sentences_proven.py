"""Every function that says something is read back by a test, and so must a new one be."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from a_sentence import sentence_functions

TESTS = sorted(path.stem for path in Path(__file__).parent.glob("test_sentences_*.py"))
# What says nothing that is counted: which day it is, what a filter, a version or a token is called;
# and what hands on what others say.
NOT_COUNTED = {
    "build.report",
    "chapters.check_within",
    "chapters.parted",
    "contradictions.contradictions",
    "freshness.provenance",
    "index.context",
    "mirror_history.history_note",
    "past.Past.explained",
    "past.Past.priced",
    "pdf.for_paper",
    "recency.Recency.columns",
    "recency.Recency.title",
    "render.html",
    "render.in_words",
    "section.Section.definition",
    "section.Section.figure",
    "section.Section.line",
    "section.Section.note",
    "section.Section.sentence",
    "section.Section.table",
    "sentences.as_of_text",
    "sentences.during",
    "subject.Subject.context",
    "subject.Subject.folder",
    "texts.shown",
    "words.in_language",
}
# What is counted by tests of their own, on rows that are written out.
ELSEWHERE = {
    "_quality.named_tokens": "test_data_quality",
    "comparison.Comparison.compared": "test_comparison",
    "last_flight.last_flight": "test_comparison",
    "past.Past.lines": "test_report_restatements",
    "tabulating.tabulated": "test_report_tables",
}


def proven() -> set[str]:
    tests = (test for name in TESTS for test in vars(import_module(name)).values())
    return {name for test in tests for name in getattr(test, "proves", ())}


@pytest.mark.slow
def test_every_function_that_says_something_is_read_back():
    others = sentence_functions() - proven() - NOT_COUNTED - ELSEWHERE.keys()
    assert others == set(), "a test of tests/test_sentences_*.py is marked as what proves it"


@pytest.mark.slow
def test_what_is_proven_or_left_out_is_a_function_that_says_something():
    assert (proven() | NOT_COUNTED | ELSEWHERE.keys()) - sentence_functions() == set()
    assert proven() & (NOT_COUNTED | ELSEWHERE.keys()) == set()
