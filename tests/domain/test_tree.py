"""Trees: depths, ways and levels against climbing from parent to parent, and what is no tree."""

import numpy as np
import pytest

from in_one import in_one
from sordino import SordinoError
from sordino.domain.tree import LARGEST_TREE, Tree


def grown(k, seed):
    """Each value's parent is one that came before; then all are renamed."""
    generator = np.random.default_rng(seed)
    name = generator.permutation(k)
    parents = np.empty(k, dtype=int)
    parents[name[0]] = -1
    for place in range(1, k):
        parents[name[place]] = name[generator.integers(0, place)]
    return parents


def climbed(parents, value):
    way = [value]
    while parents[way[-1]] not in (-1, way[-1]):
        way.append(int(parents[way[-1]]))
    return way


@in_one(("k", "seed"), [(1, 0), (2, 1), (9, 2), (33, 3), (64, 4)])
def test_depths_and_ways_are_those_of_climbing(k, seed):
    parents = grown(k, seed)
    tree = Tree.of(parents.tolist())
    ways = [climbed(parents, value) for value in range(k)]
    assert tree.depth.tolist() == [len(way) - 1 for way in ways]
    assert tree.root == ways[0][-1]
    place = {value: i for i, value in enumerate(tree.order.tolist())}
    assert all(place[parents[value]] < place[value] for value in tree.below)
    assert sorted(np.concatenate([*tree.levels, [tree.root]])) == list(range(k))
    for value in range(0, k, 3):
        for other in range(k):
            apart = set(ways[value]) ^ set(ways[other])
            found = tree.path_between(value, other)
            assert sorted(found) == sorted(apart)
            # In order: each edge begins where the one before ends.
            at = value
            for lower in found:
                at = int(parents[lower]) if at == lower else lower
            assert at == other


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_a_path_joins_neighbours_only_and_is_no_deeper_than_half_its_length(k):
    order = np.random.default_rng(k).permutation(k)
    tree = Tree.path(order)
    found = {frozenset((value, int(tree.parents[value]))) for value in tree.below.tolist()}
    assert found == {frozenset(pair) for pair in zip(order.tolist(), order[1:].tolist(), strict=False)}
    assert tree.depth.max() <= k // 2


@in_one(
    ("parents", "said"),
    [
        ([], "1 to 65536 values; found 0"),
        ([0] * (LARGEST_TREE + 1), "found 65537.*grid of two lines"),
        ([None, None, 0], r"one root.*found the values \[0, 1\].*parent"),
        ([1, 0], "one root.*found none: a cycle"),
        ([None, 2, 1], "lead to its root; found a cycle above value 1.*PairwiseLDP"),
        ([None, 3, 0], r"values 0\.\.2; found values 0\.\.3"),
        ([None, 0.5], "one value for each value, None for the root"),
        ("01", "one value for each value"),
    ],
)
def test_what_is_no_tree_is_refused(parents, said):
    with pytest.raises(SordinoError, match=said):
        Tree.of(parents)


def test_equal_trees_are_equal():
    assert Tree.of([None, 0]) == Tree.of([0, 0]) == Tree.of([-1, 0]) != Tree.of([None, 0, 0])
    assert len({Tree.of([None, 0]), Tree.of([0, 0])}) == 1
