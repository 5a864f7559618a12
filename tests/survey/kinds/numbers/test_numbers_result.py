"""Limits of means and covariances are cut to what any people can make them, read off the survey's ranges alone."""

from itertools import product

import numpy as np
import pytest

import sordino
from sordino import Aggregate, SordinoWarning

RANGES = {"age": (0.1, 0.3), "size": (-7, 50)}
"""Of numbers; neither half of the first nor its middle is a float."""

PEOPLE = 60


def asked(*asks):
    """A plan by which so few people tell nothing, and what its codes tell if they come at random."""
    attributes = {name: {"number": {"low": low, "high": high}} for name, (low, high) in RANGES.items()}
    with pytest.warns(SordinoWarning, match="NOTHING"):
        plan = sordino.plan({"version": 1, "epsilon": "0.3", "attribute": attributes, "ask": list(asks)}, PEOPLE)
    counts = np.random.default_rng(5).multinomial(PEOPLE, np.full(plan.sampled.outputs, 1 / plan.sampled.outputs))
    return plan, Aggregate(plan.sampled.fingerprint, PEOPLE, counts)


def extremes(names):
    """The least and the largest covariance of two kinds of people at any corners, half of all each."""
    corners = list(product(*(RANGES[name] for name in names)))
    pairs = np.array(list(product(corners, repeat=2)))
    first, last = pairs[:, :, 0], pairs[:, :, -1]
    found = (first * last).mean(axis=1) - first.mean(axis=1) * last.mean(axis=1)
    return found.min(), found.max()


def test_limits_are_cut_to_what_people_can_be():
    plan, tally = asked({"mean": list(RANGES)}, {"covariance": list(RANGES)})
    rows = sordino.estimate(plan, tally).to_arrow().to_pylist()
    found = [row for row in rows if row["kind"] != "pooled"]
    assert len(found) == 5
    for row in found:
        names = row["value"].split(", ")
        least, most = RANGES[names[0]] if row["kind"] == "mean" else extremes(names)
        # Errors are wider than all that is possible, wherever the estimate is.
        assert 1.5 * row["stderr"] > most - least
        assert (row["low"], row["high"]) == pytest.approx((least, most), abs=1e-12)


def test_the_limits_of_a_change_are_not_made_of_cut_ones():
    plan, tally = asked({"mean": list(RANGES)})
    found = {row["value"]: row for row in sordino.estimate(plan, tally).to_arrow().to_pylist() if row["kind"] == "mean"}
    rows = sordino.change(plan, tally, plan, tally).to_arrow().to_pylist()
    told = {row["label"]: row for row in rows if row["label"] in RANGES}
    assert told.keys() == found.keys() != set()
    for name, row in told.items():
        low, high = RANGES[name]
        assert (found[name]["low"], found[name]["high"]) == (low, high)
        # Nothing changed, and nothing is known of it.
        assert (row["change"], row["low"], row["high"]) == pytest.approx((0, low - high, high - low))
