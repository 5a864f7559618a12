"""Metrics along lines, trees and grids, against the same bounds as a matrix closed under shortest paths."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BayesianFilter,
    Categories,
    ChannelTable,
    MetricLDP,
    Nats,
    PairwiseLDP,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.audit.certificate import certify
from sordino.evidence.finite import ColumnClass, FiniteEvidence, ValueClass

METRICS = {
    "steps": MetricLDP.line(5, "1/2"),
    "positions": MetricLDP.line([3, 0, "1/2", 10], "3/10"),
    "one value": MetricLDP.line(1, 1),
    "star": MetricLDP.tree([4, 4, 4, 4, None], "1", [1, 2, "1/3", 1, None]),
    "tree": MetricLDP.tree([None, 0, 0, 1, 1, 2, 5], "ln 3", [None, 1, 2, 1, 3, 1, 1]),
    "grid": MetricLDP.grid(2, 3, "1/2", "1"),
    "grid of different units": MetricLDP.grid(3, 2, "ln 2", "1/3"),
    "a grid of one row": MetricLDP.grid(1, 4, 1, 1),
    "line and star": MetricLDP.product([MetricLDP.line([0, 2, 3], "1"), MetricLDP.tree([None, 0, 0], "ln 2")]),
}


def edges(metric):
    """From the trees themselves: the pairs of values that differ along one edge, and its length."""
    cells = list(product(*(range(axis.k) for axis in metric.axes)))
    for x, one in enumerate(cells):
        for other, two in enumerate(cells):
            apart = [i for i in range(len(one)) if one[i] != two[i]]
            if len(apart) != 1:
                continue
            axis, (i, j) = metric.axes[apart[0]], (one[apart[0]], two[apart[0]])
            for lower, upper in ((i, j), (j, i)):
                if lower != axis.tree.root and axis.tree.parents[lower] == upper:
                    yield x, other, axis.bounds[axis.kind[lower]]


def dense(metric):
    rows = [["inf" if x != y else 0 for y in range(metric.k)] for x in range(metric.k)]
    for x, other, bound in edges(metric):
        rows[x][other] = bound
    return PairwiseLDP(rows)


@pytest.fixture(params=METRICS)
def metric(request):
    return METRICS[request.param]


def test_the_bound_of_two_values_is_the_shortest_way(metric):
    matrix = dense(metric)
    for x in range(metric.k):
        assert [metric.bound(x, y) for y in range(metric.k)] == list(matrix.bounds[x])
    assert (metric.epsilon, metric.least) == (matrix.epsilon, matrix.least)


def test_positions_and_cells_have_the_distances_that_people_mean():
    places = ["3", "0", "1/2", "10"]
    line = MetricLDP.line(places, "3/10")
    for x, y in product(range(4), range(4)):
        assert line.bound(x, y) == Nats.of(abs(Fraction(places[x]) - Fraction(places[y])) * Fraction(3, 10))
    grid = MetricLDP.grid(4, 6, "1/2", "ln 2")
    for (a, b), (c, d) in product(product(range(4), range(6)), repeat=2):
        far = Nats(Fraction(abs(a - c), 2), Fraction(2) ** abs(b - d))
        assert grid.bound(6 * a + b, 6 * c + d) == far


def evidences(k):
    generator = np.random.default_rng(k)
    for scale in (0.0, 0.1, 0.5, 3.0):
        log = generator.normal(size=k) * scale
        yield FiniteEvidence(log)
        yield FiniteEvidence(log, 1e-3)
        yield FiniteEvidence(np.where(generator.random(k) < 0.3, -np.inf, log))
    yield FiniteEvidence(np.full(k, -np.inf))


def test_evidence_keeps_the_edges_iff_it_keeps_all_pairs(metric):
    matrix = dense(metric)
    for evidence in evidences(metric.k):
        found, every = metric.slack(evidence), matrix.slack(evidence)
        assert (found < 0) == (every < 0)
        assert found >= every
        log = evidence.log
        exact = [
            float(bound) - 2 * evidence.radius - (log[x] - log[y] if log[x] > -np.inf else 0.0)
            for x, y, bound in edges(metric)
            if log[x] > -np.inf or log[y] == -np.inf
        ]
        if exact and np.isfinite(found):
            # Rounded down, and by little.
            assert min(exact) - 1e-12 <= found <= min(exact)
        losses = metric.loss(evidence)
        np.testing.assert_array_equal(losses, LDP(0).loss(evidence))
        assert (losses >= matrix.loss(evidence)).all()


def columns(k):
    generator = np.random.default_rng(k)
    for many in (1, 2, k):
        mark = generator.integers(0, many + 1, size=k)
        parts = []
        for own in range(many):
            values = np.flatnonzero(mark == own)
            weights = {int(w): 1 + i for i, w in enumerate(generator.integers(0, 1 << 60, 1 + own % 2))}
            if len(values):
                parts.append(ValueClass(values, tuple(weights.items())))
        yield ColumnClass(k, 3, 0, tuple(parts))


def test_the_tightest_edge_of_each_bound_is_that_of_all_edges(metric):
    for column in columns(metric.k):
        heaviest, lightest = {}, {}
        for part in column.parts:
            for value in part.values.tolist():
                heaviest[value] = max(weight for weight, _ in part.weights)
                lightest[value] = min(weight for weight, _ in part.weights)
        largest = {}
        for x, y, bound in edges(metric):
            heavy, light = heaviest.get(x, 0), lightest.get(y, 0)
            if heavy:
                ratio = Fraction(heavy, light) if light else np.inf
                largest[bound] = max(ratio, largest.get(bound, 0))
        found = {extreme.bound: extreme for extreme in metric.extremes(column)}
        ratios = {b: Fraction(e.heavy, e.light) if e.light else np.inf for b, e in found.items()}
        assert ratios == largest
        for extreme in found.values():
            for x, y in zip(*extreme.pairs, strict=True):
                assert (heaviest[x], lightest.get(y, 0)) == (extreme.heavy, extreme.light)
                assert metric.bound(int(x), int(y)) == extreme.bound


def test_a_certificate_along_edges_is_that_of_the_matrix(metric):
    k, matrix = metric.k, dense(metric)
    if k == 1:
        assert certify(RandomizedResponse(1, 1), metric).holds
        return
    for mechanism in (RandomizedResponse(k, metric.least), SubsetSelection(k, metric.least), skewed(k)):
        found, expected = certify(mechanism, metric), certify(mechanism, matrix)
        assert found.holds == expected.holds
        if found.holds:
            assert found.slack == expected.slack
            assert found.witness.loss == expected.witness.loss


def skewed(k):
    """A channel of which some edge is tighter than all others."""
    rows = np.random.default_rng(k).integers(1 << 20, 1 << 21, size=(k, 3)).tolist()
    return ChannelTable([[*row, (1 << 24) - sum(row)] for row in rows])


def test_a_filter_over_edges_decides_as_over_all_pairs():
    metric = METRICS["tree"]
    names = Categories([str(x) for x in range(metric.k)])
    filters = [BayesianFilter(names, metric + metric), BayesianFilter(names, dense(metric + metric))]

    decided = []
    for epsilon in ("ln 3", "ln 2", "ln 3", "ln 1.6", "ln 1.5"):
        query = RandomizedResponse(metric.k, epsilon)
        accepted = [one.accepts(query) for one in filters]
        assert accepted[0] == accepted[1]
        decided.append(accepted[0])
        if accepted[0]:
            filters = [one.after(query, 0) for one in filters]
    # The shortest edges allow ln 9, all of which is used in the end.
    assert decided == [True, True, False, False, True]


def test_two_reports_keep_the_sum_of_their_bounds():
    metric = METRICS["tree"]
    both = metric + MetricLDP.tree([None, 0, 0, 1, 1, 2, 5], "1")
    assert both.bound(3, 5) == metric.bound(3, 5) + Nats.of(4)
    with pytest.raises(SordinoError, match="same edges"):
        METRICS["steps"] + metric


@in_one(
    ("make", "said"),
    [
        (lambda: MetricLDP.line([0, 1, "1.0"], 1), "above 0.*found 0: merge values"),
        (lambda: MetricLDP.line([0, "inf"], 1), "finite"),
        (lambda: MetricLDP.line(3, 0), "above 0"),
        (lambda: MetricLDP.line(3, -1), "between 0 and 100|above 0"),
        (lambda: MetricLDP.line(0, 1), "1 to 65536 values; found 0"),
        (lambda: MetricLDP.line([0, 1.5], "ln 2"), "whole distances; found 3/2.*decimal"),
        (lambda: MetricLDP.tree([None, 0], 1, [None, 0]), "above 0"),
        (lambda: MetricLDP.tree([None, 0], 1, [1]), "length for each of 2 values; found 1"),
        (lambda: MetricLDP.tree([1, 0], 1), "one root"),
        (lambda: MetricLDP.grid(2, 2, 0, 1), "above 0"),
        (lambda: MetricLDP.grid(2, 2, 1, 101), "between 0 and 100"),
        (lambda: MetricLDP.grid(4000, 4000, 1, 1), "4194304 values; found 16000000: use blocks"),
        (lambda: MetricLDP.line([i + Fraction(1, 10**40 + i) for i in range(300)], 1), "reckoned with.*fewer digits"),
        (lambda: MetricLDP.tree([None, *range(999)], f"ln {3 * 10**399 + 1}/{10**399}"), "reckoned with"),
        (lambda: MetricLDP.grid(2, 999, 1, f"ln {3 * 10**399 + 1}/{10**399}"), "reckoned with"),
        (lambda: MetricLDP(()), "at least one axis"),
        (lambda: MetricLDP.line("abc", 1), "number"),
    ],
)
def test_what_is_no_metric_is_refused(make, said):
    with pytest.raises(SordinoError, match=said):
        make()


def test_a_step_that_no_channel_needs_counts_as_a_hundred_nats():
    assert MetricLDP.line([0, 1, 1000], "1").bounds == (Nats.of(1), Nats.of(100))
    assert MetricLDP.line([0, 10**9], "ln 2").bounds == (Nats.of(100),)


@pytest.mark.parametrize("measure", ["loss", "slack"])
def test_evidence_is_about_the_metrics_values(measure):
    with pytest.raises(SordinoError, match="5 values; found 3"):
        getattr(METRICS["steps"], measure)(FiniteEvidence(np.zeros(3)))
