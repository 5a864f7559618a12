"""The paper's bounds by chords: around the true losses, and as loose as its root bounds."""

import numpy as np
import pytest

from chances import chances
from sordino import Box, LinearQuery, SordinoError
from sordino.papers.bayesian_filter.chords import chord_bounds, chords, difference
from sordino.papers.bayesian_filter.health_models import PEOPLE, QUESTIONS, health

pytestmark = pytest.mark.long


@pytest.mark.parametrize("output", [0, 1])
@pytest.mark.parametrize("query", QUESTIONS)
def test_the_two_convex_functions_differ_by_the_logarithm_of_the_channel(query, output):
    people = np.random.default_rng(3).uniform(PEOPLE.low, PEOPLE.high, (200, 4))
    ones = np.array(chances(query, people), dtype=np.float64)
    part = difference(query, output)
    forms = people @ part.slopes + part.constant
    found = [part.f(t)[0] - part.g(t)[0] for t in forms]
    np.testing.assert_allclose(found, np.log(ones if output else 1 - ones), atol=1e-9)
    for convex in (part.f, part.g):
        for t, further in zip(forms, forms[::-1], strict=True):
            value, slope = convex(t)
            assert convex(further)[0] >= value + slope * (further - t) - 1e-9


def test_their_roots_are_looser_than_basic_composition_and_ours_are_not():
    for row, known in zip(chords(1), health(), strict=True):
        assert row.outputs == known.outputs
        assert 8.1 < row.chords_root < 10.5
        assert row.chords_root > row.basic == 4
        assert row.chords.lower <= known.upper
        assert known.lower <= row.root < 4
        assert row.own.gap < row.chords.gap


def test_boxes_bring_the_chords_closer():
    outputs = (1, 1, 0, 1)
    (known,) = (row for row in health() if row.outputs == "1101")
    gaps = []
    for boxes in (1, 3, 6):
        root, bounds = chord_bounds(PEOPLE, QUESTIONS, outputs, boxes)
        assert bounds.lower <= known.upper + 1e-6
        assert bounds.upper >= known.lower - 1e-6
        assert bounds.upper <= root
        gaps.append(bounds.gap)
    assert gaps[0] > gaps[1] > gaps[2]


def test_other_kinds_are_refused():
    with pytest.raises(SordinoError, match="logistic and truncated"):
        chord_bounds(Box([-1], [1]), [LinearQuery([1.0], 0, -1, 1, "1")], [1], 1)
