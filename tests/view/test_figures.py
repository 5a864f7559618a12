"""Figures are sound PNG files of sensible size, in every awkward shape, and show each share where it belongs."""

import subprocess
import sys
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.image import imread

from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.view.figures import bars, maps

US = Grid(25, 50, -130, -60, 125, 350)
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size(png):
    assert png.startswith(SIGNATURE)
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def pixels(png):
    return imread(BytesIO(png))[..., :3]


def dark(png):
    """Centre of the darkest colour of the maps' scale: (across, down), as parts of the image."""
    down, across = np.nonzero((np.abs(pixels(png) - np.array([0.267, 0.005, 0.329])) < 0.02).all(axis=-1))
    height, width, _ = pixels(png).shape
    # The colour bar ends in the darkest colour too, in the image's lowest part.
    inside = down < 0.7 * height
    return across[inside].mean() / width, down[inside].mean() / height


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return np.where(rng.random(US.k) < 0.6, rng.pareto(1, US.k), -1) / US.k


def test_two_maps_are_wide_sharp_and_small(noise):
    png = maps(US, [("Truth", np.maximum(noise, 0)), ("Estimate", noise)])
    width, height = size(png)
    assert 1900 <= width <= 2080
    assert 500 <= height <= 800
    assert len(png) < 400_000


def test_a_fine_noisy_grid_stays_small():
    grid = Grid(-60, 80, -180, 180, 700, 1800)
    assert len(maps(grid, [("World", np.random.default_rng(4).pareto(1, grid.k))])) < 400_000


@pytest.mark.parametrize(
    ("cell", "east", "south"), [(0, False, True), (1, True, True), (2, False, False), (3, True, False)]
)
def test_cells_run_from_the_south_west(cell, east, south):
    across, down = dark(maps(Grid(0, 10, 0, 10, 2, 2), [("", np.eye(4)[cell])]))
    assert (across > 0.5) == east
    assert (down > 0.4) == south


def test_one_fine_cell_is_not_lost():
    grid = Grid(-60, 80, -180, 180, 1400, 3600)
    shares = np.zeros(grid.k)
    shares[700 * 3600 + 900] = 1
    across, down = dark(maps(grid, [("", shares)]))
    assert 0.2 < across < 0.4
    assert 0.2 < down < 0.6


@pytest.mark.parametrize(
    "shares",
    [np.zeros(US.k), np.full(US.k, -1e-3), np.full(US.k, np.nan), np.full(US.k, 1 / US.k), np.full(US.k, np.inf)],
    ids=["zero", "negative", "nan", "equal", "infinite"],
)
def test_flat_maps(shares):
    assert min(size(maps(US, [("Flat", shares)]))) > 300


@pytest.mark.parametrize(
    "grid",
    [
        Grid(37.7, 37.8, -122.5, -122.4, 1, 1),
        Grid(37.7749, 37.7751, -122.4195, -122.4193, 3, 3),
        Grid(10, 11, 0, 60, 1, 30),
        Grid(-40, 10, 0, 1, 30, 1),
        Grid(-90, 90, -180, 180, 18, 36),
        Grid(89, 90, -180, 180, 2, 2),
    ],
    ids=["one cell", "a street", "one row", "one column", "the world", "a pole"],
)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_awkward_grids(grid, count):
    png = maps(grid, [("Share", np.arange(1.0, grid.k + 1) / grid.k**2)] * count)
    assert all(200 < side < 2600 for side in size(png))


def test_less_than_one_person_is_not_painted(noise):
    people = 10_000
    somebody = np.where(noise >= 1 / people, noise, 0)
    assert 0 < (noise > somebody).sum() < US.k
    assert maps(US, [("a", noise)], 1 / people) == maps(US, [("a", somebody)])
    # One person of 49 is not lost in rounding.
    one = np.zeros(US.k)
    one[[3000, 20_000]] = [1 / 49 * (1 - 1e-16), 48 / 49]
    assert maps(US, [("a", one)], 1 / 49) == maps(US, [("a", one)])


def test_the_same_figure_is_the_same_file(noise):
    assert maps(US, [("a", noise)]) == maps(US, [("a", noise)])


def test_maps_refuse_what_they_cannot_draw():
    with pytest.raises(SordinoError, match="at least one map"):
        maps(US, [])
    with pytest.raises(SordinoError, match="3 shares, 43750 cells"):
        maps(US, [("", np.ones(3))])


@pytest.mark.parametrize("count", [1, 2, 20])
def test_bars_grow_with_their_number(count):
    values = np.linspace(0.5, -0.01, count)
    width, height = size(bars([f"value {n}" for n in range(count)], values, values - 0.02, values + 0.02, values))
    assert 1100 <= width <= 1250
    assert 54 * count <= height <= 54 * count + 220


def test_of_many_bars_the_largest_are_drawn():
    values = np.linspace(0, 0.1, 1000)
    many = bars([str(n) for n in range(1000)], values, values, values)
    assert size(many)[1] == size(bars([str(n) for n in range(20)], values[:20], values[:20], values[:20]))[1]


@pytest.mark.parametrize("value", [0.0, 1e-9, 1.0, -0.2, 40.0])
def test_bars_of_any_size(value):
    assert size(bars(["a", "b"], np.array([value, 0]), np.array([value, np.nan]), np.array([value, np.inf])))[0] > 1000


@pytest.mark.parametrize(
    "label",
    [
        "",
        "$x$ and $y_",
        "a\nb\tc\0",
        "日本語の答え" * 9,
        "x" * 500,
        "<script>",
        "\ud800",
        "\U0010ffff",
        "🙂",
        "العربية",
        "long words " * 20,
    ],
)
def test_any_label_is_drawn_without_a_warning(label):
    one = np.array([0.5])
    size(bars([label], one, one, one))
    size(maps(Grid(0, 1, 0, 1, 1, 1), [(label, one)]))


def test_bars_refuse_what_they_cannot_draw():
    none, one = np.array([]), np.array([0.5])
    with pytest.raises(SordinoError, match="0 labels"):
        bars([], none, none, none)
    with pytest.raises(SordinoError, match="2 labels, 1, 1, 1 numbers"):
        bars(["a", "b"], one, one, one)
    with pytest.raises(SordinoError, match="1 labels, 1, 1, 1, 0 numbers"):
        bars(["a"], one, one, one, none)


def test_nothing_global_is_touched(noise):
    before = dict(mpl.rcParams)
    maps(US, [("a", noise)])
    assert dict(mpl.rcParams) == before
    program = (
        "import sys, numpy as np; from sordino.view.figures import bars; one = np.ones(1); bars(['a'], one, one, one);"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
