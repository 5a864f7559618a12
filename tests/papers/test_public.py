"""Pages of the papers, `sordino.papers` and the docstrings agree; bounds of an attribute hold against enumeration."""

import ast
import inspect
import re
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
    "context-aware.md": """Definition 1, Definition 2, Definition 3, Definition 4, Theorem 1, Figure 1, Proposition 1,
        Proposition 2, Proposition 3, Theorem 2, Theorem 3, Proposition 4, Lemma 1, Claim 1, Theorem 4, Proposition 5,
        Table 1, Figure 2, Figure 3, Lemma 2""",
    "bayesian-coordinate.md": """Definition 1, Definition 2, Proposition 1, Definition 3, Definition 4, Proposition 2,
        Theorem 1, Figure 1, Proposition 3, Example 1, Proposition 4, Example 2, Proposition 5, Mechanism 1, Figure 2,
        Assumption 1, Mechanism 2, Theorem 2, Corollary 1, Assumption 2, Algorithm 3, Theorem 3, Proposition 6,
        Figure 3, Lemma 1""",
    "bayesian-filter.md": """Example 1, Definition 2.1, Definition 3.1, Theorem 3.1, Lemma 3.1, Theorem 3.2,
        Proposition 3.1, Proposition 3.2, Lemma 3.2, Definition 3.2, Definition 3.3, Algorithm 1, Definition 4.1,
        Definition 4.2, Theorem 4.1, Corollary 4.1, Definition 4.3, Algorithm 2, Definition 4.4, Algorithm 3,
        Theorem 4.2, Definition 4.5, Definition 4.6, Definition 4.7, Algorithm 4, Algorithm 5, Algorithm 6,
        Definition 6.1, Lemma 6.1, Definition 6.2, Theorem 6.1, Corollary 6.1, Lemma 6.2, Definition 6.3,
        Corollary 6.2, Definition 6.4, Theorem 6.2, Theorem 6.3, Corollary 6.3, Figure 1, Figure 2, Theorem D.1,
        Corollary D.1, Corollary D.2, Figure 3, Conjecture D.1, Conjecture D.2, Theorem E.1, Theorem E.2,
        Conjecture E.1, Figure 4, Table 1""",
}
"""All numbered items of each paper, in its order."""

WORDS = {
    "context-aware.md": ["context-aware LDP", "E-LDP", "HLLDP", "BSLDP", "Mangat", "Warner", "1911.00038"],
    "bayesian-coordinate.md": ["BCDP", "2410.18404"],
    "bayesian-filter.md": [
        "Bayesian privacy filter", "knowledge gain", "learning limit", "full utilization", "compactible", "independent",
        "2307.08159",
    ],
}  # fmt: skip
"""What a reader of each paper looks for, first its name in `Source` lines."""

QUICK = {"reproduce fig3": ("--repeats", "0")}
"""Options with which a command prints what it is cited for sooner."""

NUMBERED = r"(?!Section|Appendix)[A-Z][a-z]+ (?:[A-F]\.)?\d(?:\.\d)?\b"
PLACES = rf"{NUMBERED}|Section \d(?:\.\d)?|Appendix [A-F]|\(\d+\)"


def rows(page):
    """The cells of each row of a page's table: item, line, names."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [row.split(" | ")[:3] for row in re.findall(r"^\| (.*) \|$", text, re.MULTILINE)][1:]


def sources(docstring):
    """The places that a docstring's Source line names, by the page of their paper."""
    line = re.search(r"^Source: (.*?)(?:\n\n|\Z)", docstring, re.DOTALL | re.MULTILINE)
    parts = re.split("; ", " ".join(line[1].split())) if line else []
    return {
        page: set(re.findall(PLACES, part))
        for page, (paper, *_) in WORDS.items()
        for part in parts
        if part.startswith(f"{paper} paper, ")
    }


