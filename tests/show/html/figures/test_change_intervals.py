"""Both numbers and what changed, in rows: what noise alone may make is hollow and quiet."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.blocks.charts import Sides
from sordino.show.html.figures.intervals import changes

UNITS = ("% of people", "percentage points")


def sides(k, sure):
    values = np.linspace(10, 40, k)
    change = np.linspace(-5, 8, k)
    around = [(column, column - 2, column + 2) for column in (values, values + change, change)]
    return Sides(*around, (change - 4, change + 4), np.full(k, sure))


@pytest.mark.parametrize("k", [1, 2, 15])
def test_rows_fit(k, read):
    found = read(changes(["a name of some length"] * k, ["-1.5"] * k, sides(k, True), UNITS, zero=True))
    assert found.width == 440
    assert found.height < 160 + 46 * k
    assert min(found.letters) >= 10
    assert found.texts.count("a name of some length") == k
    assert found.texts.count("\N{MINUS SIGN}1.5") == k


def test_what_is_within_noise_looks_so(read):
    both = sides(3, True), sides(3, False)
    sure, unsure = (read(changes(["a", "b", "c"], ["1"] * 3, one, UNITS, zero=True)) for one in both)
    assert len(sure.style("mark")) > len(unsure.style("mark"))
    assert len(sure.style("quiet")) < len(unsure.style("quiet"))
    assert "change that noise alone can explain" in unsure.texts
    assert "change that noise alone can explain" not in sure.texts


def test_numbers_of_other_lengths_are_refused():
    with pytest.raises(SordinoError, match="as many numbers"):
        changes(["a"], ["1"], sides(2, True), UNITS, zero=True)
