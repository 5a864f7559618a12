"""Budgets of nested reports: the published figures, the promise by enclosures, by enumeration, and by brute force."""

from fractions import Fraction
from itertools import product
from math import exp, log

import mpmath
import numpy as np
import pytest

from sordino import Dependence, Nats, SordinoError
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import Account, corollary_bound, nested_budgets

FIG3 = ["0.2", "0.2", *["2"] * 8]
SHARES = ("0", "0.01", "0.05", "0.1", "0.2", "0.4", "0.6", "0.8", "1")
PUBLISHED = (0.3180, 0.6457, 1.3646, 1.5633, 2.0899, 3.8681, 8.2813, 30.827, 1.5033)
BEST_ZETA = (0.3180, 0.4180, 0.6458, 0.8997, 1.4203, 1.5055, 1.5042, 1.5119, 1.5033)
TIGHT = (0.3180, 0.3995, 0.5671, 0.7355, 1.0440, 1.5033, 1.5033, 1.5033, 1.5033)


def error(budgets):
    """Total squared error with ten thousand people at the corners."""
    return NestedMean(budgets).exact_mse() / 10_000


def enclosed(amount):
    """An interval around an amount of nats."""
    return mpmath.iv.mpf(amount.rational.numerator) / amount.rational.denominator + mpmath.iv.log(
        mpmath.iv.mpf(amount.ratio.numerator) / amount.ratio.denominator
    )


def broken(budgets, deltas, epsilon, variations, accounting):
    """The first number whose promise is not kept for sure."""
    mpmath.iv.dps = 60
    largest = max(budgets)
    assert largest <= epsilon
    for i, (budget, delta, q) in enumerate(zip(budgets, deltas, variations, strict=True)):
        if budget < 0 or budget > largest:
            return i
        if largest <= delta:
            continue
        share = mpmath.iv.mpf(Fraction(q).numerator) / Fraction(q).denominator
        own, top = mpmath.iv.exp(enclosed(budget)), mpmath.iv.exp(enclosed(largest))
        levels = {"paper": own * (1 + share * (top - 1)), "tight": (1 - share) * own + share * top}
        level = levels[accounting]
        # Where q is 0 both sides can be equal.
        if not (level.b <= mpmath.iv.exp(enclosed(Nats.of(delta))).a or (q == 0 and budget <= delta)):
            return i
    return None


@pytest.mark.long
@pytest.mark.parametrize(
    ("q", "published", "zeta", "tight"), list(zip(SHARES, PUBLISHED, BEST_ZETA, TIGHT, strict=True))
)
def test_figure_3(q, published, zeta, tight):
    assert error(nested_budgets(FIG3, "2", q, zeta="paper")) == pytest.approx(published, rel=2e-4)
    best = error(nested_budgets(FIG3, "2", q))
    # The best c_d may be a delta itself, which a grid over zeta misses.
    assert (
        best == pytest.approx(zeta, rel=2e-4) if float(q) < 0.3 or q == "1" else best == pytest.approx(1.5033, rel=2e-4)
    )
    assert error(nested_budgets(FIG3, "2", q, accounting="tight")) == pytest.approx(tight, rel=2e-4)


def test_published_budgets():
    for q, first, last in (("0.1", 0.09, 0.77139), ("0.6", 0.04, 0.25401)):
        budgets = [float(budget) for budget in nested_budgets(FIG3, "2", q, zeta="paper")]
        assert budgets == pytest.approx([first] * 2 + [last] * 8, abs=5e-6)
    for q, first, last in (("0.01", 0.1852, 1.0971), ("0.05", 0.1658, 0.6938), ("0.1", 0.1530, 0.5460)):
        budgets = [float(budget) for budget in nested_budgets(FIG3, "2", q, accounting="tight")]
        assert budgets == pytest.approx([first] * 2 + [last] * 8, abs=1e-3)
        assert len(set(budgets)) == 2


