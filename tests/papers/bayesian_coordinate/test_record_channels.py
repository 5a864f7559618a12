"""The papers' mechanisms through the verbs: certificates by enumeration of dense channels, estimates, sentences."""

from fractions import Fraction
from itertools import product
from math import exp, log, prod

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BlockLDP,
    CoordinateDP,
    KeyedSource,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    Together,
    aggregate,
    certify,
    estimate,
    explain,
    privatize,
)
from sordino.papers import L2Ball, NestedMean, NestedReports, TwoCopies

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
BUDGETS = ("1/2", "2", "1")


def one_number(numbers, step):
    coin = RandomizedResponse(2, step)
    return Sampled(tuple(Query(Number(j), coin) for j in range(numbers)), (1,) * numbers)


def all_numbers(numbers, step):
    """A coin for each number, at an equal part of the step."""
    queries = tuple(Query(Number(j), RandomizedResponse(2, Fraction(step.rational, numbers))) for j in range(numbers))
    return queries[0] if numbers == 1 else Together(queries)


def truthful(numbers, step):
    """A mechanism that does not keep its step."""
    return one_number(numbers, 3 * step.rational)


def coin_chances(query, number):
    """Chances of both codes for a number at -1 or 1."""
    heads = Fraction(query.mechanism.weight(1, 1), query.mechanism.denominator)
    return (1 - heads, heads) if number > 0 else (heads, 1 - heads)


def dense(nested, records):
    """Probabilities of all reports for records at the corners, shape (records, reports), in fractions."""
    rows = []
    for record in records:
        levels = []
        for level in nested.levels:
            channel, own = level.channel, record[level.columns]
            if isinstance(channel, Sampled):
                share = Fraction(1, len(channel.queries))
                levels.append([share * p for j, q in enumerate(channel.queries) for p in coin_chances(q, own[j])])
            else:
                queries = channel.queries if isinstance(channel, Together) else (channel,)
                each = [coin_chances(query, own[j]) for j, query in enumerate(queries)]
                levels.append([prod(row) for row in product(*each)])
        rows.append([prod(row) for row in product(*levels)])
    return np.array(rows, dtype=object)


def differs_only_in(place, a, b):
    return np.flatnonzero(CUBE[a] != CUBE[b]).tolist() == [place]


def ratio_between(table, pairs):
    return max(max(row / other, other / row) for a, b in pairs for row, other in zip(table[a], table[b], strict=True))


@pytest.mark.parametrize("inside", [one_number, all_numbers, truthful])
def test_losses_of_nested_reports_are_those_of_enumeration(inside):
    nested = NestedReports(BUDGETS, inside)
    table = dense(nested, CUBE)
    assert all(row.sum() == 1 for row in table)
    # One number drawn of several: a level tells its whole step of whichever is drawn, of all records too.
    whole = ratio_between(table, product(range(8), repeat=2))
    assert whole == nested.epsilon.ratio
    for place in range(3):
        alone = [
            (a, b) for a, b in product(range(8), repeat=2) if np.flatnonzero(CUBE[a] != CUBE[b]).tolist() == [place]
        ]
        largest = ratio_between(table, alone)
        assert largest <= nested.losses[place].ratio
        if inside is not all_numbers:
            assert largest == nested.losses[place].ratio
    assert certify(nested, LDP(2)).holds == (inside is not truthful)
    assert certify(nested, CoordinateDP(BUDGETS)).holds == (inside is not truthful)
    assert not certify(nested, LDP("1.9")).holds
    tight = certify(nested, CoordinateDP(["0.499", "6", "3"]))
    assert not tight.holds
    assert tight.number == 0


def test_deltas_bound_what_any_beliefs_within_q_can_lose():
    nested = NestedReports(BUDGETS, one_number)
    table = dense(nested, CUBE)
    q = Fraction(1, 10)
    verdict = certify(nested, BayesianCoordinateDP.bounded(["1.1", "2", "1.5"], 2, q))
    others = {place: [j for j in range(3) if j != place] for place in range(3)}
    for place in range(3):
        groups = [[x for x in range(8) if CUBE[x, place] == value] for value in (-1, 1)]
        assert [CUBE[x][others[place]].tolist() for x in groups[0]] == [
            CUBE[x][others[place]].tolist() for x in groups[1]
        ]
        worst = 0.0
        for column in table.T:
            first, second = ([column[x] for x in group] for group in groups)
            for high, low in ((first, second), (second, first)):
                for u in range(4):
                    held = (1 - q) * high[u] + q * max(high)
                    against = (1 - q) * low[u] + q * min(low)
                    worst = max(worst, log(held / against))
        assert worst <= verdict.deltas[place] + 1e-12
        assert verdict.deltas[place] <= verdict.published[place]
        c, epsilon = (float(one) for one in (nested.losses[place], nested.epsilon))
        assert verdict.deltas[place] == pytest.approx(log(0.9 * exp(c) + 0.1 * exp(epsilon)))
        assert verdict.published[place] == pytest.approx(min(c + log(1 + 0.1 * (exp(epsilon) - 1)), epsilon))
    assert verdict.holds
    assert not certify(nested, BayesianCoordinateDP.bounded(["0.79", "2", "2"], 2, q)).holds
    assert certify(nested, BayesianCoordinateDP.bounded(["0.79", "2", "2"], 2, [0, 1, 1])).holds
    assert certify(nested, BayesianCoordinateDP.bounded(["2", "2", "2"], 2, 1)).holds
    assert not certify(nested, BayesianCoordinateDP.bounded(["1.9", "2", "2"], 2, 1)).holds


