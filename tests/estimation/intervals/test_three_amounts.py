"""Three amounts have the moments of all that they stand for, and are those that there are where there are no more."""

import numpy as np
import pytest

from sordino.estimation.intervals.three_amounts import MOMENTS, three_amounts


def moments_of(amounts, parts):
    """The means of powers, summed amount by amount."""
    return np.array([sum(p * a**power for a, p in zip(amounts, parts, strict=True)) for power in range(1, MOMENTS + 1)])


@pytest.mark.parametrize("seed", range(5))
def test_they_have_the_first_five_moments(seed):
    rng = np.random.default_rng(seed)
    kinds = [(rng.normal(size=40) * 10, rng.dirichlet(np.full(40, 0.2))) for _ in range(8)]
    moments = np.stack([moments_of(*kind) for kind in kinds], axis=1)
    amounts, parts = three_amounts(moments)
    np.testing.assert_allclose(parts.sum(axis=0), 1)
    for power in range(1, MOMENTS + 1):
        np.testing.assert_allclose((parts * amounts**power).sum(axis=0), moments[power - 1], rtol=1e-6, atol=1e-6)
    # Within the least and the largest amount.
    assert (amounts[parts > 1e-9].min() >= -50) & (amounts.max() <= 50)


@pytest.mark.parametrize(
    "kind",
    [
        ((0.0,), (1.0,)),
        ((1.4,), (1.0,)),
        ((0.0, 8.8), (1 - 1e-6, 1e-6)),
        ((-3.9, 0.0, 8.8), (2e-6, 1 - 3e-6, 1e-6)),
        ((-34.0, 0.0, 77.0), (0.01, 0.985, 0.005)),
        ((-1.0, 1.0), (0.5, 0.5)),
    ],
)
def test_as_few_amounts_are_found_again(kind):
    amounts, parts = three_amounts(moments_of(*kind)[:, None])
    for amount, part in zip(*kind, strict=True):
        near = np.abs(amounts[:, 0] - amount) < 1e-4
        assert parts[near, 0].sum() == pytest.approx(part, rel=1e-3)
