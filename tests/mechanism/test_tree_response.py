"""The geometric channel of lines and trees, against the same channel solved in fractions and the dense mechanism."""

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate, product

import numpy as np
import pytest

from in_one import in_one
from sordino import MetricLDP, Nats, SordinoError, TreeResponse
from sordino.audit.certificate import certify
from sordino.document.codec import decode, encode
from sordino.errors import DamagedError
from sordino.mechanism import tree_response
from sordino.mechanism.base import Mechanism
from sordino.testing import check_mechanism

WORD = 1 << 64
METRICS = {
    "two values": MetricLDP.line(2, "1/10"),
    "equal steps": MetricLDP.line(7, "ln 2"),
    "small steps": MetricLDP.line(6, "1/20"),
    "positions": MetricLDP.line([3, 0, "1/2", 10, 7], "1/2"),
    "steps of which one hides the others": MetricLDP.line([0, 1, 2, 42, 43, 200], "1"),
    "tree": MetricLDP.tree([None, 0, 0, 1, 1, 2, 5], "ln 3", [None, 1, 2, 1, 3, 1, 1]),
    "star": MetricLDP.tree([5, 5, 5, 5, 5, None], "2"),
}


@pytest.fixture(params=METRICS)
def metric(request):
    return METRICS[request.param]


def distances(metric, lengths):
    """Products of numbers along the ways between values, by relaxing edges."""
    (axis,) = metric.axes
    k = axis.k
    far = [[Fraction(int(x == y)) for y in range(k)] for x in range(k)]
    for _ in range(k):
        for x, y in product(range(k), range(k)):
            for lower in range(k):
                upper = int(axis.tree.parents[lower])
                if lower != upper:
                    step = lengths[axis.kind[lower]]
                    for here, there in ((lower, upper), (upper, lower)):
                        if y == there:
                            far[x][y] = max(far[x][y], far[x][here] * step)
    return far


