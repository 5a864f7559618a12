"""Counts of the filters with a delta: those recomputed elsewhere, none of them above the exact delta."""

from math import comb, exp

from sordino.papers.bayesian_filter.identical import approximate_counts

COUNTS = {
    "basic": (100, 10),
    "rogers": (147, 1),
    "whitehouse": (349, 3),
    "renyi": (490, 10),
    "best": (490, 10),
}


def exact_delta(count, each, epsilon):
    """Delta of as many coins of one epsilon: no answers of that epsilon have a larger one."""
    p, total = exp(each) / (exp(each) + 1), 0.0
    for heads in range(count + 1):
        likely, unlikely = p**heads * (1 - p) ** (count - heads), p ** (count - heads) * (1 - p) ** heads
        total += comb(count, heads) * max(likely - exp(epsilon) * unlikely, 0)
    return total


def test_counts_are_those_recomputed_elsewhere_and_keep_delta():
    found = {(row.first, row.each): row.accepted for row in approximate_counts()}
    assert found == {
        (first, each): count
        for first, both in COUNTS.items()
        for each, count in zip(("0.01", "0.1"), both, strict=True)
    }
    for row in approximate_counts():
        assert exact_delta(row.accepted, float(row.each), 1.0) <= 1e-6