@pytest.mark.long
def test_other_settings():
    linear = [str(Fraction(k, 5)) for k in range(1, 11)]
    for deltas, q, published in (
        (linear, "0.05", 0.9732),
        (["0.2"] * 5 + ["2"] * 5, "0.2", 4.7579),
        (["0.1"] + ["2"] * 9, "0.01", 2.4633),
    ):
        assert error(nested_budgets(deltas, "2", q, zeta="paper")) == pytest.approx(published, rel=2e-4)
        best, tight = (error(nested_budgets(deltas, "2", q, accounting=each)) for each in ("paper", "tight"))
        assert tight < best < published


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("accounting", ["paper", "tight"])
def test_the_promise_is_kept_beyond_rounding(accounting):
    rng = np.random.default_rng(7)
    for case in range(30):
        d = int(rng.integers(1, 7))
        deltas = [Nats.of(str(number)) for number in rng.choice([0.001, 0.1, 0.2, 0.5, 1.3, 2, 7, 30], d)]
        if case % 5 == 0:
            deltas[0] = Nats.of("ln 3")
        q = [Fraction(str(number)) for number in rng.choice([0, 1e-9, 0.01, 0.3, 0.9, 1], d)]
        q = [q[0]] * d if case % 2 else q
        epsilon = Nats.of(str(rng.choice([0.15, 2, 40])))
        for zeta in (None, "paper", 1, Fraction(1, 3)):
            budgets = nested_budgets(deltas, epsilon, q, zeta, accounting)
            assert broken(budgets, [min(delta, epsilon) for delta in deltas], epsilon, q, accounting) is None
            # What is lost by rounding is little: nobody can have noticeably more.
            assert zeta is not None or max(budgets) > 0


def test_the_check_above_would_find_a_larger_budget():
    deltas = [Nats.of("0.2"), Nats.of("2")]
    budgets = nested_budgets(deltas, 2, "0.1", accounting="tight")
    more = (budgets[0] + Fraction(1, 10**11), budgets[1])
    assert broken(more, deltas, 2, [Fraction(1, 10)] * 2, "tight") == 0


def test_limits_are_the_largest_that_the_promise_allows():
    rng = np.random.default_rng(17)
    for accounting in ("paper", "tight"):
        for _ in range(40):
            delta, q = Nats.of(round(rng.uniform(0.1, 3), 3)), Fraction(str(round(rng.uniform(0, 0.99), 4)))
            most = log(1 + (exp(float(delta)) - 1) / q) if q else 40.0
            largest = Nats.of(str(round(rng.uniform(float(delta) + 0.001, most), 6)))
            account = Account((delta, largest), (q, Fraction(1)), accounting)
            own = account.most(largest, delta, q)
            kept = [
                broken((own + Fraction(k, 10**12), largest), (delta, largest), largest, (q, 1), accounting) is None
                for k in (0, 2)
            ]
            assert kept == [True, False]


def test_bayesian_levels_by_enumeration_of_reports_and_priors():
    """Adversarial priors whose total variation is exactly q, and all reports of a seed, over the cube."""
    d, q, deltas = 4, Fraction(1, 10), ("0.3", "1", "0.3", "1.5")
    cube = np.array(list(product((-1.0, 1.0), repeat=d)))
    rng = np.random.default_rng(11)
    for accounting in ("paper", "tight"):
        nested = NestedMean(nested_budgets(deltas, "1.5", q, accounting=accounting))
        worst = np.zeros(d)
        for seed in range(40):
            weights = []
            for level in nested.levels:
                directions = level.steered.directions(np.full(16, seed, dtype=np.uint64))
                heads = level.steered.thresholds(cube[:, level.columns], directions) / 2**64
                weights.append(np.stack((1 - heads, heads)))
            for bits in product((0, 1), repeat=len(weights)):
                report = np.prod([own[bit] for bit, own in zip(bits, weights, strict=True)], axis=0)
                for i, delta in enumerate(deltas):
                    low, high = report[cube[:, i] < 0], report[cube[:, i] > 0]
                    for first, second in ((low, high), (high, low)):
                        for base in (rng.dirichlet(np.ones(8)), np.eye(8)[rng.integers(8)]):
                            # The share q of the rest moves to the report's most and least likely records.
                            above = (1 - float(q)) * base @ first + float(q) * first.max()
                            below = (1 - float(q)) * base @ second + float(q) * second.min()
                            worst[i] = max(worst[i], log(above / below))
                            assert worst[i] <= float(delta) + 1e-9
        if accounting == "tight":
            assert worst[0] > 0.2


