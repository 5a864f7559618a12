"""The heat map: a sound PNG file of sensible size, darker where more is told, in every awkward shape."""

from fractions import Fraction
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from in_one import in_one
from sordino import Categories
from sordino.design.sample_questions import SampleQuestions
from sordino.design.stated_dependence import Bound, Statement
from sordino.domain.attribute import Attribute
from sordino.show.html.figures.dependence_map import dependence_map as drawn
from sordino.show.html.figures.dependence_map import short
from sordino.show.html.figures.drawing import png as as_png


def dependence_map(statement):
    return as_png(drawn(statement))


def statement_of(bounds, names=None):
    d = len(bounds)
    names = names or [f"x{j}" for j in range(d)]
    asked = SampleQuestions(tuple(Attribute(n, Categories(range(2))) for n in names), tuple((j,) for j in range(d)))
    rows = tuple(
        Bound(i, (j,), Fraction(1), "own")
        if i == j
        else Bound(i, (j,), Fraction(str(bounds[i][j])), "sample", Fraction(0), 5)
        for i in range(d)
        for j in range(d)
    )
    return Statement(asked, rows, 10, Fraction(9, 10))


def pixels(png):
    return imread(BytesIO(png))[..., :3]


def test_the_bounds_are_where_they_belong_and_darker_where_more_is_told():
    image = pixels(dependence_map(statement_of([[1, 0.001], [0.9, 1]])))
    width = image.shape[1]
    light, dark = np.array([0.78, 0.88, 0.13]), np.array([0.28, 0.04, 0.36])
    left = image[:, : int(0.7 * width)]
    (down_light, right_light), (down_dark, right_dark) = (
        np.mean(np.nonzero((np.abs(left - colour) < 0.08).all(axis=-1)), axis=1) for colour in (light, dark)
    )
    # Row 0, column 1 is light; row 1, column 0 is dark.
    assert down_light < down_dark
    assert right_light > right_dark


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("d", [1, 2, 21])
def test_any_number_of_attributes(d):
    png = dependence_map(statement_of(np.full((d, d), 0.5).tolist(), [f"{'long name ' * 5}{j} $x$" for j in range(d)]))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(png) < 700_000


def test_bounds_of_zero_are_drawn():
    png = dependence_map(statement_of([[1, 0], [0, 1]]))
    assert png.startswith(b"\x89PNG")
    assert png == dependence_map(statement_of([[1, 0], [0, 1]]))


@in_one(
    ("bound", "text"),
    [
        (0, "0"),
        ("0.0000101", ".000011"),
        ("0.0101", ".011"),
        ("0.01", ".01"),
        ("0.1", ".1"),
        ("0.991", "1"),
        ("0.99", ".99"),
        (1, "1"),
    ],
)
def test_numbers_are_rounded_up(bound, text):
    assert short(Fraction(bound)) == text
