"""Knowledge gain against Bayes' rule in rationals; its limit is never passed, and comes as near as is told."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.papers.bayesian_filter.knowledge import knowledge_gain, learning_limit, tight_statement

WHOLE = st.lists(st.integers(1, 50), min_size=4, max_size=4)


@given(WHOLE, WHOLE, st.lists(st.integers(0, 10), min_size=4, max_size=4).filter(any))
def test_gains_are_bayes_rule_and_stay_within_the_limit(likelihood, beliefs, truth):
    law = [Fraction(belief, sum(beliefs)) for belief in beliefs]
    f = [Fraction(t, 10) for t in truth]
    seen = sum(p * q for p, q in zip(likelihood, law, strict=True))
    after = sum(p * q * t for p, q, t in zip(likelihood, law, f, strict=True)) / seen
    before = sum(q * t for q, t in zip(law, f, strict=True))
    evidence = FiniteEvidence(np.log(np.array(likelihood, dtype=float)), 1e-15)
    gain = knowledge_gain(evidence, [float(t) for t in f], [float(q) for q in law])
    assert gain == pytest.approx(math.log(after / before), abs=1e-9)
    assert abs(gain) <= learning_limit(evidence) + 1e-12
    assert learning_limit(evidence) >= math.log(max(likelihood) / min(likelihood))


@pytest.mark.parametrize("below", [1e-6, 0.01, 0.5])
def test_one_statement_comes_that_near_to_the_limit(below):
    evidence = FiniteEvidence(np.log([0.5, 0.1, 0.2, 0.4]))
    hard = tight_statement(evidence, below)
    gain = knowledge_gain(evidence, hard.truth, hard.beliefs)
    assert gain == pytest.approx(math.log(5) - below, abs=1e-9)
    # The paper's own probability is no larger where it is told a difference of ratios.
    gap = 5 - math.exp(math.log(5) - below)
    assert hard.beliefs[0] == pytest.approx(gap * 0.01 / ((0.5 - 0.1) * (0.5 - gap * 0.1)))


def test_evidence_that_tells_nothing_teaches_nothing():
    nothing = FiniteEvidence.of_no_reports(3)
    assert learning_limit(nothing) == 0.0
    assert knowledge_gain(nothing, [1, 0, 0.5], [0.2, 0.3, 0.5]) == pytest.approx(0.0)
    assert tight_statement(nothing, 1.0).beliefs.tolist() == [1.0, 0.0, 0.0]
    assert learning_limit(FiniteEvidence(np.array([0.0, -math.inf]))) == math.inf


def test_refuted_statements_and_bad_input():
    told = FiniteEvidence(np.array([0.0, -math.inf]))
    assert knowledge_gain(told, [0, 1], [0.5, 0.5]) == -math.inf
    for truth, beliefs in (([1], [1]), ([2, 0], [0.5, 0.5]), ([1, 0], [0.5, 0.6]), ([1, 0], [0, 1])):
        with pytest.raises(SordinoError):
            knowledge_gain(told, truth, beliefs)
    for below in (0, -1):
        with pytest.raises(SordinoError, match="above 0"):
            tight_statement(FiniteEvidence.of_no_reports(2), below)
    with pytest.raises(SordinoError, match="finite limit"):
        tight_statement(told, 0.1)
