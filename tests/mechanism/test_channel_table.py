"""Tables of weights: the estimator against generalised least squares and every other unbiased one; what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import ChannelTable, HadamardResponse, SordinoError
from sordino.estimation.share_estimate import estimate
from sordino.estimation.unbiased import leverage


def random_table(k, codes, seed):
    """Rows of whole weights with one sum, most of them on a code of the value's own."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 1000, (k, codes))
    rows[np.arange(k), rng.permutation(codes)[:k]] += 3000
    rows[:, 0] += rows.sum(axis=1).max() - rows.sum(axis=1)
    return ChannelTable(rows.tolist())


TABLES = [
    random_table(k, codes, seed) for seed, (k, codes) in enumerate([(1, 3), (2, 2), (2, 5), (4, 9), (7, 7), (6, 20)])
]
shapes = pytest.mark.parametrize("mechanism", TABLES, ids=lambda m: f"{m.k}x{m.outputs}")


def contributions(mechanism):
    return mechanism.decode(np.eye(mechanism.outputs)).T


@shapes
def test_the_estimate_is_that_of_generalised_least_squares(mechanism):
    # Frequencies f of the codes have mean P'p, and at uniform p covariance diag(q) - q q'; the second term tells
    # nothing, because both sides add up to 1. Whitened rows of P' make it an ordinary least-squares problem.
    channel = mechanism.probabilities()
    law = channel.mean(axis=0)
    frequencies = np.random.default_rng(1).dirichlet(np.ones(mechanism.outputs))
    whitened = channel.T / np.sqrt(law)[:, None]
    solved = np.linalg.lstsq(whitened, frequencies / np.sqrt(law))[0]
    np.testing.assert_allclose(mechanism.decode(frequencies), solved, atol=1e-9)


@shapes
def test_no_other_unbiased_estimate_has_a_lower_variance(mechanism):
    channel = mechanism.probabilities()
    law, best = channel.mean(axis=0), contributions(mechanism)
    np.testing.assert_allclose(best @ channel.T, np.eye(mechanism.k), atol=1e-10)
    free = np.linalg.svd(channel)[2][mechanism.k :]  # what can be added without a bias
    assert len(free) == mechanism.outputs - mechanism.k
    second_moment = (best**2) @ law
    # Least squares: the variance is flat in every free direction, and grows with the square of the step.
    np.testing.assert_allclose((best * law) @ free.T, 0, atol=1e-9)
    rng = np.random.default_rng(2)
    for step in (1e-3, 1.0):
        other = best + step * rng.normal(size=(mechanism.k, len(free))) @ free
        np.testing.assert_allclose(other @ channel.T, np.eye(mechanism.k), atol=1e-10)
        assert np.all((other**2) @ law >= second_moment * (1 - 1e-12))


@shapes
def test_variance_is_that_of_the_contributions(mechanism):
    single = contributions(mechanism)
    for p in (np.full(mechanism.k, 1 / mechanism.k), np.eye(mechanism.k)[0]):
        law = p @ mechanism.probabilities()
        np.testing.assert_allclose(mechanism.variance(p), single**2 @ law - (single @ law) ** 2, atol=1e-9)


def test_a_table_of_hadamard_response_is_no_worse_than_it():
    known = HadamardResponse(5, "1")
    rows = [[known.weight(x, y) >> 10 for y in range(8)] for x in range(5)]
    # Rounded down, the weights of a row still have one sum: every row has four heavy and four light ones.
    table = ChannelTable(rows)
    assert table.total_variance <= known.total_variance
    np.testing.assert_allclose(table.probabilities(), known.probabilities(), rtol=1e-12)


def test_a_square_table_is_inverted():
    mechanism = TABLES[4]
    np.testing.assert_allclose(contributions(mechanism), np.linalg.inv(mechanism.probabilities()).T, atol=1e-9)


def test_counts_of_a_large_survey_give_the_shares_back():
    mechanism = TABLES[3]
    p = np.array([0.1, 0.2, 0.3, 0.4])
    values = np.repeat(np.arange(4), (p * 200_000).astype(int))
    found = estimate(mechanism, mechanism.tally(mechanism.privatize(values)))
    assert np.all(np.abs(found.value - p) < 6 * found.stderr)


