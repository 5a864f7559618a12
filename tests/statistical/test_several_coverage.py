"""Intervals for categories of which several apply, by groups that meet the answer: how often they hold."""

import numpy as np
import pytest

from sordino import Aggregate, plan
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.several.several_result import SeveralResult

NAMES = 12
MOST = 3
SURVEYS = 200
EPSILONS = ("1", "4")


def question_of(epsilon):
    attribute = {"categories": [f"c{place}" for place in range(NAMES)], "several": MOST}
    survey = {"version": 1, "epsilon": epsilon, "attribute": {"x": attribute}, "ask": [{"several": "x"}]}
    (question,) = plan(survey, 1000).questions
    assert question.part.way == "meeting"
    return question


def drawn(question, n, rng):
    """The sets of some people and their reports: names of decreasing shares, up to three of them."""
    odds = 0.5 ** np.arange(NAMES)
    wish = rng.random((n, NAMES)) < odds / (1 + odds)
    has = wish & (np.cumsum(wish, axis=1) <= MOST)
    values = has @ (1 << np.arange(NAMES))
    return has, question.mechanism.tally(question.mechanism.privatize(question.choices.set_numbers(values)))


@pytest.mark.parametrize("n", [30, 300, 3000])
def test_intervals_of_shares_hold(n):
    """Of every category, of none of them and of how many apply: each by itself, and all together."""
    rng = np.random.default_rng(n)
    for epsilon in EPSILONS:
        question = question_of(epsilon)
        has, _ = drawn(question, 200_000, rng)
        sizes = has.sum(axis=1)
        truth = np.array([*has.mean(axis=0), (sizes == 0).mean()])
        many = np.array([(sizes >= size).mean() for size in range(2, MOST + 1)])
        held, counted, together, narrow = [], [], [], []
        for _ in range(SURVEYS):
            _, tally = drawn(question, n, rng)
            own = Aggregate(question.query.fingerprint, n, tally.counts)
            found = SeveralResult.of(question, own, Coverage())
            numbers, counts = found.numbers, found.counts
            held.append((numbers["low"] <= truth) & (truth <= numbers["high"]))
            away = np.abs(truth - numbers["estimate"]) / numbers["stderr"]
            narrow.append((away < 1.3)[numbers["low"] > 0])
            counted.append((counts["low"] <= many) & (many <= counts["high"]))
            whole = found.with_coverage(Coverage(simultaneous=True)).numbers
            together.append(((whole["low"] <= truth) & (truth <= whole["high"])).all())
        # Surveys of 13 shares each: the mean of all is known to a third of a per cent.
        for rate in (np.mean(held), np.mean(counted)):
            assert 0.935 < rate <= 1, (epsilon, rate)
        # No single one falls below what 200 surveys allow.
        assert np.mean(held, axis=0).min() > 0.88, (epsilon, np.mean(held, axis=0))
        if n >= 300:
            assert np.mean(held) < 0.985, (epsilon, np.mean(held))
            # Power: limits a third nearer are found out.
            assert np.concatenate(narrow).mean() < 0.9
        assert np.mean(together) > 0.9, (epsilon, np.mean(together))
