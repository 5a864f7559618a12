"""Shares of types against a general optimiser, and choices in which all of a group are chosen alike often."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from sordino import Nats
from sordino.design.numbers.best_mixture import Group, Mixtures, MixtureType, spread
from sordino.design.numbers.sign_table import TableShape


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 12)).filter(lambda pair: pair[0] <= pair[1]), min_size=1))
def test_all_of_a_group_are_chosen_alike_often(groups):
    counts, sizes = zip(*groups, strict=True)
    if not any(counts):
        counts = (1, *counts[1:])
    often = [[Fraction(0)] * size for size in sizes]
    total = Fraction(0)
    for share, chosen in spread(counts, sizes):
        total += share
        for own, count, places in zip(often, counts, chosen, strict=True):
            assert len(set(places)) == len(places) == count
            for place in places:
                own[place] += share
    assert total == 1
    for own, count, size in zip(often, counts, sizes, strict=True):
        assert own == [Fraction(count, size)] * size


def groups_of(sizes, singles):
    ends = np.cumsum(sizes).tolist()
    return [
        Group(tuple(range(end - size, end)), Nats.of(1), Fraction(1), tuple(single))
        for end, size, single in zip(ends, sizes, singles, strict=True)
    ]


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.long)])
def test_shares_are_the_best_ones(times):
    rng = np.random.default_rng(8)
    for _ in range(times):
        singles = [rng.uniform(0.01, 0.5, 2), rng.uniform(0.01, 0.5, 3)]
        kinds = [
            MixtureType((1, 1), TableShape((), (), (), Nats.of(1)), np.ones(1), tuple(rng.uniform(0, 0.2, 2)))
            for _ in range(4)
        ]
        mixtures = Mixtures(groups_of((2, 3), singles), Nats.of(1))
        shares = mixtures._best_shares(kinds)
        information = np.vstack([np.diag(np.concatenate(singles)), [np.repeat(k.information, (2, 3)) for k in kinds]])
        weights = np.concatenate([*shares.of_singles, shares.of_kinds])
        assert weights.sum() == pytest.approx(1)
        assert shares.total == pytest.approx(np.sum(1 / (weights @ information)))

        def total(logits, information=information):
            law = np.exp(logits - logits.max())
            return np.sum(1 / (law / law.sum() @ information))

        best = min(minimize(total, rng.normal(size=9), method="L-BFGS-B").fun for _ in range(4))
        assert shares.total <= best * (1 + 1e-4)


def test_without_types_shares_of_singles_follow_their_slopes():
    singles = ((0.04, 0.25), (0.01,))
    shares = Mixtures(groups_of((2, 1), singles), Nats.of(1))._best_shares(())
    np.testing.assert_allclose(np.concatenate(shares.of_singles), np.array([5, 2, 10]) / 17)
    assert shares.total == pytest.approx(17**2)
