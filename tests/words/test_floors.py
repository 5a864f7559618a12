"""How near the best a mean is told: the percentage is from integers and a proved bound; where nothing is said."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest

from sordino import LDP, BlockLDP, HighLowLDP, Nats, PairwiseLDP, forecast, plan
from sordino.blocks.sentence import Purpose
from sordino.design.numbers.least_variance import least_variance
from sordino.design.shares.variance_floor import matrix_floor
from sordino.papers import total_variation_floor
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.shares import above_floor as planned_floor
from sordino.words.explain_plan import NEARLY, explanation, floor_sentences
from surveys import planned

ONE = """\
version = 1
epsilon = "2"
[attribute.age]
number = { low = 20, high = 80 }
[[ask]]
mean = "age"
"""
TWO = ONE.replace("[[ask]]", "[attribute.height]\nnumber = { low = 140, high = 200 }\n[[ask]]")
BOTH = TWO.replace('mean = "age"', 'mean = ["age", "height"]')
SHARES = 'version = 1\nepsilon = "1"\n[attribute.age]\ncategories = 5\n[[ask]]\nhistogram = "age"\n'
SENSITIVE = SHARES.replace("categories = 5", 'categories = ["a", "b", "c"]\nprotect = { sensitive = ["a"] }')
DISTANCES = SHARES.replace(
    "categories = 5", 'categories = ["1", "2", "3", "4", "5"]\nprotect = { metric = { per = 2 } }'
)


def plan_of(text):
    return planned(text, 10_000)


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("epsilon", ["0.2", "4", "2"])
def test_the_percentage_is_that_of_the_plan_rounded_up(epsilon):
    plan = plan_of(ONE.replace('"2"', f'"{epsilon}"'))
    ((sentence,),) = (p.sentences for p in explanation(plan).details if p.heading == NEARLY)
    (mechanism,) = plan.questions[0].query.mechanisms
    means = mechanism.code_values(plan.questions[0].query.numbers[0].counted_moments[0][1])
    squares = mechanism.probabilities() @ means**2
    steps = [(2 * at / (mechanism.k - 1) - 1, square) for at, square in enumerate(squares.tolist())]
    fine = [i / 5000 - 1 for i in range(10_001)]
    worst = 0.0
    for (left, low), (right, high) in pairwise(steps):
        inside = [x for x in fine if left <= x <= right]
        worst = max(worst, *(low + (high - low) * (x - left) / (right - left) - x * x for x in inside))
    said = float(re.search(r"at most ([\d.]+) % above", sentence.text)[1])
    above = 100 * (worst / least_variance(Nats.of(epsilon)) - 1)
    assert above <= said <= above + 0.11
    assert sentence.purpose is Purpose.FLOOR
    assert "mean of age" in sentence.text


@pytest.mark.parametrize("text", [BOTH, ONE.replace('"2"', '"30"')])
def test_nothing_is_said_where_no_bound_is_proved(text):
    assert list(floor_sentences(plan_of(text))) == []


def test_each_question_has_its_own():
    plan = plan_of(TWO + '[[ask]]\nmean = "height"\n')
    assert [("age" in s.text, "height" in s.text) for s in floor_sentences(plan)] == [(True, False), (False, True)]


def test_shares_are_compared_with_the_floor_of_their_promise():
    ((best,), (near,)) = (list(floor_sentences(plan_of(text), search=True)) for text in (SHARES, DISTANCES))
    assert best.text.startswith("No mechanism with this guarantee has a lower total variance of the age")
    plan = plan_of(DISTANCES)
    channel = plan.about_shares[0].mechanism
    floor = matrix_floor(PairwiseLDP([[Fraction(abs(x - z), 2) for z in range(5)] for x in range(5)]))
    above = 100 * (channel.total_variance / float(floor) - 1)
    said = float(re.search(r"at most ([\d.]+) % above", near.text)[1])
    assert above <= said <= above + 0.11
    assert best.purpose is near.purpose is Purpose.FLOOR


def test_a_floor_that_lies_far_below_is_said_to_prove_little(monkeypatch):
    monkeypatch.setattr(SharesQuestion, "above_floor", lambda _, search: Fraction(1, 2))
    (sentence,) = floor_sentences(plan_of(DISTANCES))
    assert "may be much smaller" in sentence.text
    assert "at most 50 % above a lower bound" in sentence.text


def test_sensitive_values_have_a_floor():
    (sentence,) = floor_sentences(plan_of(SENSITIVE), search=True)
    assert float(re.search(r"at most ([\d.]+) % above", sentence.text)[1]) <= 0.05


@pytest.mark.parametrize("text", [SENSITIVE, DISTANCES])
def test_no_floor_is_searched_for_unless_it_is_asked_for(text, monkeypatch):
    plan = plan_of(text)
    assert [p.heading for p in explanation(plan, floor=True).details].count(NEARLY) == 1
    monkeypatch.setattr(planned_floor, "definition_floor", None)
    assert NEARLY not in [p.heading for p in explanation(plan).details]


FLOORS = {
    "one": ({}, (LDP("1"), 5)),
    "blocks": ({"blocks": [["a", "b"], ["c", "d", "e"]]}, (BlockLDP([[0, 1], [2, 3, 4]], "1"), None)),
    "sensitive": ({"sensitive": ["a", "b"]}, (HighLowLDP(5, [0, 1], "1"), None)),
    "distances": ({"metric": [0, 1, 2, 3, 4]}, None),
}


@pytest.mark.parametrize("name", FLOORS)
def test_a_plan_has_a_floor_on_total_variation_beside_its_forecast(name):
    protect, promise = FLOORS[name]
    attribute = {"categories": ["a", "b", "c", "d", "e"]} | ({"protect": protect} if protect else {})
    asked = {"version": 1, "epsilon": "1", "attribute": {"x": attribute}, "ask": [{"histogram": "x"}]}
    (one,) = forecast(plan(asked, 5000)).forecasts
    found = one.json()
    wanted = None if promise is None else total_variation_floor(promise[0], 5000, promise[1]).total_variation
    assert found["total_variation_floor"] == wanted
    assert wanted is None or wanted < found["expected"]["total_variation"]
    notes = " ".join(one.tables()[0].notes)
    said = re.findall(r"costs a total variation of at least ([\d.]+) in some population", notes)
    # Rounded down.
    assert said == ([] if wanted is None else [said[0]])
    assert wanted is None or 0.99 * wanted < float(said[0]) <= wanted
