"""Known priors: conditional averages against loops over records, in fractions and 50 digits."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import SordinoError
from sordino.definition.prior import Prior
from sordino.evidence.finite import FiniteEvidence

witness = mpmath.MPContext()
witness.dps = 50

SHAPES = [(2,), (1, 2), (2, 2), (3, 2), (2, 3, 2)]
XOR = [[[Fraction((a ^ b ^ c) == 0, 4) for c in range(2)] for b in range(2)] for a in range(2)]


@st.composite
def priors(draw, most=6):
    """A prior under which every value of every attribute is possible, and its shape."""
    shape = draw(st.sampled_from(SHAPES))
    k = math.prod(shape)
    weights = draw(st.lists(st.integers(0, most), min_size=k, max_size=k))
    records = [*product(*map(range, shape))]
    for i, size in enumerate(shape):
        for value in range(size):
            if not any(w for w, x in zip(weights, records, strict=True) if x[i] == value):
                weights[next(j for j, x in enumerate(records) if x[i] == value)] = 1
    return shape, weights


def table_of(shape, weights):
    return np.array([Fraction(w, sum(weights)) for w in weights], dtype=object).reshape(shape)


def averages(shape, weights, likelihood, i):
    """Pr(output | x_i = a) for each a, up to a factor."""
    records = [*product(*map(range, shape))]
    found = []
    for a in range(shape[i]):
        own = [(w, f) for w, f, x in zip(weights, likelihood, records, strict=True) if x[i] == a]
        found.append(Fraction(sum(w * f for w, f in own), sum(w for w, _ in own)))
    return found


def losses_of(means):
    """Per value the largest logarithm of its mean over another one's; 0 where it is impossible or alone."""
    logs = []
    for a, own in enumerate(means):
        others = [mean for b, mean in enumerate(means) if b != a]
        if own == 0 or not others:
            logs.append(witness.mpf(0))
        elif min(others) == 0:
            logs.append(witness.inf)
        else:
            ratio = own / min(others)
            logs.append(max(witness.mpf(0), witness.log(witness.mpf(ratio.numerator) / ratio.denominator)))
    return logs


@given(priors(), st.data())
def test_losses_and_contrasts_are_ratios_of_conditional_averages(drawn, data):
    shape, weights = drawn
    prior = Prior.of(table_of(shape, weights))
    likelihood = data.draw(st.lists(st.integers(0, 9), min_size=len(weights), max_size=len(weights)))
    found = prior.losses(FiniteEvidence.of_weights(likelihood, 10))
    contrasts = prior.contrasts(np.array(likelihood, dtype=object))
    for i in range(len(shape)):
        means = averages(shape, weights, likelihood, i)
        truth = losses_of(means)
        assert all(t <= float(f) <= t + 1e-12 for t, f in zip(truth, found[i], strict=True))
        if shape[i] == 1 or not any(means):
            assert contrasts[i] is None
            continue
        contrast = contrasts[i]
        assert contrast.value != contrast.other
        assert contrast.heavy * means[contrast.other] == contrast.light * means[contrast.value]
        assert (max(means), min(means)) == (means[contrast.value], means[contrast.other])


@given(priors(), st.data())
def test_many_reports_with_small_probabilities_lose_no_digits_in_silence(drawn, data):
    shape, weights = drawn
    scale = data.draw(st.sampled_from([1, 60, 900]))
    logs = np.array(data.draw(st.lists(st.floats(-1, 0), min_size=len(weights), max_size=len(weights)))) * scale
    found = Prior.of(table_of(shape, weights)).losses(FiniteEvidence(logs))
    records = [*product(*map(range, shape))]
    for i, size in enumerate(shape):
        means = []
        for a in range(size):
            own = [(w, witness.mpf(f)) for w, f, x in zip(weights, logs.tolist(), records, strict=True) if x[i] == a]
            means.append(sum(w * witness.exp(f) for w, f in own) / sum(w for w, _ in own))
        for a in range(size):
            others = [mean for b, mean in enumerate(means) if b != a]
            truth = max([0, *(witness.log(means[a] / mean) for mean in others)])
            # The witness has some fifty digits: nothing that a float could hold is missed.
            assert truth - witness.mpf(10) ** -40 <= float(found[i][a]) <= truth + 1e-10


def test_tiny_probabilities_keep_their_digits():
    tiny = Fraction(1, 10**400)
    prior = Prior.of(np.array([[Fraction(1, 2) - tiny, tiny], [Fraction(1, 4), Fraction(1, 4)]], dtype=object))
    evidence = FiniteEvidence(np.array([-1000.0, 0.0, -1000.0, -1000.0]))
    # Given the first value a record of chance 2e-400 is likelier to cause the output than the others, by e^1000.
    truth = witness.log((1 - 2 * witness.mpf(10) ** -400) + 2 * witness.exp(1000) / witness.mpf(10) ** 400)
    found = prior.losses(evidence)[0][0]
    assert truth <= found <= truth + 1e-10


def test_the_radius_is_counted_twice():
    prior = Prior.of([[0.25, 0.25], [0.25, 0.25]])
    assert all(losses.max() >= 0.5 for losses in prior.losses(FiniteEvidence(np.zeros(4), radius=0.25)))
    assert all(losses.max() == 0 for losses in prior.losses(FiniteEvidence(np.zeros(4))))
    assert all(losses.max() == 0 for losses in prior.losses(FiniteEvidence(np.full(4, -np.inf), radius=0.25)))


def test_floats_are_the_numbers_that_they_are():
    assert Prior.of([0.5, 0.5 + 2**-40]).weights == (2**39, 2**39 + 1)
    assert Prior.of(np.full((2, 5), 0.1)).weights == (1,) * 10
    assert Prior.of(Prior.of([0.5, 0.5])).shape == (2,)
    assert Prior.of([["1/3", "1/6"], ["1/4", "1/4"]]).weights == (4, 2, 3, 3)


@in_one(
    ("prior", "words"),
    [
        ([0.5, 0.499], "sum to one; found 0.999"),
        ([0.5, 0.5 + 2e-9], "sum to one"),
        ([Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12)], "sum to one"),
        ([0, 0], "sum to one"),
        ([1.5, -0.5], "not be negative"),
        ([0.5, float("nan")], "finite"),
        ([0.5, float("inf")], "finite"),
        ([[0.5, 0.5], [0.5]], "array"),
        ([0.5, None], "array"),
        (1.0, "about 1 to"),
        ([], "about 1 to"),
        ([[0.5, 0.5], [0, 0]], "empty values; found value 1 of attribute 0"),
        ([[0.5, 0], [0.5, 0]], "empty values; found value 1 of attribute 1"),
    ],
)
def test_what_is_no_prior_is_refused(prior, words):
    with pytest.raises(SordinoError, match=words):
        Prior.of(prior)


def test_other_sizes_are_refused():
    prior = Prior.of([[0.25, 0.25], [0.25, 0.25]])
    assert prior.on((2, 2)) is prior
    with pytest.raises(SordinoError, match="prior's"):
        prior.on((1, 4))
    for use in (prior.losses, lambda evidence: prior.contrasts(evidence.log.astype(object))):
        with pytest.raises(SordinoError, match="4 values; found 3"):
            use(FiniteEvidence(np.zeros(3)))
