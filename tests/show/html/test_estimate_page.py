"""The page of an estimate: what was found in figures, words and tables, small and the same each time."""

import re
from functools import cache
from html import escape, unescape

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, Plan, Survey, aggregate, estimate, plan, privatize
from sordino.audit.region import code_weights
from sordino.show.html.estimate_page import SimulationTruth, estimate_page
from sordino.show.html.figures import error_region
from sordino.show.html.figures.error_region import frequent, tightest
from sordino.show.html.page import PageTable, Section
from sordino.survey.results.result import results
from surveys import planned

GRID = """\
grid = { south = 25, north = 50, west = -130, east = -60, rows = 125, columns = 350 }
protect = { blocks = [5, 5] }"""
NAMES = 'categories = ["white", "black", "<b>none</b>"]'
PEOPLE = 20_000


def answer(attribute, method=None):
    """A plan that asks for one attribute, and what reports from a fixed key say."""
    text = f'version = 1\nepsilon = "1"\n[attribute.home]\n{attribute}\n[[ask]]\nhistogram = "home"\n'
    plan = planned(text, PEOPLE)
    k = plan.questions[0].domain.k
    values = np.random.default_rng(3).binomial(k - 1, 0.4, PEOPLE)
    source = KeyedSource(bytes(32), "page").for_records(np.arange(PEOPLE))
    return plan, results(plan, plan.sampled.tally(plan.sampled.privatize([values], source)), method)


answered = cache(answer)


@cache
def page_of(attribute, method=None):
    return estimate_page(*answered(attribute, method))


def words(page):
    """Of the figures."""
    return [
        unescape(found).replace("\N{NO-BREAK SPACE}", " ")
        for found in re.findall(r'role="img" aria-label="([^"]*)"', page)
    ]


def test_figures_tell_what_was_found():
    _, found = answered(NAMES)
    page = page_of(NAMES)
    (bars, region) = words(page)
    (result,) = found
    for value, name in enumerate(("white", "black", "<b>none</b>")):
        assert f"{name} {100 * result.estimate.value[value]:.2f} %" in bars
    assert "a test that errs equally often in both ways errs at least 26.9 % of the time" in region
    assert "&lt;b&gt;none&lt;/b&gt;" in page
    assert "<b>" not in page


def test_names_of_a_survey_stay_texts():
    evil = "<script>alert(1)</script> \"x\" 'y' {{ 7 * 7 }} \x1b[2J"
    shown = evil.replace("\x1b", "\\x1b")
    tables = {"version": 1, "epsilon": "1", "attribute": {evil: {"categories": [evil, "no"]}}}
    plan = Plan.of(Survey.read({**tables, "ask": [{"histogram": evil}]}), PEOPLE)
    source = KeyedSource(bytes(32), "page").for_records(np.arange(PEOPLE))
    codes = plan.sampled.privatize([np.zeros(PEOPLE, int)], source)
    page = estimate_page(plan, results(plan, plan.sampled.tally(codes)))
    assert "<script" not in page
    assert "7 * 7" in page
    assert "\x1b" not in page
    assert f"<title>Shares of {escape(shown)}</title>" in page.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


def test_a_map_tells_its_cells_and_that_their_names_are_centres():
    _, found = answered(GRID)
    page = page_of(GRID)
    somebody = int((found[0].fitted >= (1 - 1e-9) / PEOPLE).sum())
    assert f"Map, Fitted shares: {somebody:,} of 43,750 cells have people; most are at " in words(page)[0]
    assert "A cell is named by its centre: degrees north, negative in the south" in page


def test_a_certificate_and_its_figure_name_what_somebody_can_relate_to():
    plan, found = answered(GRID)
    page = unescape(page_of(GRID))
    cells = [found[0].question.domain.label(value) for value in range(plan.questions[0].domain.k)]
    first, second = re.search(r"distinguishes '(\S+)' from '(\S+)' by a loss of 1 nat", page).groups()
    assert {first, second} < set(cells)
    region = next(text for text in words(page) if text.startswith("Error rates"))
    shown = re.search(r"distinguish '(\S+)' from '(\S+)' by", region).groups()
    largest = [cells[value] for value in found[0].largest(15)]
    assert set(shown) < set(largest)
    # Cells of one block: others are not protected from each other.
    one, two = (cells.index(cell) for cell in shown)
    assert found[0].question.definition.bound(one, two) == found[0].question.definition.epsilon
    assert "These two answers are frequent;" in page


def test_frequent_values_stand_for_the_easiest_only_where_they_are_as_easy():
    plan, _ = answered(f"categories = 40\nprotect = {{ metric = {[*range(40)]} }}")
    (question,) = plan.about_shares
    easiest = tightest(question)
    assert abs(easiest[0] - easiest[1]) == 1
    # Of values that are further apart the promise allows more, and least is left elsewhere.
    assert frequent(question, [0, 5, 20]) == easiest
    assert frequent(question, []) == easiest


def test_a_simulation_shows_its_truth_and_compares():
    plan, found = answered(GRID)
    truth = np.full(43_750, 1 / 43_750)
    shown = found[0].blocks(truth, [("Other", truth)])
    known = SimulationTruth([shown], Section("Compared", (PageTable(("a",), (("1",),)),)), ("a note",))
    page = estimate_page(plan, found, "Places", known)
    assert [text.split(":")[0] for text in words(page)[:3]] == ["Map, Truth", "Map, Fitted shares", "Map, Other"]
    assert re.findall("<h3>(.*)</h3>", page)[:3] == ["Truth", "Fitted shares", "Other"]
    assert "<title>Places</title>" in page
    for heading in ("Compared", "The data"):
        assert f">{heading}</h2>" in page
    # The demo's page has as many cells and maps.
    assert len(page) < 1_000_000


