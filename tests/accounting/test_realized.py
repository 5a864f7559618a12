"""Realized losses of answers about records in boxes: the paper's examples, groups, mistakes."""

import math

import numpy as np
import pytest

from sordino import Box, LinearQuery, LogisticQuery, LossBounds, SordinoError, realized_loss

LINE = Box([-1], [1])
QUERY = LinearQuery([1.0], 0, -1, 1, "1")


def test_no_answers_lose_nothing():
    assert realized_loss(LINE, [], []) == LossBounds(0.0, 0.0)


def test_identical_answers_add_and_opposite_ones_cancel():
    for count in (1, 2, 5):
        bounds = realized_loss(LINE, [QUERY] * count, [1] * count)
        assert bounds.lower <= count <= bounds.upper <= count + 1e-9
    bounds = realized_loss(LINE, [QUERY] * 2, [0, 1])
    # ln of 1/4 over p(1 - p).
    p = 1 / (1 + math.e)
    assert bounds.lower <= -math.log(4 * p * (1 - p)) <= bounds.upper
    assert bounds.gap < 1e-3


def test_questions_about_different_numbers_add():
    box = Box([-1, -1], [1, 1])
    queries = [LogisticQuery([50.0, 0.0], 0, "0.5"), LogisticQuery([0.0, 50.0], 0, "0.25")]
    for outputs in ([0, 0], [0, 1], [1, 0], [1, 1]):
        bounds = realized_loss(box, queries, outputs)
        assert bounds.lower <= 0.75 + 1e-9
        assert 0.75 - 1e-9 <= bounds.upper <= 0.75 + 1e-3


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_the_tolerance_is_kept(tolerance):
    rng = np.random.default_rng(1)
    queries = [LogisticQuery(rng.uniform(-2, 2, 2), rng.uniform(-1, 1), "1") for _ in range(5)]
    bounds = realized_loss(Box([-1, -1], [1, 1]), queries, [0, 1, 1, 0, 1], tolerance)
    assert bounds.gap <= tolerance


def test_groups_are_never_closer():
    rng = np.random.default_rng(2)
    box = Box([-1, -1], [1, 1])
    queries = [LogisticQuery(rng.uniform(-2, 2, 2), rng.uniform(-1, 1), "1") for _ in range(7)]
    outputs = [0, 1, 1, 0, 1, 0, 0]
    whole = realized_loss(box, queries, outputs)
    losses = [realized_loss(box, queries, outputs, group=group) for group in (7, 4, 2, 1)]
    assert losses[0] == whole
    for grouped in losses:
        assert grouped.lower <= whole.upper
        assert grouped.upper >= whole.lower
    assert losses[1].upper - 1e-3 <= losses[2].upper - 1e-3 <= losses[3].upper <= 7 + 1e-9
    assert losses[3].upper > whole.upper + 0.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((LINE, [QUERY], []), "one output"),
        ((LINE, [QUERY], [2]), "0 or 1"),
        ((Box([-2], [2]), [QUERY], [1]), "too far"),
        ((Box([-1, 0], [1, 1]), [QUERY], [1]), "theta"),
    ],
)
def test_mistakes_are_refused(arguments, words):
    with pytest.raises(SordinoError, match=words):
        realized_loss(*arguments)


def test_a_group_of_none_is_refused():
    with pytest.raises(SordinoError, match="group"):
        realized_loss(LINE, [QUERY], [1], group=0)
