"""Errors and limits about the people who answered, or of whom these are a part: by sums over the channel, and drawn."""

import numpy as np
import pytest

from sordino import Aggregate, Blockwise, HadamardResponse, RandomizedResponse, SubsetSelection, estimate
from sordino.estimation.intervals.finite_people import finite_limits, finite_stderr
from sordino.papers.simulation import SimulationSource

BLOCKS = Blockwise([0, 0, 0, 1, 1, 2], "2", "randomized")


@pytest.mark.parametrize(
    ("mechanism", "shifted"), [(RandomizedResponse(6, "1"), False), (HadamardResponse(6, "2"), True), (BLOCKS, True)]
)
def test_what_is_left_is_what_the_channel_adds_to_each_answer(mechanism, shifted):
    people, n = np.array([40_000, 30_000, 20_000, 5_000, 4_000, 1_000]), 100_000
    channel = np.array([mechanism.forward(row) for row in np.eye(6)])
    adds = mechanism.contributions(np.eye(6), subtract_totals=shifted)
    of_value = channel @ (adds**2).T - (channel @ adds.T) ** 2
    exact = people @ of_value / n**2
    # As many reports of each code as are expected, to a whole one.
    counts = np.rint(people @ channel).astype(np.int64)
    counts[0] += n - counts.sum()
    tally = Aggregate(mechanism.fingerprint, n, counts)
    found = estimate(mechanism, tally, "unbiased", subtract_totals=shifted)
    np.testing.assert_allclose(finite_stderr(found, n) ** 2, exact, rtol=2e-3, atol=1e-12)
    share = people / n
    left = exact + share * (1 - share) * (1 / n - 1 / (4 * n))
    np.testing.assert_allclose(finite_stderr(found, 4 * n) ** 2, left, rtol=2e-3, atol=1e-12)


def drawn(mechanism, people, n, seed):
    """Of a random part of some people, and the shares of all."""
    random = np.random.default_rng(seed)
    asked = random.multivariate_hypergeometric(people, n)
    codes = mechanism.privatize(np.repeat(np.arange(mechanism.k), asked), SimulationSource(seed))
    return estimate(mechanism, mechanism.tally(codes), "unbiased"), people / people.sum()


@pytest.mark.parametrize(
    "mechanism", [RandomizedResponse(5, "5"), SubsetSelection(5, "2"), RandomizedResponse(5, "20")]
)
@pytest.mark.parametrize("parts", [1, 3])
def test_limits_hold_the_shares_of_the_people_themselves(mechanism, parts):
    people, held, ratio = np.array([900, 500, 90, 10, 0]), [], []
    for seed in range(250):
        found, truth = drawn(mechanism, people, 1500 // parts, seed)
        low, high = finite_limits(found, found.interval(), 1500)
        held.append((low <= truth + 1e-9) & (high >= truth - 1e-9))
        ratio.append([(found.value - truth) ** 2, finite_stderr(found, 1500) ** 2])
    errors, expected = np.mean(ratio, axis=0)
    assert np.mean(held, axis=0).min() > 0.9
    np.testing.assert_allclose(errors[:2], expected[:2], rtol=0.35, atol=1e-9)


def test_they_are_never_wider_and_nearly_nothing_without_noise():
    mechanism = RandomizedResponse(3, "20")
    found = estimate(mechanism, mechanism.tally([0] * 300 + [1] * 200))
    wide, narrow = found.interval(), finite_limits(found, found.interval(), 500)
    assert (narrow[0] >= wide[0]).all()
    assert (narrow[1] <= wide[1]).all()
    assert (narrow[1] - narrow[0] < 0.01).all()
