"""The arrows: each closed form in 60 digits, that it covers what random mechanisms really lose, and the way back."""

import math
from fractions import Fraction
from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.papers.bayesian_coordinate import convert

pytestmark = pytest.mark.long

witness = mpmath.MPContext()
witness.dps = 60

LEVELS = {
    "0": witness.mpf(0),
    "1e-9": witness.mpf(10) ** -9,
    "0.3": witness.mpf(3) / 10,
    "1": witness.mpf(1),
    "ln 3": witness.log(3),
    "1/2 + ln 2": witness.mpf(1) / 2 + witness.log(2),
    "40": witness.mpf(40),
}
SHARES = {"0": 0, "1e-12": witness.mpf(10) ** -12, "0.1": witness.mpf(1) / 10, "2/3": witness.mpf(2) / 3, "1": 1}
levels = st.sampled_from(sorted(LEVELS))
shares = st.sampled_from(sorted(SHARES))


def amount(nats):
    """The exact amount, in the witness's digits."""
    ratio = witness.mpf(nats.ratio.numerator) / nats.ratio.denominator
    return witness.mpf(nats.rational.numerator) / nats.rational.denominator + witness.log(ratio)


def require_just_above(found, truth):
    assert truth - witness.mpf(10) ** -55 <= amount(found) <= truth + witness.mpf(10) ** -37


def test_ldp_protects_everything_alike():
    assert convert.coordinate_from_ldp("1", 3) == (Nats.of(1),) * 3
    assert convert.deltas_from_ldp("ln 3", 2) == (Nats.of("ln 3"),) * 2
    assert convert.deltas_from_ldp("inf", 2) == (None, None)
    assert convert.bayesian_from_ldp("0.5") == Nats.of("0.5")
    assert convert.ldp_from_bayesian("0.5", [[0.25, 0.25], [0.25, 0.25]]) == Nats.of("0.5")
    assert convert.ldp_from_bayesian("0.5", [[0.5, 0], [0.25, 0.25]]) is None


def test_budgets_add_to_ldp():
    assert convert.ldp_from_coordinate(["0.5", "ln 3", "ln 2"]) == Nats.of("0.5 + ln 6")
    assert convert.ldp_from_coordinate(["0.5", "inf"]) is None


@given(st.lists(levels, min_size=1, max_size=4), shares)
def test_proposition_4_1(budgets, share):
    q = SHARES[share]
    for i, found in enumerate(convert.deltas_from_coordinate(budgets, share)):
        others = sum((LEVELS[c] for j, c in enumerate(budgets) if j != i), witness.mpf(0))
        require_just_above(found, LEVELS[budgets[i]] + witness.log1p(q * witness.expm1(others)))


@given(st.lists(levels, min_size=1, max_size=4), levels, shares)
def test_proposition_4_2_and_the_mixture_rule(budgets, epsilon, share):
    q, level = SHARES[share], LEVELS[epsilon]
    published = convert.deltas_as_published(budgets, epsilon, share)
    mixed = convert.deltas_by_mixture(budgets, epsilon, share)
    for c, one, other in zip((LEVELS[budget] for budget in budgets), published, mixed, strict=True):
        require_just_above(one, min(c + witness.log1p(q * witness.expm1(level)), level))
        # No attribute loses more than the record.
        own = min(c, level)
        require_just_above(other, witness.log((1 - q) * witness.exp(own) + q * witness.exp(level)))
        assert other <= one


def test_without_bounds_nothing_follows():
    assert convert.deltas_from_coordinate(["inf", "1"], [0, 0]) == (None, Nats.of(1))
    assert convert.deltas_from_coordinate(["inf", "1"], [0, "0.1"]) == (None, None)
    assert convert.deltas_as_published(["inf", "1"], "2", [0, 1]) == (Nats.of(2), Nats.of(2))
    assert convert.deltas_by_mixture(["inf", "1"], "2", 0) == (Nats.of(2), Nats.of(1))
    assert convert.deltas_by_mixture(["1", "1", "1"], "inf", [0, "0.1", 1]) == (Nats.of(1), None, None)


