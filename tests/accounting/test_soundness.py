"""No adaptive analyst ever passes a promise: all transcripts to depth 4 on small channels, in exact rationals.

And filters are no timid ones: under every definition some transcript reaches at least 99 % of the bound. The witness
uses none of the package's evidence or definitions: a definition is a list of pairs of hypotheses, each a weighting of
the records, and the number that their ratio must not exceed.
"""

from fractions import Fraction
from itertools import permutations, product
from math import log, prod

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    BlockLDP,
    Categories,
    ChannelTable,
    CoordinateDP,
    HighLowLDP,
    PairwiseLDP,
    Query,
    Record,
    SordinoError,
    Value,
    Values,
)
from sordino.accounting import filter as filters

SHAPE = (2, 3)
RECORDS = list(product(*map(range, SHAPE)))


def ldp_pairs(k, odds):
    """All ordered pairs of k values."""
    return [(point(a, k), point(b, k), Fraction(odds)) for a, b in permutations(range(k), 2)]


def matrix_pairs(odds):
    """A matrix of largest ratios; None where a pair is not protected."""
    k = len(odds)
    return [
        (point(a, k), point(b, k), Fraction(odds[a][b])) for a, b in permutations(range(k), 2) if odds[a][b] is not None
    ]


def coordinate_pairs(odds):
    """Records that differ in one attribute only."""
    k = len(RECORDS)
    return [
        (point(a, k), point(b, k), Fraction(odds[differing[0]]))
        for a, b in permutations(range(k), 2)
        if len(differing := [i for i in range(len(SHAPE)) if RECORDS[a][i] != RECORDS[b][i]]) == 1
        and odds[differing[0]] is not None
    ]


def prior_pairs(prior, odds):
    """Values of an attribute, averaged over the prior given each."""
    law = [Fraction(prior[record]) for record in RECORDS]
    pairs = []
    for i, size in enumerate(SHAPE):
        for a, b in permutations(range(size), 2):
            first, second = (
                [p if record[i] == value else Fraction(0) for p, record in zip(law, RECORDS, strict=True)]
                for value in (a, b)
            )
            if odds[i] is not None:
                pairs.append(([p / sum(first) for p in first], [p / sum(second) for p in second], Fraction(odds[i])))
    return pairs


def rest_pairs(q, odds):
    """All extreme priors with that dependence: 1 - q on one way the rest can be, q anywhere under each hypothesis."""
    pairs = []
    for i, size in enumerate(SHAPE):
        rests = sorted({record[:i] + record[i + 1 :] for record in RECORDS})
        for (a, b), shared, moved, other in product(permutations(range(size), 2), rests, rests, rests):
            first, second = ([Fraction(0)] * len(RECORDS) for _ in range(2))
            for law, value, away in ((first, a, moved), (second, b, other)):
                law[_record(i, value, shared)] += 1 - Fraction(q[i])
                law[_record(i, value, away)] += Fraction(q[i])
            pairs.append((first, second, Fraction(odds[i])))
    return pairs


def point(value, k):
    """All weight on one value."""
    return [Fraction(int(value == other)) for other in range(k)]


def column(query, code, read=None):
    """The probabilities of one output, for each of the records."""
    mechanism = getattr(query, "mechanism", query)
    values = range(mechanism.k) if read is None else map(read, RECORDS)
    return [Fraction(mechanism.weight(value, code), mechanism.denominator) for value in values]


def most_used(pairs, likelihood):
    """The largest log-ratio over its bound; above 1 iff a pair is broken, exactly."""
    used = 0.0
    for first, second, odds in pairs:
        heavy, light = (sum(p * f for p, f in zip(law, likelihood, strict=True)) for law in (first, second))
        if heavy > odds * light:
            return float("inf")
        if heavy and light and odds > 1:
            used = max(used, log(heavy / light) / log(odds))
    return used


def walk(start, columns, depth):
    """The likelihoods of all transcripts that adaptive analysts can reach, by what was asked and answered.

    Args:
        start: a filter.
        columns: (query, code) to probabilities, for all queries.
        depth: answers at most.
    """
    queries = list(dict.fromkeys(query for query, _ in columns))
    reached = {(): start}
    for _ in range(depth):
        further = {}
        for asked, state in reached.items():
            for number, query in enumerate(queries):
                if not state.accepts(query):
                    continue
                for code in range(query.outputs):
                    key = tuple(sorted((*asked, (number, code))))
                    if key in further:
                        continue
                    likelihood = multiplied([columns[queries[n], c] for n, c in key])
                    if any(likelihood):
                        further[key] = state.after(query, code)
                        yield key, likelihood, further[key]
                    else:
                        try:
                            state.after(query, code)
                        except SordinoError:
                            continue
                        raise AssertionError("an impossible answer was taken")
        reached = further


