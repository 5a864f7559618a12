"""Smoothed shares through real reports: taken where they are nearer, left where they may not be, never unasked."""

from itertools import product

import numpy as np
import pytest

from sordino import Blockwise, HighLowLDP, MetricLDP, Partition, ProjectiveResponse, best_mechanism
from sordino.estimation.neighbours.choice import ALLOWED, BETTER, CORRELATED, _worst
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import estimate, nearest_method
from sordino.papers.simulation import SimulationSource, simulate_tally, total_variation

SHAPE = (40, 40)
PLACES = np.stack(np.meshgrid(*map(np.arange, SHAPE), indexing="ij"))
HILL = np.exp(-((PLACES - 18) ** 2).sum(axis=0) / 50).ravel()
QUARTERS = Partition.of(((PLACES[0] // 20) * 2 + PLACES[1] // 20).ravel())


def told(mechanism, weights, n):
    """People by value, and the tally of a report of each."""
    people = np.random.default_rng(2).multinomial(n, weights / weights.sum())
    return people / n, simulate_tally(mechanism, people, SimulationSource(1))


@pytest.mark.parametrize("mechanism", [ProjectiveResponse(1600, "1"), Blockwise(QUARTERS, "1")])
def test_a_hill_is_smoothed_and_every_block_keeps_its_share(mechanism):
    truth, tally = told(mechanism, HILL, 400_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE))
    nearest = estimate(mechanism, tally, nearest_method(mechanism))
    assert found.method == "smoothed"
    assert found.choice.better
    smoothed, plain = total_variation(found.fitted, truth), total_variation(nearest.fitted, truth)
    assert smoothed < 0.6 * plain
    # Shares with the prior of ratios are rougher than a hill: no more was promised than there was.
    assert smoothed < found.choice.smoothed < found.choice.nearest
    assert found.choice.nearest == pytest.approx(plain, rel=0.25)
    totals = mechanism.block_shares(tally.counts / tally.n)
    np.testing.assert_allclose(mechanism.partition.totals(found.fitted), totals, atol=1e-9)
    assert found.fitted.min() >= 0
    # What the reports say of each share, and its interval, are not smoothed.
    np.testing.assert_array_equal(found.value, nearest.value)
    np.testing.assert_array_equal(found.interval()[0], nearest.interval()[0])


def test_the_same_reports_give_the_same_shares_and_the_same_choice():
    mechanism = ProjectiveResponse(1600, "1")
    _, tally = told(mechanism, HILL, 400_000)
    first, second = (estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE)) for _ in range(2))
    np.testing.assert_array_equal(first.fitted, second.fitted)
    assert first.choice == second.choice


def test_where_reports_cannot_tell_sparse_from_spread_the_nearest_distribution_stands_and_is_named():
    mechanism = ProjectiveResponse(1600, "1")
    truth, tally = told(mechanism, np.random.default_rng(7).permutation(np.arange(1600) < 60) * 1.0, 8_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE))
    nearest = estimate(mechanism, tally, nearest_method(mechanism))
    assert total_variation(nearest.fitted, truth) > 0.7
    assert not found.choice.better
    assert found.method == "simplex"
    np.testing.assert_array_equal(found.fitted, nearest.fitted)


def lines(shape, apart):
    """Lines one cell wide, and blocks of 5 x 5 cells."""
    rows, columns = np.indices(shape)
    return (columns % apart == 0).ravel() * 1.0, Partition.of((rows // 5 * shape[1] + columns // 5).ravel())


@pytest.mark.parametrize(("apart", "people"), [(10, 11_000), (5, 11_000), (3, 22_000)])
def test_lines_one_cell_wide_are_not_erased(apart, people):
    """Neighbours that are systematically unlike, in blocks of a hundred people of which many are empty."""
    weights, blocks = lines((50, 100), apart)
    mechanism = Blockwise(blocks, "1")
    truth, tally = told(mechanism, weights, people)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings((50, 100)))
    plain = estimate(mechanism, tally, nearest_method(mechanism))
    assert total_variation(found.fitted, truth) <= 1.02 * total_variation(plain.fitted, truth)
    # What is expected is what comes true, of the nearest distribution too.
    assert found.choice.nearest == pytest.approx(total_variation(plain.fitted, truth), rel=0.1)


@pytest.mark.parametrize("seed", [2, 3])
def test_where_blocks_have_a_handful_of_people_nothing_is_believed_that_normal_noise_would_tell(seed):
    """Blocks of a dozen people, few values of which anybody has: by normal noise smoothing seemed far better."""
    _, blocks = lines((50, 100), 10)
    weights = np.random.default_rng(seed).permutation(np.arange(5000) < 350) * 1.0
    mechanism = Blockwise(blocks, "2")
    _, tally = told(mechanism, weights, 2500)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings((50, 100)))
    assert not found.choice.better
    np.testing.assert_array_equal(found.fitted, estimate(mechanism, tally).fitted)


