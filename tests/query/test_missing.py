"""Statistics of complete cases: how they are read, and what whole questions tell of anybody, by enumeration."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from beliefs import worst_beliefs
from sordino import (
    LDP,
    ChannelTable,
    CompleteCase,
    Dependence,
    KeyedSource,
    Nats,
    Number,
    OptionalNumber,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
)
from sordino.audit.answers import answers, certify_queries
from sordino.definition.sampling import sampling_deltas
from sordino.design.numbers.complete_moments import complete_covariance, complete_regression
from sordino.document.queries import freeze_queries, thaw_queries
from sordino.domain.scaled import CODES
from sordino.exact.source import FreshStream
from sordino.query.categorical import CategoryAndSign

NAN = float("nan")
NUMBERS = [NAN, -1.0, 0.3, 1.0]
LEVEL = Nats.of("1.5")


def of_levels(*deltas):
    return [Nats.of(delta) for delta in deltas]


def covariance(deltas=("1.5", "1.5"), missing=None, dependence=None):
    amounts = of_levels(*deltas)
    lacking = {1: 0.2} if missing is None else missing
    return complete_covariance(amounts, LEVEL, dependence or Dependence.unknown(len(amounts)), [0, 1], lacking)


def regression():
    """Of the last number, which may be missing, on a category of three and a number that may be missing."""
    asked = complete_regression([LEVEL] * 3, LEVEL, Dependence.unknown(3), range(3), {1: 0.2, 2: 0.1}, {0: 3})
    return asked, list(product(CODES.scale([0, 1, 2]), NUMBERS, NUMBERS))


def moment(name, record):
    """By hand: a number, a product, or 2 x^2 - 1."""
    one, other = record[name[0]], record[name[-1]]
    if len(name) == 1:
        return one
    return 2 * one * one - 1 if name[0] == name[1] else one * other


def law_by_hand(asked, record, missing):
    """Pr(code | record) of a covariance: a sign with its moment's mean, or the last value if a number is missing."""
    found, total = [], sum(asked.weights)
    for query, weight in zip(asked.queries, asked.weights, strict=True):
        channel, bits = query.mechanism, query.statistic.statistic.bits
        rows = [
            [Fraction(channel.weight(v, code), channel.denominator) for code in range(channel.outputs)]
            for v in range(3)
        ]
        if any(np.isnan(record[place]) for place in missing):
            law = rows[2]
        else:
            plus = (1 + Fraction(moment(bits[0], record))) / 2
            law = [(1 - plus) * minus + plus * own for minus, own in zip(rows[0], rows[1], strict=True)]
        found += [Fraction(weight, total) * part for part in law]
    return found


def law_of(asked, record):
    """The same as it is read, of any question."""
    found, total = [], sum(asked.weights)
    for query, weight in zip(asked.queries, asked.weights, strict=True):
        channel, read = query.mechanism, query.number.law(record)
        found += [
            Fraction(weight, total)
            * sum(
                share * Fraction(channel.weight(v, code), channel.denominator) for v, share in enumerate(read) if share
            )
            for code in range(channel.outputs)
        ]
    return found


@pytest.mark.parametrize("missing", [{1: 0.2}, {0: 0.5, 1: 0.1}])
def test_a_whole_question_tells_no_two_records_apart_by_more_than_its_certificate_says(missing):
    asked = covariance(missing=missing)
    given = [NUMBERS if place in missing else NUMBERS[1:] for place in (0, 1)]
    laws = [law_by_hand(asked, record, missing) for record in product(*given)]
    for law, record in zip(laws, product(*given), strict=True):
        np.testing.assert_allclose(
            [float(a - b) for a, b in zip(law, law_of(asked, record), strict=True)], 0, atol=1e-15
        )
    worst = log(max(a / b for one in laws for other in laws for a, b in zip(one, other, strict=True)))
    certificate = certify_queries(asked, LDP(LEVEL))
    assert certificate.holds
    assert 1.5 * (1 - 1e-9) <= worst <= 1.5 - float(certificate.slack) + 1e-12


def test_a_regression_on_categories_too():
    asked, records = regression()
    laws = np.array([[float(part) for part in law_of(asked, record)] for record in records])
    assert laws.sum(axis=1) == pytest.approx(1)
    assert np.log(laws.max(axis=0) / laws.min(axis=0)).max() <= 1.5 + 1e-12
    lacking = [NAN in record or any(np.isnan(record)) for record in records]
    assert (laws[lacking] == laws[lacking][0]).all(), "which number is missing is never told"


