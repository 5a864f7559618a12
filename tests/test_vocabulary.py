"""The house's voice: functions named by what they do or return, errors that say what was found, the field's words.

Where the house does not keep a rule yet, a number says how often: it may fall and never rise.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from counts import HOUSE, functions, is_bare, parsed

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "sordino").rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/*.md")])

MOST_BARE_NAMES = 55
"""Functions whose name is one word and a participle, an adjective or a preposition (`make counts`)."""

ALONE = re.compile(r"""found=f?["'](another|other|others|none|more|some|both|one|one of them|one twice)["']""")

NEVER = ["told by", "told of", r"tells? of", "never more than", "no larger than", r"(is|are) not told", "whoever"]
"""What nobody says; `at most`, `estimated from` and `reveal` are the words."""

SELDOM = {r"\btold\b": 0, r"\btells?\b": 0, r"\buntold\b": 2}
"""Words for which the field has better ones, and how often the pages use them."""


def bare_names():
    """One-word names of functions that name no deed and no thing, with how many functions have them."""
    return Counter(name for name in functions(parsed(HOUSE)) if is_bare(name))


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
    bare = [word for word in ("told", "sampled", "written", "settling", "share", "open", "bound") if is_bare(word)]
    assert bare == ["told", "sampled", "written", "settling"]
