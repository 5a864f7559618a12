"""The sampling rule and the mixture rule against beliefs that a linear program finds, exact laws and known values."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from in_one import in_one
from sordino import Dependence, Nats, SordinoError
from sordino.definition.sampling import (
    Answer,
    dependent_loss,
    largest_level,
    sampling_deltas,
    sampling_level,
    table_loss,
)

Q = ("0", "0.001", "1/20", "0.2", "0.6", "1")
LEVELS = ("0", "1e-30", "0.01", "ln 3", "2", "1 + ln 5", "40")


def exact(amount):
    """An amount with 60 digits."""
    mpmath.mp.dps = 60
    read = Nats.of(amount)
    return mpmath.mpf(read.rational.numerator) / read.rational.denominator + mpmath.log(
        mpmath.mpf(read.ratio.numerator) / read.ratio.denominator
    )


def answer(level, *statistics):
    return Answer(tuple(statistics), Nats.of(level), linear=len(statistics) == 1)


@in_one("q", Q)
@in_one("level", LEVELS)
def test_a_dependent_loss_is_rounded_up_and_close(level, q):
    value = mpmath.mpf(Fraction(q).numerator) / Fraction(q).denominator
    right = mpmath.log1p(value * mpmath.expm1(exact(level)))
    told = exact(dependent_loss(level, q))
    assert right - mpmath.mpf(10) ** -55 <= told <= right * (1 + mpmath.mpf(10) ** -28)


@in_one("q", Q)
@in_one("delta", LEVELS)
def test_the_largest_level_is_rounded_down_and_keeps_the_delta(delta, q):
    level = largest_level(delta, q)
    if Fraction(q) == 0:
        assert level is None
        return
    value = mpmath.mpf(Fraction(q).numerator) / Fraction(q).denominator
    right = mpmath.log1p(mpmath.expm1(exact(delta)) / value)
    assert right * (1 - mpmath.mpf(10) ** -28) <= exact(level) <= right + mpmath.mpf(10) ** -55
    assert dependent_loss(level, q) <= delta


def test_special_cases_are_exact():
    assert dependent_loss("0.3", 0) == 0
    assert dependent_loss("0.3", 1) == Nats.of("0.3")
    assert dependent_loss(0, "0.4") == 0 == largest_level(0, "0.4")
    assert largest_level("0.3", 1) == Nats.of("0.3")
    assert dependent_loss("ln 3", "1/2") == Nats.of("ln 2")
    assert largest_level("ln 2", "1/2") == Nats.of("ln 3")
    for wrong in (lambda: dependent_loss("-1", "0.5"), lambda: largest_level("-1", "0.5")):
        with pytest.raises(SordinoError, match="must not be negative"):
            wrong()


def law_of(types, d):
    """Pr(code | signs), shape (2,) * d + (codes,), of randomized responses to the first statistic of each answer."""
    columns = []
    for answers in types:
        for outputs in product((-1, 1), repeat=len(answers)):
            column = np.ones((2,) * d)
            for sign, one in zip(outputs, answers, strict=True):
                for signs in product((0, 1), repeat=d):
                    value = np.prod([2 * signs[place] - 1 for place in one.statistics[0]])
                    column[signs] *= np.exp(float(one.level) * (sign == value)) / (1 + np.exp(float(one.level)))
            columns.append(column)
    return np.stack(columns, axis=-1) / len(types)


PAIR = (0, 1)
MIXTURES = {
    "singles": [[("1", (0,))], [("0.3", (1,))], [("0.7", (2,))]],
    "two together": [[("0.4", (0,)), ("1.1", (1,))], [("0.9", (2,))]],
    "all together": [[("0.2", (0,)), ("0.5", (1,)), ("0.8", (2,))]],
    "twice the same": [[("0.4", (0,)), ("0.3", (0,)), ("1", (2,))]],
    "a product": [[("0.6", PAIR), ("0.5", (0,))], [("1", (2,))]],
    "the last is the worst": [[("0.1", (0,))], [("0.1", (1,))], [("0.1", (2,)), ("0.1", (1,))], [("1.5", (2,))]],
}


@pytest.mark.each_value
@pytest.mark.parametrize("q", ["0", "0.05", "0.3", "1"])
@pytest.mark.parametrize("name", MIXTURES)
def test_the_claim_is_what_the_worst_belief_loses(name, q, worst_loss):
    types = [tuple(answer(level, statistic) for level, statistic in kind) for kind in MIXTURES[name]]
    law = law_of(types, 3)
    claimed = sampling_deltas(types, Dependence.bounded([q] * 3))
    for i in range(3):
        lost = worst_loss(law, i, float(Fraction(q)))
        assert lost <= float(claimed[i]) * (1 + 1e-9)
        if name != "a product":
            assert lost >= float(claimed[i]) * (1 - 1e-9)
    assert float(sampling_level(types)) == pytest.approx(
        np.log(np.max(law.max(axis=(0, 1, 2)) / law.min(axis=(0, 1, 2))))
    )


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("q", [0.3, 0.05, 0.0, 1.0])
def test_a_table_tells_what_the_worst_belief_loses(q, worst_loss):
    rng = np.random.default_rng(4)
    for signs in (1, 2, 3, 4):
        for _ in range(5):
            errors = tuple(int(weight) for weight in rng.integers(1, 40, 1 << signs))
            codes = np.arange(1 << signs)
            law = np.empty((2,) * signs + (1 << signs,))
            for record in product((0, 1), repeat=signs):
                rounded = sum(bit << c for c, bit in enumerate(record))
                law[record] = np.array(errors)[codes ^ rounded] / sum(errors)
            for c in range(signs):
                told = table_loss(errors, c, q)
                assert float(told) == pytest.approx(worst_loss(law, c, q), rel=1e-9)


def test_a_tables_answer_uses_its_own_bounds():
    errors = (9, 3, 3, 1)
    table = Answer(((0,), (1,)), Nats.log(9), errors)
    pair = Dependence.bounded(["1/2", "1/2", "1/2"], {(0, (1,)): 0})
    told = sampling_deltas([(table,)], pair)
    # The only other sign is about 1, of which 0 is independent; 2 sees two statistics and 1 has no bound of its own.
    assert told == (Nats.log(3), table_loss(errors, 1, "1/2"), Nats.log(5))
    # With another answer beside it a table counts with its whole level.
    beside = sampling_deltas([(table, answer("ln 2", (2,)))], pair)
    assert beside[0] == Nats.log(9) + dependent_loss("ln 2", "1/2")
    assert beside[2] == Nats.log(2) + dependent_loss(Nats.log(9), "1/2")


def test_bounds_for_pairs_do_not_serve_products_or_two_answers(worst_loss):
    """x_0 = x_1 xor x_2 of fair bits: all pairs are independent."""
    independent = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    xor = Dependence.bounded([1, 1, 1], independent)
    singles = [(answer("1", (j,)),) for j in range(3)]
    assert sampling_deltas(singles, xor) == (Nats.of(1),) * 3
    assert sampling_deltas(singles[1:], xor)[0] == 0
    both = [(answer("1", (1,)), answer("1", (2,)))]
    product_of_both = [(answer("1", (1, 2)),)]
    records = [(a, b, c) for a, b, c in product((0, 1), repeat=3) if a == b ^ c]
    for types, least in ((both, 0.4337), (product_of_both, 1.0), (singles[1:], 0.0)):
        law = law_of(types, 3)
        given = [np.mean([law[record] for record in records if record[0] == value], axis=0) for value in (0, 1)]
        lost = np.log(max((given[0] / given[1]).max(), (given[1] / given[0]).max()))
        assert lost == pytest.approx(least, abs=1e-4)
        assert lost <= float(sampling_deltas(types, xor)[0]) + 1e-12


def test_the_papers_experiment_stays_within_the_claim():
    """All signs are one fair coin with probability q, else fair and independent: the rest is within q."""
    d, q = 5, 0.3
    types = [
        (answer("0.2", (0,)), answer("0.3", (1,))),
        (answer("0.8", (2,)),),
        (answer("0.4", (3,)), answer("0.2", (4,)), answer("0.1", (0,))),
    ]
    law = law_of(types, d)
    claimed = sampling_deltas(types, Dependence.bounded([q] * d))
    prior = np.full((2,) * d, (1 - q) / 2**d)
    prior[(0,) * d] += q / 2
    prior[(1,) * d] += q / 2
    for i in range(d):
        joint = np.moveaxis(law * prior[..., None], i, 0).reshape(2, -1, law.shape[-1]).sum(axis=1)
        given = joint / 0.5
        lost = np.log(max((given[0] / given[1]).max(), (given[1] / given[0]).max()))
        assert 0 < lost <= float(claimed[i])


def test_a_declared_bound_for_a_statistic_that_touches_the_attribute():
    types = [(answer("1", (0, 1)),)]
    dependence = Dependence.bounded([1, 1, "0.4"], {(0, (0, 1)): "0.25", (2, (0, 1)): "0.1"})
    assert sampling_deltas(types, dependence) == (dependent_loss(1, "0.25"), Nats.of(1), dependent_loss(1, "0.1"))


def test_types_of_lower_level_count_where_the_largest_is_bounded():
    """The largest level is about a statistic that tells nothing of 0; a smaller one has no such bound."""
    types = [(answer("2", (1,)),), (answer("0.5", (2,)),), (answer("0.25", (3,)),)]
    told = sampling_deltas(types, Dependence.bounded(["1/2", 1, 1, 1], {(0, (1,)): 0, (0, (2,)): "1/10"}))
    assert told[0] == max(dependent_loss("0.5", "1/10"), dependent_loss("0.25", "1/2"))


def test_wrong_answers_are_refused():
    with pytest.raises(SordinoError, match="answers must be about 2 attributes; found one about 2"):
        sampling_deltas([(answer("1", (2,)),)], Dependence.unknown(2))
    for statistics, errors, text in (
        (((0,),), (3, 1, 1), "must have 2 weights"),
        (((0,),), (3, 0), "must have 2 weights"),
        (((0, 1),), (3, 1), "signs of different numbers"),
        (((0,), (0,)), (3, 1, 1, 1), "signs of different numbers"),
        (((0,),), (4, 1), "must not be below its table's"),
    ):
        with pytest.raises(SordinoError, match=text):
            Answer(statistics, Nats.of("ln 3"), errors)
    assert sampling_level([]) == 0


PRODUCT_OF_FAIR_SIGNS = {(i, (1, 2)): 0 for i in range(3)}
"""Bounds for a product: of two fair, independent numbers -1 and 1 it tells neither, nor what else it may be made of."""


@pytest.mark.parametrize("level", ["ln 3", "0.01", "7"])
def test_a_bound_for_a_product_serves_no_other_function_of_its_attributes(level):
    known, amount = Dependence.bounded([1, "1/2", "1/4"], PRODUCT_OF_FAIR_SIGNS), Nats.of(level)
    # The product itself tells nothing; of the pair of categories everybody is told what the rest allows.
    assert sampling_deltas([(Answer(((1, 2),), amount, linear=True),)], known) == (Nats.of(0),) * 3
    pair = Answer(((1,), (2,)), amount)
    assert sampling_deltas([(pair,)], known) == (amount,) * 3
    assert sampling_deltas([(Answer(((1, 2),), amount),)], known) == (amount,) * 3
    # The two of them by one answer each; and any answer about the product that is not linear in it.
    each = tuple(Answer(((place,),), amount, linear=True) for place in (1, 2))
    own = [amount + dependent_loss(amount, q) for q in ("1/2", "1/4")]
    assert sampling_deltas([each], known) == (amount + amount, *own)
    # Nobody can call the answer about a pair linear, so that the product's bounds would serve it.
    with pytest.raises(SordinoError, match="about one statistic"):
        Answer(((1,), (2,)), amount, linear=True)


def test_an_answer_about_a_pair_of_categories_tells_what_is_said():
    """Fair bits x1 and x2, x0 their index: the product tells neither bit, the pair tells all three."""
    law = {(2 * a + b, a, b): Fraction(1, 4) for a, b in product((0, 1), repeat=2)}
    level, known = Nats.of("ln 3"), Dependence.bounded([1, 1, 1], PRODUCT_OF_FAIR_SIGNS)
    told = sampling_deltas([(Answer(((1,), (2,)), level),)], known)
    for i in range(3):
        # Randomized response about the pair's index: three times as likely to be sent as any other.
        given = {}
        for cell, share in law.items():
            row = given.setdefault(cell[i], [Fraction(0)] * 4)
            for code in range(4):
                row[code] += share * Fraction(3 if code == 2 * cell[1] + cell[2] else 1, 6)
        rows = [[weight / sum(row) for weight in row] for row in given.values()]
        odds = max(one[code] / other[code] for one in rows for other in rows for code in range(4))
        assert 1 < odds <= 3
        assert Nats.log(odds) <= told[i]
    assert told == (level,) * 3