@pytest.mark.parametrize("q", [0.0, 0.1])
def test_a_delta_holds_for_the_worst_belief_about_numbers_and_their_absence(q):
    """Of three attributes the last is not asked; the first has the least delta, and is in every statistic."""
    moments = [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    bounds = Dependence.bounded([1, 1, str(q)], {(2, name): "0" for name in moments})
    asked = complete_covariance(of_levels("0.7", "1.5", "0.2"), LEVEL, bounds, [0, 1], {0: 0.2})
    told = sampling_deltas(answers(asked), bounds)
    records = list(product(NUMBERS, NUMBERS[1:]))
    laws = np.array([[float(part) for part in law_of(asked, record)] for record in records])
    of_last = max(worst_beliefs(column, column, q) for column in laws.T)
    assert log(of_last) <= min(float(told[2]), 0.2) + 1e-9
    if q:
        assert log(of_last) > 0.05, "equal moments do not hide who lacks a number"
    for place, delta in ((0, 0.7), (1, 1.5)):
        # Others may depend on it in any way: the worst belief puts each of its values on one record.
        worst = max(
            laws[i][code] / laws[j][code]
            for i, one in enumerate(records)
            for j, other in enumerate(records)
            for code in range(laws.shape[1])
            if not np.array_equal(one[place], other[place], equal_nan=True)
        )
        assert log(worst) <= min(float(told[place]), delta) + 1e-9


def test_a_bound_for_a_category_with_a_sign_does_not_serve_one_of_complete_cases():
    statistic = CategoryAndSign(0, 2, 1)
    bounds = Dependence.bounded([1, 1, 1])
    bounds = Dependence(bounds.rest, bounds.statistics, category_signs={(2, (0, 1)): Fraction(0)})
    level = Nats.of(1)
    told = {}
    for one in (statistic, CompleteCase(statistic, (1,))):
        told[one] = sampling_deltas(answers(Query(one, RandomizedResponse(one.k, level))), bounds)[2]
    assert [float(delta) for delta in told.values()] == pytest.approx([0, 1])


def test_points_of_complete_cases_are_no_signs_however_many_there_are():
    """Three points and "missing" are as many values as two signs have: that a number is missing is no bit of them."""
    rows = [[8, 4, 2, 1], [4, 8, 1, 2], [2, 1, 8, 4], [1, 2, 4, 8]]
    query = Query(CompleteCase(Number(0, points=3), (0, 1)), ChannelTable(rows))
    told = sampling_deltas(answers(query), Dependence.bounded([0, 0]))
    # Of who has both numbers the first decides which point is read; whoever lacks either is read as the last value.
    worst = log(max(rows[point][code] / rows[3][code] for point in range(3) for code in range(4)))
    assert worst == pytest.approx(log(8))
    assert min(map(float, told)) >= worst - 1e-12


@pytest.mark.parametrize(
    "statistic", [CompleteCase(Product(0, 1), (1, 2)), CompleteCase(Number(0), (1,)), CompleteCase(Product(2, 2), (1,))]
)
def test_what_is_read_counts_as_the_moment_of_complete_cases_and_as_whether_it_is_one(statistic):
    (name, grid), (complete, whole) = statistic.counted_moments
    for record in ([0.5, -0.25, 0.75], [0.5, NAN, 0.75], [0.5, -0.25, 1.0]):
        read = [float(share) for share in statistic.law(record)]
        lacking = any(np.isnan(record[place]) for place in statistic.needed)
        own = 0.0 if lacking else moment(name[:-1], record)
        assert np.dot(read, grid) == pytest.approx(own, abs=1e-15)
        assert np.dot(read, whole) == pytest.approx(-1 if lacking else 1)
        assert complete == (name[-1],)


def test_whoever_lacks_a_number_is_read_as_the_last_value_by_the_words_of_all_others():
    words = np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    drawn = []

    def given(count):
        drawn.append(count)
        return words[:count]

    statistic = CompleteCase(Product(0, 1), (0, 2))
    for record, read in (([0.5, 0.5, NAN], [2, 2, 2]), ([NAN, 0.5, 0.0], [2, 2, 2]), ([1.0, 1.0, 0.0], [1, 1, 1])):
        np.testing.assert_array_equal(statistic.encode(np.array([record] * 3), FreshStream(given, 3)), read)
    assert len(set(drawn)) == 1
    each = (CompleteCase(one, (1,)) for one in (Number(0), Product(0, 1)))
    asked = Sampled(tuple(Query(one, RandomizedResponse(3, "1")) for one in each), (1, 1))
    assert asked.optional == {1}
    assert len(asked.privatize([[0.5, NAN], [1.0, 0.0]])) == 2
    with pytest.raises(SordinoError, match=r"numbers must lie in \[-1, 1\]"):
        asked.privatize([[NAN, 0.0]])


@pytest.mark.parametrize("sampled", [True, False])
def test_a_key_draws_an_incomplete_case_the_same_report_whatever_else_is_known(sampled):
    """What is read is that a number is missing: a second report about that would be a second look at it."""
    coin = RandomizedResponse(3, "1")
    asked = Query(CompleteCase(Number(0), (0, 1)), coin)
    if sampled:
        asked = Sampled((asked, Query(CompleteCase(Product(1, 2), (0, 1)), coin)), (1, 1))
    source = KeyedSource(bytes(32), "task").for_records(np.arange(500))
    records = np.random.default_rng(1).uniform(-1, 1, (500, 3))
    lacking = np.arange(500) % 2 == 0
    records[lacking, np.arange(500)[lacking] % 4 // 2] = NAN
    others = np.where(np.isnan(records), NAN, -records)
    first, second = (asked.privatize(given, source) for given in (records, others))
    np.testing.assert_array_equal(first[lacking], second[lacking])
    # Which of them is missing is not read either.
    np.testing.assert_array_equal(first[lacking], asked.privatize(records[:, [1, 0, 2]], source)[lacking])
    assert np.mean(first[~lacking] != second[~lacking]) > 0.3


def test_places_may_be_listed():
    assert hash(CompleteCase(Number(0), [0, 1])) == hash(CompleteCase(Number(0), (0, 1)))
    with pytest.raises(SordinoError, match="needed of CompleteCase must be a tuple"):
        CompleteCase(Number(0), 1)


def test_documents_hold_them():
    for asked in (covariance(), regression()[0]):
        words = freeze_queries(asked)
        assert freeze_queries(thaw_queries(words)) == words
    assert words["statistics"][-1][0] == "complete-category-sign"
    assert CompleteCase(Product(0, 2), (1,)).with_places({0: 2, 1: 0, 2: 1}) == CompleteCase(Product(1, 2), (0,))


@pytest.mark.parametrize(
    ("statistic", "needed", "rule"),
    [
        (Number(0), (), "must ascend"),
        (Number(0), (1, 0), "must ascend"),
        (Number(0), (1, 1), "must ascend"),
        (OptionalNumber(0), (1,), "of a statistic of numbers that are there"),
        (CompleteCase(Number(0), (0,)), (1,), "of a statistic of numbers that are there"),
        (CategoryAndSign(0, 2, 1), (0,), "of a statistic of numbers that are there"),
    ],
)
def test_what_is_no_such_statistic_is_refused(statistic, needed, rule):
    with pytest.raises(SordinoError, match=rule):
        CompleteCase(statistic, needed)


@pytest.mark.parametrize("call", [["complete-product"], ["complete-product", 1, 0], ["complete-sum", 1, 0, 0]])
def test_documents_that_hold_none_are_refused(call):
    words = freeze_queries(covariance())
    with pytest.raises(SordinoError):
        thaw_queries({**words, "statistics": [call, *words["statistics"][1:]]})


@pytest.mark.parametrize(("deltas", "level_of_the_other"), [(("0.5", "1.5"), 1.5), (("1.5", "0.5"), 0.5)])
def test_what_may_be_missing_is_told_by_every_statistic(deltas, level_of_the_other):
    """Number 1 may be missing: whatever is drawn tells of it, and number 0 is told by its own statistics alone."""
    independent = Dependence.bounded([0, 0])
    asked = covariance(deltas, dependence=independent)
    levels = {answer.places: float(answer.level) for (answer,) in answers(asked)}
    assert levels == pytest.approx({frozenset({0, 1}): 0.5, frozenset({1}): level_of_the_other}, rel=1e-9)
    reached = [float(delta) for delta in sampling_deltas(answers(asked), independent)]
    assert reached == pytest.approx([0.5, level_of_the_other], rel=1e-9)
