"""The quick search: its closed form against the worth itself, and that it never leaves the cone or loses worth."""

import numpy as np
import pytest

from sordino.design.histograms.columns.extreme_rays import floors, random_rays
from sordino.design.histograms.columns.ray_search import Worth, approach, settle


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
