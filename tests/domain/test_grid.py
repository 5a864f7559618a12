"""Grids: the cell of a position against exact fractions, one position at a time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from on_earth import GRIDS as GRIDS_ON_EARTH
from on_earth import apart
from sordino import Grid, SordinoError
from sordino.domain.grid import KILOMETRES, cell_sizes, least_distances

US = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)

DYADIC = Grid(south=-1, north=1, west=0, east=8, rows=8, columns=16)

GRIDS = [
    US,
    DYADIC,
    Grid(south=-90, north=90, west=-180, east=180, rows=7, columns=13),
    Grid(south=48.1, north=48.2, west=11.4, east=11.7, rows=33, columns=1),
    Grid(south=-0.3, north=0.1, west=-0.7, east=-0.1, rows=1, columns=9),
]

NEAR = Fraction(1, 10**9)
"""Of a cell: so near to an edge the floats may put a position into the next cell."""


def places(position, low, high, cells):
    """The cells, one or two, in which a coordinate may be put; none outside."""
    position, low, high = Fraction(position), Fraction(low), Fraction(high)
    if not low <= position <= high:
        return set()
    exact = (position - low) / (high - low) * cells
    return {min(max(int(exact + shift), 0), cells - 1) for shift in (-NEAR, NEAR)}


@given(st.data())
def test_a_position_is_in_the_cell_that_holds_it(data):
    grid = data.draw(st.sampled_from(GRIDS))
    margin = 0.1 * (grid.north - grid.south)
    latitude = data.draw(st.floats(grid.south - margin, grid.north + margin))
    longitude = data.draw(st.floats(grid.west - margin, grid.east + margin))
    (cell,) = grid.locate(np.array([latitude]), np.array([longitude])).tolist()
    rows = places(latitude, grid.south, grid.north, grid.rows)
    columns = places(longitude, grid.west, grid.east, grid.columns)
    assert cell in ({row * grid.columns + column for row in rows for column in columns} or {-1})


def test_positions_are_located_one_by_one():
    latitude, longitude = np.array([-1, 0.1, 5, 0.99]), np.array([0, 7.9, 1, -0.1])
    np.testing.assert_array_equal(DYADIC.locate(latitude, longitude), [0, 4 * 16 + 15, -1, -1])


@in_one("row", range(8))
def test_a_position_on_an_inner_edge_belongs_to_the_cell_above_it(row):
    column = 2 * row
    latitude, longitude = np.array([-1 + row / 4]), np.array([column / 2])
    np.testing.assert_array_equal(DYADIC.locate(latitude, longitude), [row * 16 + column])


@in_one("grid", GRIDS)
def test_outer_edges_belong_to_the_grid_and_nothing_beyond_does(grid):
    last = grid.k - 1
    south, north, west, east = (np.array([float(edge)]) for edge in (grid.south, grid.north, grid.west, grid.east))
    corners = [
        (south, west, 0),
        (south, east, grid.columns - 1),
        (north, west, last - grid.columns + 1),
        (north, east, last),
    ]
    for latitude, longitude, cell in corners:
        assert grid.locate(latitude, longitude) == cell
    for latitude, longitude in [
        (np.nextafter(south, -math.inf), west),
        (np.nextafter(north, math.inf), west),
        (south, np.nextafter(west, -math.inf)),
        (south, np.nextafter(east, math.inf)),
    ]:
        assert grid.locate(latitude, longitude) == -1


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
def test_what_is_no_position_is_outside(strange):
    latitude, longitude = np.array([strange, 30, strange]), np.array([-100, strange, strange])
    np.testing.assert_array_equal(US.locate(latitude, longitude), [-1, -1, -1])


def test_an_absurd_number_is_outside():
    assert US.locate(np.array([1e308]), np.array([-100.0])) == -1


@in_one("grid", GRIDS)
def test_a_label_is_a_position_in_its_cell(grid):
    cells = np.arange(0, grid.k, max(grid.k // 500, 1))
    labels = [grid.label(int(cell)) for cell in cells]
    latitude, longitude = np.array([[float(part) for part in label.split(",")] for label in labels]).T
    np.testing.assert_array_equal(grid.locate(latitude, longitude), cells)


@in_one(
    ("grid", "label"),
    [
        (US, "25.1,-129.9"),
        (Grid(0, 2, -4, 0, 1, 1), "1.0,-2.0"),
        (DYADIC, "-0.875,0.25"),
        (Grid(-90, 90, -180, 180, 1, 1), "0.0,0.0"),
        (Grid(0, 180 / 7 / 2, 0, 1, 1, 1), "6.4,0.5"),
    ],
)
def test_a_label_has_the_digits_that_it_needs(grid, label):
    assert grid.label(0) == label


def test_labels_of_fine_grids_differ():
    fine = Grid(south=0, north=1, west=100, east=101, rows=1, columns=5000)
    assert len({fine.label(cell) for cell in range(fine.k)}) == fine.k


@in_one("rows, columns", [(4, 6), (5, 7), (1, 1), (3, 11)])
@in_one("height, width", [(1, 1), (2, 3), (3, 2), (5, 5), (20, 20)])
def test_tiles_are_cut_from_the_south_west_whether_or_not_they_divide(rows, columns, height, width):
    tiles = Grid(0, 1, 0, 1, rows, columns).tiles(height, width)
    corners = {}
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row * columns + column]
            assert corners.setdefault((row // height, column // width), tile) == tile
    assert sorted(corners.values()) == list(range(len(corners)))


def test_the_papers_blocks_are_tiles():
    for (height, width), count, cells in [((25, 50), 35, 1250), ((5, 10), 875, 50), ((5, 5), 1750, 25)]:
        np.testing.assert_array_equal(np.bincount(US.tiles(height, width)), [cells] * count)


@in_one(
    ("wrong", "rule"),
    [
        ({"south": 50}, "south must lie below north"),
        ({"north": 90.1}, "south must lie below north"),
        ({"south": -90.1}, "south must lie below north"),
        ({"south": math.nan}, "south must lie below north"),
        ({"west": -60}, "west must lie left of east"),
        ({"west": -180.1}, "west must lie left of east"),
        ({"east": 180.1}, "west must lie left of east"),
        ({"east": math.inf}, "west must lie left of east"),
        ({"rows": 0}, "1 to 2\\^31 cells"),
        ({"columns": -1}, "1 to 2\\^31 cells"),
        ({"rows": 2**16, "columns": 2**15 + 1}, "1 to 2\\^31 cells"),
    ],
)
def test_edges_and_sizes_are_checked(wrong, rule):
    settings = {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 125, "columns": 350}
    with pytest.raises(SordinoError, match=rule):
        Grid(**(settings | wrong))


def test_the_largest_grid_is_the_whole_earth_in_2_to_the_31_cells():
    assert Grid(south=-90, north=90, west=-180, east=180, rows=2**16, columns=2**15).k == 2**31


@in_one("name", GRIDS_ON_EARTH)
def test_no_two_centres_are_closer_than_is_said_of_their_rows_and_columns(name):
    grid = GRIDS_ON_EARTH[name]
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
