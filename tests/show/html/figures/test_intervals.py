"""Points with intervals: every shape fits, a line at zero, and texts beside the names."""

import re

import numpy as np
import pytest

from sordino import SordinoError
from sordino.show.html.figures.intervals import points


def three(k):
    values = np.linspace(-1, 3, k)
    return values, values - 0.3, values + 0.3


@pytest.mark.parametrize("k", [1, 2, 40, 100])
def test_points_fit(k, read):
    found = read(points(["a_name_of_some_length"] * k, three(k), "change of $x$", ["1.5"] * k, zero=True))
    assert found.width == 440
    assert found.height < 100 + 46 * min(k, 40)
    assert min(found.letters) >= 10
    assert found.texts.count("a_name_of_some_length") == min(k, 40)
    assert (k > 40) == any("the first 40 of 100" in text for text in found.texts)


def test_the_line_at_zero_is_drawn_where_it_says_something(read):
    def lines(*, zero):
        nodes = read(points(["a"] * 8, three(8), "unit", zero=zero)).style("ink")
        return [node for node in nodes if node.tag != "text"]

    assert len(lines(zero=True)) == 8
    assert not lines(zero=False)


def test_texts_stand_on_the_right(read):
    found = read(points(["a", "b"], three(2), "unit", ["-12345", "6"], zero=False))
    place = {text.text: float(text.get("x")) for text in found.all("text")}
    assert place["\N{MINUS SIGN}12345"] == place["6"] > 400
    assert "text-anchor: end" in next(text.get("style") for text in found.all("text") if text.text == "6")


def test_of_unlike_units_each_row_has_a_scale_of_its_own(read):
    numbers = np.array([20.0, 60_000.0]), np.array([10.0, 0.0]), np.array([30.0, 90_000.0])
    found = read(points(["visits", "income"], numbers, "own", scales=[(0, 40), (-100_000, 220_000)], zero=False))
    texts = {text.text: float(text.get("x")) for text in found.all("text")}
    assert {"0", "40", "\N{MINUS SIGN}100000", "220000"} <= set(texts)
    # No axis that both would share.
    assert [text for text in texts if re.fullmatch(r"[\d.]+", text) and text not in ("0", "40", "220000")] == []
    assert min(found.letters) >= 10
    assert texts["40"] == texts["220000"] > texts["0"]


def test_points_refuse_what_they_cannot_draw():
    with pytest.raises(SordinoError, match="0 labels"):
        points([], three(0), "unit", zero=True)
    with pytest.raises(SordinoError, match="2 labels"):
        points(["a", "b"], three(3), "unit", zero=True)
    with pytest.raises(SordinoError, match="as many texts"):
        points(["a", "b"], three(2), "unit", ["1"], zero=True)
