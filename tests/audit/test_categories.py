"""What queries about categories tell: every bound holds for every prior within the dependence, by enumeration.

The record is a category of two, one of three, and a number of three values. The channel of a report is written out over
all 18 records; a prior is any distribution of these. What it knows of an attribute is worked out from the prior alone.
"""

from itertools import product

import numpy as np
import pytest

from sordino import Dependence, Query, RandomizedResponse, Sampled
from sordino.audit.answers import answers
from sordino.definition.sampling import sampling_deltas
from sordino.query.categorical import BinaryProduct, CategoryAndSign, TwoCategories

SHAPE = 2, 3, 3
NUMBERS = -1.0, 0.0, 1.0
RECORDS = [[a / 2**20, b / 2**20, NUMBERS[x]] for a, b, x in product(*map(range, SHAPE))]
ROUNDING = 1e-9

SIGN_OF_FIRST = Query(CategoryAndSign(0, 2, 2), RandomizedResponse(4, "2"))
SIGN_OF_SECOND = Query(CategoryAndSign(1, 3, 2), RandomizedResponse(6, "3/2"))
PRODUCT = Query(BinaryProduct(0, 2, 1), RandomizedResponse(2, "2"))
BOTH = Query(TwoCategories(0, 2, 1, 3), RandomizedResponse(6, "1"))
QUERIES = {
    "first": [SIGN_OF_FIRST],
    "second": [SIGN_OF_SECOND],
    "both": [BOTH],
    "product": [PRODUCT],
    "all": [SIGN_OF_FIRST, SIGN_OF_SECOND, BOTH],
}


def channel(queries):
    """Pr(code | record), a row for each record; the draw is public, so that codes of all queries stand side by side."""
    rows = [[float(p) for query in queries for p in query.law(record)] for record in RECORDS]
    return np.array(rows).reshape(*SHAPE, -1)


def told(prior, dense, i):
    """The largest log-ratio of a code's probabilities given two values of attribute i."""
    moved = np.moveaxis(prior, i, 0).reshape(SHAPE[i], -1)
    rows = np.moveaxis(dense, i, 0).reshape(SHAPE[i], moved.shape[1], -1)
    given = np.einsum("ar,arc->ac", moved / moved.sum(axis=1, keepdims=True), rows)
    return float(np.log(given.max(axis=0) / given.min(axis=0)).max())


def variation(prior, i, places):
    """The largest total variation between the laws of some attributes together, given two values of attribute i."""
    others = tuple(place for place in range(3) if place not in (i, *places))
    law = np.moveaxis(prior.sum(axis=others, keepdims=True), i, 0).reshape(SHAPE[i], -1)
    law = law / law.sum(axis=1, keepdims=True)
    return max(float(np.abs(one - other).sum() / 2) for one in law for other in law)


def sign_variation(prior, i, category):
    """The same of a category with the number's sign, whose law is written out: of the two signs of every category."""
    plus = np.array([(1 + number) / 2 for number in NUMBERS])
    moved = np.moveaxis(prior, (i, category, 2), (0, 1, 2))
    law = np.concatenate([moved @ plus, moved @ (1 - plus)], axis=1) / moved.sum(axis=(1, 2))[:, None]
    return max(float(np.abs(one - other).sum() / 2) for one in law for other in law)


def priors():
    draw = np.random.default_rng(7)
    for sharp in (0.05, 0.3, 1.0, 5.0):
        for _ in range(60):
            yield draw.dirichlet(np.full(18, sharp)).reshape(SHAPE) * (1 - 1e-9) + 1e-9 / 18
    # Extremes: the rest the same for all values of an attribute but for a part q.
    for q in (0.05, 0.3):
        base = draw.dirichlet(np.ones(9)).reshape(3, 3)
        for i in (0, 1):
            spiked = np.zeros(SHAPE)
            for value in range(SHAPE[i]):
                moved = np.moveaxis(spiked, i, 0)
                law = (1 - q) * (base[:2] / base[:2].sum() if i == 1 else base)
                law[-1 if value else 0, -1 if value else 0] += q
                moved[value] = law / SHAPE[i]
            yield spiked + 1e-12


def bound(number):
    return str(np.format_float_positional(min(1.0, number + 1e-9), precision=12, trim="k"))


@pytest.mark.parametrize("name", QUERIES)
def test_no_prior_within_the_bounds_learns_more(name):
    queries = QUERIES[name]
    dense = channel(queries)
    asked = Sampled(tuple(queries), (1,) * len(queries))
    close, lower = 0.0, 0
    for prior in priors():
        rest = [bound(variation(prior, i, [j for j in range(3) if j != i])) for i in range(3)]
        table = {(2, (0, 1)): Dependence.bounded([bound(variation(prior, 2, (0, 1)))]).rest[0]}
        signs = {(i, (1 - i, 2)): Dependence.bounded([bound(sign_variation(prior, i, 1 - i))]).rest[0] for i in (0, 1)}
        known = Dependence(Dependence.bounded(rest).rest, {}, table, {}, signs)
        lower += sum(known.of_category_sign(i, pair) < known.of_rest(i) for i, pair in signs)
        for i, most in enumerate(sampling_deltas(answers(asked), known)):
            found = told(prior, dense, i)
            assert found <= float(most.floor()) + ROUNDING
            close = max(close, found / float(most.floor()))
    assert close > 0.9
    # These bounds are smaller than those for all others together, and serve.
    assert lower > 100


@pytest.mark.parametrize("query", [SIGN_OF_FIRST, PRODUCT], ids=["read together", "product"])
def test_a_pair_tells_what_neither_of_its_parts_does(query):
    """Whether the number's sign goes with the first category is the second one: each two of them are independent."""
    prior = np.zeros(SHAPE)
    for a, x in product(range(2), (0, 2)):
        prior[a, int((x == 2) != (a == 1)), x] = 1
        prior[a, 2, x] = 1 / 2
    prior = prior / prior.sum()
    assert max(variation(prior, 1, (0,)), variation(prior, 1, (2,))) < ROUNDING
    # Bounds for each part, and for a product of numbers, serve no answer about both.
    known = Dependence.bounded([1, 1, 1], {(1, (0,)): 0, (1, (2,)): 0, (1, (0, 2)): 0})
    reached = float(sampling_deltas(answers(Sampled((query,), (1,))), known)[1].floor())
    assert 1 < told(prior, channel([query]), 1) <= reached + ROUNDING
    assert reached == pytest.approx(2)


def test_a_category_is_never_taken_for_a_sign():
    """A channel that flips bits by a table says nothing of how a category is rounded: it is not."""
    ((answer,),) = answers(Sampled((SIGN_OF_FIRST,), (1,)))
    assert (answer.errors, answer.linear, answer.table, answer.signed) == ((), False, False, True)
    assert answer.statistics == ((0,), (2,))
    ((both,),) = answers(Sampled((Query(TwoCategories(0, 2, 1, 2), RandomizedResponse(4, "1")),), (1,)))
    assert (both.errors, both.linear, both.table, both.signed) == ((), False, True, False)
    for categories in (1, 2):
        ((bit,),) = answers(Query(BinaryProduct(0, 1, categories), RandomizedResponse(2, "1")))
        assert (bit.statistics, bit.linear) == (((0,), (1,)), False)
        assert (bit.table, bit.signed) == (categories == 2, categories == 1)
