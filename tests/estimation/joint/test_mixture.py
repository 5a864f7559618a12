"""Mixtures of classes: margins against the listed product, and raking against scaling that product."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.estimation.joint.mixture import Mixture

SHAPE = (3, 2, 4)


def mixture(classes=5):
    random = np.random.default_rng(4)
    within = tuple(random.dirichlet(np.ones(k), classes) for k in SHAPE)
    return Mixture(random.dirichlet(np.ones(classes)), within)


def listed(mixture):
    """The share of each combination."""
    return np.einsum("c,ci,cj,ck->ijk", mixture.weights, *mixture.within)


def test_margins_are_sums_over_the_listed_product():
    found, joint = mixture(), listed(mixture())
    assert found.margin([1]) == pytest.approx(joint.sum(axis=(0, 2)))
    assert found.margin([2, 0]) == pytest.approx(joint.sum(axis=1).T.reshape(-1))
    assert found.margin([1, 2, 0]) == pytest.approx(joint.transpose(1, 2, 0).reshape(-1))
    assert found.margin([]) == pytest.approx([1])


def test_raked_mixtures_are_the_scaled_product():
    known = {0: np.array([0.2, 0.5, 0.3]), 2: np.array([0.0, 0.1, 0.2, 0.7])}
    joint = listed(mixture())
    for _ in range(200):
        joint *= (known[0] / joint.sum(axis=(1, 2)))[:, None, None]
        joint[..., 1:] *= known[2][1:] / joint.sum(axis=(0, 1))[1:]
        joint[..., 0] = 0
    raked = mixture().rake(known)
    assert listed(raked) == pytest.approx(joint, abs=1e-8)
    assert raked.margin([0]) == pytest.approx(known[0], abs=1e-9)


def test_values_that_nobody_has_cannot_be_raked_to_a_share():
    nobody = Mixture(np.ones(1), (np.array([[1.0, 0.0]]),))
    with pytest.raises(SordinoError, match="must show each value"):
        nobody.rake({0: np.array([0.5, 0.5])})
    apart = Mixture(np.array([0.5, 0.5]), (np.eye(2), np.eye(2)))
    assert apart.rake({0: np.array([1.0, 0.0])}).margin([1]) == pytest.approx([1, 0])
    with pytest.raises(SordinoError, match="none that it reaches"):
        apart.rake({0: np.array([0.4, 0.6]), 1: np.array([0.6, 0.4])})
