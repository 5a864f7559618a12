"""The house's voice: functions named by what they do or return, errors that say what was found, the field's words.

Where the house does not keep a rule yet, a number says how often: it may fall and never rise.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "sordino").rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/*.md")])

PARTICIPLE = re.compile(r"\w+(ed|en|ing)")
IRREGULAR = {
    *("asked", "drawn", "found", "given", "held", "kept", "known", "left", "lost", "made", "sent", "shown", "spent"),
    *("told", "alike", "bare", "beside", "between", "lasting", "steady"),
}
"""Participles without an ending, and other words that are no name of what is returned."""

FIELD_TERMS = {
    *("binding", "ceiling", "heading", "reading", "rounding", "setting", "smoothing", "spacing", "warning"),
    *("even", "len", "listen", "open", "then", "tighten", "widen"),
}
"""Nouns and verbs that end like participles."""

MOST_BARE_NAMES = 50
"""Functions whose name is one word and a participle, an adjective or a preposition."""

ALONE = re.compile(r"""found=f?["'](another|other|others|none|more|some|both|one|one of them|one twice)["']""")

NEVER = ["told by", "told of", r"tells? of", "never more than", "no larger than", r"(is|are) not told", "whoever"]
"""What nobody says; `at most`, `estimated from` and `reveal` are the words."""

SELDOM = {r"\btold\b": 0, r"\btells?\b": 0, r"\buntold\b": 2}
"""Words for which the field has better ones, and how often the pages use them."""


def bare_names():
    """One-word names of functions that name no deed and no thing, with how many functions have them."""
    found = Counter()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                word = node.name.strip("_")
                if "_" not in word and word not in FIELD_TERMS and (word in IRREGULAR or PARTICIPLE.fullmatch(word)):
                    found[word] += 1
    return found


def test_functions_are_named_by_a_verb_or_by_what_they_return():
    found = bare_names()
    assert found.total() <= MOST_BARE_NAMES, f"{found.total()} bare names, as {found.most_common(20)}"


def test_errors_say_what_was_found():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ALONE.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_the_words_of_the_field(page):
    text = page.read_text(encoding="utf-8")
    assert {words: found for words in NEVER if (found := re.search(rf"\b{words}\b", text, re.IGNORECASE))} == {}


@pytest.mark.parametrize("words", SELDOM)
def test_words_that_pages_seldom_need_do_not_spread(words):
    found = {
        str(page.relative_to(ROOT)): len(re.findall(words, page.read_text("utf-8"), re.IGNORECASE)) for page in PAGES
    }
    assert sum(found.values()) <= SELDOM[words], found


def test_the_rule_knows_names_from_participles():
    bare = [word for word in ("told", "sampled", "written", "settling", "share", "open") if PARTICIPLE.fullmatch(word)]
    assert bare == ["sampled", "written", "settling", "open"]
    assert {"open", "reading"} <= FIELD_TERMS
    assert ALONE.search('found="another")')
    assert not ALONE.search('found="another plan")')
