"""Points with intervals: sound files in every shape, a line at zero, and texts beside the points."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from sordino.errors import SordinoError
from sordino.view.intervals import points


def pixels(png):
    return imread(BytesIO(png))[..., :3]


def three(k):
    values = np.linspace(-1, 3, k)
    return values, values - 0.3, values + 0.3


@pytest.mark.parametrize("k", [1, 2, 40, 100])
def test_points_fit(k):
    png = points(["a_name_of_some_length"] * k, three(k), "change of $x$", ["1.5"] * k, zero=True)
    width, height = int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
    assert 1000 < width < 1300
    assert height < 160 * (1.5 + 0.36 * 40)


def test_the_line_at_zero_is_dark():
    def dark_columns(*, zero):
        image = pixels(points(["a"] * 8, three(8), "unit", zero=zero))
        return (image.max(axis=-1) < 0.35).mean(axis=0).max()

    assert dark_columns(zero=True) > 0.5 > 2 * dark_columns(zero=False)


def test_texts_stand_on_the_right():
    plain = pixels(points(["a", "b"], three(2), "unit", zero=False))
    told = pixels(points(["a", "b"], three(2), "unit", ["-12345", "6"], zero=False))
    right = told[:, int(0.93 * told.shape[1]) :]
    assert (right.max(axis=-1) < 0.5).any()
    assert not (plain[:, int(0.985 * plain.shape[1]) :].max(axis=-1) < 0.5).any()


def test_numbers_and_texts_go_with_labels():
    with pytest.raises(SordinoError, match="as many numbers"):
        points(["a"], three(2), "unit", zero=False)
    with pytest.raises(SordinoError, match="as many texts"):
        points(["a", "b"], three(2), "unit", ["1"], zero=False)
