"""Batches of every mechanism against their enumeration: multisets of a few people's codes, read weight by weight."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import exp

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BinaryOptimal,
    BitFlips,
    BlockLDP,
    Blockwise,
    CoordinateDP,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    MetricLDP,
    Number,
    PairwiseLDP,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    SubsetSelection,
    Together,
    WindowResponse,
    best_mechanism,
    certify,
    plan,
)
from sordino.audit.batch_certificate import certify_batch, certify_drawn, pair_laws
from sordino.audit.batch_loss import BatchSize
from sordino.mechanism.cyclic_subsets import CyclicSubsets
from sordino.mechanism.meeting_subsets import MeetingSubsets

DELTA = Fraction(1, 50)
LINE = MetricLDP.line(4, "1/2")
BOUNDS = PairwiseLDP([["0", "1", "inf"], ["1/2", "0", "inf"], ["inf", "inf", "0"]])
BLOCKS = [0, 0, 1, 1, 1]

CASES = [
    pytest.param(mechanism, definition, id=f"{type(mechanism).__name__} {mechanism.k}")
    for mechanism, definition in (
        (RandomizedResponse(2, "1"), LDP("1")),
        (RandomizedResponse(3, "2"), LDP("2")),
        (HadamardResponse(3, "1"), LDP("1")),
        (SubsetSelection(4, "1", 2), LDP("1")),
        (SubsetSelection(3, "2", 1), LDP("2")),
        (ProjectiveResponse(4, "1", 2), LDP("1")),
        (CyclicSubsets(4, "1", (5, 2, 2)), LDP("1")),
        (BitFlips((2**63, 2**62, 2**61, 2**61)), LDP("ln 4")),
        (WindowResponse(3, "1"), LDP("1")),
        (MeetingSubsets((4, 2, 1, 1), "1"), LDP("1")),
        (BinaryOptimal("1", "1/2"), PairwiseLDP([["0", "1"], ["1/2", "0"]])),
        (Blockwise(BLOCKS, "1"), BlockLDP(BLOCKS, "1")),
        (HighLow(4, [0, 2], "1"), HighLowLDP(4, [0, 2], "1")),
        (best_mechanism(4, LINE), LINE),
        (best_mechanism(3, BOUNDS), BOUNDS),
    )
]


def among(definition, value, k):
    """The values of the person's block, or all."""
    if isinstance(definition, BlockLDP | PairwiseLDP):
        partition = definition.partition if isinstance(definition, BlockLDP) else definition.components
        return [own for own in range(k) if partition.block[own] == partition.block[value]]
    return range(k)


def divergence(rows, others, value, other, ratio):
    """Of multisets of codes, one code after the other."""
    law = {(): 1.0}
    for one in others:
        step = Counter()
        for codes, chance in law.items():
            for code, own in rows[one].items():
                step[tuple(sorted((*codes, code)))] += chance * own
        law = step
    gaps = Counter()
    for codes, chance in law.items():
        for own, sign in ((value, 1.0), (other, -ratio)):
            for code, weight in rows[own].items():
                gaps[tuple(sorted((*codes, code)))] += sign * weight * chance
    return sum(gap for gap in gaps.values() if gap > 0)


