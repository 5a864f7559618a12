"""Categories together with a number's sign, or with each other: what is read, by a law that is written out here."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import Number, Product, Query, RandomizedResponse, Sampled, Signs, SordinoError
from sordino.domain.scaled import CODES, MOST_CATEGORIES, categories_of
from sordino.query.categorical import BinaryProduct, CategoryAndSign, TwoCategories

REPORTS = 60_000


def coded(index):
    return index / 2**20


@pytest.mark.parametrize("k", [2, 3, MOST_CATEGORIES])
def test_every_category_is_read_as_itself(k):
    assert categories_of(CODES.scale(np.arange(k)), k).tolist() == list(range(k))


def test_a_category_is_never_rounded_and_a_number_to_a_sign_with_its_mean():
    query = Query(CategoryAndSign(1, 3, 0), RandomizedResponse(6, "2"))
    for category, number in product(range(3), (-1.0, -0.25, 0.0, 0.5, 1.0)):
        plus = (1 + Fraction(number)) / 2
        law = [Fraction(0)] * 6
        law[2 * category], law[2 * category + 1] = 1 - plus, plus
        assert query.statistic.law([number, coded(category)]) == law


def test_two_categories_are_one_value():
    statistic = TwoCategories(2, 3, 0, 4)
    for first, second in product(range(3), range(4)):
        law = statistic.law([coded(second), 0.3, coded(first)])
        assert (law.index(1), sum(law)) == (4 * first + second, 1)


def test_a_product_with_a_category_of_two_is_a_sign_with_its_mean():
    for category, number in product(range(2), (-1.0, -0.25, 0.0, 0.5, 1.0)):
        plus = (1 + (2 * category - 1) * Fraction(number)) / 2
        assert BinaryProduct(1, 0, 1).law([number, coded(category)]) == [1 - plus, plus]
    for one, other in product(range(2), range(2)):
        law = BinaryProduct(0, 2, 2).law([coded(one), 0.3, coded(other)])
        assert law == ([0, 1] if one == other else [1, 0])


def law_of(asked, record):
    parts = zip(asked.queries, asked.weights, strict=True)
    law = np.array([float(share) * weight for query, weight in parts for share in query.law(record)])
    return law / sum(asked.weights)


def test_samplers_send_each_code_as_often_as_the_law_says():
    """Alike queries are answered together, of different places; each group of people has one record."""
    asked = Sampled(
        (
            Query(CategoryAndSign(1, 3, 0), RandomizedResponse(6, "2")),
            Query(CategoryAndSign(2, 3, 0), RandomizedResponse(6, "2")),
            Query(TwoCategories(1, 3, 2, 3), RandomizedResponse(9, "1")),
            Query(TwoCategories(2, 3, 1, 3), RandomizedResponse(9, "1")),
            Query(Number(0), RandomizedResponse(2, "1")),
            Query(BinaryProduct(3, 0, 1), RandomizedResponse(2, "1")),
            Query(BinaryProduct(4, 3, 2), RandomizedResponse(2, "2")),
            Query(BinaryProduct(3, 4, 2), RandomizedResponse(2, "1")),
        ),
        (2, 1, 1, 1, 1, 2, 1, 1),
    )
    records = [0.5, coded(2), coded(0), coded(1), coded(0)], [-0.5, coded(1), coded(2), coded(0), coded(0)]
    for record, wrong in zip(records, records[::-1], strict=True):
        codes = asked.privatize(np.tile(record, (REPORTS, 1)))
        counts = np.bincount(codes.astype(np.intp), minlength=asked.outputs)
        for other, alike in ((record, True), (wrong, False)):
            law = REPORTS * law_of(asked, other)
            # The power of it: another record's law is off by more somewhere.
            assert (np.abs(counts - law) < 6.5 * np.sqrt(law)).all() == alike


def test_what_stands_at_a_place_is_read_in_one_way():
    both = Query(CategoryAndSign(0, 2, 1), RandomizedResponse(4, "1"))
    assert dict(Sampled((both,), (1,)).category_counts) == {0: 2}
    others = Query(CategoryAndSign(0, 3, 1), RandomizedResponse(6, "1"))
    sign = Query(Product(0, 1), RandomizedResponse(2, "1"))
    for wrong in (others, sign):
        with pytest.raises(SordinoError, match="read an attribute in the same way"):
            _ = Sampled((both, wrong), (1, 1)).category_counts


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: CategoryAndSign(1, 2, 1), "two attributes"),
        (lambda: TwoCategories(0, 2, 0, 2), "two attributes"),
        (lambda: CategoryAndSign(0, 1, 1), "2 to 64 categories"),
        (lambda: TwoCategories(0, 2, 1, MOST_CATEGORIES + 1), "2 to 64 categories"),
        (lambda: CategoryAndSign(-1, 2, 1), "places must be"),
        (lambda: BinaryProduct(0, 0, 1), "two attributes"),
        (lambda: BinaryProduct(0, 1, 3), "one or two of two"),
        (lambda: Signs((0, 1)).shares(np.zeros((1, 2))), "mean law"),
    ],
)
def test_what_is_no_such_statistic_is_refused(make, match):
    with pytest.raises(SordinoError, match=match):
        make()


def test_the_mean_law_is_that_of_the_records():
    draw = np.random.default_rng(3)
    records = np.column_stack([draw.uniform(-1, 1, 50), *(coded(draw.integers(k, size=50)) for k in (3, 2, 2))])
    kinds = CategoryAndSign(1, 3, 0), TwoCategories(2, 2, 1, 3), BinaryProduct(2, 0, 1), BinaryProduct(2, 3, 2)
    for statistic in (*kinds, Product(0, 0), Number(0), Number(0, 5)):
        laws = np.array([[float(share) for share in statistic.law(record)] for record in records])
        assert statistic.shares(records) == pytest.approx(laws.mean(axis=0))