def test_the_seeded_mechanisms_certify_their_own_thresholds(exp_bounds):
    for channel in (NestedMean(BUDGETS), NestedReports(BUDGETS), TwoCopies(BUDGETS)):
        assert channel.epsilon.ratio <= exp_bounds(Fraction(2))[0]
        verdict = certify(channel, CoordinateDP(BUDGETS))
        assert verdict.holds
        assert certify(channel, LDP(2)).slack.floor() < 1e-12
        assert not certify(channel, CoordinateDP(["0.499999", "2", "1"]))
    ball = L2Ball(3, 3**0.5, "1")
    assert certify(ball, LDP(1))
    assert [loss == ball.epsilon for loss in ball.losses] == [True] * 3
    assert "is NOT proved" in repr(certify(ball, LDP("0.9")))


@pytest.mark.parametrize("inside", [None, one_number, all_numbers])
def test_estimates_are_unbiased_and_as_exact_as_they_say(inside, fixed):
    nested = NestedMean(["1", "4", "4"]) if inside is None else NestedReports(["1", "4", "4"], inside)
    signs = np.random.default_rng(2).choice([-1.0, 1.0], (30_000, 3), p=[0.3, 0.7])
    found = [
        estimate(nested, aggregate(nested, privatize(nested, signs[batch * 500 : batch * 500 + 500])))
        for batch in range(60)
    ]
    values, stated = np.array([one.value for one in found]), np.array([one.stderr for one in found])
    mean = values.mean(axis=0)
    assert (np.abs(mean - signs.mean(axis=0)) < 5 * stated.mean(axis=0) / np.sqrt(60)).all()
    assert np.allclose(values.std(axis=0, ddof=1), stated.mean(axis=0), rtol=0.35)


def test_reports_add_up_and_foreign_ones_are_refused():
    nested = NestedReports(BUDGETS, one_number)
    codes = privatize(nested, CUBE)
    assert codes.shape == (8, 3)
    both = aggregate(nested, codes[:3], codes[3:])
    assert both.counts.tolist() == nested.tally(codes).counts.tolist()
    assert nested.reports(both.counts) == 8
    assert nested.possible(both.counts)
    assert nested.tally(np.empty(0, dtype=np.uint64)).n == 0
    with pytest.raises(SordinoError, match="one a level"):
        nested.tally(codes[:, :2])
    with pytest.raises(SordinoError, match="among those that can be sent"):
        nested.tally(codes + np.uint64(100))
    with pytest.raises(SordinoError, match="made them"):
        nested.means(NestedReports(BUDGETS, all_numbers).tally(codes % 2))
    with pytest.raises(SordinoError, match="no key repeats"):
        nested.privatize(CUBE, KeyedSource(b"k" * 32, "task").for_records([*"abcdefgh"]))
    with pytest.raises(SordinoError, match="record 0"):
        nested.privatize([[0.0, 2.0, 0.0]])


def test_a_budget_of_zero_is_not_asked():
    nested = NestedReports(["0", "2"], one_number)
    shown = estimate(nested, nested.tally(nested.privatize(np.ones((50, 2)))))
    assert np.isnan(shown.value[0])
    assert np.isinf(shown.stderr[0]) or np.isnan(shown.stderr[0])
    assert not NestedReports(["0"]).informative


def test_mechanisms_that_do_not_fit_inside_are_refused():
    for inside in (
        lambda numbers, step: RandomizedResponse(2, step),
        lambda numbers, step: Query(Product(0, 0), RandomizedResponse(2, step)),
        lambda numbers, step: one_number(1, step),
    ):
        with pytest.raises(SordinoError, match="mechanism inside"):
            NestedReports(BUDGETS, inside)


def test_what_is_explained_rounds_against_the_promise():
    lines = explain(NestedReports(["0.5", *["2"] * 9], one_number))
    assert lines[0] == "Each person is asked for 10 numbers together."
    assert "by a factor of at most 7.39." in lines[1]
    assert "1.65 for number 0; 7.39 for 9 numbers" in lines[4]
    assert explain(L2Ball(1, 1.0, 1))[0] == "Each person is asked for 1 number together."
    assert "reveals nothing" in explain(NestedMean([0, 0]))[1]
    verdict = certify(NestedMean(BUDGETS), BayesianCoordinateDP.bounded(["1", "2", "1.5"], 2, "0.1"))
    said = explain(verdict)
    assert said[0].startswith("The promise holds; least is left for")
    assert "tight accounting, which decides" in said[1]
    assert len(said) == 4
    many = BayesianCoordinateDP.bounded([1] * 12, 1, 1)
    assert explain(certify(NestedMean([1] * 12), many))[-1] == "4 other numbers are not listed here."
    assert "is not proved: the whole record may lose" in explain(certify(NestedMean([1]), LDP("0.5")))[0]


def test_promises_of_another_kind_are_refused():
    nested = NestedMean(BUDGETS)
    with pytest.raises(SordinoError, match="promises about numbers"):
        certify(nested, BlockLDP([[0, 1], [2]], 1))
    with pytest.raises(SordinoError, match="promises about numbers"):
        certify(nested, BayesianCoordinateDP.with_prior([1, 1, 1], np.full((2, 2, 2), 1 / 8)))
    with pytest.raises(SordinoError, match="report's 3 numbers"):
        certify(nested, CoordinateDP([1, 2]))
    with pytest.raises(SordinoError, match="checked against a definition"):
        certify(nested, None)
    assert certify(nested, CoordinateDP(["inf"] * 3)).holds
