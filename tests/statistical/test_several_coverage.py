"""Intervals of categories of which several apply cover as often as they say, by both ways, of rare ones too."""

import numpy as np
import pytest

from sordino import Aggregate, plan
from sordino.domain.choices import Choices
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.several.several_result import SeveralResult
from sordino.survey.schema.expected_people import expected_of_combinations

SURVEYS = 2000
LEAST, MOST = 0.935, 0.985
"""95 % within three standard errors of 2,000 surveys; more above, near 0, where limits are cut."""

CATEGORIES = ("a", "b", "c", "d")

PEOPLE = {
    "even": {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.3},
    "rare": {"a": 0.5, "b": 0.05, "c": 0.02, "d": 0.01},
}

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize(("way", "epsilon", "n"), [("category", "1", 3000), ("combination", "4", 1000)])
def test_shares_of_categories(way, epsilon, n, people):
    attribute = {"categories": [*CATEGORIES], "several": 2}
    survey = {"version": 1, "epsilon": epsilon, "attribute": {"x": attribute}, "ask": [{"several": "x"}]}
    (question,) = plan(survey, n).questions
    assert question.part.way == way
    choices = Choices(CATEGORIES, 2)
    shares = expected_of_combinations(PEOPLE[people], choices)
    values, truth = choices.values, shares @ choices.applies(choices.values)
    inside, rng = np.zeros(len(truth)), np.random.default_rng(len(people) + n)
    for _ in range(SURVEYS):
        column = question.column({"x": values[rng.choice(choices.k, n, p=shares)]})
        found = SeveralResult.of(question, _tally(question, column, rng), Coverage())
        inside += (found.numbers["low"] <= truth) & (truth <= found.numbers["high"])
    assert ((inside / SURVEYS >= LEAST) & (inside / SURVEYS <= MOST)).all(), inside / SURVEYS


def _tally(question, column, rng):
    """Reports as the mechanism's distribution has them, of people who were drawn for each category alike."""
    mechanism = question.mechanism
    if not question.by_category:
        each = np.bincount(column, minlength=mechanism.k)
        counts = [
            rng.multinomial(count, mechanism.forward(row)) for count, row in zip(each, np.eye(mechanism.k), strict=True)
        ]
        return Aggregate(question.query.fingerprint, len(column), np.sum(counts, axis=0))
    applies = column[:].records > 0
    drawn = rng.integers(applies.shape[1], size=len(applies))
    counts = []
    for mark, has in enumerate(applies.T):
        own = has[drawn == mark]
        for value in (False, True):
            law = mechanism.forward(np.eye(2)[int(value)])
            counts.append(rng.multinomial(int((own == value).sum()), law))
    whole = np.array(counts).reshape(-1, 2, mechanism.outputs).sum(axis=1).reshape(-1)
    return Aggregate(question.query.fingerprint, len(applies), whole)
