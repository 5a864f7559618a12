"""The check that bounds for rows and columns keep distances, against all pairs of cells from points in space."""

import math
from fractions import Fraction

from in_one import in_one
from on_earth import GRIDS, apart
from sordino import Nats
from sordino.audit.earth_distances import keeps_distances

SHAPES = [(1, 1), (1, 3), (5, 1)]


def scaled(grid, shape, part):
    """Steps that tell some pair apart by this part of the most that a nat for each kilometre allows."""
    distances, rows, columns = apart(grid)
    other = distances > 0
    most = float(((shape[0] * rows[other] + shape[1] * columns[other]) / distances[other]).max())
    return tuple(Nats(Fraction(own) * Fraction(part) / Fraction(most)) for own in shape)


@in_one("name", GRIDS)
@in_one("shape", SHAPES)
def test_steps_are_refused_as_soon_as_one_pair_leaves_nothing(name, shape):
    grid = GRIDS[name]
    assert keeps_distances(grid, *scaled(grid, shape, 1 - 3e-7), 1e-3)
    # What is left must be more than floats can be off by.
    assert not keeps_distances(grid, *scaled(grid, shape, 1 - 3e-8), 1e-3)
    assert not keeps_distances(grid, *scaled(grid, shape, 1 + 1e-6), 1e-3)


def test_a_rate_is_for_metres():
    grid = GRIDS["town"]
    steps = scaled(grid, (1, 1), 1 - 1e-6)
    assert not keeps_distances(grid, *steps, 0.99e-3)
    assert keeps_distances(grid, *steps, math.nextafter(1e-3, 1))


def test_no_step_is_looked_at_in_one_place_only():
    grid = GRIDS["states"]
    rows, columns = scaled(grid, (1, 1), 1 - 1e-6)
    for wrong in ((Nats(rows.rational * 2), columns), (rows, Nats(columns.rational * 2))):
        assert not keeps_distances(grid, *wrong, 1e-3)