@pytest.mark.parametrize("page", ITEMS)
def test_a_page_has_every_item_in_order_and_names_what_exists(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    items = [item for first, *_ in rows(page) for item in re.findall(NUMBERED, first)]
    assert items == " ".join(ITEMS[page].split()).split(", ")
    assert [word for word in WORDS[page][1:] if word not in text] == []
    for name in re.findall(r"`papers\.(\w+)`", text):
        assert name in papers.__all__
    commands = {" ".join(words) for words, _ in every_command()}
    for command in re.findall(r"`sordino (reproduce [\w-]+)`", text):
        assert command in commands


@pytest.mark.parametrize("page", ITEMS)
def test_pages_and_docstrings_name_the_same_places(page):
    named = {}
    for first, _, names in rows(page):
        for name in re.findall(r"`(?:papers\.)?(\w+)\W", names):
            if name in {*sordino.__all__, *papers.__all__}:
                named.setdefault(name, set()).update(re.findall(PLACES, first))
    for name, places in named.items():
        found = getattr(papers if name in papers.__all__ else sordino, name)
        assert sources(inspect.getdoc(found)).get(page, set()) & places, (name, places)
    assert {name for name in papers.__all__ if page in sources(inspect.getdoc(getattr(papers, name)))} <= named.keys()


def comparisons():
    """Figures of what is better here, by the command that prints them."""
    found = {}
    for page in ITEMS:
        for row in re.findall(r"^\| (.*) \|$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE):
            for told, command in re.findall(r"better: ([^|]*?), by (?:`sordino ([^`]+)`|the example below)", row):
                place = command or page
                found.setdefault(place, []).extend(re.findall(r"(?<![\w.])\d*\.\d+|\d+(?:,\d{3})+", told))
    return found


@pytest.mark.long
@pytest.mark.parametrize("place", sorted(comparisons()))
def test_figures_of_what_is_better_are_printed_by_their_commands(place, run):
    if place in ITEMS:
        shown = (DOCS / place).read_text(encoding="utf-8").partition("```python")[2]
    else:
        code, shown, errors = run(*place.split(), *QUICK.get(place, ()))
        assert (code, errors) == (0, "")
    figures = comparisons()[place]
    assert figures
    assert [figure for figure in figures if figure.replace(",", "") not in shown] == []


@pytest.mark.parametrize("name", papers.__all__)
def test_each_public_name_says_which_item_of_one_paper_it_is(name):
    assert len(sources(inspect.getdoc(getattr(papers, name)))) == 1


def test_type_checkers_read_the_same_names_in_the_same_homes():
    stub = ast.parse(Path(papers.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert homes == papers._HOMES
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == papers.__all__


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


@pytest.mark.parametrize("seed", range(20))
def test_budgets_that_keep_the_linear_conditions_keep_their_deltas(seed):
    """By Proposition 4 itself, whose sum over all others is in its exponent; at corners and within."""
    random = np.random.default_rng(seed)
    deltas, variations = random.uniform(0.05, 3, 3), random.uniform(0, 1, 3) * (random.random(3) > 0.2)
    conditions = papers.budget_conditions(deltas.tolist(), variations.tolist())
    direction = random.dirichlet(np.ones(3))
    budgets = direction / (conditions @ direction).max()
    others = budgets.sum() - budgets
    reached = budgets + np.log1p(variations * np.expm1(others))
    assert (reached <= deltas).all()
    # As the paper has it, one attribute alone may have all of its delta.
    assert np.diag(conditions) == pytest.approx(1 / deltas)
    assert conditions[0, 1] == pytest.approx(1 / np.log1p(np.expm1(deltas[0]) / variations[0]) if variations[0] else 0)


@pytest.mark.parametrize(("deltas", "variations"), [(["0"], ["0.1"]), (["1", "1"], ["0.1"])])
def test_conditions_on_budgets_are_of_deltas_each_with_its_q(deltas, variations):
    with pytest.raises(SordinoError, match="each with its q"):
        papers.budget_conditions(deltas, variations)


def test_a_budget_is_the_largest_that_keeps_its_delta():
    assert papers.attribute_loss(papers.attribute_budget(0.9, 0.1, 2), 0.1, 2) == pytest.approx(0.9)
    assert papers.attribute_budget(3, 1, 2) == 2
    with pytest.raises(SordinoError, match="no budget keeps delta"):
        papers.attribute_budget(0.1, 0.1, 2)
    with pytest.raises(SordinoError, match="between 0 and epsilon"):
        papers.attribute_loss(3, 0.1, 2)