def test_the_published_prior_keeps_the_promise():
    """All alike with probability q, else independent: the total variation of the rest is q."""
    d, q = 5, 0.2
    cube = np.array(list(product((-1.0, 1.0), repeat=d)))
    prior = np.full(2**d, (1 - q) / 2**d)
    prior[[0, -1]] += q / 2
    deltas = [0.2, 0.5, 2, 2, 2]
    nested = NestedMean(nested_budgets(deltas, 2, "0.2", accounting="tight"))
    for seed in range(50):
        report = np.ones(2**d)
        for level in nested.levels:
            directions = level.steered.directions(np.full(2**d, seed, dtype=np.uint64))
            report *= level.steered.thresholds(cube[:, level.columns], directions) / 2**64
        for i, delta in enumerate(deltas):
            means = [np.average(report[cube[:, i] == side], weights=prior[cube[:, i] == side]) for side in (-1, 1)]
            assert abs(log(means[0] / means[1])) <= delta


@pytest.mark.long
def test_the_search_finds_what_brute_force_finds():
    for deltas, q in (
        ((0.2, 0.5, 2.0), 0.05),
        ((0.2, 0.25, 2.0), 0.02),
        ((0.1, 1.0, 1.5), 0.1),
        ((1.0, 1.2, 1.4), 0.3),
    ):
        least = np.inf
        for top in np.concatenate((np.linspace(deltas[0], deltas[2], 50), deltas)):
            limits = []
            for delta in deltas:
                rest = (exp(delta) - q * exp(top)) / (1 - q)
                limits.append(top if top <= delta else log(rest) if rest >= 1 else None)
            if None in limits:
                continue
            for first, second in product(np.linspace(0.05, 1, 20), np.linspace(0.05, 1, 20)):
                budgets = np.array([limits[0] * first, limits[1] * second, limits[2]])
                least = min(least, total(budgets), total(np.minimum(budgets, [limits[0] * first] * 2 + [9])))
        found = error(nested_budgets(deltas, 2, str(q), accounting="tight")) * 10_000
        assert found <= least * 1.0001
        assert found > least * 0.95


def total(budgets):
    """The variance of three means, by the paper's construction: one level after the other."""
    ordered, information, result = sorted(budgets), 0.0, 0.0
    gains = {1: 1.0, 2: 2.4674011, 3: 4.0}
    for k, (before, budget) in enumerate(zip([0, *ordered], ordered, strict=False)):
        if budget - before > 1e-12:
            information += 1 / (gains[3 - k] / np.tanh((budget - before) / 2) ** 2 - 1)
        result += 1 / information
    return result


@pytest.mark.long
def test_order_and_epsilon_and_zero():
    deltas, places = ["0.2", "2", "0.7", "2", "0.2"], [3, 0, 4, 2, 1]
    for accounting in ("paper", "tight"):
        budgets = nested_budgets(deltas, "1.5", "0.05", accounting=accounting)
        moved = nested_budgets([deltas[place] for place in places], "1.5", "0.05", accounting=accounting)
        assert list(moved) == [budgets[place] for place in places]
        assert nested_budgets(["9", None, "inf"], 2, 1, accounting=accounting) == (2, 2, 2)
        # Independent numbers keep their deltas, exactly as given.
        assert [str(c) for c in nested_budgets(["ln 3", "0.1"], "3", 0, accounting=accounting)] == ["ln 3", "1/10"]
        assert nested_budgets(["0", "1"], 1, "0.1", accounting=accounting) == (0, 0)
        assert nested_budgets(["0", "1"], 1, [0, 1], accounting=accounting) == (0, 1)
        assert nested_budgets([0, 0], 1, 0, accounting=accounting) == (0, 0)


