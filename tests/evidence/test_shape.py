"""Scalar shapes: the dual envelope is above the function everywhere, for any slope, on any range."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino.evidence.shape import Stack
from sordino.query.affine import LogAffine, LogClipped
from sordino.query.logistic import LogLogistic


def weights(epsilon):
    return [[1 / (1 + np.exp(epsilon))], [np.tanh(epsilon / 2)]]


KINDS = {
    "affine": (lambda e: LogAffine(np.array(weights(e))), (0, 1)),
    "clipped": (lambda e: LogClipped(np.array(weights(e))), (-3, 4)),
    "logistic": (lambda e: LogLogistic(np.array([[e]])), (-30, 30)),
}
EVERY = [*KINDS, *(f"-{name}" for name in KINDS)]
"""A minus sign: the reflected function."""


def made(name, epsilon):
    make, (low, high) = KINDS[name.removeprefix("-")]
    shape = make(epsilon)
    return (shape.reflect(), (-high, -low)) if name.startswith("-") else (shape, (low, high))


@given(
    st.sampled_from(EVERY),
    st.sampled_from([0.01, 0.1, 1.0, 5.0]),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(-0.5, 1.5),
)
def test_the_offset_is_above_the_function_everywhere(name, epsilon, first, second, steepness):
    shape, (least, largest) = made(name, epsilon)
    low, high = sorted((least + first * (largest - least), least + second * (largest - least)))
    slope = steepness * shape.steepest
    grid = np.concatenate((np.linspace(low, high, 2001), np.clip([0.0, 1.0, -1.0], low, high)))[:, None]
    offset = shape.offset(slope, np.array([low]), np.array([high]))
    rounding = 1e-14 * (shape.largest + shape.steepest * 60)
    assert (shape.value(grid) - slope * grid <= offset + rounding).all()
    # It is the least such number, but for the grid.
    step = shape.steepest * (high - low) / 1000
    assert (shape.value(grid) - slope * grid).max() >= offset - step - rounding


@given(st.sampled_from(EVERY), st.sampled_from([0.01, 1.0, 5.0]), st.floats(0, 1), st.floats(0, 1))
def test_slopes_and_values_stay_within_what_is_claimed(name, epsilon, first, second):
    shape, (least, largest) = made(name, epsilon)
    low, high = sorted((least + first * (largest - least), least + second * (largest - least)))
    grid = np.linspace(low, high, 501)
    values = shape.value(grid[:, None])[:, 0]
    assert (np.abs(values) <= shape.largest).all()
    assert (values <= shape.highest(np.array([low]), np.array([high])) + 1e-13 * shape.largest).all()
    quotients = np.diff(values) / np.maximum(np.diff(grid), 1e-9)
    rounding = 1e-6 * (1 + shape.steepest)
    gentlest, fiercest = shape.slope_range(np.array([low]), np.array([high]))
    if high - low > 1e-3:
        assert (quotients <= fiercest + rounding).all()
        assert (quotients >= gentlest - rounding).all()
    assert (np.abs(quotients) <= shape.steepest + rounding).all()


@in_one("name", EVERY)
def test_a_reflected_function_is_turned_around(name):
    shape, (low, high) = made(name, 1.0)
    grid = np.linspace(low, high, 101)[:, None]
    turned = shape.reflect()
    assert np.allclose(turned.value(-grid), -shape.value(grid), atol=1e-15)
    assert np.allclose(turned.reflect().value(grid), shape.value(grid), atol=1e-15)
    assert (turned.concave, turned.convex) == (shape.convex, shape.concave)


@pytest.mark.parametrize("name", ["clipped", "logistic", "-clipped", "-logistic"])
def test_the_tangent_touches_and_stays_above(name):
    shape, (low, high) = made(name, 1.0)
    touch, slope = shape.tangent(np.array([low]), np.array([high]))
    grid = np.linspace(low, high, 1001)[:, None]
    line = shape.value(np.array([low])) + slope * (grid - low)
    assert low < touch < high
    assert (shape.value(grid) <= line + 1e-3).all()
    assert abs(float(np.squeeze(shape.value(touch) - shape.value(np.array([low])) - slope * (touch - low)))) < 1e-12


def test_a_stack_is_its_parts_side_by_side():
    parts = [made(name, 1.0)[0] for name in ("affine", "logistic", "clipped")]
    stack, t = Stack.of(parts), np.random.default_rng(2).uniform(0, 1, (7, 3))
    low, high = t * 0.5, t * 1.5
    for name, arguments in {
        "value": (t,),
        "slope": (t,),
        "offset": (t, low, high),
        "highest": (low, high),
        "slope_range": (low, high),
        "tangent": (low, high),
    }.items():
        found = np.array(getattr(stack, name)(*arguments))
        single = [
            np.array(getattr(part, name)(*(array[:, i : i + 1] for array in arguments))) for i, part in enumerate(parts)
        ]
        assert (found == np.concatenate(single, axis=-1)).all(), name
    for name in ("steepest", "bend", "largest", "error"):
        assert (getattr(stack, name) == np.concatenate([getattr(part, name) for part in parts])).all()
    assert (stack.concave, stack.convex, stack.kinked) == (False, False, True)
    assert (stack.reflect().value(-t) == -stack.value(t)).all()
    assert Stack.of(parts[:1]) is parts[0]
