"""What filters over boxes say is left: queries that add up to it are all accepted, whatever is asked and answered."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import LDP, BayesianFilter, Box, CoordinateDP, LinearQuery, LogisticQuery, Nats, TruncatedLinearQuery
from sordino.accounting.measures import carried_slack
from sordino.accounting.state import Decision

SQUARE = Box([-1, -1], [1, 1])


def left_of(definition, nodes, group, rule):
    """One case, and whether it is long: by default a search that finds nothing, and one that finds little in groups."""
    named = f"{'ldp' if isinstance(definition, LDP) else 'coordinates'}-{nodes}-{group}-{rule}"
    default = {"ldp-0-None-simplified", "ldp-20-3-simplified", "coordinates-0-None-full"}
    return pytest.param(definition, nodes, group, rule, id=named, marks=() if named in default else pytest.mark.long)


@pytest.mark.parametrize(
    ("definition", "nodes", "group", "rule"),
    [
        left_of(definition, nodes, group, rule)
        for definition in (LDP("1"), CoordinateDP(["0.8", "ln 2"]))
        for nodes, group in ((0, None), (20, None), (4000, None), (20, 3))
        for rule in ("full", "simplified")
        if isinstance(definition, LDP) or not group
    ],
)
def test_what_was_left_is_accepted_one_after_the_other(definition, nodes, group, rule):
    """Whatever the answers, and however little a later search finds."""
    rng, tried = np.random.default_rng(2), 0
    turns = 12 if isinstance(definition, LDP) else 2
    for turn in range(2 if nodes > 1000 else turns):
        asked = stream(BayesianFilter(SQUARE, definition, rule, nodes, group), rng, 14)
        asked = asked.changed() if turn % 4 == 3 else asked
        for part in (Fraction(99, 100), Fraction(1)):
            left, shares = part * Fraction(asked.remaining), rng.integers(1, 9, 3)
            if not left:
                break
            questions = [any_query(rng, left * int(share) / int(shares.sum())) for share in shares]
            assert asked.accepts_all(questions)
            for question in questions:
                assert asked.accepts(question)
                asked = asked.after(question, int(rng.integers(2)))
            assert asked.spent <= 1 + 1e-12
            tried += 1
    assert tried >= 1


class Forgetful:
    """A state that finds one nat left before anything is asked, and nothing from then on."""

    most_left = 1.0

    def __init__(self, asked=0):
        self.remaining = 0.0 if asked else 1.0
        self.spent = 0.0

    def fits(self, queries):
        return sum((query.epsilon for query in queries), Nats.of(0)) <= Fraction(self.remaining)

    def hopeless(self, queries):
        return False

    def decide(self, query, rule):
        return Decision(False, 2.0)

    def with_answer(self, query, output):
        return Forgetful(1)

    def changed(self):
        return Forgetful(1)

    def spent_within(self, left):
        return 1 - left


@pytest.mark.parametrize("remembered", [64, 3])
def test_what_was_left_long_ago_is_left_and_used_up_once(monkeypatch, remembered):
    """Of more states than are remembered only a number is kept."""
    monkeypatch.setattr(carried_slack, "REMEMBERED", remembered)
    twelfth = LinearQuery([1.0, 0], 0, -1, 1, Fraction(1, 12))
    state = carried_slack.LastingState(Forgetful())
    for turn in range(12):
        decision = state.decide(twelfth, "full")
        assert decision.accepted
        state = decision.follow(0)
        if turn == 5:
            state = state.changed()
        assert state.remaining == pytest.approx((11 - turn) / 12)
        assert len(state.past.steps) <= remembered
    assert not state.decide(twelfth, "full").accepted
    assert not state.decide(LinearQuery([1.0, 0], 0, -1, 1, "1e-9"), "full").accepted


def stream(asked, rng, count):
    """A filter after some of so many queries, answered at random."""
    for _ in range(count):
        question = any_query(rng, Fraction(int(rng.integers(20, 250)), 1000))
        if asked.accepts(question):
            asked = asked.after(question, int(rng.integers(2)))
    return asked


def any_query(rng, epsilon):
    """Of any kind about the square, steep or not."""
    theta = rng.normal(size=2) * (rng.random(2) < 0.8) + [0, 1e-3]
    reach, kind = float(np.abs(theta).sum()), int(rng.integers(3))
    if kind == 0:
        return LinearQuery(theta, 0, -1.1 * reach, 1.1 * reach, epsilon)
    if kind == 1:
        low = reach * float(rng.uniform(-0.9, 0.5))
        return TruncatedLinearQuery(theta, 0, low, low + reach * float(rng.uniform(0.05, 0.6)), epsilon)
    return LogisticQuery(theta * rng.uniform(1, 60) / reach, rng.normal() * 2, epsilon)