def test_no_choice_of_priors_that_is_as_likely_lets_smoothing_lose_more():
    """All choices of one of four priors for each of five classes."""
    generator, used = np.random.default_rng(1), []
    for _ in range(20):
        expected, unlikely = generator.random((4, 2, 5)), generator.normal(2, 2, (4, 5))
        unlikely[0] = 0
        lost, picked = expected[:, 0] - BETTER * expected[:, 1], _worst(expected, unlikely)
        places = [np.flatnonzero((expected[:, :, place] == picked[place]).all(axis=1))[0] for place in range(5)]
        used.append(unlikely[places, range(5)].sum())
        assert used[-1] <= ALLOWED
        for other in product(range(4), repeat=5):
            spent = unlikely[other, range(5)]
            if spent.max() <= ALLOWED and spent.sum() <= used[-1]:
                assert lost[other, range(5)].sum() <= lost[places, range(5)].sum() + 1e-9
    # What is allowed is used, as far as choices have steps.
    assert np.mean(used) > 0.4 * ALLOWED


def test_of_one_class_the_prior_is_taken_by_which_smoothing_loses_most():
    expected, unlikely = np.array([[0.5, 1.0], [0.6, 1.0], [0.9, 1.0]])[:, :, None], np.array([[0.0], [3.9], [4.1]])
    np.testing.assert_array_equal(_worst(expected, unlikely), [[0.6, 1.0]])


def test_nothing_is_smoothed_that_was_not_asked_for():
    mechanism = Blockwise(QUARTERS, "1")
    _, tally = told(mechanism, HILL, 400_000)
    by_default = estimate(mechanism, tally, known=Surroundings(SHAPE))
    assert by_default.method == "empirical-bayes"
    np.testing.assert_array_equal(by_default.fitted, estimate(mechanism, tally).fitted)
    assert by_default.offer(Surroundings(SHAPE))[0] is not None


def test_a_spike_stays_as_high_as_it_was_told():
    mechanism = ProjectiveResponse(1600, "1")
    weights = HILL / HILL.sum() + (np.arange(1600) == 333) * 0.25
    truth, tally = told(mechanism, weights, 400_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE))
    assert found.method == "smoothed"
    assert abs(found.fitted[333] - truth[333]) < 3 * found.stderr[333]


@pytest.mark.long
def test_a_public_map_brings_the_shares_nearer():
    mechanism = ProjectiveResponse(1600, "1")
    public = HILL * np.random.default_rng(9).gamma(0.5, size=1600)
    truth, tally = told(mechanism, public, 60_000)
    without, with_ = (
        estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE, numbers)) for numbers in (None, public)
    )
    assert with_.method == "smoothed"
    assert total_variation(with_.fitted, truth) < 0.6 * total_variation(without.fitted, truth)


@pytest.mark.parametrize(
    ("metric", "shape"),
    [(MetricLDP.grid(40, 60, "1", "1"), (40, 60)), (MetricLDP.line(400, "1/2"), (400,))],
    ids=["map", "line"],
)
def test_under_a_metric_nothing_is_smoothed_since_errors_of_neighbours_oppose_each_other(metric, shape):
    """Cities of one cell: smoothed shares seemed 10 % nearer and were 20 % farther."""
    places = np.indices(shape).sum(axis=0).ravel()
    weights = np.random.default_rng(4).permutation(places % 32 == 0) * 1.0
    mechanism = best_mechanism(len(weights), metric)
    truth, tally = told(mechanism, weights, 50_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(shape))
    plain = estimate(mechanism, tally, nearest_method(mechanism))
    assert found.choice is CORRELATED
    assert (found.method, plain.method) == ("simplex", "simplex")
    assert total_variation(found.fitted, truth) <= 1.02 * total_variation(plain.fitted, truth)
    assert found.offer(Surroundings(shape))[0] is None


def test_where_people_are_may_go_with_how_noisy_their_values_are():
    """Sensitive columns of a map, of which every fifth is inhabited: smoothed shares seemed 10 % nearer."""
    sensitive, inhabited = (PLACES[1] % 10 < 5).ravel(), (PLACES[1] % 10 == 0).ravel() * 1.0
    mechanism = best_mechanism(1600, HighLowLDP(1600, np.flatnonzero(sensitive).tolist(), "4"))
    truth, tally = told(mechanism, inhabited, 2_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE))
    plain = estimate(mechanism, tally, nearest_method(mechanism))
    assert total_variation(found.fitted, truth) <= 1.02 * total_variation(plain.fitted, truth)
    # Where much is to be gained it is.
    truth, tally = told(mechanism, HILL, 2_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings(SHAPE))
    plain = estimate(mechanism, tally, nearest_method(mechanism))
    assert total_variation(found.fitted, truth) <= 0.7 * total_variation(plain.fitted, truth)


def test_few_values_are_never_smoothed():
    mechanism = ProjectiveResponse(60, "1")
    _, tally = told(mechanism, np.arange(60.0), 5_000)
    found = estimate(mechanism, tally, "smoothed", known=Surroundings((60,)))
    assert (found.method, found.choice) == ("simplex", None)


def test_values_without_neighbours_and_tallies_of_subsets_are_smoothed_too():
    mechanism = Blockwise(np.arange(400) % 8, "1", "subset")
    assert not mechanism.counts_codes
    truth, tally = told(mechanism, np.random.default_rng(5).permutation(0.95 ** np.arange(400)), 100_000)
    found = estimate(mechanism, tally, "smoothed")
    assert found.method == "smoothed"
    assert total_variation(found.fitted, truth) < total_variation(estimate(mechanism, tally).fitted, truth)
