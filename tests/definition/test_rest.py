"""A bound on dependence: its losses against linear programs over priors, priors that attain them, and random ones."""

import math
from fractions import Fraction
from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from in_one import in_one
from sordino import Dependence, SordinoError
from sordino.definition.rest import Rest
from sordino.evidence.finite import FiniteEvidence

witness = mpmath.MPContext()
witness.dps = 50

SHAPES = [(2,), (3,), (1, 2), (2, 2), (3, 2), (2, 1, 2), (2, 2, 2)]
VARIATIONS = ["0", "1/100", "1/3", "0.7", "1"]


@st.composite
def cases(draw, least=0):
    shape = draw(st.sampled_from(SHAPES))
    k = math.prod(shape)
    likelihood = draw(st.lists(st.integers(least, 9), min_size=k, max_size=k))
    return shape, likelihood, draw(st.lists(st.sampled_from(VARIATIONS), min_size=len(shape), max_size=len(shape)))


def rows_of(shape, likelihood, i):
    """For each value of attribute i the likelihood of each record of the others."""
    records = [*product(*map(range, shape))]
    return [[f for f, x in zip(likelihood, records, strict=True) if x[i] == a] for a in range(shape[i])]


def attained(first, second, q):
    """The likeliest ratio over the priors that put 1 - q on one record, and q on one for each hypothesis.

    These are within total variation q. None: infinite; 0 where the first hypothesis is impossible under all of them.
    """
    best = Fraction(0)
    for u, w, v in product(range(len(first)), repeat=3):
        heavy = (1 - q) * first[u] + q * first[w]
        light = (1 - q) * second[u] + q * second[v]
        if heavy and not light:
            return None
        if light:
            best = max(best, Fraction(heavy) / light)
    return best


def programmed(first, second, q):
    """The largest ratio over *all* pairs of laws within total variation q: a linear program after scaling by t."""
    n = len(first)
    # Unknown: both laws times t, how far the first exceeds the second, and t.
    cost = np.concatenate([-np.array(first, dtype=float), np.zeros(2 * n + 1)])
    equal = np.zeros((3, 3 * n + 1))
    equal[0, n : 2 * n] = second
    equal[1, :n] = equal[2, n : 2 * n] = 1
    equal[1, -1] = equal[2, -1] = -1
    below = np.zeros((n + 1, 3 * n + 1))
    below[:n, :n], below[:n, n : 2 * n], below[:n, 2 * n : 3 * n] = np.eye(n), -np.eye(n), -np.eye(n)
    below[n, 2 * n : 3 * n], below[n, -1] = 1, -q
    solved = linprog(cost, A_ub=below, b_ub=np.zeros(n + 1), A_eq=equal, b_eq=[1, 0, 0], method="highs")
    assert solved.status == 0
    return -solved.fun


