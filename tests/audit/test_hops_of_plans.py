"""Channels of trees with any factors, as a plan from outside may hold them, against their definition in whole numbers.

Of each: the verdict against plain enumeration, all weights together, and what the words at each code's ends draw.
"""

from fractions import Fraction
from math import ceil
from random import Random

import numpy as np
import pytest

from sordino import MetricLDP, Nats, SordinoError, TreeResponse
from sordino.audit import classes, edges
from sordino.audit.certificate import certify
from sordino.domain import tree
from sordino.mechanism import tree_response
from sordino.mechanism.tree_response import LEAST_OWN

WORD = 1 << 64
LENGTHS = [1, 2, 3, "1/3", "7/1000003", "1/1000000", 1000, "999999999999/1000000000000"]
EPSILONS = ["1", "2", "1/10", "5", "40", "100", "1/1000000", "ln 3"]
EXTREMES = [1, 2, WORD - 1, WORD - 2, 1 << 63, 1 << 32, WORD - (1 << 32)]


class Given:
    """A stream of these words, then of any."""

    def __init__(self, words):
        self._words = [np.array(words, dtype=np.uint64), np.zeros(len(words), dtype=np.uint64)]

    def next(self):
        return self._words.pop(0)


def random_parents(draw):
    """A line in any order, a star, or a tree in which values have any number of children."""
    k = draw.choice([2, 3, 4, 6, 9, 20])
    order = draw.sample(range(k), k)
    shape = draw.choice(["line", "star", "tree"])
    above = {"line": lambda at: at - 1, "star": lambda _: 0, "tree": draw.randrange}[shape]
    parents = [None] * k
    for at in range(1, k):
        parents[order[at]] = order[above(at)]
    return parents


def random_factors(draw, metric):
    """Those of the metric, some of them changed by little or by much."""
    try:
        own = TreeResponse(metric).factors
    except SordinoError:
        own = [draw.randrange(1, WORD) for _ in metric.bounds]
    changed = (
        draw.choice([factor, factor, factor + draw.choice([-1, 1]) * (1 << draw.randrange(62)), draw.choice(EXTREMES)])
        for factor in own
    )
    return tuple(min(max(factor, 1), WORD - 1) for factor in changed)


def rows_of(parents, kind, factors):
    """Each value's weights by the definition; None where a code has next to nothing on its own value."""
    k = len(parents)
    near = [[] for _ in parents]
    for value, above in enumerate(parents):
        if above is not None:
            near[value].append((above, factors[kind[value]]))
            near[above].append((value, factors[kind[value]]))
    rows = [[0] * k for _ in parents]
    for code in range(k):
        share = 1 - sum(Fraction(factor, WORD + factor) for _, factor in near[code])
        if share < LEAST_OWN:
            return None
        waiting = [(code, None, min(ceil(WORD * share), WORD - 1))]
        for value, before, weight in waiting:
            rows[value][code] = weight
            waiting += [(one, value, -(-weight * f // WORD)) for one, f in near[value] if one != before]
    for value, row in enumerate(rows):
        row[value] = WORD - sum(row) + row[value]
    return rows


def least_left(metric, parents, kind, rows):
    """The least that is left of any edge's bound on any code."""
    found = []
    for value, above in enumerate(parents):
        if above is not None:
            largest = max(Fraction(max(pair), min(pair)) for pair in zip(rows[value], rows[above], strict=True))
            found.append(metric.axes[0].bounds[kind[value]] - Nats.log(largest))
    return min(found)


@pytest.mark.parametrize("seed", range(8))
def test_any_factors_are_judged_and_drawn_by_their_definition(seed, monkeypatch):
    draw, verdicts = Random(seed), []
    for _ in range(40):
        # Most are taken for large: then few codes are compared with the weights that are drawn from.
        monkeypatch.setattr(classes, "EVERY", draw.choice([0, 0, 1 << 13]))
        monkeypatch.setattr(edges, "SOME", 2)
        monkeypatch.setattr(tree_response, "KEPT", draw.choice([0, 1 << 22]))
        monkeypatch.setattr(tree_response, "AT_A_TIME", draw.choice([1, 50, 1 << 23]))
        monkeypatch.setattr(tree, "AT_A_TIME", draw.choice([1, 7, 1 << 20]))
        parents, epsilon = random_parents(draw), draw.choice(EPSILONS)
        lengths = [draw.choice(LENGTHS[:3] if "ln" in epsilon else LENGTHS) for _ in parents]
        metric = MetricLDP.tree(parents, epsilon, lengths)
        kind, factors = metric.axes[0].kind.tolist(), random_factors(draw, metric)
        rows = rows_of(parents, kind, factors)
        if rows is None:
            with pytest.raises(SordinoError, match="a code of its own"):
                TreeResponse.from_factors(metric, factors)
            continue
        mechanism = TreeResponse.from_factors(metric, factors)
        found, left = certify(mechanism, metric), least_left(metric, parents, kind, rows)
        assert (found.holds, found.slack) == (left.sign() >= 0, left)
        assert mechanism.weights_on(np.arange(metric.k)).tolist() == rows
        ends = [(value, code, sum(row[:code])) for value, row in enumerate(rows) for code in range(metric.k)]
        drawn = [(value, code, word) for value, code, at in ends for word in (at, at + rows[value][code] - 1)]
        values, codes, words = zip(*drawn, strict=True)
        assert mechanism._sample(np.array(values), Given(words)).tolist() == list(codes)
        verdicts.append(found.holds)
    assert 5 < sum(verdicts) < len(verdicts) - 5
