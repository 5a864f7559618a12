"""What neighbours say, against sums that are written out."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.estimation.neighbours.smoothing import SCALES, Neighbourhoods, Surroundings, expected_shares


@pytest.mark.parametrize("shape", [(7, 12), (40,)])
def test_a_neighbourhood_is_a_weighted_mean_that_leaves_out_the_value_itself(shape):
    shares = np.random.default_rng(3).random(shape)
    places = list(np.ndindex(shape))
    for scale, found in zip(SCALES, Neighbourhoods(shape).means(shares.ravel()), strict=True):
        reach = int(3 * scale + 0.5)
        for place in places[::11]:
            near = [other for other in places if other != place and max(abs(np.subtract(other, place))) <= reach]
            weights = [np.exp(-(np.subtract(other, place) ** 2).sum() / (2 * scale**2)) for other in near]
            mean = np.dot(weights, [shares[other] for other in near]) / sum(weights)
            assert found[np.ravel_multi_index(place, shape)] == pytest.approx(mean)


def test_what_is_expected_follows_what_goes_with_the_shares_and_not_their_noise():
    rng = np.random.default_rng(5)
    public, noise = rng.exponential(size=5000), rng.exponential(size=5000)
    shares = public / public.sum()
    stderr = np.full(5000, 1e-4)
    expected = expected_shares(
        shares + 1e-4 * rng.standard_normal(5000), stderr, np.full(5000, 1 / 5000), [public / public.sum(), noise]
    )
    np.testing.assert_allclose(expected, shares, atol=2e-5)


@pytest.mark.parametrize(
    ("known", "rule"),
    [
        (lambda: Surroundings((3, 4)).require(13), "the shape must hold 13 values"),
        (lambda: Surroundings(public=np.ones(4)).require(13), "a public number for each of 13 values"),
        (lambda: Surroundings(public=-np.ones(4)), "public numbers must be finite, >= 0"),
        (lambda: Surroundings(public=np.zeros(4)), "not all zero"),
    ],
)
def test_what_does_not_belong_to_the_values_is_refused(known, rule):
    with pytest.raises(SordinoError, match=rule):
        known()
