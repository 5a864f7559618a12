"""What is left for the long run has nothing that the default run does not meet with other values."""

from itertools import product

import pytest

from each_value import chosen


@pytest.mark.parametrize("sizes", [(1,), (5,), (2, 3), (4, 4), (3, 1, 7), (2, 3, 4, 5)])
def test_every_value_of_each_parameter_is_met(sizes):
    cases = {case: set(enumerate(case)) for case in product(*map(range, sizes))}
    met = list(chosen(cases))
    assert set().union(*(cases[case] for case in met)) == set().union(*cases.values())
    assert max(sizes) <= len(set(met)) == len(met) <= sum(sizes)


def test_the_other_values_take_turns():
    cases = {case: set(enumerate(case)) for case in product(range(10), range(2))}
    assert [second for _, second in chosen(cases)].count(0) == 5


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("place", range(4))
def test_the_first_cases_are_not_long(request, place):
    assert (request.node.get_closest_marker("long") is None) == (place < 2)


@pytest.mark.each_value
@pytest.mark.parametrize("second", ["a", "b"])
@pytest.mark.parametrize("first", ["a", "b", "c"])
def test_cases_are_long_unless_they_are_chosen(request, first, second):
    chosen_here = request.node.get_closest_marker("long") is None
    assert chosen_here == (first + second in ("aa", "bb", "ca"))
