"""Correlations: colours and numbers where they belong, and nothing where a number does not vary."""

from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from sordino import SordinoError
from sordino.show.html.figures.matrices import correlation, correlations, short


def cells(read, covariance):
    """Colours of the cells: red, green and blue."""
    drawing = correlations([f"x{j}" for j in range(len(covariance))], covariance)
    first = read(drawing).all("image")[0].get("href")
    return imread(BytesIO(b64decode(first.partition(",")[2])))


def test_correlations_are_those_of_data():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(1000, 4)) @ rng.normal(size=(4, 4))
    np.testing.assert_allclose(correlation(np.cov(data.T)), np.corrcoef(data.T), atol=1e-12)


def test_what_does_not_vary_has_none(read):
    found = correlation(np.array([[4.0, 0.0], [0.0, 0.0]]))
    assert found[0, 0] == 1
    assert np.isnan(found[[0, 1, 1], [1, 0, 1]]).all()
    drawn = read(correlations(["age", "constant"], np.diag([4.0, 0.0])))
    assert drawn.texts.count("1") == 1
    assert cells(read, np.diag([4.0, 0.0]))[..., 3].tolist() == [[1, 0], [0, 0]]


def test_rounding_never_passes_one():
    assert correlation(np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]]))[0, 1] == 1


def test_signs_have_colours(read):
    colours = cells(read, np.array([[1, 0.7, -0.7], [0.7, 1, 0], [-0.7, 0, 1]]))
    red = colours[..., 0] - colours[..., 2]
    assert red[0, 1] > 0.3
    assert red[0, 2] < -0.3
    assert abs(red[1, 2]) < 0.05


@pytest.mark.parametrize("d", [1, 2, pytest.param(20, marks=pytest.mark.long), 45])
def test_many_numbers_are_cut_and_long_names_fit(d, read):
    found = read(correlations(["waist_circumference_in_centimetres"] * d, np.eye(d)))
    assert 440 <= found.width < 1000
    assert len(found.text) < 200_000
    assert (d > 20) == any("the first 20 of 45" in text for text in found.texts)
    # Larger ones scroll: see the page.
    assert d > 2 or min(found.letters) > 9.5


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(SordinoError, match="must have a name for each row"):
        correlations(["a"], np.eye(2))
    with pytest.raises(SordinoError, match="must have a name for each row"):
        correlations([], np.eye(0))


def test_numbers_are_short():
    assert [short(value) for value in (1, -1, 0.999, -0.004, 0.5)] == [
        "1",
        "\N{MINUS SIGN}1",
        # Nothing but 1 is shown as 1.
        ".99",
        ".00",
        ".50",
    ]
