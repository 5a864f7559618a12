"""Certificates from neighbour to neighbour: against those that read every weight, and of channels that lie."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import MetricLDP, Nats, SordinoError, TreeResponse
from sordino.audit.certificate import certify
from sordino.domain import tree
from sordino.domain.tree import code_batches
from sordino.mechanism.base import Hop

WORD = 1 << 64
LARGE = MetricLDP.line(300, 1)


class Together(TreeResponse):
    """The same channel by all its weights."""

    def hops_from(self, tree, codes):
        return None


def random_metric(k, seed):
    """A tree of values, of which few meet, with edges of some lengths."""
    generator = np.random.default_rng(seed)
    parents = [None, *(max(0, value - int(generator.integers(1, 3))) for value in range(1, k))]
    return MetricLDP.tree(parents, 2, [1, *generator.integers(1, 4, size=k - 1).tolist()])


METRICS = {
    "two values": MetricLDP.line(2, "1/10"),
    "equal steps": MetricLDP.line(64, "ln 2"),
    "steps of which one hides the others": MetricLDP.line([0, 1, 2, 42, 43, 200], "1"),
    "star": MetricLDP.tree([5, 5, 5, 5, 5, None], "2"),
    **{f"tree {seed}": random_metric(9 * seed + 4, seed) for seed in range(6)},
}


@pytest.fixture(params=METRICS.values(), ids=METRICS)
def metric(request):
    return request.param


def dense(metric, mechanism):
    """A whole channel from its hops, by walking from every code to every value."""
    weights = np.zeros((metric.k, metric.k), dtype=object)
    (axis,) = metric.axes
    for codes in code_batches(axis.tree):
        listed, last = {}, None
        for hop in mechanism.hops_from(axis.tree, codes):
            own = codes if last is None else last[hop.before]
            listed |= dict(zip(zip(own.tolist(), hop.values.tolist(), strict=True), hop.weights.tolist(), strict=True))
            last = own
        for code in codes.tolist():
            for value in range(metric.k):
                here, weight = code, listed[code, code]
                for lower in axis.tree.path_between(code, value):
                    here = lower if lower != here else int(axis.tree.parents[lower])
                    weight = listed.get((code, here), weight)
                assert here == value
                weights[value, code] = weight
    return weights


@pytest.mark.parametrize("at_a_time", [1, 1 << 20])
def test_hops_are_the_whole_channel(metric, at_a_time, monkeypatch):
    monkeypatch.setattr(tree, "AT_A_TIME", at_a_time)
    mechanism = TreeResponse(metric)
    found = dense(metric, mechanism)
    assert found.tolist() == [[mechanism.weight(x, y) for y in range(metric.k)] for x in range(metric.k)]
    assert set(found.sum(axis=1)) == {WORD}


@pytest.mark.parametrize("bolder", [0, 1, 1 << 40])
def test_the_tightest_edge_is_that_of_all_weights(metric, bolder):
    factors = tuple(factor - bolder for factor in TreeResponse(metric).factors)
    if min(factors) < 1:
        factors = TreeResponse(metric).factors
    found = certify(TreeResponse.from_factors(metric, factors), metric)
    expected = certify(Together.from_factors(metric, factors), metric)
    assert (found.holds, found.slack) == (expected.holds, expected.slack)
    value, other, code = found.witness.value, found.witness.other, found.witness.code
    weights = [TreeResponse.from_factors(metric, factors).weight(end, code) for end in (value, other)]
    assert found.witness.loss == Nats.log(Fraction(*weights))
    assert metric.bound(value, other) - found.witness.loss == found.slack


def tampered(metric, change):
    """A channel whose hops, of all codes at once, are others."""

    class Tampered(TreeResponse):
        def hops_from(self, tree, codes):
            return iter(change([*super().hops_from(tree, codes)]) if len(codes) else [])

    return Tampered(metric)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("by", [1, -1, 1 << 33])
def test_no_weight_can_be_another(seed, by):
    generator = np.random.default_rng(seed)

    def change(hops):
        place = int(generator.integers(len(hops) - 1))
        weights = hops[place].weights.copy()
        at = int(generator.integers(len(weights)))
        # Weights of few bits are raised only.
        weights[at] = int(weights[at]) + (by if weights[at] > abs(by) else 1)
        return [*hops[:place], hops[place]._replace(weights=weights), *hops[place + 1 :]]

    metric = LARGE if seed % 2 else random_metric(20 + seed, seed)
    with pytest.raises(SordinoError, match=r"add up to the denominator|those of `weight`"):
        certify(tampered(metric, change), metric)


def one(hop, place, **changed):
    values = {name: getattr(hop, name).copy() for name in changed}
    for name, value in changed.items():
        values[name][place] = value
    return hop._replace(**values)


OTHERS = {
    "one more everywhere": (lambda hops: [hop._replace(weights=hop.weights + np.uint64(1)) for hop in hops], "add up"),
    "the last hops left out": (lambda hops: hops[:20], "add up"),
    "a value left out": (lambda hops: [*hops[:20], Hop(*(part[:-1] for part in hops[20]))], "add up"),
    "all neighbours left out": (lambda hops: hops[:1], "all neighbours"),
    "a neighbour left out": (lambda hops: [hops[0], Hop(*(part[:-1] for part in hops[1]))], "lead from neighbour"),
    "a value twice": (
        lambda hops: [*hops[:2], Hop(*(np.repeat(part, 2) for part in hops[2]))],
        "lead from neighbour",
    ),
    "back again": (
        lambda hops: [*hops[:2], one(hops[2], 5, values=hops[0].values[hops[1].before[hops[2].before[5]]])],
        "lead from neighbour",
    ),
    "a value far away": (lambda hops: [*hops[:2], one(hops[2], 5, values=299)], "lead from neighbour"),
    "no value": (lambda hops: [*hops[:2], one(hops[2], 5, values=300)], "lead from neighbour"),
    "no neighbour before": (lambda hops: [*hops[:2], one(hops[2], 0, before=-1)], "lead from neighbour"),
    "another code": (lambda hops: [one(hops[0], 3, values=4), *hops[1:]], "own value"),
    "nothing": (lambda hops: [], "own value"),
}


@pytest.mark.parametrize(("change", "rule"), OTHERS.values(), ids=OTHERS)
def test_hops_that_make_no_channel_are_refused(change, rule):
    with pytest.raises(SordinoError, match=rule):
        certify(tampered(LARGE, change), LARGE)


@pytest.mark.parametrize("k", [5, 300])
def test_hops_of_another_channel_are_refused(k):
    milder = MetricLDP.line(k, "1/2")

    class Milder(TreeResponse):
        def hops_from(self, tree, codes):
            return TreeResponse(milder).hops_from(tree, codes)

    metric = MetricLDP.line(k, 1)
    with pytest.raises(SordinoError, match="those of `weight`"):
        certify(Milder(metric), metric)


def test_what_is_drawn_from_is_what_is_certified():
    class Drawn(TreeResponse):
        def weights_on(self, codes):
            weights = super().weights_on(codes)
            # Values that are not among those read one by one.
            weights[100, :] += np.uint64(1)
            weights[101, :] -= np.uint64(1)
            return weights

    with pytest.raises(SordinoError, match="those of `weight`"):
        certify(Drawn(LARGE), LARGE)


def test_few_steps_are_walked_around_each_code():
    # Weights of 64 bits that fall by half a nat a step reach 1 after some 90 steps, in both directions.
    mechanism = TreeResponse(MetricLDP.line(2_000, "1/2"))
    listed = sum(len(hop.values) for hop in mechanism.hops_from(mechanism.tree, np.arange(2_000)))
    assert listed < 2_000 * 200
