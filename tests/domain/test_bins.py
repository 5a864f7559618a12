"""Bins of a number: which one each double is in, against exact arithmetic; and edges that are none."""

import math
from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import Interval, SordinoError
from sordino.domain.bins import Bins

UNEVEN = (0.0, 1.0, 1.5, 10.0)


@in_one("bins", [Bins.equal(Interval(0, 1), 10), Bins.equal(Interval(-3.3, 7e5), 97), Bins(UNEVEN)])
def test_a_number_is_in_the_last_bin_whose_lower_edge_is_not_above_it(bins):
    edges = np.array(bins.edges)
    beside = np.concatenate([edges, np.nextafter(edges, -np.inf)[1:], np.nextafter(edges, np.inf)[:-1]])
    numbers = np.concatenate([beside, (edges[1:] + edges[:-1]) / 2])
    lower = [Fraction(edge) for edge in bins.edges[:-1]]
    expected = [max(i for i, edge in enumerate(lower) if edge <= Fraction(number)) for number in numbers.tolist()]
    assert bins.locate(numbers).tolist() == expected


def test_equal_bins_have_the_edges_of_the_documented_formula():
    bins = Bins.equal(Interval(0.1, 0.7), 7)
    assert bins.edges == (*(i * ((0.7 - 0.1) / 7) + 0.1 for i in range(7)), 0.7)


@in_one(
    "edges, rule",
    [
        ((0, 5, 5, 10), "must ascend"),
        ((0, 7, 5, 10), "must ascend"),
        ((0, math.nan, 10), "an edge of a bin"),
        ((0, math.inf), "2 to 512"),
        ((0, 1, math.inf), "an edge of a bin"),
        ((0,), "2 to 512"),
        (tuple(range(514)), "2 to 512"),
    ],
)
def test_edges_that_are_none_are_refused(edges, rule):
    with pytest.raises(SordinoError, match=rule):
        Bins(edges)


def test_declared_edges_cover_the_range():
    assert Bins.from_edges([0, 4, 10], Interval(0, 10)).k == 2
    for edges in ([1, 4, 10], [0, 4, 9], [0, 4, 11]):
        with pytest.raises(SordinoError, match="go from 0 to 10"):
            Bins.from_edges(edges, Interval(0, 10))
    with pytest.raises(SordinoError, match="must ascend"):
        Bins.equal(Interval(1e16, 1e16 + 8), 64)


def test_edges_are_found_by_their_number():
    bins = Bins(UNEVEN)
    assert [bins.edge(number) for number in (*UNEVEN, 0.5, 11)] == [0, 1, 2, 3, None, None]
    assert bins.nearest(1.3) == 1.5