@settings(max_examples=settings.default.max_examples // 2)
@given(cases(least=1))
def test_no_prior_within_the_bound_loses_more_and_some_lose_as_much(case):
    shape, likelihood, q = case
    contrasts = Rest.of(q, len(shape)).on(shape).contrasts(np.array(likelihood, dtype=object))
    for i, size in enumerate(shape):
        if size == 1:
            assert contrasts[i] is None
            continue
        rows, bound = rows_of(shape, likelihood, i), Fraction(q[i])
        found = Fraction(contrasts[i].heavy, contrasts[i].light)
        assert found == max(attained(rows[a], rows[b], bound) for a, b in permutations(range(size), 2))
        assert found == attained(rows[contrasts[i].value], rows[contrasts[i].other], bound)
        highest = max(programmed(rows[a], rows[b], float(bound)) for a, b in permutations(range(size), 2))
        assert highest == pytest.approx(float(found), rel=1e-7)


@settings(max_examples=settings.default.max_examples // 2)
@given(cases())
def test_losses_are_rounded_up_and_impossible_outputs_counted(case):
    shape, likelihood, q = case
    rest = Rest.of(q, len(shape)).on(shape)
    found = rest.losses(FiniteEvidence.of_weights(likelihood, 10))
    contrasts = rest.contrasts(np.array(likelihood, dtype=object))
    for i, size in enumerate(shape):
        rows = rows_of(shape, likelihood, i)
        worst = Fraction(0)
        for a in range(size):
            ratios = [attained(rows[a], rows[b], Fraction(q[i])) for b in range(size) if b != a]
            worst = None if worst is None or None in ratios else max([worst, *ratios])
            truth = witness.inf if None in ratios else mpmath.mpf(0)
            if None not in ratios and max(ratios, default=0) > 1:
                truth = witness.log(witness.mpf(max(ratios).numerator) / max(ratios).denominator)
            assert truth <= float(found[i][a]) <= truth + 1e-12
        if worst == 0:
            assert contrasts[i] is None
        elif worst is None:
            assert (contrasts[i].light, contrasts[i].loss) == (0, None)
            assert contrasts[i].heavy > 0
        else:
            assert Fraction(contrasts[i].heavy, contrasts[i].light) == worst


@settings(max_examples=settings.default.max_examples // 2)
@given(st.sampled_from(SHAPES), st.sampled_from([1, 60, 900]), st.sampled_from(["0", "1e-300", "0.1", "1"]), st.data())
def test_many_reports_with_small_probabilities_lose_no_digits_in_silence(shape, scale, q, data):
    k = math.prod(shape)
    logs = np.array(data.draw(st.lists(st.floats(-1, 0), min_size=k, max_size=k))) * scale
    found = Rest.of(q, len(shape)).on(shape).losses(FiniteEvidence(logs))
    with witness.workdps(860):
        share = witness.mpf(q)
        for i, size in enumerate(shape):
            rows = [[witness.exp(witness.mpf(f)) for f in row] for row in rows_of(shape, logs.tolist(), i)]
            for a in range(size):
                truth = witness.mpf(0)
                for b in range(size):
                    for own, other in zip(rows[a], rows[b], strict=True) if a != b else ():
                        heavy = (1 - share) * own + share * max(rows[a])
                        truth = max(truth, witness.log(heavy / ((1 - share) * other + share * min(rows[b]))))
                assert truth <= float(found[i][a]) <= truth + 1e-10


@given(cases(least=1), st.integers(0, 2**32 - 1))
def test_random_priors_lose_at_most_what_their_own_dependence_allows(case, seed):
    shape, likelihood, _ = case
    prior = np.random.default_rng(seed).integers(1, 9, math.prod(shape)).tolist()
    for i, size in enumerate(shape):
        rows, laws = rows_of(shape, likelihood, i), rows_of(shape, prior, i)
        laws = [[Fraction(w, sum(law)) for w in law] for law in laws]
        means = [sum(p * f for p, f in zip(law, row, strict=True)) for law, row in zip(laws, rows, strict=True)]
        q = max(
            [Fraction(0), *(sum(max(a - b, 0) for a, b in zip(*pair, strict=True)) for pair in permutations(laws, 2))]
        )
        contrast = Rest((q,) * len(shape)).on(shape).contrasts(np.array(likelihood, dtype=object))[i]
        if size > 1:
            assert max(means) / min(means) <= Fraction(contrast.heavy, contrast.light)


def test_the_ends_are_coordinate_dp_and_all_pairs_of_different_values():
    likelihood = [[1, 5], [3, 2]]
    evidence = np.array(likelihood, dtype=object).ravel()
    none, whole = (Rest.of(q, 2).on((2, 2)).contrasts(evidence) for q in (0, 1))
    assert [Fraction(c.heavy, c.light) for c in none] == [3, 5]
    # (0, 1) against the least of the other row: 5 / 2, and (1, 0) against (0, 0): 3; by columns 5 / 1.
    assert [Fraction(c.heavy, c.light) for c in whole] == [3, 5]
    assert [c.heavy for c in Rest.of(1, 2).on((2, 2)).contrasts(np.array([4, 1, 4, 1], dtype=object))] == [4, 4]


def test_xor_loses_everything_though_all_pairs_are_independent():
    # An answer about x_1 xor x_2 at e^epsilon = 3, where x_0 = x_1 xor x_2 of fair bits.
    likelihood = np.array([3 if b ^ c else 1 for _, b, c in product(range(2), repeat=3)], dtype=object)
    pairwise, whole = (Rest.of([q, 1, 1], 3).on((2, 2, 2)).contrasts(likelihood)[0] for q in (0, 1))
    assert Fraction(pairwise.heavy, pairwise.light) == 1
    assert Fraction(whole.heavy, whole.light) == 3


def test_the_radius_is_counted_twice():
    rest = Rest.of("0.1", 2).on((2, 2))
    assert all(losses.max() >= 0.5 for losses in rest.losses(FiniteEvidence(np.zeros(4), radius=0.25)))
    assert all(losses.max() == 0 for losses in rest.losses(FiniteEvidence(np.zeros(4))))
    assert all(losses.max() == 0 for losses in rest.losses(FiniteEvidence(np.full(4, -np.inf), radius=0.25)))


def test_bounds_are_read_from_numbers_rows_and_declarations():
    tenth, half = Fraction(1, 10), Fraction(1, 2)
    for rest in ([0.1, 0.5], (0.1, "1/2"), np.array([0.1, 0.5]), [np.float64(0.1), half], Dependence((tenth, half))):
        assert Rest.of(rest, 2).bounds == (tenth, half)
    for rest in (0.1, "0.1", tenth, np.float64(0.1), np.array(0.1), Rest((tenth, tenth))):
        assert Rest.of(rest, 2).bounds == (tenth, tenth)


@in_one(
    ("rest", "words"),
    [
        ([[0, 0.1], [0.1, 0]], "found a matrix"),
        (np.zeros((2, 2)), "found a matrix"),
        ([np.zeros(2), np.zeros(2)], "found a matrix"),
        (1.1, r"\[0, 1\]"),
        ([0.1, -0.1], r"\[0, 1\]"),
        ([0.1, float("nan")], r"\[0, 1\]"),
        ([0.1], "each of 2 attributes"),
        ([0.1] * 3, "each of 2 attributes"),
        ([], "each of 2 attributes"),
        (None, "number"),
        ("much", "number"),
    ],
)
def test_other_bounds_are_refused(rest, words):
    with pytest.raises(SordinoError, match=words):
        Rest.of(rest, 2)


def test_sizes_are_needed():
    for use in (Rest.of(0, 2).losses, lambda evidence: Rest.of(0, 2).contrasts(evidence.log)):
        with pytest.raises(SordinoError, match=r"call .on\(record\)"):
            use(FiniteEvidence(np.zeros(4)))
    with pytest.raises(SordinoError, match="4 values; found 3"):
        Rest.of(0, 2).on((2, 2)).losses(FiniteEvidence(np.zeros(3)))


def exactly(likelihood, q):
    """The largest odds about each attribute over all priors within the bound."""
    contrasts = Rest.of(q, likelihood.ndim).on(likelihood.shape).contrasts(likelihood.ravel())
    return [Fraction(1) if one is None else Fraction(one.heavy, one.light) for one in contrasts]


def odds_alone(likelihood, i):
    """The largest odds between two records that differ in attribute i only."""
    columns = np.moveaxis(likelihood, i, 0).reshape(likelihood.shape[i], -1).T.tolist()
    return max(Fraction(max(column), min(column)) for column in columns)


def mixture(likelihood, i, q):
    """What the odds of the attribute alone and of the whole record allow at most."""
    return (1 - q) * odds_alone(likelihood, i) + q * Fraction(likelihood.max(), likelihood.min())


@in_one("shape", [(2, 2), (3, 2), (2, 2, 2)])
@pytest.mark.parametrize("share", ["0", "0.1", "2/3", "1"])
def test_what_is_exact_is_within_all_that_levels_allow(shape, share):
    """The mixture of both odds, and the paper's Propositions 4.1 and 4.2, which are never smaller."""
    rng, q = np.random.default_rng(4), Fraction(share)
    for _ in range(20):
        weights = rng.integers(1, 12, shape).astype(object)
        budgets = [odds_alone(weights, i) for i in range(len(shape))]
        whole = Fraction(weights.max(), weights.min())
        for i, (truth, own) in enumerate(zip(exactly(weights, share), budgets, strict=True)):
            others = math.prod(budgets[:i] + budgets[i + 1 :])
            assert truth <= mixture(weights, i, q) <= min(own * (1 + q * (whole - 1)), whole)
            assert truth <= own * (1 + q * (others - 1))


def test_the_mixture_is_reached():
    # A neighbour differs by 2, the record at most by 6, and both at once where it matters.
    weights = np.array([[2, 6], [1, 3], [2, 6]], dtype=object)
    assert exactly(weights, "1/4")[0] == mixture(weights, 0, Fraction(1, 4)) == 3


def test_merging_outputs_never_raises_what_is_exact_but_may_raise_the_mixture():
    rng = np.random.default_rng(5)
    for _ in range(100):
        apart = rng.integers(1, 12, (2, 2, 3)).astype(object)
        pairs = zip(*(exactly(one, "1/5") for one in apart), strict=True)
        assert all(one <= max(two) for one, two in zip(exactly(apart.sum(axis=0), "1/5"), pairs, strict=True))
    first, second = (np.array(one, dtype=object) for one in ([[4, 1, 20], [1, 4, 21]], [[12, 1, 13], [2, 1, 5]]))
    merged, *each = (mixture(one, 0, Fraction(1, 5)) for one in (first + second, first, second))
    assert merged > Fraction(102, 100) * max(each)
