"""What a sample can be compared by, and what of it nothing can tell."""

from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import Categories, Interval, SordinoError
from sordino.design.sample_questions import SampleNumber, SampleQuestions
from sordino.domain.attribute import Attribute

TWO = Attribute("two", Categories(["a", "b"]))
FIVE = Attribute("five", Categories(range(5)))
MANY = Attribute("many", Categories(range(2000)))
BINNED = SampleNumber("binned", Interval(0, 10), edges=(0, 1, 10))
SMOOTH = SampleNumber("smooth", Interval(0, 10), edges=(0, 5, 7.5, 10), lipschitz=Fraction(1, 10))
WHOLE = SampleNumber("whole", Interval(0, 10), lipschitz=Fraction(1, 10))
PLAIN = SampleNumber("plain", Interval(0, 10))


def test_comparisons_are_the_pairs_of_values_by_statistic():
    asked = SampleQuestions((TWO, FIVE, BINNED, SMOOTH, WHOLE, PLAIN), ((0,), (1,), (2,), (2, 3)))
    why = {(i, s): asked.why(i, s) for i in range(6) for s in asked.statistics}
    assert [i_s for i_s, found in why.items() if found == "own"] == [(0, (0,)), (1, (1,)), (2, (2,))]
    assert {i for (i, _), found in why.items() if found == "no bins"} == {5}
    assert {i_s for i_s, found in why.items() if found == "exact number"} == {
        (3, (0,)),
        (3, (1,)),
        (4, (0,)),
        (4, (1,)),
    }
    # two: 3 statistics x 1 pair; five: 3 x 10; binned: 3 x 1; smooth: 2 x 3; whole: 2 x 0.
    assert asked.comparisons == 3 + 30 + 3 + 6 + 0


def test_too_many_values_are_not_compared_but_may_be_answered():
    asked = SampleQuestions((TWO, MANY), ((0,), (1,)))
    assert (asked.why(1, (0,)), asked.why(0, (1,))) == ("many values", "sample")
    large = Attribute("large", Categories(range(1 << 18)))
    assert SampleQuestions((TWO, large), ((1,),)).why(0, (1,)) == "many values"


def test_an_inner_edge_belongs_to_the_upper_bin_and_the_last_to_the_last():
    numbers = np.array([0.0, 0.999, 1.0, 9.0, 10.0])
    assert BINNED.cell(numbers).tolist() == [0, 0, 1, 1, 1]
    assert BINNED.statistic_values(numbers).tolist() == pytest.approx([-1, -0.8002, -0.8, 0.8, 1])
    rounded = SampleNumber("rounded", Interval(0, 10), answers="bin", edges=(0, 1, 10))
    assert rounded.statistic_values(numbers).tolist() == pytest.approx([-0.9, -0.9, 0.1, 0.1, 0.1])


@in_one(
    ("settings", "words"),
    [
        ({"domain": Categories(["a", "b"])}, "must be about numbers"),
        ({"edges": (0, 5)}, "rise from low to high"),
        ({"edges": (0, 5, 5, 10)}, "rise from low to high"),
        ({"edges": (0, float("nan"), 10)}, "rise from low to high"),
        ({"edges": (0, 10)}, "at least two bins"),
        ({"lipschitz": Fraction(-1)}, "Lipschitz constant"),
        ({"answers": "bin"}, "no bins"),
        ({"answers": "bin", "edges": (0, 5, 10), "lipschitz": Fraction(1)}, "a Lipschitz constant"),
    ],
)
def test_numbers_that_cannot_be_compared_are_refused(settings, words):
    with pytest.raises(SordinoError) as error:
        SampleNumber(**{"name": "x", "domain": Interval(0, 10), **settings})
    assert words in str(error.value)


@in_one(
    ("attributes", "statistics", "words"),
    [
        ((), ((0,),), "names"),
        ((TWO, TWO), ((0,),), "names"),
        ((TWO, FIVE), (), "statistics"),
        ((TWO, FIVE), ((0,), (0,)), "statistics"),
        ((TWO, FIVE), ((2,),), "2 attributes"),
        ((BINNED, PLAIN), ((1, 0),), "ascending"),
        ((BINNED, PLAIN), ((0, 0, 1),), "at most 2 such attributes"),
        ((TWO, FIVE), ((0, 0),), "only numbers have products"),
        ((TWO, FIVE), ((1, 0),), "ascending"),
        ((BINNED, TWO), ((0, 1),), "only numbers have products"),
    ],
)
def test_what_cannot_be_asked_is_refused(attributes, statistics, words):
    with pytest.raises(SordinoError) as error:
        SampleQuestions(attributes, statistics)
    assert words in str(error.value)
