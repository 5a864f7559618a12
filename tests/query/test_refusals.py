"""Whether a query is answered, and in which words it is not, depends on the query and the box, never on the record."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from chances import chances
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    LinearQuery,
    LogisticQuery,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    TruncatedLinearQuery,
    Value,
    realized_loss,
)
from sordino.exact.coin import WORD
from sordino.papers.bayesian_filter.interaction import answers

UNIT_BOX = Box([0], [1])
SECRETS = (0.731234567891, 0.9199, 0.5123, 0.01)


def boxes(rng):
    """Boxes of one to three numbers: large, small and far from 0."""
    d = int(rng.integers(1, 4))
    low = rng.normal(size=d) * 10.0 ** rng.uniform(-6, 6)
    return Box(low, low + np.abs(low) * 10.0 ** rng.uniform(-9, 3) + 10.0 ** rng.uniform(-9, 3))


def records_of(box, rng):
    """Corners, numbers next to them, middles and points at random."""
    low, high = np.array(box.low), np.array(box.high)
    shape = 24, box.d
    corners = np.where(rng.random(shape) < 0.5, low, high)
    inward = np.where(corners == low, np.nextafter(low, high), np.nextafter(high, low))
    within = np.clip(low + (high - low) * rng.random(shape), low, high)
    mixed = np.where(rng.random(shape) < 0.5, corners, within)
    return np.vstack((low, high, np.clip(box.centre, low, high), corners, inward, within, mixed))


def crafted(rng, box):
    """A linear query made to fit by rounding: a huge intercept that is the upper end."""
    high = 2.0 ** rng.integers(40, 70)
    theta = high / 2**53 * 2.0 ** rng.integers(-3, 4) / (box.low[0] + (box.high[0] - box.low[0]) * rng.random() or 1)
    return LinearQuery([theta, *[0.0] * (box.d - 1)], high, high - high * 2.0 ** -rng.integers(5, 45), high, "0.001")


def tight(rng, box):
    """A linear query whose ends are computed in floats, some moved inward by up to what is forgiven, or more."""
    theta = rng.normal(size=box.d) * 10.0 ** rng.uniform(-6, 6)
    middle, reach = float(theta @ box.centre), float(np.abs(theta) @ box.reach)
    intercept = reach * rng.choice([0, 1e-3, 1e3, 1e6, 1e9]) * rng.normal()
    cut = reach * rng.choice([0, 1e-16, 1e-12, 1e-9, 1.9e-9, 2e-9, 1e-6])
    low, high = middle + intercept - reach + cut, middle + intercept + reach - cut
    return LinearQuery(theta, intercept, low, high, str(rng.choice(["0.001", "1", "40"])))


def extreme(rng, box):
    """Any kind, with coefficients as large and as small as they may be."""
    theta, intercept = (rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-60, 60, n) for n in (box.d, 1))
    if rng.random() < 0.3:
        return LogisticQuery(theta, intercept[0], "2")
    width = 10.0 ** rng.uniform(-60, 60)
    low = float(rng.choice([0.0, intercept[0], -width / 2]))
    kind = LinearQuery if rng.random() < 0.5 else TruncatedLinearQuery
    return kind(theta, intercept[0], low, min(low + width, 1e60), "2")


def outcome(query, box, record):
    """What somebody sees who asks: a refusal in words, or an answer."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        try:
            assert answers(box, record)(query) in (0, 1)
        except SordinoError as error:
            return str(error)
    return "an answer"


def drawn(draw, count, seed):
    """Some queries with a box for each; what cannot be built is refused before there is a record."""
    rng = np.random.default_rng(seed)
    made = []
    while len(made) < count:
        box = boxes(rng)
        try:
            made.append((draw(rng, box), box, records_of(box, rng)))
        except SordinoError:
            continue
    return made


@pytest.mark.parametrize("draw", [crafted, tight, pytest.param(extreme, marks=pytest.mark.long)])
def test_all_records_of_a_box_answer_or_none(draw):
    seen = set()
    for query, box, records in drawn(draw, 50, 7):
        seen |= (found := {outcome(query, box, record) for record in records})
        assert len(found) == 1, (query, box)
        fits = found == {"an answer"}
        if not fits:
            with pytest.raises(SordinoError):
                query.model.require_fit(box)
            with pytest.raises(SordinoError):
                BayesianFilter(box, LDP("50")).accepts(query)
        # By itself a query knows no box: what lies beyond the range counts as its end.
        query.privatize(records)
        most = Fraction(query.mechanism.threshold, WORD)
        assert all(1 - most <= one <= most for one in chances(query, records))
    assert "an answer" in seen
    assert len(seen) > 1 or draw is extreme


