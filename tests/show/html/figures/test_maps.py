"""Maps show each share where it belongs, in every awkward shape, with cells and letters that can be seen."""

from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from in_one import in_one
from sordino import Grid, SordinoError
from sordino.show.html.figures.drawing import inline
from sordino.show.html.figures.maps import classes, maps

US = Grid(25, 50, -130, -60, 125, 350)


def image(read, drawing):
    """The cells of a map on light screens, the northernmost row first: where somebody is painted, and how dark."""
    node = next(node for node in read(drawing).all("image") if node.get("class") == "light")
    pixels = imread(BytesIO(b64decode(node.get("href").partition(",")[2])))
    scales = [float(part) for part in node.get("transform")[7:-1].split()]
    return pixels if scales[3] > 0 else pixels[::-1], abs(scales[0]), abs(scales[3])


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return np.where(rng.random(US.k) < 0.6, rng.pareto(1, US.k), -1) / US.k


def test_a_cell_takes_two_pixels_where_the_map_has_its_size(read, noise):
    (drawing,) = maps(US, [noise])
    pixels, wide, high = image(read, drawing)
    assert pixels.shape[:2] == (125, 350)
    assert wide >= 2
    assert high >= 2
    assert read(drawing).width == 960


def test_two_maps_are_small_files(noise):
    assert sum(len(inline(drawing, "words", "a")) for drawing in maps(US, [np.maximum(noise, 0), noise])) < 400_000


def test_a_fine_noisy_grid_stays_small():
    grid = Grid(-60, 80, -180, 180, 700, 1800)
    (drawing,) = maps(grid, [np.random.default_rng(4).pareto(1, grid.k)])
    assert len(inline(drawing, "words", "a")) < 400_000


@pytest.mark.parametrize("cell", range(4))
def test_cells_run_from_the_south_west(cell, read):
    (drawing,) = maps(Grid(0, 10, 0, 10, 2, 2), [np.eye(4)[cell]])
    painted = np.argwhere(image(read, drawing)[0][..., 3])
    assert painted.tolist() == [[1 - cell // 2, cell % 2]]


def test_one_fine_cell_is_not_lost(read):
    grid = Grid(-60, 80, -180, 180, 1400, 3600)
    shares = np.zeros(grid.k)
    shares[700 * 3600 + 900] = 1
    (drawing,) = maps(grid, [shares])
    pixels, _, _ = image(read, drawing)
    ((down, across),) = np.argwhere(pixels[..., 3])
    assert across / pixels.shape[1] == pytest.approx(0.25, abs=0.01)
    assert down / pixels.shape[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    "shares",
    [np.zeros(US.k), np.full(US.k, -1e-3), np.full(US.k, np.nan), np.full(US.k, np.inf)],
    ids=["zero", "negative", "nan", "infinite"],
)
def test_maps_of_nobody_say_so(shares, read):
    (drawing,) = maps(US, [shares])
    assert "nobody anywhere" in read(drawing).texts
    assert not read(drawing).all("image")


@pytest.mark.parametrize(
    "grid",
    [
        Grid(37.7, 37.8, -122.5, -122.4, 1, 1),
        Grid(37.7749, 37.7751, -122.4195, -122.4193, 3, 3),
        Grid(10, 11, 0, 60, 1, 30),
        Grid(-40, 10, 0, 1, 30, 1),
        pytest.param(Grid(-90, 90, -180, 180, 18, 36), marks=pytest.mark.long),
        Grid(89, 90, -180, 180, 2, 2),
    ],
    ids=["one cell", "a street", "one row", "one column", "the world", "a pole"],
)
def test_awkward_grids(grid, read):
    (drawing,) = maps(grid, [np.arange(1.0, grid.k + 1) / grid.k**2])
    found = read(drawing)
    assert 350 <= found.width <= 960.001
    assert 150 <= found.height <= 900
    assert min(found.letters) >= 10
    assert any("\N{DEGREE SIGN}" in text for text in found.texts)


def test_less_than_one_person_is_not_painted(noise, read):
    people = 10_000
    somebody = np.where(noise >= 1 / people, noise, 0)
    assert 0 < (noise > somebody).sum() < US.k

    def drawn(shares, least):
        (drawing,) = maps(US, [shares], least)
        return read(drawing).text

    assert drawn(noise, 1 / people) == drawn(somebody, 1 / people)
    # One person of 49 is not lost in rounding.
    one = np.zeros(US.k)
    one[[3000, 20_000]] = [1 / 49 * (1 - 1e-16), 48 / 49]
    assert drawn(one, 1 / 49) == drawn(one, 0)


def test_the_key_tells_round_bounds_that_all_maps_share(read):
    drawings = maps(Grid(0, 1, 0, 1, 1, 2), [np.array([0.5, 0.002]), np.array([0.9, 1e-9])])
    keys = [[text for text in read(drawing).texts if "%" in text] for drawing in drawings]
    assert keys[0] == keys[1]
    assert [key.replace("\N{NO-BREAK SPACE}", " ") for key in keys[0]] == ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]
    assert all(any("also for less" in text for text in read(drawing).texts) for drawing in drawings)


@in_one("last", [1.0, 0.5, 0.011, 3e-7])
@in_one("first", [1, 0.9, 0.1, 1e-3, 1e-9])
def test_classes_hold_the_shares(first, last):
    shares = np.array([first, 1]) * last
    bounds = classes(shares)
    assert 2 <= len(bounds) <= 10
    assert (np.diff(bounds) > 0).all()
    assert bounds[0] <= max(shares[0], last / 1e4) * (1 + 1e-9)
    assert bounds[-1] > last
    assert all(float(f"{bound:.1e}") == pytest.approx(bound) for bound in bounds)


def test_maps_refuse_what_they_cannot_draw():
    with pytest.raises(SordinoError, match="at least one map"):
        maps(US, [])
    with pytest.raises(SordinoError, match="3 shares, 43750 cells"):
        maps(US, [np.ones(3)])
