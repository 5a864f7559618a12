"""Simulated least squares: its population by brute force, its losses against known ones."""

from itertools import product

import numpy as np
import pytest

from sordino import Aggregate, sampled_moments
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.papers.bayesian_coordinate import least_squares as regression
from sordino.papers.bayesian_coordinate.least_squares import (
    BCDP,
    LDP,
    METHODS,
    PREDICTING_ZERO,
    SLOPES,
    TwoCopies,
    algorithm_3,
    draw_records,
    excess_loss,
    least_squares,
    runs_of,
    simulated_people,
    sizes,
    statistics_of,
)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def records():
    return draw_records(200_000, np.random.default_rng(5))


def test_the_slopes_are_those_of_the_problem(records):
    assert float(np.sum(SLOPES**2)) == pytest.approx(0.54)
    assert pytest.approx(0.09) == PREDICTING_ZERO
    found = np.linalg.lstsq(records[:, :5], records[:, 5], rcond=None)[0]
    assert found == pytest.approx(SLOPES, abs=0.02)
    assert np.abs(records).max() <= 1


def test_the_loss_is_half_the_excess_of_the_mean_squared_error(records):
    def loss(slopes):
        return np.mean((records[:, :5] @ slopes - records[:, 5]) ** 2) / 2

    for slopes in (np.zeros(5), np.array([0.3, -0.2, 0.5, 0.4, 0.1])):
        assert loss(slopes) - loss(SLOPES) == pytest.approx(excess_loss(slopes), abs=0.004)


def test_means_of_statistics_are_the_populations(records):
    moments = MomentEstimator.of(sampled_moments(LDP.deltas, LDP.epsilon, LDP.dependence, target=5)).moments
    assert statistics_of(moments.names) == pytest.approx(moments.values(records).mean(axis=0), abs=0.012)


def test_the_bound_on_dependence_holds_for_these_people():
    """Features are independent: the law of the rest moves only by the label's, given all other features."""
    corners = np.array(list(product([-1, 1], repeat=5)))
    for i in (0, 1):
        up, down = corners.copy(), corners.copy()
        up[:, i], down[:, i] = 1, -1
        largest = np.abs((1 + up @ SLOPES) / 2 - (1 + down @ SLOPES) / 2).max()
        assert largest <= float(BCDP.dependence.of_rest(i)) + 1e-12
    assert all(delta == BCDP.epsilon for delta in BCDP.deltas[2:])


def test_sizes_and_runs():
    assert sizes(1_000_000) == [1000, 10_000, 100_000, 1_000_000]
    assert sizes(2500) == [2500]
    assert [runs_of(size, 1_000_000, 4) for size in sizes(1_000_000)] == [127, 40, 13, 4]


@pytest.fixture(scope="module")
def rows():
    calls = []
    rows = least_squares(10_000, 20, calls.append)
    assert sum(calls) == simulated_people(10_000, 20)
    found = {(row.setting, row.method, row.people): row for row in rows}
    assert len(found) == len(rows) == 2 * 3 * 2
    return found


def test_losses_of_the_two_copies_are_the_known_ones(rows):
    for people, known in ((1000, 0.221), (10_000, 0.185)):
        row = rows["LDP", METHODS[0], people]
        assert row.known == known
        assert row.excess == pytest.approx(known, abs=4 * row.stderr + 0.02)
        clipped = rows["LDP", METHODS[1], people]
        assert clipped.excess < min(clipped.known, row.excess)
    # More noise than signal: a solution anywhere on the sphere is worse than none.
    assert rows["BCDP", METHODS[0], 10_000].excess > 2 * PREDICTING_ZERO


def test_losses_of_sampled_statistics_are_at_most_the_known_ones(rows):
    for people in (1000, 10_000):
        row = rows["LDP", METHODS[2], people]
        assert row.excess < row.known
        assert row.runs >= 100
    ours, theirs = (rows["BCDP", method, 10_000].excess for method in (METHODS[2], METHODS[0]))
    assert ours < theirs / 3


def test_it_is_the_same_again(rows):
    (first, *_) = least_squares(1000, 2)
    (again, *_) = least_squares(1000, 2)
    assert first == again
    assert least_squares(1000, 1)[0].stderr is None


def test_without_an_answer_about_some_statistic_zero_is_predicted(monkeypatch):
    monkeypatch.setattr(
        regression,
        "simulate_bits",
        lambda channel, truth, people, generator: Aggregate(channel.fingerprint, people, np.eye(1, 52, dtype=int)[0]),
    )
    rows = {row.method: row for row in least_squares(1000, 1)}
    assert rows[METHODS[2]].excess == pytest.approx(PREDICTING_ZERO)


def test_algorithm_3_without_much_noise_finds_the_slopes(records):
    copies = TwoCopies(["40"] * 6)
    tally = copies.tally(copies.privatize(records))
    for slopes in algorithm_3(copies, tally):
        # Of a one-bit question a person .003 on average, and .01 once in a hundred surveys; no slopes at all lose .09.
        assert excess_loss(slopes) < 0.03


def test_the_papers_setting_gives_the_known_losses():
    for row in least_squares(1_000_000, 4):
        if row.method == METHODS[2]:
            assert row.known is None or row.excess < 1.1 * row.known + 3 * row.stderr
            assert (row.setting, row.people) != ("LDP", 100_000) or row.excess < 0.006
        elif row.method == METHODS[0] and row.known is not None:
            assert row.excess == pytest.approx(row.known, abs=4 * row.stderr)
