"""Curves are drawn where their numbers say, in panels of one legend."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from sordino import SordinoError
from sordino.show.html.figures.drawing import png
from sordino.show.html.figures.log_curves import Curve
from sordino.show.html.figures.log_curves import curves as drawn

PLACES = [1000, 2000, 4000]
WORDS = {"along": "people", "upward": "distance"}


def curves(*arguments, **named):
    return png(drawn(*arguments, **named))


def panels(count, heights=(0.5, 0.2, 0.1)):
    own = [Curve(family, variant, heights) for family in ("LDP", "10 blocks") for variant in ("paper", "best")]
    return [(f"law {number}", own) for number in range(count)]


def shape(png):
    return imread(BytesIO(png)).shape[:2]


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(("count", "rows"), [(3, 2), (1, 1), (2, 1), (4, 2)])
def test_panels_stand_two_in_a_row(count, rows):
    png = curves(PLACES, panels(count), **WORDS)
    assert len(png) < 400_000
    height, width = shape(png)
    assert width == pytest.approx(160 * (9.4 if count > 1 else 7), rel=0.15)
    assert height == pytest.approx(160 * (3.4 * rows + 0.8), rel=0.15)


@pytest.mark.usefixtures("coarse")
def test_the_same_numbers_give_the_same_bytes_and_others_do_not():
    drawn = curves(PLACES, panels(1), **WORDS)
    assert curves(PLACES, panels(1), **WORDS) == drawn
    assert drawn != curves(PLACES, panels(1, (0.5, 0.2, 0.11)), **WORDS)


@pytest.mark.long
def test_a_falling_curve_falls():
    png = curves([1, 10], [("", [Curve("a", "b", [1.0, 0.1])])], **WORDS)
    image = imread(BytesIO(png))[..., :3]
    # The only coloured pixels are the curve's and its sign in the legend, which stands above.
    coloured = np.ptp(image, axis=-1) > 0.25
    coloured[: image.shape[0] // 8] = False
    down, across = np.nonzero(coloured)
    assert np.corrcoef(down, across)[0, 1] > 0.95


def coloured(png):
    """How many pixels are neither grey nor white."""
    return int((np.ptp(imread(BytesIO(png))[..., :3], axis=-1) > 0.02).sum())


@pytest.mark.long
@pytest.mark.usefixtures("coarse")
def test_a_linear_axis_takes_zero_and_has_its_places_where_they_are():
    heights = [1.0, 0.5, 0.1]
    drawn = curves([0, 0.1, 1], [("", [Curve("a", "", heights)])], linear=True, **WORDS)
    assert drawn != curves([0, 0.9, 1], [("", [Curve("a", "", heights)])], linear=True, **WORDS)
    # A logarithmic axis would stand these at equal distances.
    assert drawn != curves([0, 0.5, 1], [("", [Curve("a", "", heights)])], linear=True, **WORDS)


@pytest.mark.long
def test_a_band_is_shaded():
    heights = [1.0, 0.5, 0.1]
    plain = curves(PLACES, [("", [Curve("a", "", heights)])], **WORDS)
    wide = curves(PLACES, [("", [Curve("a", "", heights, ([0.9, 0.4, 0.05], [1.2, 0.9, 0.4]))])], **WORDS)
    assert coloured(wide) > 3 * coloured(plain)


@pytest.mark.long
def test_many_families_take_several_rows_of_the_legend():
    few, many = (
        shape(
            curves(PLACES, [("", [Curve(f"mechanism number {i}", "", (0.5, 0.2, 0.1)) for i in range(count)])], **WORDS)
        )
        for count in (2, 8)
    )
    assert many[1] == pytest.approx(few[1], rel=0.05)


@pytest.mark.long
@pytest.mark.usefixtures("coarse")
def test_one_place_is_enough():
    assert shape(curves([1000], panels(4, (0.5,)), **WORDS))


@pytest.mark.parametrize(
    ("places", "drawn"), [([], panels(1)), (PLACES[:2], panels(1)), (PLACES, []), (PLACES, [("empty", [])])]
)
def test_curves_without_a_point_for_each_place_are_refused(places, drawn):
    with pytest.raises(SordinoError, match="a point for each place"):
        curves(places, drawn, **WORDS)
