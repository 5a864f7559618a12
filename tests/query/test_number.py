"""Statistics of numbers: means of what is read, patterns of signs, arguments of documents, moved places, refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from enumerated import GRID, read_law
from in_one import in_one
from sordino import Number, Product, RandomizedResponse, Scaled, Signs, SordinoError
from sordino.query.number import MOST_POINTS, MOST_SIGNS, statistic_of

STATISTICS = [
    *(Number(0), Number(2), Number(1, 3), Number(0, 4), Number(2, 7), Number(0, 64), Number(1, 100)),
    *(Product(0, 2), Product(1, 1), Signs((1,)), Signs((2, 0)), Signs((0, 1, 2))),
]
each = pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.parameters)
RECORDS = [
    *product(GRID, repeat=3),
    *np.random.default_rng(2).uniform(-1, 1, (30, 3)).tolist(),
    *([2.0**-k, -(2.0**-k), 1 - 2.0**-k] for k in (1, 10, 52, 53)),
    [5e-324, -5e-324, -0.0],
]


def exact(name, record):
    """The moment itself, without a rounding."""
    value = Fraction(record[name[0]])
    if len(name) == 1:
        return value
    value *= Fraction(record[name[1]])
    return 2 * value - 1 if name[0] == name[1] else value


@each
def test_the_law_of_what_is_read_is_that_of_the_definition(statistic):
    for record in RECORDS:
        told, said = statistic.law(record), read_law(statistic, record)
        assert sum(told) == 1
        assert min(told) >= 0
        assert len(told) == statistic.k
        if isinstance(statistic, Number) and statistic.points > 2:
            # In steps between two points: what floats round of 0 to 2.
            near = Fraction(statistic.points, 2**52)
            assert all(abs(one - other) <= near for one, other in zip(told, said, strict=True))
            assert [point for point, share in enumerate(told) if share > near] == [
                point for point, share in enumerate(said) if share > near
            ]
        else:
            assert told == said


@each
def test_the_mean_of_what_is_read_is_the_moment(statistic):
    for record in RECORDS:
        law = statistic.law(record)
        for name, counts in statistic.counted_moments:
            assert len(counts) == statistic.k
            points = (
                [Fraction(2 * v, statistic.k - 1) - 1 for v in range(statistic.k)]
                if isinstance(statistic, Number)
                else [*map(Fraction, counts.tolist())]
            )
            np.testing.assert_allclose(counts, np.array(points, dtype=float), atol=1e-15)
            mean = sum(share * point for share, point in zip(law, points, strict=True))
            assert abs(mean - exact(name, record)) <= Fraction(1, 2**52)


@each
def test_points_are_not_rounded(statistic):
    """A record whose numbers are all points is read as what it is."""
    steps = max(getattr(statistic, "points", 2), 2)
    for point in range(steps):
        number = 2 * point / (steps - 1) - 1
        if (number + 1) * ((steps - 1) / 2) == point:
            law = statistic.law([number] * 3)
            assert max(law) == 1 or isinstance(statistic, Product)


@pytest.mark.parametrize("places", [(0,), (2, 0), (1, 2, 0), (3, 1, 0, 2)])
def test_bit_c_is_the_sign_of_the_number_at_place_c(places):
    statistic = Signs(places)
    for record in product((-1.0, 1.0), repeat=4):
        value = sum((record[place] > 0) << c for c, place in enumerate(places))
        assert statistic.law(record) == [Fraction(int(v == value)) for v in range(2 ** len(places))]
        assert [(name, counts[value]) for name, counts in statistic.counted_moments] == [
            ((p,), record[p]) for p in places
        ]


@each
def test_arguments_make_the_same_statistic(statistic):
    again = type(statistic).of(statistic.arguments)
    assert again == statistic
    assert again.parameters == statistic.parameters
    assert [other.parameters for other in STATISTICS].count(statistic.parameters) == 1
    assert statistic.d == 1 + max(statistic.places)
    # It depends on its own places only.
    base = [0.3, -0.6, 0.9]
    for place in range(3):
        moved = [0.1 if j == place else number for j, number in enumerate(base)]
        assert (statistic.law(moved) != statistic.law(base)) == (place in statistic.places)


@each
def test_a_moved_statistic_reads_the_same_of_a_moved_record(statistic):
    for order in ((2, 0, 1), (1, 0, 2), (0, 2, 1)):
        moved = statistic.with_places(dict(enumerate(order)))
        for record in RECORDS[::17]:
            elsewhere = [0.0] * 3
            for old, new in enumerate(order):
                elsewhere[new] = record[old]
            assert moved.law(elsewhere) == statistic.law(record)
        assert (moved.k, type(moved)) == (statistic.k, type(statistic))


def test_only_two_values_are_linear_in_their_moment():
    assert [s.k == 2 for s in STATISTICS] == [s.linear for s in STATISTICS]
    # Three points are not: records of one mean have other laws.
    first, second = (
        [Fraction(a + b, 2) for a, b in zip(*laws, strict=True)]
        for laws in (
            (Number(0, 3).law([-1.0]), Number(0, 3).law([1.0])),
            (Number(0, 3).law([0.0]), Number(0, 3).law([0.0])),
        )
    )
    assert first != second
    for statistic in (Number(0), Product(0, 1), Signs((0,))):
        for number in GRID:
            low, high = (statistic.law([end, 1.0]) for end in (-1.0, 1.0))
            share = Fraction((Fraction(number) + 1) / 2)
            for code, found in enumerate(statistic.law([number, 1.0])):
                assert abs(found - (1 - share) * low[code] - share * high[code]) <= Fraction(1, 2**63)


@in_one(
    "build, words",
    [
        *((lambda p=p: Number(p), "places must be whole numbers") for p in (-1, 2**20, 1.0, "0", None, True)),
        *((lambda p=p: Number(0, p), "2 to 128 points") for p in (0, 1, -3, 129, 2.0, "3", None, True)),
        *((lambda p=p: Product(*p), "places must be whole numbers") for p in ((-1, 0), (0, 2**20), (0, 1.0))),
        (lambda: Product(1, 0), "places of a product must ascend"),
        *((lambda p=p: Signs(p), "1 to 12 different numbers") for p in ((), (0, 0), tuple(range(13)))),
        *((lambda p=p: Signs(p), "places must be whole numbers") for p in ((-1,), (0, 2**20), (0, 1.0), (True,))),
        *((lambda a=a: Number.of(a), "Number takes place, points") for a in ((), (0, 2, 3))),
        *((lambda a=a: Product.of(a), "Product takes first, second") for a in ((), (0,), (0, 1, 2))),
        (lambda: Signs.of(()), "1 to 12 different numbers"),
    ],
)
def test_what_makes_no_statistic_is_refused(build, words):
    with pytest.raises(SordinoError, match=words):
        build()


def test_the_largest_are_taken():
    assert Number(2**20 - 1, MOST_POINTS).k == 128
    assert Signs(tuple(range(MOST_SIGNS))).k == 4096
    assert statistic_of((3,)) == Number(3)
    assert (statistic_of((0, 1)), statistic_of((2, 2))) == (Product(0, 1), Product(2, 2))


@each
def test_records_are_looked_at_and_channels_compared(statistic):
    good = RandomizedResponse(statistic.k, "1")
    records = np.zeros((3, 4))
    np.testing.assert_array_equal(statistic.check_values(records, good), records)
    np.testing.assert_array_equal(statistic.check_values(Scaled.of(records), good), records)
    with pytest.raises(SordinoError, match=f"the {statistic.k} values of its statistic; found {statistic.k + 1}"):
        statistic.check_values(records, RandomizedResponse(statistic.k + 1, "1"))
    if statistic.d > 1:
        with pytest.raises(SordinoError, match=f"rows of {statistic.d} numbers"):
            statistic.check_values(records[:, : statistic.d - 1], good)
    records[2, 3] = 1.5
    with pytest.raises(SordinoError, match="found a number out of range in record 2, number 3"):
        statistic.check_values(records, good)
