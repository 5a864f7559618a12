"""The moments of a regression from two copies, and how noisy they are."""

import numpy as np
import pytest

from sordino import KeyedSource, SordinoError
from sordino.papers.bayesian_coordinate.least_squares import TwoCopies, quadratic_moments

KEY = bytes(range(32))


def records(n, rng):
    features = rng.uniform(-1, 1, (n, 5))
    return np.column_stack((features, np.clip(features @ [0.6, -0.3, 0, 0.2, 0.2], -1, 1)))


def moments_of(copies, people, batch, **settings):
    source = KeyedSource(KEY, f"test {batch}").for_records(np.arange(len(people)))
    return quadratic_moments(copies, copies.tally(copies.privatize(people, source)), **settings)


def test_moments_are_unbiased_and_symmetric():
    copies = TwoCopies(["20"] * 6)
    people = records(40_000, np.random.default_rng(1))
    moments = moments_of(copies, people, 0, target=5)
    assert np.array_equal(moments.matrix, moments.matrix.T)
    truth = people.T @ people / 40_000
    assert (np.abs(moments.matrix - truth[:5, :5]) < 5 * moments.deviations).all()
    assert np.abs(moments.vector - truth[:5, 5]).max() < 5 * moments.deviations.max()
    some = moments_of(copies, people, 0, target=1, features=[4, 0])
    whole = moments_of(copies, people, 0, target=5)
    assert np.array_equal(some.matrix, whole.matrix[np.ix_([4, 0], [4, 0])])
    assert np.array_equal(some.vector, whole.matrix[[4, 0], 1])


def test_deviations_and_ridge_are_those_of_repeated_runs():
    rng = np.random.default_rng(2)
    copies, n = TwoCopies(["2"] * 6), 1000
    errors, negative = [], 0
    for batch in range(60):
        people = records(n, rng)
        moments = moments_of(copies, people, batch, target=5)
        errors.append(moments.matrix - people[:, :5].T @ people[:, :5] / n)
        negative += bool(np.linalg.eigvalsh(moments.matrix)[0] < 0)
    # Deviations are bounds, that of a square with room; six standard deviations of 60 runs.
    assert np.allclose(np.std(errors, axis=0), moments.deviations, rtol=0.5)
    lengths = [np.linalg.norm(error, 2) for error in errors]
    assert 0.5 < np.mean(lengths) / moments.ridge < 1.1
    # The form is not convex.
    assert negative > 50


def test_mistakes_are_named():
    copies = TwoCopies(["2"] * 3)
    tally = copies.tally(copies.privatize(np.zeros((4, 3))))
    for target, features in ((0, [0, 1]), (0, []), (0, [1, 1]), (3, [0]), (0, [1, 3]), (0, [-1])):
        with pytest.raises(SordinoError, match="features"):
            quadratic_moments(copies, tally, target, features)
    with pytest.raises(SordinoError, match="made them"):
        quadratic_moments(TwoCopies(["1"] * 3), tally, 0)
