"""The outline of land is that of the world: known places lie on it or at sea, and a map holds what lies within it."""

import numpy as np
import pytest
from matplotlib.path import Path

from sordino import Grid
from sordino.show.html.figures.maps import maps, world

ON_LAND = {
    "Paris": (2.35, 48.86),
    "Nairobi": (36.82, -1.29),
    "Denver": (-104.99, 39.74),
    "Alice Springs": (133.88, -23.7),
    "Ulaanbaatar": (106.9, 47.9),
    "Manaus": (-60.0, -3.1),
    "Reykholt": (-20.3, 64.7),
    "Antananarivo": (47.5, -18.9),
}
AT_SEA = {
    "the Gulf of Guinea": (0, 0),
    "the Pacific": (-150, 10),
    "the North Sea": (3, 56),
    "the Black Sea": (34, 43),
    "the Bay of Bengal": (88, 15),
    "Hudson Bay": (-85, 60),
}
EUROPE = Grid(47, 55, 5, 16, 40, 50)


def on_land(rings, place):
    """By how many rings a place lies in: one within another is a lake."""
    return sum(Path(ring).contains_point(place) for ring in rings) % 2 == 1


@pytest.mark.parametrize(("places", "expected"), [(ON_LAND, True), (AT_SEA, False)], ids=["land", "sea"])
def test_known_places_lie_where_they_do(places, expected):
    assert {name: on_land(world().land, place) for name, place in places.items()} == dict.fromkeys(places, expected)


@pytest.mark.parametrize("line", ["land", "borders"])
def test_all_points_lie_on_earth(line):
    for points in getattr(world(), line):
        assert (abs(points) <= (180.01, 90.01)).all()
        assert (np.diff(points, axis=0) != 0).any(axis=1).all()
    if line == "land":
        assert all((ring[0] == ring[-1]).all() for ring in world().land)


def test_a_map_has_the_land_that_lies_within_it():
    found = world().within(EUROPE)
    points = np.concatenate(found.land)
    assert points.min(axis=0).tolist() >= [5, 47]
    assert points.max(axis=0).tolist() <= [16, 55]
    for place in [(13.4, 52.52), (11.58, 48.14), (8.68, 50.11), (6.5, 54.5), (15, 54.6)]:
        assert on_land(found.land, place) == on_land(world().land, place)


def test_lines_of_a_map_are_those_of_the_world_near_it():
    """The border of Czechia near Cheb is in it, that of Spain is not, and no line goes along the map's edges."""
    found = world().within(EUROPE)
    points = np.concatenate(found.borders)
    assert np.hypot(*(points - (12.1, 50.3)).T).min() < 0.3
    assert np.hypot(*(points - (-2, 42.9)).T).min() > 4
    every = {tuple(point) for line in (*world().land, *world().borders) for point in line}
    assert {tuple(point) for point in points} <= every


def test_open_sea_has_no_land():
    ocean = Grid(5, 15, -155, -145, 4, 4)
    assert world().within(ocean) == ([], [])
    (drawing,) = maps(ocean, [np.full(16, 1 / 16)])
    assert not drawing.axes[0].patches


def test_a_map_of_the_world_has_few_points():
    found = world().within(Grid(-90, 90, -180, 180, 180, 360))
    assert 2_000 < sum(map(len, found.land)) < 12_000