def rows_of(mechanism):
    weights = [[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(mechanism.k)]
    return [{y: w / mechanism.denominator for y, w in enumerate(row) if w} for row in weights]


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize(("mechanism", "definition"), CASES)
def test_no_batch_reveals_more_and_one_reveals_as_much_as_the_lower_bound(mechanism, definition, n):
    found = certify_batch(mechanism, definition, BatchSize(n), DELTA)
    rows = rows_of(mechanism)
    above, below = dict.fromkeys((pair.promised for pair in found.pairs), 0.0), 0.0
    for value in range(mechanism.k):
        for other in range(mechanism.k):
            bound = None if value == other else definition.bound(value, other)
            if bound is None:
                continue
            own = next(pair for pair in found.pairs if pair.promised == bound)
            for others in combinations_with_replacement(among(definition, value, mechanism.k), n - 1):
                worst = divergence(rows, others, value, other, exp(float(own.above)))
                above[bound] = max(above[bound], worst)
                if float(own.below) == max(float(pair.below) for pair in found.pairs):
                    below = max(below, divergence(rows, others, value, other, exp(float(own.below))))
    assert max(above.values()) <= float(DELTA) + 1e-12
    assert below >= float(DELTA) - 1e-12 or float(found.below) == 0
    for pair in found.pairs:
        assert pair.below <= pair.above <= pair.report_loss <= pair.promised


@pytest.mark.parametrize(("mechanism", "definition"), CASES)
def test_kinds_of_codes_are_those_of_the_weights(mechanism, definition):
    """Of every pair of values, as of one that stands for it; the least weights are not above the true ones."""
    weights = np.array(
        [[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(mechanism.k)], dtype=object
    )
    laws = pair_laws(mechanism, definition)
    told = {tuple(sorted(_pairs(law.kinds).items())) for law in laws}
    for value in range(mechanism.k):
        for other in range(mechanism.k):
            if value == other or definition.bound(value, other) is None:
                continue
            columns = weights[[value, other]].T.tolist()
            own = Counter(tuple(column) for column in columns if any(column))
            assert tuple(sorted(own.items())) in told
    for law in laws:
        others = weights[list(among(definition, law.value, mechanism.k))]
        assert sum(kind.codes * kind.third for kind in law.kinds) <= others.min(axis=0).sum()
        for test in law.tests:
            assert sum(kind.codes * kind.third for kind in test) == mechanism.denominator


def _pairs(kinds):
    found = Counter()
    for kind in kinds:
        if kind.weight or kind.other:
            found[kind.weight, kind.other] += kind.codes
    return found


@pytest.mark.parametrize(
    ("mechanism", "definition", "most"),
    [
        (RandomizedResponse(2, "1"), LDP("1"), 0.128),
        (RandomizedResponse(2, "3"), LDP("3"), 0.70),
        (HadamardResponse(1000, "2"), LDP("2"), 0.30),
        (Blockwise(np.repeat(np.arange(1750), 25), "1"), BlockLDP(np.repeat(np.arange(1750), 25), "1"), 0.106),
        (HighLow(60, range(40), "1"), HighLowLDP(60, range(40), "1"), 0.49),
        (MeetingSubsets((23, 3, 2, 1), "1"), LDP("1"), 0.12),
        (Blockwise(BLOCKS, "2"), BlockLDP(BLOCKS, "2"), 0.38),
    ],
)
def test_bounds_of_a_thousand_reports_are_near_each_other(mechanism, definition, most):
    found = certify_batch(mechanism, definition, BatchSize(1000), Fraction(1, 10**6))
    assert found.is_hidden
    assert float(found.above) <= min(most, 1.15 * float(found.below))


def test_values_by_distances_are_hidden_little_where_the_others_have_little_in_common():
    line = MetricLDP.line(5, "4")
    found = certify_batch(best_mechanism(5, line), line, BatchSize(1000), Fraction(1, 10**6))
    assert not found.is_hidden
    assert found.above == found.report_loss


def test_randomized_response_hides_nearly_as_the_limit_of_single_messages_allows():
    """n Var = 2 (1 - b) / (n mu^2) for a rare value, b the probability of its code, mu that of (0.1, 1e-6)."""
    mechanism, n = RandomizedResponse(25, "1.45"), 1000
    hit, miss = (mechanism.weight(0, code) / mechanism.denominator for code in (0, 1))
    limit = 2 * (1 - miss) / (n * 0.02754**2)
    assert miss * (1 - miss) / (hit - miss) ** 2 == pytest.approx(limit, rel=0.01)
    found = certify_batch(mechanism, LDP("1.45"), BatchSize(n), Fraction(1, 10**6))
    assert float(found.below) == pytest.approx(0.1, rel=0.01)
    assert float(found.above) == pytest.approx(0.1, rel=0.01)


def test_a_batch_of_one_reveals_what_its_report_does():
    found = certify_batch(RandomizedResponse(4, "1"), LDP("1"), BatchSize(1), Fraction(1, 10**9))
    assert found.above == found.report_loss == found.pairs[0].report_loss


def test_several_questions_average_delta_over_the_draw():
    """Somebody known to be drawn for a question hides among fewer; where nobody is, questions hide each other."""
    asked = (RandomizedResponse(3, "1"), LDP("1")), (RandomizedResponse(3, "1/10"), LDP("1/10"))
    drawn = certify_drawn([(*each, Fraction(1, 2)) for each in asked], 2000, Fraction(1, 10**6))
    alone = certify_drawn([(*asked[0], Fraction(1))], 2000, Fraction(1, 10**6))
    worst = drawn.parts[0]
    assert drawn.above < alone.above < worst.above
    assert drawn.below <= drawn.above <= 1.15 * float(drawn.below)
    assert drawn.parts[1].above < worst.above


SHARES = Fraction(1, 3), Fraction(2, 3)


def whole_divergence(questions, people, one, two, ratio):
    """Of batches in which each person is drawn for one question, unseen: by all multisets of (question, code).

    Args:
        questions: of each the probability of each code of each value, and who is drawn for it.
        people: the records of all others, a value of each question.
    """
    laws = []
    for record in (one, two):
        batch = {(): 1.0}
        for own in (*people, record):
            grown = Counter()
            for codes, chance in batch.items():
                for at, (rows, share) in enumerate(questions):
                    for code, likely in rows[own[at]].items():
                        grown[tuple(sorted((*codes, (at, code))))] += chance * share * likely
            batch = grown
        laws.append(batch)
    return sum(max(0.0, chance - ratio * laws[1][codes]) for codes, chance in laws[0].items())


TWO = (RandomizedResponse(2, "1"), LDP("1")), (RandomizedResponse(2, "2"), LDP("2"))
ENDS = (
    PairwiseLDP([["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]]),
    PairwiseLDP([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]]),
)
OTHER_ENDS = tuple((best_mechanism(3, bounds), bounds) for bounds in ENDS)
MIXED = (HighLow(3, [0], "1"), HighLowLDP(3, [0], "1")), (best_mechanism(3, BOUNDS), BOUNDS)


@pytest.mark.parametrize(("n", "delta"), [(2, Fraction(1, 10)), (3, Fraction(1, 20))])
@pytest.mark.parametrize(("asked", "apart"), [(TWO, True), (TWO, False), (MIXED, True), (OTHER_ENDS, False)])
def test_the_whole_batch_is_between_its_ends_where_nobody_sees_who_was_drawn_for_which(asked, apart, n, delta):
    """Of two questions about different attributes, and of two about the same one: over all records and all others."""
    found = certify_drawn([(*each, share) for each, share in zip(asked, SHARES, strict=True)], n, delta, apart=apart)
    questions = [(rows_of(mechanism), float(share)) for (mechanism, _), share in zip(asked, SHARES, strict=True)]
    records = [own for own in product(*(range(mechanism.k) for mechanism, _ in asked)) if apart or len(set(own)) == 1]
    tried = [
        (others, one, two)
        for one, two in permutations(records, 2)
        if all(
            a == b or definition.bound(a, b) is not None for (_, definition), a, b in zip(asked, one, two, strict=True)
        )
        for others in combinations_with_replacement(records, n - 1)
        # Others share the person's block of every question.
        if all(
            own[at] in among(definition, one[at], mechanism.k)
            for own in others
            for at, (mechanism, definition) in enumerate(asked)
        )
    ]
    below, above = (
        max(whole_divergence(questions, *each, exp(float(end))) for each in tried) for end in (found.below, found.above)
    )
    assert above <= float(delta) < below + 1e-12
    assert float(found.below) > 0
    assert found.above < found.report_loss


def test_shares_of_the_draw_count_by_enumeration():
    """Two of three people answer the other question or this one: divergences averaged over all draws."""
    mechanism, share, n = RandomizedResponse(3, "2"), Fraction(1, 2), 4
    found = certify_batch(mechanism, LDP("2"), BatchSize(n, share), DELTA)
    rows = rows_of(mechanism)
    truth = Counter()
    for others in combinations_with_replacement(range(3), n - 1):
        for mask in range(1 << (n - 1)):
            own = [one for at, one in enumerate(others) if mask >> at & 1]
            truth[others] += divergence(rows, own, 0, 1, exp(float(found.above))) / 2 ** (n - 1)
    assert max(truth.values()) <= float(DELTA)


def test_what_is_not_known_after_shuffling_is_refused():
    with pytest.raises(SordinoError, match="nothing is known of averages over beliefs"):
        certify_batch(
            RandomizedResponse(4, "1"),
            BayesianCoordinateDP.with_prior(["1", "1"], np.full((2, 2), 0.25)),
            BatchSize(10),
            DELTA,
        )
    assert certify_batch(
        RandomizedResponse(4, "1"), CoordinateDP(["1", "1"]).on((2, 2)), BatchSize(1000), DELTA
    ).is_hidden


@pytest.mark.parametrize("people", [0, 10**10])
def test_a_batch_has_people(people):
    with pytest.raises(SordinoError, match="a batch must be of 1 to"):
        certify_batch(RandomizedResponse(4, "1"), LDP("1"), BatchSize(people), DELTA)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1)])
def test_a_delta_is_a_probability(delta):
    with pytest.raises(SordinoError, match="a batch's delta must be"):
        certify_batch(RandomizedResponse(4, "1"), LDP("1"), BatchSize(10), delta)


def test_report_that_decides_between_protected_values_is_refused():
    with pytest.raises(SordinoError, match="must not decide between protected values"):
        certify_batch(Blockwise(BLOCKS, "1"), LDP("1"), BatchSize(10), DELTA)


def test_too_many_pairs_are_refused():
    definition = MetricLDP.grid(125, 350, "1", "1")
    with pytest.raises(SordinoError, match="no more than 65,536 pairs of values"):
        certify_batch(best_mechanism(43_750, definition), definition, BatchSize(10), DELTA)


@pytest.mark.long
@pytest.mark.parametrize("n", [1000, 10_000, 100_000])
@pytest.mark.parametrize("epsilon", ["1/4", "1", "2", "3"])
def test_bounds_are_near_each_other_at_every_size(epsilon, n):
    """Of uniform promises, blocks and sensitive values, wherever the bound is below 1."""
    cases = [(best_mechanism(k, LDP(epsilon)), LDP(epsilon)) for k in (2, 3, 5, 10, 25, 64, 100, 1000)]
    for size in (2, 25):
        blocks = np.repeat(np.arange(4), size)
        cases.append((Blockwise(blocks, epsilon), BlockLDP(blocks, epsilon)))
    for k, some in ((4, 1), (6, 2), (30, 5), (60, 40)):
        cases.append((HighLow(k, range(some), epsilon), HighLowLDP(k, range(some), epsilon)))
    for mechanism, definition in cases:
        found = certify_batch(mechanism, definition, BatchSize(n), Fraction(1, 10**6))
        assert float(found.above) >= 1 or float(found.above) <= 1.15 * float(found.below)


def test_queries_and_plans_are_bounded_as_their_mechanisms():
    mechanism, asked = RandomizedResponse(2, "1"), {"shuffled": 1000, "delta_probability": "1e-6"}
    alone = certify(mechanism, LDP("1"), **asked)
    assert certify(Query(Number(0), mechanism), LDP("1"), **asked).above == alone.above
    survey = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
    asked_plan = plan({**survey, "ask": [{"histogram": "smoker"}]}, 1000)
    assert certify(asked_plan, **asked).batch.above == alone.above
    assert certify(asked_plan).batch is None
    drawn = certify(Sampled((Query(Number(0), mechanism), Query(Number(1), mechanism)), (1, 3)), LDP("1"), **asked)
    assert [part.size.share for part in drawn.parts] == [Fraction(1, 4), Fraction(3, 4)]
    assert drawn.parts[0].above > drawn.parts[1].above > alone.above
    # By the blanket, which is somewhat above the exact distribution of two values.
    assert alone.below < drawn.below <= drawn.above < 1.2 * float(alone.above)


@pytest.mark.parametrize(
    ("asked", "definition", "words"),
    [
        (RandomizedResponse(2, "1"), LDP("1/2"), "one report must keep its promise"),
        (
            Together(tuple(Query(Number(at), RandomizedResponse(2, "1")) for at in (0, 1))),
            LDP("2"),
            "people who give one answer each",
        ),
    ],
)
def test_batch_of_what_has_no_bound_is_refused(asked, definition, words):
    with pytest.raises(SordinoError, match=words):
        certify(asked, definition, shuffled=1000, delta_probability="1e-6")


def test_plan_with_a_delta_has_no_bound_of_a_batch():
    attributes = {name: {"range": [0, 1]} for name in ("income", "height")}
    attributes["income"]["delta"] = "1/2"
    survey = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"means": ["income", "height"]}]}
    with pytest.raises(SordinoError, match="nothing is known of averages over beliefs"):
        certify(plan(survey, 1000), shuffled=1000, delta_probability="1e-6")


@pytest.mark.parametrize("half", [{"shuffled": 10}, {"delta_probability": "1e-6"}])
def test_batch_has_both_a_size_and_a_delta(half):
    with pytest.raises(SordinoError, match="a number of reports and a delta"):
        certify(RandomizedResponse(2, "1"), LDP("1"), **half)