def solved(rows, right):
    """A linear system in fractions, by elimination."""
    table = [[*row, b] for row, b in zip(rows, right, strict=True)]
    n = len(table)
    for i in range(n):
        pivot = next(r for r in range(i, n) if table[r][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [entry / table[i][i] for entry in table[i]]
        for r in range(n):
            if r != i:
                table[r] = [a - table[r][i] * b for a, b in zip(table[r], table[i], strict=True)]
    return [row[-1] for row in table]


def test_all_parts_are_those_of_its_weights(metric):
    check_mechanism(TreeResponse(metric), metric)


def test_weights_are_the_tight_channels_up_to_their_roundings(metric):
    mechanism = TreeResponse(metric)
    k = metric.k
    ways = distances(metric, [Fraction(factor, WORD) for factor in mechanism.factors])
    own = solved(ways, [Fraction(1)] * k)
    for x, y in product(range(k), range(k)):
        ideal = ways[x][y] * own[y] * WORD
        if x == y:
            assert -k * k <= mechanism.weight(x, x) - ideal <= 1
        else:
            assert 0 <= mechanism.weight(x, y) - ideal <= k


def test_factors_are_the_least_that_every_bound_allows(metric):
    (axis,) = metric.axes
    for bound, factor in zip(axis.bounds, TreeResponse(metric).factors, strict=True):
        assert Nats.log(Fraction(WORD, factor)) <= bound
        assert factor == 1 or Nats.log(Fraction(WORD, factor - 1)) > bound


def test_all_weights_of_a_code_are_those_of_each_value(metric, monkeypatch):
    for at_a_time in (1, 3 * metric.k):
        monkeypatch.setattr(tree_response, "AT_A_TIME", at_a_time)
        mechanism = TreeResponse(metric)
        found = mechanism.weights_on(np.arange(metric.k))
        assert found.tolist() == [[mechanism.weight(x, y) for y in range(metric.k)] for x in range(metric.k)]


def test_estimates_are_those_of_the_dense_channel(metric):
    mechanism = TreeResponse(metric)
    dense = np.linalg.inv(mechanism.probabilities()).T
    scale = np.abs(dense).max()
    np.testing.assert_allclose(mechanism.decode(np.eye(metric.k)), dense.T, atol=1e-9 * scale)
    for found, expected in zip(mechanism.contribution_range, (dense.min(axis=1), dense.max(axis=1)), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9 * scale)
    numbers = np.arange(metric.k) ** 2.0
    np.testing.assert_allclose(
        mechanism.code_values(numbers), numbers @ dense, rtol=1e-9, atol=1e-9 * scale * metric.k**2
    )
    expected = Mechanism.squares.func(mechanism)
    for name in ("own", "least", "most"):
        np.testing.assert_allclose(
            getattr(mechanism.squares, name), getattr(expected, name), rtol=1e-9, atol=1e-12 * scale**2
        )


def test_the_bias_of_an_estimate_is_below_what_is_said():
    metric = MetricLDP.line(9, "1/2")
    mechanism = TreeResponse(metric)
    k, a = metric.k, Fraction(mechanism.factors[0], WORD)
    ways = distances(metric, [a])
    own = solved(ways, [Fraction(1)] * k)
    channel = [[ways[x][y] * own[y] for y in range(k)] for x in range(k)]
    columns = [solved(channel, [Fraction(int(x == z)) for x in range(k)]) for z in range(k)]
    most = max(abs(entry) for column in columns for entry in column)
    allowed = 2 * k * min(k, 1 / (1 - a)) / WORD * most
    for x, z in product(range(k), range(k)):
        mean = sum(Fraction(mechanism.weight(x, y), WORD) * columns[z][y] for y in range(k))
        assert abs(mean - (x == z)) <= allowed


@pytest.mark.parametrize(
    ("k", "step", "total"), [(32, "1", 9.237), (64, "1", 9.503), (128, "1", 9.636), (32, "1/2", 98.85)]
)
def test_the_figures_of_a_line(k, step, total):
    assert TreeResponse(MetricLDP.line(k, step)).total_variance == pytest.approx(total, abs=5e-4 * max(1, total / 10))


@pytest.mark.parametrize("step", ["1/2", "3"])
def test_codes_are_drawn_alike_whether_sums_are_kept_or_not(step, monkeypatch):
    class Fixed:
        def __init__(self, words):
            self.words = words

        def next(self):
            return self.words

    metric = MetricLDP.line(11, step)
    words = np.random.default_rng(5).integers(0, (1 << 64) - 1, 400, dtype=np.uint64, endpoint=True)
    words[:4] = 0, 1, (1 << 64) - 1, (1 << 64) - 2
    for value in range(11):
        mechanism = TreeResponse(metric)
        row = list(accumulate(mechanism.weight(value, code) for code in range(11)))
        words[4:14], words[14:24] = row[:10], [end - 1 for end in row[:10]]
        expected = [bisect_right(row, word) for word in words.tolist()]
        values = np.full(len(words), value)
        assert mechanism._sample(values, Fixed(words)).tolist() == expected
        with monkeypatch.context() as patch:
            patch.setattr(tree_response, "KEPT", 0)
            patch.setattr(tree_response, "AT_A_TIME", 44)
            assert TreeResponse(metric)._sample(values, Fixed(words)).tolist() == expected


def test_a_certificate_finds_a_factor_that_is_too_small(metric):
    mechanism = TreeResponse(metric)
    for place, factor in enumerate(mechanism.factors):
        # By a hundredth of a step; of a factor of 1 nothing can be taken.
        bold = [*mechanism.factors]
        bold[place] = factor - max(factor // 1000, 1)
        if bold[place]:
            refused = certify(TreeResponse.from_factors(metric, tuple(bold)), metric)
            assert not refused.holds
            assert metric.bound(refused.witness.value, refused.witness.other) == metric.axes[0].bounds[place]


def test_a_plan_holds_the_factors_and_the_promise_the_tree(metric):
    mechanism = TreeResponse(metric)
    again = decode(encode(mechanism), metric)
    assert again.fingerprint == mechanism.fingerprint
    assert set(encode(mechanism)) == {"name", "k", "codes", "draw", "factors"}
    with pytest.raises(SordinoError, match="promise by distances"):
        decode(encode(mechanism), None)
    with pytest.raises(SordinoError, match="factor for each of"):
        decode({"name": "tree", "factors": ["1"] * 9}, metric)
    with pytest.raises(DamagedError):
        decode({"name": "tree", "factors": [1] * len(mechanism.factors)}, metric)


def test_other_lengths_and_edges_are_another_channel():
    first = TreeResponse(MetricLDP.tree([None, 0, 1, 1], 1, [None, 1, 2, 1]))
    others = (
        MetricLDP.tree([None, 0, 1, 1], 1, [None, 1, 1, 2]),
        MetricLDP.tree([None, 0, 0, 1], 1, [None, 1, 2, 1]),
        MetricLDP.tree([None, 0, 1, 1], 1, [None, 1, 3, 1]),
    )
    assert len({first.fingerprint, *(TreeResponse(one).fingerprint for one in others)}) == 4


@in_one(
    ("make", "said"),
    [
        (lambda: TreeResponse(MetricLDP.tree([None] + [0] * 9, "1")), "code of its own.*too many.*least of them"),
        (lambda: TreeResponse(MetricLDP.line(3, "1/100000")), "code of its own"),
        (lambda: TreeResponse(MetricLDP.line(3, "1e-30")), "each step of a tree must be given"),
        (lambda: TreeResponse(MetricLDP.line(1, 1)), "two values or more"),
        (lambda: TreeResponse(MetricLDP.line(10_001, 1)), "at most 10000 values; found 10001: merge neighbours"),
        (lambda: TreeResponse(MetricLDP.grid(2, 2, 1, 1)), "one axis; found 2: use ProductResponse"),
        (lambda: TreeResponse.from_factors(MetricLDP.line(3, 1), (0,)), "1..2\\^64 - 1"),
    ],
)
def test_what_has_no_such_channel_is_refused(make, said):
    with pytest.raises(SordinoError, match=said):
        make()
