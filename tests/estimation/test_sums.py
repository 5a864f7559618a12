"""Sums of estimated shares, with their own standard errors, against single estimates and every code one by one."""

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Aggregate,
    Blockwise,
    KeyedSource,
    PairwiseLDP,
    Partition,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.design.shares.best_mechanism import geometric_channel
from sordino.estimation.share_estimate import estimate

LINE = PairwiseLDP([[f"{abs(x - y)}/2" for y in range(9)] for x in range(9)])
MECHANISMS = {
    "randomized": RandomizedResponse(9, "1"),
    "projective": ProjectiveResponse(9, "1"),
    "line": geometric_channel(LINE),
    "blockwise": Blockwise([[0, 1, 2, 3], [4, 5, 6, 7, 8]], "1", "randomized"),
}
BLOCKS = Partition.of([[0, 1, 2], [3, 4, 5, 6], [7], [8]])


def found(mechanism, *, subtract_totals=False):
    values = np.random.default_rng(5).choice(9, 3000, p=np.arange(1, 10) / 45)
    source = KeyedSource(bytes(32), "sums").for_records(np.arange(len(values)))
    aggregate = mechanism.tally(mechanism.privatize(values, source))
    return aggregate, estimate(mechanism, aggregate, subtract_totals=subtract_totals)


@in_one("name", MECHANISMS)
@in_one("subtract_totals", [False, True])
def test_sums_are_those_of_the_estimates(name, subtract_totals):
    _, estimates = found(MECHANISMS[name], subtract_totals=subtract_totals)
    sums = estimates.sums(BLOCKS)
    np.testing.assert_allclose(sums.value, BLOCKS.totals(estimates.value), atol=1e-12)
    # Of single values the standard error is known already, but for what no report was seen to vary.
    np.testing.assert_allclose(sums.stderr[2:], estimates.stderr[7:], rtol=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_standard_error_is_that_of_what_each_report_adds_to_the_sum(name):
    mechanism = MECHANISMS[name]
    aggregate, estimates = found(mechanism)
    each = np.array([mechanism.decode(law) for law in np.eye(mechanism.outputs)])
    for block, stderr in enumerate(estimates.sums(BLOCKS).stderr):
        added = np.repeat(each[:, BLOCKS.block == block].sum(axis=1), aggregate.counts)
        assert stderr == pytest.approx(added.std() / np.sqrt(aggregate.n), rel=1e-9)


def test_what_noise_adds_to_a_neighbour_cancels_in_a_run():
    _, estimates = found(MECHANISMS["line"])
    runs = estimates.sums(Partition.of([[0, 1, 2, 3], [4, 5, 6, 7, 8]]))
    assert runs.stderr.max() < estimates.stderr[1:8].min()
    low, high = runs.interval(0.95)
    assert ((low <= runs.value) & (runs.value <= high)).all()
    normal = 2 * 1.95996398454 * runs.stderr
    assert ((normal <= high - low) & (high - low < 1.02 * normal)).all()


def test_a_rare_run_is_held_where_epsilon_is_large():
    """Few reports tell it, however little noise they have: normal limits held it in 81 of 100 such surveys."""
    mechanism, n, held = RandomizedResponse(6, "8"), 300, np.zeros(3)
    runs, shares = Partition.of([[0, 1], [2, 3], [4, 5]]), np.repeat([0.005, 0.02, 0.475], 2)
    law = mechanism.forward(shares)
    for counts in np.random.default_rng(4).multinomial(n, law / law.sum(), size=300):
        found = estimate(mechanism, Aggregate(mechanism.fingerprint, n, counts), "unbiased")
        low, high = found.sums(runs).interval(0.95)
        held += (low <= runs.totals(shares)) & (runs.totals(shares) <= high)
    assert held.min() > 0.91 * 300, held / 300


def test_a_tally_of_subsets_tells_no_sums():
    mechanism = SubsetSelection(60, "1")
    aggregate = mechanism.tally(mechanism.privatize(np.zeros(100, dtype=np.intp)))
    with pytest.raises(SordinoError, match="how often each code was sent"):
        estimate(mechanism, aggregate).sums(Partition.of(np.arange(mechanism.k) // 3))
