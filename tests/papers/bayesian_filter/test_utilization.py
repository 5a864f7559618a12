"""Full utilization, compactible, independent and efficient queries, against losses worked out from dense channels."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    ChannelTable,
    CoordinateDP,
    LinearQuery,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    SubsetSelection,
    Value,
)
from sordino.papers import are_compactible, are_independent, ask_until_refused, efficiency, utilization

LINES = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
FANO = ChannelTable([[3 if point in line else 1 for line in LINES] for point in range(7)])
BITS = Record({"a": Categories(range(2)), "b": Categories(range(3))})


def table(mechanism):
    return np.array(
        [
            [Fraction(mechanism.weight(x, y), mechanism.denominator) for y in range(mechanism.outputs)]
            for x in range(mechanism.k)
        ],
        dtype=object,
    )


def losses(*tables):
    """The ratio of the likeliest and least likely value, of each combination of outputs."""
    found = {}
    for codes in product(*(range(one.shape[1]) for one in tables)):
        joint = np.prod([one[:, code] for one, code in zip(tables, codes, strict=True)], axis=0)
        if joint.max():
            found[codes] = joint.max() / joint.min() if joint.min() else np.inf
    return found


CHANNELS = {
    "rr": RandomizedResponse(3, "1"),
    "erasing": ChannelTable([[3, 1, 4], [1, 3, 4], [2, 2, 4]]),
    "subset": SubsetSelection(3, "2"),
    "lopsided": ChannelTable([[6, 1, 1], [4, 2, 2], [2, 3, 3]]),
    "silent": ChannelTable([[1, 1], [1, 1], [1, 1]]),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_utilization_is_that_of_each_output(name):
    each = losses(table(CHANNELS[name])).values()
    found = utilization(CHANNELS[name])
    assert (found.least.ratio, found.largest.ratio) == (min(each), max(each))
    assert found.is_full == (len(set(each)) == 1)


@pytest.mark.parametrize(("first", "second"), list(product(CHANNELS, repeat=2)))
def test_pairs_are_compactible_or_independent_as_enumeration_says(first, second):
    tables = table(CHANNELS[first]), table(CHANNELS[second])
    alone = [losses(one) for one in tables]
    joint = losses(*tables)
    most = max(alone[0].values()) * max(alone[1].values())
    assert are_compactible(CHANNELS[first], CHANNELS[second]) == any(ratio < most for ratio in joint.values())
    adds = all(ratio == alone[0][codes[:1]] * alone[1][codes[1:]] for codes, ratio in joint.items())
    assert are_independent([CHANNELS[first], CHANNELS[second]]) == adds


def test_lines_of_the_fano_plane_never_cancel():
    assert utilization(FANO).is_full
    assert not are_compactible(FANO, FANO)
    assert are_independent([FANO, FANO])
    assert not are_independent([FANO, FANO, FANO])


def test_queries_about_different_attributes_are_independent():
    queries = [Query(Value("a"), RandomizedResponse(2, "1")), Query(Value("b"), RandomizedResponse(3, "2"))]
    assert are_independent(queries, BITS)
    assert not are_compactible(*queries, BITS)
    assert not are_independent([queries[0], queries[0]], BITS)
    assert utilization(queries[1], BITS).is_full
    sure = ChannelTable([[1, 0], [0, 1]])
    assert utilization(sure).largest is None
    assert utilization(sure).is_full
    assert are_independent([Query(Value("a"), sure), queries[1]], BITS)


def test_what_cannot_be_compared_is_refused():
    coin = RandomizedResponse(2, "1")
    with pytest.raises(SordinoError, match="on its record"):
        utilization(Query(Value("a"), coin))
    with pytest.raises(SordinoError, match="one domain"):
        are_compactible(coin, RandomizedResponse(3, "1"))
    with pytest.raises(SordinoError, match="record's 6 values"):
        are_independent([coin], BITS)
    with pytest.raises(SordinoError, match="must be LDP"):
        are_compactible(ChannelTable([[1, 0], [0, 1]]), coin)
    with pytest.raises(SordinoError, match="one query at least"):
        are_independent([])
    with pytest.raises(SordinoError, match="combinations"):
        are_independent([coin] * 30)
    with pytest.raises(SordinoError, match="one by one"):
        utilization(RandomizedResponse(1 << 20, "1"))


def test_efficiency_counts_all_epsilons():
    box, query = Box([-1], [1]), LinearQuery([1.0], 0, -1, 1, epsilon="0.4")
    done = ask_until_refused(BayesianFilter(box, LDP("1")), iter([query] * 9), lambda _: 1)
    assert (len(done.transcript), done.refused) == (2, query)
    assert efficiency(done) == pytest.approx(0.8)
    ended = ask_until_refused(BayesianFilter(box, LDP("1")), [query], lambda _: 1)
    assert ended.refused is None
    assert efficiency(ended) == pytest.approx(0.4)
    for promise in (LDP(0), CoordinateDP(["1"])):
        with pytest.raises(SordinoError, match="efficiency"):
            efficiency(ask_until_refused(BayesianFilter(box, promise), [], lambda _: 0))
