"""Bars of losses end where their amounts say, beside the bounds, whatever is broken or infinite."""

import numpy as np
import pytest

from sordino import LDP, BlockLDP, ChannelTable, HighLow, HighLowLDP, RandomizedResponse, SordinoError, certify, plan
from sordino.blocks.charts import LossChart
from sordino.show.html.descriptions import losses_in_words
from sordino.show.html.figures.bars import losses
from sordino.show.html.figures.scenes.scene import Outline, Text


def parts(scene):
    """The right ends of bars, where bounds are, and all texts."""
    outlines = [part for part in scene.parts if isinstance(part, Outline)]
    bars = [max(x for x, _ in part.lines[0]) for part in outlines if part.closed]
    texts = [part.text for part in scene.parts if isinstance(part, Text)]
    return bars, texts


def chart(losses, bounds):
    names = tuple(f"row {at}" for at in range(len(losses)))
    return LossChart(names, ("text",) * len(names), np.array(losses), np.array(bounds))


def test_bars_are_as_long_as_their_losses():
    scene = losses(chart([0.5, 0.25, np.inf], [0.5, 1.0, np.nan]))
    (half, quarter, without_bound), _ = parts(scene)
    left = min(x for part in scene.parts if isinstance(part, Outline) and part.closed for x, _ in part.lines[0])
    assert half - left == pytest.approx(2 * (quarter - left))
    # Beyond the largest bound, at the edge of the drawing.
    assert without_bound - left > 2 * (half - left)


def test_of_many_rows_the_first_are_drawn_and_it_says_so():
    many = chart(np.linspace(0, 1, 100), np.ones(100))
    bars, texts = parts(losses(many))
    assert len(bars) == 40
    assert "nats; the first 40 of 100" in texts
    # In words those that are nearest to their bounds.
    assert "row 99" in losses_in_words(many)
    assert "row 0 " not in losses_in_words(many)


def test_nothing_and_other_lengths_are_no_drawing():
    for wrong in (chart([], []), LossChart(("a",), ("b",), np.ones(2), np.ones(1))):
        with pytest.raises(SordinoError, match="losses must have labels"):
            losses(wrong)


def test_a_certificate_draws_its_tightest_pair():
    holds = certify(RandomizedResponse(4, "1"), LDP("1")).figure()
    assert holds.words.endswith("its bound: the value 0 against 1 (1 nat, its bound).")
    broken = certify(RandomizedResponse(4, "1.2"), LDP("1")).figure()
    assert "0 against 1 (1.2 of 1 nat)" in broken.words
    certain = certify(ChannelTable([[1, 0], [0, 1]]), LDP("1")).figure()
    assert "(without bound)" in certain.words


def test_where_nothing_is_protected_there_is_nothing_to_draw():
    found = certify(RandomizedResponse(2, "1"), BlockLDP([0, 1], "1"))
    assert found.witness is None
    with pytest.raises(SordinoError, match="a figure must be of a result that is drawn"):
        found.figure()
    assert "<svg" not in found._repr_html_()


def test_a_plan_draws_attributes_the_record_and_questions():
    tables = {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            "city": {"categories": ["a", "b", "c"], "delta": "1"},
            "age": {"number": {"low": 0, "high": 9}, "delta": "0.5"},
        },
        "ask": [{"histogram": "city"}, {"mean": "age"}],
    }
    found = certify(plan(tables, people=2000))
    words = found.figure().words
    for row in ("age (0.5 nats, its bound)", "city (0.5 of 1 nat)", "the whole record (0.5 of 2 nats)"):
        assert row in words
    assert "city: 'a' against 'b' (0.5 nats, its bound)" in words
    assert "<svg" in found._repr_html_()
    with pytest.raises(SordinoError, match="leave the question out"):
        found.figure("city")


def test_of_high_low_privacy_the_pair_with_a_bound_is_drawn():
    found = certify(HighLow(4, [0], "1"), HighLowLDP(4, [0], "1"))
    assert "of 1 nat" in found.figure().words or "1 nat, its bound" in found.figure().words