def table(seed, shape, codes=3):
    """A random channel as whole weights, shape (*shape, codes)."""
    return np.random.default_rng(seed).integers(1, 12, (*shape, codes)).astype(object)


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 2, 2)])
@pytest.mark.parametrize("share", ["0", "0.1", "2/3", "1"])
def test_the_arrows_cover_what_an_output_loses_over_all_priors(shape, share):
    """Realized levels of single outputs: exact loss <= mixture rule <= Proposition 4.2 and 4.1."""
    for seed in range(20):
        weights = table(seed, shape, 1)[..., 0]
        budgets = []
        for i in range(len(shape)):
            rows = np.moveaxis(weights, i, 0).reshape(shape[i], -1)
            pairs = [Fraction(a, b) for column in rows.T for a, b in permutations(column.tolist(), 2)]
            budgets.append(Nats.log(max(1, *pairs)))
        epsilon = Nats.log(Fraction(weights.max(), weights.min()))
        exact = convert.deltas_from_likelihood(weights, share)
        mixed = convert.deltas_by_mixture(budgets, epsilon, share)
        for truth, tight, published, first in zip(
            exact,
            mixed,
            convert.deltas_as_published(budgets, epsilon, share),
            convert.deltas_from_coordinate(budgets, share),
            strict=True,
        ):
            assert truth <= tight <= published
            assert truth <= first
            assert tight <= epsilon <= convert.ldp_from_coordinate(budgets)


def test_the_mixture_rule_is_reached():
    # A neighbour differs by 2, the record at most by 6, and both at once where it matters.
    weights = [[2, 6], [1, 3], [2, 6]]
    assert (
        convert.deltas_from_likelihood(weights, "1/4")[0]
        == convert.deltas_by_mixture(["ln 2", "ln 3"], "ln 6", "1/4")[0]
    )
    assert convert.deltas_by_mixture(["ln 2", "ln 3"], "ln 6", "1/4")[0] == Nats.of("ln 3")


def test_merging_outputs_never_raises_the_exact_loss():
    for seed in range(100):
        weights = table(seed, (2, 3), 2)
        apart = [convert.deltas_from_likelihood(weights[..., code], "1/5") for code in range(2)]
        for i, found in enumerate(convert.deltas_from_likelihood(weights.sum(axis=-1), "1/5")):
            assert found <= max(one[i] for one in apart)


def test_merging_outputs_may_raise_what_the_mixture_rule_says_of_each():
    def mixture(likelihood):
        column_ratios = [Fraction(max(column), min(column)) for column in likelihood.T.tolist()]
        epsilon = Nats.log(Fraction(int(likelihood.max()), int(likelihood.min())))
        return convert.deltas_by_mixture([Nats.log(max(column_ratios)), "inf"], epsilon, "1/5")[0]

    first, second = np.array([[4, 1, 20], [1, 4, 21]]), np.array([[12, 1, 13], [2, 1, 5]])
    assert mixture(first + second) > max(mixture(first), mixture(second)) + Nats.of("0.02")


def test_likelihoods_are_read_exactly():
    assert convert.deltas_from_likelihood([0.5, 0.125], 0) == (Nats.of("ln 4"),)
    assert convert.deltas_from_likelihood([[0.5, 0.25], [0, 0]], 0) == (None, Nats.of("ln 2"))
    assert convert.deltas_from_likelihood([[Fraction(1, 3)], [Fraction(1, 9)]], 1) == (Nats.of("ln 3"), Nats.of(0))
    assert convert.deltas_from_likelihood([0, 0], 1) == (Nats.of(0),)
    for likelihood in ([0.5, math.nan], [1, -1], 3, [[1, 2], [3]], [1, None]):
        with pytest.raises(SordinoError, match="a likelihood must"):
            convert.deltas_from_likelihood(likelihood, 0)


