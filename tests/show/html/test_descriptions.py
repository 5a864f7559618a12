"""What a figure shows is told in words with its names and numbers."""

import numpy as np
import pytest

from sordino import Grid
from sordino.audit.region import allowed_errors
from sordino.show.html.descriptions import (
    columns_in_words,
    correlations_in_words,
    map_in_words,
    points_in_words,
    region_in_words,
    shares_in_words,
)
from sordino.show.html.figures.bars import Shares

GRID = Grid(25, 50, -130, -60, 125, 350)


def shares(*values):
    numbers = np.array(values)
    return Shares(numbers, numbers - 0.01, numbers + 0.01, numbers)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_bars_tell_the_largest_with_their_intervals():
    words = plain(shares_in_words(["white", "black", "unknown"], shares(0.61, 0.2, 0.19)))
    assert words.startswith("Bars of 3 shares. The largest: white 61.00 % (60.00 % to 62.00 %), black 20.00 %")


def test_of_many_bars_a_few_are_told():
    words = shares_in_words([f"v{n}" for n in range(15)], shares(*np.linspace(0.01, 0.2, 15)))
    assert "Bars of 15 shares" in words
    assert [f"v{n} " in words for n in range(15)] == [False] * 7 + [True] * 8


def test_a_map_tells_where_people_are_and_in_how_many_cells():
    cells = np.zeros(GRID.k)
    cells[[0, 1000, 2000, 3000]] = 0.5, 0.3, 0.2, 1e-9
    words = plain(map_in_words(GRID, "Truth", cells, 1e-6))
    assert words == (
        "Map, Truth: 3 of 43,750 cells have people; most are at 25.1° N, 129.9° W with 50.0 %, "
        f"{GRID.place(1000)} with 30.0 %, {GRID.place(2000)} with 20.0 %."
    )
    assert map_in_words(GRID, "Truth", 0 * cells, 0) == "Map, Truth: 0 of 43,750 cells have people."


@pytest.mark.parametrize(("cell", "named"), [(0, "5.0° S, 5.0° W"), (3, "5.0° N, 5.0° E")])
def test_places_have_sides(cell, named):
    assert Grid(-10, 10, -10, 10, 2, 2).place(cell) == named
    assert Grid(-10, 10, -10, 10, 1, 1).place(0) == "0.0°, 0.0°"


def test_a_histogram_tells_its_peak_and_its_middle():
    words = plain(columns_in_words("age", shares(0, 0.1, 0.5, 0.3, 0.1)))
    assert "from 0 to 4" in words
    assert "The highest: 2 50.00 %" in words
    assert "from 2 to 3, the median is 2" in words


def test_points_tell_each_number_in_its_own_unit():
    rows = [{"estimate": "0.36", "low": "0.2", "high": "0.5"}] * 10
    words = points_in_words("10 means", [f"n{j}" for j in range(10)], rows)
    assert words.startswith("Points of 10 means: n0 0.36 (0.2 to 0.5), n1 0.36")
    assert words.endswith("and 2 more.")


def test_correlations_tell_the_strongest():
    words = correlations_in_words(["a", "b", "c"], np.array([[1, 0.1, -0.7], [0.1, 1, 0], [-0.7, 0, 1]]))
    assert words == "Correlations of 3 numbers. The strongest: a and c \N{MINUS SIGN}.70, a and b .10."
    assert "None is seen" in correlations_in_words(["a"], np.eye(1))


def test_a_region_tells_how_often_a_test_errs():
    # Under ln 3 a test that errs equally in both ways errs 1 time in 4.
    words = plain(region_in_words(allowed_errors("ln 3", "ln 3"), None, "yes", "no"))
    assert "distinguish 'yes' from 'no'" in words
    assert "errs at least 25.0 % of the time" in words
