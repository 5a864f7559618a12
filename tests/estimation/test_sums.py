"""Sums of estimated shares, with their own standard errors, against single estimates and every code one by one."""

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    Blockwise,
    KeyedSource,
    PairwiseLDP,
    Partition,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.design.histograms.best_mechanism import geometric_channel
from sordino.estimation.estimate import estimate

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
    np.testing.assert_allclose(high - low, 2 * 1.95996398454 * runs.stderr, rtol=1e-9)


def test_a_tally_of_subsets_tells_no_sums():
    mechanism = SubsetSelection(60, "1")
    aggregate = mechanism.tally(mechanism.privatize(np.zeros(100, dtype=np.intp)))
    with pytest.raises(SordinoError, match="how often each code was sent"):
        estimate(mechanism, aggregate).sums(Partition.of(np.arange(mechanism.k) // 3))