@given(st.lists(levels, min_size=1, max_size=4), st.data())
def test_the_linear_rule(deltas, data):
    d = len(deltas)
    q = data.draw(st.lists(shares, min_size=d, max_size=d))
    matrix = convert.linear_rule(deltas, q)
    for i, j in product(range(d), repeat=2):
        delta, share = LEVELS[deltas[i]], SHARES[q[i]]
        if i != j and share == 0:
            assert matrix[i, j] == 0
            continue
        truth = delta if i == j else witness.log1p(witness.expm1(delta) / share)
        if truth == 0:
            assert matrix[i, j] == math.inf
        else:
            assert 1 / truth <= matrix[i, j] <= (1 + 1e-15) / truth
    # Budgets just inside of the rule keep the deltas; the same a little larger do not keep the rule.
    direction = np.array(data.draw(st.lists(st.integers(0, 5), min_size=d, max_size=d)), dtype=float)
    used = (
        np.where(np.outer(np.ones(d), direction) == 0, 0, matrix) @ direction if np.isfinite(matrix).all() else [np.inf]
    )
    if 0 < max(used) < math.inf:
        budgets = direction / max(used)
        assert convert.keeps_linear_rule((budgets * (1 - 1e-12)).tolist(), deltas, q)
        assert not convert.keeps_linear_rule((budgets * (1 + 1e-12)).tolist(), deltas, q)
        kept = convert.deltas_from_coordinate((budgets * (1 - 1e-12)).tolist(), q)
        assert all(found <= delta for found, delta in zip(kept, deltas, strict=True))


def test_the_linear_rule_at_its_ends():
    assert convert.keeps_linear_rule(["0", "5"], ["0", "5"], 0)
    assert not convert.keeps_linear_rule(["1e-9", "5"], ["0", "5"], 0)
    assert not convert.keeps_linear_rule(["0", "1e-9"], ["0", "5"], "0.1")
    assert convert.keeps_linear_rule(["1", "inf"], ["1", "inf"], 0)
    assert not convert.keeps_linear_rule(["1", "inf"], ["1", "2"], 0)
    # The corrected numerator: e^delta - 1, not e^(delta - 1).
    assert convert.linear_rule(["ln 3", "ln 3"], "1/2")[0, 1] == pytest.approx(1 / math.log(5))
    with pytest.raises(SordinoError, match="as many budgets"):
        convert.keeps_linear_rule(["1"], ["1", "1"], 0)


@given(levels, levels, shares)
def test_the_largest_budget_keeps_the_delta_and_no_larger_one_does(delta, epsilon, share):
    ways = (
        (convert.largest_budget, convert.deltas_by_mixture),
        (convert.largest_budget_as_published, convert.deltas_as_published),
    )
    for largest, arrow in ways:
        found = largest(delta, epsilon, share)
        if found is None:
            (least,) = arrow(["0"], epsilon, share)
            assert least + Nats.of("1e-36") > delta
            continue
        assert 0 <= found <= epsilon
        assert arrow([found], epsilon, share)[0] <= delta
        if found < epsilon:
            # A billionth more is too much: its factor stays above e^-40 of the whole.
            assert arrow([found + "1e-9"], epsilon, share)[0] + Nats.of("1e-36") > delta


def test_the_inverse_at_its_ends():
    assert convert.largest_budget("1", "2", 0) == Nats.of(1)
    assert convert.largest_budget("1", "2", 1) is None
    assert convert.largest_budget("2", "2", 1) == Nats.of(2)
    assert convert.largest_budget("3", "2", "0.5") == Nats.of(2)
    assert convert.largest_budget_as_published("1", "2", 1) is None
    for name in ("largest_budget", "largest_budget_as_published"):
        for pair in (("inf", "1"), ("1", "inf")):
            with pytest.raises(SordinoError, match="must be finite"):
                getattr(convert, name)(*pair, 0)


def test_bad_bounds_are_refused_everywhere():
    for call in (
        lambda q: convert.deltas_from_coordinate(["1", "1"], q),
        lambda q: convert.deltas_as_published(["1", "1"], "1", q),
        lambda q: convert.deltas_by_mixture(["1", "1"], "1", q),
        lambda q: convert.linear_rule(["1", "1"], q),
        lambda q: convert.deltas_from_likelihood([[1, 1]], q),
    ):
        for q in ([[0, 1], [1, 0]], 2, -1, [0.1]):
            with pytest.raises(SordinoError):
                call(q)
