"""Steps between rows and columns against the promise itself: all pairs of cells, by their distance."""

from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from on_earth import GRIDS, apart
from sordino import Grid, Nats, SordinoError
from sordino.design.shares.map_steps import map_steps


def used(grid, per, epsilon):
    """Of what the promise allows, for each two cells, the part that the steps may tell."""
    row_step, column_step = (np.longdouble(step.ceil()) for step in map_steps(grid, per, Nats.of(epsilon)))
    distances, rows, columns = apart(grid)
    other = distances > 0
    allowed = np.longdouble(Nats.of(epsilon).floor()) * distances[other] / np.longdouble(float(per))
    return (row_step * rows[other] + column_step * columns[other]) / allowed


@in_one("name", GRIDS)
def test_no_two_cells_are_told_apart_by_more_than_their_distance_allows(name):
    for per, epsilon in ((Fraction(100), "1"), (Fraction(1000), "1/10"), (Fraction("16.09344"), "ln 3")):
        part = used(GRIDS[name], per, epsilon)
        assert part.max() <= 1
        # And some pair is told apart by nearly all of it.
        assert part.max() > 1 - 2e-5


def test_a_part_is_left_for_the_rounding_of_floats():
    # Of six digits, rounding leaves anything from nothing to a hundred thousandth.
    most = max(used(GRIDS["states"], Fraction(per), "1").max() for per in range(100, 130))
    assert 1 - 2e-6 < most < 1 - 0.9e-6


def test_steps_are_short_decimals():
    for step in map_steps(GRIDS["states"], Fraction(1, 3), Nats.of("ln 2")):
        assert step.ratio == 1
        assert set(str(step.rational.denominator)) <= set("0123456789")
        assert step.rational.numerator < 10**6 or step.rational == 100


def test_a_kilometre_is_worth_as_much_either_way_where_the_map_allows_it():
    row_step, column_step = map_steps(Grid(-1, 1, -2, 2, 20, 40), Fraction(50), Nats.of("1"))
    assert row_step.floor() == pytest.approx(column_step.floor(), rel=1e-3)
    # Over flat land two steps that are equal in kilometres keep 1 / sqrt 2 of the distance.
    assert row_step.floor() == pytest.approx(11.1195 / 50 / np.sqrt(2), rel=1e-3)


@pytest.mark.parametrize("grid", [Grid(0, 1e-4, 0, 1e-4, 20, 20), Grid(89, 90, 0, 1, 100, 5000)])
def test_cells_smaller_than_a_metre_are_refused(grid):
    with pytest.raises(SordinoError, match=r"at least a metre apart; found 0.* m: take larger cells"):
        map_steps(grid, Fraction(1), Nats.of("1"))


def test_what_no_coin_could_keep_is_the_largest_bound():
    assert [step == 100 for step in map_steps(GRIDS["states"], Fraction(1, 100), Nats.of("1"))] == [True, True]
