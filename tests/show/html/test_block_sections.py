"""What a page shows of a distribution: its figures in words, quantiles, ranges; and figures that do not fit."""

import numpy as np
import pytest

from sordino import Aggregate, Plan, SordinoError, Survey
from sordino.show.html.block_sections import sections_of
from sordino.show.html.estimate_page import estimate_page
from sordino.show.html.figures.density import curve, density
from sordino.show.html.figures.scenes.scene import Text
from sordino.survey.results.result import results

TABLES = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"income": {"number": {"low": 0, "high": 100, "edges": [0, 10, 20, 40, 60, 100]}}},
    "ask": [{"distribution": "income", "quantiles": [0.25, 0.5], "ranges": [[0, 20]]}],
}


def shown(method=None, **ask):
    tables = TABLES | {"ask": [TABLES["ask"][0] | ask]}
    plan = Plan.of(Survey.read({**tables, "ask": [{k: v for k, v in tables["ask"][0].items() if v}]}), 4000)
    question = plan.questions[0]
    law = question.mechanism.forward(np.array([0.1, 0.5, 0.2, 0.1, 0.1]))
    counts = np.random.default_rng(3).multinomial(4000, law / law.sum())
    return plan, results(plan, Aggregate(plan.sampled.fingerprint, 4000, counts), method)


def test_figures_are_told_in_words_and_quantiles_in_a_table():
    plan, (found,) = shown()
    histogram, function, moments, ranges = sections_of(found.blocks())
    assert histogram.parts[0].words == "Histogram of income in 5 bins; the densest is 10 to 20."
    assert "25\N{NO-BREAK SPACE}% at" in function.parts[0].words
    table = function.parts[1]
    assert [row[0] for row in table.rows] == ["quantile 0.25", "quantile 0.5"]
    # As far as a quarter of the interval tells, and no farther.
    for (_, value, low, high), (_, *told) in zip(found.quantiles, table.rows, strict=True):
        digits = {len(text.partition(".")[2]) for text in told}
        assert len(digits) == 1
        unit = 10.0 ** -digits.pop()
        assert unit <= (high - low) / 4 < 100 * unit
        assert [float(text) for text in told] == pytest.approx([value, low, high], abs=unit)
    # Bins that are few have their intervals beside the figure.
    shares = histogram.parts[1]
    assert [row[0] for row in shares.rows] == ["0 to 10", "10 to 20", "20 to 40", "40 to 60", "60 to 100"]
    assert [float(row[3].removesuffix(" %")) for row in shares.rows] == pytest.approx(100 * found.interval[0], abs=5e-2)
    assert ranges.parts[0].rows[0][0] == "0 to 20"
    assert [row[0] for row in moments.parts[0].rows] == ["mean", "standard deviation"]
    page = estimate_page(plan, [found])
    assert "Distribution of income" in page
    assert "fitted by likelihood" in page
    assert "whole function lies within the band" in page


def test_what_is_not_asked_is_not_shown_and_without_a_fit_the_estimate_is():
    plan, (found,) = shown("unbiased", quantiles=[], ranges=[])
    _, function, _ = sections_of(found.blocks())
    assert len(function.parts) == 1
    assert "50\N{NO-BREAK SPACE}% at" in function.parts[0].words
    assert "fitted by" not in estimate_page(plan, [found])


def scene_texts(scene):
    return [mark.text for mark in scene.parts if isinstance(mark, Text)]


def test_bins_of_very_unequal_widths_are_drawn_equally_wide():
    """The scale is then the share of a bin, and never beyond all people; edges are named below."""
    edges = np.array([0, 10, 100, 1000, 1_000_000.0])
    texts = scene_texts(density(edges, np.array([0.5, 0.3, 0.15, 0.05]), "spending"))
    assert any("bins are drawn equally wide" in text for text in texts)
    assert {"0", "10", "100", "1000", "1000000"} <= set(texts)
    percents = [int(text[:-2]) for text in texts if text.endswith("%")]
    assert percents
    assert max(percents) <= 60
    even = scene_texts(density(np.array([0, 10, 20, 40.0]), np.array([0.5, 0.3, 0.2]), "spending"))
    assert not any("drawn equally wide" in text for text in even)


def test_figures_refuse_numbers_that_do_not_fit():
    edges = np.arange(4.0)
    with pytest.raises(SordinoError, match="a number for each place"):
        density(edges, np.ones(4), "income")
    with pytest.raises(SordinoError, match="a number for each place"):
        curve(edges, np.ones(4), (np.ones(4), np.ones(3)), (), "income")