def test_the_same_estimate_is_the_same_page():
    plan, found = answered(NAMES)
    page = estimate_page(plan, found)
    assert estimate_page(plan, found) == page
    assert estimate_page(*answer(NAMES)) == page


def test_numbered_values_have_a_histogram():
    page = page_of("categories = 40")
    assert "Columns of the shares of home from 0 to 39" in words(page)[0]
    assert page.count('class="wide drawing"') == 1


def test_what_a_histogram_shows_in_order_is_no_row_of_bars_too():
    """Forty values stand in the survey's order; of more the table has the largest, and so have bars."""
    page = page_of("categories = 40")
    assert not any(said.startswith("Bars") for said in words(page))
    assert "Shares</h2>" in page
    labels = re.findall(r'<th scope="row"[^>]*>([^<]*)</th>', page)
    assert labels[:40] == [str(value) for value in range(40)]
    assert any(said.startswith("Bars of 15") for said in words(page_of("categories = 41")))


def test_what_the_numbers_beside_bars_are_and_of_whom_intervals_are_is_said():
    page = page_of(NAMES)
    assert "The numbers on the right are the estimates, drawn as dots; bars are the fitted shares." in page
    assert page.count("a population from which these people were drawn at random") == 1


def test_a_legend_and_the_table_say_which_share_is_which():
    page = page_of(NAMES)
    assert "estimate, with its interval" in page
    assert "fitted: a valid distribution near the estimates" in page
    assert re.findall(r'data-name="([^"]*)"', page)[:5] == [
        "estimate",
        "std. error",
        "from",
        "to",
        "fitted",
    ]
    plain = page_of(NAMES, "unbiased")
    assert "fitted" not in plain.partition("<main>")[2]


def test_what_a_report_reveals_leads_with_a_few_sentences_and_folds_the_others():
    _, _, after = page_of(GRID).partition("What one report can reveal</h2>")
    shown, _, folded = after.partition("<details>")
    assert 1 <= shown.count("<p>") <= 5
    assert folded.partition("</details>")[0].count("<p>") >= 1


def test_a_value_of_several_pairs_is_looked_at_once(monkeypatch):
    """Each weight of a channel by distances takes a walk along the values."""
    plan, found = answered("categories = 40\nprotect = { metric = { per = 2 } }")
    (question,) = plan.about_shares
    largest = found[0].largest(15).tolist()
    looked = []
    monkeypatch.setattr(error_region, "code_weights", lambda _, value: looked.append(value) or code_weights(_, value))
    assert set(frequent(question, largest)) <= {*largest, *tightest(question)}
    assert len(looked) == len(set(looked)) > 2


def test_many_tables_are_folded_below_how_attributes_go_together():
    names = ("a", "b", "c", "d")
    attributes = {name: {"categories": ["yes", "no"]} for name in names}
    asked = {"version": 1, "epsilon": "2", "attribute": attributes, "ask": [{"tables": {"of": list(names)}}]}
    frozen = plan(asked, people=6_000)
    values = {name: ["yes", "no"] * 3_000 if name in "ab" else ["yes"] * 3_000 + ["no"] * 3_000 for name in names}
    people = pa.table(values | {"id": [str(i) for i in range(6_000)]})
    reports = privatize(frozen, people, KeyedSource(bytes(32), "many"), id_column="id")
    found = estimate(frozen, aggregate(frozen, reports))
    page = estimate_page(frozen, found.results, views=found.views)
    headings = re.findall(r'<h2 id="section-\d+">([^<]+)</h2>', page)
    assert headings[:2] == ["What was found", "Which attributes go together"]
    assert headings[2:4] == ["From several questions together", "Each table"]
    folds = re.findall(r"<summary>([^<]+)</summary>", page)
    assert [fold for fold in folds if fold in {"a, b", "a, c", "c, d"}] == ["a, b", "a, c", "c, d"]
    assert page.count("<details>") == page.count("</details>") == len(folds)
    assert "Independence is ruled out for 2 pairs: " in page


@pytest.mark.parametrize(("values", "are_folded"), [(4, False), (35, True)])
def test_of_many_groups_each_question_is_folded(values, are_folded):
    """How many reports there are and whether groups are equal stand open; nothing is lost."""
    labels, regions = [f"v{at}" for at in range(values)], ["north", "middle", "south"]
    asked = {
        "version": 1,
        "epsilon": "4",
        "public": {"region": {"categories": regions, "totals": dict.fromkeys(regions, 100)}},
        "attribute": {"a": {"categories": labels}, "b": {"categories": labels}},
        "ask": [{"histogram": "a"}, {"histogram": "b"}],
    }
    frozen, count = plan(asked, people=9_000), 9_000
    people = {name: [labels[(at // 3) % values] for at in range(count)] for name in ("a", "b")}
    people |= {"region": [regions[at % 3] for at in range(count)], "id": [str(at) for at in range(count)]}
    reports = privatize(frozen, pa.table(people), KeyedSource(bytes(32), "groups"), id_column="id")
    found = estimate(frozen, reports, by=["region"])
    page = estimate_page(frozen, found.results, views=found.views)
    headings = re.findall(r'<h2 id="section-\d+">([^<]+)</h2>', page)
    folds = re.findall(r"<summary>([^<]+)</summary>", page)
    assert {"Reports by region", "Weighted by region", "Are the groups by region equal?"} <= set(headings)
    assert ("Estimates by region" in headings) == are_folded
    assert ("a by region" in headings, "a by region" in folds) == (not are_folded, are_folded)
    # The weighted tables of both questions.
    assert ({"a", "b"} <= set(folds)) == are_folded
    assert page.count("north: v3</th>") == page.count("north: v2</th>") > 1
