"""A histogram has a column for each number, in their order, and one interval each."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.show.html.figures.bars import Shares, columns


def shares(count, *, fitted=True):
    values = np.linspace(-0.01, 0.1, count)
    return Shares(values, values - 0.01, values + 0.01, np.maximum(values, 0) if fitted else None)


@pytest.mark.parametrize("count", [1, 16, 100, pytest.param(400, marks=pytest.mark.long)])
def test_every_number_has_a_column_and_an_interval(count, read):
    found = read(columns(shares(count), "age"))
    assert len(found.style("bar")) == count + 1
    assert found.width == 960
    assert min(found.letters) >= 10
    assert any(text.startswith("age") for text in found.texts)


def test_columns_rise_with_their_numbers(read):
    found = read(columns(shares(20), "age"))
    tops = [min(down for _, down in points) for points in map(found.corners, found.style("bar")) if len(points) > 3]
    assert len(tops) == 20
    assert tops == sorted(tops, reverse=True)


def test_without_a_fit_only_the_estimates_stand(read):
    assert not read(columns(shares(20, fitted=False), "age")).style("bar")


@pytest.mark.parametrize("count", [0, 401])
def test_too_many_columns_are_refused(count):
    with pytest.raises(SordinoError, match="1 to 400 columns"):
        columns(shares(count), "age")
