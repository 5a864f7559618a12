"""Least distances of centres, against those of all pairs of cells from points in space."""

import numpy as np
import pytest

from in_one import in_one
from on_earth import GRIDS, apart
from sordino import Grid
from sordino.domain.great_circle import KILOMETRES, cell_sizes, least_distances


@in_one("name", GRIDS)
def test_no_two_centres_are_closer_than_is_said_of_their_rows_and_columns(name):
    grid = GRIDS[name]
    distances, rows, columns = apart(grid)
    least = np.full((grid.rows, grid.columns), np.inf, dtype=np.longdouble)
    np.minimum.at(least, (rows, columns), distances)
    np.testing.assert_allclose(least_distances(grid), least.astype(float), rtol=1e-8)


def test_east_and_west_of_the_date_line_are_neighbours():
    world = Grid(-90, 90, -180, 180, 4, 8)
    found = least_distances(world)
    assert found[0, 7] == pytest.approx(found[0, 1], rel=1e-12)
    assert found[0, 4] > found[0, 3] > found[0, 2]


def test_the_size_of_a_cell_is_that_of_a_minute_of_arc_and_of_its_parallel():
    height, narrow, wide = cell_sizes(Grid(0, 60, 0, 1, 3600, 60))
    # A nautical mile, 1.852 km, and half of it at 60 degrees.
    assert (height, wide, narrow) == pytest.approx((1.8532, 1.8532, 0.9268), rel=3e-4)


def test_units_are_those_of_the_metric_treaty_and_of_the_road():
    assert [float(KILOMETRES[unit]) for unit in ("km", "m", "miles")] == [1, 0.001, 1.609344]
