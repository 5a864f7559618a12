"""Simulated people: real places in the box of the map, drawn by seed and in proportion to their populations."""

import csv
import gzip
import io
from importlib.resources import files

import numpy as np
import pytest
from scipy.stats import chisquare

from sordino.demo.simulated_people import draw_people, us_places


def test_the_table_of_places_is_sane():
    places = us_places()
    assert places.shape[0] > 21_000
    assert places.shape[1] == 3
    latitude, longitude, population = places.T
    assert latitude.min() >= 25
    assert latitude.max() <= 50
    assert longitude.min() >= -130
    assert longitude.max() <= -60
    assert population.min() > 0
    assert np.array_equal(population, np.rint(population))
    # The 48 states have some 330 million inhabitants, most of whom live in listed places; the largest is New York.
    assert 1.5e8 < population.sum() < 3.5e8
    assert places[population.argmax()][:2] == pytest.approx([40.7, -74.0], abs=0.1)
    assert len(np.unique(places, axis=0)) > 0.99 * len(places)


def test_the_table_is_read_as_it_stands_in_the_package():
    packed = files("sordino.demo").joinpath("us_places.csv.gz").read_bytes()
    rows = list(csv.reader(io.StringIO(gzip.decompress(packed).decode("ascii"))))
    assert rows[0] == ["latitude", "longitude", "population"]
    assert [[float(field) for field in row] for row in rows[1:]] == us_places().tolist()


def test_draws_are_seeded():
    first, again, other = draw_people(1000), draw_people(1000), draw_people(1000, simulation_seed=2)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert [array.shape for array in first] == [(1000,), (1000,)]


def test_draws_are_places_in_proportion_to_their_populations():
    n, places = 300_000, us_places()
    drawn = np.column_stack(draw_people(n))
    found, times = np.unique(drawn, axis=0, return_counts=True)
    people = dict(zip(map(tuple, found), times, strict=True))
    assert people.keys() <= {tuple(place[:2]) for place in places}
    # The largest places one by one, the others together.
    order = np.argsort(-places[:, 2])[:50]
    share = places[order, 2] / places[:, 2].sum()
    counts = np.array([people.get(tuple(place[:2]), 0) for place in places[order]])
    observed, expected = [*counts, n - counts.sum()], [*(n * share), n * (1 - share.sum())]
    assert chisquare(observed, expected).pvalue > 1e-9
    # The test would see draws that ignore populations by a third.
    wrong = share * np.where(np.arange(50) % 2, 1.15, 0.85)
    assert chisquare(observed, [*(n * wrong), n * (1 - wrong.sum())]).pvalue < 1e-9