@given(st.data())
def test_leverage_is_the_largest_swing_of_a_report(data):
    mechanism = data.draw(st.sampled_from(TABLES[1:]))
    single = contributions(mechanism)
    assert leverage(mechanism) == pytest.approx(np.ptp(single, axis=1).max(), rel=1e-9)


@pytest.mark.parametrize(
    "rows", [[[1, 1], [1, 1]], [[2, 1, 1], [1, 2, 1], [3, 3, 2]], [[1, 0], [0, 1], [1, 0]], [[1], [1]]]
)
def test_rows_that_depend_on_each_other_tell_nothing(rows):
    total = max(map(sum, rows))
    mechanism = ChannelTable([[weight * total // sum(row) for weight in row] for row in rows])
    assert not mechanism.informative
    assert (mechanism.total_variance, leverage(mechanism)) == (np.inf, np.inf)
    with pytest.raises(SordinoError, match="raise the bounds, or merge values"):
        mechanism.decode(np.full(mechanism.outputs, 1 / mechanism.outputs))


def test_a_code_of_weight_zero_is_refused_and_harms_nothing():
    mechanism, plain = ChannelTable([[3, 0, 1], [1, 0, 3]]), ChannelTable([[3, 1], [1, 3]])
    np.testing.assert_allclose(mechanism.decode(np.array([0.5, 0, 0.5])), plain.decode(np.array([0.5, 0.5])))
    assert mechanism.total_variance == pytest.approx(plain.total_variance)
    assert set(mechanism.privatize([0, 1] * 500).tolist()) == {0, 2}
    with pytest.raises(SordinoError, match="position 1"):
        mechanism.tally([0, 1])


@pytest.mark.parametrize("bits", [33, 63, 64])
def test_a_wide_table_is_sampled_to_the_last_choice(bits):
    half = 2 ** (bits - 1)
    mechanism = ChannelTable([[half, half - 1, 1], [1, half, half - 1]])
    assert mechanism.denominator == 2**bits

    class Script:
        def stream(self, values):
            return self

        def take(self, rows):
            return self

        def next(self):
            return np.array([self.words.pop(0)], dtype=np.uint64)

    for choice, code in ((0, 0), (half - 1, 0), (half, 1), (2 * half - 2, 1), (2 * half - 1, 2)):
        script = Script()
        script.words = [choice << (64 - bits), 0]
        assert mechanism.privatize([0], script).tolist() == [code]


@in_one(
    ("rows", "rule"),
    [
        ([], "rows of one length"),
        ([[]], "rows of one length"),
        ([[1, 2], [3]], "rows of one length"),
        ([[1, -1], [0, 0]], "whole numbers >= 0"),
        ([[0.5, 0.5]], "whole numbers >= 0"),
        ([[True, False]], "whole numbers >= 0"),
        ([["1"]], "whole numbers >= 0"),
        ([[1, 2], [2, 2]], "one sum, 1 to 2.64; found 3, 4"),
        ([[0, 0]], "one sum, 1 to 2.64; found 0"),
        ([[2**64, 1]], "one sum, 1 to 2.64"),
        ([[1] * 1025] * 1024, "at most 1048576 weights"),
    ],
)
def test_what_is_no_channel_is_refused(rows, rule):
    with pytest.raises(SordinoError, match=rule):
        ChannelTable(rows)


def test_weights_are_read_from_arrays_and_kept_as_they_are():
    mechanism = ChannelTable(np.array([[3, 1], [0, 4]], dtype=np.uint8))
    assert mechanism == ChannelTable([[3, 1], [0, 4]])
    assert mechanism.weights == ((3, 1), (0, 4))
    assert Fraction(mechanism.weight(0, 0), mechanism.denominator) == Fraction(3, 4)
    assert mechanism.fingerprint != ChannelTable([[6, 2], [0, 8]]).fingerprint


@pytest.mark.parametrize("codes", [[0], [4, 1], [0, 1, 2, 3, 4, 4, 2]])
def test_marks_tell_no_more_weights_than_were_asked_for(codes):
    """All weights differ; of one answer in a thousand none of the others are looked at."""
    table = ChannelTable([[5 * row + code + 1 for code in range(4)] + [200 - 20 * row] for row in range(5)])
    weights, place = table.marks(np.array(codes, dtype=np.uint64))
    for row, code in zip(place, codes, strict=True):
        assert [weights[at] for at in row] == [table.weight(x, code) for x in range(5)]
    assert len(set(weights)) == len(weights) <= 5 * len(codes)
