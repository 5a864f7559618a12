"""Trees over categories: ways between these by another reckoning, and trees from outside that are long or odd."""

from fractions import Fraction
from random import Random

import pytest

from in_one import in_one
from sordino import SordinoErrors
from sordino.survey.schema.plan_distances import Taxonomy


@in_one("seed", range(20))
def test_ways_are_the_edges_above_one_of_two_categories(seed):
    random = Random(seed)
    count = random.randint(2, 14)
    parents = [None, *(random.randrange(node) for node in range(1, count))]
    below = {above: [node for node in range(count) if parents[node] == above] for above in range(count)}
    categories = [node for node in range(count) if not below[node] or random.random() < 0.4]
    random.shuffle(categories)
    lengths = {node: Fraction(random.randint(1, 9), random.randint(1, 5)) for node in range(1, count, 2)}
    tree = Taxonomy.of(
        list(map(str, categories)),
        {str(node): list(map(str, found)) for node, found in below.items() if found},
        {str(node): length for node, length in lengths.items()},
    )

    def edges_above(node):
        return set() if parents[node] is None else {node} | edges_above(parents[node])

    expected = [
        [sum(lengths.get(edge, 1) for edge in edges_above(one) ^ edges_above(other)) for other in categories]
        for one in categories
    ]
    assert tree.distances() == expected


def test_long_ways_are_not_walked_for_each_two_categories():
    depth, names = 3000, [f"{side}{place}" for side in "ab" for place in range(64)]
    below = {f"{side}-{step}": [f"{side}-{step + 1}"] for side in "ab" for step in range(depth - 1)}
    below |= {f"{side}-{depth - 1}": [name for name in names if name[0] == side] for side in "ab"}
    distances = Taxonomy.of(names, {**below, "all": ["a-0", "b-0"]}).distances()
    assert {length for row in distances for length in row} == {0, 2, 2 * depth + 2}


def test_lengths_have_short_sums():
    lengths = {f"{place}": Fraction(1, 10**40 + place) for place in range(1, 20)}
    with pytest.raises(SordinoErrors, match=r"common denominator of at most 401 digits; found 4\d\d"):
        Taxonomy.of(list(lengths), {"all": list(lengths)}, lengths)
