"""A number over time: what is drawn where, and what is said of it to those who do not see it."""

from itertools import pairwise

import numpy as np
import pytest

from sordino import SordinoError
from sordino.blocks.charts import SeriesChart
from sordino.show.html.descriptions import series_in_words
from sordino.show.html.figures.axes import LETTER
from sordino.show.html.figures.scenes.scene import Circle, Outline, Text
from sordino.show.html.figures.series_curve import series_curve

WEEKS = tuple(f"2026-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in (5, 12, 19, 26))


def chart(**other):
    estimate = np.linspace(0.2, 0.4, 12)
    estimate[4] = np.nan
    curve = np.linspace(0.2, 0.4, 12)
    settings = {
        "name": "smoker: yes",
        "every": "week",
        "periods": WEEKS,
        "estimates": (estimate, estimate - 0.05, estimate + 0.05),
        "curve": curve,
        "band": (curve - 0.02, curve + 0.02),
        "since": 6,
        "is_share": True,
    }
    return SeriesChart(**settings | other)


def test_there_is_a_dot_for_each_estimate_and_none_in_a_gap():
    scene = series_curve(chart())
    # One more stands in the legend.
    dots = [part for part in scene.parts if isinstance(part, Circle)]
    assert len(dots) == 12
    across = sorted(dot.across for dot in dots[1:])
    assert np.argmax(np.diff(across)) == 3
    heights = [dot.down for dot in sorted(dots[1:], key=lambda dot: dot.across)]
    assert heights == sorted(heights, reverse=True)


def test_texts_have_room_and_name_the_change():
    scene = series_curve(chart())
    texts = [part for part in scene.parts if isinstance(part, Text)]
    said = {part.text for part in texts}
    assert {"clearest change: 2026-02-19", "smoothed", "its band", "2026-01-05"} <= said
    dates = sorted((part for part in texts if part.text in WEEKS), key=lambda part: part.across)
    assert all(two.across - one.across > 10 * LETTER * one.size for one, two in pairwise(dates))
    # On a screen of 400 pixels letters are ten or more.
    assert min(part.size for part in texts) * 376 / scene.width > 10
    assert all(0 <= part.across <= scene.width for part in texts)


def test_nothing_is_drawn_that_is_not_there():
    alone = series_curve(chart(curve=None, band=None, since=None))
    assert {part.text for part in alone.parts if isinstance(part, Text)}.isdisjoint({"smoothed", "its band"})
    assert not [part for part in alone.parts if isinstance(part, Outline) and part.closed]
    one = np.array([0.3])
    single = chart(periods=WEEKS[:1], estimates=(one, one, one), curve=None, band=None, since=None)
    assert len([part for part in series_curve(single).parts if isinstance(part, Circle)]) == 2


def test_words_have_the_first_and_the_last_period():
    text = series_in_words(chart())
    assert text.startswith("Curve with its band: smoker: yes by week, 11 of 12 estimated. 2026-01-05: 20.0")
    assert "2026-03-26: 40.0" in text
    assert text.endswith("The clearest change is at 2026-02-19.")
    days = np.full(12, 11_000.0)
    born = chart(estimates=(days, days - 9, days + 9), curve=None, band=None, since=None, is_share=False, is_date=True)
    assert "2000-02-13" in series_in_words(born)


@pytest.mark.parametrize(
    "other",
    [{"periods": WEEKS[:3]}, {"curve": np.ones(3)}, {"estimates": (np.full(12, np.nan),) * 3}],
)
def test_what_is_no_series_is_refused(other):
    with pytest.raises(SordinoError, match="an estimate, and a place for each period"):
        series_curve(chart(**other))
