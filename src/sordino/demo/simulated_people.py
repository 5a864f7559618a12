"""People to simulate with: positions drawn from the places of the United States in proportion to their populations.

The table `us_places.csv.gz` holds latitude, longitude and population of 21,000 places (GeoNames, CC BY 4.0; see the
script `scripts/make_us_places.py`). Draws are seeded: this is simulation, never a release.
"""

import csv
import gzip
import io
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


def us_places() -> NDArray[np.float64]:
    """Latitude, longitude (degrees) and population of each place, shape (places, 3)."""
    packed = files("sordino.demo").joinpath("us_places.csv.gz").read_bytes()
    rows = csv.reader(io.StringIO(gzip.decompress(packed).decode()))
    next(rows)
    return np.array([[float(field) for field in row] for row in rows])


def draw_people(n: int, simulation_seed: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitudes and longitudes of n people, shape (n,) each, independent and in proportion to population."""
    places = us_places()
    population = places[:, 2] / places[:, 2].sum()
    chosen = np.random.default_rng(simulation_seed).choice(len(places), size=n, p=population)
    return places[chosen, 0], places[chosen, 1]
