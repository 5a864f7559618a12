"""Evidence in floats: its certified radius holds against 50-digit logarithms, for single reports and for sums."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import SordinoError
from sordino.evidence.finite import FiniteEvidence

witness = mpmath.MPContext()
witness.dps = 50

columns = st.lists(st.integers(0, 2**90), min_size=1, max_size=6)


def error(evidence, truths):
    """The largest distance of a finite entry from the truth."""
    finite = [(float(log), truth) for log, truth in zip(evidence.log, truths, strict=True) if truth is not None]
    return max((abs(log - truth) for log, truth in finite), default=0)


def logs(weights, denominator):
    return [witness.log(w) - witness.log(denominator) if w else None for w in weights]


@given(columns, st.integers(0, 2**100))
def test_the_radius_covers_the_logarithm(weights, more):
    denominator = max(weights) + more + 1
    evidence = FiniteEvidence.of_weights(weights, denominator)
    assert error(evidence, logs(weights, denominator)) <= evidence.radius < 1e-12
    assert [log == -math.inf for log in evidence.log] == [w == 0 for w in weights]


@pytest.mark.parametrize("denominator", [1, 2, 2**64, 2**64 * 43_749])
def test_certain_and_almost_certain_outputs(denominator):
    weights = [denominator, max(denominator - 1, 1), 1]
    evidence = FiniteEvidence.of_weights(iter(weights), denominator)
    assert error(evidence, logs(weights, denominator)) <= evidence.radius < 1e-12
    assert evidence.log[0] == 0


@pytest.mark.parametrize("reports", [1, 2, 10, 1000])
def test_the_radius_covers_sums_of_reports(reports):
    rng = np.random.default_rng(reports)
    total, truths = FiniteEvidence(np.zeros(3)), [witness.mpf(0)] * 3
    for _ in range(reports):
        weights = [int(w) for w in rng.integers(1, 2**62, 3)]
        total += FiniteEvidence.of_weights(weights, 2**62)
        truths = [truth + log for truth, log in zip(truths, logs(weights, 2**62), strict=True)]
    assert error(total, truths) <= total.radius < 1e-9 * reports


def test_an_impossible_output_stays_impossible():
    possible, impossible = FiniteEvidence(np.array([-1.0, -2.0])), FiniteEvidence(np.array([-math.inf, -2.0]))
    np.testing.assert_array_equal((possible + impossible + impossible).log, [-math.inf, -6.0])


def test_evidence_adds_over_one_domain_only():
    with pytest.raises(SordinoError, match="one domain") as caught:
        FiniteEvidence(np.zeros(2)) + FiniteEvidence(np.zeros(1))
    assert caught.value.found == "2 values and 1 values"
