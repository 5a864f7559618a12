"""Correlations: colours and numbers where they belong, and nothing where a number does not vary."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from sordino.errors import SordinoError
from sordino.view.correlations import correlation, correlations, short


def pixels(png):
    return imread(BytesIO(png))[..., :3]


def test_correlations_are_those_of_data():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(1000, 4)) @ rng.normal(size=(4, 4))
    np.testing.assert_allclose(correlation(np.cov(data.T)), np.corrcoef(data.T), atol=1e-12)


def test_what_does_not_vary_has_none():
    found = correlation(np.array([[4.0, 0.0], [0.0, 0.0]]))
    assert found[0, 0] == 1
    assert np.isnan(found[[0, 1, 1], [1, 0, 1]]).all()
    assert correlations(["age", "constant"], np.diag([4.0, 0.0])).startswith(b"\x89PNG")


def test_rounding_never_passes_one():
    assert correlation(np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]]))[0, 1] == 1


def test_signs_have_colours():
    together = np.full((3, 3), 0.7) + 0.3 * np.eye(3)
    apart = np.full((3, 3), -0.7) + 1.7 * np.eye(3)

    def centres(covariance):
        image = pixels(correlations(["a", "b", "c"], covariance))
        red = image[..., 0] - image[..., 2]
        return (red > 0.3).mean(), (red < -0.3).mean()

    assert centres(together)[0] > 2 * centres(apart)[0]
    # The bar has both colours.
    assert centres(apart)[1] > centres(together)[1] + 0.05


@pytest.mark.parametrize("d", [1, 2, 20, 45])
def test_many_numbers_are_cut_and_long_names_fit(d):
    png = correlations(["waist_circumference_in_centimetres"] * d, np.eye(d))
    width = int.from_bytes(png[16:20])
    assert width < 3000
    assert len(png) < 600_000


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(SordinoError, match="must have a name for each row"):
        correlations(["a"], np.eye(2))
    with pytest.raises(SordinoError, match="must have a name for each row"):
        correlations([], np.eye(0))


def test_numbers_are_short():
    assert [short(value) for value in (1, -1, 0.999, -0.004, 0.5)] == [
        "1",
        "\N{MINUS SIGN}1",
        "1",
        ".00",
        ".50",
    ]
