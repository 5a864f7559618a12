"""What a program told numpy to do about tiny, huge and missing numbers changes no decision, answer or refusal."""

import warnings
from functools import partial

import numpy as np
import pytest

from chances import chances
from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    BlockLDP,
    Box,
    Categories,
    ChannelTable,
    CoordinateDP,
    Grid,
    HadamardResponse,
    HighLowLDP,
    Interval,
    KeyedSource,
    LinearQuery,
    LogisticQuery,
    Odometer,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    TruncatedLinearQuery,
    Value,
    Values,
    realized_loss,
)
from sordino.domain.scaled import Ranges
from sordino.papers.bayesian_filter.interaction import answers
from sordino.words.explain_filter import left_sentences

TINY = np.nextafter(0, 1)
"""The least float above 0: whatever it is multiplied with is next to nothing."""

KEY = bytes(range(32))
"""Of a source that repeats its words."""


def coefficients(rng, d):
    """Ordinary ones, some 0, some next to nothing, some as large as they may be."""
    sizes = rng.choice([1.0, 0.0, 1e-150, 1e-290, 1e-310, TINY, 1e60], size=d, p=[0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    return rng.choice([-1, 1], d) * sizes * rng.choice([1.0, 0.7, 1e-3], d)


def question(rng, box):
    """Any kind of question about a box, at the edge of what floats can tell or far from it."""
    theta, intercept = coefficients(rng, box.d), float(coefficients(rng, 1)[0])
    epsilon = str(rng.choice(["0.001", "0.3", "2", "40"]))
    kind = rng.integers(3)
    if kind == 0:
        return LogisticQuery(theta, intercept, epsilon)
    middle, reach = float(theta @ box.centre) + intercept, float(np.abs(theta) @ box.reach)
    ends = middle - reach, middle + reach
    if rng.random() < 0.3:
        ends = (0.0, float(rng.choice([1e-60, 1.0, 1e60])))
    return (LinearQuery if kind == 1 else TruncatedLinearQuery)(theta, intercept, *ends, epsilon)


def boxes(rng):
    """Boxes around 0, away from it, tiny and huge."""
    d, size = int(rng.integers(1, 4)), float(rng.choice([1.0, 1e-55, 1e55]))
    low = rng.choice([0.0, -size, size], d)
    return Box(low, low + size * rng.choice([1.0, 0.3], d))


def promises(d):
    """All that is offered on a box, each with the size of the groups of answers that are bounded together."""
    rest = ["0.5"] * d
    return (
        (LDP("2"), None),
        (LDP("2"), 1),
        (CoordinateDP(["0.5", *["2"] * (d - 1)]), None),
        (BayesianCoordinateDP.bounded(["1"] * d, "2", rest), None),
    )


def told(function):
    """What somebody sees: a result, or a refusal in words."""
    try:
        return function()
    except SordinoError as error:
        return str(error)


def strictly(function):
    """The same where numpy raises, and every warning is an error."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        return function()


def followed(start, queries):
    """All that a filter says of queries and of each answer, in order; refused ones are counted all the same."""
    said, state = [], start
    for place, query in enumerate(queries):
        decision = told(lambda state=state, query=query: state.decide(query))
        if isinstance(decision, str):
            said.append(decision)
            continue
        take = state.after if decision.accepted else state.with_answer
        then = [take(query, code) for code in range(query.outputs)]
        said += [decision.accepted, decision.loss, str(told(lambda query=query: start.epsilon_of(query)))]
        said += [(one.spent, one.remaining, one.binding, one.realized_loss, left_sentences(one)) for one in then]
        said.append(told(lambda asked=queries[: place + 1]: start.accepts_all(asked)) if place < 2 else None)
        state = then[place % len(then)]
    return said


def streams(seed, count, draw=question):
    """Boxes, each with a few queries that can be made at all."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        box, queries = boxes(rng), []
        while len(queries) < 3:
            try:
                queries.append(draw(rng, box))
            except SordinoError:
                continue
        yield box, queries, rng


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_a_filter_over_a_box_decides_and_counts_whatever_numpy_is_told(rule):
    refused, accepted = compared(rule, streams(11, 2))
    assert refused > 0
    assert accepted > 0


@pytest.mark.long
@pytest.mark.parametrize("rule", ["full", "simplified"])
def test_many_filters_over_boxes_decide_and_count_whatever_numpy_is_told(rule):
    compared(rule, streams(14, 100))


def compared(rule, cases):
    """Of how many filters some query was refused, and of how many one was accepted; all alike both ways."""
    refused = accepted = 0
    for box, queries, _ in cases:
        for promise, group in promises(box.d):
            run = partial(followed_afresh, box, queries, promise, rule, group)
            plain = run()
            assert plain == strictly(run)
            refused, accepted = refused + any(type(one) is str for one in plain), accepted + (True in plain)
    return refused, accepted


def followed_afresh(box, queries, promise, rule, group):
    """By a box and a filter that have worked out nothing yet; the limit on the work is small."""
    return followed(BayesianFilter(Box(box.low, box.high), promise, rule, nodes=20, group=group), queries)


def counts(box, queries):
    """What odometers and `realized_loss` say of all answers 1."""
    fitting = [query for query in queries if not isinstance(told(lambda query=query: query.evidence(box, 1)), str)]
    odometer = Odometer(box, CoordinateDP(["1"] * box.d))
    for query in fitting:
        odometer = odometer.after(query, 1)
    return odometer.readings, realized_loss(box, fitting, [1] * len(fitting), nodes=20)


def test_odometers_count_whatever_numpy_is_told():
    for box, queries, _ in streams(12, 10):
        again = Box(box.low, box.high)
        assert counts(box, queries) == strictly(lambda again=again, queries=queries: counts(again, queries))


def answer(box, record, query):
    """The answer that a key gives."""
    return answers(box, record, KeyedSource(KEY, "steady").for_records(["anybody"]))(query)


@pytest.mark.parametrize("rounds", [16, pytest.param(40, marks=pytest.mark.long)])
def test_records_of_a_box_answer_whatever_numpy_is_told(rounds):
    for box, queries, rng in streams(13, rounds):
        low, high = np.array(box.low), np.array(box.high)
        records = np.clip(rng.choice([0.0, TINY, -TINY, 1e-200, 1.0], (6, box.d)) * high, low, high)
        for query in queries:
            for run in (partial(query.model.statistic, records), partial(chances, query, records)):
                np.testing.assert_array_equal(run(), strictly(run))
            for record in records:
                ask = partial(answer, box, record, query)
                assert told(ask) == strictly(partial(told, ask))


def test_numbers_are_scaled_and_placed_whatever_numpy_is_told():
    far = np.array([[TINY], [-TINY], [1e-310], [0.0], [1e-300]])
    grid = Grid(south=0, north=0.5, west=0, east=0.25, rows=1, columns=3)
    for run in (
        lambda: Ranges.of({"tiny": (-1e-250, 1e-300)}).scale(far),
        lambda: Ranges.of({"tiny": (-1e-308, 1e-300)}).scale(far),
        lambda: Interval(-1e60, 1e60).scale(far),
        lambda: grid.locate(np.abs(far[:, 0]), np.abs(far[::-1, 0])),
        lambda: Box([-1], [1]).check_records(far),
        lambda: told(lambda: Box([-1], [1]).check_records(np.array([np.longdouble(10) ** 400]))),
        lambda: told(lambda: LogisticQuery([1.0], 0, "1").privatize(np.array([np.longdouble(10) ** 400]))),
    ):
        np.testing.assert_array_equal(run(), strictly(run))


def finite():
    """Domains of values and attributes, what is promised, and queries of all kinds."""
    three, two = Categories(["a", "b", "c"]), Categories(["x", "y"])
    tables = [ChannelTable([[2, 0], [0, 2], [1, 1]]), ChannelTable([[2**60, 1], [1, 2**60], [2**59, 2**59 + 1]])]
    responses = [RandomizedResponse(3, epsilon) for epsilon in ("0.001", "1", "40")]
    single = [*responses, HadamardResponse(3, "1"), *tables, RandomizedResponse(2, "1")]
    for promise in (LDP("2"), BlockLDP([[0, 1], [2]], "2"), HighLowLDP(3, [0], "2")):
        yield three, promise, single
    small = Record({"abc": three, "xy": two})
    large = Record({"abc": three, "xy": two} | {f"more {j}": two for j in range(10)})
    for record in (small, large):
        asked = [
            Query(Value("abc"), RandomizedResponse(3, "1")),
            Query(Values("xy", "abc"), RandomizedResponse(6, "0.5")),
            Query(Value("xy"), RandomizedResponse(2, "40")),
        ]
        rest = ["0.5"] * record.d
        yield record, LDP("2"), asked
        yield record, CoordinateDP(["1"] * record.d), asked
        yield record, BayesianCoordinateDP.bounded(["1"] * record.d, "2", rest), asked


def test_filters_over_values_and_attributes_decide_and_count_whatever_numpy_is_told():
    for domain, promise, queries in finite():
        for asked in (queries[:3], queries[3:]):
            run = partial(followed, BayesianFilter(domain, promise), asked)
            assert run() == strictly(partial(followed, BayesianFilter(domain, promise), asked))
