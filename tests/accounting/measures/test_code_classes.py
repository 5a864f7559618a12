"""What a report can add within blocks and to sensitive values, where codes are too many to list: by their classes."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianFilter,
    BlockLDP,
    Blockwise,
    Categories,
    HadamardResponse,
    HighLow,
    HighLowLDP,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    SubsetSelection,
    Value,
    Values,
)
from sordino.accounting.joint_filter import JointFilter
from sordino.accounting.measures import finite_state, measure
from sordino.accounting.measures.measure_of import measure_of

BLOCKS = [0, 0, 1, 1, 1, 2, 2, 2]
CHANNELS = {
    "blocks": Blockwise(BLOCKS, "1", "subset"),
    "larger blocks": Blockwise([0, 0, 1, 1, 1, 1, 1, 1], "0.7", "randomized"),
    "other blocks": Blockwise([0, 1, 1, 1, 2, 2, 2, 0], "0.7", "hadamard"),
    "high-low": HighLow(8, [1, 2, 3], "1"),
    "subset": SubsetSelection(8, "0.8"),
    "projective": ProjectiveResponse(8, "0.8"),
    "hadamard": HadamardResponse(8, "0.8"),
}


@pytest.fixture
def by_classes(monkeypatch):
    """Nothing is few enough to be listed."""

    def start():
        monkeypatch.setattr(measure, "FEW_WEIGHTS", 0)
        monkeypatch.setattr(finite_state, "can_list", lambda mechanism: False)

    return start


def listed(promise, mechanism, reading):
    """The most that a code favours a record over one that it must not be told from; None where it rules one out."""
    most = Fraction(1)
    for code in range(mechanism.outputs):
        weights = [mechanism.weight(value, code) for value in range(mechanism.k)]
        for record, other in np.ndindex(len(reading), len(reading)):
            heavy, light = weights[reading[record]], weights[reading[other]]
            if promise.bound(record, other) is None or not heavy:
                continue
            if not light:
                return None
            most = max(most, Fraction(heavy, light))
    return most


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("others", [1, 2])
def test_beside_other_attributes_classes_add_what_the_list_of_all_codes_does(channel, others, by_classes):
    """Each of the values stands with each of the others', which may be in blocks of their own."""
    mechanism = CHANNELS[channel]
    reading = np.repeat(np.arange(8), others * 2)
    beside = np.tile(np.repeat(np.arange(others), 2), 8)
    sensitive = np.flatnonzero(np.isin(reading, [1, 2, 3]))
    some = np.flatnonzero((reading == 1) & (beside == 0))
    promises = [BlockLDP(np.array(BLOCKS)[reading] * others + beside, "1"), LDP("1")]
    promises += [HighLowLDP(len(reading), own, "1") for own in (sensitive, some)]
    expected = [listed(promise, mechanism, reading) for promise in promises]
    by_list = [measure_of(promise, len(reading)).own(mechanism, reading) for promise in promises]
    by_classes()
    assert [measure_of(promise, len(reading)).own(mechanism, reading) for promise in promises] == by_list
    assert by_list == [[one] for one in expected]


def test_whatever_is_read_classes_add_no_less_than_the_list(by_classes):
    generator = np.random.default_rng(5)
    cases = []
    for _ in range(60):
        mechanism = CHANNELS[generator.choice(list(CHANNELS))]
        size = int(generator.integers(3, 20))
        reading = generator.integers(0, 8, size=size)
        promise = BlockLDP(generator.integers(0, 5, size=size), "1")
        if generator.integers(2):
            promise = HighLowLDP(size, np.flatnonzero(np.arange(size) < generator.integers(1, size)), "1")
        cases.append((promise, mechanism, reading, listed(promise, mechanism, reading)))
    by_classes()
    equal = 0
    for promise, mechanism, reading, expected in cases:
        (found,) = measure_of(promise, len(reading)).own(mechanism, reading)
        assert found is None or (expected is not None and found >= expected)
        equal += found == expected
    assert equal > 40


def test_all_that_sensitive_records_are_read_as_is_sensitive(by_classes):
    """The mechanism protects the first of both, and lets the other be seen."""
    reading, promise = np.array([1, 5, 0, 7]), HighLowLDP(4, [0, 1], "1")
    assert listed(promise, CHANNELS["high-low"], reading) is None
    by_classes()
    assert measure_of(promise, 4).own(CHANNELS["high-low"], reading) == [None]


MAP = Record({"home": Categories(range(8)), "smoker": Categories(["no", "yes"])})
TABLE = np.repeat(np.array(BLOCKS), 2)


def largest_loss(likelihood, promise):
    """Of two records that must not be told apart, by fractions."""
    losses = [0.0]
    for record, other in np.ndindex(16, 16):
        if promise.bound(record, other) is not None and likelihood[record]:
            light = likelihood[other]
            losses.append(math.log(likelihood[record] / light) if light else math.inf)
    return max(losses)


