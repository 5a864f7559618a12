"""A hierarchy over bins: the law from the definition, its level, what a tree of any shape holds, refusals."""

from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, HierarchyResponse, Nats, RandomizedResponse, SordinoError, SubsetSelection, certify
from sordino.design.numbers.bins_channel import hierarchy
from sordino.document.codec import decode
from sordino.mechanism.hierarchy import level_sizes
from sordino.testing import check_mechanism

SHAPES = [(2, "1"), (5, "ln 3"), (16, "2"), (21, "1/2"), (9, "4")]
shapes = pytest.mark.parametrize(("k", "epsilon"), SHAPES)


@shapes
def test_each_level_is_drawn_alike_and_told_by_its_own_mechanism(k, epsilon):
    mechanism = hierarchy(k, Nats.of(epsilon))
    levels = len(mechanism.inner)
    for value in range(k):
        node, law = value, []
        for inner in mechanism.inner:
            weights = [Fraction(inner.weight(node, code), inner.denominator) for code in range(inner.outputs)]
            law += [weight / levels for weight in weights]
            node //= 4
        told = [Fraction(mechanism.weight(value, code), mechanism.denominator) for code in range(mechanism.outputs)]
        assert told == law


@shapes
def test_all_parts_are_those_of_the_weights_and_the_level_is_the_largest_of_its_levels(k, epsilon):
    mechanism = hierarchy(k, Nats.of(epsilon))
    check_mechanism(mechanism, LDP(epsilon))
    slack = min(certify(inner, LDP(epsilon)).slack for inner in mechanism.inner)
    assert certify(mechanism, LDP(epsilon)).slack == slack >= 0


def test_one_loud_level_is_a_loud_hierarchy():
    coins = [RandomizedResponse(8, "1"), RandomizedResponse(2, "3/2")]
    assert not certify(HierarchyResponse(8, 4, coins), LDP("1")).holds
    assert certify(HierarchyResponse(8, 4, coins), LDP("3/2")).holds


def test_nodes_cover_the_values_and_the_last_may_be_narrow():
    assert level_sizes(21, 4) == [21, 6, 2]
    mechanism = hierarchy(21, Nats.of(1))
    first = sum(inner.outputs for inner in mechanism.inner[:2])
    # 16 to 20 are the second node of the last level.
    assert len({mechanism.weight(value, first) for value in range(16)}) == 1
    assert len({mechanism.weight(value, first) for value in range(16, 21)}) == 1
    assert mechanism.weight(15, first) > mechanism.weight(16, first)


@in_one(
    ("k", "fan", "inner"),
    [
        (8, 4, [RandomizedResponse(8, "1")]),
        (8, 4, [RandomizedResponse(2, "1"), RandomizedResponse(8, "1")]),
        (8, 1, [RandomizedResponse(8, "1"), RandomizedResponse(2, "1")]),
        (1, 4, []),
        (4, 4, [SubsetSelection(4, "1")]),
    ],
)
def test_other_levels_make_none(k, fan, inner):
    with pytest.raises(SordinoError):
        HierarchyResponse(k, fan, inner)
    with pytest.raises(SordinoError):
        decode({"name": "hierarchy", "k": k, "fan": fan, "inner": [each.document_fields for each in inner]})


def test_each_bin_is_told_right_on_average():
    """The least squares estimate holds all levels together."""
    mechanism = hierarchy(64, Nats.of(1))
    people = (64 * np.random.default_rng(5).beta(2, 9, 400_000)).astype(np.intp)
    codes = mechanism.privatize(people)
    shares = mechanism.decode(mechanism.tally(codes).counts / len(people))
    assert shares.sum() == pytest.approx(1)
    error = np.sqrt(mechanism.variance() / len(people))
    assert (np.abs(shares - np.bincount(people, minlength=64) / len(people)) < 5 * error).all()
