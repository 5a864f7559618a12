"""Coverage of the intervals over whole surveys, with a power check: the normal interval must fail."""

import numpy as np
import pytest
from scipy import stats

from sordino import Blockwise, ChannelTable, HadamardResponse, HighLow, SubsetSelection
from sordino.estimation.share_estimate import estimate
from sordino.papers.simulation import SimulationSource

pytestmark = pytest.mark.statistical

SURVEYS, PEOPLE, CONFIDENCE, NEVER = 2000, 300, 0.95, 1e-9
SHARES = {
    "even": np.full(8, 1 / 8),
    "rare": np.array([0.0, 0.001, 0.004, 0.005, 0.09, 0.1, 0.3, 0.5]),
    "one": np.eye(8)[3],
}
MECHANISMS = [
    Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "1", "hadamard"),
    Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "4", "randomized"),
    HadamardResponse(8, "3"),
    HighLow(8, [1, 2, 6], "1", "subset"),
    SubsetSelection(8, "2"),
    ChannelTable([np.roll([9, 2, 1, 1, 1, 1, 1, 1, 2], x).tolist() for x in range(8)]),
]


def surveys(mechanism, shares):
    """Tallies of many surveys among people drawn from a population."""
    rng = np.random.default_rng(11)
    values = rng.choice(8, size=SURVEYS * PEOPLE, p=shares)
    for codes in mechanism.privatize(values, SimulationSource(12)).reshape(SURVEYS, PEOPLE):
        yield estimate(mechanism, mechanism.tally(codes))


def covered(limits, shares):
    """Whether every share is covered as often as promised, up to what chance allows."""
    hits = sum(((low <= shares) & (shares <= high)).astype(int) for low, high in limits)
    return np.all(hits >= stats.binom.ppf(NEVER, SURVEYS, CONFIDENCE))


@pytest.mark.parametrize("law", SHARES)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
def test_intervals_cover_as_often_as_they_promise(mechanism, law):
    found = surveys(mechanism, SHARES[law])
    assert covered((estimate.interval(CONFIDENCE) for estimate in found), SHARES[law])


def test_normal_intervals_would_be_found_not_to_cover():
    mechanism = Blockwise([0, 0, 1, 1, 1, 2, 3, 3], "4", "randomized")
    found = surveys(mechanism, SHARES["rare"])
    assert not covered(((e.value - 1.96 * e.stderr, e.value + 1.96 * e.stderr) for e in found), SHARES["rare"])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
def test_standard_errors_are_the_spread_over_surveys(mechanism):
    estimates = np.array([e.value for e in surveys(mechanism, SHARES["even"])])
    spread = estimates.std(axis=0) * np.sqrt(PEOPLE)
    np.testing.assert_allclose(spread, np.sqrt(mechanism.variance(SHARES["even"])), rtol=0.12)
    shift = np.abs(estimates.mean(axis=0) - SHARES["even"]) * np.sqrt(SURVEYS * PEOPLE)
    assert np.all(shift < stats.norm.isf(NEVER) * np.sqrt(mechanism.variance(SHARES["even"])))
