"""How much answers rise along one number: the difference itself, and bounds on it around dense grids."""

import numpy as np
import pytest

from sordino.query.affine import LogAffine
from sordino.query.logistic import LogLogistic

STEPS = 801
ROUNDING = 1e-12


def drawn(kind, generator, n=30):
    """Functions, steps along a number, and intervals within which arguments stay."""
    if kind == "logistic":
        shape = LogLogistic(generator.uniform(0.05, 4, (1, n)))
        steps, low = generator.normal(size=n) * 10 ** generator.uniform(-1, 1), 4 * generator.normal(size=n)
        return shape, steps, low, low + generator.exponential(size=n) * 5
    shape = LogAffine(np.stack((generator.uniform(0.02, 0.5, n), generator.uniform(0.01, 0.5, n))))
    low = generator.uniform(0.4, 0.6, n)
    return shape, generator.uniform(-0.4, 0.4, n), low, generator.uniform(low + 0.02, 0.65)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["logistic", "linear"])
def test_a_rise_is_a_difference_and_its_bounds_hold(kind, turned):
    generator = np.random.default_rng(4)
    for _ in range(12):
        shape, steps, low, high = drawn(kind, generator)
        up, down = generator.uniform(-1, 1, 2)
        rise = shape.rise(steps * up, steps * down)
        t = np.linspace(low, high, STEPS)
        true = shape.value(t + steps * up) - shape.value(t + steps * down)
        if turned:
            rise, t, true, low, high = rise.reflect(), -t, -true, -high, -low
        assert np.abs(rise.value(t) - true).max() < ROUNDING * (1 + np.abs(steps).max())
        slopes = np.diff(true, axis=0) / np.diff(t, axis=0)
        least, most = rise.slope_range(low, high)
        assert (slopes >= least - 1e-9).all()
        assert (slopes <= most + 1e-9).all()
        assert (np.abs(slopes) <= rise.steepest + 1e-9).all()
        assert (np.abs(true) <= rise.largest).all()
        highest = rise.highest(low, high)
        assert (true <= highest + ROUNDING).all()
        assert (highest <= true.max(axis=0) + rise.steepest * (high - low) / STEPS + ROUNDING).all()
        for share in (1, 0.1, 0.01):
            slope = generator.uniform(-1, 1, len(low)) * rise.steepest * share
            offset, best = rise.offset(slope, low, high), (true - slope * t).max(axis=0)
            assert (best <= offset + ROUNDING).all()
            assert (offset <= best + 2 * rise.steepest * (high - low) / STEPS + 0.02).all()


@pytest.mark.parametrize("kind", ["logistic", "linear"])
def test_no_function_is_bent_more_than_said(kind):
    shape, _, low, high = drawn(kind, np.random.default_rng(5), 200)
    t = np.linspace(low, np.maximum(high, low + 0.05), 401)
    step = t[1] - t[0]
    bends = np.abs(np.diff(shape.value(t), n=2, axis=0)) / step**2
    assert (bends <= shape.most_bent * (1 + 1e-6) + 1e-8).all()
    assert np.isfinite(shape.most_bent).all()


def test_steps_beyond_floats_have_no_rise():
    shape = LogLogistic(np.array([[1.0]]))
    assert shape.rise(np.array([400.0]), np.array([-400.0])) is None