@pytest.mark.parametrize("within", ["subset", "randomized", "hadamard"])
def test_answers_about_the_map_and_beside_it_are_counted_as_all_records_have_them(within, by_classes):
    by_classes()
    generator, promise = np.random.default_rng(1), BlockLDP(TABLE, "2")
    queries = [
        Query(Value("home"), Blockwise(BLOCKS, "0.4", within)),
        Query(Values("home", "smoker"), Blockwise(TABLE, "0.5", within)),
        Query(Value("home"), HadamardResponse(8, "0.3")),
        Query(Value("smoker"), RandomizedResponse(2, "0.3")),
    ]
    counts = []
    for _ in range(5):
        asked, likelihood, count = BayesianFilter(MAP, promise), [Fraction(1)] * 16, 0
        for _ in range(30):
            query = queries[int(generator.integers(4))]
            reading = query.index(MAP, MAP.values(np.arange(16)))
            accepted = asked.accepts(query)
            before = largest_loss(likelihood, promise)
            mechanism = query.mechanism
            after = [
                [p * mechanism.weight(x, code) for p, x in zip(likelihood, reading.tolist(), strict=True)]
                for code in range(mechanism.outputs)
            ]
            worst = max(largest_loss(one, promise) for one in after if any(one))
            # No answer passes the promise, and what can be added to what was lost is no more than some answer adds.
            assert worst <= 2 + 1e-9 if accepted else before + asked.charge(query) > 2
            if accepted:
                count += 1
                code = int(generator.choice([code for code, one in enumerate(after) if any(one)]))
                asked, likelihood = asked.after(query, code), after[code]
                assert asked.spent == pytest.approx(largest_loss(likelihood, promise), abs=1e-9)
        counts.append(count)
    # More than epsilons that add up allow.
    assert max(counts) > 8


GRID = np.arange(125)[:, None] // 5 * 70 + np.arange(350) // 5
LARGE = Record({"home": Categories(range(43_750)), "smoker": Categories(["no", "yes"])})


def large_query(epsilon="1"):
    return Query(Value("home"), Blockwise(GRID.ravel(), epsilon, "subset"))


def test_a_map_of_43750_cells_beside_another_attribute_is_counted_by_its_answers():
    start, query = BayesianFilter(LARGE, BlockLDP(np.repeat(GRID.ravel(), 2), "2")), large_query()
    assert start.charge(query) == pytest.approx(1, abs=1e-9)
    outputs = query.mechanism.outputs
    first = (1 << 7) - 1
    told = start.after(query, first)
    assert told.spent == pytest.approx(1, abs=1e-9)
    assert told.after(query, first).spent == pytest.approx(2, abs=1e-9)
    assert not told.after(query, first).accepts(large_query("0.01"))
    # The opposite subset takes back what was told; of another block no record could answer.
    back = told.after(query, first << 7)
    assert back.spent == pytest.approx(1, abs=1e-9)
    with pytest.raises(SordinoError, match="one that some record can give"):
        told.after(query, outputs // 1750 + first)
    # Of a changed record another block may answer, and what was lost adds.
    changed = told.changed().after(query, outputs // 1750 + first)
    assert changed.spent == pytest.approx(2, abs=1e-9)
    assert not changed.accepts(large_query("0.01"))


def test_blocks_that_a_question_divides_are_refused():
    start = BayesianFilter(LARGE, BlockLDP(np.repeat(GRID.ravel() // 2, 2), "2"))
    assert not start.accepts(large_query("0.1"))
    assert start.charge(large_query("0.1")) == math.inf


def test_answers_that_are_out_count_by_what_they_can_add():
    joint = JointFilter.of(BayesianFilter(LARGE, BlockLDP(np.repeat(GRID.ravel(), 2), "2")))
    query = large_query("0.9")
    out = joint.with_query("a", query, pending=True)
    assert out.spent == pytest.approx(0.9, abs=1e-9)
    assert out.remaining == pytest.approx(1.1, abs=1e-9)
    both = out.with_query("b", query, pending=True)
    assert not both.decide(large_query("0.3")).accepted
    assert both.decide(large_query("0.1")).accepted
    code = (1 << 7) - 1
    assert both.with_answer("a", code).spent == pytest.approx(1.8, abs=1e-9)
    assert both.with_answer("a", code).with_answer("b", code << 7).spent == pytest.approx(0.9, abs=1e-9)
    with pytest.raises(SordinoError, match="one that some record can give"):
        both.with_answer("a", code).with_answer("b", query.mechanism.outputs // 1750 + code)
    changed = both.changed().with_answer("b", code)
    assert changed.spent == pytest.approx(1.8, abs=1e-9)
