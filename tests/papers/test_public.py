"""Pages of the papers, `sordino.papers` and the docstrings agree; bounds of an attribute hold against enumeration."""

import inspect
import re
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sordino
from commands import every_command
from sordino import papers
from sordino.errors import SordinoError

DOCS = Path(__file__).parents[2] / "docs" / "papers"
ITEMS = {
    "context-aware.md": (
        [f"Definition {n}" for n in range(1, 5)] + [f"Theorem {n}" for n in range(1, 5)]
        + [f"Proposition {n}" for n in range(1, 6)] + [f"Figure {n}" for n in range(1, 4)]
        + ["Lemma 1", "Lemma 2", "Claim 1", "Table 1", "E-LDP", "HLLDP", "BSLDP", "Mangat", "Warner", "1911.00038"]
    ),
    "bayesian-coordinate.md": (
        [f"Definition {n}" for n in range(1, 5)] + [f"Theorem {n}" for n in range(1, 4)]
        + [f"Proposition {n}" for n in range(1, 7)]
        + ["Example 1", "Example 2", "Assumption 1", "Mechanism 1", "Mechanism 2", "Algorithm 3", "Corollary 1"]
        + ["Figure 1", "Figure 3", "2410.18404"]
    ),
    "bayesian-filter.md": (
        [f"Algorithm {n}" for n in range(1, 6)] + [f"Figure {n}" for n in range(1, 5)]
        + ["knowledge gain", "learning limit", "full utilization", "compactible", "independent", "2307.08159"]
        + ["Definition 3.2", "Definition 4.5", "Definition 6.1", "Theorem 6.3", "Conjectures D.1", "Conjecture E.1"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("page", ITEMS)
def test_a_page_has_every_item_and_names_what_exists(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [item for item in ITEMS[page] if item not in text] == []
    for name in re.findall(r"`papers\.(\w+)`", text):
        assert name in papers.__all__
    for name in re.findall(r"`([A-Z]\w+)[`(]", text):
        assert name in sordino.__all__, name
    commands = {" ".join(words) for words, _ in every_command()}
    for command in re.findall(r"`sordino (reproduce [\w-]+)`", text):
        assert command in commands


@pytest.mark.parametrize("name", papers.__all__)
def test_public_names_say_which_item_they_are_and_stand_in_a_page(name):
    found = getattr(papers, name)
    if name != "FiniteEvidence":
        home = sys.modules[found.__module__]
        assert "Source:" in (inspect.getdoc(found) or "") + (home.__doc__ or "")
    assert any(name in (DOCS / page).read_text(encoding="utf-8") for page in ITEMS)


def test_no_beliefs_within_q_lose_more_and_some_lose_as_much():
    generator = np.random.default_rng(1)
    for _ in range(2000):
        chances = generator.uniform(0.05, 1, (2, 2))  # of one report, by the attribute and the other one
        c = float(np.abs(np.diff(np.log(chances), axis=0)).max())
        epsilon = max(c, float(np.log(chances.max() / chances.min())))
        first, second = generator.uniform(0, 1, 2)
        held = [(1 - p) * row[0] + p * row[1] for p, row in zip((first, second), chances, strict=True)]
        lost = abs(np.log(held[0] / held[1]))
        tight = papers.attribute_loss(c, abs(first - second), epsilon)
        assert lost <= tight + 1e-12
        assert tight <= papers.attribute_loss(c, abs(first - second), epsilon, "paper") + 1e-12
    for c, q, more in product((0, 0.3), (0, 0.2, 1), (0.5, 2)):
        epsilon = c + more
        chances = np.exp([[c, epsilon], [0, more]])
        lost = np.log(((1 - q) * chances[0, 0] + q * chances[0, 1]) / chances[1, 0])
        assert papers.attribute_loss(c, q, epsilon) == pytest.approx(lost)


def test_a_budget_is_the_largest_that_keeps_its_delta():
    assert papers.attribute_loss(papers.attribute_budget(0.9, 0.1, 2), 0.1, 2) == pytest.approx(0.9)
    assert papers.attribute_budget(3, 1, 2) == 2
    with pytest.raises(SordinoError, match="no budget keeps delta"):
        papers.attribute_budget(0.1, 0.1, 2)
    with pytest.raises(SordinoError, match="between 0 and epsilon"):
        papers.attribute_loss(3, 0.1, 2)