def test_only_numbers_below_the_largest_budget_need_their_own_bound():
    for accounting in ("paper", "tight"):
        own = nested_budgets(FIG3, 2, [0.01, 0.01, *[1] * 8], accounting=accounting)
        assert error(own) == pytest.approx(error(nested_budgets(FIG3, 2, 0.01, accounting=accounting)), rel=1e-6)
    declared = Dependence.bounded([0.01, 0.01, *[1] * 8])
    assert nested_budgets(FIG3, 2, declared) == nested_budgets(FIG3, 2, np.array([0.01, 0.01, *[1.0] * 8]))


@pytest.mark.long
def test_never_worse_than_everything_at_the_least_delta():
    rng = np.random.default_rng(5)
    for _ in range(10):
        deltas = rng.uniform(0.1, 3, 5).round(3)
        q = rng.choice([0, 0.1, 0.5, 1])
        plain = error([deltas.min()] * 5)
        best, tight = (error(nested_budgets(deltas, 3, q, accounting=each)) for each in ("paper", "tight"))
        assert tight <= best * (1 + 1e-6)
        assert best <= plain * (1 + 1e-6)


@pytest.mark.long
def test_many_different_deltas_share_budgets():
    budgets = nested_budgets(np.linspace(0.2, 2, 150), 2, "0.05", accounting="tight")
    plain = error(["0.2"] * 150)
    assert error(budgets) < plain / 2
    assert len(set(budgets)) < 10
    assert (
        broken(budgets, [Nats.of(each) for each in np.linspace(0.2, 2, 150).tolist()], 2, ["0.05"] * 150, "tight")
        is None
    )


def test_corollary_1():
    # As printed at q = 1 it is 3.98 times the baseline d^2 / delta^2, whatever was known of zeta.
    assert corollary_bound(10, 2, 0.2, 2, 1) == pytest.approx(10 * 2 / 0.04 + 64 / (0.8 * 0.04))
    assert corollary_bound(10, 2, 0.2, 2, 0) == pytest.approx(10 * 2 / 0.04 + 64 / 4)
    edge = (exp(0.1) - 1) / (exp(2) - 1)
    below, above = (corollary_bound(10, 2, 0.2, 2, q) for q in (edge, edge * 1.0001))
    assert below < above < below * 1.1
    # Without other numbers nothing depends on q.
    assert corollary_bound(10, 10, 0.2, 2, 1) == pytest.approx(100 / 0.04)
    for wrong in ((10, 0, 0.2, 2, 0), (10, 2, 1, 2, 0), (10, 2, 0.2, 2, 1.5)):
        with pytest.raises(SordinoError):
            corollary_bound(*wrong)


def test_mistakes_are_named():
    for deltas in ([], ["1", "-1"], ["1", "nan"], "1", [[1, 2]]):
        with pytest.raises(SordinoError, match="delta"):
            nested_budgets(deltas, 1, 0)
    for q in (-0.1, 1.1, "x", [0.1], [0.1, 2], float("nan")):
        with pytest.raises(SordinoError):
            nested_budgets([1, 2], 2, q)
    with pytest.raises(SordinoError, match="a matrix"):
        nested_budgets([1, 2], 2, [[0, 0.1], [0.1, 0]])
    with pytest.raises(SordinoError, match="a matrix"):
        nested_budgets([1, 2], 2, np.eye(2))
    for zeta in (0, 1.5, "best"):
        with pytest.raises(SordinoError, match="zeta"):
            nested_budgets([1, 2], 2, 0.1, zeta)
    with pytest.raises(SordinoError, match="accounting"):
        nested_budgets([1, 2], 2, 0.1, accounting="loose")