def test_no_bisection_by_refusals():
    """A huge intercept hides in the rounding that t and what is above it do not fit: once, that read the record."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        query = LinearQuery([128 / middle], 2.0**60, 2.0**60 - 2**20, 2.0**60, "0.000001")
        (found,) = {outcome(query, UNIT_BOX, [secret]) for secret in SECRETS}
        assert "known to a billionth of its range" in found
        with pytest.raises(SordinoError, match="known to a billionth"):
            BayesianFilter(UNIT_BOX, LDP("1")).accepts(query)
        assert len(query.privatize([[secret] for secret in SECRETS])) == len(SECRETS)
        low, high = (middle, high) if SECRETS[0] > middle else (low, middle)


def test_what_lies_beyond_the_range_counts_as_its_end():
    query = LinearQuery([1.0], 0, -1, 1, "1")
    ends = chances(query, [[-1.0], [1.0]])
    assert chances(query, [[-1e60], [-1.5], [1.5], [1e60]]) == [ends[0]] * 2 + [ends[1]] * 2
    assert len(query.privatize([[0.5], [1.7731]])) == 2


def test_a_record_outside_the_box_is_refused_whatever_is_asked():
    for record, words in (([0.5, 1.7731], "records must lie in the box"), ([0, math.nan], "finite numbers")):
        with pytest.raises(SordinoError, match=words) as refusal:
            answers(Box([0, 0], [1, 1]), record)
        assert "7731" not in str(refusal.value)
    for domain, record in ((Categories(["a", "b"]), 2), (Record({"a": Categories(["x", "y"])}), [2])):
        with pytest.raises(SordinoError, match=r"must lie in 0\.\.1|index of one of 2"):
            answers(domain, record)


def test_queries_about_categories_are_refused_to_all_records_alike():
    abc = Categories(["a", "b", "c"])
    both = Record({"abc": abc, "xy": Categories(["x", "y"])})
    for domain, records, queries in (
        (abc, [0, 1, 2], [RandomizedResponse(2, "1"), RandomizedResponse(4, "1"), LogisticQuery([1], 0, "1")]),
        (both, [[a, b] for a in range(3) for b in range(2)], [Query(Value("abc"), RandomizedResponse(2, "1"))]),
        (both, [[a, b] for a in range(3) for b in range(2)], [RandomizedResponse(5, "1")]),
    ):
        for query in queries:
            (found,) = {outcome(query, domain, record) for record in records}
            assert found != "an answer"


def log_ratio(query, codes, records):
    """The loss that some records really have, from the integers that are compared."""
    weights = [Fraction(1)] * len(records)
    for asked, code in zip(query, codes, strict=True):
        ones = chances(asked, records)
        weights = [weight * (one if code else 1 - one) for weight, one in zip(weights, ones, strict=True)]
    return math.log(max(weights) / min(weights))


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.long)])
def test_evidence_covers_what_is_cut_off_at_the_edge_of_what_fits(count):
    rng, fitting = np.random.default_rng(5), 0
    while fitting < count:
        box = boxes(rng)
        asked = [edge(rng, box) for _ in range(int(rng.integers(1, 4)))]
        try:
            for query in asked:
                query.model.require_fit(box)
        except SordinoError:
            continue
        fitting += 1
        codes = rng.integers(0, 2, len(asked)).tolist()
        told = log_ratio(asked, codes, records_of(box, rng))
        for nodes in (0, 200):
            assert told <= realized_loss(box, asked, codes, nodes=nodes).upper + 1e-14


def edge(rng, box):
    """A linear query nearly too far out, or nearly too much rounded."""
    theta = rng.normal(size=box.d)
    middle, reach = float(theta @ box.centre), float(np.abs(theta) @ box.reach)
    intercept = reach * 10.0 ** rng.uniform(0, 5.2) * rng.choice([-1, 0, 1])
    cut = 2e-9 * reach * rng.choice([0, 0.5, 0.9, 0.99])
    low, high = middle + intercept - reach + cut, middle + intercept + reach - cut
    return LinearQuery(theta, intercept, low, high, str(rng.choice(["0.001", "1", "10", "20.6", "25", "44"])))
