"""The distribution of a number by all questions' reports: found again where these say it, else as it was expected."""

import numpy as np
import pytest

from sordino import Aggregate, Number, Product, Query, RandomizedResponse, Sampled
from sordino.estimation.joint.common_numbers import common_numbers, expected_numbers

EVEN = np.linspace(-1, 1, 9), np.full(9, 1 / 9)


def asked(points, epsilon, others=()):
    return Sampled((*others, Query(Number(0, points), RandomizedResponse(points, epsilon))), (1,) * (1 + len(others)))


def tally(query, counts):
    return Aggregate(query.fingerprint, int(np.sum(counts)), np.array(counts))


def expected_counts(points, epsilon, shares, n):
    law = RandomizedResponse(points, epsilon).forward(np.array(shares))
    return np.round(n * law).astype(np.int64)


def moments(found):
    numbers, shares = found
    assert shares.sum() == pytest.approx(1)
    return float(numbers @ shares), float(np.sqrt(numbers**2 @ shares))


def test_two_questions_say_together_how_a_number_is_distributed():
    """Everybody has 0.25: read on 9 points as one of these, on 3 as 0 or 1."""
    fine, coarse = asked(9, "6"), asked(3, "5")
    reports = [
        (fine, tally(fine, expected_counts(9, "6", np.eye(9)[5], 10_000)), 0),
        (coarse, tally(coarse, expected_counts(3, "5", [0, 0.75, 0.25], 10_000)), 0),
    ]
    mean, root = moments(common_numbers(reports, EVEN))
    assert mean == pytest.approx(0.25, abs=0.01)
    assert np.sqrt(root**2 - mean**2) < 0.1


def test_a_query_about_something_else_is_not_looked_at():
    """The counters of a product stand before those of the number."""
    query = asked(5, "6", (Query(Product(0, 1), RandomizedResponse(2, "1")),))
    counts = np.concatenate([[900, 100], expected_counts(5, "6", [0.5, 0, 0, 0, 0.5], 10_000)])
    mean, root = moments(common_numbers([(query, tally(query, counts), 0)], EVEN))
    assert (mean, root) == (pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.05))


def test_where_nobody_answered_it_is_what_was_expected():
    query = asked(5, "1")
    start = np.array([-0.5, 0.5, 0.5]), np.array([0.5, 0.25, 0.25])
    mean, root = moments(common_numbers([(query, tally(query, [0] * 5), 0)], start))
    assert (mean, root) == (pytest.approx(0, abs=0.02), pytest.approx(0.5, abs=0.02))


def test_reports_that_say_next_to_nothing_leave_what_was_expected():
    query, start = asked(3, "1/100"), (np.array([-0.5, 0.5]), np.array([0.9, 0.1]))
    mean, _ = moments(common_numbers([(query, tally(query, [400, 300, 300]), 0)], start))
    assert mean == pytest.approx(-0.4 * 0.95, abs=0.02)


def test_the_plan_s_expectation_by_the_most_points_is_where_it_starts():
    coarse, fine = (
        {Number(0, 3): np.array([0.2, 0.3, 0.5])},
        {Number(1, 5): np.full(5, 0.2), Number(0, 2): np.ones(2) / 2},
    )
    numbers, shares = expected_numbers([(0, coarse), (1, fine)], np.zeros(3))
    assert (numbers.tolist(), shares.tolist()) == ([-1, -0.5, 0, 0.5, 1], [0.2] * 5)
    numbers, shares = expected_numbers([(2, coarse), (2, {})], np.array([0.5, -0.5]))
    assert (numbers.tolist(), shares.tolist()) == ([0.5, -0.5], [0.5, 0.5])
