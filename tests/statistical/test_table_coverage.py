"""Intervals of tables cover as often as they say, over 2,000 seeded surveys through the real mechanisms."""

import numpy as np
import pytest

from sordino import KeyedSource, RandomizedResponse, SubsetSelection
from sordino.estimation.joint.raking import rake_with_slopes
from sordino.estimation.joint.table_cells import Cells, sums_over
from sordino.estimation.share_estimate import estimate

SURVEYS = 2000
LEAST, MOST = 0.935, 0.97
"""95 % within three standard errors of 2,000 surveys, and a little more above: cells are read off whole counts."""

SHARES = np.array([[0.15, 0.35], [0.09, 0.21], [0.14, 0.06]])

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize(
    ("mechanism", "n"),
    [(SubsetSelection(6, "1"), 3000), (RandomizedResponse(6, "2"), 1000)],
    ids=["subset", "randomized"],
)
def test_cells_margins_conditional_shares_and_differences(mechanism, n):
    within = SHARES / SHARES.sum(axis=1, keepdims=True)
    truth = {
        "cells": SHARES.reshape(-1),
        "margins": SHARES.sum(axis=1),
        "conditional": within.reshape(-1),
        "differences": within[2] - within[0],
    }
    inside = {name: np.zeros(len(shares)) for name, shares in truth.items()}
    for survey in range(SURVEYS):
        values = np.random.default_rng(survey).choice(6, n, p=truth["cells"])
        source = KeyedSource(survey.to_bytes(32, "little"), "coverage").for_records(np.arange(n))
        found = estimate(mechanism, mechanism.tally(mechanism.privatize(values, source)))
        cells = Cells.of(SHARES.shape, found)
        parts = cells.within([1], [0], 0.95)
        told = (cells.margin([0], 0.95), parts.table_shares, parts.difference(2, 0))
        limits = [found.interval(0.95), *((one.low, one.high) for one in told)]
        for (name, shares), (low, high) in zip(truth.items(), limits, strict=True):
            inside[name] += (low <= shares) & (shares <= high)
    for name, hits in inside.items():
        assert ((hits / SURVEYS >= LEAST) & (hits / SURVEYS <= MOST)).all(), (name, hits / SURVEYS)


@pytest.mark.parametrize("known", [{0: [0.3, 0.3, 0.4]}, {0: [0.3, 0.3, 0.4], 1: [0.4, 0.6]}], ids=["one", "two"])
def test_shares_by_known_margins(known):
    """What is estimated is the population's table, raked to the margins."""
    mechanism, n = RandomizedResponse(6, "2"), 3000
    margins = {axis: np.array(shares) for axis, shares in known.items()}
    sums = np.vstack([np.eye(6), sums_over(SHARES.shape, [1])[: 2 - len(known)]])
    truth, inside = sums @ rake_with_slopes(SHARES.reshape(-1), SHARES.shape, margins).value, np.zeros(len(sums))
    for survey in range(SURVEYS):
        values = np.random.default_rng(survey).choice(6, n, p=SHARES.reshape(-1))
        source = KeyedSource(survey.to_bytes(32, "little"), "margins").for_records(np.arange(n))
        cells = Cells.of(SHARES.shape, estimate(mechanism, mechanism.tally(mechanism.privatize(values, source))))
        found = rake_with_slopes(cells.value, SHARES.shape, margins)
        told = cells.combinations(sums @ found.value, sums @ found.slopes, None, 0.95)
        inside += (told.low <= truth) & (truth <= told.high)
    assert ((inside / SURVEYS >= LEAST) & (inside / SURVEYS <= MOST)).all(), inside / SURVEYS
