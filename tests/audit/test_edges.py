"""Certificates that read every weight along edges: against those by classes, and of channels that lie."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import ChannelTable, MetricLDP, Nats, PairwiseLDP, SordinoError, TreeResponse
from sordino.audit import edges
from sordino.audit.certificate import certify

WORD = 1 << 64
LINE = MetricLDP.line([0, 1, 3, 3.5, 7], "1/2")
TREE = MetricLDP.tree([None, 0, 0, 1, 1, 2, 5], "ln 3", [None, 1, 2, 1, 3, 1, 1])


class Whole(ChannelTable):
    """A table that gives its weights together."""

    def weights_on(self, codes):
        return np.array(self.weights, dtype=np.uint64)[:, codes]


class Together(TreeResponse):
    """A channel of a tree that gives its weights together only."""

    def hops_from(self, tree, codes):
        return None


def matrix_of(metric):
    return PairwiseLDP([[metric.bound(x, y) for y in range(metric.k)] for x in range(metric.k)])


def random_rows(k, seed):
    generator = np.random.default_rng(seed)
    rows = (generator.integers(1 << 20, 1 << 22, size=(k, 4)) << 34).tolist()
    return [[*row, WORD - sum(row)] for row in rows]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("metric", [TREE, MetricLDP.grid(2, 4, "1", "ln 4"), MetricLDP.line(1, 1)])
def test_it_finds_what_the_matrix_finds(metric, seed, monkeypatch):
    monkeypatch.setattr(edges, "AT_A_TIME", 2 * metric.k)
    monkeypatch.setattr(edges, "COMPARED", metric.k)
    rows = random_rows(metric.k, seed)
    found, expected = certify(Whole(rows), metric), certify(ChannelTable(rows), matrix_of(metric))
    assert found.holds == expected.holds
    tight = [
        (bound - Nats.log(Fraction(max(a, b), min(a, b))), x, z)
        for x in range(metric.k)
        for z in range(x)
        for a, b in zip(rows[x], rows[z], strict=True)
        for bound in [metric.bound(x, z)]
        if x in metric.edges.first[metric.edges.second == z] or z in metric.edges.first[metric.edges.second == x]
    ]
    if not tight:
        assert found.witness is None
        return
    assert found.slack == min(slack for slack, _, _ in tight)
    value, other, code = found.witness.value, found.witness.other, found.witness.code
    assert found.witness.loss == Nats.log(Fraction(rows[value][code], rows[other][code]))
    assert metric.bound(value, other) - found.witness.loss == found.slack


def test_quotients_that_floats_cannot_tell_apart_are_told_by_integers():
    half = 1 << 63
    # The second and the third row differ by one part in 2^62; so much more than a factor of 3 the bound does not allow.
    third = 3 * (WORD // 4)
    rows = [[third, WORD - third], [half - 1, WORD - half + 1], [WORD // 4 - 1, WORD - WORD // 4 + 1]]
    metric = MetricLDP.tree([1, None, 1], "ln 2")
    found = certify(Whole(rows), metric)
    ratios = {Fraction(max(a, b), min(a, b)) for row in (rows[0], rows[2]) for a, b in zip(row, rows[1], strict=True)}
    assert found.slack == Nats.log(2) - Nats.log(max(ratios))
    assert not found.holds
    assert float(max(ratios)) == 2.0


@pytest.mark.parametrize("metric", [TREE, MetricLDP.grid(2, 3, "1", "ln 4")], ids=["tree", "grid"])
def test_each_edge_is_looked_at(metric):
    first, second, _ = metric.edges
    for x, z in zip(first.tolist(), second.tolist(), strict=True):
        # Those nearer to one end than to the other answer otherwise than these; in a grid along a whole cut.
        near = [metric.bound(value, x) < metric.bound(value, z) for value in range(metric.k)]
        found = certify(Whole([[1 << 40, WORD - (1 << 40)] if own else [1, WORD - 1] for own in near]), metric)
        assert not found.holds
        assert near[found.witness.value]
        assert not near[found.witness.other]


def test_a_neighbour_that_cannot_send_a_code_breaks_every_bound():
    rows = [[WORD // 2, WORD // 2, 0], [WORD // 2, WORD // 4, WORD // 4], [WORD // 2, WORD // 2, 0]]
    found = certify(Whole(rows), MetricLDP.line(3, 40))
    assert not found.holds
    assert (found.witness.code, found.witness.value, found.witness.loss) == (2, 1, None)
    # A code that nobody sends breaks none.
    assert certify(Whole([[*row, 0] for row in [[WORD // 2, WORD // 2]] * 3]), MetricLDP.line(3, 1)).holds


@pytest.mark.parametrize("together", [1, 3])
def test_a_code_that_nobody_sends_hides_no_later_one(together, monkeypatch):
    monkeypatch.setattr(edges, "COMPARED", 2 * together)
    # The rows differ by one part in 2^50, as little as a quotient of nothing by nothing would, if it counted as 1.
    little = 1 << 13
    rows = [[0, WORD // 2, WORD // 2], [0, WORD // 2 + little, WORD // 2 - little]]
    found = certify(Whole(rows), MetricLDP.line(2, Fraction(1, 1 << 60)))
    assert not found.holds
    assert found.witness.loss == Nats.log(Fraction(WORD // 2, WORD // 2 - little))


def test_rows_that_do_not_add_up_are_refused():
    class Short(Together):
        def weight(self, value, code):
            return WORD // self.k

        def weights_on(self, codes):
            return np.full((self.k, len(codes)), WORD // self.k, dtype=np.uint64)

    assert certify(Short(MetricLDP.line(4, 1)), MetricLDP.line(4, 1)).slack == Nats.of(1)
    with pytest.raises(SordinoError, match="add up to the denominator"):
        certify(Short(MetricLDP.line(5, 1)), MetricLDP.line(5, 1))


@pytest.mark.parametrize("k", [5, 300])
def test_weights_given_together_are_those_told_one_by_one(k):
    class Liar(Together):
        def weights_on(self, codes):
            weights = super().weights_on(codes)
            # Flat, and so within every bound, and of the right sum.
            return np.full_like(weights, WORD // k + 1)

    with pytest.raises(SordinoError, match="those of `weight`"):
        certify(Liar(MetricLDP.line(k, 1)), MetricLDP.line(k, 1))


def test_it_is_about_the_definitions_values():
    with pytest.raises(SordinoError, match="5 values; found 7"):
        certify(TreeResponse(TREE), LINE)
