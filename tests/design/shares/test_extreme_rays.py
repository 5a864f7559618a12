"""The search finds extreme rays, and the best of them, against dense enumeration."""

import numpy as np
import pytest

from sordino.design.shares.extreme_rays import (
    Worth,
    approach,
    climb,
    distinct,
    floors,
    random_rays,
    settle,
    starting_rays,
)


def bounds_of(witness, k, unprotected, seed):
    matrix = witness.random_bounds(np.random.default_rng(seed), k, unprotected)
    return np.array(matrix, dtype=float)


def score_of(matrix, price):
    """A convex quadratic less a linear form, on the section where the entries sum to one."""

    def score(rays):
        total = rays.sum(axis=-1, keepdims=True)
        section = rays / np.where(total > 0, total, 1)
        return np.where(total[..., 0] > 0, np.sum((section @ matrix) ** 2, axis=-1) - section @ price, -np.inf)

    return score


@pytest.mark.each_value
@pytest.mark.parametrize("unprotected", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_climbing_ends_on_the_best_extreme_ray(witness, k, unprotected, seed):
    generator = np.random.default_rng(seed)
    floor = floors(bounds_of(witness, k, unprotected, seed))
    every = witness.all_rays(floor)
    score = score_of(generator.normal(size=(k, k)), generator.normal(size=k))
    starts = np.concatenate(
        [starting_rays(floor, np.random.default_rng(seed)), random_rays(floor, 20, np.random.default_rng(seed))]
    )
    found = climb(starts, floor, score)
    distances = np.abs(found[:, None, :] - every).max(axis=2).min(axis=1)
    assert distances.max() < 1e-7
    assert (score(found) >= score(starts) - 1e-12).all()
    assert score(found).max() == pytest.approx(score(every).max(), abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_starts_keep_the_bounds(witness, seed):
    floor = floors(bounds_of(witness, 12, 0.5, seed))
    rays = np.concatenate(
        [starting_rays(floor, np.random.default_rng(seed)), random_rays(floor, 100, np.random.default_rng(seed))]
    )
    assert (rays[:, None, :] >= floor * rays[:, :, None] * (1 - 1e-12)).all()
    assert (rays.max(axis=1) == 1).all()


def test_starts_for_few_values_are_one_ray_for_each_set():
    floor = floors(2.0 * (1 - np.eye(4)))
    rays = starting_rays(floor, np.random.default_rng(0))
    # The set of all values is the constant ray; every other set is an extreme ray of its own.
    assert len(rays) == 2**4 - 1


def test_floors_follow_paths_and_end_at_a_word():
    bounds = np.array([[0, 1, 5], [np.inf, 0, 1], [np.inf, 50, 0]])
    expected = [[1, np.exp(-1), np.exp(-2)], [0, 1, np.exp(-1)], [0, 2.0**-64, 1]]
    assert floors(bounds) == pytest.approx(np.array(expected), rel=1e-12)


def test_rays_that_differ_in_size_only_are_one():
    rays = np.array([[1.0, 2.0], [0.5, 1.0], [0.0, 3.0], [0.5, 1.0 + 1e-12]])
    assert distinct(rays).tolist() == [[0.5, 1.0], [0.0, 1.0]]


def worth_of(k, seed, stretch):
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(k, k))
    prior = generator.dirichlet(np.full(k, 3.0))
    matrix, price = matrix @ matrix.T, generator.normal(size=k)

    def plain(rays):
        apart = 1 + stretch * (rays / (rays @ prior)[..., None] - 1)
        return np.sum((apart @ matrix) ** 2, axis=-1) - apart @ price

    return Worth(matrix, price, prior, stretch), plain


@pytest.mark.parametrize("stretch", [1.0, 1e4])
def test_worth_and_the_best_change_of_an_entry(stretch):
    worth, plain = worth_of(6, 1, stretch)
    generator = np.random.default_rng(2)
    rays = np.exp(generator.normal(size=(20, 6)) / stretch)
    entries = rays * np.exp(generator.normal(size=(2, 20, 6)) / stretch)
    assert worth(rays) == pytest.approx(plain(rays), rel=1e-9)
    assert worth(np.zeros((1, 6))) == -np.inf
    place, entry, better = worth.best_change(rays, entries)
    best = np.full(20, -np.inf)
    for choice in entries:
        for x in range(6):
            changed = rays.copy()
            changed[:, x] = choice[:, x]
            best = np.maximum(best, plain(changed))
    rays[np.arange(20), place] = entry
    assert plain(rays) == pytest.approx(best, rel=1e-9)
    assert (better == (best > worth_of(6, 1, stretch)[1](np.where(better[:, None], 1.0, rays)))).any()
    step = 1e-6 * np.eye(6)[3]
    slope = worth.slopes(rays)[:, 3] / (rays @ worth.prior)
    assert slope == pytest.approx(
        (plain(rays + step / stretch) - plain(rays - step / stretch)) / 2e-6 * stretch, rel=1e-3
    )


@pytest.mark.parametrize("search", [settle, approach])
@pytest.mark.parametrize(("k", "unprotected"), [(3, 0.0), (8, 0.0), (8, 0.7), (5, 1.0)])
def test_rays_stay_in_the_cone_and_gain(witness, search, k, unprotected):
    floor = floors(np.array(witness.random_bounds(np.random.default_rng(k), k, unprotected), dtype=float))
    worth, plain = worth_of(k, k, 1.0)
    starts = random_rays(floor, 30, np.random.default_rng(0))
    found = search(starts.copy(), floor, worth)
    assert found.shape == starts.shape
    assert (found[:, None, :] >= floor * found[:, :, None] * (1 - 1e-12)).all()
    assert (plain(found) >= plain(starts) - 1e-9 * np.abs(plain(starts))).all()
    if unprotected < 1:
        assert (plain(found) > plain(starts)).any()