def multiplied(rows):
    """The product of columns."""
    return [prod(entries) for entries in zip(*rows, strict=True)]


def _record(i, value, rest):
    return RECORDS.index((*rest[:i], value, *rest[i:]))


THREE = Categories(["a", "b", "c"])
RECORD = Record({"first": Categories(["no", "yes"]), "second": Categories(["x", "y", "z"])})

ON_THREE = [
    ChannelTable([[3, 1], [1, 3], [2, 2]]),
    ChannelTable([[4, 1, 1], [1, 4, 1], [1, 1, 4]]),
    ChannelTable([[1, 1], [1, 1], [0, 2]]),
]
ON_RECORD = {
    Query(Value("first"), ChannelTable([[3, 1], [1, 3]])): lambda record: record[0],
    Query(Value("second"), ChannelTable([[2, 1], [1, 2], [1, 2]])): lambda record: record[1],
    Query(Values("second", "first"), ChannelTable([[2, 1], [1, 2], [1, 2], [2, 1], [2, 1], [1, 2]])): lambda record: (
        2 * record[1] + record[0]
    ),
}
PRIOR = {record: Fraction(weight, 16) for record, weight in zip(RECORDS, [4, 1, 2, 1, 3, 5], strict=True)}
PRIOR_TABLE = np.array([float(PRIOR[record]) for record in RECORDS]).reshape(SHAPE)

FINITE = {
    "LDP": (LDP("ln 9"), ldp_pairs(3, 9)),
    "blocks": (BlockLDP([[0, 1], [2]], "ln 9"), matrix_pairs([[1, 9, None], [9, 1, None], [None, None, 1]])),
    "high-low": (HighLowLDP(3, [0], "ln 4"), matrix_pairs([[1, 4, 4], [None, 1, None], [None, None, 1]])),
    "pairwise": (
        PairwiseLDP([["0", "ln 9", "ln 18"], ["ln 27", "0", "inf"], ["inf", "ln 16", "0"]]),
        matrix_pairs([[1, 9, 18], [27, 1, None], [None, 16, 1]]),
    ),
    "metric": (
        PairwiseLDP.of_distances([["0", "ln 9", "ln 12"], ["ln 9", "0", "ln 6"], ["ln 12", "ln 6", "0"]]),
        matrix_pairs([[1, 9, 12], [9, 1, 6], [12, 6, 1]]),
    ),
}
BY_ATTRIBUTE = {
    "LDP": (LDP("ln 12"), ldp_pairs(6, 12)),
    "coordinate": (CoordinateDP(["ln 9", "ln 4"]), coordinate_pairs([9, 4])),
    "coordinate, one": (CoordinateDP(["ln 3", "inf"]), coordinate_pairs([3, None])),
    "prior": (BayesianCoordinateDP.with_prior(["ln 9", "ln 6"], PRIOR_TABLE), prior_pairs(PRIOR, [9, 6])),
    "bounded": (
        BayesianCoordinateDP.bounded(["ln 3", "ln 4"], "ln 16", ["1/4", 0]),
        rest_pairs([Fraction(1, 4), 0], [3, 4]) + ldp_pairs(6, 16),
    ),
}


def largest(start, columns, pairs):
    used = [most_used(pairs, likelihood) for _, likelihood, _ in walk(start, columns, 4)]
    assert len(used) > 10
    return max(used)


@pytest.mark.each_value
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize("name", FINITE)
def test_no_transcript_passes_a_definition_of_values(name, rule):
    definition, pairs = FINITE[name]
    columns = {(query, code): column(query, code) for query in ON_THREE for code in range(query.outputs)}
    used = largest(BayesianFilter(THREE, definition, rule), columns, pairs)
    assert 0.99 <= used <= 1


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("rule", ["full", "simplified"])
@pytest.mark.parametrize("by_factors", [False, True])
@pytest.mark.parametrize("name", BY_ATTRIBUTE)
def test_no_transcript_passes_a_definition_of_records(name, rule, by_factors, monkeypatch):
    if by_factors:
        monkeypatch.setattr(filters, "LARGEST_LIKELIHOOD", 0)
    definition, pairs = BY_ATTRIBUTE[name]
    columns = {
        (query, code): column(query, code, read) for query, read in ON_RECORD.items() for code in range(query.outputs)
    }
    used = largest(BayesianFilter(RECORD, definition, rule), columns, pairs)
    # Without the whole table a bound on dependence is kept by an upper bound, and simplified rules are careful.
    careful = (name == "bounded" and by_factors) or (name in {"bounded", "prior"} and rule == "simplified")
    assert (0.7 if careful else 0.99) <= used <= 1
