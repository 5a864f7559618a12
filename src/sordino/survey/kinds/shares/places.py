"""What the cells of a map are called: their centres, and the most populous place of 100,000 people or more in them.

The places are those of GeoNames (CC BY 4.0), in `places.csv.gz`, which `scripts/make_places.py` makes: a name is for
whoever reads a table; which cell is meant, its centre says.
"""

import gzip
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import numpy as np

from sordino.domain.grid import Grid

CELLS = (
    "A cell is named by its centre: degrees north, negative in the south; then degrees east, negative in the west."
    " A place that is named beside it lies in the cell (GeoNames)."
)


def cell_label(grid: Grid, cell: int) -> str:
    """A cell's centre, and a place in it, if a large one is there.

    Example:
        >>> cell_label(Grid(south=25, north=50, west=-130, east=-60, rows=125, columns=350), 27579)
        '40.7,-74.1 New York City'
    """
    return " ".join(filter(None, (grid.label(cell), place_names(grid).get(cell))))


def cell_in_words(grid: Grid, cell: int) -> str:
    """The same as a sentence has it."""
    name = place_names(grid).get(cell)
    return f"the cell at {grid.place(cell)}" + (f" ({name})" if name else "")


@lru_cache(maxsize=8)
def place_names(grid: Grid) -> Mapping[int, str]:
    """The most populous place of each cell that has one."""
    packed = (files("sordino.survey.kinds.shares") / "places.csv.gz").read_bytes()
    places = [line.split(",", 2) for line in gzip.decompress(packed).decode().splitlines()]
    latitude, longitude = (np.array([float(place[axis]) for place in places]) for axis in (0, 1))
    found: dict[int, str] = {}
    # The most populous ones come first.
    for cell, (*_, name) in zip(grid.locate(latitude, longitude).tolist(), places, strict=True):
        if cell >= 0:
            found.setdefault(cell, name)
    return found
