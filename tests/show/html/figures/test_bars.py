"""Bars, dots and intervals stand where their numbers are, with letters that can be read on a telephone."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.show.html.figures.bars import ROW, Shares, bars


def shares(values, fitted=None, truth=None):
    values = np.asarray(values, dtype=np.float64)
    return Shares(values, values - 0.02, values + 0.02, values if fitted is None else np.asarray(fitted), truth)


@pytest.mark.parametrize("count", [1, 2, 20])
def test_bars_grow_with_their_number(count, read):
    found = read(bars([f"value {n}" for n in range(count)], shares(np.linspace(0.5, -0.01, count))))
    assert found.width == 440
    assert ROW * count <= found.height <= ROW * count + 130
    assert len(found.style("bar")) == count + 1


def test_letters_are_legible_where_a_screen_has_400_pixels(read):
    found = read(bars(["yes", "no"], shares([0.6, 0.4], truth=np.array([0.5, 0.5]))))
    assert min(found.letters) >= 10


def test_of_many_bars_the_largest_are_drawn(read):
    found = read(bars([str(n) for n in range(1000)], shares(np.linspace(0, 0.1, 1000))))
    assert {str(n) for n in range(980, 1000)} <= set(found.texts)
    assert "0" not in found.texts
    assert any("40 largest of 1,000" in text for text in found.texts)


def test_a_legend_says_what_is_what(read):
    found = read(bars(["a"], shares([0.3], truth=np.array([0.2]))))
    for sign in ("estimate, with its interval", "fitted: ", "truth"):
        assert any(text.startswith(sign) for text in found.texts)
    unfitted = read(bars(["a"], Shares(*(np.array([number]) for number in (0.3, 0.2, 0.4)))))
    assert not any("fitted" in text for text in unfitted.texts)
    assert not unfitted.style("bar")


def test_bars_end_at_the_fitted_shares_and_dots_stand_at_the_estimates(read):
    found = read(bars(["a", "b"], shares([0.5, 0.25], fitted=[0.4, 0.2])))
    # A bar has four corners, its sign in the legend three points.
    corners = [points for points in map(found.corners, found.style("bar")) if len(points) > 3]
    lengths = [max(across for across, _ in points) - 20 for points in corners]
    dots = [float(node.get("cx")) - 20 for node in found.all("circle")]
    ends = [across - 20 for node in found.style("mark") if node.tag == "path" for across, _ in found.corners(node)]
    assert lengths[1] / lengths[0] == pytest.approx(0.5, abs=0.01)
    # Beside the dots are the ends of their intervals.
    assert any(dot / lengths[0] == pytest.approx(0.5 / 0.4, abs=0.01) for dot in dots)
    assert any(end / lengths[0] == pytest.approx(0.23 / 0.4, abs=0.01) for end in ends)


def test_names_stand_above_their_bars_and_percentages_on_the_right(read):
    found = read(bars(["first", "second"], shares([0.614, 0.386])))
    place = {text.text: (float(text.get("x")), float(text.get("y"))) for text in found.all("text")}
    assert place["first"][1] < place["second"][1]
    assert place["61.4\N{NO-BREAK SPACE}%"] == (pytest.approx(440, abs=20), pytest.approx(place["first"][1], abs=1))


@pytest.mark.parametrize("value", [0.0, 1e-9, 1.0, -0.2, 40.0])
def test_bars_of_any_size(value, read):
    some = Shares(np.array([value, 0]), np.array([value, np.nan]), np.array([value, np.inf]), np.array([value, 0]))
    assert read(bars(["a", "b"], some)).width == 440


@pytest.mark.parametrize("label", ["x" * 500, "long words " * 20, "日本語の答え" * 20])
def test_long_names_end_before_the_number(label, read):
    name = read(bars([label], shares([0.5]))).texts
    (shown,) = [text for text in name if text[0] == label[0] and text.endswith("\N{HORIZONTAL ELLIPSIS}")]
    assert 15 <= len(shown) <= 50


def test_bars_refuse_what_they_cannot_draw():
    none, one = np.array([]), np.array([0.5])
    with pytest.raises(SordinoError, match="0 labels"):
        bars([], Shares(none, none, none))
    with pytest.raises(SordinoError, match="2 labels, 1, 1, 1 numbers"):
        bars(["a", "b"], Shares(one, one, one))
    with pytest.raises(SordinoError, match="1 labels, 1, 1, 1, 0 numbers"):
        bars(["a"], Shares(one, one, one, none))
